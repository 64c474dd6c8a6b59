//! Open stores that wait to be used again: opening one for every request would cost more than most answers.
//!
//! Each holds some megabytes. While many ask at once there are as many stores; when the last has its answer, one is kept.

use crate::app::App;
use crate::failure::Failure;
use backstory_store::{Home, Purpose, Store, StoreError};
use std::fs;
use std::ops::{Deref, DerefMut};
use std::os::unix::fs::MetadataExt;
use std::sync::{Mutex, MutexGuard, PoisonError};

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

/// Which file a store has open. A damaged database is moved aside and replaced: whoever has the old one open writes into the void.
pub(super) type File = (u64, u64);

/// Stores that wait.
#[derive(Default)]
pub(crate) struct Stores {
    shelf: Mutex<Shelf<(Store, File)>>,
}

/// What waits, and how many are lent out.
struct Shelf<T> {
    waiting: Vec<T>,
    lent: usize,
}

/// A store for one request.
pub(crate) struct Lent<'a> {
    /// Why it can only be read.
    pub(crate) problem: Option<String>,
    store: Option<Store>,
    file: Option<File>,
    from: &'a Stores,
}

impl Stores {
    /// Lends a store, opening one if need be.
    pub(crate) fn lend(&self, wish: Wish, app: &App) -> Result<Lent<'_>, Failure> {
        let here = file_of(&app.home);
        let mut shelf = self.shelf();
        shelf.waiting.retain(|(_, file)| Some(*file) == here);
        let kept = shelf.waiting.pop();
        drop(shelf);
        if let Some((store, file)) = kept {
            return Ok(self.hand_out(store, Some(file), None));
        }
        let opened = Store::open(&app.home, Purpose::Command, app.now);
        let (store, problem) = match (opened, wish) {
            (Ok(store), _) => (store, None),
            (
                Err(
                    problem @ (StoreError::NotWritable { .. }
                    | StoreError::Full { .. }
                    | StoreError::Busy { .. }),
                ),
                Wish::Read,
            ) => (Store::open(&app.home, Purpose::Read, app.now)?, Some(problem.to_string())),
            (Err(error), _) => return Err(error.into()),
        };
        // One that can only be read is not kept: the next may be able to write again.
        let file = if problem.is_none() { file_of(&app.home) } else { None };
        Ok(self.hand_out(store, file, problem))
    }

    fn hand_out(&self, store: Store, file: Option<File>, problem: Option<String>) -> Lent<'_> {
        self.shelf().lent += 1;
        Lent { problem, store: Some(store), file, from: self }
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf<(Store, File)>> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Default for Shelf<T> {
    fn default() -> Shelf<T> {
        Shelf { waiting: Vec::new(), lent: 0 }
    }
}

impl<T> Shelf<T> {
    /// Takes back what was lent, if it can be used again. Returns what is to be closed.
    fn take_back(&mut self, returned: Option<T>) -> Vec<T> {
        self.lent = self.lent.saturating_sub(1);
        self.waiting.extend(returned);
        let kept = if self.lent == 0 { 1 } else { MOST };
        // The last one that came back is the warmest.
        self.waiting.drain(..self.waiting.len().saturating_sub(kept)).collect()
    }
}

/// Returns which file the database of a home is now.
pub(super) fn file_of(home: &Home) -> Option<File> {
    fs::metadata(home.database()).ok().map(|file| (file.dev(), file.ino()))
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
        // What a request stumbled over may be in any state.
        let returned = self.store.take().zip(self.file).filter(|_| !std::thread::panicking());
        let closed = self.from.shelf().take_back(returned);
        // Closing takes time, and others wait for the shelf.
        drop(closed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_the_last_comes_back_one_is_kept() {
        let mut shelf: Shelf<u32> = Shelf { waiting: Vec::new(), lent: 3 };
        assert!(shelf.take_back(Some(1)).is_empty());
        assert!(shelf.take_back(Some(2)).is_empty());
        assert_eq!(shelf.take_back(Some(3)), [1, 2]);
        assert_eq!(shelf.waiting, [3]);
    }

    #[test]
    fn what_a_request_broke_is_not_kept() {
        let mut shelf: Shelf<u32> = Shelf { waiting: vec![7], lent: 1 };
        assert!(shelf.take_back(None).is_empty());
        assert_eq!((shelf.waiting, shelf.lent), (vec![7], 0));
    }

    #[test]
    fn no_more_wait_than_ask_at_once() {
        let mut shelf: Shelf<usize> = Shelf { waiting: (0..MOST).collect(), lent: 9 };
        assert_eq!(shelf.take_back(Some(MOST)), [0]);
    }
}
