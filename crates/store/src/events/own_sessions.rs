//! Sessions a host held because we asked it to: nothing of them is captured, or we would remember ourselves (R23).

use crate::StoreError;
use crate::db::facets::{SessionReader, SessionWriter};
use backstory_memory::Timestamp;
use rusqlite::{Connection, params};

impl SessionWriter<'_> {
    /// Notes that a session is our own, before it begins.
    pub fn mark_own(&mut self, host_session: &str, now: Timestamp) -> Result<(), StoreError> {
        self.store
            .write("insert a session of our own", |transaction| Ok(insert(transaction, host_session, now)?))
    }

    /// Takes back a session whose first prompt shows that it is our own, with everything that was kept of it.
    ///
    /// A session with an earlier prompt is not our own: somebody in it repeats our words.
    pub fn discard_own(&mut self, host: &str, host_session: &str, now: Timestamp) -> Result<(), StoreError> {
        self.store.write("take back a session of our own", |transaction| {
            let has_prompt = "SELECT 1 FROM sessions s JOIN events e ON e.session_id = s.id
                 WHERE s.host = ?1 AND s.host_session = ?2 AND e.kind = 'prompt'";
            if transaction.prepare_cached(has_prompt)?.exists([host, host_session])? {
                return Ok(());
            }
            insert(transaction, host_session, now)?;
            let sql = "DELETE FROM sessions WHERE host = ?1 AND host_session = ?2";
            Ok(transaction.execute(sql, [host, host_session]).map(drop)?)
        })
    }
}

impl SessionReader<'_> {
    /// Whether a session is our own.
    pub fn is_own(&self, host_session: &str) -> Result<bool, StoreError> {
        self.store.read("look for a session of our own", |db| Ok(is_own(db, host_session)?))
    }
}

fn insert(db: &Connection, host_session: &str, now: Timestamp) -> rusqlite::Result<()> {
    let sql = "INSERT OR IGNORE INTO own_sessions (host_session, at_ms) VALUES (?1, ?2)";
    db.execute(sql, params![host_session, now.0]).map(drop)
}

pub(crate) fn is_own(db: &Connection, host_session: &str) -> rusqlite::Result<bool> {
    db.prepare_cached("SELECT 1 FROM own_sessions WHERE host_session = ?1")?.exists([host_session])
}
