//! Reads the cases of the tests, which are text files in `tests/data`.
//!
//! A line `key: value` is an entry; the lines below it that open with `|`, `-` or `+` are its body. A blank line ends a case, `#`
//! opens a comment. `␛` and `␍` stand for escape and carriage return, which an editor does not show.

use std::fs;
use std::path::Path;

/// One line of a case with its body.
pub(crate) struct Entry {
    /// File and line.
    pub(crate) at: String,
    pub(crate) key: String,
    pub(crate) value: String,
    body: Vec<(char, String)>,
}

impl Entry {
    /// The value, or the body where it has none.
    pub(crate) fn text(&self) -> String {
        if self.value.is_empty() { self.block('|') } else { self.value.clone() }
    }

    /// The lines of the body that open with a mark.
    pub(crate) fn block(&self, mark: char) -> String {
        let lines = self.body.iter().filter(|(opens, _)| *opens == mark).map(|(_, line)| line.as_str());
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// Entries without a blank line between them.
#[derive(Default)]
pub(crate) struct Case {
    pub(crate) entries: Vec<Entry>,
}

impl Case {
    /// The texts of all entries with a key.
    pub(crate) fn all(&self, key: &str) -> Vec<String> {
        self.entries.iter().filter(|entry| entry.key == key).map(Entry::text).collect()
    }

    /// Says where the entries with a key and what was found differ.
    pub(crate) fn differs(&self, key: &str, found: &[String]) -> Option<String> {
        let wanted = self.all(key);
        let at = &self.entries[0].at;
        (found != wanted).then(|| format!("{at}: {key}\n  found  {found:?}\n  wanted {wanted:?}"))
    }
}

/// Reads the cases of a file. A key that the test does not know is a mistake in the file.
pub(crate) fn cases(file: &str, keys: &[&str]) -> Vec<Case> {
    let mut cases = vec![Case::default()];
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(file);
    for (number, line) in fs::read_to_string(&path).unwrap().lines().enumerate() {
        let at = format!("{file}:{}", number + 1);
        let case = cases.last_mut().unwrap();
        if line.is_empty() {
            cases.push(Case::default());
        } else if let Some(body) = line.strip_prefix(['|', '-', '+']) {
            let entry = case.entries.last_mut().unwrap_or_else(|| panic!("{at}: the body of nothing"));
            entry.body.push((line.chars().next().unwrap(), plain(body.strip_prefix(' ').unwrap_or(body))));
        } else if !line.starts_with('#') {
            let (key, value) = line.split_once(':').unwrap_or_else(|| panic!("{at}: no key"));
            assert!(keys.contains(&key), "{at}: unknown key `{key}`");
            let value = plain(value.strip_prefix(' ').unwrap_or(value));
            case.entries.push(Entry { at, key: key.to_owned(), value, body: Vec::new() });
        }
    }
    cases.retain(|case| !case.entries.is_empty());
    assert!(!cases.is_empty(), "{file} holds no case");
    cases
}

fn plain(line: &str) -> String {
    line.replace('␛', "\u{1b}").replace('␍', "\r")
}

/// Fails with every line there is.
pub(crate) fn assert_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}
