//! What is shared with a team: what is to be told, and what becomes of what is heard.

use crate::kit::{NOW, TestHome, draft, new, note, project};
use backstory_memory::{
    Content, Kind, Memory, MemoryId, ProjectId, Provenance, SharedMemory, SharedRevision, Standing,
    SyncBatch, Timestamp, Uid, Watermark,
};
use backstory_store::{JoinOutcome, OutboxEntry, OutboxMemory, Pin, Store, Team, TeamTransport};

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

/// A home that shares its project.
pub(crate) fn sharing(test: &TestHome) -> (Store, ProjectId) {
    let mut store = test.open();
    let project = project(&mut store, "/home/u/one");
    assert_eq!(store.sync_mut().join_team(&team("a"), NOW).unwrap(), JoinOutcome::Joined);
    store.sync_mut().share_project(project, "a", "remote:example.org/one").unwrap();
    (store, project)
}

pub(crate) fn all_untold(store: &Store, project: ProjectId) -> Vec<OutboxEntry> {
    store.sync().outbox(project, None, 100).unwrap()
}

pub(crate) fn said(untold: &OutboxEntry) -> &OutboxMemory {
    match untold {
        OutboxEntry::Changed(saying) => saying,
        OutboxEntry::Deleted(uid) => panic!("{uid} was forgotten"),
    }
}

/// Tells everything there is to tell, and returns it.
pub(crate) fn tell(store: &mut Store, project: ProjectId) -> Vec<OutboxEntry> {
    let untold = all_untold(store, project);
    store.sync_mut().mark_pushed(project, &untold).unwrap();
    assert_eq!(store.sync().count_outbox(project).unwrap(), 0, "{:?}", all_untold(store, project));
    untold
}

pub(crate) fn uid_of(store: &Store, id: MemoryId) -> Uid {
    store.memories().get(id).unwrap().unwrap().uid
}

pub(crate) fn revision(at: i64, title: &str, author: &str) -> SharedRevision {
    let content = Content {
        provenance: Provenance::Team(author.to_owned()),
        ..Content::new(Kind::Decision, title, title)
    };
    SharedRevision { content, superseded_by: None, at: Timestamp(at), author: author.to_owned() }
}

pub(crate) fn news(of: &str, revisions: Vec<SharedRevision>) -> SyncBatch {
    let memory = SharedMemory { uid: uid(of), created_at: Timestamp(1), revisions };
    SyncBatch { memories: vec![memory], ..SyncBatch::default() }
}

pub(crate) fn uid(text: &str) -> Uid {
    Uid::parse(text).unwrap()
}

pub(crate) fn memory(store: &Store, uid: &Uid) -> Memory {
    store.memories().by_uid(uid).unwrap().unwrap()
}

pub(crate) fn title(store: &Store, of: &str) -> String {
    memory(store, &uid(of)).content.title
}

#[test]
fn only_what_is_in_a_shared_project_is_told_and_each_change_once() {
    let test = TestHome::new();
    let mut store = test.open();
    let before = note(&mut store, "before it was shared", "body");
    drop(store);
    let (mut store, shared) = sharing(&test);
    let other = project(&mut store, "/home/u/private");
    store.memories_mut().remember(&new(other, draft("private", "body"))).unwrap();
    let after = note(&mut store, "after", "body");
    let told = tell(&mut store, shared);
    let mut titles: Vec<_> = told.iter().map(|untold| said(untold).memory.content.title.clone()).collect();
    titles.sort();
    assert_eq!(titles, ["after", "before it was shared"]);

    store.memories_mut().reinforce(before, NOW).unwrap();
    assert_eq!(all_untold(&store, shared), [], "experience is no news");
    store.memories_mut().revise(before, &draft("other words", "body"), Timestamp(NOW.0 + 5)).unwrap();
    store.memories_mut().pin(after, Pin::Keep).unwrap();
    let told = tell(&mut store, shared);
    let of = |id| told.iter().map(said).find(|saying| saying.memory.id == id).unwrap();
    let (revised, pinned) = (of(before), of(after));
    assert_eq!((revised.revisions.len(), revised.pin), (1, None));
    assert_eq!((pinned.revisions.len(), pinned.pin), (0, Some(true)));
}

