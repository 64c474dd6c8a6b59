//! What a team has no say in, and what must not be lost between here and its hub.

use crate::kit::{NOW, TestHome, draft, new, note, project, raw};
use crate::sync::{all_untold, memory, news, revision, said, sharing, team, tell, title, uid, uid_of};
use backstory_memory::{
    Content, Kind, MemoryId, MemoryScope, ProjectId, Provenance, Relation, SharedLink, SharedRevision,
    Standing, SyncBatch, Timestamp, Uid, Watermark,
};
use backstory_store::{JoinOutcome, NewMemory, OutboxEntry, Pin, Store, Team};

/// Another project of the same home, shared with another team.
fn share_with_b(store: &mut Store) -> ProjectId {
    let other = project(store, "/home/u/two");
    store.sync_mut().join_team(&team("b"), NOW).unwrap();
    store.sync_mut().share_project(other, "b", "remote:example.org/two").unwrap();
    other
}

/// Whoever is in one of the teams knows, or guesses, the uids of the other's memories.
#[test]
fn a_team_changes_nothing_that_is_not_shared_with_it() {
    let test = TestHome::new();
    let (mut store, of_a) = sharing(&test);
    let of_b = share_with_b(&mut store);
    let private = project(&mut store, "/home/u/private");
    let told_to_a = note(&mut store, "told to a", "body");
    let mine = store.memories_mut().remember(&new(private, draft("private", "body"))).unwrap();
    let own = Content { scope: MemoryScope::User, ..draft("of the user alone", "body") };
    let own = store.memories_mut().remember(&new(of_b, own)).unwrap();
    let pending = all_untold(&store, of_b);
    store.sync_mut().mark_kept_local(&pending).unwrap();
    tell(&mut store, of_a);

    for id in [told_to_a, mine, own] {
        let before = store.memories().get(id).unwrap().unwrap();
        let of = before.uid.as_str();
        let taken_over = news(of, vec![revision(NOW.0 + 9, "taken over", "eve")]);
        assert_eq!(store.sync_mut().apply_batch(of_b, &taken_over, NOW).unwrap().refused, 1, "{of}");
        let more = SyncBatch {
            forgotten: vec![before.uid.clone()],
            pins: vec![(before.uid.clone(), true)],
            ..SyncBatch::default()
        };
        assert_eq!(store.sync_mut().apply_batch(of_b, &more, NOW).unwrap().refused, 1, "{of}");
        assert_eq!(store.memories().get(id).unwrap().unwrap(), before);
    }
    // Nor does it become what replaced something of theirs, or stand in a link.
    let of = uid_of(&store, told_to_a);
    let replaced = SharedRevision { superseded_by: Some(of.clone()), ..revision(5, "theirs", "eve") };
    let link = SharedLink { from: uid("u1"), relation: Relation::Contradicts, to: of };
    let told = SyncBatch { links: vec![link], ..news("u1", vec![replaced]) };
    store.sync_mut().apply_batch(of_b, &told, NOW).unwrap();
    assert_eq!(memory(&store, &uid("u1")).standing, Standing::Confirmed);
    assert_eq!(store.memories().links(told_to_a).unwrap(), []);
    assert_eq!(all_untold(&store, of_a), [], "and what is between us and a is as it was");
}

#[test]
fn what_moved_to_another_project_of_the_same_team_is_still_heard_of() {
    let test = TestHome::new();
    let (mut store, one) = sharing(&test);
    let two = project(&mut store, "/home/u/two");
    store.sync_mut().share_project(two, "a", "remote:example.org/two").unwrap();
    let id = note(&mut store, "ours", "body");
    let of = uid_of(&store, id);
    tell(&mut store, one);
    store
        .sync_mut()
        .apply_batch(two, &news(of.as_str(), vec![revision(NOW.0 + 9, "theirs", "bob")]), NOW)
        .unwrap();
    assert_eq!(title(&store, of.as_str()), "theirs");
    assert_eq!(memory(&store, &of).project, one);
}

