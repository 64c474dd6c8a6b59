//! Lists and reads the files of the data directory.

use super::{LoreRecord, LoreSink};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

const BAD_JSON: &str = "bad JSON";
const TOO_LONG: &str = "too long";

/// Nobody writes a longer line or a longer file by hand.
const LONGEST: u64 = 32 << 20;

/// The folders that hold records.
const FOLDERS: &[&str] = &[
    "journal/data",
    "patterns/data",
    "failures/data",
    "inbox/data",
    "evidence/data",
    "intent/data/goals",
    "transfer/data/sessions",
    "graph/data",
];

/// Returns how long all files are together, and a fingerprint that changes when one of them does.
pub(super) fn fingerprint(root: &Path) -> (u64, String) {
    let (mut count, mut bytes, mut newest) = (0, 0, 0);
    for path in FOLDERS.iter().flat_map(|folder| in_folder(&root.join(folder), "")) {
        let Ok(metadata) = path.metadata() else { continue };
        let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        count += 1;
        bytes += metadata.len();
        newest = newest.max(modified.map_or(0, |time| time.as_millis()));
    }
    (bytes, format!("{count} {bytes} {newest}"))
}

/// Returns the files of a folder whose names end so, in the order of their names.
pub(super) fn in_folder(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_file() && path.to_str().is_some_and(|name| name.ends_with(ending)))
        .collect();
    paths.sort();
    paths
}

/// Reads a file of records line by line: the latest version of each, in the order they were first written.
pub(super) fn latest(path: &Path, take: &mut LoreSink<'_>) -> Vec<LoreRecord> {
    let Some(file) = File::open(path).ok().filter(|_| path.is_file()) else { return Vec::new() };
    let mut file = BufReader::new(file);
    let mut records: Vec<LoreRecord> = Vec::new();
    let mut places = std::collections::HashMap::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut file).take(LONGEST).read_until(b'\n', &mut line).unwrap_or(0);
        if read == 0 {
            return records;
        }
        if read as u64 == LONGEST && line.last() != Some(&b'\n') {
            take(Err(TOO_LONG));
            // Where the rest cannot be read there is no next line either, and the loop ends there.
            drop(file.skip_until(b'\n'));
            continue;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let Ok(record) = serde_json::from_slice::<LoreRecord>(&line) else {
            take(Err(BAD_JSON));
            continue;
        };
        let older =
            super::text(&record, "id").map(|id| *places.entry(id.to_owned()).or_insert(records.len()));
        match older.and_then(|older| records.get_mut(older)) {
            Some(older) => *older = record,
            None => records.push(record),
        }
    }
}

/// Reads a whole file, where it is one a person could have written.
pub(super) fn whole(path: &Path) -> Option<String> {
    let metadata = path.metadata().ok().filter(fs::Metadata::is_file)?;
    let bytes = if metadata.len() <= LONGEST { fs::read(path).ok()? } else { return None };
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads the files of sessions: what could not be read is an error in its place. The files lore
/// compresses them to repeat the same.
pub(super) fn sessions(root: &Path) -> Vec<Result<LoreRecord, &'static str>> {
    let paths = in_folder(&root.join("transfer/data/sessions"), ".json");
    let originals = paths.iter().filter(|path| {
        !path
            .to_str()
            .is_some_and(|name| name.ends_with(".compressed.json") || name.ends_with("session-example.json"))
    });
    let read = |path: &PathBuf| {
        let text = whole(path).ok_or(TOO_LONG)?;
        serde_json::from_str::<LoreRecord>(&text).map_err(|_| BAD_JSON)
    };
    originals.map(read).collect()
}
