//! Tracks the symbols a turn added, changed or removed, and stores them.
//!
//! An edited file is compared with its state before the turn: the stored map, if the edits began from it; else the file with the edits
//! undone; else its text at HEAD. If none of these is known, the map is stored and no change is reported. Not here: what the changes
//! mean (`distil`).

use super::source::{self, SourceFile};
use super::{Language, MOST_SYMBOLS, changes, symbols_until, undo};
use crate::{Redactor, git, private};
use backstory_memory::{
    Activity, CodeChange, Digest, Hunk, ProjectId, Redacted, SessionId, Symbol, SymbolChange, Timestamp,
    digest,
};
use backstory_store::{FileMap, FileState, FileUpdate, Store, StoreError};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long git may take to read files at HEAD.
const GIT_PATIENCE: Duration = Duration::from_millis(300);
/// How many files, and how many bytes of them, are read at the end of one turn.
const MOST_FILES: usize = 64;
const MOST_BYTES_AT_ONCE: usize = 2 << 20;
const TOO_MUCH: &str = "too much was edited at once";

/// One file that was edited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditedFile {
    /// Its path relative to the project's root.
    pub path: String,
    /// Whether it was not there before.
    pub is_new: bool,
    /// What was replaced by what, in the order it was done.
    pub hunks: Vec<Hunk>,
}

/// Returns the edited files, each once with all its edits in order.
pub fn edited_files<'a>(activities: impl IntoIterator<Item = &'a Activity>) -> Vec<EditedFile> {
    let mut edited: Vec<EditedFile> = Vec::new();
    for activity in activities {
        let Activity::Edited { file, is_new, hunks } = activity else { continue };
        match edited.iter_mut().find(|edited| edited.path == *file) {
            Some(edited) => edited.hunks.extend_from_slice(hunks),
            None => edited.push(EditedFile { path: file.clone(), is_new: *is_new, hunks: hunks.clone() }),
        }
    }
    edited
}

/// Project and redactor of a turn.
#[derive(Clone, Copy)]
pub struct TrackingContext<'a> {
    /// The project.
    pub project: ProjectId,
    /// Its root.
    pub root: &'a Path,
    /// Takes out secrets: a constant shows its value.
    pub redactor: &'a Redactor,
    /// When to stop reading files: those that are left are noted as not read.
    pub until: Option<Instant>,
}

/// Reads the edited files, keeps their code maps and what the session changed in them, and returns both.
///
/// Files that did not change since they were last read are left out, so doing it again changes and returns nothing. Files that
/// lie elsewhere or are no source are left out too.
///
/// # Errors
///
/// When the store cannot be read or written.
pub fn track(
    store: &mut Store,
    place: TrackingContext<'_>,
    session: SessionId,
    edited: &[EditedFile],
    now: Timestamp,
) -> Result<Vec<FileUpdate>, StoreError> {
    let mut looks = look_at(store, place, edited)?;
    ask_head(place.root, &mut looks);
    // The paths come from redacted events, and the symbols were redacted when they were read.
    let readings = Redacted::vouch(compare_all(looks, place));
    if !readings.is_empty() {
        store.code_mut().record(place.project, session, &readings, now)?;
    }
    Ok(readings.into_inner())
}

/// One edited file, as it is found at the end of the turn.
struct TrackedFile<'a> {
    path: &'a str,
    language: Language,
    now: FileNow,
    before: FileBefore,
}

/// The state of a file now.
enum FileNow {
    Text { text: String, content_hash: Digest },
    Unreadable(&'static str),
    Gone,
}

/// The state of a file before the turn.
enum FileBefore {
    Mapped(Vec<Symbol>),
    Text(String),
    Nothing,
    Unknown,
}

fn look_at<'a>(
    store: &Store,
    place: TrackingContext<'_>,
    edited: &'a [EditedFile],
) -> Result<Vec<TrackedFile<'a>>, StoreError> {
    let mut looks = Vec::new();
    let mut room = MOST_BYTES_AT_ONCE;
    for file in edited {
        let Some(language) = Language::from_path(&file.path) else { continue };
        if looks.len() >= MOST_FILES {
            let now = FileNow::Unreadable(TOO_MUCH);
            looks.push(TrackedFile { path: &file.path, language, now, before: FileBefore::Unknown });
            continue;
        }
        let now = match source::read(place.root, &file.path) {
            SourceFile::Elsewhere => continue,
            SourceFile::Gone => FileNow::Gone,
            SourceFile::Unreadable(reason) => FileNow::Unreadable(reason),
            SourceFile::Text { text, .. } if text.len() > room => FileNow::Unreadable(TOO_MUCH),
            SourceFile::Text { text, content_hash } => FileNow::Text { text, content_hash },
        };
        let known = store.code().file_map(place.project, &file.path)?;
        if let (FileNow::Text { content_hash, .. }, Some(known)) = (&now, &known)
            && *content_hash == known.content_hash
        {
            continue;
        }
        if let FileNow::Text { text, .. } = &now {
            room -= text.len();
        }
        let before = before(file, &now, known);
        looks.push(TrackedFile { path: &file.path, language, now, before });
    }
    Ok(looks)
}

