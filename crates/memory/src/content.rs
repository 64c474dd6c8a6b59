//! What a memory says, and the one shape in which that leaves and enters the program: JSON lines, Markdown, files and rows of teams,
//! `--json`, HTTP and MCP.
//!
//! A new field is added here, in [`Content`], [`ContentRecord`] and the functions between them, and in `store` as a column. Everything
//! that reads or writes whole records follows. Not here: what else a memory has (`memory`), redaction and caps (`capture`).

use crate::{
    Category, Confidence, Details, Digest, Importance, Kind, MemoryScope, Provenance, Timestamp, Tokens,
    UnknownKind, UnknownProvenance, digest, estimate, iso, terms, text, time_from_json,
};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

/// The longest title, in characters.
pub const TITLE_CHARS: usize = 100;

/// A memory's content, before it has a place in a store.
#[derive(Clone, Debug, PartialEq)]
pub struct Content {
    /// What it is about.
    pub kind: Kind,
    /// The finer sort of its kind.
    pub category: Option<Category>,
    /// One line, at most [`TITLE_CHARS`] characters.
    pub title: String,
    /// The whole text.
    pub body: String,
    /// Single statements it holds.
    pub facts: Vec<String>,
    /// The concepts it is about.
    pub concepts: Vec<String>,
    /// The files it is about, relative to the project's root if they are inside it.
    pub files: Vec<String>,
    /// Typed data beside the text, if the memory was distilled.
    pub details: Option<Details>,
    /// How much it matters.
    pub importance: Importance,
    /// How sure we are of it.
    pub confidence: Confidence,
    /// Who said it.
    pub provenance: Provenance,
    /// Whom it is for.
    pub scope: MemoryScope,
    /// Whether the user pinned it.
    pub pinned: bool,
    /// Since when it holds, if not since it was written.
    pub valid_from: Option<Timestamp>,
    /// Until when it holds.
    pub valid_to: Option<Timestamp>,
}

impl Content {
    /// Whether it comes from a file that a host gives to its agent by itself.
    #[must_use]
    pub fn is_of_rules_file(&self) -> bool {
        self.category.as_ref().is_some_and(|category| category.0 == Category::RULES_FILE)
    }

    /// Starts a hand-written memory: certain, trusted, for its project.
    #[must_use]
    pub fn new(kind: Kind, title: &str, body: &str) -> Content {
        Content {
            kind,
            category: None,
            title: text::title_from(title),
            body: body.to_owned(),
            facts: Vec::new(),
            concepts: Vec::new(),
            files: Vec::new(),
            details: None,
            importance: Importance::for_kind(kind),
            confidence: Confidence::CERTAIN,
            provenance: Provenance::User,
            scope: MemoryScope::Project,
            pinned: false,
            valid_from: None,
            valid_to: None,
        }
    }

    /// Returns the tokens of the whole memory, as `show` prints it.
    #[must_use]
    pub fn tokens(&self) -> Tokens {
        let parts = [&self.title, &self.body].into_iter().chain(&self.facts);
        parts.map(|part| estimate(part)).sum()
    }

    /// Returns a digest that does not change with case, punctuation or spacing.
    ///
    /// A tombstone keeps this, and nothing of the text, so that a forgotten memory cannot come back.
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        let words = terms::words(&self.title).chain(terms::words(&self.body)).collect::<Vec<_>>().join(" ");
        digest([words.as_bytes()])
    }
}

