//! Repairs a damaged database. Single memories and the word index are repaired in place. A broken file is moved aside, never
//! deleted, and replaced by the newest sound backup plus whatever can still be read from the broken file.
//!
//! Two processes must see damage before anything is moved: a lock, a full disk or a missing permission is not damage. Hooks never
//! repair; their events wait in the spool. A repair that is killed leaves the broken file in its place and the note beside it, so
//! that the next one starts over.

use crate::db::home::{SUFFIXES, beside, make_private_dir, open_private_file};
use crate::db::migrate;
use crate::upkeep::{maintain, salvage};
use crate::{CheckDepth, CheckReport, Home, Purpose, Store, StoreError};
use backstory_memory::Timestamp;
use rusqlite::Connection;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// What a repair did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepairReport {
    /// Where the damaged files are now, if they had to be moved.
    pub quarantine: Option<PathBuf>,
    /// The backup the database was restored from.
    pub restored_from: Option<PathBuf>,
    /// Memories from the mirror that the backup lacked, or had in an older state.
    pub mirrored: u64,
    /// Memories from the damaged file that backup and mirror lacked, or had in an older state.
    pub salvaged: u64,
    /// Memories whose content was damaged and restored from a backup.
    pub mended: u64,
    /// How many memories the rebuilt word index has, if it was broken.
    pub reindexed: Option<u64>,
}

impl Store {
    /// Repairs the database of a home if it is damaged, and returns what was done.
    ///
    /// A person asked for it, so the damage need not have been seen before.
    pub fn repair(home: &Home, now: Timestamp) -> Result<Option<RepairReport>, StoreError> {
        home.prepare()?;
        if let Err(error) = look(home) {
            note_damage(home, &error);
        }
        repair_if_noted(home, now)
    }
}

/// Records damage, if the error reports damage.
pub(crate) fn note_damage(home: &Home, error: &StoreError) {
    if let StoreError::Damaged { detail, .. } = error {
        note(home, detail);
    }
}

/// Records that a check found something to repair.
pub(crate) fn note_report(home: &Home, report: &CheckReport) {
    if let Some(detail) = report.file.first().or(report.words.as_ref()) {
        note(home, detail);
    } else if !report.damaged.is_empty() {
        note(home, "memories are not what was written");
    } else if !report.schema.is_empty() {
        note(home, "the schema is not what was written");
    }
}

fn note(home: &Home, detail: &str) {
    // The note only makes the next process check closely; without it, that process records the damage itself.
    drop(open_private_file(&home.damage_note()).map(|mut file| file.write_all(detail.as_bytes())));
}

/// Refuses a home whose database is missing or empty although there was one: starting over would hide the loss.
pub(crate) fn refuse_lost(home: &Home) -> Result<(), StoreError> {
    let database = home.database();
    // SQLite would remove a log without a database.
    if is_empty(&database) && (!is_empty(&beside(&database, "-wal")) || has_copies(home)) {
        return Err(lost(database));
    }
    Ok(())
}

/// Refuses a database without tables if there are copies of it.
pub(crate) fn refuse_emptied(store: &Store) -> Result<(), StoreError> {
    if store.is_main_database() && has_copies(&store.home) {
        return Err(lost(store.path.clone()));
    }
    Ok(())
}

/// Whether a file is missing or empty. One that cannot be looked at may be neither.
fn is_empty(path: &Path) -> bool {
    fs::metadata(path)
        .map_or_else(|error| error.kind() == ErrorKind::NotFound, |metadata| metadata.len() == 0)
}

fn has_copies(home: &Home) -> bool {
    !is_empty(&home.mirror()) || !maintain::backups(home).is_empty()
}

fn lost(path: PathBuf) -> StoreError {
    StoreError::Damaged { path, detail: "it is empty, but there are traces of its content".to_owned() }
}

/// Repairs the database if an earlier process saw damage and a close check confirms it.
pub(crate) fn repair_if_noted(home: &Home, now: Timestamp) -> Result<Option<RepairReport>, StoreError> {
    let note = home.damage_note();
    if !note.exists() {
        return Ok(None);
    }
    let lock_path = home.repair_lock();
    let lock = open_private_file(&lock_path)?;
    lock.lock().map_err(|error| StoreError::io("lock", &lock_path, error))?;
    // The process that held the lock before us may have repaired it.
    if !note.exists() {
        return Ok(None);
    }
    let repair = match look_twice(home) {
        Ok(report) if report.file.is_empty() => mend(home, &report, now)?,
        Ok(_) | Err(StoreError::Damaged { .. }) => Some(replace(home, now)?),
        // There is no database that could be damaged, and nothing to restore it from.
        Err(StoreError::Absent { .. }) => None,
        // In use, or not accessible for another reason: this is not damage, and the note stays.
        Err(error) if error.is_storage_failure() => return Ok(None),
        Err(error) => return Err(error),
    };
    fs::remove_file(&note).map_err(|error| StoreError::io("remove", &note, error))?;
    Ok(repair)
}

/// Checks closely, and again through another connection if something is wrong: a disk that fails to read once is not damage.
fn look_twice(home: &Home) -> Result<CheckReport, StoreError> {
    match look(home) {
        Ok(report) if report.file.is_empty() => Ok(report),
        Ok(_) | Err(StoreError::Damaged { .. }) => look(home),
        Err(error) => Err(error),
    }
}

