//! One memory as one line of JSON: what `import`, `export` and `remember` read and write. Documented in `docs/json.md`.

mod carried;

use crate::failure::Failure;
use crate::times;
use backstory_capture::Redactor;
use backstory_memory::{
    Category, Confidence, Content, Importance, Kind, Memory, MemoryScope, Provenance, Timestamp, Uid,
    title_from,
};
use backstory_store::UsageHistory;
use carried::{AnchorLine, WordingLine};
use serde::{Deserialize, Serialize};

/// One memory as a line.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub(crate) struct MemoryRecord {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) uid: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) category: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", alias = "text")]
    pub(crate) body: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) project: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) project_path: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) project_keys: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) created_at: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) updated_at: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) files: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) concepts: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) facts: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) importance: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) confidence: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) host: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) supersedes: Option<OneOrMany>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) provenance: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) scope: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pinned: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) valid_from: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) valid_to: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) times_seen: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) times_used: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_used_at: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) superseded_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) contradicts: Option<OneOrMany>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) derived_from: Option<OneOrMany>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) relates: Option<OneOrMany>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) subject: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) polished_from: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) anchors: Vec<AnchorLine>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) revisions: Vec<WordingLine>,
}

/// A text, or a list of texts.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub(crate) enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl OneOrMany {
    pub(crate) fn into_vec(self) -> Vec<String> {
        match self {
            OneOrMany::One(text) => vec![text],
            OneOrMany::Many(texts) => texts,
        }
    }
}

impl MemoryRecord {
    /// Reads a line.
    pub(crate) fn parse(text: &str) -> Result<MemoryRecord, Failure> {
        if !text.trim_start().starts_with('{') {
            return Err(Failure::user("not a memory: one JSON object is wanted"));
        }
        serde_json::from_str(text).map_err(|error| {
            if error.is_eof() {
                return Failure::user("not a memory: the JSON breaks off before its end");
            }
            // Nearly all are of one line, and an import counts lines of its own.
            let what = error.to_string().replace(" at line 1 column", " at column");
            Failure::user(format!("not a memory: {what}"))
        })
    }

    /// Returns the content it stands for. What is said wins; the rest follows from the text.
    pub(crate) fn draft(&self, provenance: Provenance, now: Timestamp) -> Result<Content, Failure> {
        let body = self.body.clone().or_else(|| self.title.clone()).unwrap_or_default();
        let title =
            title_from(self.title.as_deref().filter(|title| !title.trim().is_empty()).unwrap_or(&body));
        if title.is_empty() {
            return Err(Failure::user("a memory needs a title or a body").hint(
                "give the text as an argument or on standard input: `backstory remember \"we use tabs\"`",
            ));
        }
        let kind = self.kind()?.unwrap_or_else(|| Kind::infer(&format!("{title}\n{body}")));
        let provenance = match &self.provenance {
            Some(name) => name
                .parse::<Provenance>()
                .map_err(|error| Failure::user("unknown provenance").because(&error))?,
            None => provenance,
        };
        let mut draft = Content { provenance, ..Content::new(kind, &title, &body) };
        draft.category = self.category.clone().map(Category);
        draft.facts.clone_from(&self.facts);
        draft.concepts.clone_from(&self.concepts);
        draft.files.clone_from(&self.files);
        draft.importance = self.importance.map_or(draft.importance, Importance::new);
        draft.confidence = self.confidence.map_or(draft.confidence, Confidence::new);
        draft.scope = self.scope()?.unwrap_or(MemoryScope::Project);
        draft.pinned = self.pinned.unwrap_or(false);
        draft.valid_from = self.valid_from(now)?;
        draft.valid_to = self.valid_to(now)?;
        Ok(draft)
    }

    /// Returns it as a line of a project that another tells, where it names none itself.
    pub(crate) fn of_project(self, project: &MemoryRecord) -> MemoryRecord {
        if self.project.is_some() || self.project_path.is_some() {
            return self;
        }
        let (project, project_keys) = (project.project.clone(), project.project_keys.clone());
        MemoryRecord { project, project_keys, ..self }
    }

