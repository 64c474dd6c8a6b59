//! The shared form of a memory, and when two machines have the same one.
//!
//! Not here: how it travels (`sync`), and what this machine stores of it (`store`).

use crate::{Checksum, Content, Digest, Relation, Timestamp, Uid, digest};

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
#[must_use]
pub fn content_digest(content: &Content, superseded_by: Option<&Uid>) -> Digest {
    let time = |time: Option<Timestamp>| time.map(|time| time.0.to_le_bytes());
    let (valid_from, valid_to) = (time(content.valid_from), time(content.valid_to));
    let bytes = |time: &'_ Option<[u8; 8]>| time.map(|bytes| bytes.to_vec()).unwrap_or_default();
    digest([
        Checksum::of_content(content).0.0.as_slice(),
        content.category.as_ref().map(|category| category.0.as_bytes()).unwrap_or_default(),
        &[content.importance.get()],
        &bytes(&valid_from),
        &bytes(&valid_to),
        superseded_by.map(|uid| uid.as_str().as_bytes()).unwrap_or_default(),
    ])
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
    fn words_are_of_who_said_them_first() {
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
    fn experience_is_no_news_and_everything_said_is() {
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
}
