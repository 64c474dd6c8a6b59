//! What calls to a model cost, and whether another may be made.
//!
//! A call is recorded before it is made, with what it may cost, and corrected afterwards. A process that is killed in between has
//! spent that much. So the caps hold whatever happens, in every process, however many sessions end at once.

use crate::StoreError;
use crate::db::facets::{JobReader, JobWriter};
use backstory_memory::{SessionId, Timestamp, Tokens};
use rusqlite::{Connection, params};

/// How many failures in a row make calls rest. Each further failure doubles the rest.
const FAILURES_TO_REST: u32 = 3;
const SHORTEST_REST_MS: i64 = 10 * MINUTE_MS;
const LONGEST_REST_MS: i64 = Timestamp::DAY_MS;
/// No more calls than this in a minute, whatever they cost.
const CALLS_A_MINUTE: u64 = 10;
const MINUTE_MS: i64 = 60 * 1000;
/// The longest a call may last: one that began earlier and has not ended was killed.
const LONGEST_CALL_MS: i64 = 15 * MINUTE_MS;
/// When the day's cap is reached, look again after this.
const LATER_THAT_DAY_MS: i64 = 60 * MINUTE_MS;
/// How long calls, dead jobs and our own sessions are stored.
const REMEMBERED_DAYS: i64 = 90;

/// A call's number in this store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallId(i64);

/// What models may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallCaps {
    /// Tokens in any 24 hours.
    pub tokens_per_day: Tokens,
    /// Tokens for the notes of one session, in total.
    pub tokens_per_session: Tokens,
    /// Calls for the notes of one session, in total. A call that reached no model does not count.
    pub calls_per_session: u32,
}

/// A call that is to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallRequest<'a> {
    /// The session it is about.
    pub session: SessionId,
    /// Who is called.
    pub provider: &'a str,
    /// What it may cost.
    pub expected: CallCost,
}

/// Tokens of one call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallCost {
    /// What the model read.
    pub tokens_in: Tokens,
    /// What it wrote.
    pub tokens_out: Tokens,
}

/// Whether a call may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallPermission {
    /// It may, and is recorded.
    Granted(CallId),
    /// A cap of its session is reached: there is nothing to wait for.
    SessionCapReached,
    /// No call may be made before this time.
    Refused(CallRefusal, Timestamp),
}

/// Why no call may be made for now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallRefusal {
    /// The cap of the day is reached.
    DayCapReached,
    /// There were too many calls in the last minute.
    RateLimited,
    /// The last ones all failed.
    Resting,
}

/// The result of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallOutcome {
    /// Its answer was used: so many notes were kept and rejected.
    Used {
        /// Notes that were kept.
        kept: u32,
        /// Notes that were rejected.
        rejected: u32,
    },
    /// Its answer could not be used.
    Unusable,
    /// There was no answer.
    Failed,
}

/// What models did in a while.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelUse {
    /// Calls.
    pub calls: u64,
    /// What they read.
    pub tokens_in: u64,
    /// What they wrote.
    pub tokens_out: u64,
    /// Notes that were kept.
    pub kept: u64,
    /// Notes that were rejected.
    pub rejected: u64,
}

/// The state of the background writer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriterStatus {
    /// What it did in the last 24 hours.
    pub last_day: ModelUse,
    /// What it did in all that is still stored, 90 days at most.
    pub stored: ModelUse,
    /// Sessions that wait for their notes.
    pub waiting: u64,
    /// Sessions whose notes were given up.
    pub dead: u64,
    /// Until when calls rest because the last ones all failed.
    pub rests_until: Option<Timestamp>,
}

impl JobWriter<'_> {
    /// Checks whether a call may be made, and records it with what it may cost if so.
    pub fn begin_call(
        &mut self,
        call: &CallRequest<'_>,
        caps: CallCaps,
        now: Timestamp,
    ) -> Result<CallPermission, StoreError> {
        self.store.write("write down a call", |transaction| {
            if let Some(refused) = refusal(transaction, call, caps, now)? {
                return Ok(refused);
            }
            // The session may be forgotten meanwhile; the cost is recorded all the same.
            let sql = "INSERT INTO model_calls (session_id, provider, at_ms, tokens_in, tokens_out, outcome)
                 VALUES ((SELECT id FROM sessions WHERE id = ?1), ?2, ?3, ?4, ?5, 'started')";
            let CallCost { tokens_in, tokens_out } = call.expected;
            transaction
                .execute(sql, params![call.session.0, call.provider, now.0, tokens_in.0, tokens_out.0])?;
            Ok(CallPermission::Granted(CallId(transaction.last_insert_rowid())))
        })
    }

    /// Records the result and the cost of a call; an unknown cost stays the expected one.
    pub fn end_call(
        &mut self,
        id: CallId,
        outcome: CallOutcome,
        cost: Option<CallCost>,
    ) -> Result<(), StoreError> {
        let (name, kept, rejected) = match outcome {
            CallOutcome::Used { kept, rejected } => ("used", kept, rejected),
            CallOutcome::Unusable => ("unusable", 0, 0),
            CallOutcome::Failed => ("failed", 0, 0),
        };
        self.store.write("write down a call", |transaction| {
            let sql = "UPDATE model_calls SET outcome = ?2, kept = ?3, rejected = ?4,
                 tokens_in = coalesce(?5, tokens_in), tokens_out = coalesce(?6, tokens_out) WHERE id = ?1";
            let (tokens_in, tokens_out) =
                (cost.map(|cost| cost.tokens_in.0), cost.map(|cost| cost.tokens_out.0));
            Ok(transaction
                .execute(sql, params![id.0, name, kept, rejected, tokens_in, tokens_out])
                .map(drop)?)
        })
    }

    /// Removes what is too old to matter.
    pub fn trim_model_work(&mut self, now: Timestamp) -> Result<(), StoreError> {
        let before = now.0 - REMEMBERED_DAYS * Timestamp::DAY_MS;
        self.store.write("let go of old work for models", |transaction| {
            transaction.execute("DELETE FROM model_calls WHERE at_ms < ?1", [before])?;
            transaction
                .execute("DELETE FROM writer_jobs WHERE state = 'dead' AND due_at_ms < ?1", [before])?;
            Ok(transaction.execute("DELETE FROM own_sessions WHERE at_ms < ?1", [before]).map(drop)?)
        })
    }
}

