//! Work of the background writer: jobs and leases, what calls may cost, and sessions of our own.

use crate::kit::{DAY, NOW, arrival, bar};
use crate::test_store::TestStore;
use backstory_memory::{SessionId, Timestamp, Tokens};
use backstory_store::{
    CallCaps, CallCost, CallId, CallOutcome, CallPermission, CallRefusal, CallRequest, ModelUse,
    RecordOutcome, Spool, WriterJob,
};
use proptest::prelude::*;
use std::time::Duration;

const LEASE: Duration = Duration::from_secs(60);
const PLENTY: CallCaps = CallCaps {
    tokens_per_day: Tokens(1_000_000),
    tokens_per_session: Tokens(1_000_000),
    calls_per_session: u32::MAX,
};
const USED: CallOutcome = CallOutcome::Used { kept: 2, rejected: 1 };
/// A session that is not in the store: the caps must not depend on it.
const SOME_SESSION: SessionId = SessionId(1);

fn at(seconds: i64) -> Timestamp {
    Timestamp(NOW.0 + seconds * 1000)
}

fn cost(tokens: u32) -> CallCost {
    CallCost { tokens_in: Tokens(tokens), tokens_out: Tokens(0) }
}

/// Asks whether a call that may cost `tokens` can be made.
fn begin_call(
    store: &mut TestStore,
    session: SessionId,
    tokens: u32,
    caps: CallCaps,
    at: Timestamp,
) -> CallPermission {
    let call = CallRequest { session, provider: "p", expected: cost(tokens) };
    store.jobs_mut().begin_call(&call, caps, at).unwrap()
}

fn granted(permission: CallPermission) -> CallId {
    let CallPermission::Granted(call) = permission else { panic!("{permission:?}") };
    call
}

fn claim(store: &mut TestStore, at: Timestamp) -> Option<WriterJob> {
    store.jobs_mut().claim(at, LEASE).unwrap()
}

fn waiting(store: &mut TestStore) -> SessionId {
    let session = store.session("s");
    store.jobs_mut().enqueue(session, NOW).unwrap();
    session
}

#[test]
fn a_session_waits_once_and_is_claimed_by_one() {
    let mut store = TestStore::new();
    let session = waiting(&mut store);
    store.jobs_mut().enqueue(session, at(5)).unwrap();
    assert!(!store.jobs().has_due(NOW).unwrap(), "the later request counts");
    assert_eq!(claim(&mut store, NOW), None);
    let job = claim(&mut store, at(5)).unwrap();
    assert_eq!((job.session, job.attempts), (session, 1));
    assert_eq!(store.test.open().jobs_mut().claim(at(5), LEASE).unwrap(), None);
    store.jobs_mut().finish(job).unwrap();
    assert_eq!(store.jobs().writer_status(NOW).unwrap().waiting, 0);
}

#[test]
fn a_session_that_goes_on_while_it_is_written_waits_again() {
    let mut store = TestStore::new();
    let session = waiting(&mut store);
    let job = claim(&mut store, NOW).unwrap();
    store.jobs_mut().enqueue(session, at(9)).unwrap();
    store.jobs_mut().finish(job).unwrap();
    assert_eq!(claim(&mut store, at(9)).unwrap().attempts, 1);
}

#[test]
fn a_runner_that_dies_loses_its_lease_and_three_make_a_job_dead() {
    let mut store = TestStore::new();
    waiting(&mut store);
    for attempt in 1..=3 {
        assert_eq!(claim(&mut store, at(61 * i64::from(attempt))).unwrap().attempts, attempt);
    }
    assert_eq!(claim(&mut store, at(1000)), None);
    assert_eq!(store.jobs().writer_status(NOW).unwrap().dead, 1);
}

