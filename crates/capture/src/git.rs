//! What git knows about a work tree: the branch, the contents at HEAD, dirty and renamed files, and the history.
//!
//! Git must not disturb a hook: one process per question, killed at its deadline, and no command that locks, fetches, pages,
//! prompts or calls other programs without need. Without git, a repository or an answer in time, the result is empty, never an
//! error.
//!
//! Not here: which project a folder belongs to (`project`).

mod child;
mod history;

use crate::project::{common_dir, read_head, work_tree};
use child::ask;
pub use history::{Commit, CommittedFile, HistoryDetail, HistoryEnd, history};
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

/// Longer than any name of a branch.
const MOST_HEAD_BYTES: u64 = 4 * 1024;
/// How many dirty files are listed.
const MOST_DIRTY: usize = 50;
/// How many bytes of HEAD are read at once.
const MOST_BLOB_BYTES: usize = 16 << 20;
const MOST_LIST_BYTES: usize = 1 << 20;
/// Longer than any answer of one line.
const MOST_LINE_BYTES: usize = 4 * 1024;

/// A renamed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRename {
    /// Its path before, relative to the root.
    pub from: String,
    /// Its path now.
    pub to: String,
}

/// A work tree and its repository.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GitWorkTree {
    /// The repository's own directory, shared by all its work trees.
    pub common_dir: PathBuf,
    /// The root of the work tree.
    pub root: PathBuf,
}

/// Returns the work tree a folder lies in.
#[must_use]
pub fn work_tree_of(folder: &Path) -> Option<GitWorkTree> {
    let (root, git_dir) = work_tree(folder)?;
    Some(GitWorkTree { common_dir: common_dir(&git_dir)?, root })
}

/// Returns the user's name from the git configuration.
#[must_use]
pub fn user_name(folder: &Path, deadline: Duration) -> Option<String> {
    let answer = ask(folder, &["config", "--get", "user.name"], Vec::new(), MOST_LINE_BYTES, deadline);
    let name = String::from_utf8(answer).ok()?.trim().to_owned();
    Some(name).filter(|name| !name.is_empty())
}

/// Returns the commit that is checked out.
#[must_use]
pub fn head(root: &Path, deadline: Duration) -> Option<String> {
    let answer = ask(
        root,
        &["rev-parse", "--verify", "--quiet", "HEAD^{commit}"],
        Vec::new(),
        MOST_LINE_BYTES,
        deadline,
    );
    line(&answer)
}

/// Returns the email address with which the user of a repository signs commits.
#[must_use]
pub fn user_email(root: &Path, deadline: Duration) -> Option<String> {
    line(&ask(root, &["config", "--get", "user.email"], Vec::new(), MOST_LINE_BYTES, deadline))
}

/// Returns how many commits lead to the one that is checked out.
#[must_use]
pub fn count_commits(root: &Path, deadline: Duration) -> Option<u64> {
    let answer = ask(root, &["rev-list", "--count", "HEAD"], Vec::new(), MOST_LINE_BYTES, deadline);
    line(&answer)?.parse().ok()
}

/// Returns the branch a folder is on; none if no branch is checked out, or there is no repository.
#[must_use]
pub fn branch(root: &Path) -> Option<String> {
    let (_, git_dir) = work_tree(root)?;
    let head = read_head(&git_dir.join("HEAD"), MOST_HEAD_BYTES)?;
    let name = head.strip_prefix(b"ref: refs/heads/")?.trim_ascii();
    String::from_utf8(name.to_vec()).ok().filter(|name| !name.is_empty())
}

/// Returns the first fifty files that differ from HEAD, including new ones, relative to `root`.
#[must_use]
pub fn dirty_files(root: &Path, deadline: Duration) -> Vec<String> {
    let dirty = status(root, deadline).into_iter().map(|entry| entry.path);
    dirty.take(MOST_DIRTY).collect()
}

/// Returns the renamed files: first those of the work tree, then those of the last commits that renamed any.
#[must_use]
pub fn renames(root: &Path, deadline: Duration) -> Vec<FileRename> {
    let staged = status(root, deadline).into_iter().filter_map(|entry| {
        let from = entry.from?;
        Some(FileRename { from, to: entry.path })
    });
    let log = ["log", "-n", "20", "--format=", "--name-status", "-z", "-M", "--diff-filter=R", "--relative"];
    let plain = ["--no-ext-diff", "--no-textconv", "--no-show-signature", "--no-color"];
    let log = ask(root, &[&log[..], &plain].concat(), Vec::new(), MOST_LIST_BYTES, deadline);
    staged.chain(logged_renames(&log)).collect()
}

