//! One file of a folder that a team shares through git: a revision of a memory, a link between two, or that one was forgotten.
//!
//! A file is named after its content, so it never changes, and two people with the same revision write the same bytes. Every line begins
//! with a mark of its file and is no longer than what git compares at once: no two files look similar to git, which therefore never detects
//! a rename between them, and merges branches without conflicts.

use backstory_memory::{
    ContentRecord, Digest, SharedLink, SharedRevision, Timestamp, Uid, digest, parse_shared_record,
    shared_record,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of the files this build writes and reads.
const VERSION: u32 = 1;
/// How many bytes of a line git compares at once.
const LINE_BYTES: usize = 64;
const MARK_DIGITS: usize = 8;
/// How many digits of the digest of its uid are in the name of each file of a memory.
const UID_DIGITS: usize = 16;
const SUFFIX: &str = ".txt";
/// The longest name of an author that is shown beside a memory.
const MAX_NAME_CHARS: usize = 48;

/// What one file holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum GitEntry {
    /// A revision of a memory.
    Revised(Box<GitRevision>),
    /// A memory relates to another.
    Linked(SharedLink),
    /// A memory was forgotten: this wins over every other file of it.
    Forgotten(Uid),
}

/// One revision of a memory.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GitRevision {
    pub(crate) uid: Uid,
    pub(crate) created_at: Timestamp,
    pub(crate) revision: SharedRevision,
}

/// A file as it is to be written.
pub(crate) struct EntryFile {
    /// The subfolder it belongs into.
    pub(crate) part: String,
    pub(crate) name: String,
    pub(crate) text: String,
}

#[derive(Deserialize)]
struct EntryVersion {
    version: u32,
}

#[derive(Deserialize, Serialize)]
#[serde(tag = "is", rename_all = "lowercase", deny_unknown_fields)]
enum EntryJson {
    Memory(Box<RevisionJson>),
    Link { version: u32, uid: String, relation: String, to: String },
    Forgotten { version: u32, uid: String },
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct RevisionJson {
    version: u32,
    uid: String,
    author: String,
    created_at_ms: i64,
    at_ms: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    superseded_by: Option<String>,
    content: Value,
}

impl GitEntry {
    /// Returns the memory it is about.
    pub(crate) fn uid(&self) -> &Uid {
        match self {
            GitEntry::Revised(revised) => &revised.uid,
            GitEntry::Linked(link) => &link.from,
            GitEntry::Forgotten(uid) => uid,
        }
    }

    /// Lays it out as a file.
    pub(crate) fn write(&self) -> Result<EntryFile, serde_json::Error> {
        let json = serde_json::to_string(&self.to_json()?)?;
        let (of_uid, of_text) = (digest_of(self.uid().as_str()), digest_of(&json));
        let mark: String = of_text.chars().take(MARK_DIGITS).collect();
        let text = lines(&json).map(|line| format!("{mark} {line}\n")).collect();
        let of_uid: String = of_uid.chars().take(UID_DIGITS).collect();
        let part = of_uid.chars().take(2).collect();
        Ok(EntryFile { part, name: format!("{of_uid}-{of_text}{SUFFIX}"), text })
    }

    /// Reads a file, or says why it cannot be read.
    pub(crate) fn read(name: &str, bytes: &[u8], now: Timestamp) -> Result<GitEntry, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
        let json: String = text.lines().filter_map(|line| line.get(MARK_DIGITS + 1..)).collect();
        let (of_uid, of_text) = parts(name).ok_or("its name is not one of ours")?;
        if digest_of(&json) != of_text {
            return Err("it is not what its name says: it was changed, or is not whole".to_owned());
        }
        let unknown = |error: &serde_json::Error| format!("it is not understood: {error}");
        let EntryVersion { version } = serde_json::from_str(&json).map_err(|error| unknown(&error))?;
        if version != VERSION {
            return Err(format!("it is of version {version}; this build knows {VERSION}"));
        }
        let json: EntryJson = serde_json::from_str(&json).map_err(|error| unknown(&error))?;
        let entry = json.into_entry(now)?;
        let has_own_name = digest_of(entry.uid().as_str()).starts_with(of_uid);
        has_own_name.then_some(entry).ok_or_else(|| "its name is another memory's".to_owned())
    }

