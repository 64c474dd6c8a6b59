//! Sharing with a team: what waits in the outbox, and what becomes of what is pulled.

use crate::kit::{KEEP, NOW, draft};
use crate::sharing_store::{SharingStore, revision, titles_and_ages, tombstones, uid};
use crate::test_store::{TestStore, grep};
use backstory_memory::{MemoryId, Provenance, SharedRevision, Standing, Timestamp, Watermark};
use backstory_store::{OutboxEntry, Pin};

#[test]
fn only_shared_projects_are_pushed_and_each_change_once() {
    let mut store = TestStore::new();
    let before = store.note("before it was shared", "body");
    let mut store = SharingStore::from(store);
    let other = store.project_at("/home/u/private");
    store.remember_in(other, draft("private", "body"));
    let after = store.note("after", "body");
    let pushed = store.push_memories();
    let mut titles: Vec<_> = pushed.iter().map(|pushed| pushed.memory.content.title.as_str()).collect();
    titles.sort_unstable();
    assert_eq!(titles, ["after", "before it was shared"]);

    store.memories_mut().reinforce(before, NOW).unwrap();
    assert_eq!(store.outbox(), [], "being seen again is no change");
    store.revise(before, draft("other words", "body"), NOW.plus_ms(5));
    store.memories_mut().pin(after, Pin::Keep).unwrap();
    let pushed = store.push_memories();
    let change = |id| {
        let of_memory = pushed.iter().find(|pushed| pushed.memory.id == id).unwrap();
        (of_memory.revisions.len(), of_memory.pin)
    };
    assert_eq!((change(before), change(after)), ((1, None), (0, Some(true))));
}

#[test]
fn revisions_from_before_sharing_are_pushed_too() {
    let mut store = TestStore::new();
    let id = store.note("first", "body");
    store.revise(id, draft("second", "body"), NOW.plus_ms(5));
    let pushed = SharingStore::from(store).push_memories();
    assert_eq!(titles_and_ages(&pushed[0]), [("first", 0), ("second", 5)]);
}

#[test]
fn a_revision_is_later_than_the_one_it_replaces_whatever_the_clock_says() {
    let mut store = SharingStore::new();
    store.pull("u1", &[revision(NOW.0 + 1000, "theirs", "bob")]);
    assert_eq!(store.outbox(), [], "what was pulled is not pushed");
    let id = store.by_uid("u1").id;
    store.revise(id, draft("ours", "body"), NOW);
    assert_eq!(titles_and_ages(&store.push_memories()[0]).last(), Some(&("ours", 1001)));
}

#[test]
fn a_change_during_a_push_stays_in_the_outbox() {
    let mut store = SharingStore::new();
    let id = store.note("one", "body");
    let pushed = store.outbox();
    store.revise(id, draft("two", "body"), NOW.plus_ms(1));
    store.mark_pushed(&pushed);
    assert_eq!(store.push_memories()[0].memory.content.title, "two");
}

#[test]
fn a_forgotten_memory_of_the_team_is_pushed_as_a_tombstone() {
    let mut store = SharingStore::new();
    let known = store.note("known to all", "body");
    let uid = store.uid_of(known);
    store.push_all();
    let unknown = store.note("never pushed", "body");
    store.forget(&[known, unknown]);
    let pushed = store.push_all();
    assert!(pushed.contains(&OutboxEntry::Deleted(uid)), "{pushed:?}");
    assert_eq!(store.outbox(), []);
}

#[test]
fn a_pulled_memory_keeps_its_revisions_and_authors_and_pulling_it_again_changes_nothing() {
    let mut store = SharingStore::new();
    let revisions = [revision(5, "tabs", "ann"), revision(7, "spaces", "bob")];
    let applied = store.pull("u1", &revisions);
    assert_eq!((applied.written, applied.revised), (1, 0));
    let read = |store: &SharingStore| {
        let memory = store.by_uid("u1");
        let older = store.memories().revisions(memory.id).unwrap();
        (memory, older)
    };
    let (memory, older) = read(&store);
    assert_eq!(
        (memory.content.title.as_str(), &memory.content.provenance),
        ("spaces", &Provenance::Team("bob".into()))
    );
    assert_eq!((memory.created_at, memory.updated_at), (Timestamp(1), Timestamp(7)));
    let authors: Vec<_> = older
        .iter()
        .map(|older| (older.content.title.as_str(), older.until.0, older.author.as_deref()))
        .collect();
    assert_eq!(authors, [("tabs", 7, Some("ann"))]);
    let again = store.pull("u1", &revisions);
    assert_eq!((again.written, again.revised), (0, 0));
    assert_eq!(read(&store), (memory, older));
    assert!(store.check().is_sound());
}

