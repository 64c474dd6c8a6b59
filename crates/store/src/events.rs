//! Events: what hosts reported, each stored once (law 3).
//!
//! Not here: waiting for the database (`spool`), what becomes of them (`distilled`), when they go (`maintain`).

pub(crate) mod code;
pub(crate) mod imports;
pub(crate) mod losses;
pub(crate) mod own_sessions;
pub(crate) mod projects;
pub(crate) mod sessions;
pub(crate) mod spool;

use crate::db::codes;
use crate::db::facets::{EventReader, EventWriter};
use crate::db::home::beside;
use crate::db::open::TxError;
use crate::memories::forgotten_texts::strings_of;
use crate::{Receipt, ReceiptId, Scope, Store, StoreError, injections};
use backstory_memory::{
    Event, EventId, EventKind, IdempotencyKey, MemoryId, ProjectId, ProjectRef, Provenance, Redacted,
    SessionId, Timestamp, WantedWords,
};
use rusqlite::{Connection, OptionalExtension, Row, Rows, params};
use std::fs;

/// The size from which on events go to the spool: a checkpoint cuts the log to 64 MiB, so a longer one is held by a reader (R08).
const LARGEST_LOG: u64 = 96 << 20;

/// An event and the folder it happened in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncomingEvent {
    /// What happened.
    pub event: Redacted<Event>,
    /// Where.
    pub project_ref: Redacted<ProjectRef>,
}

/// What became of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordOutcome {
    /// It is new.
    Stored(EventId),
    /// It was here already.
    Duplicate(EventId),
    /// What was made of it was forgotten on purpose; it stays out.
    Forgotten,
    /// It happened in a session of our own: nothing is kept of it.
    OwnSession,
}

/// What was written of an event, and where it belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedEvent {
    /// What became of it.
    pub outcome: RecordOutcome,
    /// Where it belongs; only of a new event.
    pub location: Option<EventLocation>,
    /// The receipt that was written with it.
    pub receipt: Option<ReceiptId>,
}

/// Where an event belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventLocation {
    /// The session.
    pub session: SessionId,
    /// The session's project: the one of the folder it began in.
    pub session_project: ProjectId,
    /// The project of the folder the event happened in.
    pub project_here: ProjectId,
}

/// An event as the store holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEvent {
    /// Its place in the order of arrival.
    pub id: EventId,
    /// The session it happened in.
    pub session: SessionId,
    /// What happened.
    pub event: Event,
}

impl EventWriter<'_> {
    /// Keeps an event, in one short transaction.
    ///
    /// Refused as busy while somebody keeps the log from being cut and it has grown large: the event is better off in the spool.
    pub fn record(&mut self, arrival: &IncomingEvent) -> Result<RecordOutcome, StoreError> {
        self.store.refuse_large_log()?;
        self.store.write("keep an event", |transaction| Ok(record(transaction, arrival)?))
    }

    /// Keeps an event and the proof that the hook ran which brought it, in the same transaction: a hook pays for one.
    pub fn record_with_receipt(
        &mut self,
        arrival: &IncomingEvent,
        receipt: &Receipt,
    ) -> Result<RecordedEvent, StoreError> {
        self.store.refuse_large_log()?;
        self.store.write("keep an event", |transaction| {
            let (outcome, location) = record_located(transaction, arrival)?;
            let is_ours = outcome == RecordOutcome::OwnSession;
            let receipt =
                if is_ours { None } else { Some(injections::insert_receipt(transaction, receipt)?) };
            Ok(RecordedEvent { outcome, location, receipt })
        })
    }
}

/// Reads events with what their session says about them.
macro_rules! all_events {
    () => {
        "SELECT e.*, s.host, s.host_session FROM events e JOIN sessions s ON s.id = e.session_id"
    };
}
pub(crate) use all_events;

/// The newest failed calls that hold a text. Indexes say which calls are the newest; only their payloads are read.
const FAILURES_HOLDING: &str = concat!(
    all_events!(),
    " WHERE e.id IN (SELECT id FROM events WHERE kind = 'tool_failure' AND session_id IN (
             SELECT id FROM sessions WHERE project_id = ?1 AND id <> ?2 ORDER BY id DESC LIMIT 200)
         ORDER BY id DESC LIMIT 1000)
     AND instr(e.payload, ?3) > 0 ORDER BY e.id DESC LIMIT 8"
);