/// Declares the shape: one line a field. What is missing is not written.
macro_rules! content_record {
    ($($(#[$attribute:meta])+ $field:ident: $type:ty,)+) => {
        /// What somebody says of a memory. Every field may be missing: it follows from the text, or stays as it is.
        #[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
        #[serde(default)]
        pub struct ContentRecord {
            $($(#[$attribute])+ #[serde(skip_serializing_if = "is_missing")] pub $field: $type,)+
        }

        impl ContentRecord {
            /// Returns every field, missing ones as null or an empty list, for readers who expect all keys.
            #[must_use]
            pub fn to_all_fields(&self) -> Map<String, Value> {
                Map::from_iter([$((stringify!($field).to_owned(), serde_json::json!(self.$field)),)+])
            }
        }
    };
}

content_record! {
    /// Its kind; inferred from the text where it is missing.
    kind: Option<String>,
    /// A word more exact than the kind.
    category: Option<String>,
    /// Its title; the first words of the body where it is missing.
    title: Option<String>,
    /// Its text.
    #[serde(alias = "text")]
    body: Option<String>,
    /// The files it is about.
    files: Vec<String>,
    /// What it has to do with.
    concepts: Vec<String>,
    /// Statements it holds.
    facts: Vec<String>,
    /// Typed facts of its kind: what failed and what fixed it, where the work stands. An unknown shape is skipped.
    #[serde(deserialize_with = "read_details")]
    details: Option<Details>,
    /// 1 to 5.
    importance: Option<i64>,
    /// 0 to 1.
    confidence: Option<f64>,
    /// Who said it.
    provenance: Option<String>,
    /// `project` or `user`.
    scope: Option<String>,
    /// Whether it stays in view.
    pinned: Option<bool>,
    /// From when on it holds.
    valid_from: Option<Value>,
    /// Until when it holds.
    valid_to: Option<Value>,
}

/// Why a record is no content.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ContentError {
    /// It says nothing.
    #[error("a memory needs a title or a body")]
    Empty,
    /// There is no such kind.
    #[error(transparent)]
    Kind(#[from] UnknownKind),
    /// There is no such provenance.
    #[error("unknown provenance")]
    Provenance(#[from] UnknownProvenance),
    /// There is no such scope.
    #[error("`{0}` is not a scope: project or user")]
    Scope(String),
    /// One of its times cannot be read.
    #[error("`{field}: {value}` is not a time")]
    Time {
        /// The field.
        field: &'static str,
        /// What stands there, as JSON.
        value: String,
    },
    /// A record that must be whole is not, or says more than this build knows.
    #[error("not what this build writes: {0}")]
    Foreign(String),
}

impl ContentRecord {
    /// Writes down the whole content.
    #[must_use]
    pub fn from_content(content: &Content) -> ContentRecord {
        let content = content.clone();
        let time = |at: Timestamp| Value::String(iso(at));
        ContentRecord {
            kind: Some(content.kind.to_string()),
            category: content.category.map(|category| category.0),
            title: Some(content.title),
            body: Some(content.body),
            files: content.files,
            concepts: content.concepts,
            facts: content.facts,
            details: content.details,
            importance: Some(content.importance.get().into()),
            confidence: Some(content.confidence.get()),
            provenance: Some(content.provenance.to_string()),
            scope: Some(content.scope.as_str().to_owned()),
            pinned: Some(content.pinned),
            valid_from: content.valid_from.map(time),
            valid_to: content.valid_to.map(time),
        }
    }

    /// Returns the content of a new memory. What the record does not say follows from its text; whatever it claims, `provenance` counts.
    pub fn into_content(self, provenance: Provenance, now: Timestamp) -> Result<Content, ContentError> {
        let body = self.body.clone().or_else(|| self.title.clone()).unwrap_or_default();
        let title = self.title.as_deref().filter(|title| !title.trim().is_empty());
        let title = text::title_from(title.unwrap_or(&body));
        if title.is_empty() {
            return Err(ContentError::Empty);
        }
        let inferred = || Kind::infer(&format!("{title}\n{body}"), &provenance);
        let kind = self.kind(&provenance)?.unwrap_or_else(inferred);
        self.fill(Content { provenance, ..Content::new(kind, &title, &body) }, now)
    }

    /// Returns content with what the record says in place of what was there; title, body, kind and provenance are the caller's.
    pub fn fill(self, content: Content, now: Timestamp) -> Result<Content, ContentError> {
        let or_kept = |said: Vec<String>, kept: Vec<String>| if said.is_empty() { kept } else { said };
        Ok(Content {
            scope: self.scope()?.unwrap_or(content.scope),
            valid_from: record_time("valid_from", self.valid_from.as_ref(), now)?.or(content.valid_from),
            valid_to: record_time("valid_to", self.valid_to.as_ref(), now)?.or(content.valid_to),
            category: self.category.map(Category).or(content.category),
            files: or_kept(self.files, content.files),
            concepts: or_kept(self.concepts, content.concepts),
            facts: or_kept(self.facts, content.facts),
            details: self.details.or(content.details),
            importance: self.importance.map_or(content.importance, Importance::new),
            confidence: self.confidence.map_or(content.confidence, Confidence::new),
            pinned: self.pinned.unwrap_or(content.pinned),
            ..content
        })
    }

    /// Reads content that was written whole, word for word: what cannot be missing must be there, and nothing is inferred.
    pub fn into_whole(self) -> Result<Content, ContentError> {
        let missing = |field: &str| ContentError::Foreign(format!("`{field}` is missing"));
        let provenance = self.provenance()?.ok_or_else(|| missing("provenance"))?;
        let kind = self.kind(&provenance)?.ok_or_else(|| missing("kind"))?;
        let title = self.title.clone().ok_or_else(|| missing("title"))?;
        let body = self.body.clone().ok_or_else(|| missing("body"))?;
        let content = Content { title, provenance, ..Content::new(kind, "", &body) };
        self.fill(content, Timestamp::default())
    }

    /// Returns its kind, if it names one.
    pub fn kind(&self, provenance: &Provenance) -> Result<Option<Kind>, ContentError> {
        Ok(self.kind.as_deref().map(|kind| Kind::from_input(kind, provenance)).transpose()?)
    }

    /// Returns its provenance, if it claims one.
    pub fn provenance(&self) -> Result<Option<Provenance>, ContentError> {
        Ok(self.provenance.as_deref().map(str::parse).transpose()?)
    }

    fn scope(&self) -> Result<Option<MemoryScope>, ContentError> {
        let Some(name) = self.scope.as_deref() else { return Ok(None) };
        name.parse().map(Some).map_err(|()| ContentError::Scope(name.to_owned()))
    }
}

impl ContentError {
    /// Returns what to do about it, where that is not plain from the error.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            ContentError::Empty => Some(
                "give the text as an argument or on standard input: `backstory remember \"we use tabs\"`",
            ),
            ContentError::Time { .. } => {
                Some("write it like 2026-05-01T12:00:00Z, or as milliseconds since 1970")
            }
            _ => None,
        }
    }
}

/// Reads a time of a record, if it has one.
pub fn record_time(
    field: &'static str,
    value: Option<&Value>,
    now: Timestamp,
) -> Result<Option<Timestamp>, ContentError> {
    let read = |value: &Value| {
        time_from_json(value, now).ok_or_else(|| ContentError::Time { field, value: value.to_string() })
    };
    value.map(read).transpose()
}

/// Whether a field of a record is missing, so that it need not be written.
pub fn is_missing<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn read_details<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Details>, D::Error> {
    Ok(match Option::<Value>::deserialize(deserializer)? {
        // The front matter of a document holds it as text.
        Some(Value::String(text)) => Details::from_json(&text),
        Some(value) => serde_json::from_value(value).ok(),
        None => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_ignores_case_punctuation_and_spacing() {
        let one = Content::new(Kind::Note, "Use WAL mode.", "It is  faster!");
        let two = Content::new(Kind::Note, "use wal mode", "it is faster");
        assert_eq!(one.fingerprint(), two.fingerprint());
        assert_ne!(one.fingerprint(), Content::new(Kind::Note, "use wal", "it is faster").fingerprint());
    }

    #[test]
    fn a_content_is_read_back_from_its_record() {
        let content = Content {
            category: Some(Category("trap".to_owned())),
            files: vec!["a.rs".to_owned()],
            scope: MemoryScope::User,
            pinned: true,
            provenance: Provenance::Team("ann".to_owned()),
            confidence: Confidence::new(0.59),
            valid_to: Some(Timestamp(1_700_000_000_123)),
            ..Content::new(Kind::Decision, "Use WAL", "It is faster")
        };
        let json = serde_json::to_string(&ContentRecord::from_content(&content)).unwrap();
        let record: ContentRecord = serde_json::from_str(&json).unwrap();
        assert_eq!(record.into_whole(), Ok(content));
    }

    #[test]
    fn a_record_changes_what_it_says_and_nothing_else() {
        let before = Content { pinned: true, ..Content::new(Kind::Note, "t", "b") };
        let record = ContentRecord { importance: Some(9), ..ContentRecord::default() };
        let after = record.fill(before.clone(), Timestamp(0)).unwrap();
        assert_eq!(after, Content { importance: Importance::new(5), ..before });
    }
}
