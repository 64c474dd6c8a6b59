//! What happens when the database is damaged: it is moved aside, never thrown away, and replaced from the newest sound copy and
//! whatever can still be read of the damaged one.
//!
//! Damage must be met twice, by two processes, before anything is moved: a lock, a full disk or a missing permission is not damage.
//! Hooks never repair; they let their events wait in the spool.

use crate::home::make_private_dir;
use crate::{CheckDepth, Home, NewMemory, Origin, Project, Purpose, Store, StoreError, maintain};
use backstory_memory::{Memory, MemoryId, Sighting, Timestamp};
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

/// What a repair did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// Where the damaged files are now.
    pub quarantine: PathBuf,
    /// The copy the database was restored from.
    pub restored_from: Option<PathBuf>,
    /// Memories read from the damaged file that the copy did not have.
    pub salvaged: u64,
}

impl Store {
    /// Replaces the database of a home if it is damaged, and says what was done.
    ///
    /// Asked for by a person, the damage need not have been met before.
    pub fn repair(home: &Home, now: Timestamp) -> Result<Option<Repair>, StoreError> {
        home.prepare()?;
        if home.database().exists() && is_damaged(home, now)? {
            let detail = String::new();
            note_damage(home, &StoreError::Damaged { path: home.database(), detail });
        }
        replace_if_damaged(home, now)
    }
}

/// Notes that damage was met, where that is what happened.
pub(crate) fn note_damage(home: &Home, error: &StoreError) {
    if matches!(error, StoreError::Damaged { .. }) {
        // The note only makes the next process look closely; without it that one notes the damage itself.
        drop(fs::write(home.damage_note(), error.to_string()));
    }
}

/// Replaces the database if an earlier process met damage and a closer look confirms it.
pub(crate) fn replace_if_damaged(home: &Home, now: Timestamp) -> Result<Option<Repair>, StoreError> {
    if !home.damage_note().exists() {
        return Ok(None);
    }
    let lock_path = home.repair_lock();
    let lock = OpenOptions::new().create(true).truncate(false).write(true).open(&lock_path);
    let lock = lock.map_err(|error| StoreError::io("open", &lock_path, error))?;
    lock.lock().map_err(|error| StoreError::io("lock", &lock_path, error))?;
    // Whoever held the lock before us may have done it.
    if !home.damage_note().exists() {
        return Ok(None);
    }
    let repaired = if is_damaged(home, now)? { Some(replace(home, now)?) } else { None };
    let note = home.damage_note();
    fs::remove_file(&note).map_err(|error| StoreError::io("remove", &note, error))?;
    Ok(repaired)
}

fn is_damaged(home: &Home, now: Timestamp) -> Result<bool, StoreError> {
    let looked = Store::open_file(home, home.database(), Purpose::Command, now)
        .and_then(|store| store.check(CheckDepth::Quick));
    match looked {
        Ok(report) => Ok(!report.file.is_empty()),
        Err(StoreError::Damaged { .. }) => Ok(true),
        Err(error) => Err(error),
    }
}

fn replace(home: &Home, now: Timestamp) -> Result<Repair, StoreError> {
    let quarantine = home.quarantine().join(format!("{:015}", now.0.max(0)));
    make_private_dir(&quarantine)?;
    let database = home.database();
    for suffix in ["", "-wal", "-shm"] {
        let from = with_suffix(&database, suffix);
        if from.exists() {
            let to = with_suffix(&quarantine.join("backstory.db"), suffix);
            fs::rename(&from, &to).map_err(|error| StoreError::io("move aside", &from, error))?;
        }
    }
    let restored_from = restore_newest_sound_copy(home, now)?;
    let mut store = Store::open_file(home, database, Purpose::Command, now)?;
    let salvaged = salvage(&mut store, &quarantine.join("backstory.db"));
    Ok(Repair { quarantine, restored_from, salvaged })
}

fn restore_newest_sound_copy(home: &Home, now: Timestamp) -> Result<Option<PathBuf>, StoreError> {
    for copy in maintain::backups(home).into_iter().rev() {
        let sound = Store::open_file(home, copy.clone(), Purpose::Command, now)
            .and_then(|store| store.check(CheckDepth::Full))
            .is_ok_and(|report| report.is_sound());
        if sound {
            let database = home.database();
            fs::copy(&copy, &database).map_err(|error| StoreError::io("restore", &database, error))?;
            return Ok(Some(copy));
        }
    }
    Ok(None)
}

/// Reads what can still be read of a damaged database: every intact memory the restored one does not have.
fn salvage(store: &mut Store, damaged: &Path) -> u64 {
    let Ok(source) = Store::open_read_only(&store.home, damaged.to_owned()) else { return 0 };
    let newest: i64 = source
        .db
        .query_row("SELECT seq FROM sqlite_sequence WHERE name = 'memories'", [], |row| row.get(0))
        .unwrap_or(0);
    let mut salvaged = 0;
    for id in 1..=newest {
        let Ok(Some(memory)) = source.memory(MemoryId(id)) else { continue };
        let missing = matches!(store.memory_by_uid(&memory.uid), Ok(None));
        if !missing || !memory.is_intact() {
            continue;
        }
        let Ok(Some(project)) = source.project(memory.project) else { continue };
        salvaged += u64::from(write_salvaged(store, &memory, project).is_ok());
    }
    salvaged
}

fn write_salvaged(store: &mut Store, memory: &Memory, project: Project) -> Result<(), StoreError> {
    let root = project.roots.first().cloned().unwrap_or_default();
    let sighting = Sighting { keys: project.keys, name: project.name, root, parent: None };
    let project = store.project_at(&sighting, memory.created_at)?;
    let salvaged = NewMemory {
        uid: Some(memory.uid.clone()),
        project,
        origin: Origin::default(),
        content: memory.content.clone(),
        created_at: memory.created_at,
    };
    store.remember(&salvaged).map(drop)
}

/// Lists what was moved aside.
pub(crate) fn quarantined(home: &Home) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(home.quarantine()) else { return Vec::new() };
    entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect()
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
