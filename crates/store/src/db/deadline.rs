//! A time at which reading stops: a hook uses what was found until then (law 1).
//!
//! Only reads are limited, and only inside [`Store::read_until`]: a write that has begun is allowed to finish.

use crate::{Store, StoreError};
use rusqlite::{Connection, ErrorCode};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// How many steps of SQLite's machine run between two looks at the clock: some tens of microseconds.
const STEPS: i32 = 1_000;

/// When the reads of a connection stop; never by default.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deadline(Arc<Mutex<Option<Instant>>>);

impl Deadline {
    /// Makes a connection look at the clock while it works.
    pub(crate) fn watch(&self, db: &mut Connection) -> rusqlite::Result<()> {
        let deadline = self.clone();
        db.progress_handler(STEPS, Some(move || deadline.is_over()))
    }

    fn is_over(&self) -> bool {
        // Poison is ignored: a panic cannot leave an `Instant` half written.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|until| Instant::now() >= until)
    }

    fn set(&self, until: Option<Instant>) -> Option<Instant> {
        std::mem::replace(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), until)
    }
}

impl Store {
    /// Runs `look` with a deadline for its reads: one that runs at that time is stopped, and none begins later. Inside another
    /// `read_until`, the earlier deadline counts.
    ///
    /// # Errors
    ///
    /// [`StoreError::OutOfTime`], and the errors of `look`.
    pub fn read_until<T, E: From<StoreError>>(
        &self,
        until: Instant,
        look: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let around = self.deadline.set(None);
        let until = around.map_or(until, |around| around.min(until));
        self.deadline.set(Some(until));
        let found = if Instant::now() >= until { Err(StoreError::OutOfTime.into()) } else { look() };
        self.deadline.set(around);
        found
    }
}

/// Whether a statement was stopped by its deadline.
pub(crate) fn is_stopped(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Home, Purpose};
    use backstory_memory::Timestamp;

    /// Law 1.
    #[test]
    fn a_deadline_stops_the_read_that_runs_and_not_the_next_one() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&Home::new(dir.path().join("home")), Purpose::Hook, Timestamp(0)).unwrap();
        let count_far = || {
            let sql = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT count(*) FROM n";
            store.read("count", |db| Ok(db.query_row(sql, [], |row| row.get::<_, i64>(0))?))
        };
        store.deadline.set(Some(Instant::now()));
        assert!(matches!(count_far(), Err(StoreError::OutOfTime)));
        store.deadline.set(None);
        assert_eq!(count_far().unwrap(), 100_000);
        let never = || -> Result<(), StoreError> { panic!("begun although the time was over") };
        assert!(matches!(store.read_until(Instant::now(), never), Err(StoreError::OutOfTime)));
        assert_eq!(count_far().unwrap(), 100_000);
    }

    #[test]
    fn an_inner_deadline_cannot_exceed_the_outer_one_nor_replace_it() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&Home::new(dir.path().join("home")), Purpose::Hook, Timestamp(0)).unwrap();
        let far = Instant::now() + std::time::Duration::from_secs(3600);
        store.deadline.set(Some(Instant::now()));
        let never = || -> Result<(), StoreError> { panic!("begun although the time was over") };
        assert!(matches!(store.read_until(far, never), Err(StoreError::OutOfTime)));
        store.deadline.set(Some(far));
        store.read_until(Instant::now(), || Ok::<_, StoreError>(())).unwrap_err();
        assert_eq!(store.deadline.set(None), Some(far));
    }
}
