//! The mirror: a second database file with every memory, so that damage to the first one costs at most the last minutes.
//!
//! Triggers list every memory that is written; whoever closes the store after writing copies the listed rows. It holds what cannot
//! be made again: memories, revisions, links, anchors, projects, tombstones. No events, no word index (docs/design/0017-mirror.md).
//!
//! Not here: what a repair takes from it (`salvage`), and when hooks bring it up to date (`app`).

use crate::db::facets::UpkeepWriter;
use crate::db::home::beside;
use crate::db::migrate;
use crate::db::open::{TxError, refuse_irregular};
use crate::upkeep::repair::clear;
use crate::{CheckDepth, Home, Purpose, Store, StoreError, memories};
use backstory_memory::{MemoryId, Timestamp};
use rusqlite::Connection;
use std::path::Path;

/// How many listed writes one transaction copies.
const PER_TRANSACTION: u32 = 2_000;
/// How many a hook copies: an import may have left more, and the next command copies those.
const PER_HOOK: u32 = 300;

/// The time the mirror records for its own migration: nobody reads it.
const UNDATED: Timestamp = Timestamp(0);

/// Tables that are copied whole: they are short.
const WHOLE: [&str; 4] = ["kinds", "tombstones", "forgotten_events", "forgotten_subjects"];
/// Tables whose rows follow the project of a listed memory, and by which column.
const OF_PROJECTS: [(&str, &str); 3] =
    [("projects", "id"), ("project_keys", "project_id"), ("project_roots", "project_id")];
/// Tables whose rows follow a listed memory, and by which column.
const OF_MEMORIES: [(&str, &str); 4] =
    [("memories", "id"), ("revisions", "memory_id"), ("anchors", "memory_id"), ("links", "from_id")];
/// The memories to copy: `?1` is their numbers as JSON.
const LISTED: &str = "SELECT value FROM json_each(?1)";

impl UpkeepWriter<'_> {
    /// Copies what was written since the last time, as much as a hook has time for.
    pub fn follow_mirror_briefly(&mut self) -> Result<(), StoreError> {
        self.store.follow_mirror(PER_HOOK)
    }

    /// Copies everything that was written since the last time.
    pub fn follow_mirror(&mut self) -> Result<(), StoreError> {
        let mut is_long = false;
        while self.store.has_unmirrored()? {
            self.store.follow_mirror(PER_TRANSACTION)?;
            // A second round means a long list, from an import: its pages are free afterwards and can be given back.
            is_long |= self.store.has_unmirrored()?;
        }
        if is_long { self.vacuum() } else { Ok(()) }
    }
}

impl Store {
    /// Makes the mirror anew if it is damaged or does not hold the memories there are.
    pub(crate) fn check_mirror(&mut self) -> Result<(), StoreError> {
        self.upkeep_mut().follow_mirror()?;
        let here = self.memories().count()?;
        let mirrored = is_readable(&self.home).then(|| self.count_in_mirror());
        if mirrored.flatten() == Some(here) || (here == 0 && !self.home.mirror().exists()) {
            return Ok(());
        }
        // If the database is damaged, the mirror may be the better copy and must not be overwritten.
        if self.upkeep().check(CheckDepth::Full)?.is_sound() {
            self.make_mirror_anew()?;
            self.upkeep_mut().follow_mirror()?;
        }
        Ok(())
    }

    fn count_in_mirror(&self) -> Option<u64> {
        Store::open_read_only(&self.home, self.home.mirror()).ok()?.memories().count().ok()
    }

    /// Removes every trace of what was forgotten from the mirror. Returns whether that could be done.
    ///
    /// A mirror that cannot be cleaned is removed: it can be made again, and no word of it may stay.
    pub(crate) fn scrub_mirror(&mut self) -> Result<bool, StoreError> {
        if self.upkeep_mut().follow_mirror().is_ok()
            && scrub_file(&self.home, &self.home.mirror()).unwrap_or(false)
        {
            return Ok(true);
        }
        self.make_mirror_anew()?;
        Ok(self.upkeep_mut().follow_mirror().is_ok())
    }

    fn has_unmirrored(&self) -> Result<bool, StoreError> {
        self.read("see what the mirror lacks", |db| {
            Ok(db.prepare_cached("SELECT 1 FROM mirror_queue LIMIT 1")?.exists([])?)
        })
    }

