//! What may be pushed to a team, redacted once more, and which provenance pulled memories get.

use backstory_capture::{Redactor, prepare, prepare_batch};
use backstory_memory::{
    Content, Kind, MemoryScope, Provenance, Redacted, SharedMemory, SharedRevision, SyncBatch,
};
use backstory_store::OutboxMemory;
use serde::Deserialize;

/// The provenance of what other members of a team say, as it is configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TeamProvenance {
    /// [`Provenance::Team`], with the member's name.
    Team,
    /// [`Provenance::Web`].
    Web,
}

/// Decides what is shared, and what is made of what others share.
pub struct SharePolicy {
    kinds: Vec<Kind>,
    team_provenance: TeamProvenance,
    redactor: Redactor,
}

impl SharePolicy {
    /// Makes a policy that shares these kinds.
    #[must_use]
    pub fn new(kinds: Vec<Kind>, team_provenance: TeamProvenance, redactor: Redactor) -> SharePolicy {
        SharePolicy { kinds, team_provenance, redactor }
    }

    /// Returns what is pushed of a memory; none if it is kept local. Earlier wordings are judged one by one.
    pub(crate) fn outgoing(&self, entry: &OutboxMemory) -> Option<SyncBatch> {
        if !self.may_be_shared(&entry.memory.content) {
            return None;
        }
        let mut shared = entry.to_shared();
        shared.revisions.retain(|revision| self.may_be_shared(&revision.content));
        let batch = SyncBatch {
            memories: Some(shared).filter(|shared| !shared.revisions.is_empty()).into_iter().collect(),
            links: entry.links.clone(),
            pins: entry.pin.map(|pin| (entry.memory.uid.clone(), pin)).into_iter().collect(),
            ..SyncBatch::default()
        };
        Some(prepare_batch(batch, &self.redactor).into_inner())
    }

    /// Takes secrets out of a text that is to be stored.
    pub(crate) fn redact(&self, text: &str) -> Redacted<String> {
        self.redactor.scrub(text)
    }

    /// Whether content may be shared: of a shared kind, of the project and not of the user alone, and not from a rules file, which every
    /// clone holds anyway.
    fn may_be_shared(&self, content: &Content) -> bool {
        self.admits(content) && content.scope == MemoryScope::Project
    }

    /// Whether content is shared without a change. A vector is made of every word, so only then may it leave.
    pub(crate) fn is_shared_unchanged(&self, content: &Content) -> bool {
        self.may_be_shared(content) && *prepare(content.clone(), &self.redactor) == *content
    }

    /// Whether content of others is taken in: what may not be pushed to a team is not accepted from it either.
    #[must_use]
    pub fn admits(&self, content: &Content) -> bool {
        self.kinds.contains(&content.kind) && !content.is_of_rules_file()
    }

    /// Makes pulled changes fit to be stored: of the kinds that are shared, redacted, capped, and with the provenance that they have on
    /// this machine.
    pub(crate) fn incoming(&self, mut batch: SyncBatch) -> Redacted<SyncBatch> {
        batch
            .memories
            .retain(|memory| memory.revisions.last().is_some_and(|last| self.admits(&last.content)));
        for memory in &mut batch.memories {
            memory.revisions.retain(|revision| self.admits(&revision.content));
        }
        let restamp = |memory: SharedMemory| {
            let restamp = |revision: &SharedRevision| {
                let first = memory.first_saying(revision);
                let claimed = [&first.content.provenance, &revision.content.provenance];
                let provenance = self.provenance(&first.author, claimed);
                let content = Content { provenance, ..revision.content.clone() };
                SharedRevision { content, ..revision.clone() }
            };
            let revisions = memory.revisions.iter().map(restamp).collect();
            SharedMemory { revisions, ..memory.clone() }
        };
        let memories = batch.memories.into_iter().map(restamp).collect();
        prepare_batch(SyncBatch { memories, ..batch }, &self.redactor)
    }

    /// Returns the provenance of pulled words, from their author and from what their first and last revision claim.
    ///
    /// They are a colleague's at most, and what came from outside the team stays outside. Words under one's own name are no exception: the
    /// owner of a hub can write any name, so what counts as the user's is what this machine knows already (the store sees to that).
    #[must_use]
    pub fn provenance(&self, author: &str, claimed: [&Provenance; 2]) -> Provenance {
        match self.team_provenance {
            _ if claimed.contains(&&Provenance::Web) => Provenance::Web,
            _ if claimed.contains(&&Provenance::Repository) => Provenance::Repository,
            TeamProvenance::Web => Provenance::Web,
            TeamProvenance::Team => Provenance::Team(author.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backstory_capture::RedactorOptions;
    use backstory_memory::{Timestamp, Uid};

    fn shared(uid: &str, kinds: &[Kind]) -> SharedMemory {
        let said = |(at, kind): (i64, &Kind)| SharedRevision {
            content: Content::new(*kind, "a title", "a body"),
            superseded_by: None,
            at: Timestamp(at),
            author: "bob".to_owned(),
        };
        let revisions = (1..).zip(kinds).map(said).collect();
        SharedMemory { uid: Uid::parse(uid).unwrap(), created_at: Timestamp(1), revisions }
    }

    #[test]
    fn an_untrusted_team_is_trusted_under_no_name() {
        let redactor = Redactor::new(RedactorOptions::default());
        let policy = SharePolicy::new(vec![Kind::Note], TeamProvenance::Web, redactor);
        // `bob` may be the name this machine has in the team: the owner of a hub writes any name.
        let batch = SyncBatch { memories: vec![shared("note", &[Kind::Note])], ..SyncBatch::default() };
        let taken = policy.incoming(batch).into_inner();
        assert_eq!(taken.memories[0].revisions[0].content.provenance, Provenance::Web);
    }

    #[test]
    fn what_the_policy_keeps_local_is_not_taken_in_from_others_either() {
        let redactor = Redactor::new(RedactorOptions::default());
        let policy = SharePolicy::new(vec![Kind::Decision, Kind::Note], TeamProvenance::Team, redactor);
        let memories = vec![
            shared("decision", &[Kind::Decision]),
            shared("handoff", &[Kind::Handoff]),
            shared("summary", &[Kind::Note, Kind::Summary]),
            shared("once-a-handoff", &[Kind::Handoff, Kind::Note]),
        ];
        let batch = SyncBatch { memories, ..SyncBatch::default() };
        let taken = policy.incoming(batch).into_inner();
        let taken: Vec<(&str, Vec<Kind>)> = taken
            .memories
            .iter()
            .map(|memory| {
                let kinds = memory.revisions.iter().map(|revision| revision.content.kind).collect();
                (memory.uid.as_str(), kinds)
            })
            .collect();
        assert_eq!(taken, [("decision", vec![Kind::Decision]), ("once-a-handoff", vec![Kind::Note])]);
        backstory_testkit::held("A05", 16, 3, "kinds the policy excludes are not taken in");
    }
}
