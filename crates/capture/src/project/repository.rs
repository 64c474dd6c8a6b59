//! What identifies a repository, read from its files.
//!
//! Not here: objects, refs and work tree contents. They change; the identity of a repository should not.

use super::files::{base_name, path_from, path_text, read_head};
use super::gitconfig::GitConfig;
use super::remote::{self, RemoteOrigin};
use backstory_memory::{ProjectKey, digest};
use std::fs;
use std::path::{Path, PathBuf};

/// How far a chain of local clones is followed.
const MAX_ORIGINS: usize = 4;
/// Longer than any path in one of git's one-line files.
const POINTER_BYTES: u64 = 16 * 1024;
const CONFIG_BYTES: u64 = 256 * 1024;
const FIRST_LINE_BYTES: u64 = 4 * 1024;

/// A folder that belongs to git.
pub(super) enum Checkout {
    /// A work tree, or a bare repository, whose root is itself.
    Working { repository: Repository, root: PathBuf },
    /// There is a `.git`, but it leads nowhere.
    Broken,
}

/// A repository, shared by all its work trees.
pub(super) struct Repository {
    /// Its canonical common directory: the same from each of its work trees.
    pub(super) common_dir: PathBuf,
    /// Whether its directory lies apart from its only work tree, as a submodule's does.
    detached: bool,
}

/// The keys and the name of a repository.
pub(super) struct Identity {
    pub(super) keys: Vec<ProjectKey>,
    pub(super) name: String,
}

/// Returns whether a canonical folder is the root of a work tree or a bare repository, and which.
pub(super) fn at(folder: &Path) -> Option<Checkout> {
    let dot_git = folder.join(".git");
    // The metadata of the link itself, so that a dangling one is seen.
    let Ok(metadata) = fs::symlink_metadata(&dot_git) else { return bare_at(folder) };
    let working = git_dir(folder)
        .and_then(|git_dir| Repository::at_git_dir(git_dir, !metadata.is_dir()))
        .map(|repository| Checkout::Working { repository, root: folder.to_owned() });
    Some(working.unwrap_or(Checkout::Broken))
}

/// Returns the git directory of a work tree, from the canonical root of the tree. A linked work tree has its own.
pub(super) fn git_dir(root: &Path) -> Option<PathBuf> {
    let dot_git = root.join(".git");
    // A plain directory is the common case, and each step of canonicalising a path is a system call.
    let is_plain = fs::symlink_metadata(&dot_git).ok()?.is_dir();
    if is_plain { Some(dot_git) } else { follow_dot_git(&dot_git) }
}

/// Checks whether a folder is itself a git directory: a bare repository, or the `.git` of a work tree.
fn bare_at(folder: &Path) -> Option<Checkout> {
    if !is_repository(folder) {
        return None;
    }
    let repository = Repository { common_dir: folder.to_owned(), detached: false };
    let root = repository.home().to_owned();
    Some(Checkout::Working { repository, root })
}

fn is_repository(folder: &Path) -> bool {
    fs::symlink_metadata(folder.join("HEAD")).is_ok() && folder.join("objects").is_dir()
}

/// Follows a `.git` that is a link, or a file that names a directory.
fn follow_dot_git(dot_git: &Path) -> Option<PathBuf> {
    if fs::metadata(dot_git).ok()?.is_dir() {
        return dot_git.canonicalize().ok();
    }
    let pointer = read_head(dot_git, POINTER_BYTES)?;
    let named = path_from(pointer.strip_prefix(b"gitdir:")?.trim_ascii());
    dot_git.parent()?.join(named).canonicalize().ok()
}

impl Repository {
    /// Follows a work tree's git directory to the repository, which is elsewhere for a linked work tree.
    pub(super) fn at_git_dir(git_dir: PathBuf, apart: bool) -> Option<Repository> {
        let linked = read_head(&git_dir.join("commondir"), POINTER_BYTES);
        let detached = apart && linked.is_none();
        let common_dir = match linked {
            Some(pointer) => git_dir.join(path_from(pointer.trim_ascii())).canonicalize().ok()?,
            None => git_dir,
        };
        is_repository(&common_dir).then_some(Repository { common_dir, detached })
    }

    /// Returns what identifies the repository.
    pub(super) fn identity(&self) -> Identity {
        self.identity_within(MAX_ORIGINS)
    }

