//! How memories come to stand: by being found again, and until when they hold.

use crate::kit::{DAY, KEEP, NOW, arrival, draft, new};
use crate::test_store::TestStore;
use backstory_memory::{
    Content, Digest, EventId, MemoryId, Provenance, SessionId, Standing, StandingReason, Timestamp,
};
use backstory_store::{
    DistilledMemory, ImpressionKind, MemoryOrigin, NewMemory, OnRepeat, RecordOutcome, UseKind,
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
