//! Events: kept once, in the order they arrived, whole.

use crate::kit::{DAY, NOW, arrival, arrival_saying, bar};
use crate::test_store::TestStore;
use backstory_memory::{Event, EventId, EventKind, Provenance, Redacted, SessionId, Timestamp};
use backstory_store::{IncomingEvent, RecordOutcome, StoredEvent};

fn id_of(recorded: RecordOutcome) -> EventId {
    match recorded {
        RecordOutcome::Stored(id) | RecordOutcome::Duplicate(id) => id,
        RecordOutcome::Forgotten | RecordOutcome::OwnSession => panic!("not kept"),
    }
}

pub(crate) fn events(store: &TestStore) -> Vec<StoredEvent> {
    let mut sessions = store.sessions().list(None, 1000, 0).unwrap();
    sessions.sort_by_key(|summary| summary.session.id.0);
    sessions
        .iter()
        .flat_map(|summary| store.events().of_session(summary.session.id, EventId(0)).unwrap())
        .collect()
}

/// Law 3.
#[test]
fn an_event_delivered_twice_is_kept_once() {
    let mut store = TestStore::new();
    let first = store.record(&arrival("s", 1));
    let again = store.record(&arrival("s", 1));
    assert_eq!((first, again), (RecordOutcome::Stored(id_of(first)), RecordOutcome::Duplicate(id_of(first))));
    assert!(matches!(store.record(&arrival("other session", 1)), RecordOutcome::Stored(_)));
    assert_eq!(store.events().count().unwrap(), 2);
}

/// R15: whatever the clock does between them.
#[test]
fn events_are_read_in_the_order_they_arrived() {
    let mut store = TestStore::new();
    let jumps = [0, -3_600_000, 3650 * DAY, -3650 * DAY, i64::MAX - NOW.0, 1, i64::MIN];
    for (number, jump) in jumps.into_iter().enumerate() {
        let at = NOW.plus_ms(jump);
        store.record(&arrival_saying("s", &format!("said {number}"), at));
    }
    let read = events(&store);
    let order: Vec<String> = read.iter().map(|event| event.event.payload.clone()).collect();
    let expected: Vec<String> = (0..jumps.len()).map(|n| format!("{{\"prompt\":\"said {n}\"}}")).collect();
    assert_eq!(order, expected);
    let after = store.events().of_session(SessionId(1), read[4].id).unwrap();
    assert_eq!(after, read[5..]);
    bar("R15", format_args!("{0} of {0} in order of arrival over jumps of 10 years", jumps.len()));
}

#[test]
fn an_event_is_read_back_whole() {
    let mut store = TestStore::new();
    let plain = arrival("s", 1);
    for (number, kind) in
        [EventKind::ToolUse, EventKind::Other, EventKind::SessionEnd].into_iter().enumerate()
    {
        let payload = format!("{{\"n\":{number},\"odd\":\"\u{0}\u{1}é数🦀\"}}");
        let event = Event {
            key: backstory_memory::IdempotencyKey::new("h", "s", kind, "7", &payload),
            kind,
            tool: Some("Bash\u{0}".into()),
            provenance: Provenance::Team("ann".into()),
            payload,
            truncated: true,
            ..plain.event.clone().into_inner()
        };
        let id =
            id_of(store.record(&IncomingEvent { event: Redacted::vouch(event.clone()), ..plain.clone() }));
        assert_eq!(store.events().of_session(SessionId(1), EventId(id.0 - 1)).unwrap()[0].event, event);
    }
    assert_eq!(store.sessions().get(SessionId(1)).unwrap().unwrap().ended_at, Some(NOW));
}

#[test]
fn a_session_counts_what_came_from_it() {
    let mut store = TestStore::new();
    store.record(&arrival_saying("early", "one", Timestamp(5)));
    store.record(&arrival_saying("late", "two", Timestamp(9)));
    store.record(&arrival_saying("late", "three", Timestamp(7)));
    store.note("unrelated", "");
    let sessions = store.sessions().list(None, 10, 0).unwrap();
    let seen: Vec<(&str, u64, i64, i64)> = sessions
        .iter()
        .map(|s| {
            (s.session.host_session.as_str(), s.events, s.session.started_at.0, s.session.last_event_at.0)
        })
        .collect();
    assert_eq!(seen, [("late", 2, 9, 9), ("early", 1, 5, 5)]);
    assert_eq!(store.sessions().list(None, 1, 1).unwrap()[0].session.host_session, "early");
    assert_eq!(store.upkeep().status().unwrap().last_event_at, Some(Timestamp(7)), "the last to arrive");
}

#[test]
fn a_session_is_read_as_it_was_at_an_event() {
    let mut store = TestStore::new();
    let session = store.session("s");
    let mut read = Vec::new();
    for number in 10..20 {
        let arrival = arrival("s", number);
        // Prompts are read however old they are.
        let event = Event { kind: EventKind::ToolUse, ..arrival.event.into_inner() };
        store.record(&IncomingEvent { event: Redacted::vouch(event), ..arrival });
        let events = store.events().latest(session, 3).unwrap();
        read.push((events.last().unwrap().id, events));
    }
    for (last, events) in read {
        assert_eq!(store.events().latest_up_to((session, last), 3).unwrap(), events, "{last:?}");
    }
}
