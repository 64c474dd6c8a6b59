//! Sessions: one conversation of a host in a project.
//!
//! Not here: what happened in them (`events`), what their agents have in view (`context_window`), those of our own (`own_sessions`).

use crate::db::facets::{SessionReader, SessionWriter};
use crate::{Filter, StoreError};
use backstory_memory::{EventId, ProjectId, Redacted, SessionId, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, params};

/// A session as the store knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Its number here.
    pub id: SessionId,
    /// The project it belongs to.
    pub project: ProjectId,
    /// The host's name.
    pub host: String,
    /// The host's own name for it.
    pub host_session: String,
    /// When it began.
    pub started_at: Timestamp,
    /// When something last happened in it.
    pub last_event_at: Timestamp,
    /// When it ended, if that is known.
    pub ended_at: Option<Timestamp>,
    /// The last of its events that memories were made from.
    pub distilled_to: EventId,
    /// What it did or was asked for, once it was distilled.
    pub title: Option<String>,
    /// The last of its events that a model's notes were taken for; none is 0.
    pub written_to: EventId,
}

/// A session and how much is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionSummary {
    /// The session.
    pub session: Session,
    /// How many events are kept.
    pub events: u64,
    /// How many memories came from it.
    pub memories: u64,
}

/// Selects sessions and how much is known of them, for [`summary_from`].
macro_rules! summaries {
    () => {
        "SELECT s.*, (SELECT count(*) FROM events e WHERE e.session_id = s.id) AS events,
             (SELECT count(*) FROM memories m WHERE m.session_id = s.id) AS memories
         FROM sessions s"
    };
}
pub(crate) use summaries;