    /// Copies at most `most` listed writes.
    fn follow_mirror(&mut self, most: u32) -> Result<(), StoreError> {
        if !self.is_main_database() || !self.has_unmirrored()? {
            return Ok(());
        }
        match self.copy_to_mirror(most) {
            // The memories are in the database: a mirror that is broken is made again from them. If it is not, the database is what
            // could not be read, and the mirror is needed to repair it.
            Err(
                StoreError::Damaged { .. }
                | StoreError::OlderSchema { .. }
                | StoreError::ForeignSchema { .. },
            ) if !is_readable(&self.home) => {
                self.make_mirror_anew()?;
                self.copy_to_mirror(most)
            }
            done => done,
        }
    }

    fn copy_to_mirror(&mut self, most: u32) -> Result<(), StoreError> {
        let path = self.home.mirror();
        if !self.attach_mirror(&path)? {
            make_file(&self.home, &path)?;
            if !self.attach_mirror(&path)? {
                let detail = "it cannot be brought to this build's schema".to_owned();
                return Err(StoreError::Damaged { path, detail });
            }
        }
        let copied = copy(&self.db, most);
        let detached = self.db.execute_batch("PRAGMA foreign_keys = ON; DETACH mirror");
        // An error may come from either file; only the mirror is written here, and a repair looks at the database itself.
        let failed = |error| StoreError::own_sql(&path, "copy to the mirror", error);
        let last = copied.map_err(failed)?;
        detached.map_err(failed)?;
        self.write("note what the mirror holds", |db| {
            Ok(db.execute("DELETE FROM mirror_queue WHERE number <= ?1", [last]).map(drop)?)
        })?;
        truncate_long_log(&self.home, &path)
    }

    /// Attaches the mirror. Returns whether it is there and has this build's schema.
    fn attach_mirror(&self, path: &Path) -> Result<bool, StoreError> {
        refuse_irregular(path)?;
        if !path.exists() {
            return Ok(false);
        }
        let failed = |error| StoreError::own_sql(path, "open the mirror", error);
        let bytes = backstory_platform::path_bytes(path);
        self.db.execute("ATTACH CAST(?1 AS TEXT) AS mirror", [bytes]).map_err(failed)?;
        let version = self.db.pragma_query_value(Some("mirror"), "user_version", |row| row.get::<_, i64>(0));
        if version.as_ref().is_ok_and(|version| *version == migrate::CURRENT) {
            return Ok(true);
        }
        self.db.execute_batch("DETACH mirror").map_err(failed)?;
        match version.map_err(failed)? {
            newer if newer > migrate::CURRENT => {
                Err(StoreError::Newer { path: path.to_owned(), found: newer, known: migrate::CURRENT })
            }
            _ => Ok(false),
        }
    }

    /// Removes the mirror, and lists every memory for a new one.
    fn make_mirror_anew(&mut self) -> Result<(), StoreError> {
        let path = self.home.mirror();
        clear(&path)?;
        make_file(&self.home, &path)?;
        self.list_all_for_mirror()
    }

    /// Lists every memory to be copied again.
    pub(crate) fn list_all_for_mirror(&mut self) -> Result<(), StoreError> {
        self.write("list the memories for the mirror", |db| {
            Ok(db.execute("INSERT INTO mirror_queue (memory_id) SELECT id FROM memories", []).map(drop)?)
        })
    }
}

/// Makes a mirror, or brings one to this build's schema. It has no indexes: nobody searches it.
fn make_file(home: &Home, path: &Path) -> Result<(), StoreError> {
    let mut mirror = Store::open_file(home, path, Purpose::Command, UNDATED)?;
    mirror.write("make the mirror small", |db| {
        let sql = "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL";
        let mut statement = db.prepare(sql)?;
        let names: Vec<String> =
            statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        names.iter().try_for_each(|name| db.execute_batch(&format!("DROP INDEX {name}")))?;
        Ok(())
    })?;
    mirror.upkeep_mut().vacuum()
}

