//! Reads small files of unknown origin, and writes paths as text.

use backstory_platform::{path_bytes, path_from_bytes, stored_path};
use std::borrow::Cow;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Reads the first `limit` bytes of a regular file.
///
/// Anything else is `None`: opening a pipe would make the host wait until a process writes to it.
pub(crate) fn read_head(path: &Path, limit: u64) -> Option<Vec<u8>> {
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(limit).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Writes a path as text; different paths always give different text.
///
/// A byte that is not UTF-8 becomes `\xNN`, and a backslash is doubled to keep the two apart.
pub(super) fn path_text(path: &Path) -> String {
    use std::fmt::Write as _;
    let path = stored_path(path);
    let bytes = path_bytes(&path);
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(&chunk.valid().replace('\\', r"\\"));
        for byte in chunk.invalid() {
            write!(text, r"\x{byte:02x}").expect("writing to a string does not fail");
        }
    }
    text
}

/// Reads a path from the bytes of a git file.
pub(super) fn path_from(bytes: &[u8]) -> PathBuf {
    path_from_bytes(bytes.to_vec())
}

/// Returns the last component of a path without `.git`, if anything is left.
pub(super) fn base_name(path: &Path) -> Option<String> {
    let name = path_text(Path::new(path.file_name()?));
    let base = name.strip_suffix(".git").unwrap_or(&name);
    (!base.is_empty()).then(|| base.to_owned())
}

/// Decodes `%NN`, and leaves everything else as it is.
pub(super) fn percent_decoded(bytes: &[u8]) -> Cow<'_, [u8]> {
    if !bytes.contains(&b'%') {
        return Cow::Borrowed(bytes);
    }
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&first, tail)) = rest.split_first() {
        match (first, escaped_byte(tail)) {
            (b'%', Some((byte, tail))) => {
                decoded.push(byte);
                rest = tail;
            }
            _ => {
                decoded.push(first);
                rest = tail;
            }
        }
    }
    Cow::Owned(decoded)
}

/// Reads the two hexadecimal digits after a percent sign, and returns what comes after them.
pub(super) fn escaped_byte(digits: &[u8]) -> Option<(u8, &[u8])> {
    let (&[high, low], rest) = digits.split_first_chunk()?;
    let value = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    Some((value(high)? * 16 + value(low)?, rest))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn two_paths_are_never_written_alike() {
        let check = |bytes: &[u8], text: &str| assert_eq!(path_text(&path_from(bytes)), text);
        check("/home/zoë/数".as_bytes(), "/home/zoë/数");
        check(b"/odd/\xff\xfe", r"/odd/\xff\xfe");
        check(br"/odd/\xff", r"/odd/\\xff");
    }

    #[test]
    fn only_whole_sequences_are_decoded() {
        let check =
            |text: &str, expected: &str| assert_eq!(*percent_decoded(text.as_bytes()), *expected.as_bytes());
        check("a%20b%2Fc", "a b/c");
        check("100%", "100%");
        check("%4", "%4");
        check("%+1%zz", "%+1%zz");
    }
}
