//! A hub with teams, on a server of our own.

use backstory_memory::{Content, Kind, SharedMemory, SharedRevision, SyncBatch, Timestamp, Uid, Watermark};
use backstory_sync::{Hub, HubAddress, HubError, HubOwner, Pulled, TeamName, TeamQuery};
use backstory_testkit::PrivateDatabase;

/// The project of most tests.
pub(crate) const PROJECT: &str = "remote:example.org/one";
/// Everybody's password.
pub(crate) const PASSWORD: &str = "sesame";

/// A hub.
pub(crate) struct TestHub {
    pub(crate) database: PrivateDatabase,
}

impl TestHub {
    /// Makes a hub with the teams and members given; `None` where there is no PostgreSQL.
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
    /// Everything a pull tells, once all that was pushed before is finished.
    pub(crate) fn pull(&self, hub: &mut Hub, since: Watermark) -> (SyncBatch, Watermark) {
        self.database.wait_for_commits();
        pull(hub, since)
    }
}

pub(crate) fn name(text: &str) -> TeamName {
    text.parse().unwrap()
}

pub(crate) fn uid(text: &str) -> Uid {
    Uid::parse(text).unwrap()
}

/// What a memory says at a time.
pub(crate) fn said(at: i64, title: &str) -> SharedRevision {
    SharedRevision {
        content: Content::new(Kind::Decision, title, &format!("We decided: {title}.")),
        superseded_by: None,
        at: Timestamp(at),
        author: String::new(),
    }
}

/// SyncBatch of one memory.
pub(crate) fn batch(of: &str, revisions: Vec<SharedRevision>) -> SyncBatch {
    let memory = SharedMemory { uid: uid(of), created_at: Timestamp(1), revisions };
    SyncBatch { memories: vec![memory], ..SyncBatch::default() }
}

/// SyncBatch of one memory that was forgotten.
pub(crate) fn forgotten(of: &str) -> SyncBatch {
    SyncBatch { forgotten: vec![uid(of)], ..SyncBatch::default() }
}

/// Everything a pull tells, in one.
pub(crate) fn pull(hub: &mut Hub, since: Watermark) -> (SyncBatch, Watermark) {
    pull_of(hub, PROJECT, since)
}

/// Everything a pull tells of a project.
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

/// A question of any kind, with all the time there is.
pub(crate) fn asking<'a>(words: &'a str, project: Option<&'a str>, most: u32) -> TeamQuery<'a> {
    TeamQuery { words, project, most, ..TeamQuery::default() }
}

/// The titles a memory has had, as a pull tells them, with their authors.
pub(crate) fn titles(batch: &SyncBatch) -> Vec<(String, Vec<(String, String)>)> {
    let pushed = |memory: &SharedMemory| {
        let revisions = memory.revisions.iter();
        let revisions = revisions.map(|said| (said.content.title.clone(), said.author.clone())).collect();
        (memory.uid.to_string(), revisions)
    };
    batch.memories.iter().map(pushed).collect()
}