#[test]
fn a_team_of_the_same_name_on_another_hub_is_another_team() {
    let test = TestHome::new();
    let (mut store, shared) = sharing(&test);
    store.sync_mut().set_watermark(shared, Watermark(9)).unwrap();
    let elsewhere =
        Team { hub_id: Some("another".into()), url: "postgres://ann@elsewhere/hub".into(), ..team("a") };
    let taken = JoinOutcome::NameTaken { url: team("a").url };
    assert_eq!(store.sync_mut().join_team(&elsewhere, NOW).unwrap(), taken);
    assert_eq!(store.sync().teams().unwrap(), [team("a")], "the first is as it was");
    let called_otherwise = Team { name: "z".into(), ..elsewhere };
    assert_eq!(store.sync_mut().join_team(&called_otherwise, NOW).unwrap(), JoinOutcome::Joined);
    store.sync_mut().share_project(shared, "z", "remote:example.org/one").unwrap();
    assert_eq!(
        store.sync().shared_projects().unwrap()[0].watermark,
        Watermark(0),
        "no watermark is another hub's"
    );

    let moved = Team { url: "postgres://ann@moved/hub".into(), ..team("a") };
    assert_eq!(store.sync_mut().join_team(&moved, NOW).unwrap(), JoinOutcome::Joined);
    assert_eq!(store.sync().teams().unwrap()[0].url, moved.url);
}

#[test]
fn a_team_that_was_joined_before_hubs_had_names_is_known_by_its_address() {
    let test = TestHome::new();
    let (mut store, _) = sharing(&test);
    let old = Team { name: "old".into(), hub_team: "old".into(), hub_id: None, ..team("a") };
    store.sync_mut().join_team(&old, NOW).unwrap();
    let named = Team { hub_id: Some("id".into()), ..old.clone() };
    let elsewhere = Team { url: "postgres://ann@elsewhere/hub".into(), ..named.clone() };
    assert!(matches!(store.sync_mut().join_team(&elsewhere, NOW).unwrap(), JoinOutcome::NameTaken { .. }));
    assert_eq!(store.sync_mut().join_team(&named, NOW).unwrap(), JoinOutcome::Joined);
    assert_eq!(store.sync().teams().unwrap()[1], named);
}

#[test]
fn pinning_what_was_replaced_by_something_not_heard_yet_does_not_put_it_in_force() {
    let test = TestHome::new();
    let (mut store, shared) = sharing(&test);
    let replaced = SharedRevision { superseded_by: Some(uid("u2")), ..revision(5, "old", "bob") };
    store.sync_mut().apply_batch(shared, &news("u1", vec![replaced]), NOW).unwrap();
    let id = memory(&store, &uid("u1")).id;
    store.memories_mut().pin(id, Pin::Keep).unwrap();
    let told = tell(&mut store, shared);
    assert_eq!((said(&told[0]).revisions.len(), said(&told[0]).pin), (0, Some(true)));
    // Given other words, it is replaced all the same.
    store.memories_mut().revise(id, &draft("other words", "body"), Timestamp(NOW.0 + 5)).unwrap();
    let told = tell(&mut store, shared);
    assert_eq!(said(&told[0]).revisions.last().unwrap().superseded_by, Some(uid("u2")));
}

#[test]
fn a_link_may_be_heard_before_its_ends_and_is_told_with_the_later_one() {
    let test = TestHome::new();
    let (mut store, shared) = sharing(&test);
    let link = SharedLink { from: uid("u1"), relation: Relation::Contradicts, to: uid("u2") };
    store
        .sync_mut()
        .apply_batch(shared, &SyncBatch { links: vec![link.clone()], ..SyncBatch::default() }, NOW)
        .unwrap();
    store.sync_mut().apply_batch(shared, &news("u1", vec![revision(5, "one", "bob")]), NOW).unwrap();
    store.sync_mut().apply_batch(shared, &news("u2", vec![revision(5, "two", "bob")]), NOW).unwrap();
    let (one, two) = (memory(&store, &uid("u1")).id, memory(&store, &uid("u2")).id);
    assert_eq!(store.memories().links(one).unwrap().len(), 1);
    assert_eq!(all_untold(&store, shared), [], "what was heard is no news");

    store.memories_mut().revise(two, &draft("two, otherwise", "body"), Timestamp(NOW.0 + 5)).unwrap();
    let told = tell(&mut store, shared);
    assert_eq!(said(&told[0]).links, [link], "whichever end is told");
}

#[test]
fn what_was_of_the_user_alone_is_so_also_when_it_is_said_otherwise_to_all() {
    let test = TestHome::new();
    let (mut store, shared) = sharing(&test);
    let own = Content { scope: MemoryScope::User, ..draft("for my eyes", "body") };
    let id = store.memories_mut().remember(&new(shared, own)).unwrap();
    store.memories_mut().revise(id, &draft("for all", "body"), Timestamp(NOW.0 + 5)).unwrap();
    let told = tell(&mut store, shared);
    let scopes: Vec<_> = said(&told[0]).revisions.iter().map(|said| said.content.scope).collect();
    assert_eq!(scopes, [MemoryScope::User, MemoryScope::Project]);
}

