//! A memory in a file: a line of JSON, the front matter of a Markdown document, a request to remember.
//!
//! Documented in `docs/json.md`. Every field may be missing: a line that a person or another program writes needs only a text. Not here:
//! the fields of its content (`ContentRecord` of `memory`), lines and files of records (`jsonl`, `markdown`), and what is stored of them
//! (`importer`).

mod attachments;

use crate::FileTrust;
use crate::error::RecordError;
use attachments::{AnchorRecord, RevisionRecord};
use backstory_capture::Redactor;
use backstory_memory::{
    ContentRecord, Memory, Standing, StandingReason, Timestamp, Uid, is_missing, iso, record_time,
};
use backstory_store::UsageHistory;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Declares the shape: one line a field. What is missing is not written.
macro_rules! memory_record {
    ($($(#[$doc:meta])+ $column:ident: $type:ty,)+) => {
        /// One memory as other programs read and write it.
        #[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
        #[serde(default)]
        pub struct MemoryRecord {
            /// Its name in every store.
            #[serde(skip_serializing_if = "is_missing")]
            pub uid: Option<String>,
            /// What it says.
            #[serde(flatten)]
            pub content: ContentRecord,
            $($(#[$doc])+ #[serde(skip_serializing_if = "is_missing")] pub $column: $type,)+
        }
    };
}

memory_record! {
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
    /// The host its session ran in.
    host: Option<String>,
    /// The host's name for the session it came from.
    session: Option<String>,
    /// The uids of memories it replaces.
    supersedes: Option<OneOrMany>,
    /// How it stands: proposed, confirmed, retired. What another memory replaced says that by `superseded_by`.
    standing: Option<String>,
    /// Why it stands so.
    standing_reason: Option<String>,
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
    /// The places in the code it is about.
    anchors: Vec<AnchorRecord>,
    /// What it said before, oldest first.
    revisions: Vec<RevisionRecord>,
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

impl From<ContentRecord> for MemoryRecord {
    fn from(content: ContentRecord) -> MemoryRecord {
        MemoryRecord { content, ..MemoryRecord::default() }
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

    /// Returns it with the project of another record, where it names none itself.
    #[must_use]
    pub fn in_project(self, project: &MemoryRecord) -> MemoryRecord {
        if self.project.is_some() || self.project_path.is_some() {
            return self;
        }
        let (project, project_keys) = (project.project.clone(), project.project_keys.clone());
        MemoryRecord { project, project_keys, ..self }
    }

    /// Takes secrets out of the names it carries: they are stored like its words (law 7).
    pub fn scrub_names(&mut self, redactor: &Redactor) -> Result<(), RecordError> {
        let clean = |text: &mut String| *text = redactor.scrub(text).into_inner();
        if self.uid.as_ref().is_some_and(|uid| redactor.scrub(uid).as_str() != uid) {
            return Err(RecordError::SecretUid);
        }
        let names = [&mut self.project, &mut self.host, &mut self.session, &mut self.content.provenance];
        names.into_iter().flatten().chain(&mut self.project_keys).for_each(clean);
        Ok(())
    }

    /// Returns its global name.
    pub fn uid(&self) -> Result<Option<Uid>, RecordError> {
        Ok(self.uid.as_deref().map(Uid::parse).transpose()?)
    }

    /// Returns when it was first written.
    pub fn created_at(&self, now: Timestamp) -> Result<Timestamp, RecordError> {
        Ok(record_time("created_at", self.created_at.as_ref(), now)?.unwrap_or(now))
    }

    /// Returns when it was changed, seen and used.
    pub(crate) fn history(&self, now: Timestamp) -> Result<UsageHistory, RecordError> {
        let created_at = self.created_at(now)?;
        Ok(UsageHistory {
            updated_at: record_time("updated_at", self.updated_at.as_ref(), now)?.unwrap_or(created_at),
            times_seen: self.times_seen.unwrap_or(1),
            times_used: self.times_used.unwrap_or(0),
            last_used_at: record_time("last_used_at", self.last_used_at.as_ref(), now)?,
        })
    }

    /// Returns how it stood where it was exported, as far as its file is trusted: a stranger's file neither confirms nor retires anything.
    pub(crate) fn standing(
        &self,
        trust: FileTrust,
    ) -> Result<Option<(Standing, StandingReason)>, RecordError> {
        let (Some(standing), Some(reason)) = (&self.standing, &self.standing_reason) else { return Ok(None) };
        let unknown = |field, value: &String| RecordError::UnknownWord { field, value: value.clone() };
        let standing = standing.parse().map_err(|()| unknown("standing", standing))?;
        let reason = reason.parse().map_err(|()| unknown("standing_reason", reason))?;
        Ok(Some((standing, reason)).filter(|_| trust == FileTrust::User))
    }

    /// Writes down what a memory says. What other rows say (its project, its session, its links) the caller adds.
    #[must_use]
    pub fn from_memory(memory: &Memory) -> MemoryRecord {
        let iso = |at: Timestamp| Value::String(iso(at));
        let standing = Some(memory.standing).filter(|standing| !matches!(standing, Standing::Superseded(_)));
        MemoryRecord {
            content: ContentRecord::from_content(&memory.content),
            uid: Some(memory.uid.to_string()),
            created_at: Some(iso(memory.created_at)),
            updated_at: Some(iso(memory.updated_at)),
            standing: standing.map(|standing| standing.as_str().to_owned()),
            standing_reason: standing.map(|_| memory.standing_reason.as_str().to_owned()),
            times_seen: Some(memory.times_seen),
            times_used: Some(memory.times_used),
            last_used_at: memory.last_used_at.map(iso),
            ..MemoryRecord::default()
        }
    }
}
