//! What may be pushed to a team, redacted once more, and which provenance is given to what is pulled.

use backstory_capture::{Redactor, prepare};
use backstory_memory::{Content, Kind, MemoryScope, Provenance, SharedMemory, SharedRevision, SyncBatch};
use backstory_store::OutboxMemory;

/// How far the words of other members are trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrustInTeam {
    /// As what a colleague says.
    Colleague,
    /// As what comes from outside.
    Outsider,
}

/// Decides what is shared, and what is made of what others share.
pub struct SharePolicy {
    kinds: Vec<Kind>,
    trust: TrustInTeam,
    redactor: Redactor,
}

impl SharePolicy {
    /// Makes a policy that shares these kinds.
    #[must_use]
    pub fn new(kinds: Vec<Kind>, trust: TrustInTeam, redactor: Redactor) -> SharePolicy {
        SharePolicy { kinds, trust, redactor }
    }

    /// Returns what is pushed of a memory; nothing where it is kept local. An earlier wording is pushed only if it may be by itself.
    pub(crate) fn outgoing(&self, entry: &OutboxMemory) -> Option<SyncBatch> {
        if !self.may_be_shared(&entry.memory.content) {
            return None;
        }
        let mut shared = entry.to_shared();
        shared.revisions.retain(|revision| self.may_be_shared(&revision.content));
        for revision in &mut shared.revisions {
            revision.content = prepare(revision.content.clone(), &self.redactor);
        }
        Some(SyncBatch {
            memories: Some(shared).filter(|shared| !shared.revisions.is_empty()).into_iter().collect(),
            links: entry.links.clone(),
            pins: entry.pin.map(|pin| (entry.memory.uid.clone(), pin)).into_iter().collect(),
            ..SyncBatch::default()
        })
    }

    /// Whether content may be shared: of a kind that may, of the project and not of the user alone, and not what every clone holds anyway.
    fn may_be_shared(&self, content: &Content) -> bool {
        self.kinds.contains(&content.kind)
            && content.scope == MemoryScope::Project
            && !content.is_of_rules_file()
    }

    /// Whether content is shared without a change. A vector is made of every word, so only then may it leave.
    pub(crate) fn is_shared_unchanged(&self, content: &Content) -> bool {
        self.may_be_shared(content) && prepare(content.clone(), &self.redactor) == *content
    }

    /// Makes pulled changes fit to be stored: redacted, capped, and with the provenance that they have on this machine.
    pub(crate) fn incoming(&self, batch: SyncBatch, member: Option<&str>) -> SyncBatch {
        let restamp = |memory: SharedMemory| {
            let restamp = |revision: &SharedRevision| {
                let first = memory.first_saying(revision);
                let provenance = self.provenance(
                    member,
                    &first.author,
                    [&first.content.provenance, &revision.content.provenance],
                );
                let content = prepare(Content { provenance, ..revision.content.clone() }, &self.redactor);
                SharedRevision { content, ..revision.clone() }
            };
            let revisions = memory.revisions.iter().map(restamp).collect();
            SharedMemory { revisions, ..memory.clone() }
        };
        SyncBatch { memories: batch.memories.into_iter().map(restamp).collect(), ..batch }
    }

    /// Returns the provenance of pulled words, from their author and from what their first and last revision claim.
    ///
    /// One's own words from another machine keep theirs. The words of others are a colleague's at most, and what came from outside the
    /// team stays outside. Without a `member` nobody proves who they are, and no word counts as one's own.
    #[must_use]
    pub fn provenance(&self, member: Option<&str>, author: &str, claimed: [&Provenance; 2]) -> Provenance {
        let [first, _] = claimed;
        match self.trust {
            _ if claimed.contains(&&Provenance::External) => Provenance::External,
            _ if member == Some(author) => first.clone(),
            TrustInTeam::Outsider => Provenance::External,
            TrustInTeam::Colleague => Provenance::Team(author.to_owned()),
        }
    }
}
