//! Forgetting: no byte of a memory stays in the database, its log, its indexes or its copies (SEC-12).
//!
//! What stays is a tombstone: the uid and a digest, so that neither an import nor another member of a team brings it back.

use crate::memories::NewMemory;
use crate::{Home, Purpose, Store, StoreError, words};
use backstory_memory::{Draft, Memory, MemoryId, Timestamp, Uid};
use rusqlite::{Connection, OptionalExtension, params};
use std::path::PathBuf;

/// What forgetting has done, and where traces may remain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forgetting {
    /// The memories that are gone.
    pub forgotten: Vec<MemoryId>,
    /// The files that may still hold something of them, because they are in use, damaged or set aside.
    pub remains_in: Vec<PathBuf>,
}

impl Store {
    /// Forgets memories, the events they came from, and every copy of both.
    pub fn forget(&mut self, ids: &[MemoryId], now: Timestamp) -> Result<Forgetting, StoreError> {
        let mut memories = Vec::new();
        for id in ids {
            memories.push(self.memory(*id)?.ok_or(StoreError::NoSuchMemory(*id))?);
        }
        self.write("forget", |transaction| {
            memories.iter().try_for_each(|memory| erase(transaction, memory, now)).map_err(Into::into)
        })?;
        let mut remains_in = forget_in_backups(&self.home, &memories, now);
        if !self.scrub_free_space()? {
            remains_in.push(self.path.with_extension("db-wal"));
        }
        remains_in.extend(crate::repair::quarantined(&self.home));
        Ok(Forgetting { forgotten: memories.iter().map(|memory| memory.id).collect(), remains_in })
    }

    /// Returns whether a memory of this uid was forgotten.
    pub fn is_forgotten(&self, uid: &Uid) -> Result<bool, StoreError> {
        self.read("look for a tombstone", |db| {
            let found =
                db.prepare_cached("SELECT 1 FROM tombstones WHERE uid = ?1")?.exists([uid.as_str()])?;
            Ok(found)
        })
    }

    /// Lets a text be written again that was forgotten: the user asked for it by name.
    pub fn lift_tombstone(&mut self, memory: &NewMemory) -> Result<(), StoreError> {
        self.write("lift a tombstone", |transaction| {
            let fingerprint = memory.content.fingerprint().0;
            transaction.execute("DELETE FROM tombstones WHERE fingerprint = ?1", params![fingerprint])?;
            Ok(())
        })
    }

    /// Moves the log into the database and cuts both to what is in use. Returns whether nobody stood in the way.
    fn scrub_free_space(&self) -> Result<bool, StoreError> {
        self.read("clear the log", |db| {
            db.execute_batch("PRAGMA incremental_vacuum")?;
            let busy: i64 = db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
            Ok(busy == 0)
        })
    }
}

/// Returns the tombstone that stands against a memory: of its uid, or of the same words.
pub(crate) fn tombstone_for(
    db: &Connection,
    uid: Option<&Uid>,
    content: &Draft,
) -> rusqlite::Result<Option<Uid>> {
    let found: Option<String> = db
        .prepare_cached("SELECT uid FROM tombstones WHERE uid = ?1 OR fingerprint = ?2 LIMIT 1")?
        .query_row(params![uid.map(Uid::as_str), content.fingerprint().0], |row| row.get(0))
        .optional()?;
    Ok(found.and_then(|uid| Uid::parse(&uid).ok()))
}

/// Removes one memory and what it came from. `secure_delete` and FTS5's `secure-delete` overwrite the freed bytes.
fn erase(db: &Connection, memory: &Memory, now: Timestamp) -> rusqlite::Result<()> {
    words::remove(db, memory)?;
    db.execute(
        "DELETE FROM events WHERE id IN (SELECT event_id FROM evidence WHERE memory_id = ?1)",
        [memory.id.0],
    )?;
    db.execute("DELETE FROM memories WHERE id = ?1", [memory.id.0])?;
    db.execute(
        "INSERT OR REPLACE INTO tombstones (uid, fingerprint, forgotten_at_ms) VALUES (?1, ?2, ?3)",
        params![memory.uid.as_str(), memory.content.fingerprint().0, now.0],
    )?;
    Ok(())
}

/// Forgets in every copy; returns the copies that could not be opened.
fn forget_in_backups(home: &Home, memories: &[Memory], now: Timestamp) -> Vec<PathBuf> {
    let forget_in = |path: &PathBuf| -> Result<(), StoreError> {
        let mut copy = Store::open_file(home, path.clone(), Purpose::Command, now)?;
        for memory in memories {
            // The copy may hold an older wording: erase what is there, not what is here.
            if let Some(older) = copy.memory_by_uid(&memory.uid)? {
                copy.write("forget in a copy", |transaction| Ok(erase(transaction, &older, now)?))?;
            }
        }
        copy.scrub_free_space().map(drop)
    };
    let copies = crate::maintain::backups(home);
    copies.into_iter().filter(|path| forget_in(path).is_err()).collect()
}