/// Returns the contents of these files at HEAD, if they exist there and are text. Paths are relative to `root`.
#[must_use]
pub fn head_blobs(root: &Path, paths: &[&str], deadline: Duration) -> HashMap<String, String> {
    // Each line is one question, and a path that leads out of the repository makes git stop.
    let leads_out = |path: &str| Path::new(path).components().any(|part| part == Component::ParentDir);
    let paths: Vec<&str> =
        paths.iter().copied().filter(|path| !path.contains('\n') && !leads_out(path)).collect();
    if paths.is_empty() || work_tree(root).is_none() {
        return HashMap::new();
    }
    let questions: String = paths.iter().map(|path| format!("HEAD:./{path}\n")).collect();
    let answer = ask(root, &["cat-file", "--batch"], questions.into_bytes(), MOST_BLOB_BYTES, deadline);
    let mut rest = answer.as_slice();
    let mut blobs = HashMap::new();
    for path in paths {
        let Some((blob, after)) = next_object(rest) else { break };
        rest = after;
        if let Some(text) = blob.and_then(|blob| String::from_utf8(blob.to_vec()).ok()) {
            blobs.insert(path.to_owned(), text);
        }
    }
    blobs
}

/// Splits off one answer of `cat-file --batch`: a header and, if there is such a blob, its bytes.
fn next_object(answer: &[u8]) -> Option<(Option<&[u8]>, &[u8])> {
    let line = answer.iter().position(|byte| *byte == b'\n')?;
    let (header, rest) = answer.split_at_checked(line)?;
    let rest = rest.get(1..)?;
    // `<oid> <type> <size>`; after any other header no bytes follow.
    let header = String::from_utf8_lossy(header);
    let mut words = header.rsplit(' ');
    let (Some(Ok(size)), Some(kind)) = (words.next().map(str::parse::<usize>), words.next()) else {
        return Some((None, rest));
    };
    let (bytes, after) = rest.split_at_checked(size)?;
    Some(((kind == "blob").then_some(bytes), after.get(1..)?))
}

/// One file as `git status` reports it.
struct StatusEntry {
    path: String,
    /// Its former name, if git sees that it was renamed.
    from: Option<String>,
}

fn status(root: &Path, deadline: Duration) -> Vec<StatusEntry> {
    let Some(prefix) = prefix(root) else { return Vec::new() };
    let status =
        ["status", "--porcelain=v1", "-z", "--untracked-files=normal", "--ignore-submodules", "--", "."];
    let answer = ask(root, &status, Vec::new(), MOST_LIST_BYTES, deadline);
    let inside = |path: &str| path.strip_prefix(prefix.as_str()).map(str::to_owned);
    let mut fields = fields(&answer);
    let mut entries = Vec::new();
    while let Some(field) = fields.next() {
        let (Some(state), Some(path)) = (field.get(..2), field.get(3..)) else { continue };
        let from = state.contains(['R', 'C']).then(|| fields.next()).flatten();
        let Some(path) = inside(path) else { continue };
        let from = from.filter(|_| state.contains('R')).and_then(|from| inside(&from));
        entries.push(StatusEntry { path, from });
    }
    entries
}

/// Reads `R100\0from\0to\0` and so on.
fn logged_renames(log: &[u8]) -> Vec<FileRename> {
    let mut fields = fields(log);
    let mut renames = Vec::new();
    while let Some(state) = fields.next() {
        if !state.trim_start().starts_with('R') {
            continue;
        }
        let (Some(from), Some(to)) = (fields.next(), fields.next()) else { break };
        renames.push(FileRename { from, to });
    }
    renames
}

/// Returns an answer that is one line.
fn line(answer: &[u8]) -> Option<String> {
    let line = str::from_utf8(answer.strip_suffix(b"\n")?).ok()?;
    (!line.is_empty() && !line.contains('\n')).then(|| line.to_owned())
}

/// Returns the complete fields of an answer that may have been cut short. A field that is not UTF-8 matches no name of ours.
fn fields(answer: &[u8]) -> impl Iterator<Item = String> {
    let whole = answer.iter().rposition(|byte| *byte == 0).and_then(|end| answer.get(..end));
    let fields = whole.unwrap_or_default().split(|byte| *byte == 0);
    fields.map(|field| String::from_utf8_lossy(field).into_owned()).collect::<Vec<_>>().into_iter()
}

/// Returns the prefix of paths under `root`, seen from the top of the work tree.
fn prefix(root: &Path) -> Option<String> {
    let (top, _) = work_tree(root)?;
    let root = root.canonicalize().ok()?;
    let prefix = root.strip_prefix(top).ok()?.to_str()?;
    Some(if prefix.is_empty() { String::new() } else { format!("{prefix}/") })
}
