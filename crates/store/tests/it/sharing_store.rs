//! A store that shares a project with a team, without a hub: batches are pushed and pulled by hand.

use crate::kit::NOW;
use crate::test_store::{TestHome, TestStore};
use backstory_memory::{
    Content, Kind, Memory, MemoryId, ProjectId, Provenance, Redacted, SharedMemory, SharedRevision,
    SyncBatch, Timestamp, Uid,
};
use backstory_store::{InboxReport, JoinOutcome, OutboxEntry, OutboxMemory, Team, TeamTransport};
use std::ops::{Deref, DerefMut};

/// A team, on a hub of its own.
pub(crate) fn team(name: &str) -> Team {
    Team {
        transport: TeamTransport::Hub,
        name: name.into(),
        hub_team: name.into(),
        hub_id: Some(format!("hub of {name}")),
        url: "postgres://ann@db/hub".into(),
        member: "ann".into(),
        synced_at: None,
    }
}

/// A store that shares its project at `/home/u/one` with the team `a`.
pub(crate) struct SharingStore {
    store: TestStore,
    pub(crate) shared: ProjectId,
}

impl Deref for SharingStore {
    type Target = TestStore;

    fn deref(&self) -> &TestStore {
        &self.store
    }
}

impl DerefMut for SharingStore {
    fn deref_mut(&mut self) -> &mut TestStore {
        &mut self.store
    }
}

impl SharingStore {
    pub(crate) fn new() -> SharingStore {
        SharingStore::from(TestStore::new())
    }

    pub(crate) fn close(self) -> TestHome {
        self.store.close()
    }

    /// Joins a team and shares a project with it.
    pub(crate) fn share(&mut self, team_name: &str, root: &str) -> ProjectId {
        let project = self.project_at(root);
        assert_eq!(self.sync_mut().join_team(&team(team_name), NOW).unwrap(), JoinOutcome::Joined);
        let key = root.replace("/home/u/", "remote:example.org/");
        self.sync_mut().share_project(project, team_name, &key).unwrap();
        project
    }

    pub(crate) fn outbox(&self) -> Vec<OutboxEntry> {
        self.outbox_of(self.shared)
    }

    pub(crate) fn outbox_of(&self, project: ProjectId) -> Vec<OutboxEntry> {
        self.sync().outbox(project, None, 100).unwrap()
    }

    /// Empties the outbox and returns what was in it.
    pub(crate) fn push_all(&mut self) -> Vec<OutboxEntry> {
        self.push_all_of(self.shared)
    }

    pub(crate) fn push_all_of(&mut self, project: ProjectId) -> Vec<OutboxEntry> {
        let pushed = self.outbox_of(project);
        self.sync_mut().mark_pushed(project, &pushed).unwrap();
        assert_eq!(self.sync().count_outbox(project).unwrap(), 0, "{:?}", self.outbox_of(project));
        pushed
    }

    pub(crate) fn mark_pushed(&mut self, entries: &[OutboxEntry]) {
        let shared = self.shared;
        self.sync_mut().mark_pushed(shared, entries).unwrap();
    }

    /// Notes that a restored hub is pulled from its beginning.
    pub(crate) fn restart_pull(&mut self) {
        let shared = self.shared;
        self.sync_mut().restart_pull(shared, "second").unwrap();
    }

    pub(crate) fn requeue_lost(&mut self) -> usize {
        let shared = self.shared;
        usize::try_from(self.sync_mut().requeue_lost(shared).unwrap()).unwrap()
    }

    /// Empties the outbox, which holds no tombstone, and returns the memories.
    pub(crate) fn push_memories(&mut self) -> Vec<OutboxMemory> {
        self.push_all().into_iter().map(changed).collect()
    }

    pub(crate) fn apply(&mut self, batch: &SyncBatch) -> InboxReport {
        self.apply_to(self.shared, batch)
    }

    pub(crate) fn apply_to(&mut self, project: ProjectId, batch: &SyncBatch) -> InboxReport {
        self.sync_mut().apply_batch(project, &Redacted::vouch(batch.clone()), NOW).unwrap()
    }

    /// Applies a batch with one memory.
    pub(crate) fn pull(&mut self, uid: &str, revisions: &[SharedRevision]) -> InboxReport {
        self.apply(&batch(uid, revisions))
    }

    pub(crate) fn uid_of(&self, id: MemoryId) -> Uid {
        self.memory(id).uid
    }

    pub(crate) fn by_uid(&self, text: &str) -> Memory {
        self.memories().by_uid(&uid(text)).unwrap().unwrap()
    }

    pub(crate) fn title(&self, uid: &str) -> String {
        self.by_uid(uid).content.title
    }

    /// The titles of the older revisions, newest first.
    pub(crate) fn older_titles(&self, id: MemoryId) -> Vec<String> {
        self.memories().revisions(id).unwrap().into_iter().map(|older| older.content.title).collect()
    }
}

impl From<TestStore> for SharingStore {
    fn from(store: TestStore) -> SharingStore {
        let mut sharing = SharingStore { store, shared: ProjectId(0) };
        sharing.shared = sharing.share("a", "/home/u/one");
        sharing
    }
}

/// The memory of an entry that is no tombstone.
pub(crate) fn changed(entry: OutboxEntry) -> OutboxMemory {
    match entry {
        OutboxEntry::Changed(memory) => *memory,
        OutboxEntry::Deleted(uid) => panic!("{uid} was forgotten"),
    }
}

/// Titles of revisions with their age after `NOW`.
pub(crate) fn titles_and_ages(memory: &OutboxMemory) -> Vec<(&str, i64)> {
    let revisions = memory.revisions.iter();
    revisions.map(|revision| (revision.content.title.as_str(), revision.at.0 - NOW.0)).collect()
}

pub(crate) fn revision(at: i64, title: &str, author: &str) -> SharedRevision {
    let content = Content {
        provenance: Provenance::Team(author.to_owned()),
        ..Content::new(Kind::Decision, title, title)
    };
    SharedRevision { content, superseded_by: None, at: Timestamp(at), author: author.to_owned() }
}

pub(crate) fn batch(of: &str, revisions: &[SharedRevision]) -> SyncBatch {
    let memory = SharedMemory { uid: uid(of), created_at: Timestamp(1), revisions: revisions.to_vec() };
    SyncBatch { memories: vec![memory], ..SyncBatch::default() }
}

pub(crate) fn tombstones(uids: Vec<Uid>) -> SyncBatch {
    SyncBatch { forgotten: uids, ..SyncBatch::default() }
}

pub(crate) fn uid(text: &str) -> Uid {
    Uid::parse(text).unwrap()
}