#[test]
fn a_job_that_fails_three_times_is_dead_and_one_put_off_is_not() {
    let mut store = TestStore::new();
    waiting(&mut store);
    let other = store.session("other");
    store.jobs_mut().enqueue(other, at(1)).unwrap();
    for now in 1..6 {
        let job = claim(&mut store, at(now)).unwrap();
        assert_eq!(job.attempts, 1);
        store.jobs_mut().postpone_all(job, at(now + 1)).unwrap();
        assert!(!store.jobs().has_due(at(now)).unwrap(), "the other is put off as well");
    }
    for _ in 0..6 {
        let job = claim(&mut store, at(9)).unwrap();
        store.jobs_mut().fail(job, NOW).unwrap();
    }
    assert_eq!(claim(&mut store, at(9)), None);
    assert_eq!(store.jobs().writer_status(NOW).unwrap().dead, 2);
}

#[test]
fn three_failures_in_a_row_make_calls_rest_and_each_further_one_twice_as_long() {
    let mut store = TestStore::new();
    let mut call =
        |minutes: i64, outcome| match begin_call(&mut store, SOME_SESSION, 1, PLENTY, at(minutes * 60)) {
            CallPermission::Granted(id) => {
                store.jobs_mut().end_call(id, outcome, None).unwrap();
                None
            }
            CallPermission::Refused(CallRefusal::Resting, until) => Some((until.0 - NOW.0) / 60_000),
            other => panic!("{other:?}"),
        };
    assert_eq!((call(0, CallOutcome::Failed), call(1, CallOutcome::Failed)), (None, None));
    assert_eq!(call(2, USED), None, "two are not three");
    for minute in [3, 4, 5] {
        assert_eq!(call(minute, CallOutcome::Unusable), None);
    }
    assert_eq!(call(6, USED), Some(15));
    assert_eq!(call(15, CallOutcome::Failed), None, "then one is tried");
    assert_eq!(call(16, USED), Some(35), "and doubles the rest");
    assert_eq!(call(35, USED), None);
    assert_eq!(call(36, CallOutcome::Failed), None, "one that answers ends it");
}

#[test]
fn a_call_that_never_ended_has_cost_what_was_expected() {
    let mut store = TestStore::new();
    let caps = CallCaps { tokens_per_day: Tokens(100), ..PLENTY };
    granted(begin_call(&mut store, SOME_SESSION, 60, caps, NOW));
    let mut store = store.close().open();
    let refused = begin_call(&mut store, SOME_SESSION, 60, caps, NOW);
    assert!(matches!(refused, CallPermission::Refused(CallRefusal::DayCapReached, _)), "{refused:?}");
    granted(begin_call(&mut store, SOME_SESSION, 60, caps, NOW.plus_ms(DAY + 1)));
}

#[test]
fn a_session_has_a_share_of_its_own_in_tokens_and_in_calls() {
    let mut store = TestStore::new();
    let session = store.session("s");
    let caps = CallCaps { tokens_per_session: Tokens(100), calls_per_session: 2, ..PLENTY };
    let call = granted(begin_call(&mut store, session, 100, caps, NOW));
    assert_eq!(begin_call(&mut store, session, 1, caps, NOW), CallPermission::SessionCapReached);
    store.jobs_mut().end_call(call, USED, Some(cost(40))).unwrap();
    let unreached = granted(begin_call(&mut store, session, 20, caps, NOW));
    store.jobs_mut().end_call(unreached, CallOutcome::Failed, Some(cost(0))).unwrap();
    granted(begin_call(&mut store, session, 20, caps, NOW));
    assert_eq!(
        begin_call(&mut store, session, 1, caps, NOW),
        CallPermission::SessionCapReached,
        "two that cost"
    );
}

