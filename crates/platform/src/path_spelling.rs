//! One spelling for each path, so that a project and its files are known again however a host, git or the system spells them.
//!
//! Stored paths have `/` between their parts. On Windows they are without `\\?\`, and the drive is a small letter. On macOS they are composed
//! (NFC), and without the `/private` that `/tmp`, `/var` and `/etc` lead to. Where the system takes upper and lower case for the same, so does
//! [`path_below`]; the case itself is that of the disk, which [`canonical`] asks. Linux tells all spellings apart, and so do we there.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

/// What one system takes for the same.
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "each system makes one of them, and all are tested everywhere")
)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spelling {
    MacOs,
    Windows,
    Exact,
}

#[cfg(windows)]
const HERE: Spelling = Spelling::Windows;
#[cfg(target_os = "macos")]
const HERE: Spelling = Spelling::MacOs;
#[cfg(not(any(windows, target_os = "macos")))]
const HERE: Spelling = Spelling::Exact;

/// Returns where a path really leads, in a spelling that every program takes: Windows itself would put `\\?\` before it, which git refuses.
pub fn canonical(path: &Path) -> io::Result<PathBuf> {
    let path = path.canonicalize()?;
    Ok(match (HERE, path.to_str()) {
        (Spelling::Windows, Some(text)) => PathBuf::from(without_prefix(text).as_ref()),
        _ => path,
    })
}

/// Returns the spelling of a path that is stored.
#[must_use]
pub fn stored_path(path: &Path) -> Cow<'_, Path> {
    match (HERE, path.to_str()) {
        (Spelling::Exact, _) | (_, None) => Cow::Borrowed(path),
        (here, Some(text)) => Cow::Owned(PathBuf::from(here.stored(text))),
    }
}

/// Returns what is left of a path below a root, with `/` between its parts. The root is one that was stored.
#[must_use]
pub fn path_below(root: &str, path: &str) -> Option<String> {
    HERE.below(root, path)
}

/// Returns how a stored root may be spelled before a path in the output of a program, with the separator that follows it.
#[must_use]
pub fn root_spellings(root: &str) -> Vec<String> {
    HERE.root_spellings(root)
}

/// Whether a text is a path that begins with the letter of a drive, where there are drives.
#[must_use]
pub fn begins_with_drive(text: &str) -> bool {
    HERE == Spelling::Windows && matches!(text.as_bytes(), [drive, b':', ..] if drive.is_ascii_alphabetic())
}

impl Spelling {
    fn stored(self, text: &str) -> String {
        match self {
            Spelling::Exact => text.to_owned(),
            Spelling::MacOs => composed(without_private(text)),
            Spelling::Windows => {
                let text = without_prefix(text).replace('\\', "/");
                match text.split_at_checked(1) {
                    Some((drive, rest)) if rest.starts_with(':') => drive.to_ascii_lowercase() + rest,
                    _ => text,
                }
            }
        }
    }

    fn below(self, root: &str, path: &str) -> Option<String> {
        let path = self.stored(path);
        let (begin, rest) = path.split_at_checked(root.len())?;
        let is_same = match self {
            Spelling::Exact => begin == root,
            Spelling::MacOs | Spelling::Windows => begin.to_lowercase() == root.to_lowercase(),
        };
        rest.strip_prefix('/').filter(|_| is_same).map(str::to_owned)
    }

    fn root_spellings(self, root: &str) -> Vec<String> {
        match self {
            Spelling::Exact => vec![format!("{root}/")],
            Spelling::MacOs => vec![format!("/private{root}/"), format!("{root}/")],
            Spelling::Windows => {
                let (drive, rest) = root.split_at_checked(1).unwrap_or_default();
                let upper = format!("{}{rest}/", drive.to_ascii_uppercase());
                let slashes = [upper, format!("{root}/")];
                let backslashes = slashes.clone().map(|spelled| spelled.replace('/', "\\"));
                // Texts in JSON double them.
                let doubled = backslashes.clone().map(|spelled| spelled.replace('\\', r"\\"));
                doubled.into_iter().chain(backslashes).chain(slashes).collect()
            }
        }
    }
}

