//! What a record holds besides a memory's content: earlier revisions, anchors in the code, links to other memories.
//!
//! A record that a person or another program writes needs none of it; `export` writes it so that nothing is lost.

use super::{MemoryRecord, OneOrMany, time};
use crate::error::RecordError;
use crate::time::iso;
use backstory_capture::{Redactor, prepare};
use backstory_memory::{Content, Digest, Kind, Provenance, Relation, Timestamp, Uid};
use backstory_store::{Anchor, Attachments, Author, MemoryLinks, PriorWording};
use serde::{Deserialize, Serialize};

/// What a memory said until it was revised.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct RevisionRecord {
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<serde_json::Value>,
    replaced_by: Option<String>,
    kind: Option<String>,
    title: String,
    body: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    facts: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    concepts: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<String>,
}

/// A place in the code that a memory is about.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct AnchorRecord {
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
}

impl MemoryRecord {
    /// Adds the revisions and anchors of a memory. Anchors that say no more than its files do are left out.
    pub(crate) fn attach(&mut self, carried: Attachments) {
        let says_more = |anchor: &Anchor| {
            anchor.symbol.is_some() || anchor.hash.is_some() || !self.files.contains(&anchor.path)
        };
        if carried.anchors.iter().any(says_more) {
            self.anchors = carried.anchors.into_iter().map(AnchorRecord::from_anchor).collect();
        }
        self.revisions = carried.wordings.into_iter().map(RevisionRecord::from_wording).collect();
        self.subject = carried.subject.map(|subject| subject.to_string());
        self.polished_from = carried.polished_from.map(|from| from.to_string());
    }

    /// Returns its revisions and anchors, redacted.
    pub(crate) fn attachments(
        &self,
        redactor: &Redactor,
        now: Timestamp,
    ) -> Result<Attachments, RecordError> {
        let wordings = self.revisions.iter().map(|wording| wording.read(redactor, now));
        let digest = |text: &Option<String>| text.as_deref().and_then(Digest::from_hex);
        Ok(Attachments {
            wordings: wordings.collect::<Result<_, _>>()?,
            anchors: self.anchors.iter().map(|anchor| anchor.read(redactor)).collect(),
            subject: digest(&self.subject),
            polished_from: digest(&self.polished_from),
        })
    }

    /// Adds how a memory relates to others.
    pub(crate) fn add_links(&mut self, ties: &MemoryLinks) {
        let uids_of = |relation: Relation| -> Option<OneOrMany> {
            let uids = ties.links.iter().filter(|(kind, _)| *kind == relation);
            let uids: Vec<String> = uids.map(|(_, uid)| uid.to_string()).collect();
            (!uids.is_empty()).then_some(OneOrMany::Many(uids))
        };
        self.superseded_by = ties.superseded_by.as_ref().map(ToString::to_string);
        self.supersedes = uids_of(Relation::Supersedes);
        self.contradicts = uids_of(Relation::Contradicts);
        self.derived_from = uids_of(Relation::DerivedFrom);
        self.relates = uids_of(Relation::Relates);
    }

    /// Returns how the memory of this uid relates to others. A text that cannot be a uid is skipped.
    pub(crate) fn take_links(&mut self, uid: &Uid) -> MemoryLinks {
        let lists = [
            (Relation::Supersedes, self.supersedes.take()),
            (Relation::Contradicts, self.contradicts.take()),
            (Relation::DerivedFrom, self.derived_from.take()),
            (Relation::Relates, self.relates.take()),
        ];
        let mut links = Vec::new();
        for (relation, uids) in lists {
            let uids = uids.map(OneOrMany::into_vec).unwrap_or_default();
            links.extend(uids.iter().filter_map(|uid| Some((relation, Uid::parse(uid).ok()?))));
        }
        let superseded_by = self.superseded_by.as_deref().and_then(|uid| Uid::parse(uid).ok());
        MemoryLinks { uid: uid.clone(), superseded_by, links }
    }
}

impl RevisionRecord {
    fn from_wording(wording: PriorWording) -> RevisionRecord {
        RevisionRecord {
            until: Some(serde_json::Value::String(iso(wording.until))),
            replaced_by: Some(wording.replaced_by.as_str().to_owned()),
            kind: Some(wording.kind.to_string()),
            title: wording.title,
            body: wording.body,
            facts: wording.facts,
            concepts: wording.concepts,
            files: wording.files,
        }
    }

    fn read(&self, redactor: &Redactor, now: Timestamp) -> Result<PriorWording, RecordError> {
        let kind = self
            .kind
            .as_deref()
            .and_then(|kind| Kind::from_input(kind, &Provenance::User).ok())
            .unwrap_or(Kind::Note);
        let content = Content {
            facts: self.facts.clone(),
            concepts: self.concepts.clone(),
            files: self.files.clone(),
            ..Content::new(kind, &self.title, &self.body)
        };
        let safe = prepare(content, redactor);
        Ok(PriorWording {
            kind,
            title: safe.title,
            body: safe.body,
            facts: safe.facts,
            concepts: safe.concepts,
            files: safe.files,
            until: time("until", self.until.as_ref(), now)?.unwrap_or(now),
            replaced_by: self.replaced_by.as_deref().and_then(|by| by.parse().ok()).unwrap_or(Author::Person),
        })
    }
}

impl AnchorRecord {
    fn from_anchor(anchor: Anchor) -> AnchorRecord {
        let hash = anchor.hash.map(|hash| hash.to_string());
        AnchorRecord { file: anchor.path, symbol: anchor.symbol, hash }
    }

    fn read(&self, redactor: &Redactor) -> Anchor {
        let safe = |text: &String| redactor.scrub(text).into_string();
        Anchor {
            path: safe(&self.file),
            symbol: self.symbol.as_ref().map(safe),
            hash: self.hash.as_deref().and_then(Digest::from_hex),
        }
    }
}
