//! Memories that others forgot and that can be restored here for a while: the user's own words, and many at once.
//!
//! One member, or somebody with a member's password, could otherwise erase what everybody knows. A few memories in colleagues' words
//! are gone at once: whoever sees a secret must be able to remove it. Not here: forgetting itself (`memories::forget`).

use crate::db::facets::{SyncReader, SyncWriter};
use crate::db::home::beside;
use crate::db::metadata;
use crate::db::open::TxError;
use crate::memories::{MemoryOrigin, NewMemory, forget_files};
use crate::upkeep::maintain::RETENTION_CLOCK;
use crate::{Store, StoreError};
use backstory_memory::{
    Content, ContentRecord, Memory, MemoryId, ProjectId, Provenance, Redacted, Timestamp,
    parse_shared_record, shared_record,
};
use rusqlite::{Connection, Row, params};
use std::path::PathBuf;

/// How many memories others may forget at once, or within a day, before the rest is held.
const FORGOTTEN_AT_ONCE: u64 = 20;
/// The names under which the store records how many memories others forgot, and since when that is counted.
const FORGOTTEN: &str = "others_forgot";
const FORGOTTEN_SINCE: &str = "others_forgot_since_ms";
/// How many days a memory is held.
pub const HELD_DAYS: i64 = 30;

/// A memory that others forgot, and that can be restored.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldMemory {
    /// Its number among those held.
    pub number: i64,
    /// Its project.
    pub project: ProjectId,
    /// What it says.
    pub content: Content,
    /// When it was written.
    pub created_at: Timestamp,
    /// Since when it is held.
    pub held_at: Timestamp,
}

/// Adds to the number of memories that others forgot within a day, and returns whether that is many. Counted over a day, because
/// one batch after the other could erase everything a few at a time.
pub(crate) fn is_mass(db: &Connection, more: u64, now: Timestamp) -> rusqlite::Result<bool> {
    let since = metadata::number(db, FORGOTTEN_SINCE)?
        .filter(|since| (0..Timestamp::DAY_MS).contains(&(now.0 - since)));
    let before = since.map(|_| metadata::number(db, FORGOTTEN)).transpose()?.flatten().unwrap_or(0);
    let all = u64::try_from(before).unwrap_or(0).saturating_add(more);
    metadata::note(db, FORGOTTEN_SINCE, &since.unwrap_or(now.0))?;
    metadata::note(db, FORGOTTEN, &all)?;
    Ok(all > FORGOTTEN_AT_ONCE)
}

/// Holds a memory that is about to be forgotten, if it is the user's own or one of many. Returns whether it is held.
pub(crate) fn hold(db: &Connection, memory: &Memory, is_mass: bool, now: Timestamp) -> Result<bool, TxError> {
    // `team:` marks a colleague's words; every other provenance is this user's own memory.
    if !is_mass && matches!(memory.content.provenance, Provenance::Team(_)) {
        return Ok(false);
    }
    let content = serde_json::to_string(&shared_record(&memory.content));
    let content = content.map_err(|error| bad(error.to_string()))?;
    let clock = metadata::number(db, RETENTION_CLOCK)?.unwrap_or(0);
    let sql = "INSERT INTO held_memories (project_id, content, created_at_ms, held_at_ms, clock_ms) VALUES (?1, ?2, ?3, ?4, ?5)";
    let values = params![memory.project.0, content, memory.created_at.0, now.0, clock];
    db.prepare_cached(sql)?.execute(values)?;
    Ok(true)
}

/// Removes what has been held long enough, by the clock of our own.
pub(crate) fn expire(db: &Connection, clock: i64) -> rusqlite::Result<()> {
    let sql = "DELETE FROM held_memories WHERE clock_ms <= ?1";
    db.execute(sql, [clock - HELD_DAYS * Timestamp::DAY_MS]).map(drop)
}

impl SyncReader<'_> {
    /// Lists what others forgot and can be restored, the oldest first.
    pub fn held(&self) -> Result<Vec<HeldMemory>, StoreError> {
        self.store.read("list what is held", |db| {
            let sql =
                "SELECT id, project_id, content, created_at_ms, held_at_ms FROM held_memories ORDER BY id";
            let mut statement = db.prepare_cached(sql)?;
            let mut rows = statement.query([])?;
            let mut held = Vec::new();
            while let Some(row) = rows.next()? {
                held.push(held_memory(row)?);
            }
            Ok(held)
        })
    }
}

impl SyncWriter<'_> {
    /// Writes memories anew that others forgot. They are new memories: the team's tombstones stay.
    pub fn restore_held(&mut self, held: &[HeldMemory]) -> Result<Vec<MemoryId>, StoreError> {
        let mut restored = Vec::new();
        for held in held {
            let memory = NewMemory {
                uid: None,
                project: held.project,
                origin: MemoryOrigin::default(),
                // Taken from a memory of this store.
                content: Redacted::vouch(held.content.clone()),
                created_at: held.created_at,
            };
            restored.push(self.store.transaction(|store| restore(store, &memory, held.number))?);
        }
        Ok(restored)
    }

    /// Forgets held memories for good, in every copy. Returns the files that may still hold them. The mirror never does.
    pub fn discard_held(&mut self, held: &[HeldMemory], now: Timestamp) -> Result<Vec<PathBuf>, StoreError> {
        let store = &mut *self.store;
        store.write("forget what was held", |db| Ok(remove_same(db, held)?))?;
        let mut remains = forget_files::change_copies(&store.home, now, |db| Ok(remove_same(db, held)?));
        if !store.scrub()? {
            remains.extend([store.path.clone(), beside(&store.path, "-wal")]);
        }
        Ok(remains)
    }
}

fn restore(store: &mut Store, memory: &NewMemory, number: i64) -> Result<MemoryId, StoreError> {
    store.memories_mut().lift_tombstone(memory)?;
    let id = store.memories_mut().remember(memory)?;
    store.write("restore what was held", |db| Ok(remove(db, number)?))?;
    Ok(id)
}

/// Removes held memories from a backup. Their times are compared too, because a number may belong to another memory there.
fn remove_same(db: &Connection, held: &[HeldMemory]) -> rusqlite::Result<()> {
    let sql = "DELETE FROM held_memories WHERE id = ?1 AND created_at_ms = ?2 AND held_at_ms = ?3";
    let mut statement = db.prepare_cached(sql)?;
    held.iter()
        .try_for_each(|held| statement.execute([held.number, held.created_at.0, held.held_at.0]).map(drop))
}

fn remove(db: &Connection, number: i64) -> rusqlite::Result<()> {
    db.prepare_cached("DELETE FROM held_memories WHERE id = ?1")?.execute([number]).map(drop)
}

fn held_memory(row: &Row<'_>) -> Result<HeldMemory, TxError> {
    let json: String = row.get(2)?;
    let json = serde_json::from_str(&json).map_err(|error| bad(error.to_string()))?;
    let content = parse_shared_record(&json).and_then(ContentRecord::into_whole);
    Ok(HeldMemory {
        number: row.get(0)?,
        project: ProjectId(row.get(1)?),
        content: content.map_err(|error| bad(error.to_string()))?,
        created_at: Timestamp(row.get(3)?),
        held_at: Timestamp(row.get(4)?),
    })
}

fn bad(detail: String) -> StoreError {
    StoreError::BadRow { what: "a held memory".to_owned(), detail }
}
