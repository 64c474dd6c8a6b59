//! How far the places an import reads have been read.
//!
//! Not here: what is read and how (`import`).

use crate::{Store, StoreError};
use backstory_memory::Timestamp;
use rusqlite::{OptionalExtension, params};

/// How far one place has been read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportState {
    /// What sort of place it is: a host, a program, git.
    pub source: String,
    /// Where it is.
    pub place: String,
    /// What it looked like when it was read: another stamp, and it is read again.
    pub stamp: String,
    /// How many things of it were taken in.
    pub taken: u64,
    /// Whether it was read to its end.
    pub is_done: bool,
}

impl Store {
    /// Returns how far a place has been read.
    pub fn import_state(&self, source: &str, place: &str) -> Result<Option<ImportState>, StoreError> {
        self.read("see how far an import came", |db| {
            let sql = "SELECT stamp, taken, is_done FROM imports WHERE source = ?1 AND place = ?2";
            let state = db.prepare_cached(sql)?.query_row([source, place], |row| {
                Ok(ImportState {
                    source: source.to_owned(),
                    place: place.to_owned(),
                    stamp: row.get(0)?,
                    taken: row.get(1)?,
                    is_done: row.get(2)?,
                })
            });
            Ok(state.optional()?)
        })
    }

    /// Notes how far a place has been read.
    pub fn note_import(&mut self, state: &ImportState, now: Timestamp) -> Result<(), StoreError> {
        self.write("note how far an import came", |db| {
            let sql = "INSERT INTO imports (source, place, stamp, taken, is_done, at_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                 ON CONFLICT DO UPDATE SET stamp = excluded.stamp, taken = excluded.taken,
                     is_done = excluded.is_done, at_ms = excluded.at_ms";
            let ImportState { source, place, stamp, taken, is_done } = state;
            db.prepare_cached(sql)?.execute(params![source, place, stamp, taken, is_done, now.0])?;
            Ok(())
        })
    }

    /// Returns when hooks first heard of a session: what its host recorded from then on has been lived through already.
    pub fn heard_since(&self, host: &str, host_session: &str) -> Result<Option<Timestamp>, StoreError> {
        self.read("see when a session was first heard of", |db| {
            let sql = "SELECT min(e.at_ms) FROM events e JOIN sessions s ON s.id = e.session_id
                 WHERE s.host = ?1 AND s.host_session = ?2 AND e.trust IN ('user', 'assistant', 'tool')";
            let first: Option<i64> =
                db.prepare_cached(sql)?.query_row([host, host_session], |row| row.get(0))?;
            Ok(first.map(Timestamp))
        })
    }
}