fn before(file: &EditedFile, now: &FileNow, known: Option<FileMap>) -> FileBefore {
    let undone = match now {
        FileNow::Text { text, .. } => undo(text, &file.hunks),
        FileNow::Unreadable(_) | FileNow::Gone => None,
    };
    // Somebody else may have changed the file since its map was made: the user, a pull, another work tree.
    let is_of = |known: &FileMap, text: &String| known.content_hash == digest([text.as_bytes()]);
    match (known, undone) {
        (Some(known), Some(text)) if !is_of(&known, &text) => FileBefore::Text(text),
        (Some(known), _) => FileBefore::Mapped(known.symbols),
        (None, _) if file.is_new => FileBefore::Nothing,
        (None, Some(text)) => FileBefore::Text(text),
        (None, None) => FileBefore::Unknown,
    }
}

/// Asks git once for all files whose earlier state is not known otherwise.
fn ask_head(root: &Path, looks: &mut [TrackedFile<'_>]) {
    let is_open = |look: &TrackedFile<'_>| {
        matches!((&look.before, &look.now), (FileBefore::Unknown, FileNow::Text { .. } | FileNow::Gone))
    };
    let paths: Vec<&str> = looks.iter().filter(|look| is_open(look)).map(|look| look.path).collect();
    let mut blobs = git::head_blobs(root, &paths, GIT_PATIENCE);
    for look in looks.iter_mut().filter(|look| is_open(look)) {
        if let Some(text) = blobs.remove(look.path) {
            look.before = FileBefore::Text(private::strip(&text).into_owned());
        }
    }
}

/// Compares files in parallel, because parsing takes nearly all of the time.
fn compare_all(looks: Vec<TrackedFile<'_>>, place: TrackingContext<'_>) -> Vec<FileUpdate> {
    let mut readings = Vec::new();
    let mut left = looks.into_iter();
    loop {
        let batch: Vec<TrackedFile<'_>> = left.by_ref().take(AT_ONCE).collect();
        if batch.is_empty() {
            return readings;
        }
        readings.extend(compare_batch(batch, place));
    }
}

fn compare_batch(batch: Vec<TrackedFile<'_>>, place: TrackingContext<'_>) -> Vec<FileUpdate> {
    std::thread::scope(|scope| {
        let start = |look| {
            std::thread::Builder::new().spawn_scoped(scope, move || TrackedFile::compare(look, place)).ok()
        };
        // A file whose comparison panicked counts as not edited.
        let readers: Vec<_> = batch.into_iter().map(start).collect();
        readers.into_iter().flatten().filter_map(|reader| reader.join().ok()).collect()
    })
}

/// How many files are compared in parallel.
const AT_ONCE: usize = 4;

impl TrackedFile<'_> {
    fn compare(self, place: TrackingContext<'_>) -> FileUpdate {
        let read = |text: &str| {
            let found = symbols_until(self.language, text, place.until);
            found.map(|symbols| scrubbed(symbols, text, place.redactor))
        };
        let now = match self.now {
            FileNow::Gone => FileState::Gone,
            FileNow::Unreadable(reason) => FileState::Unmapped(reason.to_owned()),
            FileNow::Text { text, content_hash } => match read(&text) {
                Ok(symbols) => FileState::Mapped(FileMap { content_hash, symbols }),
                Err(reason) => FileState::Unmapped(reason.to_string()),
            },
        };
        let before = match self.before {
            FileBefore::Mapped(symbols) => Some(symbols),
            FileBefore::Text(text) => read(&text).ok(),
            FileBefore::Nothing => Some(Vec::new()),
            FileBefore::Unknown => None,
        };
        let changes = match (&before, &now) {
            (None, _) | (_, FileState::Unmapped(_)) => Vec::new(),
            (Some(before), FileState::Gone) => sure_changes(before, &[]),
            (Some(before), FileState::Mapped(map)) => sure_changes(before, &map.symbols),
        };
        FileUpdate { path: self.path.to_owned(), state: now, changes }
    }
}

/// Leaves out symbols that may only have moved across the end of a full map.
fn sure_changes(before: &[Symbol], after: &[Symbol]) -> Vec<CodeChange> {
    let is_full = |symbols: &[Symbol]| symbols.len() >= MOST_SYMBOLS;
    let is_sure = |change: &CodeChange| match change.change {
        SymbolChange::New => !is_full(before),
        SymbolChange::Modified => true,
        SymbolChange::Deleted => !is_full(after),
    };
    changes(before, after).into_iter().filter(is_sure).collect()
}

fn scrubbed(mut symbols: Vec<Symbol>, source: &str, redactor: &Redactor) -> Vec<Symbol> {
    for symbol in &mut symbols {
        // A cut signature may hold half a secret, which no rule recognises, so only the name is kept.
        if symbol.signature.ends_with('…') && declares_a_secret(symbol, source, redactor) {
            symbol.signature.clone_from(&symbol.qualified_name);
        }
        for text in [&mut symbol.qualified_name, &mut symbol.signature] {
            *text = redactor.scrub(text).into_inner();
        }
    }
    symbols
}

/// Whether the lines a symbol stands on hold a secret.
fn declares_a_secret(symbol: &Symbol, source: &str, redactor: &Redactor) -> bool {
    let lines = symbol.last_line.saturating_sub(symbol.first_line) + 1;
    let whole: Vec<&str> =
        source.lines().skip(symbol.first_line.saturating_sub(1)).take(lines.min(64)).collect();
    !redactor.redact(&whole.join("\n")).found.is_empty()
}
