//! What was shown and what was used, kept apart: only use reinforces.
//!
//! Not here: the blocks given to hosts (`injections`).

use crate::StoreError;
use crate::db::facets::{InjectionReader, InjectionWriter};
use backstory_memory::{MemoryId, Timestamp};
use rusqlite::{Connection, params};
use std::collections::HashMap;

/// How a memory was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UseKind {
    /// Someone asked for its whole text.
    Fetched,
    /// A file it speaks of was edited: it was touched, which is no use.
    FileEdited,
    /// What it says was done: its fix, its command.
    FixApplied,
    /// Its words came back in an answer.
    Cited,
}

impl UseKind {
    /// Whether it was used: the same file may be edited for any reason.
    pub(crate) const fn is_use(self) -> bool {
        !matches!(self, UseKind::FileEdited)
    }

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            UseKind::Fetched => "fetched",
            UseKind::FileEdited => "file_edited",
            UseKind::FixApplied => "fix_applied",
            UseKind::Cited => "cited",
        }
    }
}

/// How a memory came to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImpressionKind {
    /// Someone asked, and it was in the list.
    Listed,
    /// It was injected, and nobody had asked.
    Injected,
}

/// How often a memory was shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Impressions {
    /// In total.
    pub total: u32,
    /// Injected since it was last used; since it was written, if it never was.
    pub since_used: u32,
}

impl InjectionWriter<'_> {
    /// Notes that memories were shown, in a list or in a block given to a host.
    pub fn record_impressions(
        &mut self,
        ids: &[MemoryId],
        showing: ImpressionKind,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        if ids.is_empty() {
            return Ok(());
        }
        self.store.write("note what was shown", |transaction| {
            ids.iter().try_for_each(|id| Ok(note_shown(transaction, *id, showing, at)?))
        })
    }

    /// Notes that memories were used. Being shown is not use: only this reinforces.
    pub fn mark_used(&mut self, ids: &[MemoryId], how: UseKind, at: Timestamp) -> Result<(), StoreError> {
        self.store.write("note a use", |transaction| {
            ids.iter().try_for_each(|id| Ok(mark_used(transaction, *id, how, at)?))
        })
    }
}

impl InjectionReader<'_> {
    /// Returns how often memories were shown; those that never were are left out.
    pub fn impressions(&self, ids: &[MemoryId]) -> Result<HashMap<MemoryId, Impressions>, StoreError> {
        self.store.read("read what was shown", |db| {
            let mut statement =
                db.prepare_cached("SELECT total, injected_since_used FROM impressions WHERE memory_id = ?1")?;
            let mut shown = HashMap::new();
            for id in ids {
                let mut rows = statement.query([id.0])?;
                if let Some(row) = rows.next()? {
                    shown.insert(*id, Impressions { total: row.get(0)?, since_used: row.get(1)? });
                }
            }
            Ok(shown)
        })
    }
}

/// Notes that one memory was used by whoever was given it last, inside a transaction.
pub(crate) fn mark_used(db: &Connection, id: MemoryId, how: UseKind, at: Timestamp) -> rusqlite::Result<()> {
    note_used(db, id, at)?;
    // A fetch does not say which session it comes from: the use counts for the session that was given the memory last.
    let sql = "UPDATE injected SET used_at_ms = ?2, used_how = ?3 WHERE memory_id = ?1 AND used_at_ms IS NULL
         AND injection_id IN (SELECT id FROM injections WHERE session_id IS (
             SELECT i.session_id FROM injected g JOIN injections i ON i.id = g.injection_id
             WHERE g.memory_id = ?1 ORDER BY i.id DESC LIMIT 1))";
    db.prepare_cached(sql)?.execute(params![id.0, at.0, how.as_str()]).map(drop)
}

/// Notes that one memory was used, inside a transaction.
pub(crate) fn note_used(db: &Connection, id: MemoryId, at: Timestamp) -> rusqlite::Result<()> {
    db.execute(
        "UPDATE memories SET times_used = times_used + 1, last_used_at_ms = ?2 WHERE id = ?1",
        [id.0, at.0],
    )?;
    db.execute("UPDATE impressions SET injected_since_used = 0 WHERE memory_id = ?1", [id.0]).map(drop)
}

/// Notes one memory as shown, inside a transaction. One that was forgotten meanwhile is passed over.
pub(crate) fn note_shown(
    db: &Connection,
    id: MemoryId,
    showing: ImpressionKind,
    at: Timestamp,
) -> rusqlite::Result<()> {
    db.prepare_cached(
        "INSERT INTO impressions (memory_id, total, injected_since_used, last_at_ms)
         SELECT id, 1, ?3, ?2 FROM memories WHERE id = ?1
         ON CONFLICT (memory_id) DO UPDATE SET total = total + 1, injected_since_used = injected_since_used + ?3, last_at_ms = ?2",
    )?
    .execute(params![id.0, at.0, i64::from(showing == ImpressionKind::Injected)])
    .map(drop)
}
