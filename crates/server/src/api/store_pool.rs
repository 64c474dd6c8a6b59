//! Open stores, kept for the next request: opening one each time would cost more than most answers.

use backstory_app::upkeep::follow_mirror;
use backstory_app::{App, AppError};
use backstory_platform::FileIdentity;
use backstory_store::{Home, Store};
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

/// The most stores that are kept, one a thread.
const MAX_STORES: usize = 4;

/// What a request does with a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoreUse {
    /// Reads; a store that cannot be written will do.
    Read,
    /// Writes.
    Write,
}

/// Open stores that wait to be used again.
#[derive(Default)]
pub(crate) struct StorePool {
    waiting: Mutex<Vec<(Store, FileIdentity)>>,
}

/// A store for the time of one request.
pub(crate) struct PooledStore<'a> {
    /// Why it can only be read.
    pub(crate) problem: Option<String>,
    store: Option<Store>,
    file: Option<FileIdentity>,
    pool: &'a StorePool,
}

impl StorePool {
    /// Lends a store; opens one if none is kept.
    pub(super) fn lend(&self, intent: StoreUse, app: &App) -> Result<PooledStore<'_>, AppError> {
        let here = file_of(&app.home);
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|(_, file)| Some(*file) == here);
        let kept = waiting.pop();
        drop(waiting);
        if let Some((store, file)) = kept {
            return Ok(PooledStore { problem: None, store: Some(store), file: Some(file), pool: self });
        }
        let (store, problem) = match intent {
            StoreUse::Read => app.store_and_problem()?,
            StoreUse::Write => (app.store()?, None),
        };
        // One that can only be read is not kept: the next may be able to write again.
        let file = if problem.is_none() { file_of(&app.home) } else { None };
        let problem = problem.map(|problem| problem.to_string());
        Ok(PooledStore { problem, store: Some(store), file, pool: self })
    }
}

/// Returns which file the database of a home is now.
pub(super) fn file_of(home: &Home) -> Option<FileIdentity> {
    FileIdentity::from_path(&home.database()).ok()
}

impl Deref for PooledStore<'_> {
    type Target = Store;

    fn deref(&self) -> &Store {
        self.store.as_ref().expect("a lent store is there")
    }
}

impl DerefMut for PooledStore<'_> {
    fn deref_mut(&mut self) -> &mut Store {
        self.store.as_mut().expect("a lent store is there")
    }
}

impl Drop for PooledStore<'_> {
    fn drop(&mut self) {
        // After a panic the store may be in any state.
        if std::thread::panicking() {
            return;
        }
        if let (Some(mut store), Some(file)) = (self.store.take(), self.file) {
            // A store that is kept is not closed, so the mirror follows here; what fails is tried again with the next request.
            drop(follow_mirror(&mut store));
            let mut waiting = self.pool.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            if waiting.len() < MAX_STORES {
                waiting.push((store, file));
            }
        }
    }
}