#[test]
fn what_was_forgotten_and_not_told_is_counted_until_it_is() {
    let test = TestHome::new();
    let (mut store, shared) = sharing(&test);
    let (known, unknown) = (note(&mut store, "known to all", "body"), note(&mut store, "also", "body"));
    tell(&mut store, shared);
    note(&mut store, "never told", "body");
    store.memories_mut().forget(&[known, unknown], NOW).unwrap();
    assert_eq!(store.sync().count_outbox_deletions(shared).unwrap(), 2);
    let pending = all_untold(&store, shared);
    store.sync_mut().mark_pushed(shared, &pending).unwrap();
    assert_eq!(store.sync().count_outbox_deletions(shared).unwrap(), 0);
}

/// More than one transaction holds.
#[test]
fn many_that_were_forgotten_elsewhere_are_gone() {
    let test = TestHome::new();
    let (mut store, shared) = sharing(&test);
    let uids: Vec<Uid> = (0..45).map(|number| uid(&format!("u{number}"))).collect();
    for (number, of) in uids.iter().enumerate() {
        let words = format!("number {number}");
        store
            .sync_mut()
            .apply_batch(shared, &news(of.as_str(), vec![revision(5, &words, "bob")]), NOW)
            .unwrap();
    }
    let gone = SyncBatch { forgotten: uids, ..SyncBatch::default() };
    assert_eq!(store.sync_mut().apply_batch(shared, &gone, NOW).unwrap().forgotten, 45);
    assert_eq!((store.memories().count().unwrap(), all_untold(&store, shared)), (0, vec![]));
}

#[test]
fn what_a_restored_hub_has_lost_is_told_again_by_who_said_it() {
    let test = TestHome::new();
    let (mut store, shared) = sharing(&test);
    let (lost, kept) = (note(&mut store, "lost", "body"), note(&mut store, "kept", "body"));
    store.sync_mut().apply_batch(shared, &news("u1", vec![revision(5, "of bob", "bob")]), NOW).unwrap();
    store.sync_mut().set_epoch(shared, "first").unwrap();
    tell(&mut store, shared);
    store.sync_mut().set_watermark(shared, Watermark(9)).unwrap();

    store.sync_mut().restart_pull(shared, "second").unwrap();
    let begun = store.sync().shared_projects().unwrap().remove(0);
    assert_eq!((begun.watermark, begun.epoch.as_deref()), (Watermark(0), Some("second")));
    let there = SharedRevision {
        content: Content { provenance: Provenance::User, ..draft("kept", "body") },
        ..revision(NOW.0, "kept", "ann")
    };
    let batch = news(uid_of(&store, kept).as_str(), vec![there]);
    store.sync_mut().apply_batch(shared, &batch, NOW).unwrap();
    assert_eq!(store.sync_mut().requeue_lost(shared).unwrap(), 1);
    let told: Vec<MemoryId> = tell(&mut store, shared).iter().map(|untold| said(untold).memory.id).collect();
    assert_eq!(told, [lost]);
    assert_eq!(store.sync_mut().requeue_lost(shared).unwrap(), 0);
}

#[test]
fn what_was_forgotten_while_a_hub_was_away_is_told_also_after_it_was_restored() {
    let test = TestHome::new();
    let (mut store, shared) = sharing(&test);
    let id = note(&mut store, "known to all", "body");
    let of = uid_of(&store, id);
    tell(&mut store, shared);
    store.sync_mut().restart_pull(shared, "second").unwrap();
    store.memories_mut().forget(&[id], NOW).unwrap();
    store.sync_mut().requeue_lost(shared).unwrap();
    assert_eq!(all_untold(&store, shared), [OutboxEntry::Deleted(of)]);
}

