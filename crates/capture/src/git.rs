//! What git knows about a work tree: the branch, the contents at HEAD, dirty and renamed files, and the history.
//!
//! Git must not disturb a hook: one process per question, killed at its deadline, and no command that locks, fetches, pages or
//! prompts. It runs no program that a repository names: `safe_tree` decides whether it is asked, `child` how it is started. Without git, a repository or an answer in time, the result is empty, never an
//! error.
//!
//! Not here: which project a folder belongs to (`project`).

mod child;
mod history;
mod safe_tree;

use crate::project::work_tree;
use backstory_memory::{Digest, digest, on_one_line};
use backstory_platform::canonical;
use child::ask;
pub use history::{Commit, CommittedFile, HistoryDetail, HistoryEnd, history};
pub use safe_tree::GitRefusal;
use safe_tree::{GitNeed, SafeTree, branch_of, safe_tree};
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

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
    let tree = work_tree(folder)?;
    Some(GitWorkTree { common_dir: tree.repository.common_dir, root: tree.root })
}

/// Returns the user's name from the git configuration.
#[must_use]
pub fn user_name(folder: &Path, deadline: Duration) -> Option<String> {
    // Outside of a repository the user has a name as well, and at the top of the file system is none.
    let root = canonical(folder).ok()?;
    let nowhere = || SafeTree { folder: PathBuf::from("/"), root };
    let tree = safe_tree(folder, GitNeed::History).unwrap_or_else(|_| nowhere());
    let answer = ask(&tree, &["config", "--get", "user.name"], Vec::new(), MOST_LINE_BYTES, deadline);
    let name = String::from_utf8(answer).ok()?.trim().to_owned();
    Some(name).filter(|name| !name.is_empty())
}

