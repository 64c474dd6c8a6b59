//! What a record holds besides a memory's content: earlier revisions, anchors in the code, links to other memories.
//!
//! A record that a person or another program writes needs none of it; `export` writes it so that nothing is lost.

use super::{MemoryRecord, OneOrMany};
use crate::error::RecordError;
use backstory_capture::{Redactor, prepare_attachments};
use backstory_memory::{
    ContentError, ContentRecord, Digest, Kind, MemoryScope, Provenance, Redacted, Relation, Timestamp, Uid,
    iso, record_time,
};
use backstory_store::{Anchor, Attachments, Author, MemoryLinks, Revision};
use serde::{Deserialize, Serialize};

/// What a memory said until it was revised.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct RevisionRecord {
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<serde_json::Value>,
    replaced_by: Option<String>,
    #[serde(flatten)]
    content: ContentRecord,
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
            anchor.symbol.is_some() || anchor.hash.is_some() || !self.content.files.contains(&anchor.path)
        };
        if carried.anchors.iter().any(says_more) {
            self.anchors = carried.anchors.into_iter().map(AnchorRecord::from_anchor).collect();
        }
        self.revisions = carried.revisions.iter().map(RevisionRecord::from_revision).collect();
        self.subject = carried.subject.map(|subject| subject.to_string());
    }

    /// Returns its revisions and anchors, redacted.
    pub(crate) fn attachments(
        &self,
        redactor: &Redactor,
        max_provenance: &Provenance,
        now: Timestamp,
    ) -> Result<Redacted<Attachments>, RecordError> {
        let revisions = self.revisions.iter().filter_map(|said| said.read(max_provenance, now).transpose());
        let digest = |text: &Option<String>| text.as_deref().and_then(Digest::from_hex);
        let attachments = Attachments {
            revisions: revisions.collect::<Result<_, _>>()?,
            anchors: self.anchors.iter().map(AnchorRecord::read).collect(),
            subject: digest(&self.subject),
        };
        Ok(prepare_attachments(attachments, redactor))
    }

    /// Adds how a memory relates to others.
    pub(crate) fn add_links(&mut self, known: &MemoryLinks) {
        let uids_of = |relation: Relation| -> Option<OneOrMany> {
            let uids = known.links.iter().filter(|(kind, _)| *kind == relation);
            let uids: Vec<String> = uids.map(|(_, uid)| uid.to_string()).collect();
            (!uids.is_empty()).then_some(OneOrMany::Many(uids))
        };
        self.superseded_by = known.superseded_by.as_ref().map(ToString::to_string);
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
    fn from_revision(revision: &Revision) -> RevisionRecord {
        RevisionRecord {
            until: Some(serde_json::Value::String(iso(revision.until))),
            replaced_by: Some(revision.replaced_by.as_str().to_owned()),
            content: ContentRecord::from_content(&revision.content),
        }
    }

    /// Returns the revision, believed no more than `max_provenance`; nothing where it says nothing.
    fn read(&self, max_provenance: &Provenance, now: Timestamp) -> Result<Option<Revision>, RecordError> {
        let mut record = self.content.clone();
        let is_known = record.kind.as_deref().is_some_and(|kind| Kind::parse_alias(kind).is_ok());
        record.kind = if is_known { record.kind } else { Some(Kind::Note.to_string()) };
        // A wording whose scope is not known counts as the user's own, so that it is never shared.
        record.scope.get_or_insert_with(|| MemoryScope::User.as_str().to_owned());
        let provenance = record.provenance()?.unwrap_or(Provenance::Import).min(max_provenance.clone());
        let content = match record.into_content(provenance, now) {
            Err(ContentError::Empty) => return Ok(None),
            content => content?,
        };
        let until = record_time("until", self.until.as_ref(), now)?.unwrap_or(now);
        let replaced_by = self.replaced_by.as_deref().and_then(|by| by.parse().ok());
        let replaced_by = replaced_by.unwrap_or(Author::Person);
        Ok(Some(Revision { content, until, replaced_by, author: None }))
    }
}

impl AnchorRecord {
    fn from_anchor(anchor: Anchor) -> AnchorRecord {
        let hash = anchor.hash.map(|hash| hash.to_string());
        AnchorRecord { file: anchor.path, symbol: anchor.symbol, hash }
    }

    fn read(&self) -> Anchor {
        Anchor {
            path: self.file.clone(),
            symbol: self.symbol.clone(),
            hash: self.hash.as_deref().and_then(Digest::from_hex),
        }
    }
}