impl JobReader<'_> {
    /// Returns the state of the background writer.
    pub fn writer_status(&self, now: Timestamp) -> Result<WriterStatus, StoreError> {
        self.store.read("look at the work of the writer", |db| {
            let jobs = |sql: &str| db.query_row(sql, [], |row| row.get(0));
            Ok(WriterStatus {
                last_day: model_use_since(db, now.0 - Timestamp::DAY_MS)?,
                stored: model_use_since(db, i64::MIN)?,
                waiting: jobs("SELECT count(*) FROM writer_jobs WHERE state <> 'dead'")?,
                dead: jobs("SELECT count(*) FROM writer_jobs WHERE state = 'dead'")?,
                rests_until: rest(db, now)?,
            })
        })
    }
}

/// Returns why a call must not be made, if there is a reason.
fn refusal(
    db: &Connection,
    call: &CallRequest<'_>,
    caps: CallCaps,
    now: Timestamp,
) -> rusqlite::Result<Option<CallPermission>> {
    let refused = |reason, until| Ok(Some(CallPermission::Refused(reason, until)));
    if let Some(until) = rest(db, now)? {
        return refused(CallRefusal::Resting, until);
    }
    let of_session =
        "SELECT coalesce(sum(tokens_in + tokens_out), 0), coalesce(sum(tokens_in + tokens_out > 0), 0)
         FROM model_calls WHERE session_id = ?1";
    let (spent, calls): (u64, u32) =
        db.query_row(of_session, [call.session.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let expected = u64::from(call.expected.tokens_in.0) + u64::from(call.expected.tokens_out.0);
    let fits = |spent: u64, cap: Tokens| spent + expected <= u64::from(cap.0);
    if calls >= caps.calls_per_session || !fits(spent, caps.tokens_per_session) {
        return Ok(Some(CallPermission::SessionCapReached));
    }
    if model_use_since(db, now.0 - MINUTE_MS)?.calls >= CALLS_A_MINUTE {
        return refused(CallRefusal::RateLimited, now.plus_ms(MINUTE_MS));
    }
    let today = model_use_since(db, now.0 - Timestamp::DAY_MS)?;
    if !fits(today.tokens_in + today.tokens_out, caps.tokens_per_day) {
        return refused(CallRefusal::DayCapReached, now.plus_ms(LATER_THAT_DAY_MS));
    }
    Ok(None)
}

/// Returns what the calls since then did. A clock that was set back raises the numbers, never lowers them.
fn model_use_since(db: &Connection, since: i64) -> rusqlite::Result<ModelUse> {
    let sql =
        "SELECT count(*), coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0), coalesce(sum(kept), 0),
         coalesce(sum(rejected), 0) FROM model_calls WHERE at_ms > ?1";
    db.prepare_cached(sql)?.query_row([since], |row| {
        Ok(ModelUse {
            calls: row.get(0)?,
            tokens_in: row.get(1)?,
            tokens_out: row.get(2)?,
            kept: row.get(3)?,
            rejected: row.get(4)?,
        })
    })
}

/// Returns until when calls rest, because the last ones all failed. A call that never ended counts as failed.
fn rest(db: &Connection, now: Timestamp) -> rusqlite::Result<Option<Timestamp>> {
    let sql = "SELECT count(*), coalesce(max(at_ms), 0) FROM model_calls
         WHERE id > (SELECT coalesce(max(id), 0) FROM model_calls WHERE outcome = 'used')
         AND (outcome <> 'started' OR at_ms < ?1)";
    let (failures, last): (u32, i64) =
        db.prepare_cached(sql)?.query_row([now.0 - LONGEST_CALL_MS], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let Some(beyond) = failures.checked_sub(FAILURES_TO_REST) else { return Ok(None) };
    let rest = SHORTEST_REST_MS.saturating_mul(1 << beyond.min(16)).min(LONGEST_REST_MS);
    Ok(Some(Timestamp(last.saturating_add(rest))).filter(|until| *until > now))
}