/// Checks closely, and changes nothing.
fn look(home: &Home) -> Result<CheckReport, StoreError> {
    refuse_lost(home)?;
    let store = Store::open_for_check(home, home.database())?;
    if store.read("read the schema", |db| Ok(!db.table_exists(None, "memories")?))? {
        return Err(lost(home.database()));
    }
    let report = store.upkeep().check(CheckDepth::Full)?;
    // A flipped bit in the text of a CHECK leaves the table readable but wrong.
    if report.file.is_empty() && !report.schema.is_empty() && store.lacks_definitions()? {
        let detail = "a table is not defined as it was".to_owned();
        return Err(StoreError::Damaged { path: home.database(), detail });
    }
    Ok(report)
}

/// Repairs what can be repaired in place.
fn mend(home: &Home, report: &CheckReport, now: Timestamp) -> Result<Option<RepairReport>, StoreError> {
    let is_sound = report.words.is_none() && report.damaged.is_empty();
    if is_sound && report.schema.is_empty() {
        return Ok(None);
    }
    let mut store = Store::open_file(home, &home.database(), Purpose::Command, now)?;
    if !report.schema.is_empty() {
        rewrite_triggers(&mut store)?;
    }
    let mended = salvage::mend_rows(&mut store, &report.damaged)?;
    if mended == 0 && report.words.is_none() {
        return Ok(None);
    }
    let indexed = store.upkeep_mut().rebuild_word_index(|_| {})?;
    let reindexed = report.words.as_ref().map(|_| indexed);
    Ok(Some(RepairReport { mended, reindexed, ..RepairReport::default() }))
}

/// Rewrites all triggers: a flipped bit in one may leave it readable but wrong. A garbled table is not readable, and a file with
/// one never stays in place.
fn rewrite_triggers(store: &mut Store) -> Result<(), StoreError> {
    let triggers = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'";
    let list = |db: &Connection| -> rusqlite::Result<Vec<(String, String)>> {
        db.prepare(triggers)?.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    };
    store.write("write the triggers anew", |db| {
        for (name, _) in list(db)? {
            db.execute_batch(&format!("DROP TRIGGER \"{}\"", name.replace('"', "\"\"")))?;
        }
        let ours = list(&migrate::fresh_in_memory()?)?;
        Ok(ours.iter().try_for_each(|(_, sql)| db.execute_batch(sql))?)
    })
}

fn replace(home: &Home, now: Timestamp) -> Result<RepairReport, StoreError> {
    let database = home.database();
    let quarantine = free_place(&home.quarantine(), now)?;
    // Asked before the replacement exists: an empty database has nothing to salvage.
    let is_lost = refuse_lost(home).is_err();
    for suffix in SUFFIXES {
        keep(&beside(&database, suffix), &beside(&quarantine.join("backstory.db"), suffix))?;
    }
    let (mut store, restored_from) = make_replacement(home, now)?;
    let mirrored = salvage::salvage_mirror(&mut store, now)?;
    let salvaged = if is_lost { 0 } else { salvage::salvage(&mut store, &database, now)? };
    store.list_all_for_mirror()?;
    drop(store);
    // These vectors belong to another state of the database: without the file, all are made again.
    remove(&home.vectors())?;
    // The old log first: beside the new database, it would be read as its own.
    for suffix in ["-wal", "-shm"] {
        remove(&beside(&database, suffix))?;
    }
    backstory_platform::replace_file(&home.replacement(), &database)
        .map_err(|error| StoreError::io("replace", &database, error))?;
    let synced = backstory_platform::sync_dir(home.root());
    synced.map_err(|error| StoreError::io("sync", home.root(), error))?;
    let quarantine = Some(quarantine);
    Ok(RepairReport { quarantine, restored_from, mirrored, salvaged, ..RepairReport::default() })
}

/// Creates a directory that no earlier repair has used, not even one in the same millisecond.
fn free_place(quarantine: &Path, now: Timestamp) -> Result<PathBuf, StoreError> {
    let mut at = now.0.max(0);
    while quarantine.join(format!("{at:015}")).exists() {
        at = at.saturating_add(1);
    }
    let place = quarantine.join(format!("{at:015}"));
    make_private_dir(&place)?;
    Ok(place)
}

/// Gives a file a second name. Renaming it would leave the database without a file if the process were killed then.
fn keep(from: &Path, to: &Path) -> Result<(), StoreError> {
    if !from.exists() {
        return Ok(());
    }
    fs::hard_link(from, to)
        .or_else(|_| fs::copy(from, to).map(drop))
        .map_err(|error| StoreError::io("move aside", from, error))
}

/// Creates a database from the newest sound backup, or an empty one.
fn make_replacement(home: &Home, now: Timestamp) -> Result<(Store, Option<PathBuf>), StoreError> {
    let path = home.replacement();
    for copy in maintain::backups(home).into_iter().rev() {
        clear(&path)?;
        let restored = Store::open_read_only(home, copy.clone())
            .and_then(|source| source.copy_to(&path))
            .and_then(|()| Store::open_file(home, &path, Purpose::Command, now));
        if let Ok(store) = restored
            && store.upkeep().check(CheckDepth::Full).is_ok_and(|report| report.is_sound())
        {
            return Ok((store, Some(copy)));
        }
    }
    clear(&path)?;
    Ok((Store::open_file(home, &path, Purpose::Command, now)?, None))
}

/// Removes a database and the files SQLite keeps beside it.
pub(crate) fn clear(path: &Path) -> Result<(), StoreError> {
    SUFFIXES.iter().try_for_each(|suffix| remove(&beside(path, suffix)))
}

fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(StoreError::io("remove", path, error)),
        _ => Ok(()),
    }
}

/// Lists what was moved aside.
pub(crate) fn quarantined(home: &Home) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(home.quarantine()) else { return Vec::new() };
    entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect()
}