    fn identity_within(&self, origins: usize) -> Identity {
        let mut keys = Vec::new();
        keys.extend(self.birth());
        keys.push(ProjectKey::Path(path_text(self.home())));
        match self.origin() {
            Some(RemoteOrigin::Address(address)) => {
                keys.insert(0, ProjectKey::Remote(address.key));
                Identity { keys, name: address.name }
            }
            Some(RemoteOrigin::Local(path)) if origins > 0 => match self.follow(&path) {
                // A clone of a repository on this machine inherits all keys of its origin.
                Some(origin) => {
                    let Identity { keys: inherited, name } = origin.identity_within(origins - 1);
                    Identity { keys: merged(keys, inherited), name }
                }
                None => Identity { keys, name: self.folder_name() },
            },
            _ => Identity { keys, name: self.folder_name() },
        }
    }

    /// Returns the folder of the enclosing work tree, if this repository is its submodule.
    pub(super) fn enclosing_work_tree<'a>(&self, root: &'a Path) -> Option<&'a Path> {
        if !self.detached {
            return None;
        }
        let mut around = root.ancestors().skip(1);
        let (folder, checkout) = around.find_map(|folder| Some((folder, at(folder)?)))?;
        match checkout {
            // A submodule's directory lies inside that of the repository it belongs to.
            Checkout::Working { repository, .. } if self.common_dir.starts_with(&repository.common_dir) => {
                Some(folder)
            }
            _ => None,
        }
    }

    /// Returns the folder a person would point at: the main work tree, or the repository itself if it has none.
    fn home(&self) -> &Path {
        match self.common_dir.parent() {
            Some(work_tree) if self.common_dir.ends_with(".git") => work_tree,
            _ => &self.common_dir,
        }
    }

    fn folder_name(&self) -> String {
        let home = self.home();
        // Hidden, as in `project/.bare` beside its work trees: the name is that of the folder above.
        let hidden = |path: &Path| base_name(path).is_none_or(|name| name.starts_with('.'));
        let named =
            home.parent().filter(|parent| hidden(home) && base_name(parent).is_some()).unwrap_or(home);
        base_name(named).unwrap_or_else(|| path_text(named))
    }

    /// Returns the digest of the first line of the repository's log, if that is still the original one.
    ///
    /// Git drops lines older than 90 days when it tidies up, and bare repositories keep no log: then there is none.
    fn birth(&self) -> Option<ProjectKey> {
        let head = read_head(&self.common_dir.join("logs/HEAD"), FIRST_LINE_BYTES)?;
        let line = head.split(|byte| *byte == b'\n').next()?;
        let before = line.split(|byte| *byte == b' ').next()?;
        let began = before.len() >= 40 && before.iter().all(|byte| *byte == b'0');
        began.then(|| ProjectKey::Birth(digest([line]).to_string()))
    }

    fn origin(&self) -> Option<RemoteOrigin> {
        let config = GitConfig::parse(&read_head(&self.common_dir.join("config"), CONFIG_BYTES)?);
        // The branch of the main work tree: every work tree gets the same answer.
        let head = read_head(&self.common_dir.join("HEAD"), POINTER_BYTES).unwrap_or_default();
        let branch = head.strip_prefix(b"ref: refs/heads/").map(<[u8]>::trim_ascii);
        remote::read(config.remote(branch)?)
    }

    /// Returns the repository at a path on this machine, unless it is this one.
    fn follow(&self, path: &Path) -> Option<Repository> {
        let path = self.home().join(path);
        let mut with_ending = path.clone().into_os_string();
        with_ending.push(".git");
        [path, PathBuf::from(with_ending)].iter().find_map(|path| match at(&path.canonicalize().ok()?)? {
            Checkout::Working { repository, .. } if repository.common_dir != self.common_dir => {
                Some(repository)
            }
            _ => None,
        })
    }
}

/// Puts a clone's own keys before those of its origin, except that the remote always comes first.
fn merged(own: Vec<ProjectKey>, mut inherited: Vec<ProjectKey>) -> Vec<ProjectKey> {
    // Two repositories that name each other as origin would otherwise repeat their keys.
    inherited.retain(|key| !own.contains(key));
    let after_remote = inherited.iter().take_while(|key| matches!(key, ProjectKey::Remote(_))).count();
    inherited.splice(after_remote..after_remote, own);
    inherited
}
