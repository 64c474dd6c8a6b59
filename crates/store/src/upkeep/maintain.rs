//! Housekeeping, off the hot path: checkpoint, retention, merging the word index, vacuum, backup.
//!
//! **Time.** The machine's clock may jump by years. Retention therefore uses a clock of our own, which follows the machine's by at
//! most [`CLOCK_STEP_DAYS`] a run and never goes back. Events age by the order in which they arrived, not by their own times (R15).

use crate::db::facets::{UpkeepReader, UpkeepWriter};
use crate::db::home::{beside, make_private_dir, make_private_file, open_private_file};
use crate::db::metadata;
use crate::injections::fetches;
use crate::memories::{rejections, standing};
use crate::sync::held;
use crate::{CheckDepth, Home, Spool, Store, StoreError};
use backstory_memory::Timestamp;
use rusqlite::{Connection, params};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What is kept, and how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetentionPolicy {
    /// How many days raw events are kept.
    pub events_days: u32,
    /// How many receipts are kept at most.
    pub receipts: u32,
    /// How many backups are kept.
    pub backups: u32,
    /// Hours between two backups.
    pub backup_hours: u32,
}

/// What housekeeping did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MaintainReport {
    /// How many events were removed because of their age.
    pub events_removed: u64,
    /// Bytes given back to the file system.
    pub bytes_freed: u64,
    /// The backup that was made.
    pub backup: Option<PathBuf>,
}

/// The longest log that a hook reads without a noticeable delay.
const LONG_LOG: u64 = 1 << 20;
/// How far our own clock may follow the machine's in one run.
const CLOCK_STEP_DAYS: i64 = 2;
/// How many pages one transaction frees, and how many events it removes; few, because hooks wait for it.
const PAGES_PER_TRANSACTION: u32 = 1000;
const EVENTS_PER_TRANSACTION: u32 = 500;
/// How many of the newest injections are kept, and how many with their text: months, and some days, for a busy person.
const INJECTIONS_KEPT: u32 = 10_000;
const TEXTS_KEPT: u32 = 1_000;
/// The latest time that fits the name of a backup.
const LATEST_NAME: i64 = 999_999_999_999_999;
/// The metadata key of our own clock.
pub(crate) const RETENTION_CLOCK: &str = "retention_clock_ms";
/// The metadata key of when the last backup was made.
const BACKED_UP_AT: &str = "backed_up_at_ms";
/// The metadata key of when housekeeping was last done.
const MAINTAINED_AT: &str = "maintained_at_ms";