#[test]
fn what_calls_did_is_counted() {
    let mut store = TestStore::new();
    let session = store.session("s");
    let call = granted(begin_call(&mut store, session, 9, PLENTY, NOW));
    let spent = CallCost { tokens_in: Tokens(30), tokens_out: Tokens(4) };
    store.jobs_mut().end_call(call, USED, Some(spent)).unwrap();
    let status = store.jobs().writer_status(at(1)).unwrap();
    assert_eq!(status.last_day, ModelUse { calls: 1, tokens_in: 30, tokens_out: 4, kept: 2, rejected: 1 });
    assert_eq!(store.jobs().writer_status(NOW.plus_ms(DAY)).unwrap().last_day, ModelUse::default());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// R22: the budget is never passed by more than one call was wrong about its cost, and never more than ten a minute.
    #[test]
    fn calls_stay_within_their_caps(calls in prop::collection::vec((1u32..50, 0u32..80, 0i64..20), 1..40)) {
        let mut store = TestStore::new();
        let caps = CallCaps { tokens_per_day: Tokens(300), ..PLENTY };
        let (mut now, mut made, mut spent) = (0, Vec::new(), 0);
        for (expected, price, later) in calls {
            now += later;
            if let CallPermission::Granted(call) = begin_call(&mut store, SOME_SESSION, expected, caps, at(now)) {
                prop_assert!(spent + expected <= 300);
                store.jobs_mut().end_call(call, USED, Some(cost(price))).unwrap();
                spent += price;
                made.push(now);
            }
        }
        prop_assert!(made.windows(11).all(|eleven| eleven[10] - eleven[0] >= 60));
        prop_assert_eq!(store.jobs().writer_status(at(now)).unwrap().last_day.tokens_in, u64::from(spent));
    }
}

/// Twenty sessions end at once: the cap is checked and reserved in one transaction, so no two calls count on the same tokens.
#[test]
fn r22_twenty_processes_at_once_stay_within_the_cap_of_a_day() {
    let mut store = TestStore::new();
    let sessions: Vec<SessionId> = (0..20).map(|number| store.session(&format!("s{number}"))).collect();
    let caps = CallCaps { tokens_per_day: Tokens(700), ..PLENTY };
    let granted = std::thread::scope(|scope| {
        let ask = |session| {
            let mut own = store.test.open();
            scope.spawn(move || {
                let call = CallRequest { session, provider: "p", expected: cost(100) };
                matches!(own.jobs_mut().begin_call(&call, caps, NOW).unwrap(), CallPermission::Granted(_))
            })
        };
        let all: Vec<_> = sessions.into_iter().map(ask).collect();
        all.into_iter().map(|one| one.join().unwrap()).filter(|granted| *granted).count()
    });
    assert_eq!(granted, 7);
    bar("R22", format_args!("20 processes ask at once: {granted} calls of 100 within 700 tokens"));
}

#[test]
fn nothing_of_a_session_of_our_own_is_kept_not_even_from_the_spool() {
    let mut store = TestStore::new();
    Spool::new(store.home()).push(&arrival("ours", 1)).unwrap();
    store.sessions_mut().mark_own("ours", NOW).unwrap();
    assert_eq!(store.record(&arrival("ours", 2)), RecordOutcome::OwnSession);
    assert!(store.sessions().is_own("ours").unwrap() && !store.sessions().is_own("theirs").unwrap());
    let store = store.close().open();
    assert_eq!(Spool::new(store.home()).len(), 0);
    assert_eq!(store.number("SELECT (SELECT count(*) FROM events) + (SELECT count(*) FROM sessions)"), 0);
}

#[test]
fn only_an_empty_session_is_discarded_as_our_own() {
    let mut store = TestStore::new();
    let sessions = |store: &TestStore| store.sessions().list(None, 9, 0).unwrap().len();
    store.session("ours");
    store.sessions_mut().discard_own("test", "ours", NOW).unwrap();
    assert!(sessions(&store) == 0 && store.sessions().is_own("ours").unwrap());
    store.record(&arrival("theirs", 1));
    store.sessions_mut().discard_own("test", "theirs", NOW).unwrap();
    assert!(sessions(&store) == 1 && !store.sessions().is_own("theirs").unwrap());
}
