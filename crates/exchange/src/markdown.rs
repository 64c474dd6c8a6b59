//! One memory as a Markdown document, for people and for git: its title a heading, its text below, the rest above in front matter.
//!
//! A document can be edited, and a new one written by hand with nothing but a title and a text; both are read as a [`MemoryRecord`]. See
//! `docs/design/0012-export.md`. Not here: which file a document is in (`layout`).

mod front_matter;
pub(crate) mod layout;

use crate::record::MemoryRecord;
use crate::yaml::write_field;
use backstory_memory::{digest, title_from};
use serde_json::{Map, Value};

/// The fields that come first; the rest follows in the order of the alphabet.
const FIRST: [&str; 14] = [
    "uid",
    "kind",
    "category",
    "created_at",
    "updated_at",
    "host",
    "session",
    "provenance",
    "importance",
    "confidence",
    "pinned",
    "files",
    "concepts",
    "facts",
];
/// Values that are not written, because `import` assumes them.
const DEFAULTS: [(&str, &str); 4] =
    [("scope", "\"project\""), ("pinned", "false"), ("times_seen", "1"), ("times_used", "0")];
/// The field that shows whether the document was edited since it was written.
const CHECKSUM: &str = "checksum: ";

/// A document that was read.
#[derive(Clone, Debug)]
pub(crate) struct MarkdownDocument {
    /// What it says.
    pub(crate) record: MemoryRecord,
    /// Whether it differs from what an export wrote.
    pub(crate) is_edited: bool,
}

/// What is wrong with a document, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DocumentError {
    pub(crate) line: u64,
    pub(crate) error: String,
}

/// Writes a memory as a document. Its project is named by the folder's own file.
pub(crate) fn write_document(record: &MemoryRecord) -> Result<String, serde_json::Error> {
    let mut fields = fields_of(record)?;
    ["project", "project_keys", "project_path"].iter().for_each(|key| drop(fields.remove(*key)));
    fields.retain(|key, value| !DEFAULTS.contains(&(key.as_str(), value.to_string().as_str())));
    let (title, body) = (
        record.content.title.as_deref().unwrap_or_default(),
        record.content.body.as_deref().unwrap_or_default(),
    );
    let mut text = String::new();
    if is_heading(title) {
        fields.remove("title");
        text.push_str(&format!("\n# {title}\n"));
    }
    if body == title {
        fields.remove("body");
    } else if is_prose(body) {
        fields.remove("body");
        text.push_str(&format!("\n{body}\n"));
    }
    let head = head(fields);
    let checksum = checksum(&head, &text);
    Ok(format!("---\n{head}{CHECKSUM}{checksum}\n---\n{text}"))
}

/// Writes the file that names a folder's project.
pub(crate) fn write_project_file(record: &MemoryRecord) -> Result<String, serde_json::Error> {
    let project = MemoryRecord {
        project: record.project.clone(),
        project_keys: record.project_keys.clone(),
        ..MemoryRecord::default()
    };
    let name = title_from(project.project.as_deref().unwrap_or_default());
    let text = "What is remembered of this project, one memory a file. `backstory import --trust user` takes the folder in: a text that was edited\n\
        revises its memory, and a new file, with a heading for the title and a text below it, becomes one.";
    Ok(format!("---\n{}---\n\n# {name}\n\n{text}\n", head(fields_of(&project)?)))
}

fn fields_of(record: &MemoryRecord) -> Result<Map<String, Value>, serde_json::Error> {
    match serde_json::to_value(record)? {
        Value::Object(fields) => Ok(fields),
        _ => Ok(Map::new()),
    }
}

fn head(mut fields: Map<String, Value>) -> String {
    let mut head = String::new();
    for key in FIRST {
        if let Some(value) = fields.remove(key) {
            write_field(&mut head, key, &value);
        }
    }
    fields.iter().for_each(|(key, value)| write_field(&mut head, key, value));
    head
}

fn checksum(head: &str, text: &str) -> String {
    digest([head.as_bytes(), text.as_bytes()]).to_string()
}

/// Whether a title can stand as a heading and be read back as it is.
fn is_heading(title: &str) -> bool {
    !title.is_empty() && title_from(title) == title && !title.chars().any(char::is_control)
}

/// Whether a body can stand as text: an editor may change white space at its ends, git what is not text, and a merge leaves marks.
fn is_prose(body: &str) -> bool {
    let is_text = |c: char| !c.is_control() || matches!(c, '\n' | '\t');
    !body.is_empty() && body.trim() == body && body.chars().all(is_text) && conflict(body).is_none()
}

