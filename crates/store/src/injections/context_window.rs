//! What a session's agent still has in view, so that nothing is given twice (law 5), and which of it was used.
//!
//! Not here: the blocks themselves (`injections`), how often a memory was shown all in all (`impressions`).

use crate::db::facets::{InjectionReader, InjectionWriter};
use crate::injections::impressions;
use crate::{StoreError, UseKind};
use backstory_memory::{MemoryId, Moment, SessionId, Timestamp, Tokens};
use rusqlite::{OptionalExtension, params};
use std::collections::{HashMap, HashSet};

/// What the agent of a session has in view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContextWindow {
    /// The memories it was given since its context last began anew, and that have not changed since.
    pub memories: HashSet<MemoryId>,
    /// Those that were given only in the block its context began with: they may be given once more (law 5).
    pub only_at_start: HashSet<MemoryId>,
    /// When its context last began anew, if it did: what the agent did before that is out of its view.
    pub started_at: Option<Timestamp>,
}

impl InjectionWriter<'_> {
    /// Notes that the agent of a session has nothing in view any more.
    pub fn begin_context(&mut self, session: SessionId, at: Timestamp) -> Result<(), StoreError> {
        self.store.write("note that a context began", |transaction| {
            // The injections before are marked by number, because their times follow a clock that may be set back.
            let sql = "UPDATE sessions SET context_started_at_ms = ?2,
                 last_injection_before_context = coalesce((SELECT max(id) FROM injections WHERE session_id = ?1), 0) WHERE id = ?1";
            Ok(transaction.execute(sql, params![session.0, at.0]).map(drop)?)
        })
    }

    /// Notes that a session used what it was given, or touched it: that is kept with how, and without a time of use.
    pub fn mark_used_in_session(
        &mut self,
        session: SessionId,
        ids: &[MemoryId],
        how: UseKind,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        if ids.is_empty() {
            return Ok(());
        }
        self.store.write("note a use", |transaction| {
            let sql = "UPDATE injected SET used_at_ms = ?3, used_how = ?4 WHERE memory_id = ?2 AND used_at_ms IS NULL
                 AND injection_id IN (SELECT id FROM injections WHERE session_id = ?1)";
            let used_at = how.is_use().then_some(at.0);
            for id in ids {
                if how.is_use() {
                    impressions::note_used(transaction, *id, at)?;
                }
                transaction.prepare_cached(sql)?.execute(params![session.0, id.0, used_at, how.as_str()])?;
            }
            Ok(())
        })
    }
}

impl InjectionReader<'_> {
    /// Returns what the agent of a session has in view.
    pub fn context_window(&self, session: SessionId) -> Result<ContextWindow, StoreError> {
        self.store.read("read what a session has in view", |db| {
            let sql =
                "SELECT context_started_at_ms, last_injection_before_context FROM sessions WHERE id = ?1";
            let context =
                db.prepare_cached(sql)?.query_row([session.0], |row| Ok((row.get(0)?, row.get(1)?)));
            let Some((began_at, last_injection_before_context)): Option<(Option<i64>, i64)> =
                context.optional()?
            else {
                return Ok(ContextWindow::default());
            };
            // A memory that changed after it was injected is not in view: the agent has seen its old words. The second column is 1
            // if it was also injected at another moment than session start.
            let sql = "SELECT g.memory_id, max(i.moment <> 'session_start') FROM injections i JOIN injected g ON g.injection_id = i.id
                 JOIN memories m ON m.id = g.memory_id
                 WHERE i.session_id = ?1 AND i.id > ?2 AND m.updated_at_ms <= i.at_ms GROUP BY g.memory_id";
            let mut window =
                ContextWindow { started_at: began_at.map(Timestamp), ..ContextWindow::default() };
            let mut statement = db.prepare_cached(sql)?;
            let mut rows = statement.query([session.0, last_injection_before_context])?;
            while let Some(row) = rows.next()? {
                let memory = MemoryId(row.get(0)?);
                window.memories.insert(memory);
                if !row.get::<_, bool>(1)? {
                    window.only_at_start.insert(memory);
                }
            }
            Ok(window)
        })
    }

    /// Returns how many other sessions began with each of these memories, counted no further than to `most`.
    pub fn sessions_begun_with(
        &self,
        ids: &[MemoryId],
        session: Option<SessionId>,
        most: u32,
    ) -> Result<HashMap<MemoryId, u32>, StoreError> {
        self.store.read("read what sessions began with", |db| {
            let mut statement = db.prepare_cached(
                "SELECT count(*) FROM (SELECT DISTINCT i.session_id FROM injected g JOIN injections i ON i.id = g.injection_id
                 WHERE g.memory_id = ?1 AND i.moment = 'session_start' AND i.session_id IS NOT ?2 LIMIT ?3)",
            )?;
            let session = session.map(|session| session.0);
            let count = |id: &MemoryId| Ok((*id, statement.query_row(params![id.0, session, most], |row| row.get(0))?));
            Ok(ids.iter().map(count).collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Returns the text injected when a session's context started, and its tokens, unless that is older than `since`.
    pub fn session_start_text(
        &self,
        session: SessionId,
        since: Timestamp,
    ) -> Result<Option<(String, Tokens)>, StoreError> {
        self.store.read("read the injection of a session start", |db| {
            let sql =
                "SELECT t.text, i.tokens FROM injections i JOIN injection_texts t ON t.injection_id = i.id
                 JOIN sessions s ON s.id = i.session_id
                 WHERE i.session_id = ?1 AND i.id > s.last_injection_before_context AND i.moment = ?2 AND i.at_ms >= ?3
                 ORDER BY i.id DESC LIMIT 1";
            let start_text = db
                .prepare_cached(sql)?
                .query_row(params![session.0, Moment::SessionStart.as_str(), since.0], |row| {
                    Ok((row.get(0)?, Tokens(row.get(1)?)))
                });
            Ok(start_text.optional()?)
        })
    }

    /// Returns the memories that were injected into a session and that it has not used.
    pub fn unused_in_session(&self, session: SessionId) -> Result<Vec<MemoryId>, StoreError> {
        let sql = "SELECT DISTINCT g.memory_id FROM injections i JOIN injected g ON g.injection_id = i.id
             WHERE i.session_id = ?1 AND NOT EXISTS (SELECT 1 FROM injections j JOIN injected u ON u.injection_id = j.id
                 WHERE j.session_id = ?1 AND u.memory_id = g.memory_id AND u.used_at_ms IS NOT NULL)";
        self.store.memory_ids("read what was injected", sql, [session.0])
    }
}
