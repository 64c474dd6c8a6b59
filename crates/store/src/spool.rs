//! The spool: where an event waits when the database cannot take it in time.
//!
//! One file an event: written, synced, renamed, so that a file under `spool/new` is always whole. Whoever opens the store next takes
//! them in; a file is removed only after the commit, and an event taken in twice is kept once. Everything here is redacted already.

use crate::home::make_private_dir;
use crate::{Arrival, Home, Purpose, Store, StoreError, events};
use backstory_memory::{Digest, Event, IdempotencyKey, ProjectKey, Sighting, Timestamp};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The waiting events of a home.
#[derive(Debug)]
pub struct Spool {
    root: PathBuf,
}

/// How many waiting events one hook takes in: the rest is for the next ones, so that none of them is slow.
const PER_HOOK: usize = 64;
const PER_TRANSACTION: usize = 256;
/// Nothing we write is larger; what is was not written by us.
const LARGEST_FILE: u64 = 1 << 20;

impl Spool {
    /// Names the spool of a home without touching it.
    #[must_use]
    pub fn of(home: &Home) -> Spool {
        Spool { root: home.spool() }
    }

    /// Lets an event wait. When this returns, the event is on the disk.
    pub fn put(&self, arrival: &Arrival) -> Result<(), StoreError> {
        let (unfinished, waiting) = (self.root.join("tmp"), self.waiting_dir());
        make_private_dir(&unfinished)?;
        make_private_dir(&waiting)?;
        let name = format!("{:020}-{}.json", arrival.event.at.0.max(0), arrival.event.key.0);
        // Two deliveries of one event must not share a half-written file.
        let draft = unfinished.join(format!("{name}.{}", std::process::id()));
        let written = write_synced(&draft, &to_bytes(arrival)).and_then(|()| {
            let place = waiting.join(name);
            fs::rename(&draft, &place).map_err(|error| StoreError::io("rename to", &place, error))
        });
        if let Err(error) = written {
            // Half a file helps nobody and, on a full disk, takes the space others need.
            drop(fs::remove_file(&draft));
            return Err(error);
        }
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

    fn waiting_dir(&self) -> PathBuf {
        self.root.join("new")
    }

    /// Lists at most `most` waiting files, oldest first.
    fn waiting(&self, most: usize) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.waiting_dir()) else { return Vec::new() };
        let mut files: Vec<PathBuf> =
            entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
        files.sort();
        files.truncate(most);
        files
    }

    /// Sets a file aside that holds no event: it must not stand in the way of the others, nor be lost.
    fn set_aside(&self, file: &Path) {
        let bad = self.root.join("bad");
        if make_private_dir(&bad).is_ok()
            && let Some(name) = file.file_name()
        {
            // If even this fails the file stays where it is and is looked at again.
            drop(fs::rename(file, bad.join(name)));
        }
    }
}

impl Store {
    /// Takes in what waits in the spool.
    pub(crate) fn take_in_spool(&mut self, purpose: Purpose) -> Result<usize, StoreError> {
        let spool = Spool::of(&self.home);
        let most = if purpose == Purpose::Hook { PER_HOOK } else { usize::MAX };
        let mut taken = 0;
        for files in spool.waiting(most).chunks(PER_TRANSACTION) {
            let arrivals: Vec<(&PathBuf, Arrival)> = files
                .iter()
                .filter_map(|file| match read_whole(file) {
                    Ok(bytes) => match from_bytes(&bytes) {
                        Some(arrival) => Some((file, arrival)),
                        None => {
                            spool.set_aside(file);
                            None
                        }
                    },
                    // Another process took it in between, or it cannot be read now: the next one sees.
                    Err(_) => None,
                })
                .collect();
            self.write("take in the spool", |transaction| {
                for (_, arrival) in &arrivals {
                    events::record(transaction, arrival)?;
                }
                Ok(())
            })?;
            for (file, _) in &arrivals {
                // Already gone is as good as removed; still there, it is known by its key next time.
                drop(fs::remove_file(file));
            }
            taken += arrivals.len();
        }
        Ok(taken)
    }
}

fn write_synced(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let failed = |error| StoreError::io("write", path, error);
    let no_follow = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .custom_flags(no_follow)
        .open(path)
        .map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.sync_all().map_err(failed)
}

fn sync_dir(path: &Path) -> Result<(), StoreError> {
    File::open(path).and_then(|dir| dir.sync_all()).map_err(|error| StoreError::io("sync", path, error))
}

fn read_whole(path: &Path) -> std::io::Result<Vec<u8>> {
    let no_follow = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(no_follow).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(ErrorKind::InvalidInput.into());
    }
    let mut bytes = Vec::new();
    file.take(LARGEST_FILE).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// An arrival as it is written in the spool.
#[derive(Serialize, Deserialize)]
struct SpooledArrival {
    key: String,
    host: String,
    host_session: String,
    kind: String,
    tool: Option<String>,
    at_ms: i64,
    trust: String,
    payload: String,
    truncated: bool,
    sighting: SpooledSighting,
}

#[derive(Serialize, Deserialize)]
struct SpooledSighting {
    keys: Vec<String>,
    name: String,
    root: String,
    parent: Option<Box<SpooledSighting>>,
}

fn to_bytes(arrival: &Arrival) -> Vec<u8> {
    let event = &arrival.event;
    let spooled = SpooledArrival {
        key: event.key.0.to_string(),
        host: event.host.clone(),
        host_session: event.host_session.clone(),
        kind: event.kind.to_string(),
        tool: event.tool.clone(),
        at_ms: event.at.0,
        trust: event.trust.to_string(),
        payload: event.payload.clone(),
        truncated: event.truncated,
        sighting: spooled_sighting(&arrival.sighting),
    };
    // Strings, numbers and lists of them always have a JSON form.
    serde_json::to_vec(&spooled).unwrap_or_default()
}

fn spooled_sighting(sighting: &Sighting) -> SpooledSighting {
    SpooledSighting {
        keys: sighting.keys.iter().map(ToString::to_string).collect(),
        name: sighting.name.clone(),
        root: sighting.root.clone(),
        parent: sighting.parent.as_deref().map(|parent| Box::new(spooled_sighting(parent))),
    }
}

fn from_bytes(bytes: &[u8]) -> Option<Arrival> {
    let spooled: SpooledArrival = serde_json::from_slice(bytes).ok()?;
    let event = Event {
        key: IdempotencyKey(Digest::from_hex(&spooled.key)?),
        host: spooled.host,
        host_session: spooled.host_session,
        kind: spooled.kind.parse().ok()?,
        tool: spooled.tool,
        at: Timestamp(spooled.at_ms),
        trust: spooled.trust.parse().ok()?,
        payload: spooled.payload,
        truncated: spooled.truncated,
    };
    Some(Arrival { event, sighting: sighting_from(spooled.sighting)? })
}

fn sighting_from(spooled: SpooledSighting) -> Option<Sighting> {
    let keys: Vec<ProjectKey> = spooled.keys.iter().filter_map(|key| key.parse().ok()).collect();
    let parent = match spooled.parent {
        Some(parent) => Some(Box::new(sighting_from(*parent)?)),
        None => None,
    };
    (!keys.is_empty()).then_some(Sighting { keys, name: spooled.name, root: spooled.root, parent })
}