/// Returns the line, from 0, where a merge has left both sides of a conflict.
fn conflict(text: &str) -> Option<usize> {
    text.split('\n').position(|line| line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> "))
}

/// Reads a document.
pub(crate) fn read_document(text: &str) -> Result<MarkdownDocument, DocumentError> {
    let text = text.trim_start_matches('\u{feff}');
    // If the head ends its lines with `\r\n`, git or an editor has changed every line end of the file, which is no edit.
    let all_lines_end_so = text.starts_with("---\r\n") || !text.starts_with("---\n");
    let text = if all_lines_end_so { text.replace("\r\n", "\n") } else { text.to_owned() };
    if let Some(at) = conflict(&text) {
        return Err(DocumentError { line: at as u64 + 1, error: "an unresolved merge conflict".to_owned() });
    }
    let (head, text) = match text.strip_prefix("---\n") {
        Some(rest) => split_head(rest)?,
        None => ("", text.as_str()),
    };
    let checksum_line = head.split('\n').find(|line| line.starts_with(CHECKSUM));
    // The checksum covers everything but its own line.
    let summed = checksum_line.map(|line| head.replacen(&format!("{line}\n"), "", 1));
    let is_edited =
        summed.is_none_or(|summed| Some(checksum(&summed, text)) != checksum_line.and_then(after_key));
    let mut fields = front_matter::read(head, 2)?;
    let text = text.trim_start();
    let (title, body) = match text.strip_prefix("# ") {
        Some(rest) if !fields.contains_key("title") => rest.split_once('\n').unwrap_or((rest, "")),
        _ => ("", text),
    };
    for (key, text) in [("title", title.trim()), ("body", body.trim())] {
        if !text.is_empty() {
            fields.insert(key.to_owned(), Value::String(text.to_owned()));
        }
    }
    let record = serde_json::from_value(Value::Object(fields))
        .map_err(|error| DocumentError { line: 1, error: format!("not a memory: {error}") })?;
    Ok(MarkdownDocument { record, is_edited })
}

fn after_key(line: &str) -> Option<String> {
    line.strip_prefix(CHECKSUM).map(|hash| hash.trim().to_owned())
}

/// Divides a text after its first `---` into the head, with the end of its last line, and what follows.
fn split_head(rest: &str) -> Result<(&str, &str), DocumentError> {
    if let Some(text) = rest.strip_prefix("---\n") {
        return Ok(("", text));
    }
    let unended = || DocumentError {
        line: 1,
        error: "front matter without an end: a line `---` is missing".to_owned(),
    };
    match rest.find("\n---\n") {
        Some(at) => rest.get(..=at).zip(rest.get(at + "\n---\n".len()..)).ok_or_else(unended),
        None => Ok((rest.strip_suffix("---").filter(|head| head.ends_with('\n')).ok_or_else(unended)?, "")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn record(value: Value) -> MemoryRecord {
        serde_json::from_value(value).unwrap()
    }

    fn fields(record: &MemoryRecord) -> Value {
        serde_json::to_value(record).unwrap()
    }

    #[test]
    fn a_document_reads_like_one() {
        let memory = record(
            json!({"uid": "u-1", "kind": "decision", "title": "Use WAL", "body": "It is faster.\n\n- no lock",
            "created_at": "2026-05-01T12:00:00Z", "provenance": "user", "scope": "project", "pinned": false, "times_seen": 2, "times_used": 0,
            "files": ["src/store.rs", "- odd"], "facts": ["WAL needs: a local disk"], "confidence": 0.59, "category": "on",
            "project": "not written here"}),
        );
        let text = write_document(&memory).unwrap();
        let (head, checksum_and_text) = text.split_once("checksum: ").unwrap();
        insta::assert_snapshot!(head, @r#"
        ---
        uid: u-1
        kind: decision
        category: "on"
        created_at: 2026-05-01T12:00:00Z
        provenance: user
        confidence: 0.59
        files:
          - src/store.rs
          - "- odd"
        facts:
          - "WAL needs: a local disk"
        times_seen: 2
        "#);
        assert_eq!(
            checksum_and_text.split_once('\n').unwrap().1,
            "---\n\n# Use WAL\n\nIt is faster.\n\n- no lock\n"
        );
    }

    #[test]
    fn a_document_by_hand_needs_a_title_or_a_text() {
        let check = |text: &str, expected: Value| {
            assert_eq!(fields(&read_document(text).unwrap().record), expected, "{text}");
        };
        check("# A title\n\nA text\n", json!({"title": "A title", "body": "A text"}));
        check("\r\n# A title\r\n\r\nOne\r\nTwo\r\n", json!({"title": "A title", "body": "One\nTwo"}));
        check("Only a text", json!({"body": "Only a text"}));
        check(
            "---\n# a note\nkind: decision\nfiles: [a.rs, b.rs]\nfacts: 'one: fact'\npinned: true\n---\n# T\n",
            json!({"kind": "decision", "files": ["a.rs", "b.rs"], "facts": ["one: fact"], "pinned": true, "title": "T"}),
        );
        check("---\n---\nText", json!({"body": "Text"}));
        check("---\nkind: note\n---", json!({"kind": "note"}));
    }

    #[test]
    fn an_error_names_its_line() {
        let check = |text: &str, line: u64, error: &str| {
            assert_eq!(
                read_document(text).unwrap_err(),
                DocumentError { line, error: error.to_owned() },
                "{text}"
            );
        };
        check("---\nkind: note\n", 1, "front matter without an end: a line `---` is missing");
        check("---\nkind: note\nwhat\n---\n", 3, "`key: value` is wanted");
        check("---\n\nkind: note\nkind: note\n---\n", 4, "`kind` stands here twice");
        check("---\n- a\n---\n", 2, "a list item without a key");
        check("---\nimportance: high\n---\n", 2, "`importance: high` is not a number, or true or false");
        check("---\nkind: \"note\n---\n", 2, "`\"note` has a quote without an end");
        check("# T\n\n<<<<<<< HEAD\na\n", 3, "an unresolved merge conflict");
    }

    #[test]
    fn an_edit_is_noticed_and_other_line_ends_are_none() {
        let text = write_document(&record(json!({"uid": "u", "title": "T", "body": "One\nTwo"}))).unwrap();
        assert!(!read_document(&text).unwrap().is_edited);
        assert!(!read_document(&text.replace('\n', "\r\n")).unwrap().is_edited);
        assert!(read_document(&text.replace("Two", "Three")).unwrap().is_edited);
        assert!(read_document(&text.replace("uid: u", "uid: v")).unwrap().is_edited);
    }

    /// Texts that begin and end in odd ways, hold what Markdown, YAML and merges mean something by, or anything at all.
    fn any_text() -> impl Strategy<Value = String> {
        let odd = [
            "---",
            "# ",
            "\n",
            "\r\n",
            "- ",
            ": ",
            "\"",
            "'",
            "<<<<<<< ",
            "{",
            "[",
            " ",
            "\u{1b}",
            "\u{feff}",
            "word",
            "true",
            "12",
            "checksum: ",
        ];
        let part = prop_oneof![prop::sample::select(odd.to_vec()).prop_map(str::to_owned), any::<String>()];
        prop::collection::vec(part, 0..6).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn whatever_a_memory_says_is_read_back_from_its_document(
            texts in prop::collection::vec(any_text(), 5),
            lists in prop::collection::vec(prop::collection::vec(any_text(), 0..3), 3),
            confidence in 0.0..=1.0,
        ) {
            let [title, body, session, wording, symbol] = texts.try_into().unwrap();
            let [files, facts, relates]: [Vec<String>; 3] = lists.try_into().unwrap();
            let memory = record(json!({"uid": "u", "title": title, "body": body, "session": session, "confidence": confidence,
                "files": files, "facts": facts, "relates": relates, "anchors": [{"file": "x", "symbol": symbol}],
                "revisions": [{"title": wording, "until": "2026-05-01T12:00:00Z"}]}));
            let text = write_document(&memory).unwrap();
            let document = read_document(&text).unwrap();
            prop_assert!(!document.is_edited);
            let mut expected = fields(&memory);
            if title == body {
                // Read as its title, which is what it says.
                expected.as_object_mut().unwrap().remove("body");
            }
            if relates.is_empty() {
                // None are as good as an empty list of them.
                expected.as_object_mut().unwrap().remove("relates");
            }
            let mut read_back = fields(&document.record);
            if relates.is_empty() {
                read_back.as_object_mut().unwrap().remove("relates");
            }
            prop_assert_eq!(read_back, expected);
            prop_assert_eq!(write_document(&document.record).unwrap(), text);
        }

        #[test]
        fn no_text_at_all_breaks_the_reader(text in any_text()) {
            drop(read_document(&text));
            drop(read_document(&format!("---\n{text}\n---\n{text}")));
        }
    }
}
