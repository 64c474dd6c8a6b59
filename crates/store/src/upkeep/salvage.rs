//! Salvages what can still be read from a damaged database, and restores damaged memories from a backup.
//!
//! Takes only what proves itself: a memory whose checksum is right, an event that reads as a whole. Earlier revisions and links of
//! such a memory are taken on trust. Reads row by row, because a broken page ends any longer read.

use crate::db::home::{beside, open_private_file};
use crate::events::projects;
use crate::memories::revisions::{self, Author};
use crate::memories::{links, revise, standing};
use crate::upkeep::maintain;
use crate::upkeep::repair::clear;
use crate::{
    Home, IncomingEvent, MemoryOrigin, NewMemory, Project, Purpose, Store, StoreError, events, memories,
};
use backstory_memory::{EventId, Memory, MemoryId, ProjectId, ProjectRef, Redacted, Standing, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::fs;
use std::io::Write;
use std::path::Path;

/// The beginning of each of our databases: pages of 4 KiB, a write-ahead log, nothing reserved.
const HEADER: &[u8; 24] = b"SQLite format 3\0\x10\x00\x02\x02\x00\x40\x20\x20";
/// The size of the smallest possible row: bounds how many there can be, whatever a damaged counter says.
const SMALLEST_ROW: u64 = 40;

/// Restores damaged memories from the mirror, or the newest backup that has them intact. Returns how many were restored.
pub(crate) fn mend_rows(store: &mut Store, damaged: &[MemoryId]) -> Result<u64, StoreError> {
    let mut left: Vec<MemoryId> = damaged.to_vec();
    let backups = maintain::backups(&store.home).into_iter().rev();
    for copy in std::iter::once(store.home.mirror()).chain(backups) {
        let Ok(copy) = Store::open_read_only(&store.home, copy) else { continue };
        let mut missing = Vec::new();
        for id in left {
            let known = copy.memories().get(id).ok().flatten().filter(Memory::is_intact);
            let mended = match known {
                Some(memory) => mend_row(store, &memory)?,
                None => false,
            };
            if !mended {
                missing.push(id);
            }
        }
        left = missing;
    }
    Ok((damaged.len() - left.len()) as u64)
}

/// Overwrites a row with the content from a backup, if its uid and its checksum or time show that it is the same revision.
fn mend_row(store: &mut Store, memory: &Memory) -> Result<bool, StoreError> {
    store.write("mend a memory", |transaction| {
        let same =
            "SELECT 1 FROM memories WHERE id = ?1 AND uid = ?2 AND (checksum = ?3 OR updated_at_ms = ?4)";
        let values = params![memory.id.0, memory.uid.as_str(), memory.checksum.0.0, memory.updated_at.0];
        let is_same = transaction.prepare_cached(same)?.exists(values)?;
        if is_same {
            revise::overwrite(transaction, memory.id, &memory.content, memory.updated_at)?;
        }
        Ok(is_same)
    })
}

/// Adds every memory of the mirror that the store lacks. Returns how many that were. A mirror that cannot be read adds nothing.
pub(crate) fn salvage_mirror(store: &mut Store, now: Timestamp) -> Result<u64, StoreError> {
    let path = store.home.mirror();
    let Ok(bytes) = fs::metadata(&path).map(|metadata| metadata.len()) else { return Ok(0) };
    // Its log may hold the newest rows, and is not counted above.
    let most = i64::try_from(bytes.saturating_mul(2) / SMALLEST_ROW).unwrap_or(0).max(100_000);
    let mirror = open_in_todays_schema(&store.home, &path, now);
    mirror.map_or(Ok(0), |mirror| salvage_from(store, &mirror, most))
}

/// Adds everything readable from a damaged database that the store lacks. Returns how many memories that were.
pub(crate) fn salvage(store: &mut Store, damaged: &Path, now: Timestamp) -> Result<u64, StoreError> {
    let readable = store.home.salvage();
    let bytes = copy_readable(damaged, &readable)?;
    // With this setting, SQLite skips a table whose definition is garbled and reads the others; nothing is written.
    let source = open_in_todays_schema(&store.home, &readable, now)
        .and_then(|source| source.batch("PRAGMA writable_schema = ON").map(|()| source));
    let most = i64::try_from(bytes / SMALLEST_ROW).unwrap_or(0);
    let salvaged = source.map_or(Ok(0), |source| salvage_from(store, &source, most));
    clear(&readable)?;
    salvaged
}

/// Opens a copy to read. An older one is migrated first, because rows are read with today's columns; if damage keeps it from being
/// migrated, what its own columns allow is read.
fn open_in_todays_schema(home: &Home, path: &Path, now: Timestamp) -> Result<Store, StoreError> {
    let opened = Store::open_read_only(home, path.to_owned())?;
    if opened.has_todays_schema() {
        return Ok(opened);
    }
    drop(opened);
    drop(Store::open_file(home, path, Purpose::Command, now));
    Store::open_read_only(home, path.to_owned())
}

/// Copies a damaged database and gives it a header SQLite accepts, so that a torn end or a garbled header does not hide the rest.
///
/// This process has no connection to it: closing the file releases no lock.
fn copy_readable(damaged: &Path, readable: &Path) -> Result<u64, StoreError> {
    clear(readable)?;
    let failed = |error| StoreError::io("copy", damaged, error);
    let mut bytes = fs::read(damaged).map_err(failed)?;
    if let Some((head, rest)) = bytes.split_first_chunk_mut::<24>() {
        head.copy_from_slice(HEADER);
        // If these two differ, SQLite computes the number of pages from the length of the file.
        if let (Some(change), Some(valid_for)) = (rest.first().copied(), rest.get_mut(68)) {
            *valid_for = !change;
        }
    }
    for (path, bytes) in [
        (readable.to_owned(), bytes.clone()),
        (beside(readable, "-wal"), fs::read(beside(damaged, "-wal")).unwrap_or_default()),
    ] {
        open_private_file(&path)?.write_all(&bytes).map_err(failed)?;
    }
    Ok(bytes.len() as u64)
}

fn salvage_from(store: &mut Store, source: &Store, most: i64) -> Result<u64, StoreError> {
    store.write("salvage what can be read", |transaction| {
        salvage_tombstones(transaction, &source.db)?;
        let mut salvaged = 0;
        let memories = 1..=newest(transaction, "memories")?
            .saturating_add(most)
            .min(newest(&source.db, "memories").unwrap_or(0));
        for id in memories.clone().map(MemoryId) {
            if let Ok(Some(memory)) = source.memories().get(id)
                && memory.is_intact()
            {
                salvaged += u64::from(salvage_memory(transaction, source, &memory)?);
            }
        }
        memories.clone().map(MemoryId).try_for_each(|id| salvage_links(transaction, source, id))?;
        // An id that was used once is never used for another memory.
        raise_counter(transaction, "memories", *memories.end())?;
        let known = newest(transaction, "events")?;
        let first = source.db.query_row("SELECT min(id) FROM events", [], |row| row.get(0)).unwrap_or(1);
        let last = known.max(first).saturating_add(most).min(newest(&source.db, "events").unwrap_or(0));
        for id in (known + 1).max(first)..=last {
            salvage_event(transaction, source, EventId(id))?;
        }
        Ok(salvaged)
    })
}

/// Returns the highest id ever used in a table.
fn newest(db: &Connection, table: &str) -> rusqlite::Result<i64> {
    let sql = "SELECT seq FROM sqlite_sequence WHERE name = ?1";
    Ok(db.query_row(sql, [table], |row| row.get(0)).optional()?.unwrap_or(0))
}

fn raise_counter(db: &Connection, table: &str, number: i64) -> rusqlite::Result<()> {
    if newest(db, table)? == 0 {
        db.execute("INSERT INTO sqlite_sequence (name, seq) SELECT ?1, 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)", [table])?;
    }
    db.execute("UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1", params![table, number])
        .map(drop)
}

fn salvage_memory(db: &Connection, source: &Store, memory: &Memory) -> rusqlite::Result<bool> {
    // Ids are never used again, so the same id is the same memory in every copy. The newer state wins.
    let before = memories::read(db, memory.id).ok();
    if before.as_ref().is_some_and(|here| here.uid != memory.uid || here.updated_at >= memory.updated_at) {
        return Ok(false);
    }
    let Some(project) = project_of(db, source, memory)? else { return Ok(false) };
    match &before {
        Some(before) => {
            let evidence = standing::known_evidence(before);
            revise::replace_content(db, before, (&memory.content, evidence), memory.updated_at)?;
        }
        None => {
            let uid = Some(memory.uid.clone());
            let (content, created_at) = (memory.content.clone(), memory.created_at);
            let content = Redacted::vouch(content);
            let salvaged = NewMemory { uid, project, origin: MemoryOrigin::default(), content, created_at };
            memories::insert(db, Some(memory.id), &salvaged)?;
        }
    }
    db.execute(
        "UPDATE memories SET updated_at_ms = ?2, times_seen = ?3, times_used = ?4, last_used_at_ms = ?5, standing_reason = ?6
         WHERE uid = ?1",
        params![
            memory.uid.as_str(),
            memory.updated_at.0,
            memory.times_seen,
            memory.times_used,
            memory.last_used_at.map(|time| time.0),
            memory.standing_reason.as_str(),
        ],
    )?;
    // `Memory` shows a replaced memory as superseded, so its own standing is read from the column.
    let stood: Option<String> = source
        .db
        .query_row("SELECT standing FROM memories WHERE id = ?1", [memory.id.0], |row| row.get(0))
        .optional()
        .unwrap_or_default();
    if let Some(stood) = stood {
        let sql = "UPDATE OR IGNORE memories SET standing = ?2 WHERE uid = ?1";
        db.execute(sql, params![memory.uid.as_str(), stood])?;
    }
    let subject = "SELECT subject FROM memories WHERE id = ?1";
    let subject: Option<Vec<u8>> =
        source.db.query_row(subject, [memory.id.0], |row| row.get(0)).unwrap_or_default();
    db.execute(
        "UPDATE OR IGNORE memories SET subject = ?2 WHERE uid = ?1",
        params![memory.uid.as_str(), subject],
    )?;
    let here = before.filter(|here| here.is_intact() && here.content != memory.content);
    if let (false, Some(here)) = (salvage_revisions(db, source, memory.id)?, here) {
        revisions::keep(db, &here, Author::Person, memory.updated_at)?;
    }
    Ok(true)
}

/// Takes over all earlier revisions of a memory, or none: it would be impossible to tell what a part of them lacks. Revisions have
/// no checksum, so the backup is trusted over the damaged file: the file may have more revisions, but must begin with those of the
/// backup. Returns whether they were taken.
fn salvage_revisions(db: &Connection, source: &Store, id: MemoryId) -> rusqlite::Result<bool> {
    let Ok(revisions) = revisions::read_all(&source.db, id) else { return Ok(false) };
    if !revisions.starts_with(&revisions::read_all(db, id).unwrap_or_default()) {
        return Ok(false);
    }
    db.prepare_cached("DELETE FROM revisions WHERE memory_id = ?1")?.execute([id.0])?;
    revisions.iter().try_for_each(|revision| revisions::insert(db, id, revision))?;
    Ok(true)
}

/// Restores what replaced a memory and how it relates to others, once all of them are here.
fn salvage_links(db: &Connection, source: &Store, id: MemoryId) -> rusqlite::Result<()> {
    if let Ok(Some(memory)) = source.memories().get(id)
        && let Standing::Superseded(by) = memory.standing
    {
        let sql = "UPDATE memories SET superseded_by = ?2 WHERE uid = ?1 AND EXISTS (SELECT 1 FROM memories WHERE id = ?2)";
        db.execute(sql, params![memory.uid.as_str(), by.0])?;
    }
    for link in source.memories().links(id).unwrap_or_default() {
        let both = "SELECT 1 FROM memories a JOIN memories b WHERE a.id = ?1 AND b.id = ?2";
        if db.prepare_cached(both)?.exists([link.from.0, link.to.0])? {
            links::insert(db, link)?;
        }
    }
    Ok(())
}

fn salvage_event(db: &Connection, source: &Store, id: EventId) -> rusqlite::Result<()> {
    let Ok(Some(stored)) = source.event(id) else { return Ok(()) };
    let Ok(Some(session)) = source.sessions().get(stored.session) else { return Ok(()) };
    let Ok(Some(project)) = source.projects().get(session.project) else { return Ok(()) };
    if project.keys.is_empty() {
        return Ok(());
    }
    let (event, project_ref) = (Redacted::vouch(stored.event), Redacted::vouch(project_ref_of(project)));
    events::record(db, &IncomingEvent { event, project_ref }).map(drop)
}

/// Finds or creates the project of a memory from the source.
fn project_of(db: &Connection, source: &Store, memory: &Memory) -> rusqlite::Result<Option<ProjectId>> {
    let Ok(Some(project)) = source.projects().get(memory.project) else { return Ok(None) };
    projects::project_at(db, &project_ref_of(project), memory.created_at).map(Some)
}

/// Returns a reference to a project in the folder where it was last seen.
fn project_ref_of(project: Project) -> ProjectRef {
    let root = project.roots.first().cloned().unwrap_or_default();
    ProjectRef { keys: project.keys, name: project.name, root, parent: None }
}

/// Copies tombstones, so that what was forgotten stays forgotten.
fn salvage_tombstones(db: &Connection, source: &Connection) -> rusqlite::Result<()> {
    let tombstones = "SELECT uid, fingerprint, forgotten_at_ms FROM tombstones";
    let tombstone = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    let found: Vec<(String, Vec<u8>, i64)> = readable(source, tombstones, tombstone);
    for (uid, fingerprint, at) in found {
        let sql = "INSERT OR IGNORE INTO tombstones (uid, fingerprint, forgotten_at_ms) VALUES (?1, ?2, ?3)";
        db.execute(sql, params![uid, fingerprint, at])?;
    }
    let digest = |row: &Row<'_>| row.get::<_, Vec<u8>>(0);
    for key in readable(source, "SELECT idempotency_key FROM forgotten_events", digest) {
        db.execute("INSERT OR IGNORE INTO forgotten_events (idempotency_key) VALUES (?1)", [key])?;
    }
    for subject in readable(source, "SELECT subject FROM forgotten_subjects", digest) {
        // It is uncertain which project it belonged to, so it is forgotten in all of them.
        let sql =
            "INSERT OR IGNORE INTO forgotten_subjects (project_id, subject) SELECT id, ?1 FROM projects";
        db.execute(sql, [subject])?;
    }
    Ok(())
}

/// Returns the rows before the first broken one.
fn readable<T>(db: &Connection, sql: &str, read: impl Fn(&Row<'_>) -> rusqlite::Result<T>) -> Vec<T> {
    let rows =
        db.prepare(sql).and_then(|mut all| Ok(all.query_map([], read)?.map_while(Result::ok).collect()));
    rows.unwrap_or_default()
}
