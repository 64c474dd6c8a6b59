//! Allows one sync at a time on this machine, over either transport, and no change of what is shared meanwhile: a sync could otherwise
//! push a project to one team and record it for another.

use crate::SyncError;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

/// Keeps others from syncing until it is dropped, or the process ends in any way.
#[derive(Debug)]
pub struct SyncLock {
    _held: File,
}

impl SyncLock {
    /// Takes the lock, unless another has it.
    pub fn try_take(path: &Path) -> Result<Option<SyncLock>, SyncError> {
        let file = open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(SyncLock { _held: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(SyncError::of_file("lock", path, error)),
        }
    }

    /// Takes the lock as soon as it is free. That happens: every sync gives up on a silent hub.
    pub fn wait(path: &Path) -> Result<SyncLock, SyncError> {
        let file = open(path)?;
        file.lock().map_err(|error| SyncError::of_file("lock", path, error))?;
        Ok(SyncLock { _held: file })
    }
}

fn open(path: &Path) -> Result<File, SyncError> {
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(path);
    file.map_err(|error| SyncError::of_file("lock", path, error))
}
