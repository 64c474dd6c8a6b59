//! How far the places an import reads have been read.
//!
//! Not here: what is read and how (`import`).

use crate::StoreError;
use crate::db::facets::{EventReader, ImportReader, ImportWriter, SessionReader};
use backstory_memory::{IdempotencyKey, Redacted, Timestamp};
use rusqlite::{OptionalExtension, params};

/// How far one location has been read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportProgress {
    /// What sort of location it is: a host, a program, git.
    pub source: String,
    /// Where it is.
    pub location: Redacted<String>,
    /// What it looked like when it was read: when it changes, the location is read again.
    pub fingerprint: String,
    /// How many of its items were imported.
    pub imported: u64,
    /// Whether it was read to its end.
    pub is_done: bool,
}

impl ImportReader<'_> {
    /// Returns how far a location has been read.
    pub fn progress(
        &self,
        source: &str,
        location: &Redacted<String>,
    ) -> Result<Option<ImportProgress>, StoreError> {
        self.store.read("see how far an import came", |db| {
            let sql =
                "SELECT fingerprint, imported, is_done FROM imports WHERE source = ?1 AND location = ?2";
            let state = db.prepare_cached(sql)?.query_row([source, location.as_str()], |row| {
                Ok(ImportProgress {
                    source: source.to_owned(),
                    location: location.clone(),
                    fingerprint: row.get(0)?,
                    imported: row.get(1)?,
                    is_done: row.get(2)?,
                })
            });
            Ok(state.optional()?)
        })
    }
}

impl ImportWriter<'_> {
    /// Notes how far a location has been read.
    pub fn save_progress(&mut self, state: &ImportProgress, now: Timestamp) -> Result<(), StoreError> {
        self.store.write("note how far an import came", |db| {
            let sql = "INSERT INTO imports (source, location, fingerprint, imported, is_done, at_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                 ON CONFLICT DO UPDATE SET fingerprint = excluded.fingerprint, imported = excluded.imported,
                     is_done = excluded.is_done, at_ms = excluded.at_ms";
            let ImportProgress { source, location, fingerprint, imported, is_done } = state;
            db.prepare_cached(sql)?.execute(params![source, location.as_str(), fingerprint, imported, is_done, now.0])?;
            Ok(())
        })
    }
}

impl SessionReader<'_> {
    /// Whether hooks captured a session live.
    pub fn was_captured_by_hooks(&self, host: &str, host_session: &str) -> Result<bool, StoreError> {
        self.store.read("see whether a session was captured", |db| {
            let sql =
                "SELECT 1 FROM sessions WHERE host = ?1 AND host_session = ?2 AND captured_by_hooks = 1";
            Ok(db.prepare_cached(sql)?.exists([host, host_session])?)
        })
    }
}

impl EventReader<'_> {
    /// Whether an event is here, or was forgotten.
    pub fn contains(&self, key: IdempotencyKey) -> Result<bool, StoreError> {
        self.store.read("look for an event", |db| {
            let sql = "SELECT 1 FROM events WHERE idempotency_key = ?1
                 UNION ALL SELECT 1 FROM forgotten_events WHERE idempotency_key = ?1";
            Ok(db.prepare_cached(sql)?.exists([key.0.0])?)
        })
    }
}