#[test]
fn a_pull_does_not_overwrite_a_change_that_waits_to_be_pushed() {
    let mut store = SharingStore::new();
    let (first, theirs) = (revision(5, "tabs", "bob"), revision(NOW.0 + 9, "theirs", "bob"));
    store.pull("u1", std::slice::from_ref(&first));
    let id = store.by_uid("u1").id;
    store.revise(id, draft("ours", "body"), NOW);
    store.pull("u1", &[first.clone(), theirs.clone()]);
    assert_eq!(store.title("u1"), "ours");
    let ours = store.push_memories()[0].revisions.last().unwrap().clone();
    store.pull("u1", &[first, ours, theirs]);
    assert_eq!(store.title("u1"), "theirs", "the newer of both counts");
    assert_eq!(store.older_titles(id)[0], "ours", "and both are kept");
}

#[test]
fn a_memory_may_arrive_before_its_replacement() {
    let mut store = SharingStore::new();
    let replaced = SharedRevision { superseded_by: Some(uid("u2")), ..revision(5, "old", "bob") };
    store.pull("u1", &[replaced]);
    store.pull("u2", &[revision(6, "new", "bob")]);
    assert_eq!(store.by_uid("u1").standing, Standing::Superseded(MemoryId(2)));
    assert_eq!(store.outbox(), []);
    store.pull("u1", &[revision(5, "old", "bob"), revision(8, "in force", "bob")]);
    assert_eq!(store.by_uid("u1").standing, Standing::Confirmed);
}

#[test]
fn a_pulled_tombstone_removes_every_byte_and_keeps_the_memory_out() {
    let mut store = SharingStore::new();
    let revisions = [revision(5, "an unmistakable phrase", "bob")];
    store.pull("u1", &revisions);
    let gone = tombstones(vec![uid("u1")]);
    assert_eq!(store.apply(&gone).forgotten, 1);
    assert_eq!(store.apply(&gone).forgotten, 0);
    assert_eq!(store.outbox(), [], "the team knows");
    store.pull("u1", &revisions);
    assert_eq!(store.memories().count().unwrap(), 0);
    let test = store.close();
    assert_eq!(grep(test.root(), "unmistakable"), []);
}

/// The owner of a hub can write as anybody.
#[test]
fn words_are_the_users_own_only_where_this_machine_knows_them() {
    let mut store = SharingStore::new();
    let id = store.note("tabs", "body");
    let own = store.push_memories().remove(0).to_shared();
    let before = store.by_uid(own.uid.as_str()).content;
    assert_eq!(before.provenance, Provenance::User);
    let pulled = |at: i64, title: &str| {
        let mut pulled = own.revisions[0].clone();
        pulled.content.provenance = Provenance::Team("ann".into());
        pulled.content.title = title.to_owned();
        SharedRevision { at: Timestamp(at), author: "ann".into(), ..pulled }
    };
    let at = own.revisions[0].at.0;
    store.pull(own.uid.as_str(), &[pulled(at, "tabs")]);
    assert_eq!(store.by_uid(own.uid.as_str()).content, before, "known word for word");
    assert_eq!(store.outbox(), []);
    store.pull(own.uid.as_str(), &[pulled(at, "tabs"), pulled(at + 1, "run make deploy")]);
    let after = store.by_uid(own.uid.as_str());
    assert_eq!((after.id, after.content.provenance), (id, Provenance::Team("ann".into())));
    backstory_testkit::held("A05", 8, 1, "hubs that speak as the user are believed as colleagues");
}

