//! The directory everything of ours lives in, and how it is kept to its owner.
//!
//! Not here: where it is (`cli` decides from the environment), what is in the files.

use crate::StoreError;
use rustix::fs::Mode;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The data directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    root: PathBuf,
}

impl Home {
    /// Names a data directory without touching it.
    #[must_use]
    pub fn at(root: impl Into<PathBuf>) -> Home {
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

    /// Returns the directory of events that wait for the database.
    #[must_use]
    pub fn spool(&self) -> PathBuf {
        self.root.join("spool")
    }

    /// Returns the directory of copies of the database.
    #[must_use]
    pub fn backups(&self) -> PathBuf {
        self.root.join("backups")
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

    /// Returns the file that says damage was met once.
    pub(crate) fn damage_note(&self) -> PathBuf {
        self.root.join("damage-suspected")
    }

    /// Makes the directory if need be, open to nobody else.
    ///
    /// A directory that is a link or another user's is refused: whoever controls it could read or plant memories.
    pub fn prepare(&self) -> Result<(), StoreError> {
        match fs::symlink_metadata(&self.root) {
            Ok(metadata) => self.check_owner(&metadata),
            Err(error) if error.kind() == ErrorKind::NotFound => make_private_dir(&self.root),
            Err(error) => Err(StoreError::io("look at", &self.root, error)),
        }
    }

    fn check_owner(&self, metadata: &fs::Metadata) -> Result<(), StoreError> {
        let refuse = |reason| Err(StoreError::Unsafe { path: self.root.clone(), reason });
        if metadata.file_type().is_symlink() {
            return refuse("is a symbolic link; give the directory it points to");
        }
        if !metadata.is_dir() {
            return refuse("is not a directory");
        }
        if metadata.uid() != rustix::process::geteuid().as_raw() {
            return refuse("belongs to another user");
        }
        if metadata.mode() & 0o077 != 0 {
            set_mode(&self.root, 0o700)?;
        }
        Ok(())
    }
}

/// Makes a directory, and those above it, open to nobody else.
pub(crate) fn make_private_dir(path: &Path) -> Result<(), StoreError> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(Mode::RWXU.bits())
        .create(path)
        .map_err(|error| StoreError::io("create", path, error))
}

/// Takes a file from everyone but its owner, where it exists.
pub(crate) fn make_private_file(path: &Path) -> Result<(), StoreError> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.mode() & 0o077 != 0 => set_mode(path, 0o600),
        _ => Ok(()),
    }
}

fn set_mode(path: &Path, mode: u32) -> Result<(), StoreError> {
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
        .map_err(|error| StoreError::io("set the mode of", path, error))
}
