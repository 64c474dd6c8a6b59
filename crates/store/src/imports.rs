//! How far the places an import reads have been read.
//!
//! Not here: what is read and how (`import`).

use crate::{Store, StoreError};
use backstory_memory::{IdempotencyKey, Timestamp};
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

    /// Whether hooks heard of a session themselves.
    pub fn is_heard(&self, host: &str, host_session: &str) -> Result<bool, StoreError> {
        self.read("see whether a session was heard of", |db| {
            let sql = "SELECT 1 FROM sessions WHERE host = ?1 AND host_session = ?2 AND is_heard = 1";
            Ok(db.prepare_cached(sql)?.exists([host, host_session])?)
        })
    }

    /// Whether an event is here, or was forgotten.
    pub fn knows_event(&self, key: IdempotencyKey) -> Result<bool, StoreError> {
        self.read("look for an event", |db| {
            let sql = "SELECT 1 FROM events WHERE idempotency_key = ?1
                 UNION ALL SELECT 1 FROM forgotten_events WHERE idempotency_key = ?1";
            Ok(db.prepare_cached(sql)?.exists([key.0.0])?)
        })
    }
}