/// Returns the commit that is checked out.
#[must_use]
pub fn head(root: &Path, deadline: Duration) -> Option<String> {
    ask_line(root, &["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], deadline)
}

/// Returns the email address with which the user signs commits, by the user's and the system's configuration.
///
/// A repository's own configuration does not count: an unpacked archive brings one along, and would make whoever it names the user.
#[must_use]
pub fn user_email(root: &Path, deadline: Duration) -> Option<String> {
    let tree = safe_tree(root, GitNeed::History).ok()?;
    let list = ["config", "--show-scope", "--get-all", "user.email"];
    let answer = ask(&tree, &list, Vec::new(), MOST_LINE_BYTES, deadline);
    let lines = str::from_utf8(answer.strip_suffix(b"\n")?).ok()?.lines();
    let mut of_user =
        lines.filter_map(|line| line.strip_prefix("global\t").or(line.strip_prefix("system\t")));
    // The last one wins, as in git; what a condition includes counts as the file that includes it.
    of_user.next_back().filter(|email| !email.is_empty()).map(ToOwned::to_owned)
}

/// Returns how many commits lead to the one that is checked out.
#[must_use]
pub fn count_commits(root: &Path, deadline: Duration) -> Option<u64> {
    ask_line(root, &["rev-list", "--count", "HEAD"], deadline)?.parse().ok()
}

/// Returns the digest of the commit that the history of a work tree begins with, if the repository really holds it.
///
/// Made from what the commit says and not from its id: who knows an id only cannot forge it. Along first parents, because the whole
/// of a large history takes seconds.
#[must_use]
pub fn first_commit(root: &Path, deadline: Duration) -> Option<Digest> {
    work_tree(root).filter(|tree| tree.repository.owns_its_history())?;
    let tree = safe_tree(root, GitNeed::History).ok()?;
    let list =
        ["rev-list", "--first-parent", "--max-parents=0", "--header", "--encoding=UTF-8", "HEAD", "--"];
    let answer = ask(&tree, &list, Vec::new(), MOST_LIST_BYTES, deadline);
    // What was cut short does not end like this.
    let commit = answer.strip_suffix(b"\0").filter(|commit| !commit.contains(&0))?;
    Some(digest([commit]))
}

/// Returns the branch a folder is on; none if no branch is checked out, or there is no repository.
#[must_use]
pub fn branch(root: &Path) -> Option<String> {
    branch_of(&work_tree(root)?).map(|name| on_one_line(&name).into_owned())
}

/// Returns why git is not asked which files differ from HEAD; nothing if it is.
#[must_use]
pub fn refuses_dirty_files(root: &Path) -> Option<GitRefusal> {
    safe_tree(root, GitNeed::WorkFiles).err()
}

/// Returns the first fifty files that differ from HEAD, including new ones, relative to `root`, each name on one line.
#[must_use]
pub fn dirty_files(root: &Path, deadline: Duration) -> Vec<String> {
    let dirty = status(root, deadline).into_iter().map(|entry| on_one_line(&entry.path).into_owned());
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
    let log = safe_tree(root, GitNeed::History)
        .map(|tree| ask(&tree, &[&log[..], &plain].concat(), Vec::new(), MOST_LIST_BYTES, deadline));
    staged.chain(logged_renames(&log.unwrap_or_default())).collect()
}

/// Returns the contents of these files at HEAD, if they exist there and are text. Paths are relative to `root`.
#[must_use]
pub fn head_blobs(root: &Path, paths: &[&str], deadline: Duration) -> HashMap<String, String> {
    // Each line is one question, and a path that leads out of the repository makes git stop.
    let leads_out = |path: &str| Path::new(path).components().any(|part| part == Component::ParentDir);
    let paths: Vec<&str> =
        paths.iter().copied().filter(|path| !path.contains('\n') && !leads_out(path)).collect();
    let Some(tree) = safe_tree(root, GitNeed::History).ok().filter(|_| !paths.is_empty()) else {
        return HashMap::new();
    };
    let questions: String = paths.iter().map(|path| format!("HEAD:./{path}\n")).collect();
    let answer = ask(&tree, &["cat-file", "--batch"], questions.into_bytes(), MOST_BLOB_BYTES, deadline);
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
    let Ok(tree) = safe_tree(root, GitNeed::WorkFiles) else { return Vec::new() };
    let Some(prefix) = prefix(&tree) else { return Vec::new() };
    let status =
        ["status", "--porcelain=v1", "-z", "--untracked-files=normal", "--ignore-submodules", "--", "."];
    let answer = ask(&tree, &status, Vec::new(), MOST_LIST_BYTES, deadline);
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

/// Asks what git knows without looking at files, and returns an answer that is one line.
fn ask_line(root: &Path, arguments: &[&str], deadline: Duration) -> Option<String> {
    let tree = safe_tree(root, GitNeed::History).ok()?;
    let answer = ask(&tree, arguments, Vec::new(), MOST_LINE_BYTES, deadline);
    let line = str::from_utf8(answer.strip_suffix(b"\n")?).ok()?;
    (!line.is_empty() && !line.contains('\n')).then(|| line.to_owned())
}

/// Returns the complete fields of an answer that may have been cut short. A field that is not UTF-8 matches no name of ours.
fn fields(answer: &[u8]) -> impl Iterator<Item = String> {
    let whole = answer.iter().rposition(|byte| *byte == 0).and_then(|end| answer.get(..end));
    let fields = whole.unwrap_or_default().split(|byte| *byte == 0);
    fields.map(|field| String::from_utf8_lossy(field).into_owned()).collect::<Vec<_>>().into_iter()
}

/// Returns the prefix of paths under the folder, seen from the root of the work tree.
fn prefix(tree: &SafeTree) -> Option<String> {
    let folder = canonical(&tree.folder).ok()?;
    let prefix = folder.strip_prefix(&tree.root).ok()?.to_str()?;
    Some(if prefix.is_empty() { String::new() } else { format!("{prefix}/") })
}
