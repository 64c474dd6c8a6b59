//! What a team may not change, and what must not be lost between this machine and its hub.

use crate::kit::{NOW, draft, new};
use crate::sharing_store::{SharingStore, batch, changed, revision, team, titles_and_ages, tombstones, uid};
use backstory_memory::{
    Content, Kind, MemoryId, MemoryScope, Provenance, Relation, SharedLink, SharedRevision, Standing,
    SyncBatch, Timestamp, Uid, Watermark,
};
use backstory_store::{JoinOutcome, NewMemory, OutboxEntry, OutboxMemory, Pin, Team};

/// What a user wrote for no team.
fn private(title: &str) -> Content {
    Content { scope: MemoryScope::User, ..draft(title, "body") }
}

/// A summary: no team gets one.
fn summary(title: &str) -> Content {
    Content { kind: Kind::Summary, ..draft(title, "body") }
}

/// A revision by the user of this machine, as the team has it.
fn by_ann(at: i64, title: &str) -> SharedRevision {
    let content = Content { provenance: Provenance::User, ..draft(title, "body") };
    SharedRevision { content, ..revision(NOW.0 + at, title, "ann") }
}

/// Whoever is in one of the teams knows, or guesses, the uids of the other's memories.
#[test]
fn a_team_changes_nothing_that_is_not_shared_with_it() {
    let mut store = SharingStore::new();
    let of_b = store.share("b", "/home/u/two");
    let unshared = store.project_at("/home/u/private");
    let known_to_a = store.note("known to a", "body");
    let mine = store.remember_in(unshared, draft("private", "body"));
    let own = store.remember_in(of_b, private("of the user alone"));
    let pending = store.outbox_of(of_b);
    store.sync_mut().mark_kept_local(&pending).unwrap();
    store.push_all();

    for id in [known_to_a, mine, own] {
        let before = store.memory(id);
        let hijacked = batch(before.uid.as_str(), &[revision(NOW.0 + 9, "hijacked", "eve")]);
        assert_eq!(store.apply_to(of_b, &hijacked).refused, 1, "{before:?}");
        let pins = vec![(before.uid.clone(), true)];
        let more = SyncBatch { pins, ..tombstones(vec![before.uid.clone()]) };
        assert_eq!(store.apply_to(of_b, &more).refused, 1, "{before:?}");
        assert_eq!(store.memory(id), before);
    }
    // Nor does it become what replaced something of theirs, or stand in a link.
    let of = store.uid_of(known_to_a);
    let replaced = SharedRevision { superseded_by: Some(of.clone()), ..revision(5, "theirs", "eve") };
    let link = SharedLink { from: uid("u1"), relation: Relation::Contradicts, to: of };
    store.apply_to(of_b, &SyncBatch { links: vec![link], ..batch("u1", &[replaced]) });
    assert_eq!(store.by_uid("u1").standing, Standing::Confirmed);
    assert_eq!(store.memories().links(known_to_a).unwrap(), []);
    assert_eq!(store.outbox(), [], "the outbox for a is as it was");
}

#[test]
fn a_memory_the_team_moved_to_another_project_is_still_pulled() {
    let mut store = SharingStore::new();
    let two = store.share("a", "/home/u/two");
    let id = store.note("ours", "body");
    store.push_all();
    let of = store.uid_of(id);
    store.apply_to(two, &batch(of.as_str(), &[revision(NOW.0 + 9, "theirs", "bob")]));
    let memory = store.memory(id);
    assert_eq!((memory.content.title.as_str(), memory.project), ("theirs", store.shared));
}