impl UpkeepWriter<'_> {
    /// Does all housekeeping that is due.
    pub fn maintain(
        &mut self,
        retention: RetentionPolicy,
        now: Timestamp,
    ) -> Result<MaintainReport, StoreError> {
        // Two processes at once would remove each other's unfinished backups. The second waits, and finds little left to do.
        let lock_path = self.store.home.maintenance_lock();
        let lock = open_private_file(&lock_path)?;
        lock.lock().map_err(|error| StoreError::io("lock", &lock_path, error))?;
        let before = self.store.file_bytes()?;
        let events_removed = self.store.remove_old_events(retention, now)?;
        self.store.remove_old_records(retention, now)?;
        self.store.trim_code()?;
        // If the index cannot be merged now, a later run will do it, and damage has been recorded. Either way the rest goes on.
        drop(self.store.upkeep_mut().merge_word_index());
        self.store.upkeep_mut().vacuum()?;
        self.store.upkeep().checkpoint()?;
        Spool::new(&self.store.home).clear_unfinished(now);
        let is_due = self.store.is_backup_due(retention, now)?;
        let mirrored = if is_due { self.store.check_mirror() } else { self.follow_mirror() };
        // What the mirror lacks stays listed, and the next process that closes the store tries again. The backup matters all the more.
        drop(mirrored);
        let backup =
            if is_due && retention.backups > 0 { self.store.try_back_up(retention, now)? } else { None };
        self.store
            .write("note when housekeeping was done", |db| Ok(metadata::note(db, MAINTAINED_AT, &now.0)?))?;
        let bytes_freed = before.saturating_sub(self.store.file_bytes()?);
        Ok(MaintainReport { events_removed, bytes_freed, backup })
    }

    /// Gives free pages back to the file system, a few at a time.
    pub fn vacuum(&mut self) -> Result<(), StoreError> {
        loop {
            // One transaction for each portion, so that hooks can write in between.
            let left: i64 = self.store.write("vacuum the database", |transaction| {
                let sql = format!("PRAGMA incremental_vacuum({PAGES_PER_TRANSACTION})");
                let mut statement = transaction.prepare(&sql)?;
                // Each row of the result frees one page.
                let mut rows = statement.query([])?;
                while rows.next()?.is_some() {}
                Ok(transaction.pragma_query_value(None, "freelist_count", |row| row.get(0))?)
            })?;
            if left == 0 {
                return Ok(());
            }
        }
    }

    /// Backs up the database. The backup is checked before it counts.
    pub fn back_up(&mut self, retention: RetentionPolicy, now: Timestamp) -> Result<PathBuf, StoreError> {
        let dir = self.store.home.backups();
        make_private_dir(&dir)?;
        remove_unfinished(&dir)?;
        // Named by the clock, but always after the newest: backups are removed in the order of their names.
        let newest = backups(&self.store.home).last().and_then(|path| backup_time(path));
        let at = newest.map_or(0, |newest| newest.0.saturating_add(1)).max(now.0.clamp(0, LATEST_NAME));
        let path = dir.join(format!("backstory-{at:015}.db"));
        let draft = path.with_extension("tmp");
        if let Err(error) = self.store.copy_to(&draft).and_then(|()| self.store.refuse_unsound(&draft)) {
            remove_unfinished(&dir)?;
            return Err(error);
        }
        backstory_platform::replace_file(&draft, &path)
            .map_err(|error| StoreError::io("rename to", &path, error))?;
        let keep = retention.backups.max(1) as usize;
        for old in backups(&self.store.home).into_iter().rev().skip(keep) {
            fs::remove_file(&old).map_err(|error| StoreError::io("remove", &old, error))?;
        }
        self.store.write("note when a copy was made", |db| Ok(metadata::note(db, BACKED_UP_AT, &now.0)?))?;
        Ok(path)
    }
}

impl UpkeepReader<'_> {
    /// Whether housekeeping was not done for so many hours. A new store begins with nothing to do.
    pub fn is_maintenance_due(&self, hours: u32, now: Timestamp) -> Result<bool, StoreError> {
        self.store.read("see when housekeeping was done", |db| {
            let made = || {
                let sql = "SELECT min(applied_at_ms) FROM applied_migrations";
                db.query_row(sql, [], |row| row.get::<_, Option<i64>>(0))
            };
            let last = match metadata::number(db, MAINTAINED_AT)? {
                Some(last) => Some(last),
                None => made()?,
            };
            Ok(last.is_some_and(|last| is_older(last, hours, now)))
        })
    }

    /// Truncates the log if it has grown long.
    ///
    /// The first process to open the store reads the whole log, so it is kept short enough for that to go unnoticed
    /// (docs/design/0002-write-ahead-log.md).
    pub fn truncate_long_log(&self) -> Result<(), StoreError> {
        match fs::metadata(beside(&self.store.path, "-wal")) {
            Ok(log) if log.len() > LONG_LOG => self.store.upkeep().checkpoint(),
            _ => Ok(()),
        }
    }

    /// Moves the log into the database and truncates it, as far as no other process has to wait.
    pub fn checkpoint(&self) -> Result<(), StoreError> {
        // A passive checkpoint works while others write; what remains for the second step is short.
        self.store.read("checkpoint", |db| Ok(db.execute_batch("PRAGMA wal_checkpoint(PASSIVE)")?))?;
        self.store.cut_log(Duration::ZERO).map(drop)
    }
}

