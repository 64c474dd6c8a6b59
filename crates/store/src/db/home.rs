//! The directory that holds all our files, and how it is kept private to its owner.
//!
//! Not here: where it is (`cli` decides from the environment), what is in the files.

use crate::StoreError;
use backstory_platform::{
    close_dir_to_others, close_file_to_others, create_private_dirs, is_open_to_others, is_owned_by_us,
    open_own_file, private,
};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The data directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    root: PathBuf,
}

impl Home {
    /// Names a data directory without touching it.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Home {
        Home { root: root.into() }
    }

    /// Returns the directory.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the path of the database.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.root.join("backstory.db")
    }

    /// Returns the path of the vector file. It is derived: if it is lost, it is made again.
    #[must_use]
    pub fn vectors(&self) -> PathBuf {
        self.root.join("vectors")
    }

    /// Returns the spool: the directory of events that wait for the database.
    #[must_use]
    pub fn spool(&self) -> PathBuf {
        self.root.join("spool")
    }

    /// Returns the directory of copies of the database.
    #[must_use]
    pub fn backups(&self) -> PathBuf {
        self.root.join("backups")
    }

    /// Returns the path of the mirror: a second database with every memory.
    #[must_use]
    pub fn mirror(&self) -> PathBuf {
        self.root.join("mirror.db")
    }

    /// Returns the file that counts events that could be kept nowhere.
    pub(crate) fn losses(&self) -> PathBuf {
        self.root.join("losses")
    }

    /// Returns the directory damaged databases are moved to.
    #[must_use]
    pub fn quarantine(&self) -> PathBuf {
        self.root.join("quarantine")
    }

    /// Returns the path of the log.
    #[must_use]
    pub fn log(&self) -> PathBuf {
        self.root.join("log").join("backstory.log")
    }

    /// Returns the file whose lock is held while the database is being replaced.
    pub(crate) fn repair_lock(&self) -> PathBuf {
        self.root.join("repair.lock")
    }

    /// Returns where a replacement for the database is made.
    pub(crate) fn replacement(&self) -> PathBuf {
        self.root.join("replacement.db")
    }

    /// Returns the file whose lock is held during housekeeping.
    pub(crate) fn maintenance_lock(&self) -> PathBuf {
        self.root.join("maintain.lock")
    }

    /// Returns where a damaged database is made readable.
    pub(crate) fn salvage(&self) -> PathBuf {
        self.root.join("salvage.db")
    }

    /// Returns the file that records that damage was seen once.
    pub(crate) fn damage_note(&self) -> PathBuf {
        self.root.join("damage-suspected")
    }

    /// Creates the directory if it is missing, closed to everyone else.
    ///
    /// A directory that is a link or belongs to another user is refused: that user could read or plant memories.
    pub fn prepare(&self) -> Result<(), StoreError> {
        match self.is_open_to_others()? {
            None => make_private_dir(&self.root),
            Some(true) => close_dir_to_others(&self.root)
                .map_err(|error| StoreError::io("set the mode of", &self.root, error)),
            Some(false) => Ok(()),
        }
    }

    /// Whether others may enter the directory, if it exists. Refuses one that another user can change.
    pub(crate) fn is_open_to_others(&self) -> Result<Option<bool>, StoreError> {
        let metadata = match fs::symlink_metadata(&self.root) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::io("look at", &self.root, error)),
        };
        let refuse = |reason| Err(StoreError::Unsafe { path: self.root.clone(), reason });
        if metadata.file_type().is_symlink() {
            return refuse("is a symbolic link; give the directory it points to");
        }
        if !metadata.is_dir() {
            return refuse("is not a directory");
        }
        if !is_owned_by_us(&metadata) {
            return refuse("belongs to another user");
        }
        Ok(Some(is_open_to_others(&metadata)))
    }
}

/// Creates a directory and its parents, closed to everyone else.
pub(crate) fn make_private_dir(path: &Path) -> Result<(), StoreError> {
    create_private_dirs(path).map_err(|error| StoreError::io("create", path, error))?;
    close_if_open(path, close_dir_to_others)
}

/// Opens a file for writing; creates it private to its owner if it is missing.
pub(crate) fn open_private_file(path: &Path) -> Result<File, StoreError> {
    open_own_file(private(OpenOptions::new().write(true).create(true).truncate(false)), path)
        .map_err(|error| StoreError::io("open", path, error))
}

/// Creates an empty file private to its owner. One that exists is not even opened: it may be a database in use.
pub(crate) fn make_private_file(path: &Path) -> Result<(), StoreError> {
    match private(OpenOptions::new().write(true).create_new(true)).open(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(StoreError::io("create", path, error)),
        _ => Ok(()),
    }
}

/// Closes a file to everyone but its owner, if it exists.
pub(crate) fn close_to_others(path: &Path) -> Result<(), StoreError> {
    close_if_open(path, close_file_to_others)
}

fn close_if_open(path: &Path, close: fn(&Path) -> io::Result<()>) -> Result<(), StoreError> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if is_open_to_others(&metadata) => {
            close(path).map_err(|error| StoreError::io("set the mode of", path, error))
        }
        _ => Ok(()),
    }
}

/// The endings of the names of a database, its log and its shared memory.
pub(crate) const SUFFIXES: [&str; 3] = ["", "-wal", "-shm"];

/// Returns the path of a file SQLite keeps beside a database.
pub(crate) fn beside(database: &Path, suffix: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
