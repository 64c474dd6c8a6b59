//! Decides whether git may be started in a work tree, and for what.
//!
//! A repository's own settings can name programs that git runs. Most are overruled where git is started (`child`). Filters are not:
//! git has no switch for them, and `status` runs them. So the settings are read here first, and in doubt git is not asked.

use crate::project::{WorkTree, read_head, work_tree};
use std::fs;
use std::path::{Path, PathBuf};

/// Larger settings are not searched to their end, so nobody knows what they name.
const MOST_CONFIG_BYTES: u64 = 1 << 20;
/// Longer than any name of a branch.
const MOST_HEAD_BYTES: u64 = 4 * 1024;

/// What a question to git touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GitNeed {
    /// Commits, trees, settings: git runs no filter for them.
    History,
    /// The files of the work tree, which git compares through filters.
    WorkFiles,
}

/// A folder in a work tree that git may be asked about.
pub(super) struct SafeTree {
    /// The folder to ask about.
    pub(super) folder: PathBuf,
    /// The root of the work tree.
    pub(super) root: PathBuf,
}

/// Why git is not asked about a work tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitRefusal {
    /// The folder is in no work tree, or in one that its repository does not know.
    NoWorkTree,
    /// Its HEAD is a link, which may lead to another repository.
    LinkedHead,
    /// Its settings define filters or include others, so that comparing files could run a program.
    Filters,
}

/// Returns the work tree of a folder, if git may be asked.
pub(super) fn safe_tree(folder: &Path, need: GitNeed) -> Result<SafeTree, GitRefusal> {
    let tree = work_tree(folder).ok_or(GitRefusal::NoWorkTree)?;
    if !owns_head(&tree) {
        return Err(GitRefusal::LinkedHead);
    }
    if need == GitNeed::WorkFiles {
        if tree.repository.is_bare() && tree.repository.git_dir == tree.repository.common_dir {
            return Err(GitRefusal::NoWorkTree);
        }
        if may_run_programs(&tree) {
            return Err(GitRefusal::Filters);
        }
    }
    Ok(SafeTree { folder: folder.to_owned(), root: tree.root })
}

/// Returns the branch that is checked out.
pub(super) fn branch_of(tree: &WorkTree) -> Option<String> {
    let head = read_head(&tree.repository.git_dir.join("HEAD"), MOST_HEAD_BYTES)?;
    let name = head.strip_prefix(b"ref: refs/heads/")?.trim_ascii();
    String::from_utf8(name.to_vec()).ok().filter(|name| !name.is_empty())
}

/// Whether the commit that is checked out is named by the repository's own files. A link could show the history of another.
fn owns_head(tree: &WorkTree) -> bool {
    let is_link = |path: &Path| fs::symlink_metadata(path).is_ok_and(|it| it.file_type().is_symlink());
    let (git_dir, common_dir) = (&tree.repository.git_dir, &tree.repository.common_dir);
    let branch = branch_of(tree).unwrap_or_default();
    let ref_path = common_dir.join("refs/heads").join(branch.trim_start_matches('/'));
    let parts = ref_path.ancestors().take_while(|path| path.starts_with(common_dir) && *path != common_dir);
    !parts.into_iter().any(is_link)
        && !["HEAD", "refs"].iter().any(|name| is_link(&git_dir.join(name)))
        && !["packed-refs", "reftable"].iter().any(|name| is_link(&common_dir.join(name)))
}

/// Whether the repository's own settings make git run a program when it compares files.
fn may_run_programs(tree: &WorkTree) -> bool {
    let (git_dir, common_dir) = (&tree.repository.git_dir, &tree.repository.common_dir);
    let files =
        [common_dir.join("config"), common_dir.join("config.worktree"), git_dir.join("config.worktree")];
    files.iter().any(|path| {
        if fs::symlink_metadata(path).is_err() {
            return false;
        }
        let content = read_head(path, MOST_CONFIG_BYTES + 1);
        content.is_none_or(|content| content.len() as u64 > MOST_CONFIG_BYTES || names_programs(&content))
    })
}

/// Whether settings hold a section of filters, or include others; also in places where git would not see one.
///
/// Does not parse: what a parser of ours overlooks, git might still find.
fn names_programs(settings: &[u8]) -> bool {
    let settings = settings.to_ascii_lowercase();
    let begins_section = |(at, _): (usize, &u8)| {
        let rest = settings.get(at + 1..).unwrap_or_default().trim_ascii_start();
        [b"filter".as_slice(), b"include"].iter().any(|section| rest.starts_with(section))
    };
    settings.iter().enumerate().filter(|(_, byte)| **byte == b'[').any(begins_section)
        // A fork of git that keeps files elsewhere asks this program which of them are there.
        || settings.windows(17).any(|word| word == b"virtualfilesystem")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_of_filters_is_seen_however_it_is_written() {
        for settings in [
            "[filter \"x\"]\nclean = y",
            "[FILTER.x] clean=y",
            "[core]a=b\n  [ Filter\t\"x\"]",
            "[core] [filter \"x\"] clean=y",
            "[include]\npath = x",
            "[includeIf \"gitdir:/\"] path = x",
            "[core]\nvirtualFilesystem = x",
        ] {
            assert!(names_programs(settings.as_bytes()), "{settings}");
        }
        for settings in ["", "[core]\nbare = false", "[remote \"filter\"]\npartialCloneFilter = blob:none"] {
            assert!(!names_programs(settings.as_bytes()), "{settings}");
        }
    }
}