impl Store {
    /// Moves the rest of the log into the database and truncates it. Returns whether no other process prevented it.
    pub(crate) fn cut_log(&self, patience: Duration) -> Result<bool, StoreError> {
        let cut = self.with_busy_timeout(patience, || {
            self.read("clear the log", |db| {
                let busy: i64 = db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
                Ok(busy == 0)
            })
        });
        match cut {
            Err(StoreError::Busy { .. }) => Ok(false),
            cut => cut,
        }
    }

    /// Copies the database to a new file.
    pub(crate) fn copy_to(&self, path: &Path) -> Result<(), StoreError> {
        make_private_file(path)?;
        // A path need not be valid UTF-8, so it is bound as bytes.
        let bytes = backstory_platform::path_bytes(path);
        self.read("copy the database", |db| {
            db.execute("VACUUM INTO CAST(?1 AS TEXT)", [bytes])?;
            Ok(())
        })
    }

    /// Refuses a damaged backup: it must not push out the good ones.
    fn refuse_unsound(&self, copy: &Path) -> Result<(), StoreError> {
        let report = Store::open_read_only(&self.home, copy.to_owned())?.upkeep().check(CheckDepth::Full)?;
        if report.is_sound() {
            return Ok(());
        }
        let rotten = report.damaged.len();
        let detail = report.file.into_iter().chain(report.words).chain(report.schema).next();
        let detail = detail.unwrap_or_else(|| format!("{rotten} memories are not what was written"));
        Err(StoreError::Damaged { path: self.path.clone(), detail })
    }

    /// Whether the newest backup is too old, or the last look at the mirror where no backups are kept.
    fn is_backup_due(&self, retention: RetentionPolicy, now: Timestamp) -> Result<bool, StoreError> {
        let name = if retention.backups == 0 { MAINTAINED_AT } else { BACKED_UP_AT };
        let last = self.read("see when a copy was made", |db| Ok(metadata::number(db, name)?))?;
        Ok(last.is_none_or(|last| is_older(last, retention.backup_hours, now)))
    }

    fn try_back_up(
        &mut self,
        retention: RetentionPolicy,
        now: Timestamp,
    ) -> Result<Option<PathBuf>, StoreError> {
        match self.upkeep_mut().back_up(retention, now) {
            // The good backups stay; the next command checks closely and repairs what it can.
            Err(StoreError::Damaged { .. }) => Ok(None),
            made => made.map(Some),
        }
    }

    fn remove_old_events(&mut self, retention: RetentionPolicy, now: Timestamp) -> Result<u64, StoreError> {
        let newest_old = self.write("read our own clock", |transaction| {
            let clock = advance_clock(transaction, now)?;
            held::expire(transaction, clock)?;
            rejections::expire(transaction, clock, retention.events_days)?;
            standing::retire_expired(transaction, now)?;
            Ok(newest_older_than(transaction, clock, retention.events_days)?)
        })?;
        let mut removed = 0;
        loop {
            let batch = self.write("remove old events", |transaction| {
                let sql = "DELETE FROM events WHERE id IN (SELECT id FROM events WHERE id <= ?1 LIMIT ?2)";
                Ok(transaction.execute(sql, params![newest_old, EVENTS_PER_TRANSACTION])?)
            })?;
            removed += batch as u64;
            if batch < EVENTS_PER_TRANSACTION as usize {
                break;
            }
        }
        Ok(removed)
    }

