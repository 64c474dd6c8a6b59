//! The one shape of a memory outside the store: a line of JSON, the front matter of a Markdown document, a request to remember.
//!
//! Documented in `docs/json.md`. Every field may be missing: a line that a person or another program writes needs only a text. Not here:
//! lines and files of records (`jsonl`, `markdown`), and what is stored of them (`importer`).

mod attachments;

use crate::error::RecordError;
use crate::time::{iso, time_from_json};
use attachments::{AnchorRecord, RevisionRecord};
use backstory_capture::Redactor;
use backstory_memory::{
    Category, Confidence, Content, Details, Importance, Kind, Memory, MemoryScope, Provenance, Timestamp,
    Uid, title_from,
};
use backstory_store::UsageHistory;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Declares the shape: one line a column. What is missing is not written.
macro_rules! memory_record {
    ($($(#[$doc:meta])+ $column:ident: $type:ty,)+) => {
        /// One memory as other programs read and write it.
        #[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
        #[serde(default)]
        pub struct MemoryRecord {
            $($(#[$doc])+ #[serde(skip_serializing_if = "is_missing")] pub $column: $type,)+
        }
    };
}

memory_record! {
    /// Its name in every store.
    uid: Option<String>,
    /// Its kind; inferred from the text where it is missing.
    kind: Option<String>,
    /// A word more exact than the kind.
    category: Option<String>,
    /// Its title; the first words of the body where it is missing.
    title: Option<String>,
    /// Its text.
    #[serde(alias = "text")]
    body: Option<String>,
    /// The name of its project.
    project: Option<String>,
    /// A folder of its project on this machine.
    project_path: Option<String>,
    /// What its project is recognised by on other machines.
    project_keys: Vec<String>,
    /// When it was first written.
    created_at: Option<Value>,
    /// When it was last changed.
    updated_at: Option<Value>,
    /// The files it is about.
    files: Vec<String>,
    /// What it has to do with.
    concepts: Vec<String>,
    /// Statements it holds.
    facts: Vec<String>,
    /// Typed facts of its kind: what failed and what fixed it, where the work stands.
    details: Option<Value>,
    /// 1 to 5.
    importance: Option<i64>,
    /// 0 to 1.
    confidence: Option<f64>,
    /// The host its session ran in.
    host: Option<String>,
    /// The host's name for the session it came from.
    session: Option<String>,
    /// The uids of memories it replaces.
    supersedes: Option<OneOrMany>,
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
    /// How often it was met.
    times_seen: Option<u32>,
    /// How often it was used.
    times_used: Option<u32>,
    /// When it was last used.
    last_used_at: Option<Value>,
    /// The uid of the memory that replaced it.
    superseded_by: Option<String>,
    /// The uids of memories it contradicts.
    contradicts: Option<OneOrMany>,
    /// The uids of memories it was made from.
    derived_from: Option<OneOrMany>,
    /// The uids of memories it has to do with.
    relates: Option<OneOrMany>,
    /// The digest of what it is about, if it was distilled.
    subject: Option<String>,
    /// The digest of the rules' own words, if a model has replaced them.
    polished_from: Option<String>,
    /// The places in the code it is about.
    anchors: Vec<AnchorRecord>,
    /// What it said before, oldest first.
    revisions: Vec<RevisionRecord>,
}

fn is_missing<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A text, or a list of texts.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(untagged)]
pub enum OneOrMany {
    /// A single text.
    One(String),
    /// A list.
    Many(Vec<String>),
}

impl OneOrMany {
    /// Returns the texts.
    #[must_use]
    pub fn into_vec(self) -> Vec<String> {
        match self {
            OneOrMany::One(text) => vec![text],
            OneOrMany::Many(texts) => texts,
        }
    }
}

impl MemoryRecord {
    /// Reads a JSON object.
    pub fn parse(text: &str) -> Result<MemoryRecord, RecordError> {
        if !text.trim_start().starts_with('{') {
            return Err(RecordError::NotAMemory("one JSON object is wanted".to_owned()));
        }
        serde_json::from_str(text).map_err(|error| {
            if error.is_eof() {
                return RecordError::NotAMemory("the JSON breaks off before its end".to_owned());
            }
            // A record is mostly one line of a file, and the import counts those itself.
            let what = error.to_string().replace(" at line 1 column", " at column");
            RecordError::NotAMemory(what)
        })
    }

    /// Returns the content it stands for; what it does not say follows from its text. `provenance` counts where it names none.
    pub fn content(&self, provenance: Provenance, now: Timestamp) -> Result<Content, RecordError> {
        let body = self.body.clone().or_else(|| self.title.clone()).unwrap_or_default();
        let title =
            title_from(self.title.as_deref().filter(|title| !title.trim().is_empty()).unwrap_or(&body));
        if title.is_empty() {
            return Err(RecordError::Empty);
        }
        let provenance = match &self.provenance {
            Some(name) => name.parse()?,
            None => provenance,
        };
        let kind =
            self.kind(&provenance)?.unwrap_or_else(|| Kind::infer(&format!("{title}\n{body}"), &provenance));
        let mut content = Content { provenance, ..Content::new(kind, &title, &body) };
        content.category = self.category.clone().map(Category);
        content.facts.clone_from(&self.facts);
        content.concepts.clone_from(&self.concepts);
        content.files.clone_from(&self.files);
        content.details = self.details.as_ref().and_then(|details| match details {
            // The front matter of a document holds it as text.
            Value::String(text) => Details::from_json(text),
            details => Details::from_json(&details.to_string()),
        });
        content.importance = self.importance.map_or(content.importance, Importance::new);
        content.confidence = self.confidence.map_or(content.confidence, Confidence::new);
        content.scope = self.scope()?.unwrap_or(MemoryScope::Project);
        content.pinned = self.pinned.unwrap_or(false);
        content.valid_from = self.valid_from(now)?;
        content.valid_to = self.valid_to(now)?;
        Ok(content)
    }

    /// Returns it with the project of another record, where it names none itself.
    #[must_use]
    pub fn in_project(self, project: &MemoryRecord) -> MemoryRecord {
        if self.project.is_some() || self.project_path.is_some() {
            return self;
        }
        let (project, project_keys) = (project.project.clone(), project.project_keys.clone());
        MemoryRecord { project, project_keys, ..self }
    }

    /// Returns its kind, if it names one.
    pub fn kind(&self, provenance: &Provenance) -> Result<Option<Kind>, RecordError> {
        Ok(self.kind.as_deref().map(|kind| Kind::from_input(kind, provenance)).transpose()?)
    }

    /// Returns its scope, if it names one.
    pub fn scope(&self) -> Result<Option<MemoryScope>, RecordError> {
        let Some(name) = self.scope.as_deref() else { return Ok(None) };
        name.parse().map(Some).map_err(|()| RecordError::Scope(name.to_owned()))
    }

    /// Returns from when on it holds, if it says so.
    pub fn valid_from(&self, now: Timestamp) -> Result<Option<Timestamp>, RecordError> {
        time("valid_from", self.valid_from.as_ref(), now)
    }

    /// Returns until when it holds, if it says so.
    pub fn valid_to(&self, now: Timestamp) -> Result<Option<Timestamp>, RecordError> {
        time("valid_to", self.valid_to.as_ref(), now)
    }

    /// Takes secrets out of the names it carries: they are stored like its words (law 7).
    pub fn scrub_names(&mut self, redactor: &Redactor) -> Result<(), RecordError> {
        let clean = |text: &mut String| *text = redactor.scrub(text).into_string();
        if self.uid.as_ref().is_some_and(|uid| redactor.scrub(uid).as_str() != uid) {
            return Err(RecordError::SecretUid);
        }
        let names = [&mut self.project, &mut self.host, &mut self.session, &mut self.provenance];
        names.into_iter().flatten().chain(&mut self.project_keys).for_each(clean);
        Ok(())
    }

    /// Returns its global name.
    pub fn uid(&self) -> Result<Option<Uid>, RecordError> {
        Ok(self.uid.as_deref().map(Uid::parse).transpose()?)
    }

    /// Returns when it was first written.
    pub fn created_at(&self, now: Timestamp) -> Result<Timestamp, RecordError> {
        Ok(time("created_at", self.created_at.as_ref(), now)?.unwrap_or(now))
    }

    /// Returns when it was changed, seen and used.
    pub(crate) fn history(&self, now: Timestamp) -> Result<UsageHistory, RecordError> {
        let created_at = self.created_at(now)?;
        Ok(UsageHistory {
            updated_at: time("updated_at", self.updated_at.as_ref(), now)?.unwrap_or(created_at),
            times_seen: self.times_seen.unwrap_or(1),
            times_used: self.times_used.unwrap_or(0),
            last_used_at: time("last_used_at", self.last_used_at.as_ref(), now)?,
        })
    }

    /// Writes down what a memory says. What other rows say (its project, its session, its links) the caller adds.
    #[must_use]
    pub fn from_memory(memory: &Memory) -> MemoryRecord {
        let content = &memory.content;
        let iso = |at: Timestamp| Value::String(iso(at));
        MemoryRecord {
            uid: Some(memory.uid.to_string()),
            kind: Some(content.kind.to_string()),
            category: content.category.as_ref().map(|category| category.0.clone()),
            title: Some(content.title.clone()),
            body: Some(content.body.clone()),
            created_at: Some(iso(memory.created_at)),
            updated_at: Some(iso(memory.updated_at)),
            files: content.files.clone(),
            concepts: content.concepts.clone(),
            facts: content.facts.clone(),
            details: content.details.as_ref().and_then(|details| details.to_json().parse().ok()),
            importance: Some(content.importance.get().into()),
            confidence: Some(content.confidence.get()),
            provenance: Some(content.provenance.to_string()),
            scope: Some(content.scope.as_str().to_owned()),
            pinned: Some(content.pinned),
            valid_from: content.valid_from.map(iso),
            valid_to: content.valid_to.map(iso),
            times_seen: Some(memory.times_seen),
            times_used: Some(memory.times_used),
            last_used_at: memory.last_used_at.map(iso),
            ..MemoryRecord::default()
        }
    }
}

fn time(
    field: &'static str,
    value: Option<&Value>,
    now: Timestamp,
) -> Result<Option<Timestamp>, RecordError> {
    let read = |value: &Value| {
        time_from_json(value, now).ok_or_else(|| RecordError::Time { field, value: value.to_string() })
    };
    value.map(read).transpose()
}
