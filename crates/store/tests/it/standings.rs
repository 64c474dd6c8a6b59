//! How memories come to stand: by being found again, and until when they hold.

use crate::kit::{DAY, KEEP, NOW, arrival, draft, new};
use crate::sharing_store::{SharingStore, batch, revision};
use crate::test_store::TestStore;
use backstory_memory::{
    Content, Digest, EventId, MemoryId, Provenance, Redacted, SessionId, Standing, StandingReason, SyncBatch,
    Timestamp,
};
use backstory_store::{
    DistilledMemory, ImpressionKind, MemoryOrigin, NewMemory, OnRepeat, Pin, RecordOutcome, UseKind, Verdict,
};

/// Distils the same subject in a session, from an event of its own.
fn find(store: &mut TestStore, number: u64, provenance: Provenance) -> MemoryId {
    let name = format!("s{number}");
    let RecordOutcome::Stored(event) = store.record(&arrival(&name, number)) else { panic!("not stored") };
    find_in(store, (&name, event), provenance)
}

fn find_in(store: &mut TestStore, (name, event): (&str, EventId), provenance: Provenance) -> MemoryId {
    let session: SessionId = store.session(name);
    let origin = MemoryOrigin { session: Some(session), events: vec![event], ..MemoryOrigin::default() };
    let content = Content { provenance, ..draft("Sessions expire after an hour", "They do.") };
    let memory = NewMemory { origin, ..new(store.project(), content) };
    let item = DistilledMemory {
        subject: Digest([7; 16]),
        memory,
        on_repeat: OnRepeat::Reinforce,
        same_as: None,
        replaces: Vec::new(),
        contradicts: Vec::new(),
    };
    let outcomes = store.memories_mut().write_distilled(session, event, &[item]).unwrap();
    outcomes[0].memory().unwrap()
}

/// What happens between the first session that finds something and the second.
type Between = fn(&mut TestStore, MemoryId);

#[test]
fn only_a_session_that_finds_it_by_itself_confirms_it() {
    let nothing: Between = |_, _| {};
    let listed: Between = |store, id| {
        store.injections_mut().record_impressions(&[id], ImpressionKind::Listed, NOW.plus_ms(1)).unwrap();
    };
    let fetched: Between = |store, id| {
        store.injections_mut().mark_used(&[id], UseKind::Fetched, NOW.plus_ms(1)).unwrap();
    };
    let unproven = (Standing::Proposed, StandingReason::Unproven);
    let repeated = (Standing::Confirmed, StandingReason::Repetition);
    for (name, number, provenance, between, expected) in [
        ("another session, in the agent's words", 2, Provenance::Assistant, nothing, repeated),
        ("another session, in the user's words", 2, Provenance::User, nothing, repeated),
        ("the same session", 1, Provenance::Assistant, nothing, unproven),
        ("the same output of a program", 2, Provenance::Tool, nothing, unproven),
        ("the same file", 2, Provenance::Repository, nothing, unproven),
        ("the same page", 2, Provenance::Web, nothing, unproven),
        ("a list of ours", 2, Provenance::Assistant, listed, unproven),
        ("our own answer", 2, Provenance::Assistant, fetched, unproven),
    ] {
        let mut store = TestStore::new();
        let id = find(&mut store, 1, Provenance::Assistant);
        between(&mut store, id);
        match number {
            1 => {
                let RecordOutcome::Stored(event) = store.record(&arrival("s1", 9)) else {
                    panic!("not stored")
                };
                find_in(&mut store, ("s1", event), provenance)
            }
            _ => find(&mut store, number, provenance),
        };
        let memory = store.memory(id);
        assert_eq!((memory.standing, memory.standing_reason), expected, "{name}");
    }
}

#[test]
fn what_says_until_when_it_holds_is_retired_then() {
    let mut store = TestStore::new();
    let until = |to: Option<Timestamp>, title: &str| Content {
        valid_to: to,
        provenance: Provenance::User,
        ..draft(title, title)
    };
    let freeze = store.remember(until(Some(NOW.plus_ms(DAY)), "No deploys until tomorrow"));
    let lasting = store.remember(until(None, "Deploys happen on Fridays"));
    let standings = |store: &TestStore| [freeze, lasting].map(|id| store.memory(id).standing);
    store.maintain(KEEP, NOW);
    assert_eq!(standings(&store), [Standing::Confirmed, Standing::Confirmed]);
    store.maintain(KEEP, NOW.plus_ms(2 * DAY));
    assert_eq!(standings(&store), [Standing::Retired, Standing::Confirmed]);
    assert_eq!(store.memory(freeze).standing_reason, StandingReason::Over);
}

/// What a person does to a memory that the rules derived.
type TakeOver = fn(&mut SharingStore, MemoryId);

#[test]
fn no_writer_writes_anew_what_a_person_has_taken_over() {
    let left_alone: TakeOver = |_, _| {};
    let confirmed: TakeOver = |store, id| {
        store.memories_mut().record_verdict(id, Verdict::Confirm, NOW).unwrap();
    };
    let pinned: TakeOver = |store, id| store.memories_mut().pin(id, Pin::Keep).unwrap();
    let retitled: TakeOver = |store, id| {
        let content = Content { title: "deploys".to_owned(), ..store.memory(id).content };
        store.memories_mut().revise(id, &Redacted::vouch(content), NOW).unwrap();
    };
    let reworded_by_a_colleague: TakeOver = |store, id| {
        let uid = store.uid_of(id);
        store.push_all();
        store.apply(&batch(uid.as_str(), &[revision(NOW.0 + 1, "deploys", "bob")]));
    };
    let pinned_elsewhere: TakeOver = |store, id| {
        let pins = vec![(store.uid_of(id), true)];
        store.push_all();
        store.apply(&SyncBatch { pins, ..SyncBatch::default() });
    };
    for (name, take_over, is_rewritten) in [
        ("left alone", left_alone, true),
        ("confirmed", confirmed, false),
        ("pinned", pinned, false),
        ("retitled", retitled, false),
        ("reworded by a colleague", reworded_by_a_colleague, false),
        ("pinned on another machine", pinned_elsewhere, false),
    ] {
        let mut store = SharingStore::new();
        let session = store.session("s");
        let subject = Digest([7; 16]);
        let memory = |store: &mut SharingStore, body: &str| new(store.project(), draft("work", body));
        let begun = memory(&mut store, "begun");
        let id = store.distil(session, subject, begun).memory().unwrap();
        take_over(&mut store, id);
        let before = store.memory(id);
        let done = memory(&mut store, "done");
        store.memories_mut().update_distilled(id, &done.content, NOW).unwrap();
        assert_eq!(store.memory(id) != before, is_rewritten, "updated: {name}");
        let other = memory(&mut store, "done otherwise");
        store.distil(session, subject, other);
        assert_eq!(store.memory(id).content.body == "done otherwise", is_rewritten, "distilled: {name}");
        assert_eq!(store.memories().is_taken_over(id).unwrap(), !is_rewritten, "{name}");
    }
}

#[test]
fn what_the_user_pinned_is_the_users_to_retire() {
    let mut store = TestStore::new();
    let project = store.project();
    let ids = ["kept in view", "not pinned"].map(|title| {
        let content = Content { provenance: Provenance::Assistant, ..draft(title, "words") };
        store.remember_in(project, content)
    });
    store.memories_mut().pin(ids[0], Pin::Keep).unwrap();
    store.memories_mut().retire(&ids, StandingReason::Fixed, NOW).unwrap();
    assert_eq!(ids.map(|id| store.memory(id).standing.is_live()), [true, false]);
}
