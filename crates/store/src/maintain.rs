//! Housekeeping, off the hot path: checkpoint, retention, vacuum, backup.
//!
//! **Time.** The machine's clock may jump by years. What is thrown away for its age is measured on a clock of our own that follows the
//! machine's by at most [`CLOCK_STEP_DAYS`] a run and never goes back (R15).

use crate::home::{make_private_dir, make_private_file};
use crate::{CheckDepth, Home, Store, StoreError};
use backstory_memory::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};
use std::fs;
use std::path::PathBuf;

/// What is kept, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Days raw events are kept.
    pub events_days: u32,
    /// Receipts kept at the most.
    pub receipts: u32,
    /// Copies of the database kept.
    pub backups: u32,
    /// Hours between two copies.
    pub backup_hours: u32,
}

/// What housekeeping did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MaintainReport {
    /// Events that had grown too old.
    pub events_removed: u64,
    /// Bytes given back to the file system.
    pub bytes_freed: u64,
    /// The copy that was made.
    pub backup: Option<PathBuf>,
}

/// How far our own clock may follow the machine's in one run.
const CLOCK_STEP_DAYS: i64 = 2;
/// How many events are removed in one transaction: hooks wait for it.
const EVENTS_PER_TRANSACTION: u32 = 500;

impl Store {
    /// Does what is due.
    pub fn maintain(&mut self, retention: Retention, now: Timestamp) -> Result<MaintainReport, StoreError> {
        let before = self.file_bytes()?;
        let events_removed = self.remove_old_events(retention, now)?;
        self.read("vacuum the database", |db| {
            db.execute_batch("PRAGMA incremental_vacuum")?;
            // Passive: whoever reads or writes now is not made to wait.
            Ok(db.execute_batch("PRAGMA wal_checkpoint(PASSIVE)")?)
        })?;
        let backup = self.back_up_if_due(retention, now)?;
        let bytes_freed = before.saturating_sub(self.file_bytes()?);
        Ok(MaintainReport { events_removed, bytes_freed, backup })
    }

    /// Moves the log into the database where it has grown, without making anyone wait.
    pub fn checkpoint(&self) -> Result<(), StoreError> {
        self.read("checkpoint", |db| Ok(db.execute_batch("PRAGMA wal_checkpoint(PASSIVE)")?))
    }

    /// Copies the database as it is now. The copy is checked before it counts.
    pub fn back_up(&mut self, retention: Retention, now: Timestamp) -> Result<PathBuf, StoreError> {
        let dir = self.home.backups();
        make_private_dir(&dir)?;
        let path = dir.join(format!("backstory-{:015}.db", now.0.max(0)));
        let draft = path.with_extension("tmp");
        if draft.exists() {
            fs::remove_file(&draft).map_err(|error| StoreError::io("remove", &draft, error))?;
        }
        self.read("copy the database", |db| {
            db.execute("VACUUM INTO ?1", [draft.to_string_lossy()])?;
            Ok(())
        })?;
        make_private_file(&draft)?;
        fs::rename(&draft, &path).map_err(|error| StoreError::io("rename to", &path, error))?;
        let keep = retention.backups.max(1) as usize;
        for old in backups(&self.home).into_iter().rev().skip(keep) {
            fs::remove_file(&old).map_err(|error| StoreError::io("remove", &old, error))?;
        }
        Ok(path)
    }

    fn back_up_if_due(
        &mut self,
        retention: Retention,
        now: Timestamp,
    ) -> Result<Option<PathBuf>, StoreError> {
        let every = i64::from(retention.backup_hours) * 3_600_000;
        let newest = backups(&self.home).last().and_then(|path| backup_time(path));
        // A copy from the future (the clock went back) is no reason to wait for years.
        let is_due = newest.is_none_or(|at| now.0 - at.0 >= every || at > now);
        // A damaged database must not push out the good copies.
        if retention.backups == 0 || !is_due || !self.check(CheckDepth::Quick)?.is_sound() {
            return Ok(None);
        }
        self.back_up(retention, now).map(Some)
    }

    fn remove_old_events(&mut self, retention: Retention, now: Timestamp) -> Result<u64, StoreError> {
        let day = Timestamp::DAY_MS;
        let clock = self.write("read our own clock", |transaction| Ok(advance_clock(transaction, now)?))?;
        let before = clock.0.saturating_sub(i64::from(retention.events_days) * day);
        let mut removed = 0;
        loop {
            let batch = self.write("remove old events", |transaction| {
                let sql = "DELETE FROM events WHERE id IN (SELECT id FROM events WHERE at_ms < ?1 LIMIT ?2)";
                Ok(transaction.execute(sql, params![before, EVENTS_PER_TRANSACTION])?)
            })?;
            removed += batch as u64;
            if batch < EVENTS_PER_TRANSACTION as usize {
                break;
            }
        }
        self.write("remove old receipts", |transaction| {
            let sql = "DELETE FROM receipts WHERE id <= (SELECT max(id) FROM receipts) - ?1";
            Ok(transaction.execute(sql, [retention.receipts])?)
        })?;
        Ok(removed)
    }

    fn file_bytes(&self) -> Result<u64, StoreError> {
        self.read("measure the database", |db| {
            let pages: u64 = db.pragma_query_value(None, "page_count", |row| row.get(0))?;
            let size: u64 = db.pragma_query_value(None, "page_size", |row| row.get(0))?;
            Ok(pages * size)
        })
    }
}

/// Moves our own clock towards the machine's, and returns it.
fn advance_clock(db: &Connection, now: Timestamp) -> rusqlite::Result<Timestamp> {
    let kept: Option<String> = db
        .query_row("SELECT value FROM facts_of_the_store WHERE name = 'retention_clock_ms'", [], |row| {
            row.get(0)
        })
        .optional()?;
    let clock = match kept.and_then(|text| text.parse::<i64>().ok()) {
        Some(clock) => now.0.clamp(clock, clock + CLOCK_STEP_DAYS * Timestamp::DAY_MS),
        None => now.0,
    };
    db.execute(
        "INSERT INTO facts_of_the_store (name, value) VALUES ('retention_clock_ms', ?1)
         ON CONFLICT (name) DO UPDATE SET value = ?1",
        [clock.to_string()],
    )?;
    Ok(Timestamp(clock))
}

/// Lists the copies of the database, oldest first.
pub(crate) fn backups(home: &Home) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(home.backups()) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| backup_time(path).is_some())
        .collect();
    files.sort();
    files
}

fn backup_time(path: &std::path::Path) -> Option<Timestamp> {
    let name = path.file_name()?.to_str()?;
    name.strip_prefix("backstory-")?.strip_suffix(".db")?.parse().ok().map(Timestamp)
}
