//! What identifies a repository, read from its files.
//!
//! Not here: objects, refs and work tree contents. They change; the identity of a repository should not. Nothing here is proof:
//! whoever made a folder also wrote these files.

use super::files::{base_name, path_from, path_text, read_head};
use super::gitconfig::GitConfig;
use super::remote::{self, RemoteOrigin};
use backstory_memory::{ProjectKey, digest};
use backstory_platform::canonical;
use std::fs;
use std::path::{Path, PathBuf};

/// Longer than any path in one of git's one-line files.
const POINTER_BYTES: u64 = 16 * 1024;
const CONFIG_BYTES: u64 = 256 * 1024;
const FIRST_LINE_BYTES: u64 = 4 * 1024;

/// A folder that belongs to git.
pub(super) enum Checkout {
    /// The root of a work tree.
    Working(Repository),
    /// There is a `.git`, but it leads nowhere, or to a repository that does not know this folder.
    Broken,
}

/// A repository, seen from one of its work trees.
pub(crate) struct Repository {
    /// Its canonical common directory: the same from each of its work trees.
    pub(crate) common_dir: PathBuf,
    /// The directory of this work tree: the same, unless the tree is a linked one.
    pub(crate) git_dir: PathBuf,
    /// Whether its directory lies apart from its only work tree, as a submodule's does.
    is_submodule: bool,
}

/// The keys and the name of a repository.
pub(super) struct Identity {
    pub(super) keys: Vec<ProjectKey>,
    pub(super) name: String,
}

/// Returns the repository whose work tree has its root in this canonical folder.
pub(super) fn at(folder: &Path) -> Option<Checkout> {
    let dot_git = folder.join(".git");
    // The metadata of the link itself, so that a dangling one is seen.
    let metadata = fs::symlink_metadata(&dot_git).ok()?;
    let repository = if metadata.is_dir() {
        // Only a linked work tree has its repository elsewhere, and its `.git` is a file.
        Some(Repository::within(dot_git)).filter(Repository::stands_alone)
    } else {
        follow_dot_git(&dot_git, folder)
    };
    let sound = repository.filter(|repository| is_repository(&repository.common_dir));
    Some(sound.map_or(Checkout::Broken, Checkout::Working))
}

/// Returns the repository that a canonical folder itself is: a bare one.
///
/// Inside of a work tree it arrives with a plain clone, so the caller looks for a work tree around it first.
pub(super) fn bare_at(folder: &Path) -> Option<Repository> {
    is_repository(folder).then(|| Repository::within(folder.to_owned()))
}

/// Whether git could take a folder for a bare repository, whatever is wrong with it.
pub(super) fn resembles_bare(folder: &Path) -> bool {
    let has = |name: &str| fs::symlink_metadata(folder.join(name)).is_ok();
    has("HEAD") && (has("objects") || has("commondir"))
}

/// Whether a folder is a git directory with files of its own. Through a link it would show those of another repository.
fn is_repository(folder: &Path) -> bool {
    let kind = |name: &str| fs::symlink_metadata(folder.join(name)).ok().map(|metadata| metadata.file_type());
    kind("HEAD").is_some_and(|kind| !kind.is_symlink())
        && kind("objects").is_some_and(|kind| kind.is_dir())
        && kind("config").is_none_or(|kind| !kind.is_symlink())
}

/// Follows a `.git` that is a link or a file, if what it leads to is inside of the tree or names this tree in return.
///
/// Anybody can write a path into a file. Git writes the way back where only the owner of the repository can.
fn follow_dot_git(dot_git: &Path, root: &Path) -> Option<Repository> {
    if fs::metadata(dot_git).ok()?.is_dir() {
        let git_dir = canonical(dot_git).ok().filter(|target| target.starts_with(root))?;
        return Some(Repository::within(git_dir)).filter(Repository::stands_alone);
    }
    let pointer = read_head(dot_git, POINTER_BYTES)?;
    let named = path_from(pointer.strip_prefix(b"gitdir:")?.trim_ascii());
    let repository = Repository::within(canonical(&root.join(named)).ok()?);
    if repository.stands_alone() {
        if repository.git_dir.starts_with(root) {
            return Some(repository);
        }
        let knows_root = repository.configured_work_tree().as_deref() == Some(root);
        return knows_root.then_some(Repository { is_submodule: true, ..repository });
    }
    let common_dir = repository.linked_to()?;
    let is_entry = repository.git_dir.parent() == Some(common_dir.join("worktrees").as_path());
    let knows_root = is_entry && repository.work_tree_of_entry().as_deref() == Some(root);
    knows_root.then_some(Repository { common_dir, ..repository })
}