#[test]
fn a_team_of_the_same_name_on_another_hub_is_another_team() {
    let mut store = SharingStore::new();
    let shared = store.shared;
    store.sync_mut().set_watermark(shared, Watermark(9)).unwrap();
    let elsewhere =
        Team { hub_id: Some("another".into()), url: "postgres://ann@elsewhere/hub".into(), ..team("a") };
    let taken = JoinOutcome::NameTaken { url: team("a").url };
    assert_eq!(store.sync_mut().join_team(&elsewhere, NOW).unwrap(), taken);
    assert_eq!(store.sync().teams().unwrap(), [team("a")], "the first is as it was");
    let renamed = Team { name: "z".into(), ..elsewhere };
    assert_eq!(store.sync_mut().join_team(&renamed, NOW).unwrap(), JoinOutcome::Joined);
    store.sync_mut().share_project(shared, "z", "remote:example.org/one").unwrap();
    let watermark = store.sync().shared_projects().unwrap()[0].watermark;
    assert_eq!(watermark, Watermark(0), "no watermark is another hub's");

    let moved = Team { url: "postgres://ann@moved/hub".into(), ..team("a") };
    assert_eq!(store.sync_mut().join_team(&moved, NOW).unwrap(), JoinOutcome::Joined);
    assert_eq!(store.sync().teams().unwrap()[0].url, moved.url);
}

#[test]
fn a_team_without_a_hub_id_is_known_by_its_url() {
    let mut store = SharingStore::new();
    let old = Team { name: "old".into(), hub_team: "old".into(), hub_id: None, ..team("a") };
    store.sync_mut().join_team(&old, NOW).unwrap();
    let named = Team { hub_id: Some("id".into()), ..old };
    let elsewhere = Team { url: "postgres://ann@elsewhere/hub".into(), ..named.clone() };
    assert!(matches!(store.sync_mut().join_team(&elsewhere, NOW).unwrap(), JoinOutcome::NameTaken { .. }));
    assert_eq!(store.sync_mut().join_team(&named, NOW).unwrap(), JoinOutcome::Joined);
    assert_eq!(store.sync().teams().unwrap()[1], named);
}

#[test]
fn pinning_a_memory_whose_replacement_was_not_pulled_yet_keeps_it_superseded() {
    let mut store = SharingStore::new();
    let replaced = SharedRevision { superseded_by: Some(uid("u2")), ..revision(5, "old", "bob") };
    store.pull("u1", &[replaced]);
    let id = store.by_uid("u1").id;
    store.memories_mut().pin(id, Pin::Keep).unwrap();
    let pushed = store.push_memories();
    assert_eq!((pushed[0].revisions.len(), pushed[0].pin), (0, Some(true)));
    // Revised, it stays superseded all the same.
    store.revise(id, draft("other words", "body"), NOW.plus_ms(5));
    assert_eq!(store.push_memories()[0].revisions.last().unwrap().superseded_by, Some(uid("u2")));
}

#[test]
fn a_link_may_be_pulled_before_its_ends_and_is_pushed_with_either() {
    let mut store = SharingStore::new();
    let link = SharedLink { from: uid("u1"), relation: Relation::Contradicts, to: uid("u2") };
    store.apply(&SyncBatch { links: vec![link.clone()], ..SyncBatch::default() });
    store.pull("u1", &[revision(5, "one", "bob")]);
    store.pull("u2", &[revision(5, "two", "bob")]);
    let (one, two) = (store.by_uid("u1").id, store.by_uid("u2").id);
    assert_eq!(store.memories().links(one).unwrap().len(), 1);
    assert_eq!(store.outbox(), [], "what was pulled is not pushed");

    store.revise(two, draft("two, otherwise", "body"), NOW.plus_ms(5));
    assert_eq!(store.push_memories()[0].links, [link], "whichever end is pushed");
}

#[test]
fn each_revision_keeps_its_own_scope() {
    let mut store = SharingStore::new();
    let id = store.remember(private("for my eyes"));
    store.revise(id, draft("for all", "body"), NOW.plus_ms(5));
    let pushed = store.push_memories();
    let scopes: Vec<_> = pushed[0].revisions.iter().map(|revision| revision.content.scope).collect();
    assert_eq!(scopes, [MemoryScope::User, MemoryScope::Project]);
}

#[test]
fn deletions_are_counted_until_they_are_pushed() {
    let mut store = SharingStore::new();
    let known = [store.note("known to all", "body"), store.note("also", "body")];
    store.push_all();
    store.note("never pushed", "body");
    store.forget(&known);
    assert_eq!(store.sync().count_outbox_deletions(store.shared).unwrap(), 2);
    store.push_all();
    assert_eq!(store.sync().count_outbox_deletions(store.shared).unwrap(), 0);
}