/// Copies the rows of the oldest listed writes, and returns the number of the last of them. Only the mirror is locked for writing,
/// so no writer of the database waits.
fn copy(db: &Connection, most: u32) -> rusqlite::Result<i64> {
    // A row may be copied before those it refers to.
    db.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA mirror.secure_delete = ON; PRAGMA mirror.synchronous = NORMAL; BEGIN")?;
    let copied = copy_rows(db, most);
    let ended = db.execute_batch(if copied.is_ok() { "COMMIT" } else { "ROLLBACK" });
    let last = copied?;
    ended?;
    Ok(last)
}

fn copy_rows(db: &Connection, most: u32) -> rusqlite::Result<i64> {
    let last = "SELECT coalesce(max(number), 0) FROM (SELECT number FROM main.mirror_queue ORDER BY number LIMIT ?1)";
    let last: i64 = db.query_row(last, [most], |row| row.get(0))?;
    let listed = "SELECT DISTINCT memory_id FROM main.mirror_queue WHERE number <= ?1";
    let mut statement = db.prepare(listed)?;
    let ids: Vec<i64> = statement.query_map([last], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    // A rotten row is not copied: it would overwrite the good copy that a repair needs.
    let ids: Vec<i64> = ids.into_iter().filter(|id| !is_rotten(db, MemoryId(*id))).collect();
    let ids = serde_json::to_string(&ids).unwrap_or_default();
    for table in WHOLE {
        db.execute(&format!("INSERT OR IGNORE INTO mirror.{table} SELECT * FROM main.{table}"), [])?;
    }
    // Tombstones that the user lifted by writing the words again: a repair from the mirror must not bring them back.
    db.execute("DELETE FROM mirror.tombstones WHERE uid NOT IN (SELECT uid FROM main.tombstones)", [])?;
    for (table, column) in OF_PROJECTS {
        let projects = format!("SELECT project_id FROM main.memories WHERE id IN ({LISTED})");
        db.execute(&format!("DELETE FROM mirror.{table} WHERE {column} IN ({projects})"), [&ids])?;
        let sql = format!(
            "INSERT OR REPLACE INTO mirror.{table} SELECT * FROM main.{table} WHERE {column} IN ({projects})"
        );
        db.execute(&sql, [&ids])?;
    }
    for (table, column) in OF_MEMORIES {
        db.execute(&format!("DELETE FROM mirror.{table} WHERE {column} IN ({LISTED})"), [&ids])?;
        let sql = format!(
            "INSERT OR REPLACE INTO mirror.{table} SELECT * FROM main.{table} WHERE {column} IN ({LISTED})"
        );
        db.execute(&sql, [&ids])?;
    }
    let dangling = format!(
        "DELETE FROM mirror.links WHERE to_id IN ({LISTED})
             AND NOT EXISTS (SELECT 1 FROM main.memories WHERE id = to_id)"
    );
    db.execute(&dangling, [&ids])?;
    // The mirror's own triggers list the same rows there: nobody reads those lists.
    db.execute_batch(
        "DELETE FROM mirror.mirror_queue; DELETE FROM mirror.stale_vectors; DELETE FROM mirror.sync_outbox",
    )?;
    Ok(last)
}

/// Whether a memory is not what was written: the mirror may have it as it was.
fn is_rotten(db: &Connection, id: MemoryId) -> bool {
    match memories::read(db, id) {
        Ok(memory) => !memory.is_intact(),
        Err(TxError::Refused(StoreError::NoSuchMemory(_))) => false,
        Err(_) => true,
    }
}

/// Whether the mirror itself is sound.
fn is_readable(home: &Home) -> bool {
    let checked =
        Store::open_read_only(home, home.mirror()).and_then(|mirror| mirror.upkeep().check(CheckDepth::Full));
    checked.is_ok_and(|report| report.file.is_empty() && report.damaged.is_empty())
}

/// Cuts the mirror's log if it has grown long.
fn truncate_long_log(home: &Home, path: &Path) -> Result<(), StoreError> {
    const LONG_LOG: u64 = 4 << 20;
    if std::fs::metadata(beside(path, "-wal")).map_or(0, |log| log.len()) < LONG_LOG {
        return Ok(());
    }
    Store::open_file(home, path, Purpose::Hook, UNDATED)?.upkeep().checkpoint()
}

fn scrub_file(home: &Home, path: &Path) -> Result<bool, StoreError> {
    if !path.exists() {
        return Ok(true);
    }
    Store::open_file(home, path, Purpose::Command, UNDATED)?.scrub()
}