/// Takes away what Windows puts before a path that is not to be looked at further.
fn without_prefix(text: &str) -> Cow<'_, str> {
    match (text.strip_prefix(r"\\?\UNC\"), text.strip_prefix(r"\\?\")) {
        (Some(share), _) => Cow::Owned(format!(r"\\{share}")),
        (None, Some(path)) => Cow::Borrowed(path),
        (None, None) => Cow::Borrowed(text),
    }
}

/// Takes away where macOS really keeps its links.
fn without_private(text: &str) -> &str {
    let moved = text.strip_prefix("/private").unwrap_or(text);
    let leads_to = |link: &str| {
        let rest = moved.strip_prefix(link);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    if ["/tmp", "/var", "/etc"].into_iter().any(leads_to) { moved } else { text }
}

/// Composes letters and their accents: git and most programs write them so, the disk may not.
#[cfg(any(target_os = "macos", test))]
fn composed(text: &str) -> String {
    use unicode_normalization::UnicodeNormalization;
    text.nfc().collect()
}

#[cfg(not(any(target_os = "macos", test)))]
fn composed(text: &str) -> String {
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::Spelling::{Exact, MacOs, Windows};
    use super::*;

    #[test]
    fn a_path_has_one_stored_spelling() {
        for (system, written, stored) in [
            (Windows, r"\\?\C:\Users\Ada\work", "c:/Users/Ada/work"),
            (Windows, r"C:\Users\Ada\work", "c:/Users/Ada/work"),
            (Windows, "c:/Users/Ada/work", "c:/Users/Ada/work"),
            (Windows, r"\\?\UNC\server\share\x", "//server/share/x"),
            (Windows, r"\\server\share\x", "//server/share/x"),
            (MacOs, "/private/tmp/x", "/tmp/x"),
            (MacOs, "/private/var", "/var"),
            (MacOs, "/private/varied", "/private/varied"),
            (MacOs, "/Users/ada/cafe\u{301}", "/Users/ada/caf\u{e9}"),
            (Exact, r"/home/ada/a\b", r"/home/ada/a\b"),
            (Exact, "/private/tmp/x", "/private/tmp/x"),
        ] {
            assert_eq!(system.stored(written), stored, "{written}");
            assert_eq!(system.stored(stored), stored, "{stored} stays");
        }
    }

    #[test]
    fn a_file_is_found_below_its_root_as_the_system_finds_it() {
        for (system, root, path, below) in [
            (Windows, "c:/work", r"C:\Work\src\main.rs", Some("src/main.rs")),
            (Windows, "c:/work", r"\\?\C:\work\a", Some("a")),
            (Windows, "c:/work", r"C:\workshop\a", None),
            (Windows, "c:/work", "d:/work/a", None),
            (MacOs, "/tmp/x", "/private/tmp/X/a", Some("a")),
            (MacOs, "/Users/caf\u{e9}", "/Users/cafe\u{301}/a", Some("a")),
            (Exact, "/home/x", "/home/x/a", Some("a")),
            (Exact, "/home/x", "/home/X/a", None),
            (Exact, "/home/x", "/home/x", None),
        ] {
            assert_eq!(system.below(root, path).as_deref(), below, "{path}");
        }
    }

    #[test]
    fn every_spelling_of_a_root_is_taken_out_of_a_text() {
        let all = Windows.root_spellings("c:/work");
        let text = r#"C:\work\a c:/work/b "C:\\work\\c" c:\work\d"#;
        let text = all.iter().fold(text.to_owned(), |text, root| text.replace(root.as_str(), ""));
        assert_eq!(text, r#"a b "c" d"#);
        assert_eq!(Exact.root_spellings("/home/x"), ["/home/x/"]);
        assert_eq!(MacOs.root_spellings("/tmp/x"), ["/private/tmp/x/", "/tmp/x/"]);
    }

    #[test]
    fn what_is_canonical_here_is_found_here() {
        let dir = tempfile::tempdir().unwrap();
        let path = canonical(dir.path()).unwrap();
        assert!(path.is_dir() && !path.to_string_lossy().starts_with(r"\\?\"));
        let stored = stored_path(&path).into_owned();
        assert!(stored.is_dir());
        let below = path_below(stored.to_str().unwrap(), path.join("a").to_str().unwrap());
        assert_eq!(below.as_deref(), Some("a"));
    }
}
