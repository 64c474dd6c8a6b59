//! What calls to a model cost, and whether another may be made.
//!
//! A call is recorded before it is made, with its expected cost, and corrected afterwards. A process that is killed in between has
//! spent the expected cost. So the caps hold whatever happens, in every process.

use crate::db::facets::{JobReader, JobWriter};
use crate::{Job, StoreError};
use backstory_memory::{Timestamp, Tokens};
use rusqlite::{Connection, params};

/// This many failures in a row stop all calls for [`BREAK_MS`].
const FAILURES_TO_BREAK: u32 = 5;
const BREAK_MS: i64 = 60 * 60 * 1000;
/// No more calls than this in a minute, whatever they cost.
const CALLS_A_MINUTE: u32 = 10;
const MINUTE_MS: i64 = 60 * 1000;
/// How long calls, dead jobs and our own sessions are stored.
const REMEMBERED_DAYS: i64 = 90;

/// A call's number in this store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallId(i64);

/// What models may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenCaps {
    /// In any 24 hours.
    pub tokens_per_day: Tokens,
    /// For the memories of one session, ever.
    pub tokens_per_session: Tokens,
}

/// Whether a call may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallPermission {
    /// It may, and is recorded.
    Granted(CallId),
    /// The cap of its session is reached.
    SessionCapReached,
    /// No call may be made for now.
    Refused(CallRefusal),
}

/// Why no call may be made for now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallRefusal {
    /// The cap of the day is reached.
    DayCapReached,
    /// There were too many calls in the last minute.
    RateLimited,
    /// The last ones all failed.
    CircuitOpen,
}

/// The result of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallOutcome {
    /// Its answer was used.
    Used,
    /// Its answer could not be used.
    Unusable,
    /// There was no answer.
    Failed,
}

impl CallOutcome {
    const fn as_str(self) -> &'static str {
        match self {
            CallOutcome::Used => "used",
            CallOutcome::Unusable => "unusable",
            CallOutcome::Failed => "failed",
        }
    }
}

/// The state of the work for models.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelWorkStatus {
    /// Calls that are still stored.
    pub calls: u64,
    /// Calls of the last 24 hours.
    pub calls_last_day: u64,
    /// What those cost.
    pub tokens_last_day: u64,
    /// Jobs that wait or run.
    pub waiting: u64,
    /// Jobs that were given up.
    pub dead: u64,
    /// Whether calls are suspended because the last ones all failed.
    pub is_circuit_open: bool,
}

impl JobWriter<'_> {
    /// Checks whether a call with this expected cost may be made, and records it if so.
    pub fn begin_call(
        &mut self,
        job: &Job,
        provider: &str,
        expected: Tokens,
        caps: TokenCaps,
        now: Timestamp,
    ) -> Result<CallPermission, StoreError> {
        self.store.write("write down a call", |transaction| {
            if is_broken(transaction, now)? {
                return Ok(CallPermission::Refused(CallRefusal::CircuitOpen));
            }
            if calls_since(transaction, now.0 - MINUTE_MS)?.0 >= u64::from(CALLS_A_MINUTE) {
                return Ok(CallPermission::Refused(CallRefusal::RateLimited));
            }
            let fits = |spent: u64, cap: Tokens| spent + u64::from(expected.0) <= u64::from(cap.0);
            if !fits(calls_since(transaction, now.0 - Timestamp::DAY_MS)?.1, caps.tokens_per_day) {
                return Ok(CallPermission::Refused(CallRefusal::DayCapReached));
            }
            let of_session = "SELECT coalesce(sum(tokens), 0) FROM model_calls WHERE session_id = ?1";
            let session = job.session.map(|session| session.0);
            let spent = transaction.query_row(of_session, [session], |row| row.get(0))?;
            if !fits(spent, caps.tokens_per_session) {
                return Ok(CallPermission::SessionCapReached);
            }
            // The job or session may be forgotten meanwhile; the cost is recorded all the same.
            transaction.execute(
                "INSERT INTO model_calls (job_id, session_id, provider, at_ms, tokens, outcome)
                 VALUES ((SELECT id FROM jobs WHERE id = ?1), (SELECT id FROM sessions WHERE id = ?2), ?3, ?4, ?5, 'started')",
                params![job.id.0, session, provider, now.0, expected.0],
            )?;
            Ok(CallPermission::Granted(CallId(transaction.last_insert_rowid())))
        })
    }

    /// Records the result and the cost of a call; an unknown cost stays the expected one.
    pub fn end_call(
        &mut self,
        id: CallId,
        outcome: CallOutcome,
        cost: Option<Tokens>,
    ) -> Result<(), StoreError> {
        self.store.write("write down a call", |transaction| {
            let sql = "UPDATE model_calls SET outcome = ?2, tokens = coalesce(?3, tokens) WHERE id = ?1";
            Ok(transaction
                .execute(sql, params![id.0, outcome.as_str(), cost.map(|cost| cost.0)])
                .map(drop)?)
        })
    }

    /// Removes what is too old to matter.
    pub fn trim_model_work(&mut self, now: Timestamp) -> Result<(), StoreError> {
        let before = now.0 - REMEMBERED_DAYS * Timestamp::DAY_MS;
        self.store.write("let go of old work for models", |transaction| {
            transaction.execute("DELETE FROM model_calls WHERE at_ms < ?1", [before])?;
            transaction.execute("DELETE FROM jobs WHERE state = 'dead' AND due_at_ms < ?1", [before])?;
            Ok(transaction.execute("DELETE FROM own_sessions WHERE at_ms < ?1", [before]).map(drop)?)
        })
    }
}

impl JobReader<'_> {
    /// Returns the state of the work for models.
    pub fn model_work(&self, now: Timestamp) -> Result<ModelWorkStatus, StoreError> {
        self.store.read("look at the work for models", |db| {
            let (calls_last_day, tokens_last_day) = calls_since(db, now.0 - Timestamp::DAY_MS)?;
            let jobs = |sql: &str| db.query_row(sql, [], |row| row.get(0));
            Ok(ModelWorkStatus {
                calls: calls_since(db, i64::MIN)?.0,
                calls_last_day,
                tokens_last_day,
                waiting: jobs("SELECT count(*) FROM jobs WHERE state IN ('waiting', 'running')")?,
                dead: jobs("SELECT count(*) FROM jobs WHERE state = 'dead'")?,
                is_circuit_open: is_broken(db, now)?,
            })
        })
    }
}

/// Returns the number and the cost of the calls since then. A clock that was set back raises both, never lowers them.
fn calls_since(db: &Connection, since: i64) -> rusqlite::Result<(u64, u64)> {
    let sql = "SELECT count(*), coalesce(sum(tokens), 0) FROM model_calls WHERE at_ms > ?1";
    db.prepare_cached(sql)?.query_row([since], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Whether the last calls all failed, the newest of them recently. A call that never ended counts as failed.
fn is_broken(db: &Connection, now: Timestamp) -> rusqlite::Result<bool> {
    let sql = "SELECT count(*) >= ?1 AND max(at_ms) > ?2 FROM
         (SELECT outcome, at_ms FROM model_calls ORDER BY id DESC LIMIT ?1) WHERE outcome <> 'used'";
    db.prepare_cached(sql)?
        .query_row(params![FAILURES_TO_BREAK, now.0 - BREAK_MS], |row| row.get::<_, Option<bool>>(0))
        .map(Option::unwrap_or_default)
}
