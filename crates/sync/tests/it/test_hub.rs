//! A hub with teams, on a server of our own.

use backstory_memory::{Content, Kind, SharedMemory, SharedRevision, SyncBatch, Timestamp, Uid, Watermark};
use backstory_sync::{Hub, HubAddress, HubError, HubOwner, Pulled, Pushed, TeamName, TeamQuery};
use backstory_testkit::PrivateDatabase;
use postgres::{Client, NoTls, Transaction};

/// The project of most tests.
pub(crate) const PROJECT: &str = "remote:example.org/one";
/// Everybody's password.
pub(crate) const PASSWORD: &str = "sesame";

/// A hub.
pub(crate) struct TestHub {
    pub(crate) database: PrivateDatabase,
}

impl TestHub {
    /// Makes a hub with teams and members; `None` where there is no PostgreSQL.
    pub(crate) fn with(teams: &[(&str, &[&str])]) -> Option<TestHub> {
        Some(TestHub::on(PrivateDatabase::new()?, teams))
    }

    /// Makes a hub in a database.
    pub(crate) fn on(database: PrivateDatabase, teams: &[(&str, &[&str])]) -> TestHub {
        let test = TestHub { database };
        let mut owner = test.owner();
        owner.migrate(&mut || {}).unwrap();
        for (team, members) in teams {
            owner.make_team(&name(team)).unwrap();
            for member in *members {
                owner.invite(&name(team), &test.name(member), PASSWORD).unwrap();
            }
        }
        test
    }

    pub(crate) fn owner(&self) -> HubOwner {
        HubOwner::connect(&HubAddress::parse(&self.database.url("owner")).unwrap(), None).unwrap()
    }

    pub(crate) fn name(&self, member: &str) -> TeamName {
        name(&self.database.member(member))
    }

    pub(crate) fn join(&self, member: &str, team: &str) -> Result<Hub, HubError> {
        let address = HubAddress::parse(&self.database.url(self.name(member).as_str())).unwrap();
        Hub::join(&address, Some(PASSWORD), Some(&name(team)))
    }

    /// Joins, with the project shared.
    pub(crate) fn member(&self, member: &str, team: &str) -> Hub {
        let mut hub = self.join(member, team).unwrap();
        hub.share(PROJECT, "one").unwrap();
        hub
    }
}

impl TestHub {
    /// Connects as a member could with any other program.
    pub(crate) fn client(&self, member: &str) -> Client {
        self.connect(self.name(member).as_str())
    }

    pub(crate) fn connect(&self, role: &str) -> Client {
        let mut config: postgres::Config = self.database.url(role).parse().unwrap();
        config.password(PASSWORD).connect(NoTls).unwrap()
    }

    /// Returns everything a pull hands out, once all that was pushed before is committed.
    pub(crate) fn pull(&self, hub: &mut Hub, since: Watermark) -> (SyncBatch, Watermark) {
        self.database.wait_for_commits();
        pull(hub, since)
    }
}

/// A hub with one team, and its only member.
pub(crate) fn with_ann() -> Option<(TestHub, Hub)> {
    let test = TestHub::with(&[("a", &["ann"])])?;
    let ann = test.member("ann", "a");
    Some((test, ann))
}

/// A hub with one team, and its two members.
pub(crate) fn with_ann_and_bob() -> Option<(TestHub, Hub, Hub)> {
    let test = TestHub::with(&[("a", &["ann", "bob"])])?;
    let (ann, bob) = (test.member("ann", "a"), test.member("bob", "a"));
    Some((test, ann, bob))
}

/// Begins a transaction in which a team is chosen.
pub(crate) fn begin<'a>(client: &'a mut Client, team: &str) -> Transaction<'a> {
    let mut transaction = client.transaction().unwrap();
    transaction.execute("SELECT set_config('backstory.team', $1, true)", &[&team]).unwrap();
    transaction
}

/// Pushes to the project of most tests.
pub(crate) fn push(hub: &mut Hub, batch: &SyncBatch) -> Pushed {
    hub.push(PROJECT, batch, &mut || {}).unwrap()
}

pub(crate) fn name(text: &str) -> TeamName {
    text.parse().unwrap()
}

pub(crate) fn uid(text: &str) -> Uid {
    Uid::parse(text).unwrap()
}

/// A revision of a time.
pub(crate) fn revision(at: i64, title: &str) -> SharedRevision {
    SharedRevision {
        content: Content::new(Kind::Decision, title, &format!("We decided: {title}.")),
        superseded_by: None,
        at: Timestamp(at),
        author: String::new(),
    }
}

/// A batch with one memory.
pub(crate) fn batch(of: &str, revisions: Vec<SharedRevision>) -> SyncBatch {
    let memory = SharedMemory { uid: uid(of), created_at: Timestamp(1), revisions };
    SyncBatch { memories: vec![memory], ..SyncBatch::default() }
}

/// A batch with all memories of several.
pub(crate) fn joined(batches: impl IntoIterator<Item = SyncBatch>) -> SyncBatch {
    let memories = batches.into_iter().flat_map(|batch| batch.memories).collect();
    SyncBatch { memories, ..SyncBatch::default() }
}

/// A batch with one deletion.
pub(crate) fn forgotten(of: &str) -> SyncBatch {
    SyncBatch { forgotten: vec![uid(of)], ..SyncBatch::default() }
}

/// Returns everything a pull of the project hands out.
pub(crate) fn pull(hub: &mut Hub, since: Watermark) -> (SyncBatch, Watermark) {
    pull_of(hub, PROJECT, since)
}

/// Returns everything a pull of a project hands out.
pub(crate) fn pull_of(hub: &mut Hub, project: &str, since: Watermark) -> (SyncBatch, Watermark) {
    let mut all = SyncBatch::default();
    let next = hub
        .pull(project, since, &[], |pulled| {
            if let Pulled::Batch(batch) = pulled {
                all.memories.extend(batch.memories);
                all.forgotten.extend(batch.forgotten);
                all.links.extend(batch.links);
                all.pins.extend(batch.pins);
            }
            Ok::<(), HubError>(())
        })
        .unwrap();
    (all, next)
}

/// A query for every kind, without a timeout.
pub(crate) fn query<'a>(words: &'a str, project: Option<&'a str>, most: u32) -> TeamQuery<'a> {
    TeamQuery { words, project, most, ..TeamQuery::default() }
}

/// Returns the uids of what a search finds, the best first.
pub(crate) fn found_uids(hub: &mut Hub, query: &TeamQuery<'_>) -> Vec<String> {
    hub.search(query).unwrap().iter().map(|hit| hit.uid.to_string()).collect()
}

/// Returns the titles of every memory in a batch, with their authors.
pub(crate) fn titles(batch: &SyncBatch) -> Vec<(String, Vec<(String, String)>)> {
    let pushed = |memory: &SharedMemory| {
        let revisions = memory.revisions.iter();
        let revisions =
            revisions.map(|revision| (revision.content.title.clone(), revision.author.clone())).collect();
        (memory.uid.to_string(), revisions)
    };
    batch.memories.iter().map(pushed).collect()
}