impl Store {
    fn refuse_large_log(&self) -> Result<(), StoreError> {
        match fs::metadata(beside(&self.path, "-wal")) {
            Ok(log) if log.len() > LARGEST_LOG => Err(StoreError::Busy { path: self.path.clone() }),
            _ => Ok(()),
        }
    }

    /// Reads one event.
    pub(crate) fn event(&self, id: EventId) -> Result<Option<StoredEvent>, StoreError> {
        self.read("read an event", |db| {
            let sql = concat!(all_events!(), " WHERE e.id = ?1");
            db.prepare_cached(sql)?.query([id.0])?.next()?.map(event_from).transpose()
        })
    }
}

impl EventReader<'_> {
    /// Reads one event.
    pub fn get(&self, id: EventId) -> Result<Option<StoredEvent>, StoreError> {
        self.store.event(id)
    }

    /// Returns the memories that were made from an event.
    pub fn memories_from(&self, id: EventId) -> Result<Vec<MemoryId>, StoreError> {
        let sql = "SELECT memory_id FROM evidence WHERE event_id = ?1 ORDER BY memory_id";
        self.store.memory_ids("read what came of an event", sql, [id.0])
    }

    /// Reads the events of a session in the order they arrived, those after `after` only.
    pub fn of_session(&self, session: SessionId, after: EventId) -> Result<Vec<StoredEvent>, StoreError> {
        self.store.read("read a session's events", |db| {
            let sql = concat!(all_events!(), " WHERE e.session_id = ?1 AND e.id > ?2 ORDER BY e.id");
            let mut statement = db.prepare_cached(sql)?;
            events_from(statement.query([session.0, after.0])?)
        })
    }

    /// Reads the newest messages of the user in a session, the last one first.
    pub fn latest_prompts(&self, session: SessionId, most: u32) -> Result<Vec<StoredEvent>, StoreError> {
        self.store.read("read a session's prompts", |db| {
            let sql = concat!(
                all_events!(),
                " WHERE e.session_id = ?1 AND e.kind = 'prompt' ORDER BY e.id DESC LIMIT ?2"
            );
            let mut statement = db.prepare_cached(sql)?;
            events_from(statement.query(params![session.0, most])?)
        })
    }

    /// Reads the newest events of a session in the order they arrived. Of earlier events it adds prompts, ends of turns and outside
    /// content: words may come from a page that was read long ago.
    pub fn latest(&self, session: SessionId, most: u32) -> Result<Vec<StoredEvent>, StoreError> {
        self.latest_up_to((session, EventId(i64::MAX)), most)
    }

    /// Reads what [`EventReader::latest`] read when an event was the last one of its session.
    pub fn latest_up_to(
        &self,
        (session, last): (SessionId, EventId),
        most: u32,
    ) -> Result<Vec<StoredEvent>, StoreError> {
        self.store.read("read a session's events", |db| {
            let sql =
                "SELECT e.*, s.host, s.host_session FROM events e JOIN sessions s ON s.id = e.session_id
                 WHERE e.session_id = ?1 AND e.id <= ?3
                 AND (e.kind IN ('prompt', 'turn_end') OR e.provenance IN ('web', 'repository') OR e.id > coalesce(
                     (SELECT id FROM events WHERE session_id = ?1 AND id <= ?3 ORDER BY id DESC LIMIT 1 OFFSET ?2), 0))
                 ORDER BY e.id";
            let mut statement = db.prepare_cached(sql)?;
            events_from(statement.query(params![session.0, most, last.0])?)
        })
    }

    /// Returns the events that hold these words, what the user said first, then the newest (law 8).
    ///
    /// Reads every event of the scope: for a person who looks for something, not for a hook.
    pub fn saying(&self, wanted: &WantedWords, scope: Scope) -> Result<Vec<StoredEvent>, StoreError> {
        self.store.read("look for an event", |db| {
            let sql = concat!(
                all_events!(),
                " WHERE ?1 IS NULL OR s.project_id = ?1 ORDER BY e.provenance = 'user' DESC, e.id DESC"
            );
            let mut statement = db.prepare_cached(sql)?;
            let mut rows = statement.query([scope.project()])?;
            let mut saying = Vec::new();
            while let Some(row) = rows.next()? {
                if wanted.are_in(&strings_of(&row.get::<_, String>("payload")?).join("\n")) {
                    saying.push(event_from(row)?);
                }
            }
            Ok(saying)
        })
    }

    /// Reads the newest failed calls of a project's other sessions whose record holds a text. Looks only at the newest sessions and their
    /// newest failures, because a hook waits for the answer.
    pub fn failures_holding(
        &self,
        project: ProjectId,
        beside: SessionId,
        text: &str,
    ) -> Result<Vec<StoredEvent>, StoreError> {
        self.store.read("look for earlier failures", |db| {
            let mut statement = db.prepare_cached(FAILURES_HOLDING)?;
            events_from(statement.query(params![project.0, beside.0, text])?)
        })
    }

    /// Returns how many events are kept.
    pub fn count(&self) -> Result<u64, StoreError> {
        self.store.read("count the events", |db| {
            Ok(db.query_row("SELECT count(*) FROM events", [], |row| row.get(0))?)
        })
    }
}