    /// Returns its kind, if it says.
    pub(crate) fn kind(&self) -> Result<Option<Kind>, Failure> {
        self.kind.as_deref().map(str::parse).transpose().map_err(|error| unknown_kind(&error))
    }

    /// Returns its scope, if it says.
    pub(crate) fn scope(&self) -> Result<Option<MemoryScope>, Failure> {
        let Some(name) = self.scope.as_deref() else { return Ok(None) };
        let unknown = |()| Failure::user(format!("`{name}` is not a scope: project or user"));
        name.parse().map(Some).map_err(unknown)
    }

    /// Returns from when on it holds, if it says.
    pub(crate) fn valid_from(&self, now: Timestamp) -> Result<Option<Timestamp>, Failure> {
        time("valid_from", self.valid_from.as_ref(), now)
    }

    /// Returns until when it holds, if it says.
    pub(crate) fn valid_to(&self, now: Timestamp) -> Result<Option<Timestamp>, Failure> {
        time("valid_to", self.valid_to.as_ref(), now)
    }

    /// Takes secrets out of the names it carries: they are stored like its words (law 7).
    pub(crate) fn scrub_names(&mut self, redactor: &Redactor) -> Result<(), Failure> {
        let clean = |text: &mut String| *text = redactor.scrub(text).into_string();
        if self.uid.as_ref().is_some_and(|uid| redactor.scrub(uid).as_str() != uid) {
            return Err(Failure::user("a uid must not look like a secret"));
        }
        let names = [&mut self.project, &mut self.host, &mut self.session, &mut self.provenance];
        names.into_iter().flatten().chain(&mut self.project_keys).for_each(clean);
        Ok(())
    }

    /// Returns its global name.
    pub(crate) fn uid(&self) -> Result<Option<Uid>, Failure> {
        let uid = self.uid.as_deref().map(Uid::parse).transpose();
        uid.map_err(|error| Failure::user("unusable uid").because(&error))
    }

    /// Returns when it was first written.
    pub(crate) fn created_at(&self, now: Timestamp) -> Result<Timestamp, Failure> {
        Ok(time("created_at", self.created_at.as_ref(), now)?.unwrap_or(now))
    }

    /// Returns what it has been through.
    pub(crate) fn past(&self, now: Timestamp) -> Result<UsageHistory, Failure> {
        let created_at = self.created_at(now)?;
        Ok(UsageHistory {
            updated_at: time("updated_at", self.updated_at.as_ref(), now)?.unwrap_or(created_at),
            times_seen: self.times_seen.unwrap_or(1),
            times_used: self.times_used.unwrap_or(0),
            last_used_at: time("last_used_at", self.last_used_at.as_ref(), now)?,
        })
    }

    /// Writes a memory as a line. What names other rows (project, session, what it supersedes) is the caller's to add.
    pub(crate) fn of(memory: &Memory) -> MemoryRecord {
        let content = &memory.content;
        let iso = |at: Timestamp| serde_json::Value::String(times::iso(at));
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

fn time(what: &str, value: Option<&serde_json::Value>, now: Timestamp) -> Result<Option<Timestamp>, Failure> {
    let read = |value| {
        times::from_json(value, now).ok_or_else(|| {
            Failure::user(format!("`{what}: {value}` is not a time"))
                .hint("write it like 2026-05-01T12:00:00Z, or as milliseconds since 1970")
        })
    };
    value.map(read).transpose()
}

/// Says which kinds there are.
pub(crate) fn unknown_kind(error: &backstory_memory::UnknownKind) -> Failure {
    let names: Vec<&str> = Kind::ALL.into_iter().map(Kind::as_str).collect();
    Failure::usage(error.to_string()).hint(format!("kinds are {}", names.join(", ")))
}
