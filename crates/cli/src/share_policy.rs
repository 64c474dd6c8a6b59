//! The share_policy between this machine and a team: what may leave, redacted once more; and what is incoming of what comes.

use crate::app::App;
use crate::config::{KindName, Team, TeamTrust};
use backstory_capture::{Redactor, prepare};
use backstory_memory::{Content, MemoryScope, Provenance, SharedMemory, SharedRevision, SyncBatch};
use backstory_store::OutboxMemory;

/// What decides it.
pub(crate) struct SharePolicy<'a> {
    config: &'a Team,
    redactor: Redactor,
}

impl<'a> SharePolicy<'a> {
    pub(crate) fn from_app(app: &'a App) -> SharePolicy<'a> {
        SharePolicy { config: &app.config.team, redactor: app.redactor() }
    }

    /// Returns what leaves of a memory; nothing where it stays. What it said before stays where that by itself would not leave.
    pub(crate) fn outgoing(&self, saying: &OutboxMemory) -> Option<SyncBatch> {
        if !self.may_be_shared(&saying.memory.content) {
            return None;
        }
        let mut shared = saying.to_shared();
        shared.revisions.retain(|revision| self.may_be_shared(&revision.content));
        for revision in &mut shared.revisions {
            revision.content = prepare(revision.content.clone(), &self.redactor);
        }
        Some(SyncBatch {
            memories: Some(shared).filter(|shared| !shared.revisions.is_empty()).into_iter().collect(),
            links: saying.links.clone(),
            pins: saying.pin.map(|pin| (saying.memory.uid.clone(), pin)).into_iter().collect(),
            ..SyncBatch::default()
        })
    }

    /// Whether something may leave: of a kind that may, of the project and not of the user alone, and not what every clone holds anyway.
    pub(crate) fn may_be_shared(&self, content: &Content) -> bool {
        self.config.kinds.contains(&KindName(content.kind))
            && content.scope == MemoryScope::Project
            && !content.is_of_rules_file()
    }

    /// Whether something may leave, and every word of it: what it means speaks of them all.
    pub(crate) fn is_shared_unchanged(&self, content: &Content) -> bool {
        self.may_be_shared(content) && prepare(content.clone(), &self.redactor) == *content
    }

    /// Makes what the team tells fit to be stored.
    pub(crate) fn incoming(&self, batch: SyncBatch, member: &str) -> SyncBatch {
        let believe = |memory: SharedMemory| {
            let believe = |revision: &SharedRevision| {
                let first = memory.first_saying(revision);
                let provenance = self.provenance(
                    member,
                    &first.author,
                    [&first.content.provenance, &revision.content.provenance],
                );
                let content = prepare(Content { provenance, ..revision.content.clone() }, &self.redactor);
                SharedRevision { content, ..revision.clone() }
            };
            let revisions = memory.revisions.iter().map(believe).collect();
            SharedMemory { revisions, ..memory.clone() }
        };
        SyncBatch { memories: batch.memories.into_iter().map(believe).collect(), ..batch }
    }

    /// Returns what is incoming of what somebody said, and of who touched it last. One's own words from another machine are what they
    /// were; what others say is incoming as what a colleague says, or less, and what came from outside stays outside.
    pub(crate) fn provenance(
        &self,
        member: &str,
        author: &str,
        first_provenance: [&Provenance; 2],
    ) -> Provenance {
        let [first, _] = first_provenance;
        match self.config.provenance {
            _ if first_provenance.contains(&&Provenance::External) => Provenance::External,
            _ if author == member => first.clone(),
            TeamTrust::External => Provenance::External,
            TeamTrust::Team => Provenance::Team(author.to_owned()),
        }
    }
}