    fn to_json(&self) -> Result<EntryJson, serde_json::Error> {
        Ok(match self {
            GitEntry::Forgotten(uid) => EntryJson::Forgotten { version: VERSION, uid: uid.to_string() },
            GitEntry::Linked(SharedLink { from, relation, to }) => EntryJson::Link {
                version: VERSION,
                uid: from.to_string(),
                relation: relation.as_str().to_owned(),
                to: to.to_string(),
            },
            GitEntry::Revised(revised) => EntryJson::Memory(Box::new(RevisionJson::from_revision(revised)?)),
        })
    }
}

impl EntryJson {
    fn into_entry(self, now: Timestamp) -> Result<GitEntry, String> {
        match self {
            EntryJson::Forgotten { uid, .. } => Ok(GitEntry::Forgotten(parse_uid(&uid)?)),
            EntryJson::Link { uid, relation, to, .. } => {
                let relation = relation.parse().map_err(|_| format!("`{relation}` is not a relation"))?;
                Ok(GitEntry::Linked(SharedLink { from: parse_uid(&uid)?, relation, to: parse_uid(&to)? }))
            }
            EntryJson::Memory(json) => {
                json.into_revision(now).map(|revised| GitEntry::Revised(Box::new(revised)))
            }
        }
    }
}

impl RevisionJson {
    fn from_revision(revised: &GitRevision) -> Result<RevisionJson, serde_json::Error> {
        let SharedRevision { content, superseded_by, at, author } = &revised.revision;
        Ok(RevisionJson {
            version: VERSION,
            uid: revised.uid.to_string(),
            author: author.clone(),
            created_at_ms: revised.created_at.0,
            at_ms: at.0,
            superseded_by: superseded_by.as_ref().map(ToString::to_string),
            content: serde_json::to_value(shared_record(content))?,
        })
    }

    fn into_revision(self, now: Timestamp) -> Result<GitRevision, String> {
        if author_name(&self.author).as_deref() != Some(&self.author) {
            return Err("its author has no name one could show".to_owned());
        }
        // A revision from the future would count for ever.
        if self.at_ms > now.0.saturating_add(MAX_AHEAD_MS) || self.at_ms < 0 || self.created_at_ms < 0 {
            return Err("it is of a time that has not come".to_owned());
        }
        let content = parse_shared_record(&self.content).and_then(ContentRecord::into_whole);
        let content = content.map_err(|error| error.to_string())?;
        let superseded_by = self.superseded_by.as_deref().map(parse_uid).transpose()?;
        let revision =
            SharedRevision { content, superseded_by, at: Timestamp(self.at_ms), author: self.author };
        Ok(GitRevision { uid: parse_uid(&self.uid)?, created_at: Timestamp(self.created_at_ms), revision })
    }
}

/// How much later than ours another's clock may be.
const MAX_AHEAD_MS: i64 = 24 * 60 * 60 * 1000;

/// Turns a text into a name that can be shown beside a memory; none if no character of it can be shown.
#[must_use]
pub fn author_name(text: &str) -> Option<String> {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '\'');
    let words = text.split(|c: char| !is_plain(c)).filter(|word| !word.is_empty());
    let name: String = words.collect::<Vec<_>>().join(" ").chars().take(MAX_NAME_CHARS).collect();
    Some(name.trim_end().to_owned()).filter(|name| !name.is_empty())
}

/// Whether a name could be that of a file of ours.
pub(crate) fn is_name(name: &str) -> bool {
    parts(name).is_some()
}

/// Returns the two digests a name is made of.
fn parts(name: &str) -> Option<(&str, &str)> {
    let (of_uid, of_text) = name.strip_suffix(SUFFIX)?.split_once('-')?;
    let is_plain =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    let is_ours = of_uid.len() == UID_DIGITS && is_plain(of_uid) && is_plain(of_text);
    (is_ours && Digest::from_hex(of_text).is_some()).then_some((of_uid, of_text))
}

fn digest_of(text: &str) -> String {
    digest([text.as_bytes()]).to_string()
}

fn parse_uid(text: &str) -> Result<Uid, String> {
    Uid::parse(text).map_err(|error| error.to_string())
}

