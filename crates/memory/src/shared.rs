//! The shared form of a memory, and when two machines have the same one.
//!
//! Not here: how it travels (`sync`), and what this machine stores of it (`store`).

use crate::{Checksum, Content, ContentError, ContentRecord, Digest, Relation, Timestamp, Uid, digest};
use serde::Deserialize;
use serde_json::Value;

/// What a memory says to the whole team from one moment on.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedRevision {
    /// The content. Pins are not shared here: each member has their own.
    pub content: Content,
    /// The memory that replaced it.
    pub superseded_by: Option<Uid>,
    /// When it was written.
    pub at: Timestamp,
    /// The member who wrote it, as the hub names them.
    pub author: String,
}

impl SharedRevision {
    /// Returns the digest of everything that is shared: if it is equal, there is nothing to push or pull.
    ///
    /// Confidence and how often a memory was seen are each machine's own experience: they are sent along, but are no change by
    /// themselves.
    #[must_use]
    pub fn content_digest(&self) -> Digest {
        content_digest(&self.content, self.superseded_by.as_ref())
    }

    /// Returns the order of revisions: the last one counts, and every machine agrees which one that is.
    #[must_use]
    pub fn order(&self) -> (Timestamp, Digest) {
        (self.at, self.content_digest())
    }
}

/// Returns the digest of everything a team shares of a memory: if it is equal, there is nothing to push or pull.
///
/// A field that is missing is not written and not digested, so a new one changes no digest of before.
#[must_use]
pub fn content_digest(content: &Content, superseded_by: Option<&Uid>) -> Digest {
    let said = ContentRecord { confidence: None, provenance: None, ..shared_record(content) };
    let json = serde_json::to_vec(&said).unwrap_or_default();
    digest([json.as_slice(), superseded_by.map(|uid| uid.as_str().as_bytes()).unwrap_or_default()])
}

/// Writes content as it is shared: without its pin and its scope, which are each member's own.
#[must_use]
pub fn shared_record(content: &Content) -> ContentRecord {
    ContentRecord { scope: None, pinned: None, ..ContentRecord::from_content(content) }
}

/// Reads what [`shared_record`] wrote on another machine, or a part of it. A field this build does not know is an error: read without
/// it, the memory would say less than its author shared.
pub fn parse_shared_record(json: &Value) -> Result<ContentRecord, ContentError> {
    let foreign = |error: serde_json::Error| ContentError::Foreign(error.to_string());
    let record = ContentRecord::deserialize(json).map_err(foreign)?;
    let record = ContentRecord { scope: None, pinned: None, ..record };
    let known = serde_json::to_value(&record).map_err(foreign)?;
    let mut fields = json.as_object().into_iter().flat_map(|fields| fields.keys());
    match fields.find(|field| known.get(field).is_none()) {
        Some(field) => Err(ContentError::Foreign(format!("`{field}` is unknown"))),
        None => Ok(record),
    }
}

/// A memory a team shares.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedMemory {
    /// Its global name.
    pub uid: Uid,
    /// When it was first written.
    pub created_at: Timestamp,
    /// All its revisions, in order; the last one counts.
    pub revisions: Vec<SharedRevision>,
}

impl SharedMemory {
    /// Returns the first revision with the same words. Later ones only touched, superseded or reweighed the memory: their authors
    /// did not write the words.
    #[must_use]
    pub fn first_saying<'a>(&'a self, revision: &'a SharedRevision) -> &'a SharedRevision {
        let words = Checksum::of_content(&revision.content);
        self.revisions
            .iter()
            .find(|earlier| Checksum::of_content(&earlier.content) == words)
            .unwrap_or(revision)
    }
}

/// How one shared memory relates to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedLink {
    /// The memory that relates.
    pub from: Uid,
    /// How.
    pub relation: Relation,
    /// The memory it relates to.
    pub to: Uid,
}

/// The changes of a project that leave one machine or reach another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SyncBatch {
    /// Memories that are new or changed.
    pub memories: Vec<SharedMemory>,
    /// Memories that were forgotten; they win over everything else.
    pub forgotten: Vec<Uid>,
    /// How memories relate to others.
    pub links: Vec<SharedLink>,
    /// Memories this member pinned or unpinned.
    pub pins: Vec<(Uid, bool)>,
}

impl SyncBatch {
    /// Whether there is nothing to push or apply.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.memories.is_empty() && self.forgotten.is_empty() && self.links.is_empty() && self.pins.is_empty()
    }
}

/// How far a project was pulled: everything written by transactions before this one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Watermark(pub u64);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Confidence, Kind};

    #[test]
    fn words_belong_to_whoever_wrote_them_first() {
        let said = |author: &str, body: &str, superseded_by: Option<&str>| SharedRevision {
            content: Content::new(Kind::Note, "title", body),
            superseded_by: superseded_by.map(|uid| Uid::parse(uid).unwrap()),
            at: Timestamp(0),
            author: author.to_owned(),
        };
        let revisions =
            vec![said("ann", "tabs", None), said("bob", "spaces", None), said("carl", "spaces", Some("u2"))];
        let memory = SharedMemory { uid: Uid::parse("u1").unwrap(), created_at: Timestamp(0), revisions };
        let authors: Vec<&str> =
            memory.revisions.iter().map(|said| memory.first_saying(said).author.as_str()).collect();
        assert_eq!(authors, ["ann", "bob", "bob"]);
    }

    #[test]
    fn a_digest_covers_all_that_is_said_and_no_experience() {
        let draft = Content::new(Kind::Note, "tabs", "we use tabs");
        let same = Content { confidence: Confidence::new(0.2), pinned: true, ..draft.clone() };
        assert_eq!(content_digest(&draft, None), content_digest(&same, None));
        let uid = Uid::parse("later").unwrap();
        let others = [
            (Content { body: "we use spaces".to_owned(), ..draft.clone() }, None),
            (Content { valid_from: Some(Timestamp(1)), ..draft.clone() }, None),
            (Content { valid_to: Some(Timestamp(1)), ..draft.clone() }, None),
            (draft.clone(), Some(&uid)),
        ];
        for (other, superseded_by) in &others {
            assert_ne!(content_digest(&draft, None), content_digest(other, *superseded_by));
        }
    }

    #[test]
    fn shared_content_is_read_back_and_a_field_of_another_build_is_refused() {
        let content = Content::new(Kind::Note, "tabs", "we use tabs");
        let mut json = serde_json::to_value(shared_record(&content)).unwrap();
        assert_eq!(parse_shared_record(&json).unwrap().into_whole(), Ok(content));
        json["mood"] = Value::String("fine".to_owned());
        assert!(parse_shared_record(&json).is_err());
    }
}
