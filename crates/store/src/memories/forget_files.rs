//! Forgetting in the other files of the home: backups, the spool, the log, what a killed repair or backup left.

use crate::db::home::open_private_file;
use crate::db::open::TxError;
use crate::events::spool::read_whole;
use crate::memories::forget::{self, Erased, Forgetting};
use crate::upkeep::maintain;
use crate::upkeep::repair::{self, clear};
use crate::{Home, Purpose, Spool, Store, StoreError};
use backstory_memory::{MemoryId, Timestamp};
use backstory_platform::read_own_file;
use rusqlite::{Connection, OptionalExtension};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The longest log that is read. Ours are rotated long before; a longer file is reported as it is.
const LARGEST_LOG: u64 = 16 << 20;

/// Forgets in every file but the database and the mirror. Returns those that may still hold something.
pub(crate) fn forget_in_files(
    home: &Home,
    what: &Forgetting,
    erased: &Erased,
    now: Timestamp,
) -> Vec<PathBuf> {
    let mut remains = change_copies(home, now, |copy| forget_in_copy(copy, what, erased, now));
    remains.extend(left_by_repairs(home));
    remains.extend(repair::quarantined(home));
    remains.extend(Spool::new(home).leftovers().into_iter().filter(|file| !remove_if_said(file, what)));
    let log = home.log();
    remains.extend([log.with_extension("log.1"), log].into_iter().filter(|log| !scrub_log(log, what)));
    remains
}

/// Changes every backup, and scrubs it. Returns those that may still hold what was removed.
pub(crate) fn change_copies(
    home: &Home,
    now: Timestamp,
    mut change: impl FnMut(&Connection) -> Result<(), TxError>,
) -> Vec<PathBuf> {
    let mut remains = Vec::new();
    // Another process may have begun a backup before the memory was forgotten. Without its draft, that backup fails.
    if maintain::remove_unfinished(&home.backups()).is_err() {
        remains.push(home.backups());
    }
    let copies = maintain::backups(home).into_iter();
    remains.extend(copies.filter(|path| !change_copy(home, path, now, &mut change).unwrap_or(false)));
    remains
}

fn change_copy(
    home: &Home,
    path: &Path,
    now: Timestamp,
    change: &mut impl FnMut(&Connection) -> Result<(), TxError>,
) -> Result<bool, StoreError> {
    let mut copy = Store::open_file(home, path, Purpose::Command, now)?;
    copy.write("forget in a copy", |transaction| change(transaction))?;
    let scrubbed = copy.scrub()?;
    // A copy is one file: what restores it must not have to look for a log.
    copy.batch("PRAGMA journal_mode = DELETE")?;
    Ok(scrubbed)
}

fn forget_in_copy(
    transaction: &Connection,
    what: &Forgetting,
    erased: &Erased,
    now: Timestamp,
) -> Result<(), TxError> {
    // The copy may hold an older wording: look up its memories by uid, and erase what that file holds.
    let mut there = transaction.prepare("SELECT id FROM memories WHERE uid = ?1")?;
    let ids = erased
        .graves
        .iter()
        .map(|grave| there.query_row([&grave.uid], |row| row.get(0).map(MemoryId)).optional());
    let memories: BTreeSet<MemoryId> = ids.filter_map(Result::transpose).collect::<rusqlite::Result<_>>()?;
    let mut here = Forgetting { memories, texts: what.texts.clone(), ..Forgetting::default() };
    forget::erase_all(transaction, &mut here, now)?;
    erased.graves.iter().try_for_each(|grave| forget::bury(transaction, grave, now))?;
    forget::bury_events(transaction, &erased.event_keys)?;
    Ok(())
}

/// Removes what a killed repair left, unless one is running; returns what may remain.
fn left_by_repairs(home: &Home) -> Vec<PathBuf> {
    let left: Vec<PathBuf> =
        [home.salvage(), home.replacement()].into_iter().filter(|path| path.exists()).collect();
    if left.is_empty() {
        return left;
    }
    let lock = open_private_file(&home.repair_lock());
    if !lock.as_ref().is_ok_and(|lock| lock.try_lock().is_ok()) {
        return left;
    }
    left.into_iter().filter(|path| clear(path).is_err()).collect()
}

/// Removes a file of the spool that will never be stored, if it holds forgotten words. Returns whether it is gone.
fn remove_if_said(file: &Path, what: &Forgetting) -> bool {
    let is_said = read_whole(file).is_ok_and(|bytes| {
        let text = String::from_utf8_lossy(&bytes);
        forget::is_said(&text, &what.texts, false)
    });
    is_said && fs::remove_file(file).is_ok()
}

/// Removes the lines of a log that hold forgotten words. Returns whether none is left.
fn scrub_log(log: &Path, what: &Forgetting) -> bool {
    let Ok(bytes) = read_own_file(log, LARGEST_LOG) else { return !log.exists() };
    let text = String::from_utf8_lossy(&bytes);
    if !text.lines().any(|line| what.texts.are_in(line)) {
        return true;
    }
    let kept: String =
        text.lines().filter(|line| !what.texts.are_in(line)).flat_map(|line| [line, "\n"]).collect();
    fs::write(log, kept).is_ok()
}
