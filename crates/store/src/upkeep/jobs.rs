//! Jobs for a model: which memories wait to be reworded, which process works on them, and when a job is given up.
//!
//! **Leases.** A job is claimed for a while. A runner that dies leaves it `running`; when the lease has expired, the next runner
//! claims it again, and after [`MOST_ATTEMPTS`] claims it is dead. A finished job is removed: the memory itself shows the result.
//!
//! Not here: what a call may cost (`model_calls`), the prompts, and how answers are judged (`provider`).

use crate::db::facets::JobWriter;
use crate::{Store, StoreError};
use backstory_memory::{MemoryId, SessionId, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};
use std::time::Duration;

/// How often a job is tried at most.
pub const MOST_ATTEMPTS: u32 = 3;

/// A job's number in this store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobId(pub i64);

/// A claimed job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its number.
    pub id: JobId,
    /// The memory to reword.
    pub memory: MemoryId,
    /// The session the memory came from.
    pub session: Option<SessionId>,
    /// How often it was tried, including this time.
    pub attempts: u32,
}

impl JobWriter<'_> {
    /// Queues memories to be reworded, each once. Returns how many were added.
    ///
    /// A memory that a model has already worded is skipped.
    pub fn enqueue(&mut self, memories: &[MemoryId], now: Timestamp) -> Result<usize, StoreError> {
        self.store.write("let memories wait for better words", |transaction| {
            let mut statement = transaction.prepare_cached(
                "INSERT OR IGNORE INTO jobs (work, memory_id, session_id, attempts, due_at_ms, state)
                 SELECT 'polish', id, session_id, 0, ?2, 'waiting' FROM memories WHERE id = ?1 AND polished_from IS NULL",
            )?;
            let added: rusqlite::Result<Vec<usize>> =
                memories.iter().map(|id| statement.execute([id.0, now.0])).collect();
            Ok(added?.into_iter().sum())
        })
    }

    /// Claims the job that has been due longest, until the lease expires.
    pub fn claim(&mut self, now: Timestamp, lease: Duration) -> Result<Option<Job>, StoreError> {
        let until = later(now, lease);
        self.store.write("claim a job", |transaction| {
            transaction.execute(
                "UPDATE jobs SET state = 'dead' WHERE state = 'running' AND due_at_ms <= ?1 AND attempts >= ?2",
                params![now.0, MOST_ATTEMPTS],
            )?;
            let Some(job) = longest_due(transaction, now)? else { return Ok(None) };
            transaction.execute(
                "UPDATE jobs SET state = 'running', attempts = ?2, due_at_ms = ?3 WHERE id = ?1",
                params![job.id.0, job.attempts, until.0],
            )?;
            Ok(Some(job))
        })
    }

    /// Removes a job that is done, or for which there is nothing left to do.
    pub fn finish(&mut self, id: JobId) -> Result<(), StoreError> {
        self.store.write("finish a job", |transaction| {
            Ok(transaction.execute("DELETE FROM jobs WHERE id = ?1", [id.0]).map(drop)?)
        })
    }

    /// Schedules the next attempt of a job that failed; after the last attempt it is dead.
    pub fn fail(&mut self, id: JobId, retry_at: Timestamp) -> Result<(), StoreError> {
        self.store.reschedule_job(id, retry_at, 0)
    }

    /// Postpones a job that could not be tried. This does not count as an attempt.
    pub fn defer(&mut self, id: JobId, until: Timestamp) -> Result<(), StoreError> {
        self.store.reschedule_job(id, until, 1)
    }
}

impl Store {
    fn reschedule_job(&mut self, id: JobId, due: Timestamp, attempts_back: u32) -> Result<(), StoreError> {
        self.write("let a job wait", |transaction| {
            // The memory may have changed meanwhile and be queued a second time: one job is enough.
            let sql = "UPDATE OR REPLACE jobs SET state = iif(attempts - ?3 >= ?4, 'dead', 'waiting'), attempts = attempts - ?3,
                 due_at_ms = ?2 WHERE id = ?1 AND state = 'running'";
            Ok(transaction.execute(sql, params![id.0, due.0, attempts_back, MOST_ATTEMPTS]).map(drop)?)
        })
    }
}

/// Returns the time a while after another.
fn later(from: Timestamp, by: Duration) -> Timestamp {
    Timestamp(from.0.saturating_add(i64::try_from(by.as_millis()).unwrap_or(i64::MAX)))
}

fn longest_due(db: &Connection, now: Timestamp) -> rusqlite::Result<Option<Job>> {
    db.prepare_cached(
        "SELECT id, memory_id, session_id, attempts + 1 FROM jobs
         WHERE state IN ('waiting', 'running') AND due_at_ms <= ?1 AND memory_id IS NOT NULL ORDER BY due_at_ms, id LIMIT 1",
    )?
    .query_row([now.0], |row| {
        Ok(Job {
            id: JobId(row.get(0)?),
            memory: MemoryId(row.get(1)?),
            session: row.get::<_, Option<i64>>(2)?.map(SessionId),
            attempts: row.get(3)?,
        })
    })
    .optional()
}
