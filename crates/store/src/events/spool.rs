//! The spool: where an event waits when the database cannot take it in time.
//!
//! One file an event: written, synced, renamed, so that a file under `spool/new` is always whole. Whoever opens the store next stores
//! them; a file is removed only after the commit, and an event stored twice counts once. Everything here is redacted already.

use crate::db::home::make_private_dir;
use crate::{Home, IncomingEvent, Purpose, Store, StoreError, events};
use backstory_memory::{Digest, Event, IdempotencyKey, ProjectKey, ProjectRef, Redacted, Timestamp};
use backstory_platform::{no_follow, private, read_own_file};
use serde::{Deserialize, Serialize};
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::time::UNIX_EPOCH;

/// The waiting events of a home.
#[derive(Debug)]
pub struct Spool {
    root: PathBuf,
}

/// How many waiting events one hook stores: the next hooks store the rest, so that none of them is slow.
const PER_HOOK: usize = 64;
const PER_TRANSACTION: usize = 256;
/// The size of the largest file we write; a larger one is not ours.
const LARGEST_FILE: u64 = 1 << 20;
/// Busy timeout while draining the spool; short, because draining is a side effect of opening.
const COMMAND_PATIENCE: Duration = Duration::from_millis(150);
/// How old an unfinished file is before nobody can be writing it any more.
const ABANDONED_MS: i64 = 3_600_000;

impl Spool {
    /// Names the spool of a home without touching it.
    #[must_use]
    pub fn new(home: &Home) -> Spool {
        Spool { root: home.spool() }
    }

    /// Puts an event into the spool. When this returns, the event is on the disk.
    pub fn push(&self, arrival: &IncomingEvent) -> Result<(), StoreError> {
        let bytes = to_bytes(arrival);
        if bytes.len() as u64 > LARGEST_FILE {
            return Err(StoreError::TooLarge { bytes: bytes.len() as u64, most: LARGEST_FILE });
        }
        let (unfinished, waiting) = (self.unfinished_dir(), self.waiting_dir());
        make_private_dir(&unfinished)?;
        make_private_dir(&waiting)?;
        let others = self.waiting(usize::MAX);
        if others.iter().any(|file| is_named_for(file, arrival.event.key)) {
            return Ok(());
        }
        // After everything that waits already, whatever the clock says.
        let newest = others.last().and_then(|file| number_of(file));
        let number = newest
            .map_or(0, |newest| newest.saturating_add(1))
            .max(u64::try_from(arrival.event.at.0).unwrap_or(0));
        let name = format!("{number:020}-{}.json", arrival.event.key.0);
        // Two deliveries of one event must not share a half-written file.
        let random = getrandom::u64().unwrap_or(0);
        let draft = unfinished.join(format!("{name}.{}-{random:016x}", std::process::id()));
        let written = write_synced(&draft, &bytes).and_then(|()| {
            let place = waiting.join(name);
            fs::rename(&draft, &place).map_err(|error| StoreError::io("rename to", &place, error))
        });
        if let Err(error) = written {
            // Half a file helps nobody and, on a full disk, takes the space others need.
            drop(fs::remove_file(&draft));
            return Err(error);
        }
        // The file was synced before, but its new name is on the disk only when the directory is.
        sync_dir(&waiting)
    }