#[test]
fn more_tombstones_than_one_transaction_holds_are_applied() {
    let mut store = SharingStore::new();
    let uids: Vec<Uid> = (0..45).map(|number| uid(&format!("u{number}"))).collect();
    for (number, of) in uids.iter().enumerate() {
        store.pull(of.as_str(), &[revision(5, &format!("number {number}"), "bob")]);
    }
    assert_eq!(store.apply(&tombstones(uids)).forgotten, 45);
    assert_eq!((store.memories().count().unwrap(), store.outbox()), (0, vec![]));
}

#[test]
fn what_a_restored_hub_lost_is_requeued_by_its_author() {
    let mut store = SharingStore::new();
    let (lost, kept) = (store.note("lost", "body"), store.note("kept", "body"));
    store.pull("u1", &[revision(5, "of bob", "bob")]);
    let shared = store.shared;
    store.sync_mut().set_epoch(shared, "first").unwrap();
    store.push_all();
    store.sync_mut().set_watermark(shared, Watermark(9)).unwrap();

    store.restart_pull();
    let begun = store.sync().shared_projects().unwrap().remove(0);
    assert_eq!((begun.watermark, begun.epoch.as_deref()), (Watermark(0), Some("second")));
    store.pull(store.uid_of(kept).as_str(), &[by_ann(0, "kept")]);
    assert_eq!(store.requeue_lost(), 1);
    let pushed: Vec<MemoryId> = store.push_memories().iter().map(|pushed| pushed.memory.id).collect();
    assert_eq!(pushed, [lost]);
    assert_eq!(store.requeue_lost(), 0);
}

#[test]
fn a_tombstone_is_pushed_to_a_hub_that_was_restored_before() {
    let mut store = SharingStore::new();
    let id = store.note("known to all", "body");
    let of = store.uid_of(id);
    store.push_all();
    store.restart_pull();
    store.forget(&[id]);
    store.requeue_lost();
    assert_eq!(store.outbox(), [OutboxEntry::Deleted(of)]);
}

#[test]
fn a_tombstone_for_a_memory_of_others_is_pushed_to_a_restored_hub() {
    let mut store = SharingStore::new();
    store.pull("u1", &[revision(5, "of bob", "bob")]);
    store.restart_pull();
    assert_eq!(store.requeue_lost(), 0);
    let id = store.by_uid("u1").id;
    store.forget(&[id]);
    assert_eq!(store.outbox(), [OutboxEntry::Deleted(uid("u1"))]);
}

#[test]
fn a_merged_project_takes_its_outbox_along() {
    let mut store = SharingStore::new();
    let from = store.share("a", "/home/u/two");
    let gone = store.remember_in(from, draft("known to all", "body"));
    let of = store.uid_of(gone);
    store.push_all_of(from);
    store.forget(&[gone]);
    let kept = store.remember_in(from, draft("never pushed", "body"));
    let into = store.shared;
    store.projects_mut().merge(from, into).unwrap();
    let (deleted, memories): (Vec<_>, Vec<_>) =
        store.outbox().into_iter().partition(|entry| matches!(entry, OutboxEntry::Deleted(_)));
    assert!(deleted.contains(&OutboxEntry::Deleted(of)), "{deleted:?}");
    assert_eq!(memories.into_iter().map(|entry| changed(entry).memory.id).collect::<Vec<_>>(), [kept]);
}

#[test]
fn memories_merged_into_a_project_of_another_team_are_pushed_to_that_team() {
    let mut store = SharingStore::new();
    let (from, into) = (store.shared, store.share("b", "/home/u/two"));
    let id = store.note("not pushed yet", "body");
    store.projects_mut().merge(from, into).unwrap();
    let pending: Vec<MemoryId> =
        store.outbox_of(into).into_iter().map(|entry| changed(entry).memory.id).collect();
    assert_eq!(pending, [id]);
}