#[test]
fn what_is_to_be_told_of_a_project_is_told_of_the_one_it_was_merged_into() {
    let test = TestHome::new();
    let (mut store, into) = sharing(&test);
    let from = project(&mut store, "/home/u/two");
    store.sync_mut().share_project(from, "a", "remote:example.org/two").unwrap();
    let gone = store.memories_mut().remember(&new(from, draft("known to all", "body"))).unwrap();
    let of = uid_of(&store, gone);
    tell(&mut store, from);
    store.memories_mut().forget(&[gone], NOW).unwrap();
    let kept = store.memories_mut().remember(&new(from, draft("never told", "body"))).unwrap();
    store.projects_mut().merge(from, into).unwrap();
    let untold = all_untold(&store, into);
    assert!(untold.contains(&OutboxEntry::Deleted(of)), "{untold:?}");
    let told: Vec<MemoryId> = untold
        .iter()
        .filter_map(|untold| match untold {
            OutboxEntry::Changed(saying) => Some(saying.memory.id),
            OutboxEntry::Deleted(_) => None,
        })
        .collect();
    assert_eq!(told, [kept]);
}

#[test]
fn what_is_merged_into_a_project_of_another_team_is_told_to_that_one() {
    let test = TestHome::new();
    let (mut store, from) = sharing(&test);
    let into = share_with_b(&mut store);
    let id = note(&mut store, "not told yet", "body");
    store.projects_mut().merge(from, into).unwrap();
    let untold: Vec<MemoryId> =
        all_untold(&store, into).iter().map(|untold| said(untold).memory.id).collect();
    assert_eq!(untold, [id]);
}

#[test]
fn what_only_this_machine_knows_it_said_stays_in_its_place_when_the_team_is_heard() {
    let test = TestHome::new();
    let (mut store, shared) = sharing(&test);
    let own = Content { scope: MemoryScope::User, ..draft("for my eyes", "body") };
    let id = store.memories_mut().remember(&new(shared, own)).unwrap();
    let summary = Content { kind: Kind::Summary, ..draft("a summary", "body") };
    for (later, content) in [(1, draft("for all", "body")), (2, summary), (3, draft("at last", "body"))] {
        store.memories_mut().revise(id, &content, Timestamp(NOW.0 + later)).unwrap();
    }
    let of = uid_of(&store, id);
    tell(&mut store, shared);
    let by_ann = |at, title| SharedRevision {
        content: Content { provenance: Provenance::User, ..draft(title, "body") },
        ..revision(NOW.0 + at, title, "ann")
    };
    // The border kept the other two back.
    let mut known = vec![by_ann(1, "for all"), by_ann(3, "at last")];
    for (theirs, wanted) in [
        (None, vec!["a summary", "for all", "for my eyes"]),
        (Some(revision(NOW.0 + 9, "theirs", "bob")), vec!["at last", "a summary", "for all", "for my eyes"]),
    ] {
        known.extend(theirs);
        for _ in 0..2 {
            store.sync_mut().apply_batch(shared, &news(of.as_str(), known.clone()), NOW).unwrap();
            let past = store.memories().revisions(id).unwrap();
            let titles: Vec<&str> = past.iter().map(|past| past.title.as_str()).collect();
            assert_eq!(titles, wanted);
            let numbers: Vec<u32> = past.iter().map(|past| past.revision).rev().collect();
            assert_eq!(numbers, (1..=wanted.len() as u32).collect::<Vec<_>>());
        }
    }
    // It stays the user's own, also where everything is told anew.
    store.sync_mut().leave_team("a").unwrap();
    store.sync_mut().join_team(&team("a"), NOW).unwrap();
    store.sync_mut().share_project(shared, "a", "remote:example.org/one").unwrap();
    let told = tell(&mut store, shared);
    let own: Vec<&str> = said(&told[0])
        .revisions
        .iter()
        .filter(|said| said.content.scope == MemoryScope::User)
        .map(|said| said.content.title.as_str())
        .collect();
    assert_eq!(own, ["for my eyes"]);
}

/// A restored hub, told something newer by somebody, does not know of our words in between: we still do.
#[test]
fn words_the_team_has_lost_and_replaced_are_still_known_here() {
    let test = TestHome::new();
    let (mut store, shared) = sharing(&test);
    let id = note(&mut store, "first", "body");
    tell(&mut store, shared);
    store.memories_mut().revise(id, &draft("lost there", "body"), Timestamp(NOW.0 + 5)).unwrap();
    tell(&mut store, shared);
    let of = uid_of(&store, id);
    let first = SharedRevision { content: draft("first", "body"), ..revision(NOW.0, "first", "ann") };
    store
        .sync_mut()
        .apply_batch(shared, &news(of.as_str(), vec![first, revision(NOW.0 + 9, "theirs", "bob")]), NOW)
        .unwrap();
    assert_eq!(title(&store, of.as_str()), "theirs");
    let past: Vec<String> =
        store.memories().revisions(id).unwrap().into_iter().map(|past| past.title).collect();
    assert_eq!(past, ["lost there", "first"]);
}

