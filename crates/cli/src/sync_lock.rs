//! One at a time: a sync, by a hub or through git, or a change of what is shared. A sync that goes on with what is shared otherwise
//! meanwhile would note with one team what it told another.

use crate::app::App;
use crate::failure::Failure;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::PathBuf;

/// Holds others off until it is dropped, or the process ends however it may.
pub(crate) struct SyncLock {
    _held: File,
}

impl SyncLock {
    /// Takes the lock, unless another has it.
    pub(crate) fn try_take(app: &App) -> Result<Option<SyncLock>, Failure> {
        let file = open(app)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(SyncLock { _held: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(failed(app, &error)),
        }
    }

    /// Takes the lock when whoever has it is done: no sync goes on for ever, a hub that says nothing is given up.
    pub(crate) fn take(app: &App) -> Result<SyncLock, Failure> {
        if let Some(lock) = SyncLock::try_take(app)? {
            return Ok(lock);
        }
        app.ui.say("a sync is running; this goes on when it is done");
        let file = open(app)?;
        file.lock().map_err(|error| failed(app, &error))?;
        Ok(SyncLock { _held: file })
    }
}

fn open(app: &App) -> Result<File, Failure> {
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(path(app));
    file.map_err(|error| failed(app, &error))
}

fn path(app: &App) -> PathBuf {
    app.home.root().join("sync.lock")
}

fn failed(app: &App, error: &io::Error) -> Failure {
    Failure::of_path("lock", &path(app), error)
}