    /// Returns how many events wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.waiting(usize::MAX).len()
    }

    /// Whether no event waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiting(1).is_empty()
    }

    /// Lists files that hold text but will never be stored: set aside as bad, or left unfinished.
    pub(crate) fn leftovers(&self) -> Vec<PathBuf> {
        [self.unfinished_dir(), self.bad_dir(), self.waiting_dir()]
            .iter()
            .flat_map(|dir| files_in(dir))
            .collect()
    }

    /// Removes files whose writer must have died: nobody got an acknowledgement for them.
    pub(crate) fn clear_unfinished(&self, now: Timestamp) {
        for file in files_in(&self.unfinished_dir()) {
            // A file without a readable age counts as new: its writer may still be at work.
            let written = fs::symlink_metadata(&file).map_or(i64::MAX, |metadata| modified_ms(&metadata));
            if now.0.saturating_sub(written) > ABANDONED_MS {
                // If this fails, the next housekeeping tries again.
                drop(fs::remove_file(&file));
            }
        }
    }

    fn unfinished_dir(&self) -> PathBuf {
        self.root.join("tmp")
    }

    fn bad_dir(&self) -> PathBuf {
        self.root.join("bad")
    }

    fn waiting_dir(&self) -> PathBuf {
        self.root.join("new")
    }

    /// Lists at most `most` waiting files, oldest first.
    fn waiting(&self, most: usize) -> Vec<PathBuf> {
        let mut files = files_in(&self.waiting_dir());
        files.sort();
        files.truncate(most);
        files
    }

    /// Sets a file aside that holds no event: it must not stand in the way of the others, nor be lost.
    fn set_aside(&self, file: &Path) {
        let bad = self.bad_dir();
        if make_private_dir(&bad).is_ok()
            && let Some(name) = file.file_name()
        {
            // If even this fails the file stays where it is and is looked at again.
            drop(fs::rename(file, bad.join(name)));
        }
    }
}

impl Store {
    /// Stores the events that wait in the spool. Those that cannot be stored now keep waiting.
    pub(crate) fn drain_spool(&mut self, purpose: Purpose) -> Result<usize, StoreError> {
        let (most, patience) = match purpose {
            Purpose::Hook => (PER_HOOK, Duration::ZERO),
            Purpose::Command | Purpose::Read => (usize::MAX, COMMAND_PATIENCE),
        };
        let spool = Spool::new(&self.home);
        let files = spool.waiting(most);
        if files.is_empty() {
            return Ok(0);
        }
        self.set_busy_timeout(patience)?;
        let taken: Result<usize, StoreError> = files
            .chunks(PER_TRANSACTION)
            .try_fold(0, |taken, files| Ok(taken + self.drain_files(&spool, files)?));
        self.set_busy_timeout(self.patience)?;
        match taken {
            Err(error) if error.is_storage_failure() => Ok(0),
            taken => taken,
        }
    }

    fn drain_files(&mut self, spool: &Spool, files: &[PathBuf]) -> Result<usize, StoreError> {
        let arrivals: Vec<(&PathBuf, IncomingEvent)> =
            files.iter().filter_map(|file| spool.read(file).map(|arrival| (file, arrival))).collect();
        let all = self.write("take in the spool", |transaction| {
            arrivals.iter().try_for_each(|(_, arrival)| events::record(transaction, arrival).map(drop))?;
            Ok(())
        });
        match all {
            Err(error) if error.is_storage_failure() => return Err(error),
            // One event of the batch was refused: write the others without it.
            Err(_) => return self.drain_one_by_one(spool, &arrivals),
            Ok(()) => {}
        }
        for (file, _) in &arrivals {
            remove_taken(file);
        }
        Ok(arrivals.len())
    }

    fn drain_one_by_one(
        &mut self,
        spool: &Spool,
        arrivals: &[(&PathBuf, IncomingEvent)],
    ) -> Result<usize, StoreError> {
        let mut taken = 0;
        for (file, arrival) in arrivals {
            match self.events_mut().record(arrival) {
                Ok(_) => {
                    remove_taken(file);
                    taken += 1;
                }
                Err(error) if error.is_storage_failure() => return Err(error),
                Err(_) => spool.set_aside(file),
            }
        }
        Ok(taken)
    }
}

impl Spool {
    /// Reads a waiting event. Sets aside a file that holds none; returns nothing for one that another process has stored meanwhile.
    fn read(&self, file: &Path) -> Option<IncomingEvent> {
        let bytes = match read_whole(file) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return None,
            // Unreadable or too long: no bytes are no event, so the file is set aside below.
            Err(_) => Vec::new(),
        };
        let arrival = from_bytes(&bytes);
        if arrival.is_none() {
            self.set_aside(file);
        }
        arrival
    }
}

/// Returns when a file was last written, in milliseconds since 1970.
fn modified_ms(metadata: &fs::Metadata) -> i64 {
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    modified.map_or(0, |time| i64::try_from(time.as_millis()).unwrap_or(i64::MAX))
}