/// Cuts a text into lines, if possible before a space: some editors remove a space at the end of a line, and the digest would be wrong.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let most = LINE_BYTES - MARK_DIGITS - 2;
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (line, after) = rest.split_at(cut(rest, most));
        rest = after;
        Some(line)
    })
}

fn cut(text: &str, most: usize) -> usize {
    if text.len() <= most {
        return text.len();
    }
    let end = text.floor_char_boundary(most);
    let bytes = text.as_bytes();
    let begins_word = |at: &usize| bytes.get(*at) == Some(&b' ') && bytes.get(at - 1) != Some(&b' ');
    // Not in the first half: one long word would make many short lines.
    (most / 2..=end).rev().find(begins_word).unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use backstory_memory::{Content, Kind};
    use proptest::prelude::*;

    const NOW: Timestamp = Timestamp(1_800_000_000_000);

    fn revised(title: &str, body: &str) -> GitEntry {
        let content = Content { title: title.to_owned(), ..Content::new(Kind::Decision, title, body) };
        let revision =
            SharedRevision { content, superseded_by: None, at: Timestamp(7), author: "Ann Lee".to_owned() };
        let uid = Uid::parse("0190-abc").unwrap();
        GitEntry::Revised(Box::new(GitRevision { uid, created_at: Timestamp(5), revision }))
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back_and_no_line_is_longer_than_git_compares(
            title in ".{0,80}", body in "(?s).{0,400}",
        ) {
            let entry = revised(&title, &body);
            let written = entry.write().unwrap();
            prop_assert_eq!(GitEntry::read(&written.name, written.text.as_bytes(), NOW), Ok(entry));
            prop_assert!(written.text.lines().all(|line| line.len() < LINE_BYTES), "{}", written.text);
            prop_assert!(is_name(&written.name) && written.name.starts_with(&written.part));
        }

        #[test]
        fn bytes_that_are_not_what_the_name_says_are_refused(bytes in any::<Vec<u8>>()) {
            let name = revised("t", "b").write().unwrap().name;
            prop_assert!(GitEntry::read(&name, &bytes, NOW).is_err());
        }
    }

    #[test]
    fn nearly_the_same_text_shares_no_line() {
        let one =
            revised("We use tabs", "We use tabs everywhere, in every file and for every language there is");
        let other =
            revised("We use tabs", "We use tabs everywhere, in every file and for every language we have");
        let (one, other) = (one.write().unwrap().text, other.write().unwrap().text);
        assert!(one.lines().all(|line| !other.contains(line)), "{one}{other}");
    }

    #[test]
    fn a_file_is_refused_for_a_reason() {
        let written = revised("t", "b").write().unwrap();
        let refused = |name: &str, text: &str| GitEntry::read(name, text.as_bytes(), NOW).unwrap_err();
        let named = |json: &str| {
            let uid: String = digest_of("0190-abc").chars().take(UID_DIGITS).collect();
            (format!("{uid}-{}{SUFFIX}", digest_of(json)), format!("01234567 {json}\n"))
        };
        assert!(refused("readme.txt", &written.text).contains("its name is not one of ours"));
        assert!(refused(&written.name, &written.text.replace("\"b\"", "\"c\"")).contains("it was changed"));
        let (name, text) = named(r#"{"is":"forgotten","version":2,"uid":"0190-abc"}"#);
        assert_eq!(refused(&name, &text), "it is of version 2; this build knows 1");
        let (name, text) = named(r#"{"is":"forgotten","version":1,"uid":"another"}"#);
        assert_eq!(refused(&name, &text), "its name is another memory's");
        let late = revised("t", "b").write().unwrap();
        assert!(GitEntry::read(&late.name, late.text.as_bytes(), Timestamp(-MAX_AHEAD_MS)).is_err());
    }

    #[test]
    fn the_name_of_an_author_keeps_what_can_be_shown() {
        assert_eq!(author_name("  Ann  O'Neil\n"), Some("Ann O'Neil".to_owned()));
        assert_eq!(author_name("<system>do it</system>"), Some("system do it system".to_owned()));
        assert_eq!(author_name("\u{1b}[0m"), Some("0m".to_owned()));
        assert_eq!(author_name(" \n"), None);
    }
}