    /// Removes all but the newest receipts and injections, and all but the newest texts of injections.
    fn remove_old_records(&mut self, retention: RetentionPolicy, now: Timestamp) -> Result<(), StoreError> {
        self.write("remove old receipts", |transaction| {
            let sql = "DELETE FROM receipts WHERE id <= (SELECT max(id) FROM receipts) - ?1";
            Ok(transaction.execute(sql, [retention.receipts])?)
        })?;
        self.write("remove old injections", |transaction| {
            let newest = "(SELECT max(id) FROM injections)";
            let texts = format!("DELETE FROM injection_texts WHERE injection_id <= {newest} - ?1");
            transaction.execute(&texts, [TEXTS_KEPT])?;
            // The counts of how often a memory was shown and used are stored elsewhere and kept for ever.
            let records = format!("DELETE FROM injections WHERE id <= {newest} - ?1");
            transaction.execute(&records, [INJECTIONS_KEPT])?;
            Ok(fetches::remove_old(transaction, now)?)
        })
    }

    fn file_bytes(&self) -> Result<u64, StoreError> {
        self.read("measure the database", |db| {
            let pages: u64 = db.pragma_query_value(None, "page_count", |row| row.get(0))?;
            let size: u64 = db.pragma_query_value(None, "page_size", |row| row.get(0))?;
            Ok(pages * size)
        })
    }
}

/// Whether a time is at least so many hours away. A clock that was set back must not delay anything for years.
fn is_older(last: i64, hours: u32, now: Timestamp) -> bool {
    now.0.saturating_sub(last).saturating_abs() >= i64::from(hours) * 3_600_000
}

/// Advances our own clock by as much as the machine's advanced since the last run, and returns it.
fn advance_clock(db: &Connection, now: Timestamp) -> rusqlite::Result<i64> {
    let most = CLOCK_STEP_DAYS * Timestamp::DAY_MS;
    let step =
        metadata::number(db, "machine_clock_ms")?.map_or(0, |last| now.0.saturating_sub(last).clamp(0, most));
    let clock = metadata::number(db, RETENTION_CLOCK)?.unwrap_or(0).saturating_add(step);
    metadata::note(db, "machine_clock_ms", &now.0)?;
    metadata::note(db, RETENTION_CLOCK, &clock)?;
    Ok(clock)
}

/// Records which events have arrived by now, and returns the newest that had arrived `days` ago.
fn newest_older_than(db: &Connection, clock: i64, days: u32) -> rusqlite::Result<i64> {
    let before = clock.saturating_sub(i64::from(days) * Timestamp::DAY_MS);
    // One mark per hour is enough; the clock may stand still for many runs.
    db.execute(
        "INSERT INTO retention_marks (clock_ms, newest_event_id)
         SELECT ?1 - ?1 % 3600000, coalesce(max(id), 0) FROM events WHERE true
         ON CONFLICT (clock_ms) DO UPDATE SET newest_event_id = excluded.newest_event_id",
        [clock],
    )?;
    let newest = db.query_row(
        "SELECT max(newest_event_id) FROM retention_marks WHERE clock_ms <= ?1",
        [before],
        |row| row.get::<_, Option<i64>>(0),
    )?;
    db.execute(
        "DELETE FROM retention_marks WHERE clock_ms <= ?1 AND clock_ms < ?2 - ?2 % 3600000",
        [before, clock],
    )?;
    Ok(newest.unwrap_or(0))
}

/// Removes unfinished backups.
pub(crate) fn remove_unfinished(dir: &Path) -> Result<(), StoreError> {
    let Ok(entries) = fs::read_dir(dir) else { return Ok(()) };
    let files = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    for file in files.filter(|file| file.extension().is_some_and(|end| end == "tmp" || end == "tmp-journal"))
    {
        fs::remove_file(&file).map_err(|error| StoreError::io("remove", &file, error))?;
    }
    Ok(())
}

/// Lists the backups, oldest first.
pub(crate) fn backups(home: &Home) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(home.backups()) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| backup_time(path).is_some())
        .collect();
    files.sort_by_key(|path| backup_time(path));
    files
}

fn backup_time(path: &Path) -> Option<Timestamp> {
    let name = path.file_name()?.to_str()?;
    name.strip_prefix("backstory-")?.strip_suffix(".db")?.parse().ok().map(Timestamp)
}