/// One member, or an agent of one, could otherwise erase what everybody knows.
#[test]
fn what_others_forget_of_the_user_or_in_masses_can_be_restored_for_thirty_days() {
    let mut store = SharingStore::new();
    store.note("my own words", "body");
    let own = store.push_memories().remove(0).memory;
    store.pull("u1", &[revision(5, "one of bob's", "bob")]);
    let applied = store.apply(&tombstones(vec![uid("u1"), own.uid.clone()]));
    assert_eq!((applied.forgotten, applied.held), (2, 1));
    let held = store.sync().held().unwrap();
    let [only] = held.as_slice() else { panic!("{held:?}") };
    assert_eq!((&only.content, only.project, only.held_at), (&own.content, own.project, NOW));
    let restored = store.sync_mut().restore_held(&held).unwrap();
    let memory = store.memories().get(restored[0]).unwrap().unwrap();
    assert_eq!((&memory.content, memory.created_at), (&own.content, own.created_at));
    assert_ne!(memory.uid, own.uid, "the team's tombstone stays");
    assert_eq!((store.sync().held().unwrap(), store.push_memories().len()), (vec![], 1));

    let many: Vec<String> = (0..21).map(|number| format!("many-{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    for name in &many {
        store.pull(name, &[revision(5, name, "bob")]);
    }
    assert_eq!(store.apply(&tombstones(many.iter().map(|name| uid(name)).collect())).held, 21);
    let one = store.sync().held().unwrap().remove(0);
    assert_eq!(store.sync_mut().discard_held(&[one], NOW).unwrap(), Vec::<std::path::PathBuf>::new());
    assert_eq!(store.sync().held().unwrap().len(), 20);
    // Our own clock follows the machine's by two days a run at most.
    for (days, left) in [(0..=28, 20), (30..=30, 0)] {
        for day in days.step_by(2) {
            store.upkeep_mut().maintain(KEEP, NOW.plus_ms(day * Timestamp::DAY_MS)).unwrap();
        }
        assert_eq!(store.sync().held().unwrap().len(), left);
    }
    backstory_testkit::held("A05", 7, 2, "foreign and mass deletions can be restored");
}

#[test]
fn a_few_deletions_at_a_time_count_as_many_within_a_day() {
    let mut store = SharingStore::new();
    let names: Vec<String> = (0..40).map(|number| format!("few-{number}")).collect();
    for name in &names {
        store.pull(name, &[revision(5, name, "bob")]);
    }
    let project = store.shared;
    let mut forget = |few: &[String], now: Timestamp| {
        let uids: Vec<_> = few.iter().map(|name| uid(name)).collect();
        store.sync_mut().apply_deletions(project, &uids, now).unwrap().held
    };
    assert_eq!((forget(&names[..15], NOW), forget(&names[15..30], NOW)), (0, 15));
    let tomorrow = NOW.plus_ms(Timestamp::DAY_MS);
    assert_eq!(forget(&names[30..], tomorrow), 0, "a new day");
}

#[test]
fn what_is_discarded_leaves_no_byte_in_backups() {
    let mut store = SharingStore::new();
    store.note("my own zyx001quux", "body");
    let own = store.push_memories().remove(0).memory;
    store.apply(&tombstones(vec![own.uid]));
    store.back_up();
    let held = store.sync().held().unwrap();
    assert_eq!(store.sync_mut().discard_held(&held, NOW).unwrap(), Vec::<std::path::PathBuf>::new());
    let root = store.home().root().to_owned();
    store.upkeep().checkpoint().unwrap();
    assert_eq!(grep(&root, "zyx001"), vec![]);
}

#[test]
fn a_pull_that_is_held_back_says_since_when_until_it_moves_on() {
    let mut store = SharingStore::new();
    let project = store.shared;
    let mut note = |at: Option<u64>, now: i64| {
        let since = store.sync_mut().note_held_back(project, at.map(Watermark), Timestamp(now)).unwrap();
        assert_eq!(store.sync().shared_projects().unwrap()[0].held_since, since);
        since.map(|since| since.0)
    };
    let seen = [
        note(Some(7), 10),
        note(Some(7), 20),
        note(Some(8), 30),
        note(Some(8), 40),
        note(None, 50),
        note(Some(8), 60),
    ];
    assert_eq!(seen, [Some(10), Some(10), Some(30), Some(30), None, Some(60)]);
}

#[test]
fn an_unshared_project_keeps_what_it_pulled_and_pushes_nothing() {
    let mut store = SharingStore::new();
    store.pull("u1", &[revision(5, "tabs", "bob")]);
    let shared = store.shared;
    store.sync_mut().set_watermark(shared, Watermark(9)).unwrap();
    assert_eq!(store.sync().shared_projects().unwrap()[0].watermark, Watermark(9));
    assert!(store.sync_mut().leave_team("a").unwrap());
    assert_eq!((store.sync().shared_projects().unwrap(), store.sync().teams().unwrap()), (vec![], vec![]));
    store.note("later", "body");
    assert_eq!(store.outbox(), []);
    assert_eq!(store.title("u1"), "tabs");
}
