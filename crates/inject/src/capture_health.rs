//! Checks at session start whether capture works. The user is informed, never the agent: it could do nothing about it.

use crate::ages::time_ago;
use backstory_memory::{ProjectId, Timestamp};
use backstory_store::{Home, LossCounter, Spool, Store, StoreError};

/// So many events wait in the spool only if draining has failed for a while.
const MANY_WAITING: usize = 200;
/// So many sessions in a row without an event beyond their start mean that the other hooks do not run.
const SESSIONS_IN_A_ROW: u32 = 3;
/// The events of older sessions may have been deleted by retention.
const LATELY_MS: i64 = 14 * Timestamp::DAY_MS;

/// What keeps events from being captured, as the user reads it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CaptureProblem {
    /// The store cannot be opened.
    #[error("Backstory remembers nothing of this session for now: {0}. `backstory doctor` says what to do.")]
    StoreUnusable(String),
    /// The spool is not drained.
    #[error("Backstory: {0} events wait in the spool and are not stored. `backstory status` says more.")]
    SpoolBacklog(usize),
    /// Events could be kept nowhere.
    #[error(
        "Backstory lost {events}, the first {since} and the last {last}: neither its database nor its spool could be written. \
         `backstory doctor` says more."
    )]
    EventsLost {
        /// How many.
        events: String,
        /// When the first was lost.
        since: String,
        /// When the last was lost.
        last: String,
    },
    /// Only session starts arrive.
    #[error(
        "Backstory captured nothing of the last {0} sessions here but their start: its other hooks do not run. \
         Look at the host's hooks; `backstory status` shows which run."
    )]
    OnlySessionStarts(u32),
}

/// Returns the problem of a store that cannot be opened; `None` for one that is only busy.
#[must_use]
pub fn problem_opening(error: &StoreError) -> Option<CaptureProblem> {
    let is_transient = matches!(error, StoreError::Busy { .. });
    (!is_transient).then(|| CaptureProblem::StoreUnusable(error.to_string()))
}

/// Returns how many events were lost, unless a session start has said so already.
#[must_use]
pub fn lost_since_announced(home: &Home, now: Timestamp) -> Option<CaptureProblem> {
    let lost = LossCounter::new(home).read(now).filter(|lost| !lost.is_announced)?;
    let events = if lost.events == 1 { "1 event".to_owned() } else { format!("{} events", lost.events) };
    Some(CaptureProblem::EventsLost {
        events,
        since: time_ago(lost.since, now),
        last: time_ago(lost.last, now),
    })
}

/// Checks spool and recent sessions of a host in a project.
#[must_use]
pub fn check_capture(
    home: &Home,
    store: &Store,
    (host, project): (&str, Option<ProjectId>),
    now: Timestamp,
) -> Option<CaptureProblem> {
    let waiting = Spool::new(home).len();
    if waiting > MANY_WAITING {
        return Some(CaptureProblem::SpoolBacklog(waiting));
    }
    let since = now.plus_ms(-LATELY_MS);
    let is_silent = store.sessions().are_silent(project?, host, SESSIONS_IN_A_ROW, since).unwrap_or(false);
    is_silent.then_some(CaptureProblem::OnlySessionStarts(SESSIONS_IN_A_ROW))
}