/// Keeps an event inside a transaction that is already open.
pub(crate) fn record(db: &Connection, arrival: &IncomingEvent) -> rusqlite::Result<RecordOutcome> {
    record_located(db, arrival).map(|(outcome, _)| outcome)
}

fn record_located(
    db: &Connection,
    arrival: &IncomingEvent,
) -> rusqlite::Result<(RecordOutcome, Option<EventLocation>)> {
    let event = &arrival.event;
    let known = db
        .prepare_cached("SELECT id FROM events WHERE idempotency_key = ?1")?
        .query_row([event.key.0.0], |row| row.get(0).map(EventId))
        .optional()?;
    if let Some(id) = known {
        return Ok((RecordOutcome::Duplicate(id), None));
    }
    let is_forgotten = db
        .prepare_cached("SELECT 1 FROM forgotten_events WHERE idempotency_key = ?1")?
        .exists([event.key.0.0])?;
    if is_forgotten {
        return Ok((RecordOutcome::Forgotten, None));
    }
    // Here and not only in the hook: an event may have waited in the spool.
    if own_sessions::is_own(db, &event.host_session)? {
        return Ok((RecordOutcome::OwnSession, None));
    }
    let project = projects::project_at(db, &arrival.project_ref, event.at)?;
    let (session, session_project) =
        sessions::touch(db, project, &event.host, &event.host_session, event.at)?;
    // An import stamps its events `import` or lower: these come from a live hook.
    if matches!(event.provenance, Provenance::User | Provenance::Assistant | Provenance::Tool) {
        sessions::mark_captured_by_hooks(db, session)?;
    }
    if event.kind == EventKind::SessionEnd {
        sessions::end(db, session, event.at)?;
    } else {
        sessions::resume(db, session)?;
    }
    db.prepare_cached(
        "INSERT INTO events (idempotency_key, session_id, kind, tool, at_ms, provenance, truncated, payload)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute(params![
        event.key.0.0,
        session.0,
        event.kind.as_str(),
        event.tool,
        event.at.0,
        event.provenance.to_string(),
        event.truncated,
        event.payload,
    ])?;
    let location = EventLocation { session, session_project, project_here: project };
    Ok((RecordOutcome::Stored(EventId(db.last_insert_rowid())), Some(location)))
}

pub(crate) fn events_from(mut rows: Rows<'_>) -> Result<Vec<StoredEvent>, TxError> {
    let mut events = Vec::new();
    while let Some(row) = rows.next()? {
        events.push(event_from(row)?);
    }
    Ok(events)
}

fn event_from(row: &Row<'_>) -> Result<StoredEvent, TxError> {
    let id = EventId(row.get("id")?);
    let what = format!("event {id}");
    let event = Event {
        key: IdempotencyKey(codes::digest(&what, &row.get::<_, Vec<u8>>("idempotency_key")?)?),
        host: row.get("host")?,
        host_session: row.get("host_session")?,
        kind: codes::code(&what, &row.get::<_, String>("kind")?)?,
        tool: row.get("tool")?,
        at: Timestamp(row.get("at_ms")?),
        provenance: codes::code(&what, &row.get::<_, String>("provenance")?)?,
        payload: row.get("payload")?,
        truncated: row.get("truncated")?,
    };
    Ok(StoredEvent { id, session: SessionId(row.get("session_id")?), event })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::migrate::query_plan;

    #[test]
    fn earlier_failures_are_found_by_indexes_and_no_other_payload_is_read() {
        let plan = query_plan(FAILURES_HOLDING);
        assert!(plan.contains("USING COVERING INDEX events_failed (session_id=?)"), "{plan}");
        assert!(!plan.contains("SCAN"), "{plan}");
    }
}