#[test]
fn revisions_that_never_left_this_machine_keep_their_place_after_a_pull() {
    let mut store = SharingStore::new();
    let id = store.remember(private("for my eyes"));
    let wordings = [draft("for all", "body"), summary("a summary"), draft("at last", "body")];
    for (later, content) in (1..).zip(wordings) {
        store.revise(id, content, NOW.plus_ms(later));
    }
    let of = store.uid_of(id);
    store.push_all();
    // The share policy kept the other two back.
    let mut known = vec![by_ann(1, "for all"), by_ann(3, "at last")];
    for (theirs, wanted) in [
        (None, vec!["a summary", "for all", "for my eyes"]),
        (Some(revision(NOW.0 + 9, "theirs", "bob")), vec!["at last", "a summary", "for all", "for my eyes"]),
    ] {
        known.extend(theirs);
        for _ in 0..2 {
            store.pull(of.as_str(), &known);
            assert_eq!(store.older_titles(id), wanted);
            let last = store.number("SELECT max(revision) FROM revisions");
            assert_eq!(last, wanted.len() as i64, "they are numbered from 1 without a gap");
        }
    }
    // It stays the user's own, also where everything is pushed anew.
    store.sync_mut().leave_team("a").unwrap();
    store.share("a", "/home/u/one");
    let pushed = store.push_memories().remove(0).revisions.into_iter().map(|revision| revision.content);
    let own: Vec<String> =
        pushed.filter(|content| content.scope == MemoryScope::User).map(|content| content.title).collect();
    assert_eq!(own, ["for my eyes"]);
}

/// A restored hub that got a newer revision of somebody misses ours in between.
#[test]
fn a_revision_the_hub_lost_stays_in_the_history_here() {
    let mut store = SharingStore::new();
    let id = store.note("first", "body");
    store.push_all();
    store.revise(id, draft("lost there", "body"), NOW.plus_ms(5));
    store.push_all();
    let of = store.uid_of(id);
    let first = SharedRevision { content: draft("first", "body"), ..revision(NOW.0, "first", "ann") };
    store.pull(of.as_str(), &[first, revision(NOW.0 + 9, "theirs", "bob")]);
    assert_eq!(store.title(of.as_str()), "theirs");
    assert_eq!(store.older_titles(id), ["lost there", "first"]);
}

/// Pushes two memories; then revises the one, supersedes the other, and pushes both again. Returns what was pushed first.
fn push_twice(store: &mut SharingStore) -> (Vec<OutboxMemory>, [Uid; 2]) {
    let (revised, replaced) = (store.note("first", "body"), store.note("old", "body"));
    let before = store.push_memories();
    store.revise(revised, draft("second", "body"), NOW.plus_ms(5));
    let by = NewMemory { created_at: NOW.plus_ms(5), ..new(store.shared, draft("new", "body")) };
    store.memories_mut().supersede(replaced, &by).unwrap();
    store.push_all();
    // Being seen again is no change.
    store.memories_mut().reinforce(revised, NOW.plus_ms(7)).unwrap();
    (before, [store.uid_of(revised), store.uid_of(replaced)])
}

#[test]
fn an_older_revision_of_a_restored_hub_undoes_nothing_and_the_newer_one_is_requeued_unchanged() {
    let mut store = SharingStore::new();
    let (before, [revised, replaced]) = push_twice(&mut store);
    let memories = before.iter().map(OutboxMemory::to_shared).collect();
    let restored = SyncBatch { memories, ..SyncBatch::default() };
    store.restart_pull();
    for _ in 0..2 {
        let applied = store.apply(&restored);
        assert_eq!((applied.revised, store.title(revised.as_str())), (0, "second".to_owned()));
        assert!(matches!(store.by_uid(replaced.as_str()).standing, Standing::Superseded(_)));
    }
    store.requeue_lost();
    let again = store.push_memories();
    let last = |uid: &Uid| {
        let memory = again.iter().find(|pushed| pushed.memory.uid == *uid).unwrap();
        memory.revisions.last().unwrap().clone()
    };
    let requeued = last(&revised);
    assert_eq!((requeued.at, requeued.content.title.as_str()), (NOW.plus_ms(5), "second"));
    assert!(last(&replaced).superseded_by.is_some());
    // Once pushed it is known to the team, and a later revision counts, as ever.
    store.pull(revised.as_str(), std::slice::from_ref(&requeued));
    let later = store.pull(revised.as_str(), &[requeued, revision(NOW.0 + 9, "theirs", "bob")]);
    assert_eq!(later.revised, 1);
    assert_eq!(store.outbox(), []);
}

