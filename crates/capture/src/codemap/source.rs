//! Reads a file of a project by an untrusted path.
//!
//! Only plain files below the root are read, links resolved, and only up to a limit.

use crate::private;
use backstory_memory::{Digest, digest};
use backstory_platform::canonical;
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

/// The longest source a hook reads.
pub(super) const MOST_BYTES: u64 = 256 * 1024;

/// What lies at a path.
pub(super) enum SourceFile {
    /// A text.
    Text { text: String, content_hash: Digest },
    /// A file that has no code map, and why.
    Unreadable(&'static str),
    /// Nothing now; there may have been a file.
    Gone,
    /// Nothing that belongs to the project.
    Elsewhere,
}

/// Reads a source by its path from the root of the project.
pub(super) fn read(root: &Path, path: &str) -> SourceFile {
    let file = match locate(root, path) {
        Located::File(file) => file,
        Located::Gone => return SourceFile::Gone,
        Located::Elsewhere => return SourceFile::Elsewhere,
    };
    let Some(bytes) = read_all(&file, MOST_BYTES) else {
        let is_long = fs::metadata(&file).is_ok_and(|metadata| metadata.len() > MOST_BYTES);
        return SourceFile::Unreadable(if is_long { "longer than 256 KB" } else { "cannot be read" });
    };
    let content_hash = digest([bytes.as_slice()]);
    match String::from_utf8(bytes) {
        // Private parts are removed before parsing, so that neither their names nor their values are mapped.
        Ok(text) if !text.contains('\0') => {
            SourceFile::Text { text: private::strip(&text).into_owned(), content_hash }
        }
        _ => SourceFile::Unreadable("not text"),
    }
}

/// Returns the text of a file of the project, without its private parts.
pub(crate) fn source_text(root: &Path, path: &str) -> Option<String> {
    match read(root, path) {
        SourceFile::Text { text, .. } => Some(text),
        SourceFile::Unreadable(_) | SourceFile::Gone | SourceFile::Elsewhere => None,
    }
}

/// Returns the digest of a file's bytes, whatever they are, if it is not too long to look at.
pub(super) fn content_hash(root: &Path, path: &str) -> Option<Digest> {
    let Located::File(file) = locate(root, path) else { return None };
    read_all(&file, MOST_BYTES).map(|bytes| digest([bytes.as_slice()]))
}

/// Where a path leads.
pub(super) enum Located {
    /// To a plain file of the project, by its real path.
    File(PathBuf),
    /// To a place in the project where nothing is.
    Gone,
    /// Out of the project, or to what is no file.
    Elsewhere,
}

/// Finds out where a path from the root leads, links followed.
pub(super) fn locate(root: &Path, path: &str) -> Located {
    let is_plain = |component| matches!(component, Component::Normal(_) | Component::CurDir);
    let Ok(root) = canonical(root) else { return Located::Elsewhere };
    if path.is_empty() || !Path::new(path).components().all(is_plain) {
        return Located::Elsewhere;
    }
    let named = root.join(path);
    match canonical(&named) {
        Ok(real) if real.starts_with(&root) && real.is_file() => Located::File(real),
        Err(error) if error.kind() == ErrorKind::NotFound && leads_inside(&root, &named) => Located::Gone,
        _ => Located::Elsewhere,
    }
}

/// Whether the existing part of a path lies below the root. A dangling link does not: its target may be created anywhere.
fn leads_inside(root: &Path, named: &Path) -> bool {
    let there = named.ancestors().find(|path| fs::symlink_metadata(path).is_ok());
    there.and_then(|there| canonical(there).ok()).is_some_and(|real| real.starts_with(root))
}

fn read_all(file: &Path, most: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file).ok()?.take(most + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= most).then_some(bytes)
}
