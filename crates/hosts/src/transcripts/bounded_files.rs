//! The files of hosts, read with limits: what lies in a folder, the beginning of a file, a short file.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// How much of a file holds the rows that describe it.
pub(crate) const FIRST_ROWS: u64 = 1 << 16;

/// A longer note is none of the host's.
const LONGEST_NOTE: u64 = 1 << 20;

/// Returns what lies in a folder, by name; nothing where it is none.
pub(crate) fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Returns the first bytes of a file as text.
pub(crate) fn beginning(path: &Path, limit: u64) -> Option<String> {
    // A pipe of this name would block.
    path.metadata().ok().filter(fs::Metadata::is_file)?;
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(limit).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the text of a file that hosts keep short.
pub(crate) fn note(path: &Path) -> Option<String> {
    path.metadata().ok().filter(|it| it.is_file() && it.len() < LONGEST_NOTE)?;
    fs::read_to_string(path).ok()
}
