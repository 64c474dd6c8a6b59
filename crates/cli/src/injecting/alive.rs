//! Whether capture still works: where it stopped, the next session's user is told. Never the agent: it could do nothing about it.

use backstory_memory::{ProjectId, Timestamp};
use backstory_store::{Home, Spool, Store, StoreError};

/// So many events wait only where nobody could take them in for a while.
const MANY_WAITING: usize = 200;
/// So many sessions in a row of which nothing was heard but their beginning.
const SESSIONS_IN_A_ROW: u32 = 3;
/// Of older sessions the events may have been thrown away for their age.
const LATELY_MS: i64 = 14 * Timestamp::DAY_MS;

/// Says what is wrong with a store that cannot be opened; what passes by itself is not worth a word.
pub(crate) fn trouble_opening(error: &StoreError) -> Option<String> {
    let is_passing = matches!(error, StoreError::Busy { .. });
    (!is_passing).then(|| {
        format!("Backstory remembers nothing of this session for now: {error}. `backstory doctor` says what to do.")
    })
}

/// Says what is wrong with a store that can be opened.
pub(crate) fn trouble(
    home: &Home,
    store: &Store,
    host: &str,
    project: Option<ProjectId>,
    now: Timestamp,
) -> Option<String> {
    let waiting = Spool::new(home).len();
    if waiting > MANY_WAITING {
        return Some(format!(
            "Backstory: {waiting} events wait in the spool and are not taken in. `backstory status` says more."
        ));
    }
    let since = now.plus_ms(-LATELY_MS);
    let is_silent = store.are_silent(project?, host, SESSIONS_IN_A_ROW, since).unwrap_or(false);
    is_silent.then(|| {
        format!(
            "Backstory heard nothing of the last {SESSIONS_IN_A_ROW} sessions here but that they began: its other hooks do not run. \
             Look at the host's hooks; `backstory status` shows which run."
        )
    })
}