impl Repository {
    /// A repository that keeps everything in one directory.
    fn within(git_dir: PathBuf) -> Repository {
        Repository { common_dir: git_dir.clone(), git_dir, is_submodule: false }
    }

    /// Whether nothing in it names another repository as its own.
    fn stands_alone(&self) -> bool {
        fs::symlink_metadata(self.git_dir.join("commondir")).is_err()
    }

    /// Returns the directory of the repository that a linked work tree's directory names.
    fn linked_to(&self) -> Option<PathBuf> {
        let pointer = read_head(&self.git_dir.join("commondir"), POINTER_BYTES)?;
        canonical(&self.git_dir.join(path_from(pointer.trim_ascii()))).ok()
    }

    /// Returns the work tree that the repository itself lists for this entry of `worktrees`.
    fn work_tree_of_entry(&self) -> Option<PathBuf> {
        let pointer = read_head(&self.git_dir.join("gitdir"), POINTER_BYTES)?;
        let dot_git = self.git_dir.join(path_from(pointer.trim_ascii()));
        dot_git.ends_with(".git").then(|| canonical(dot_git.parent()?).ok()).flatten()
    }

    /// Returns the work tree in the repository's own configuration, as every submodule has it.
    fn configured_work_tree(&self) -> Option<PathBuf> {
        let config = GitConfig::parse(&read_head(&self.git_dir.join("config"), CONFIG_BYTES)?);
        canonical(&self.git_dir.join(path_from(config.work_tree()?))).ok()
    }

    /// Whether the repository says that it has no work tree: `.git` stands beside its linked ones then.
    pub(crate) fn is_bare(&self) -> bool {
        let config = read_head(&self.common_dir.join("config"), CONFIG_BYTES).unwrap_or_default();
        GitConfig::parse(&config).is_bare()
    }

    /// Returns what identifies the repository: what its files claim, and its place.
    pub(super) fn identity(&self) -> Identity {
        let mut keys = Vec::new();
        keys.extend(self.birth());
        keys.push(ProjectKey::Path(path_text(self.home())));
        match self.origin() {
            Some(RemoteOrigin::Address(address)) => {
                keys.insert(0, ProjectKey::Remote(address.key));
                Identity { keys, name: address.name }
            }
            Some(RemoteOrigin::Local(path)) => {
                Identity { keys, name: base_name(&path).unwrap_or_else(|| self.folder_name()) }
            }
            None => Identity { keys, name: self.folder_name() },
        }
    }

    /// Whether all objects are in the repository itself.
    ///
    /// A list of other places, or a link among the folders, could lead to the objects of another repository. A shallow clone has a
    /// beginning that is not the project's.
    pub(crate) fn owns_its_history(&self) -> bool {
        let exists = |name: &str| fs::symlink_metadata(self.common_dir.join(name)).is_ok();
        let has_no_links = |folder: &Path| {
            let mut entries = fs::read_dir(folder).into_iter().flatten();
            entries.all(|entry| entry.and_then(|it| it.file_type()).is_ok_and(|kind| !kind.is_symlink()))
        };
        let objects = self.common_dir.join("objects");
        !["shallow", "objects/info/alternates", "objects/info/http-alternates"].into_iter().any(exists)
            && has_no_links(&objects)
            && has_no_links(&objects.join("pack"))
            && has_no_links(&objects.join("info"))
    }

    /// Returns the folder of the enclosing work tree, if this repository is its submodule.
    pub(super) fn enclosing_work_tree<'a>(&self, root: &'a Path) -> Option<&'a Path> {
        if !self.is_submodule {
            return None;
        }
        let mut around = root.ancestors().skip(1);
        let (folder, checkout) = around.find_map(|folder| Some((folder, at(folder)?)))?;
        match checkout {
            // A submodule's directory lies inside that of the repository it belongs to.
            Checkout::Working(outer) if self.common_dir.starts_with(&outer.common_dir) => Some(folder),
            _ => None,
        }
    }

    /// Returns the folder a person would point at: the main work tree, or the repository itself if it has none.
    pub(super) fn home(&self) -> &Path {
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
}
