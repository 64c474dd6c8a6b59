//! Whether the code of a memory is still as it was.
//!
//! A memory is anchored in the symbols that changed when it was made, and in the other files it names as they were then. Freshness
//! compares these anchors with the files on disk. Renamed files are followed with git, which takes time, so that is done at the end of
//! a turn and not while somebody waits.

use super::source::{self, Located, SourceFile};
use super::{Language, symbols};
use crate::Redactor;
use crate::git::{self, FileRename};
use backstory_memory::{Content, Digest, Freshness, MemoryId, ProjectId, Redacted, Symbol, SymbolChange};
use backstory_store::{Anchor, FileUpdate, Store, StoreError};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::time::{Duration, Instant};

/// The most symbols one memory is anchored in.
const MOST_SYMBOL_ANCHORS: usize = 12;
/// A shorter name of a symbol is a word like others.
const SHORTEST_NAME: usize = 4;
/// The most renames of one file that are followed.
const MOST_RENAMES: usize = 8;

/// Anchors a memory in the symbols that changed, and in the files it names as they are now.
///
/// # Errors
///
/// When the store cannot be written, or does not have the memory.
pub fn anchor(
    store: &mut Store,
    memory: MemoryId,
    root: &Path,
    files: &[String],
    readings: &[FileUpdate],
) -> Result<(), StoreError> {
    let changed = readings.iter().flat_map(|reading| {
        let standing = reading.changes.iter().filter(|change| change.change != SymbolChange::Deleted);
        standing.map(|change| Anchor {
            path: reading.path.clone(),
            symbol: Some(change.symbol.qualified_name.clone()),
            hash: Some(change.symbol.body_hash),
        })
    });
    let mut anchors: Vec<Anchor> = changed.take(MOST_SYMBOL_ANCHORS).collect();
    let files: BTreeSet<&String> = files.iter().collect();
    for file in files {
        if !anchors.iter().any(|anchor| anchor.path == *file) {
            let hash = source::content_hash(root, file);
            anchors.push(Anchor { path: file.clone(), symbol: None, hash });
        }
    }
    // Files and symbols are those of a redacted memory and of the redacted code map.
    store.code_mut().replace_anchors(memory, &Redacted::vouch(anchors))
}

/// Anchors a memory in the symbols of its files that its text names; in the whole of a file of which it names none.
///
/// # Errors
///
/// When the store cannot be read or written, or does not have the memory.
pub fn anchor_named(
    store: &mut Store,
    (memory, content): (MemoryId, &Content),
    root: &Path,
    redactor: &Redactor,
) -> Result<(), StoreError> {
    let text = format!("{}\n{}", content.title, content.body);
    let named: BTreeSet<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let is_named = |symbol: &&Symbol| {
        let last = symbol.qualified_name.rsplit([':', '.', '#']).next().unwrap_or_default();
        let is_safe = || *redactor.scrub(&symbol.qualified_name) == symbol.qualified_name;
        last.len() >= SHORTEST_NAME && named.contains(last) && is_safe()
    };
    let (mut anchors, mut whole) = (Vec::new(), Vec::new());
    for file in content.files.iter().collect::<BTreeSet<_>>() {
        let before = anchors.len();
        if let Located::File(_) = source::locate(root, file)
            && let SourceFile::Text { text, .. } = source::read(root, file)
            && let Some(Ok(found)) = Language::from_path(file).map(|language| symbols(language, &text))
        {
            anchors.extend(found.iter().filter(is_named).take(MOST_SYMBOL_ANCHORS).map(|symbol| Anchor {
                path: file.clone(),
                symbol: Some(symbol.qualified_name.clone()),
                hash: Some(symbol.body_hash),
            }));
        }
        if anchors.len() == before {
            let hash = source::content_hash(root, file);
            whole.push(Anchor { path: file.clone(), symbol: None, hash });
        }
    }
    anchors.extend(whole);
    // Files are named by a redacted memory, and symbols that hold a secret were left out.
    store.code_mut().replace_anchors(memory, &Redacted::vouch(anchors))
}

/// The limits of a freshness check while somebody waits.
#[derive(Clone, Copy, Debug)]
pub struct FreshnessLimit {
    /// The deadline.
    pub until: Instant,
    /// The most files that are read.
    pub files: usize,
}

impl FreshnessLimit {
    fn is_over(self, files: usize) -> bool {
        files >= self.files || Instant::now() >= self.until
    }
}

