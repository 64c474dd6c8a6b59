//! What writers saw and made no memory of, and why. Kept as long as events, and gone with the event it came from.
//!
//! Not here: the reasons (`memory`), what is turned down (`distil`).

use crate::db::codes;
use crate::db::facets::{RejectionReader, RejectionWriter};
use crate::db::metadata;
use crate::db::open::TxError;
use crate::upkeep::maintain::RETENTION_CLOCK;
use crate::{Scope, StoreError};
use backstory_memory::{
    EventId, Kind, ProjectId, Redacted, RejectionId, RejectionReason, SessionId, Timestamp, WantedWords,
    Writer,
};
use rusqlite::{Connection, Row, Rows, params};

/// A sentence or two: the event holds the rest.
const LONGEST_TEXT: usize = 400;
/// How many are returned at most.
const MOST_RETURNED: usize = 50;

/// Something a writer is about to turn down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRejection {
    /// The project it belongs to.
    pub project: ProjectId,
    /// The session it was seen in.
    pub session: Option<SessionId>,
    /// The event that says it.
    pub event: Option<EventId>,
    /// When it was said.
    pub at: Timestamp,
    /// Who turned it down.
    pub writer: Writer,
    /// What it would have become.
    pub kind: Kind,
    /// What was said.
    pub text: Redacted<String>,
    /// Why.
    pub reason: RejectionReason,
    /// What the reason speaks of: the file or memory that says it already.
    pub detail: Option<Redacted<String>>,
}

/// Something a writer turned down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// Its number.
    pub id: RejectionId,
    /// The project it belongs to.
    pub project: ProjectId,
    /// The session it was seen in.
    pub session: Option<SessionId>,
    /// The event that says it.
    pub event: Option<EventId>,
    /// When it was said.
    pub at: Timestamp,
    /// Who turned it down.
    pub writer: Writer,
    /// What it would have become.
    pub kind: Kind,
    /// What was said, or its beginning.
    pub text: String,
    /// Why.
    pub reason: RejectionReason,
    /// What the reason speaks of: the file or memory that says it already.
    pub detail: Option<String>,
}

impl RejectionWriter<'_> {
    /// Notes what a writer turned down. The same text of a session is noted once, with the last reason.
    pub fn record(&mut self, rejections: &[NewRejection]) -> Result<(), StoreError> {
        if rejections.is_empty() {
            return Ok(());
        }
        self.store.write("note what was turned down", |transaction| {
            let clock = metadata::number(transaction, RETENTION_CLOCK)?.unwrap_or(0);
            Ok(rejections.iter().try_for_each(|rejection| insert(transaction, rejection, clock))?)
        })
    }
}

impl RejectionReader<'_> {
    /// Returns what was turned down and holds these words, newest first (law 8).
    pub fn matching(&self, wanted: &WantedWords, scope: Scope) -> Result<Vec<Rejection>, StoreError> {
        self.store.read("look at what was turned down", |db| {
            let sql = "SELECT * FROM rejections WHERE ?1 IS NULL OR project_id = ?1 ORDER BY id DESC";
            let mut statement = db.prepare_cached(sql)?;
            rejections_from(statement.query([scope.project()])?, |rejection| wanted.are_in(&rejection.text))
        })
    }

    /// Returns the user's orders in a project that did not become a rule and hold a text, newest first.
    pub fn orders_with(&self, project: ProjectId, fragment: &str) -> Result<Vec<Rejection>, StoreError> {
        self.store.read("look at what was turned down", |db| {
            let sql = "SELECT * FROM rejections WHERE project_id = ?1 AND writer = 'rules' AND kind = 'rule'
                 AND reason IN ('task_order', 'already_known') AND instr(text, ?2) > 0 ORDER BY id DESC";
            let mut statement = db.prepare_cached(sql)?;
            rejections_from(statement.query(params![project.0, fragment])?, |_| true)
        })
    }

    /// Returns what was turned down in a session, in the order it was said.
    pub fn of_session(&self, session: SessionId) -> Result<Vec<Rejection>, StoreError> {
        self.store.read("look at what was turned down", |db| {
            let sql = "SELECT * FROM rejections WHERE session_id = ?1 ORDER BY at_ms, id";
            let mut statement = db.prepare_cached(sql)?;
            rejections_from(statement.query([session.0])?, |_| true)
        })
    }
}

/// Removes what was kept long enough. A rejection is also deleted with its event, which may be sooner.
pub(crate) fn expire(db: &Connection, clock: i64, days: u32) -> rusqlite::Result<()> {
    let before = clock.saturating_sub(i64::from(days) * Timestamp::DAY_MS);
    db.execute("DELETE FROM rejections WHERE clock_ms <= ?1", [before]).map(drop)
}

fn insert(db: &Connection, rejection: &NewRejection, clock: i64) -> rusqlite::Result<()> {
    // The event is looked up: it may have been forgotten since the writer saw it.
    let mut statement = db.prepare_cached(
        "INSERT INTO rejections (project_id, session_id, event_id, at_ms, clock_ms, writer, kind, text, reason, detail)
         VALUES (?1, ?2, (SELECT id FROM events WHERE id = ?3), ?4, ?5, ?6, ?7, ?8, ?9, ?10)
         ON CONFLICT DO UPDATE SET kind = excluded.kind, reason = excluded.reason, detail = excluded.detail
         WHERE (kind, reason, detail) IS NOT (excluded.kind, excluded.reason, excluded.detail)",
    )?;
    statement.execute(params![
        rejection.project.0,
        rejection.session.map(|id| id.0),
        rejection.event.map(|id| id.0),
        rejection.at.0,
        clock,
        rejection.writer.as_str(),
        rejection.kind.as_str(),
        *rejection.text.first_chars(LONGEST_TEXT),
        rejection.reason.as_str(),
        rejection.detail.as_ref().map(|detail| detail.first_chars(LONGEST_TEXT).into_inner()),
    ])?;
    Ok(())
}

fn rejections_from(
    mut rows: Rows<'_>,
    is_wanted: impl Fn(&Rejection) -> bool,
) -> Result<Vec<Rejection>, TxError> {
    let mut rejections = Vec::new();
    while rejections.len() < MOST_RETURNED
        && let Some(row) = rows.next()?
    {
        let rejection = rejection_from(row)?;
        if is_wanted(&rejection) {
            rejections.push(rejection);
        }
    }
    Ok(rejections)
}

fn rejection_from(row: &Row<'_>) -> Result<Rejection, TxError> {
    let id = RejectionId(row.get("id")?);
    let what = format!("rejection {id}");
    Ok(Rejection {
        id,
        project: ProjectId(row.get("project_id")?),
        session: row.get::<_, Option<i64>>("session_id")?.map(SessionId),
        event: row.get::<_, Option<i64>>("event_id")?.map(EventId),
        at: Timestamp(row.get("at_ms")?),
        writer: codes::code(&what, &row.get::<_, String>("writer")?)?,
        kind: codes::code(&what, &row.get::<_, String>("kind")?)?,
        text: row.get("text")?,
        reason: codes::code(&what, &row.get::<_, String>("reason")?)?,
        detail: row.get("detail")?,
    })
}