/// Two memories, told; then the one is given other words and the other is replaced, and both are told.
fn told_and_told_again(store: &mut Store, shared: ProjectId) -> (Vec<OutboxEntry>, [Uid; 2]) {
    let (revised, replaced) = (note(store, "first", "body"), note(store, "old", "body"));
    let before = tell(store, shared);
    store.memories_mut().revise(revised, &draft("second", "body"), Timestamp(NOW.0 + 5)).unwrap();
    let by = NewMemory { created_at: Timestamp(NOW.0 + 5), ..new(shared, draft("new", "body")) };
    store.memories_mut().supersede(replaced, &by).unwrap();
    tell(store, shared);
    // Met again meanwhile, which is no news.
    store.memories_mut().reinforce(revised, Timestamp(NOW.0 + 7)).unwrap();
    (before, [uid_of(store, revised), uid_of(store, replaced)])
}

/// As somebody else, or another machine of ours, would hear it.
fn as_news(told: &[OutboxEntry]) -> SyncBatch {
    SyncBatch {
        memories: told.iter().map(|untold| said(untold).to_shared()).collect(),
        ..SyncBatch::default()
    }
}

#[test]
fn an_older_word_of_a_restored_hub_does_not_undo_a_newer_one_and_that_is_told_again_as_it_was() {
    let test = TestHome::new();
    let (mut store, shared) = sharing(&test);
    let (before, [revised, replaced]) = told_and_told_again(&mut store, shared);
    store.sync_mut().restart_pull(shared, "second").unwrap();
    for _ in 0..2 {
        let heard = store.sync_mut().apply_batch(shared, &as_news(&before), NOW).unwrap();
        assert_eq!((heard.revised, title(&store, revised.as_str())), (0, "second".to_owned()));
        assert!(matches!(memory(&store, &replaced).standing, Standing::Superseded(_)));
    }
    store.sync_mut().requeue_lost(shared).unwrap();
    let again = tell(&mut store, shared);
    let last = |uid: &Uid| {
        let saying = again.iter().map(said).find(|saying| saying.memory.uid == *uid).unwrap();
        saying.revisions.last().unwrap().clone()
    };
    assert_eq!(
        (last(&revised).at, last(&revised).content.title),
        (Timestamp(NOW.0 + 5), "second".to_owned())
    );
    assert!(last(&replaced).superseded_by.is_some());
    // Told, it is known; and what is later than it counts, as ever.
    let mut all = news(revised.as_str(), vec![last(&revised)]);
    store.sync_mut().apply_batch(shared, &all, NOW).unwrap();
    all.memories[0].revisions.push(revision(NOW.0 + 9, "theirs", "bob"));
    assert_eq!(store.sync_mut().apply_batch(shared, &all, NOW).unwrap().revised, 1);
    assert_eq!(all_untold(&store, shared), []);
}

#[test]
fn what_others_said_is_not_undone_by_an_older_branch_and_is_theirs_to_tell_again() {
    let test = TestHome::new();
    let (mut store, shared) = sharing(&test);
    let (first, second) = (revision(5, "first", "bob"), revision(9, "second", "bob"));
    let older = news("u1", vec![first.clone()]);
    store.sync_mut().apply_batch(shared, &news("u1", vec![first, second]), NOW).unwrap();
    assert_eq!(store.sync_mut().apply_batch(shared, &older, NOW).unwrap().revised, 0);
    assert_eq!(title(&store, "u1"), "second");
    assert_eq!(all_untold(&store, shared), []);
    // Changed here it is told, and later than what was known.
    let id = memory(&store, &uid("u1")).id;
    store.memories_mut().revise(id, &draft("ours", "body"), Timestamp(7)).unwrap();
    store.sync_mut().apply_batch(shared, &older, NOW).unwrap();
    assert_eq!(title(&store, "u1"), "ours");
    assert_eq!(said(&tell(&mut store, shared)[0]).revisions.last().unwrap().at, Timestamp(10));
}

#[test]
fn what_is_told_again_is_as_old_as_it_was() {
    let test = TestHome::new();
    let (mut store, shared) = sharing(&test);
    let (_, [revised, _]) = told_and_told_again(&mut store, shared);
    store.sync_mut().requeue(shared, std::slice::from_ref(&revised)).unwrap();
    let again = tell(&mut store, shared);
    let revisions: Vec<_> = said(&again[0])
        .revisions
        .iter()
        .map(|said| (said.content.title.as_str(), said.at.0 - NOW.0))
        .collect();
    assert_eq!(revisions, [("first", 0), ("second", 5)]);
}

