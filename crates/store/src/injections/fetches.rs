//! What an agent fetched by its number, and in which session: acting on it there confirms it (law 6).
//!
//! The MCP server does not know which session it serves. It notes the nonce of its answer, which nobody can guess; the session's own hook
//! reports that answer, nonce and all, and so says whose it was. Where no hook reports it, nothing is confirmed.
//!
//! Not here: what counts as acting on a memory (`inject`), which memories can be confirmed so (`standing`).

use crate::db::facets::{InjectionReader, InjectionWriter};
use crate::injections::impressions;
use crate::memories::{self, standing};
use crate::{StoreError, UseKind};
use backstory_memory::{MemoryId, SessionId, Timestamp};
use rusqlite::{Connection, params};

impl InjectionWriter<'_> {
    /// Notes that an answer with this nonce gave memories whole to an agent, which is using them.
    pub fn record_fetch(&mut self, ids: &[MemoryId], nonce: u32, at: Timestamp) -> Result<(), StoreError> {
        self.store.write("note a fetch", |transaction| {
            let sql = "INSERT OR REPLACE INTO fetches (nonce, memory_id, at_ms) VALUES (?1, ?2, ?3)";
            for id in ids {
                impressions::mark_used(transaction, *id, UseKind::Fetched, at)?;
                transaction.prepare_cached(sql)?.execute(params![nonce, id.0, at.0])?;
            }
            Ok(())
        })
    }

    /// Notes which session the answer with this nonce was given to. The first session that reports it counts.
    pub fn assign_fetch(&mut self, nonce: u32, session: SessionId) -> Result<(), StoreError> {
        self.store.write("note who fetched", |transaction| {
            let sql = "UPDATE fetches SET session_id = ?2 WHERE nonce = ?1 AND session_id IS NULL";
            Ok(transaction.execute(sql, params![nonce, session.0]).map(drop)?)
        })
    }

    /// Notes that a session acted on memories it had fetched, which confirms those that only lacked that.
    pub fn confirm_fetched(
        &mut self,
        session: SessionId,
        ids: &[MemoryId],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        if ids.is_empty() {
            return Ok(());
        }
        self.store.write("confirm what was used", |transaction| {
            for id in ids {
                standing::confirm_used(transaction, &memories::read(transaction, *id)?, now)?;
                let sql = "DELETE FROM fetches WHERE session_id = ?1 AND memory_id = ?2";
                transaction.prepare_cached(sql)?.execute(params![session.0, id.0])?;
            }
            Ok(())
        })
    }
}

impl InjectionReader<'_> {
    /// Returns the fetched memories that the session confirms if it acts on them: those that were there before it began. A session
    /// cannot confirm what it wrote itself. Compares numbers, because clocks jump.
    pub fn fetched_in_session(&self, session: SessionId) -> Result<Vec<MemoryId>, StoreError> {
        let sql = "SELECT DISTINCT m.id FROM fetches f JOIN sessions s ON s.id = f.session_id JOIN memories m ON m.id = f.memory_id
             WHERE f.session_id = ?1 AND m.standing = 'proposed' AND m.id <= s.memories_before AND m.project_id = s.project_id";
        self.store.memory_ids("read what was fetched", sql, [session.0])
    }
}

/// Removes fetches that nobody will act on any more.
pub(crate) fn remove_old(db: &Connection, now: Timestamp) -> rusqlite::Result<()> {
    const KEPT_MS: i64 = 7 * 24 * 3_600_000;
    db.execute("DELETE FROM fetches WHERE at_ms < ?1", [now.0 - KEPT_MS]).map(drop)
}
