//! Open stores that wait to be used again: opening one for every request would cost more than most answers.

use backstory_app::{App, AppError};
use backstory_platform::FileIdentity;
use backstory_store::{Home, Store};
use std::fs;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

/// More are not kept: as many threads ask at once.
const MOST: usize = 4;

/// What a request will do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// Read; what cannot be written can be read all the same.
    Read,
    /// Write.
    Write,
}

/// Stores that wait.
#[derive(Default)]
pub(crate) struct Stores {
    waiting: Mutex<Vec<(Store, FileIdentity)>>,
}

/// A store for one request.
pub(crate) struct Lent<'a> {
    /// Why it can only be read.
    pub(crate) problem: Option<String>,
    store: Option<Store>,
    file: Option<FileIdentity>,
    from: &'a Stores,
}

impl Stores {
    /// Lends a store, opening one if need be.
    pub(crate) fn lend(&self, wish: Wish, app: &App) -> Result<Lent<'_>, AppError> {
        let here = file_of(&app.home);
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|(_, file)| Some(*file) == here);
        let kept = waiting.pop();
        drop(waiting);
        if let Some((store, file)) = kept {
            return Ok(Lent { problem: None, store: Some(store), file: Some(file), from: self });
        }
        let (store, problem) = match wish {
            Wish::Read => app.store_and_problem()?,
            Wish::Write => (app.store()?, None),
        };
        // One that can only be read is not kept: the next may be able to write again.
        let file = if problem.is_none() { file_of(&app.home) } else { None };
        let problem = problem.map(|problem| problem.to_string());
        Ok(Lent { problem, store: Some(store), file, from: self })
    }
}

/// Returns which file the database of a home is now.
pub(super) fn file_of(home: &Home) -> Option<FileIdentity> {
    fs::metadata(home.database()).ok().map(|file| FileIdentity::from_metadata(&file))
}

impl Deref for Lent<'_> {
    type Target = Store;

    fn deref(&self) -> &Store {
        self.store.as_ref().expect("a lent store is there")
    }
}

impl DerefMut for Lent<'_> {
    fn deref_mut(&mut self) -> &mut Store {
        self.store.as_mut().expect("a lent store is there")
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        // After a panic the store may be in any state.
        if std::thread::panicking() {
            return;
        }
        if let (Some(store), Some(file)) = (self.store.take(), self.file) {
            let mut waiting = self.from.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            if waiting.len() < MOST {
                waiting.push((store, file));
            }
        }
    }
}