#[test]
fn what_was_said_before_it_was_shared_goes_along() {
    let test = TestHome::new();
    let mut store = test.open();
    let id = note(&mut store, "first", "body");
    store.memories_mut().revise(id, &draft("second", "body"), Timestamp(NOW.0 + 5)).unwrap();
    drop(store);
    let (mut store, shared) = sharing(&test);
    let told = tell(&mut store, shared);
    let revisions: Vec<_> =
        said(&told[0]).revisions.iter().map(|said| (said.content.title.clone(), said.at.0 - NOW.0)).collect();
    assert_eq!(revisions, [("first".to_owned(), 0), ("second".to_owned(), 5)]);
}

#[test]
fn a_change_is_later_than_what_it_changed_whatever_the_clock_says() {
    let test = TestHome::new();
    let (mut store, shared) = sharing(&test);
    store
        .sync_mut()
        .apply_batch(shared, &news("u1", vec![revision(NOW.0 + 1000, "theirs", "bob")]), NOW)
        .unwrap();
    assert_eq!(all_untold(&store, shared), [], "what was heard is no news");
    let id = memory(&store, &uid("u1")).id;
    store.memories_mut().revise(id, &draft("ours", "body"), NOW).unwrap();
    let told = tell(&mut store, shared);
    assert_eq!(said(&told[0]).revisions.last().unwrap().at.0, NOW.0 + 1001);
}

#[test]
fn what_changed_while_it_was_told_is_told_again() {
    let test = TestHome::new();
    let (mut store, shared) = sharing(&test);
    let id = note(&mut store, "one", "body");
    let untold = all_untold(&store, shared);
    store.memories_mut().revise(id, &draft("two", "body"), Timestamp(NOW.0 + 1)).unwrap();
    store.sync_mut().mark_pushed(shared, &untold).unwrap();
    let left = tell(&mut store, shared);
    assert_eq!(said(&left[0]).memory.content.title, "two");
}

#[test]
fn what_the_team_knows_and_is_forgotten_here_is_told_and_nothing_else_that_is() {
    let test = TestHome::new();
    let (mut store, shared) = sharing(&test);
    let known = note(&mut store, "known to all", "body");
    let uid = uid_of(&store, known);
    tell(&mut store, shared);
    let unknown = note(&mut store, "never told", "body");
    store.memories_mut().forget(&[known, unknown], NOW).unwrap();
    let untold = all_untold(&store, shared);
    assert!(untold.contains(&OutboxEntry::Deleted(uid)), "{untold:?}");
    store.sync_mut().mark_pushed(shared, &untold).unwrap();
    assert_eq!(all_untold(&store, shared), []);
}

#[test]
fn what_is_heard_is_there_with_its_past_its_authors_and_its_trust_and_hearing_it_again_changes_nothing() {
    let test = TestHome::new();
    let (mut store, shared) = sharing(&test);
    let told = news("u1", vec![revision(5, "tabs", "ann"), revision(7, "spaces", "bob")]);
    let heard = store.sync_mut().apply_batch(shared, &told, NOW).unwrap();
    assert_eq!((heard.written, heard.revised), (1, 0));
    let read = |store: &Store| {
        let memory = memory(store, &uid("u1"));
        let past: Vec<_> = store.memories().revisions(memory.id).unwrap();
        (memory, past)
    };
    let (memory, past) = read(&store);
    assert_eq!(
        (memory.content.title.as_str(), &memory.content.provenance),
        ("spaces", &Provenance::Team("bob".into()))
    );
    assert_eq!((memory.created_at, memory.updated_at), (Timestamp(1), Timestamp(7)));
    let past_told: Vec<_> =
        past.iter().map(|past| (past.title.as_str(), past.until.0, past.author.as_deref())).collect();
    assert_eq!(past_told, [("tabs", 7, Some("ann"))]);
    let again = store.sync_mut().apply_batch(shared, &told, NOW).unwrap();
    assert_eq!((again.written, again.revised), (0, 0));
    assert_eq!(read(&store), (memory, past));
    assert!(store.upkeep().check(backstory_store::CheckDepth::Full).unwrap().is_sound());
}

