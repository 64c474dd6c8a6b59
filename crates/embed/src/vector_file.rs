//! The vector file: every memory's vectors in one file that is mapped and scanned.
//!
//! The file is derived data. The truth is the memories in the store, which can be embedded again at any time; so
//! it has no journal and no checksums, and damage is answered by an error that means "rebuild".
//!
//! # Layout
//!
//! ```text
//! header    4 KiB: magic, format version, dimension, model, number of blocks
//! segment   directory, 4 KiB: whose each of its 256 blocks is, and how many of its rows are in use
//!           256 blocks of 64 rows: memory ids, then scales, then vectors
//! segment   …
//! ```
//!
//! A block belongs to one project, so that a scan reads only the directory and the blocks in its scope. All
//! numbers are little-endian.
//!
//! # Locking
//!
//! One writer at a time, by a lock on a file beside this one; readers take no lock. Rows are only appended: a
//! row is written first and counted afterwards, so a reader sees whole rows. Forgetting a memory overwrites
//! its rows with zeros, and an id of zero is no row. A reader may still see a memory that is being forgotten;
//! the store has the last word. The file never shrinks; a rebuilt one replaces it by a rename, and readers of
//! the old one keep it until they open anew.

mod error;
mod layout;
mod map;
mod scan;
mod writer;

pub use error::VectorFileError;
pub use scan::{Neighbour, VectorScope};
pub use writer::{VectorRow, VectorWriter};

use map::{Entry, Map};
use std::path::Path;

/// An open vector file, to be searched.
#[derive(Debug)]
pub struct VectorFile {
    map: Map,
}

impl VectorFile {
    /// Opens the file for searching and checks that it holds vectors of `model`.
    ///
    /// # Errors
    ///
    /// [`VectorFileError::Missing`] when there is none yet; [`VectorFileError::is_stale`] says whether
    /// rebuilding would help with another one.
    pub fn open(path: &Path, model: &str) -> Result<VectorFile, VectorFileError> {
        Ok(VectorFile { map: Map::open(path, model)? })
    }

    /// Takes in what was appended since the file was opened. Rows appended to a block that was already there
    /// are seen without it.
    ///
    /// # Errors
    ///
    /// As [`VectorFile::open`]. The file can be used as before after an error.
    pub fn refresh(&mut self) -> Result<(), VectorFileError> {
        self.map.refresh()
    }

    /// Whether opening `path` would give this file as it is: it was neither replaced nor lengthened.
    #[must_use]
    pub fn is_still(&self, path: &Path) -> bool {
        self.map.is_whole(path)
    }

    /// Returns how much of the file is mapped, in bytes: all of it, as it was when it was opened.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.map.bytes_mapped()
    }

    /// Asks the system to read the file ahead, without waiting for it: the first scan after a restart is slow
    /// because of the disk, not because of the arithmetic.
    pub fn read_ahead(&self) {
        self.map.read_ahead();
    }

    /// Returns the memory of each row, in the order of the file, a memory as often as it has rows.
    ///
    /// Compared with the store this shows what is missing.
    pub fn memories(&self) -> impl Iterator<Item = i64> {
        self.blocks().flat_map(|entry| self.map.ids(entry)).filter(|id| *id != 0)
    }

    fn blocks(&self) -> impl Iterator<Item = Entry> {
        (0..self.map.blocks()).map(|block| self.map.entry(block))
    }
}

#[cfg(test)]
mod tests;
