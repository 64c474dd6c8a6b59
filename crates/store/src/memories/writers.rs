//! Who derived a memory, and may therefore write it anew. A person who revises, judges or pins one takes it over for good, here or on
//! another machine of their team.
//!
//! Not here: what is derived (`distilled`), what was turned down (`rejections`).

use crate::StoreError;
use crate::db::facets::{MemoryReader, MemoryWriter};
use crate::memories::standing;
use backstory_memory::{Kind, MemoryId, SessionId, Standing, StandingReason, Timestamp, Writer};
use rusqlite::{Connection, OptionalExtension, params};

impl MemoryReader<'_> {
    /// Returns who derived a memory; none if a person owns it, or there is no such memory.
    pub fn writer(&self, id: MemoryId) -> Result<Option<Writer>, StoreError> {
        self.store.read("read who wrote a memory", |db| {
            let sql = "SELECT writer FROM memories WHERE id = ?1";
            let name: Option<Option<String>> =
                db.prepare_cached(sql)?.query_row([id.0], |row| row.get(0)).optional()?;
            Ok(name.flatten().and_then(|name| name.parse().ok()))
        })
    }

    /// Whether a memory is a person's: written, revised, judged or pinned by one, or imported. No writer writes it anew.
    pub fn is_taken_over(&self, id: MemoryId) -> Result<bool, StoreError> {
        self.store.read("read who wrote a memory", |db| Ok(is_taken_over(db, id)?))
    }

    /// Returns memories of some kinds that the rules derived from this session alone and that are not retired: a better writer may
    /// replace them.
    ///
    /// Leaves out memories with evidence from another session, and lessons drawn from several failures.
    pub fn replaceable(&self, session: SessionId, kinds: &[Kind]) -> Result<Vec<MemoryId>, StoreError> {
        self.store.read("read what the rules made of a session", |db| {
            let sql = "SELECT m.id, m.kind FROM memories m WHERE m.session_id = ?1 AND m.writer = 'rules'
                 AND m.superseded_by IS NULL AND m.standing <> 'retired' AND NOT EXISTS (
                     SELECT 1 FROM evidence v JOIN events e ON e.id = v.event_id
                     WHERE v.memory_id = m.id AND e.session_id <> ?1)
                 AND NOT EXISTS (SELECT 1 FROM links l WHERE l.from_id = m.id AND l.relation = 'derived_from')
                 ORDER BY m.id";
            let mut statement = db.prepare_cached(sql)?;
            let rows = statement
                .query_map([session.0], |row| Ok((MemoryId(row.get(0)?), row.get::<_, String>(1)?)))?;
            let rows = rows.collect::<rusqlite::Result<Vec<_>>>()?;
            let is_wanted = |name: &str| kinds.iter().any(|kind| kind.as_str() == name);
            Ok(rows.into_iter().filter(|(_, kind)| is_wanted(kind)).map(|(id, _)| id).collect())
        })
    }
}

impl MemoryWriter<'_> {
    /// Retires what a better writer has written anew. The caller leaves out what is in force by the user's words.
    pub fn retire_rewritten(&mut self, ids: &[MemoryId], now: Timestamp) -> Result<(), StoreError> {
        self.store.write("retire what was written anew", |transaction| {
            for id in ids {
                standing::set(transaction, *id, (Standing::Retired, StandingReason::Rewritten), now)?;
            }
            Ok(())
        })
    }
}

pub(crate) fn is_taken_over(db: &Connection, id: MemoryId) -> rusqlite::Result<bool> {
    db.prepare_cached("SELECT 1 FROM memories WHERE id = ?1 AND writer IS NULL")?.exists([id.0])
}

/// Notes that a person has taken a memory into their own hands.
pub(crate) fn take_over(db: &Connection, id: MemoryId) -> rusqlite::Result<()> {
    set(db, id, None)
}

pub(crate) fn set(db: &Connection, id: MemoryId, writer: Option<Writer>) -> rusqlite::Result<()> {
    let sql = "UPDATE memories SET writer = ?2 WHERE id = ?1";
    db.prepare_cached(sql)?.execute(params![id.0, writer.map(Writer::as_str)]).map(drop)
}