impl SessionReader<'_> {
    /// Reads a session.
    pub fn get(&self, id: SessionId) -> Result<Option<Session>, StoreError> {
        self.store.read("read a session", |db| {
            let sql = "SELECT * FROM sessions WHERE id = ?1";
            Ok(db.prepare_cached(sql)?.query_row([id.0], session_from).optional()?)
        })
    }

    /// Returns the session of the same host in the same project that was at work last when this one began.
    pub fn before(&self, session: &Session) -> Result<Option<Session>, StoreError> {
        self.store.read("read a session", |db| {
            let sql = "SELECT * FROM sessions WHERE project_id = ?1 AND host = ?2 AND id < ?3
                 ORDER BY last_event_at_ms DESC, id DESC LIMIT 1";
            let values = params![session.project.0, session.host, session.id.0];
            Ok(db.prepare_cached(sql)?.query_row(values, session_from).optional()?)
        })
    }

    /// Returns the session a host calls by this name, if it is known.
    pub fn find(&self, host: &str, host_session: &str) -> Result<Option<Session>, StoreError> {
        self.store.read("read a session", |db| {
            let sql = "SELECT * FROM sessions WHERE host = ?1 AND host_session = ?2";
            Ok(db.prepare_cached(sql)?.query_row([host, host_session], session_from).optional()?)
        })
    }

    /// Returns the sessions whose name at their host begins so.
    pub fn starting_with(&self, beginning: &str) -> Result<Vec<Session>, StoreError> {
        self.store.read("find a session", |db| {
            let sql =
                // Not LIKE: a `%` or `_` in the name would match anything.
                "SELECT * FROM sessions WHERE substr(host_session, 1, length(?1)) = ?1 ORDER BY id LIMIT 16";
            let mut statement = db.prepare_cached(sql)?;
            let rows = statement.query_map([beginning], session_from)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Lists sessions, the most recent first; of one project or of all.
    pub fn list(
        &self,
        project: Option<ProjectId>,
        limit: u32,
        offset: u32,
    ) -> Result<Vec<SessionSummary>, StoreError> {
        self.store.read("list the sessions", |db| {
            let sql = concat!(
                summaries!(),
                " WHERE (?1 IS NULL OR s.project_id = ?1) ORDER BY s.last_event_at_ms DESC, s.id DESC LIMIT ?2 OFFSET ?3"
            );
            let mut statement = db.prepare_cached(sql)?;
            let rows = statement.query_map(params![project.map(|id| id.0), limit, offset], summary_from)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Lists the sessions a filter lets through, the most recent first. A session passes with one memory of a wanted kind.
    pub fn list_filtered(&self, filter: &Filter) -> Result<Vec<SessionSummary>, StoreError> {
        let kinds: Vec<&str> = filter.kinds.iter().map(|kind| kind.as_str()).collect();
        let kinds = serde_json::Value::from(kinds).to_string();
        self.store.read("list the sessions", |db| {
            let sql = concat!(
                summaries!(),
                " WHERE (?1 IS NULL OR s.project_id = ?1) AND (?2 IS NULL OR s.last_event_at_ms >= ?2)
                   AND (?3 IS NULL OR s.started_at_ms < ?3)
                   AND (?4 = '[]' OR EXISTS (SELECT 1 FROM memories k WHERE k.session_id = s.id
                        AND k.kind IN (SELECT value FROM json_each(?4))))
                 ORDER BY s.last_event_at_ms DESC, s.id DESC LIMIT ?5 OFFSET ?6"
            );
            let (since, until) = (filter.since.map(|at| at.0), filter.until.map(|at| at.0));
            let mut statement = db.prepare_cached(sql)?;
            let values = params![filter.scope.project(), since, until, kinds, filter.limit, filter.offset];
            let rows = statement.query_map(values, summary_from)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Whether the last `count` sessions of a host in a project, all begun since `since`, hold nothing but their start and their end.
    pub fn are_silent(
        &self,
        project: ProjectId,
        host: &str,
        count: u32,
        since: Timestamp,
    ) -> Result<bool, StoreError> {
        self.store.read("look at the last sessions", |db| {
            let sql = "SELECT count(*), sum(started_at_ms >= ?4
                     AND EXISTS (SELECT 1 FROM events e WHERE e.session_id = s.id AND e.kind = 'session_start')
                     AND NOT EXISTS (SELECT 1 FROM events e WHERE e.session_id = s.id AND e.kind NOT IN ('session_start', 'session_end')))
                 FROM (SELECT id, started_at_ms FROM sessions WHERE project_id = ?1 AND host = ?2 ORDER BY id DESC LIMIT ?3) s";
            let mut statement = db.prepare_cached(sql)?;
            let silent = statement.query_row(params![project.0, host, count, since.0], |row| {
                Ok((row.get::<_, u32>(0)?, row.get::<_, Option<u32>>(1)?.unwrap_or(0)))
            })?;
            Ok(silent == (count, count))
        })
    }
}

impl SessionWriter<'_> {
    /// Ends a session that reported no end: with the last thing that happened in it.
    pub fn end(&mut self, id: SessionId) -> Result<(), StoreError> {
        self.store.write("note the end of a session", |db| {
            let sql =
                "UPDATE sessions SET ended_at_ms = last_event_at_ms WHERE id = ?1 AND ended_at_ms IS NULL";
            db.prepare_cached(sql)?.execute([id.0])?;
            Ok(())
        })
    }

    /// Writes what a session did or was asked for.
    pub fn set_title(&mut self, id: SessionId, title: &Redacted<String>) -> Result<(), StoreError> {
        self.store.write("title a session", |db| {
            let sql = "UPDATE sessions SET title = ?2 WHERE id = ?1";
            db.prepare_cached(sql)?.execute(params![id.0, **title])?;
            Ok(())
        })
    }

    /// Notes that the agent of a session is asked to note what is missing. Returns whether this is the first time.
    pub fn mark_agent_questioned(&mut self, id: SessionId) -> Result<bool, StoreError> {
        self.store.write("note that an agent was asked", |transaction| {
            let sql = "UPDATE sessions SET agent_questioned = 1 WHERE id = ?1 AND agent_questioned = 0";
            Ok(transaction.execute(sql, [id.0])? > 0)
        })
    }

    /// Notes that a model's notes were taken for a session up to an event.
    pub fn mark_written(&mut self, id: SessionId, up_to: EventId) -> Result<(), StoreError> {
        self.store.write("note that a session is written", |db| {
            let sql = "UPDATE sessions SET written_event_id = max(written_event_id, ?2) WHERE id = ?1";
            db.prepare_cached(sql)?.execute([id.0, up_to.0])?;
            Ok(())
        })
    }

    /// Returns the session a host calls by this name, making it if it is not known.
    pub fn find_or_create(
        &mut self,
        project: ProjectId,
        host: &str,
        host_session: &Redacted<String>,
        at: Timestamp,
    ) -> Result<SessionId, StoreError> {
        self.store.write("note the session", |transaction| {
            Ok(touch(transaction, project, host, host_session, at)?.0)
        })
    }
}

/// Finds or makes a session, and notes that something happened in it. Returns its project too: an agent may have gone elsewhere.
pub(crate) fn touch(
    db: &Connection,
    project: ProjectId,
    host: &str,
    host_session: &str,
    at: Timestamp,
) -> rusqlite::Result<(SessionId, ProjectId)> {
    let sql = "SELECT id, project_id, last_event_at_ms FROM sessions WHERE host = ?1 AND host_session = ?2";
    let known = db
        .prepare_cached(sql)?
        .query_row([host, host_session], |row| {
            Ok((SessionId(row.get(0)?), ProjectId(row.get(1)?), row.get::<_, i64>(2)?))
        })
        .optional()?;
    let Some((id, session_project, last_event_at)) = known else {
        db.prepare_cached(
            "INSERT INTO sessions (project_id, host, host_session, started_at_ms, last_event_at_ms, memories_before)
             VALUES (?1, ?2, ?3, ?4, ?4, (SELECT coalesce(max(id), 0) FROM memories))",
        )?
        .execute(params![project.0, host, host_session, at.0])?;
        return Ok((SessionId(db.last_insert_rowid()), project));
    };
    // To the second is enough: in a burst of events this saves a page of the log for each.
    if at.0.saturating_sub(last_event_at) >= 1000 {
        db.prepare_cached("UPDATE sessions SET last_event_at_ms = ?2 WHERE id = ?1")?
            .execute([id.0, at.0])?;
    }
    Ok((id, session_project))
}

/// Notes that hooks captured a session, not only an import.
pub(crate) fn mark_captured_by_hooks(db: &Connection, id: SessionId) -> rusqlite::Result<()> {
    db.prepare_cached("UPDATE sessions SET captured_by_hooks = 1 WHERE id = ?1 AND captured_by_hooks = 0")?
        .execute([id.0])
        .map(drop)
}

/// Notes that a session continues, even if it had ended.
pub(crate) fn resume(db: &Connection, id: SessionId) -> rusqlite::Result<()> {
    db.prepare_cached("UPDATE sessions SET ended_at_ms = NULL WHERE id = ?1 AND ended_at_ms IS NOT NULL")?
        .execute([id.0])
        .map(drop)
}

/// Notes that a session ended.
pub(crate) fn end(db: &Connection, id: SessionId, at: Timestamp) -> rusqlite::Result<()> {
    db.execute("UPDATE sessions SET ended_at_ms = ?2 WHERE id = ?1", params![id.0, at.0]).map(drop)
}

/// Reads a session and how much is known of it from a row of [`summaries!`].
pub(crate) fn summary_from(row: &Row<'_>) -> rusqlite::Result<SessionSummary> {
    let (events, memories) = (row.get("events")?, row.get("memories")?);
    Ok(SessionSummary { session: session_from(row)?, events, memories })
}

fn session_from(row: &Row<'_>) -> rusqlite::Result<Session> {
    Ok(Session {
        id: SessionId(row.get("id")?),
        project: ProjectId(row.get("project_id")?),
        host: row.get("host")?,
        host_session: row.get("host_session")?,
        started_at: Timestamp(row.get("started_at_ms")?),
        last_event_at: Timestamp(row.get("last_event_at_ms")?),
        ended_at: row.get::<_, Option<i64>>("ended_at_ms")?.map(Timestamp),
        distilled_to: EventId(row.get("distilled_event_id")?),
        title: row.get("title")?,
        written_to: EventId(row.get("written_event_id")?),
    })
}