#[test]
fn what_was_changed_here_is_not_written_over_before_it_was_told() {
    let test = TestHome::new();
    let (mut store, shared) = sharing(&test);
    store.sync_mut().apply_batch(shared, &news("u1", vec![revision(5, "tabs", "bob")]), NOW).unwrap();
    let id = memory(&store, &uid("u1")).id;
    store.memories_mut().revise(id, &draft("ours", "body"), NOW).unwrap();
    let theirs = news("u1", vec![revision(5, "tabs", "bob"), revision(NOW.0 + 9, "theirs", "bob")]);
    store.sync_mut().apply_batch(shared, &theirs, NOW).unwrap();
    assert_eq!(title(&store, "u1"), "ours");
    let told = tell(&mut store, shared);
    let ours = said(&told[0]).revisions.last().unwrap().clone();
    let mut all = theirs;
    all.memories[0].revisions.insert(1, ours);
    store.sync_mut().apply_batch(shared, &all, NOW).unwrap();
    assert_eq!(title(&store, "u1"), "theirs", "the newer of both counts");
    assert_eq!(store.memories().revisions(id).unwrap()[0].title, "ours", "and both are kept");
}

#[test]
fn what_replaced_a_memory_may_come_after_it() {
    let test = TestHome::new();
    let (mut store, shared) = sharing(&test);
    let by = uid("u2");
    let replaced = SharedRevision { superseded_by: Some(by), ..revision(5, "old", "bob") };
    store.sync_mut().apply_batch(shared, &news("u1", vec![replaced]), NOW).unwrap();
    store.sync_mut().apply_batch(shared, &news("u2", vec![revision(6, "new", "bob")]), NOW).unwrap();
    let old = memory(&store, &uid("u1"));
    assert_eq!(old.standing, Standing::Superseded(MemoryId(2)));
    assert_eq!(all_untold(&store, shared), []);
    store
        .sync_mut()
        .apply_batch(
            shared,
            &news("u1", vec![revision(5, "old", "bob"), revision(8, "in force", "bob")]),
            NOW,
        )
        .unwrap();
    let old = memory(&store, &uid("u1"));
    assert_eq!(old.standing, Standing::Confirmed);
}

#[test]
fn what_the_team_forgot_is_gone_here_without_a_trace_and_stays_out() {
    let test = TestHome::new();
    let (mut store, shared) = sharing(&test);
    let told = news("u1", vec![revision(5, "an unmistakable phrase", "bob")]);
    store.sync_mut().apply_batch(shared, &told, NOW).unwrap();
    let gone = SyncBatch { forgotten: vec![uid("u1")], ..SyncBatch::default() };
    assert_eq!(store.sync_mut().apply_batch(shared, &gone, NOW).unwrap().forgotten, 1);
    assert_eq!(store.sync_mut().apply_batch(shared, &gone, NOW).unwrap().forgotten, 0);
    assert_eq!(all_untold(&store, shared), [], "the team knows");
    store.sync_mut().apply_batch(shared, &told, NOW).unwrap();
    assert_eq!(store.memories().count().unwrap(), 0);
    drop(store);
    let holds = |path: &std::path::PathBuf| {
        std::fs::read(path).is_ok_and(|bytes| bytes.windows(12).any(|window| window == b"unmistakable"))
    };
    assert_eq!(
        test.paths().into_iter().filter(holds).collect::<Vec<_>>(),
        [""; 0].map(std::path::PathBuf::from)
    );
}

#[test]
fn a_project_that_is_shared_no_longer_keeps_what_it_heard_and_tells_nothing() {
    let test = TestHome::new();
    let (mut store, shared) = sharing(&test);
    store.sync_mut().apply_batch(shared, &news("u1", vec![revision(5, "tabs", "bob")]), NOW).unwrap();
    store.sync_mut().set_watermark(shared, Watermark(9)).unwrap();
    assert_eq!(store.sync().shared_projects().unwrap()[0].watermark, Watermark(9));
    assert!(store.sync_mut().leave_team("a").unwrap());
    assert_eq!((store.sync().shared_projects().unwrap(), store.sync().teams().unwrap()), (vec![], vec![]));
    note(&mut store, "later", "body");
    assert_eq!(all_untold(&store, shared), []);
    assert_eq!(title(&store, "u1"), "tabs");
}