#[test]
fn what_was_forgotten_and_comes_back_is_said_to_be_forgotten_again() {
    let test = TestHome::new();
    let (mut store, shared) = sharing(&test);
    let told = news("u1", vec![revision(5, "a secret", "bob")]);
    store.sync_mut().apply_batch(shared, &told, NOW).unwrap();
    let id = memory(&store, &uid("u1")).id;
    store.memories_mut().forget(&[id], NOW).unwrap();
    let pending = all_untold(&store, shared);
    store.sync_mut().mark_pushed(shared, &pending).unwrap();
    store.sync_mut().restart_pull(shared, "second").unwrap();
    store.sync_mut().apply_batch(shared, &told, NOW).unwrap();
    assert_eq!(all_untold(&store, shared), [OutboxEntry::Deleted(uid("u1"))]);
    let pending = all_untold(&store, shared);
    store.sync_mut().mark_pushed(shared, &pending).unwrap();
    // The same words in another memory stay out, and that one is not ours to forget.
    store.sync_mut().apply_batch(shared, &news("u2", vec![revision(5, "a secret", "bob")]), NOW).unwrap();
    assert_eq!((store.memories().count().unwrap(), all_untold(&store, shared)), (0, vec![]));
}

#[test]
fn what_a_restored_hub_has_lost_of_others_is_still_told_to_be_forgotten() {
    let test = TestHome::new();
    let (mut store, shared) = sharing(&test);
    store.sync_mut().apply_batch(shared, &news("u1", vec![revision(5, "of bob", "bob")]), NOW).unwrap();
    store.sync_mut().restart_pull(shared, "second").unwrap();
    assert_eq!(store.sync_mut().requeue_lost(shared).unwrap(), 0);
    let id = memory(&store, &uid("u1")).id;
    store.memories_mut().forget(&[id], NOW).unwrap();
    assert_eq!(all_untold(&store, shared), [OutboxEntry::Deleted(uid("u1"))]);
}

#[test]
fn the_meaning_of_words_that_stayed_here_is_not_told() {
    let test = TestHome::new();
    let (mut store, shared) = sharing(&test);
    let (stays, leaves) = (note(&mut store, "first", "body"), note(&mut store, "as told", "body"));
    tell(&mut store, shared);
    let summary = Content { kind: Kind::Summary, ..draft("a private remark", "body") };
    store.memories_mut().revise(stays, &summary, Timestamp(NOW.0 + 5)).unwrap();
    let pending = all_untold(&store, shared);
    store.sync_mut().mark_kept_local(&pending).unwrap();
    raw(&test.home).execute("DELETE FROM stale_vectors", []).unwrap();
    let untold = store.sync().vector_outbox(shared, None, 1).unwrap();
    assert_eq!(untold.iter().map(|untold| untold.memory.id).collect::<Vec<_>>(), [leaves]);
    assert_eq!(store.sync().vector_outbox(shared, Some(&uid_of(&store, leaves)), 1).unwrap(), []);
    store.sync_mut().mark_vectors_pushed(&untold).unwrap();
    assert_eq!(store.sync().vector_outbox(shared, None, 1).unwrap(), []);
}

#[test]
fn what_becomes_fit_to_leave_while_it_is_noted_to_stay_is_still_told() {
    let test = TestHome::new();
    let (mut store, shared) = sharing(&test);
    let id = note(&mut store, "first", "body");
    let summary = Content { kind: Kind::Summary, ..draft("a summary", "body") };
    store.memories_mut().revise(id, &summary, Timestamp(NOW.0 + 5)).unwrap();
    let read = all_untold(&store, shared);
    // Somebody makes a decision of it before the sync has noted that a summary stays.
    let decision = Content { kind: Kind::Decision, ..draft("We decided on tabs", "body") };
    store.memories_mut().revise(id, &decision, Timestamp(NOW.0 + 6)).unwrap();
    store.sync_mut().mark_kept_local(&read).unwrap();
    let untold = all_untold(&store, shared);
    let [OutboxEntry::Changed(saying)] = untold.as_slice() else { panic!("{untold:?}") };
    assert_eq!(saying.memory.content.title, "We decided on tabs");
    store.sync_mut().mark_kept_local(&untold).unwrap();
    assert_eq!(all_untold(&store, shared), []);
}