#[test]
fn an_older_branch_undoes_no_revision_of_others_and_requeues_none() {
    let mut store = SharingStore::new();
    let (first, second) = (revision(5, "first", "bob"), revision(9, "second", "bob"));
    let older = batch("u1", std::slice::from_ref(&first));
    store.pull("u1", &[first, second]);
    assert_eq!(store.apply(&older).revised, 0);
    assert_eq!(store.title("u1"), "second");
    assert_eq!(store.outbox(), []);
    // Revised here it is pushed, and later than what was known.
    let id = store.by_uid("u1").id;
    store.revise(id, draft("ours", "body"), Timestamp(7));
    store.apply(&older);
    assert_eq!(store.title("u1"), "ours");
    assert_eq!(store.push_memories()[0].revisions.last().unwrap().at, Timestamp(10));
}

#[test]
fn a_requeued_revision_keeps_its_age() {
    let mut store = SharingStore::new();
    let (_, [revised, _]) = push_twice(&mut store);
    let shared = store.shared;
    store.sync_mut().requeue(shared, &[revised]).unwrap();
    assert_eq!(titles_and_ages(&store.push_memories()[0]), [("first", 0), ("second", 5)]);
}

#[test]
fn a_forgotten_memory_that_comes_back_is_deleted_again() {
    let mut store = SharingStore::new();
    let revisions = [revision(5, "a secret", "bob")];
    store.pull("u1", &revisions);
    let id = store.by_uid("u1").id;
    store.forget(&[id]);
    store.push_all();
    store.restart_pull();
    store.pull("u1", &revisions);
    assert_eq!(store.push_all(), [OutboxEntry::Deleted(uid("u1"))]);
    // The same words in another memory stay out, and that one is not ours to forget.
    store.pull("u2", &revisions);
    assert_eq!((store.memories().count().unwrap(), store.outbox()), (0, vec![]));
}

#[test]
fn vectors_of_revisions_that_stay_local_are_not_pushed() {
    let mut store = SharingStore::new();
    let (stays, leaves) = (store.note("first", "body"), store.note("as pushed", "body"));
    store.push_all();
    store.revise(stays, summary("a private remark"), NOW.plus_ms(5));
    let pending = store.outbox();
    store.sync_mut().mark_kept_local(&pending).unwrap();
    store.raw().execute("DELETE FROM stale_vectors", []).unwrap();
    let waiting = |store: &SharingStore, after: Option<&Uid>| {
        store.sync().vector_outbox(store.shared, after, 1).unwrap()
    };
    let pending = waiting(&store, None);
    assert_eq!(pending.iter().map(|pending| pending.memory.id).collect::<Vec<_>>(), [leaves]);
    assert_eq!(waiting(&store, Some(&store.uid_of(leaves))), []);
    store.sync_mut().mark_vectors_pushed(&pending).unwrap();
    assert_eq!(waiting(&store, None), []);
}

#[test]
fn a_memory_that_becomes_shareable_while_it_is_marked_kept_local_is_pushed() {
    let mut store = SharingStore::new();
    let id = store.note("first", "body");
    store.revise(id, summary("a summary"), NOW.plus_ms(5));
    let read = store.outbox();
    // Somebody makes a decision of it before the sync has noted that a summary stays.
    let decision = Content { kind: Kind::Decision, ..draft("We decided on tabs", "body") };
    store.revise(id, decision, NOW.plus_ms(6));
    store.sync_mut().mark_kept_local(&read).unwrap();
    let pending = store.outbox();
    let [OutboxEntry::Changed(memory)] = pending.as_slice() else { panic!("{pending:?}") };
    assert_eq!(memory.memory.content.title, "We decided on tabs");
    store.sync_mut().mark_kept_local(&pending).unwrap();
    assert_eq!(store.outbox(), []);
}
