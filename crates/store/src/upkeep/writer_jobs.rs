//! Jobs of the background writer: which sessions wait for their notes, which process works on them, and when a job is given up.
//!
//! **Leases.** A job is claimed for a while. A runner that dies leaves it `running`; when the lease has expired, the next runner
//! claims it again, and after [`MOST_ATTEMPTS`] claims it is dead. A finished job is removed: the notes themselves show the result.
//!
//! Not here: what a call may cost (`model_calls`), the prompt and how an answer is judged (`distil`).

use crate::StoreError;
use crate::db::facets::{JobReader, JobWriter};
use backstory_memory::{SessionId, Timestamp};
use rusqlite::{OptionalExtension, params};
use std::time::Duration;

/// How often a job is tried at most.
pub const MOST_ATTEMPTS: u32 = 3;

/// A claimed job: the notes of one session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriterJob {
    /// The session.
    pub session: SessionId,
    /// How often it was tried, including this time.
    pub attempts: u32,
    /// When the claim ends. It distinguishes this claim from a later request for the same session.
    lease_ends: Timestamp,
}

impl JobWriter<'_> {
    /// Queues the notes of a session until they are due. A session has one job: a later request replaces the earlier.
    pub fn enqueue(&mut self, session: SessionId, due: Timestamp) -> Result<(), StoreError> {
        self.store.write("let a session wait for its notes", |transaction| {
            let sql = "INSERT INTO writer_jobs (session_id, attempts, due_at_ms, state) VALUES (?1, 0, ?2, 'waiting')
                 ON CONFLICT (session_id) DO UPDATE SET attempts = 0, due_at_ms = ?2, state = 'waiting'";
            Ok(transaction.prepare_cached(sql)?.execute([session.0, due.0]).map(drop)?)
        })
    }

    /// Claims the job that has been due longest, until the lease expires.
    pub fn claim(&mut self, now: Timestamp, lease: Duration) -> Result<Option<WriterJob>, StoreError> {
        let lease_ends = now.plus_ms(i64::try_from(lease.as_millis()).unwrap_or(i64::MAX));
        self.store.write("claim a session's notes", |transaction| {
            // Claimed for the last time by a process that died: nobody else will mark these.
            transaction.execute(
                "UPDATE writer_jobs SET state = 'dead' WHERE state = 'running' AND due_at_ms <= ?1 AND attempts >= ?2",
                params![now.0, MOST_ATTEMPTS],
            )?;
            let due = "SELECT session_id, attempts + 1 FROM writer_jobs WHERE state <> 'dead' AND due_at_ms <= ?1
                 ORDER BY due_at_ms, session_id LIMIT 1";
            let job = transaction.query_row(due, [now.0], |row| {
                Ok(WriterJob { session: SessionId(row.get(0)?), attempts: row.get(1)?, lease_ends })
            });
            let Some(job) = job.optional()? else { return Ok(None) };
            transaction.execute(
                "UPDATE writer_jobs SET state = 'running', attempts = ?2, due_at_ms = ?3 WHERE session_id = ?1",
                params![job.session.0, job.attempts, lease_ends.0],
            )?;
            Ok(Some(job))
        })
    }

    /// Removes a job that is done, or for which there is nothing left to do. A later request for the same session stays.
    pub fn finish(&mut self, job: WriterJob) -> Result<(), StoreError> {
        let sql = "DELETE FROM writer_jobs WHERE session_id = ?1 AND state = 'running' AND due_at_ms = ?2";
        self.store.write("finish a session's notes", |transaction| {
            Ok(transaction.execute(sql, [job.session.0, job.lease_ends.0]).map(drop)?)
        })
    }

    /// Schedules the next attempt of a job that failed; after the last attempt it is dead.
    pub fn fail(&mut self, job: WriterJob, retry_at: Timestamp) -> Result<(), StoreError> {
        let sql = "UPDATE writer_jobs SET state = iif(attempts >= ?4, 'dead', 'waiting'), due_at_ms = ?3
             WHERE session_id = ?1 AND state = 'running' AND due_at_ms = ?2";
        self.store.write("let a session's notes wait", |transaction| {
            let values = params![job.session.0, job.lease_ends.0, retry_at.0, MOST_ATTEMPTS];
            Ok(transaction.execute(sql, values).map(drop)?)
        })
    }

    /// Postpones every job while no call may be made. For the claimed one this does not count as an attempt.
    pub fn postpone_all(&mut self, claimed: WriterJob, until: Timestamp) -> Result<(), StoreError> {
        self.store.write("let all notes wait", |transaction| {
            transaction.execute(
                "UPDATE writer_jobs SET state = 'waiting', attempts = attempts - 1, due_at_ms = ?3
                 WHERE session_id = ?1 AND state = 'running' AND due_at_ms = ?2",
                params![claimed.session.0, claimed.lease_ends.0, until.0],
            )?;
            let others = "UPDATE writer_jobs SET due_at_ms = ?1 WHERE state = 'waiting' AND due_at_ms < ?1";
            Ok(transaction.execute(others, [until.0]).map(drop)?)
        })
    }
}

impl JobReader<'_> {
    /// Whether the notes of a session are due.
    pub fn has_due(&self, now: Timestamp) -> Result<bool, StoreError> {
        self.store.read("look for notes that are due", |db| {
            let sql = "SELECT 1 FROM writer_jobs WHERE state <> 'dead' AND due_at_ms <= ?1 LIMIT 1";
            Ok(db.prepare_cached(sql)?.exists([now.0])?)
        })
    }
}
