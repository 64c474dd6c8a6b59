//! The count of events that could be kept nowhere: not in the database, not in the spool (law 3).
//!
//! The file is made with the database and has its place on the disk from then on. A count is written over it, so that it can be written
//! where nothing else can: on a full disk, or in a folder that became read-only.

use crate::db::home::make_private_file;
use crate::{Home, StoreError};
use backstory_memory::Timestamp;
use backstory_platform::open_own_file;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

/// A block of every file system we know: less would not make its place certain.
const FILE_BYTES: usize = 4096;
/// What is written over at each loss.
const RECORD_BYTES: usize = 128;
/// How long `status` and `doctor` report a loss after its last event; the next one is counted anew.
const REPORTED_MS: i64 = 14 * Timestamp::DAY_MS;

/// Events that were lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostEvents {
    /// How many.
    pub events: u64,
    /// When the first was lost.
    pub since: Timestamp,
    /// When the last was lost.
    pub last: Timestamp,
    /// Whether a session start has said so.
    pub is_announced: bool,
}

/// The count of a home.
#[derive(Debug)]
pub struct LossCounter {
    path: PathBuf,
}

impl LossCounter {
    /// Names the count of a home without touching it.
    #[must_use]
    pub fn new(home: &Home) -> LossCounter {
        LossCounter { path: home.losses() }
    }

    /// Reserves its place on the disk while there is space.
    pub(crate) fn prepare(&self) -> Result<(), StoreError> {
        let failed = |error| StoreError::io("write", &self.path, error);
        if self.path.metadata().is_ok_and(|metadata| metadata.len() >= FILE_BYTES as u64) {
            return Ok(());
        }
        make_private_file(&self.path)?;
        let mut file = self.open().map_err(failed)?;
        file.write_all(&[b' '; FILE_BYTES]).and_then(|()| file.sync_all()).map_err(failed)
    }

    /// Counts events that were lost just now.
    pub fn count(&self, events: u64, now: Timestamp) -> Result<(), StoreError> {
        // A home of an earlier build may lack the file, and a disk that is full for an event may still have room for one block.
        drop(self.prepare());
        self.change(|before| {
            let before = before.filter(|before| !is_old(before, now));
            let (counted, since) = before.map_or((0, now), |before| (before.events, before.since));
            Some(LostEvents { events: counted.saturating_add(events), since, last: now, is_announced: false })
        })
    }

    /// Returns what was lost lately.
    #[must_use]
    pub fn read(&self, now: Timestamp) -> Option<LostEvents> {
        let mut file = open_own_file(OpenOptions::new().read(true), &self.path).ok()?;
        read_record(&mut file).filter(|lost| !is_old(lost, now))
    }

    /// Notes that the user was informed.
    pub fn mark_announced(&self) -> Result<(), StoreError> {
        self.change(|lost| lost.map(|lost| LostEvents { is_announced: true, ..lost }))
    }

    fn change(
        &self,
        change: impl FnOnce(Option<LostEvents>) -> Option<LostEvents>,
    ) -> Result<(), StoreError> {
        let failed = |error| StoreError::io("write", &self.path, error);
        let mut file = self.open().map_err(failed)?;
        // Held for one short write; a hook that waits here is ended by its deadline.
        file.lock().map_err(failed)?;
        let Some(lost) = change(read_record(&mut file)) else { return Ok(()) };
        let LostEvents { events, since, last, is_announced } = lost;
        let text = format!("{events} {} {} {}", since.0, last.0, u8::from(is_announced));
        let record = format!("{text:<width$}\n", width = RECORD_BYTES - 1);
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        file.write_all(record.as_bytes()).and_then(|()| file.sync_data()).map_err(failed)
    }

    fn open(&self) -> std::io::Result<File> {
        open_own_file(OpenOptions::new().read(true).write(true), &self.path)
    }
}

/// Whether a loss is too long ago to be reported. A clock that jumped back makes none old.
fn is_old(lost: &LostEvents, now: Timestamp) -> bool {
    now.0.saturating_sub(lost.last.0) > REPORTED_MS
}

fn read_record(file: &mut File) -> Option<LostEvents> {
    let mut record = [0; RECORD_BYTES];
    file.seek(SeekFrom::Start(0)).ok()?;
    file.read_exact(&mut record).ok()?;
    let mut numbers = std::str::from_utf8(&record).ok()?.split_whitespace();
    let mut next = || numbers.next()?.parse::<i64>().ok();
    let (events, since, last, is_announced) = (next()?, next()?, next()?, next()? == 1);
    let events = u64::try_from(events).ok().filter(|events| *events > 0)?;
    Some(LostEvents { events, since: Timestamp(since), last: Timestamp(last), is_announced })
}