/// Returns the freshness of each memory, compared with the files as they are now. Memories beyond the limit are left out.
///
/// # Errors
///
/// When the store cannot be read.
pub fn freshness(
    store: &Store,
    project: ProjectId,
    root: &Path,
    memories: &[MemoryId],
    patience: Option<FreshnessLimit>,
) -> Result<HashMap<MemoryId, Freshness>, StoreError> {
    let mut files: HashMap<String, AnchoredFile> = HashMap::new();
    let mut states = HashMap::new();
    'memories: for memory in memories {
        let mut judged = Vec::new();
        for anchor in store.code().anchors(*memory)? {
            let Some(hash) = anchor.hash else { continue };
            if !files.contains_key(&anchor.path) {
                if patience.is_some_and(|patience| patience.is_over(files.len())) {
                    // A later memory may need only files that were read already.
                    continue 'memories;
                }
                files.insert(anchor.path.clone(), find(store, project, root, &anchor.path)?);
            }
            if let Some(found) = files.get(&anchor.path) {
                judged.push(found.judge(anchor.symbol.as_deref(), hash));
            }
        }
        states.insert(*memory, of_all(&judged));
    }
    Ok(states)
}

/// Returns the freshness of every anchor of a memory, in the order of the store; `None` for an anchor that was not checked.
///
/// # Errors
///
/// When the store cannot be read.
pub fn freshness_of_anchors(
    store: &Store,
    project: ProjectId,
    root: &Path,
    memory: MemoryId,
) -> Result<Vec<Option<Freshness>>, StoreError> {
    let judge = |anchor: Anchor| -> Result<Option<Freshness>, StoreError> {
        let Some(hash) = anchor.hash else { return Ok(None) };
        Ok(Some(find(store, project, root, &anchor.path)?.judge(anchor.symbol.as_deref(), hash)))
    };
    store.code().anchors(memory)?.into_iter().map(judge).collect()
}

/// Moves the anchors of renamed files to their new paths, as git reports them. Returns which were moved.
///
/// Asks git only where an anchored file is gone. Meant for the end of a turn or a session, not for a hook that answers.
///
/// # Errors
///
/// When the store cannot be read or written.
pub fn follow_renames(
    store: &mut Store,
    project: ProjectId,
    root: &Path,
    redactor: &Redactor,
    deadline: Duration,
) -> Result<Vec<FileRename>, StoreError> {
    let is_gone = |path: &String| matches!(source::locate(root, path), Located::Gone);
    let gone: Vec<String> = store.code().anchored_files(project)?.into_iter().filter(is_gone).collect();
    if gone.is_empty() {
        return Ok(Vec::new());
    }
    let renames = git::renames(root, deadline);
    let mut moved = Vec::new();
    for from in gone {
        // A path that holds a secret is not stored: the anchor stays where it was.
        let Some(now) = name_now(root, &renames, &from) else { continue };
        let to = redactor.scrub(&now);
        if *to == now {
            store.code_mut().move_anchors(project, &from, &to)?;
            moved.push(FileRename { from, to: now });
        }
    }
    Ok(moved)
}

/// Follows the names of a file to one that is there.
fn name_now(root: &Path, renames: &[FileRename], from: &str) -> Option<String> {
    let mut name = from;
    for _ in 0..MOST_RENAMES {
        name = &renames.iter().find(|rename| rename.from == name)?.to;
        if matches!(source::locate(root, name), Located::File(_)) {
            return Some(name.to_owned());
        }
    }
    None
}

/// A file as it is now.
enum AnchoredFile {
    There { content_hash: Option<Digest>, symbols: Option<Vec<Symbol>> },
    Gone,
}

fn find(store: &Store, project: ProjectId, root: &Path, path: &str) -> Result<AnchoredFile, StoreError> {
    Ok(match source::read(root, path) {
        SourceFile::Gone => AnchoredFile::Gone,
        SourceFile::Elsewhere => AnchoredFile::There { content_hash: None, symbols: None },
        SourceFile::Unreadable(_) => {
            AnchoredFile::There { content_hash: source::content_hash(root, path), symbols: None }
        }
        SourceFile::Text { text, content_hash } => {
            let known =
                store.code().file_map(project, path)?.filter(|known| known.content_hash == content_hash);
            let read = || symbols(Language::from_path(path)?, &text).ok();
            let symbols = known.map(|known| known.symbols).or_else(read);
            AnchoredFile::There { content_hash: Some(content_hash), symbols }
        }
    })
}

impl AnchoredFile {
    fn judge(&self, symbol: Option<&str>, hash: Digest) -> Freshness {
        let AnchoredFile::There { content_hash, symbols } = self else { return Freshness::Gone };
        let Some(name) = symbol else {
            return if *content_hash == Some(hash) { Freshness::Fresh } else { Freshness::Changed };
        };
        // A file that could be mapped then and cannot now has changed.
        let Some(symbols) = symbols else { return Freshness::Changed };
        let named: Vec<&Symbol> = symbols.iter().filter(|symbol| symbol.qualified_name == name).collect();
        if named.is_empty() {
            Freshness::Gone
        } else if named.iter().any(|symbol| symbol.body_hash == hash) {
            Freshness::Fresh
        } else {
            Freshness::Changed
        }
    }
}

fn of_all(judged: &[Freshness]) -> Freshness {
    let all = |freshness| judged.iter().all(|judged| *judged == freshness);
    if all(Freshness::Fresh) {
        Freshness::Fresh
    } else if all(Freshness::Gone) {
        Freshness::Gone
    } else {
        Freshness::Changed
    }
}
