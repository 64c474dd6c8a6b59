//! Which repository carries a file: what lies inside of a project belongs to that project, whatever it claims about itself.
//!
//! Whoever wrote the repository wrote such a file, too. A program's own files in the user's folders are carried by nobody, also where these
//! folders are kept in git.

use backstory_capture::git::work_tree_of;
use backstory_hosts::{Host, HostPaths};
use std::path::{Path, PathBuf};

/// Finds the repository of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Carriers {
    projects: Vec<PathBuf>,
    /// The user's own folders: what lies around them carries nothing.
    own: Vec<PathBuf>,
    /// The folders of hosts: none of them carries anything.
    hosts: Vec<PathBuf>,
}

impl Carriers {
    /// Prepares to look: these folders are projects, with or without git.
    pub(crate) fn new(places: &HostPaths, projects: &[PathBuf]) -> Carriers {
        let hosts = Host::ALL.into_iter().map(|host| true_path(&places.directory(host)));
        Carriers {
            projects: projects.iter().map(|folder| true_path(folder)).collect(),
            own: [&places.home, &places.config, &places.data].map(|folder| true_path(folder)).into(),
            hosts: hosts.collect(),
        }
    }

    /// Returns the root of the repository that carries a file, or the folder of the project.
    pub(crate) fn carrier_of(&self, path: &Path) -> Option<PathBuf> {
        let path = true_path(path);
        let carries = |root: &Path| {
            let is_own = self.own.iter().any(|own| own.starts_with(root));
            path.starts_with(root) && !is_own && !self.hosts.iter().any(|host| host == root)
        };
        let folder = if path.is_dir() { Some(path.as_path()) } else { path.parent() };
        let tree = folder.and_then(work_tree_of).map(|tree| tree.root).filter(|root| carries(root));
        let project =
            || self.projects.iter().filter(|root| carries(root)).max_by_key(|root| root.as_os_str().len());
        tree.or_else(|| project().cloned())
    }
}

/// Returns a file's true path, if it is one that lies in the folder: a link may lead to somebody's own files.
pub(crate) fn inside(root: &Path, path: &Path) -> Option<PathBuf> {
    // Without a known home a path is relative, and there is no file at all.
    if !root.is_absolute() {
        return None;
    }
    let (root, path) = (root.canonicalize().ok()?, path.canonicalize().ok()?);
    (path.starts_with(root) && path.is_file()).then_some(path)
}

fn true_path(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