fn remove_taken(file: &Path) {
    // Another process may have removed it. If it is still there, the next drain finds its key in the database and stores nothing.
    drop(fs::remove_file(file));
}

fn files_in(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect()
}

/// Whether a waiting file holds the event of this key.
fn is_named_for(file: &Path, key: IdempotencyKey) -> bool {
    let name = file.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.ends_with(&format!("-{}.json", key.0)))
}

/// Reads the number a waiting file is ordered by.
fn number_of(file: &Path) -> Option<u64> {
    file.file_name()?.to_str()?.split('-').next()?.parse().ok()
}

fn write_synced(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let failed = |error| StoreError::io("write", path, error);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    let mut file = no_follow(private(&mut options)).open(path).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.sync_all().map_err(failed)
}

fn sync_dir(path: &Path) -> Result<(), StoreError> {
    backstory_platform::sync_dir(path).map_err(|error| StoreError::io("sync", path, error))
}

pub(crate) fn read_whole(path: &Path) -> std::io::Result<Vec<u8>> {
    read_own_file(path, LARGEST_FILE)
}

/// An arrival as it is written in the spool.
#[derive(Serialize, Deserialize)]
struct SpooledEvent {
    key: String,
    host: String,
    host_session: String,
    kind: String,
    tool: Option<String>,
    at_ms: i64,
    provenance: String,
    payload: String,
    truncated: bool,
    project_ref: SpooledProjectRef,
}

#[derive(Serialize, Deserialize)]
struct SpooledProjectRef {
    keys: Vec<String>,
    name: String,
    root: String,
    parent: Option<Box<SpooledProjectRef>>,
}

fn to_bytes(arrival: &IncomingEvent) -> Vec<u8> {
    let event = &arrival.event;
    let spooled = SpooledEvent {
        key: event.key.0.to_string(),
        host: event.host.clone(),
        host_session: event.host_session.clone(),
        kind: event.kind.to_string(),
        tool: event.tool.clone(),
        at_ms: event.at.0,
        provenance: event.provenance.to_string(),
        payload: event.payload.clone(),
        truncated: event.truncated,
        project_ref: spooled_project_ref(&arrival.project_ref),
    };
    // Strings, numbers and lists of them always have a JSON form.
    serde_json::to_vec(&spooled).unwrap_or_default()
}

fn spooled_project_ref(project_ref: &ProjectRef) -> SpooledProjectRef {
    SpooledProjectRef {
        keys: project_ref.keys.iter().map(ToString::to_string).collect(),
        name: project_ref.name.clone(),
        root: project_ref.root.clone(),
        parent: project_ref.parent.as_deref().map(|parent| Box::new(spooled_project_ref(parent))),
    }
}

fn from_bytes(bytes: &[u8]) -> Option<IncomingEvent> {
    let spooled: SpooledEvent = serde_json::from_slice(bytes).ok()?;
    let event = Event {
        key: IdempotencyKey(Digest::from_hex(&spooled.key)?),
        host: spooled.host,
        host_session: spooled.host_session,
        kind: spooled.kind.parse().ok()?,
        tool: spooled.tool,
        at: Timestamp(spooled.at_ms),
        provenance: spooled.provenance.parse().ok()?,
        payload: spooled.payload,
        truncated: spooled.truncated,
    };
    // What is in the spool was redacted before it was written there.
    let project_ref = Redacted::vouch(project_ref_from(spooled.project_ref)?);
    Some(IncomingEvent { event: Redacted::vouch(event), project_ref })
}

fn project_ref_from(spooled: SpooledProjectRef) -> Option<ProjectRef> {
    let keys: Vec<ProjectKey> = spooled.keys.iter().filter_map(|key| key.parse().ok()).collect();
    let parent = match spooled.parent {
        Some(parent) => Some(Box::new(project_ref_from(*parent)?)),
        None => None,
    };
    (!keys.is_empty()).then_some(ProjectRef { keys, name: spooled.name, root: spooled.root, parent })
}
