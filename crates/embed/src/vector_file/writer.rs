//! Writing a vector file: append, forget, and build anew beside the one in use.
//!
//! Writes go through the file, not through a mapping: a full disk is then an error and not the end of the
//! process. Nothing is forced to disk unless asked: what a power cut takes is rebuilt from the store.

use super::layout::{
    BLOCK_ROWS, BLOCKS_AT, DIMENSION_AT, HEADER_BYTES, MAGIC, MODEL_AT, VERSION, VERSION_AT, entry_at,
    file_bytes, id_at, model_field, scale_at, used_at, vector_at,
};
use super::scan::Wanted;
use super::{VectorFile, VectorFileError};
use crate::{DIMENSION, Quantised};
use backstory_platform::{open_own_file, private, replace_file};
use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{Ordering, fence};

/// One vector to append. A memory may have several.
#[derive(Clone, Copy, Debug)]
pub struct VectorRow<'a> {
    /// The id of the memory; not zero.
    pub memory: i64,
    /// The id of its project.
    pub project: i64,
    /// The vector.
    pub vector: &'a Quantised,
}

/// The one process that may change a vector file.
#[derive(Debug)]
pub struct VectorWriter {
    /// Where the file will be found; `written` is another one while it is being rebuilt.
    path: PathBuf,
    written: PathBuf,
    file: File,
    reader: VectorFile,
    blocks: usize,
    /// The block of each project that still has room, with the rows in use.
    open_blocks: HashMap<i64, (usize, usize)>,
    /// Locked as long as this is open. The lock is on a file of its own, because a rebuilt file is another
    /// file than the one it replaces.
    _lock: File,
}

impl VectorWriter {
    /// Opens the file for writing. There must be one: whoever makes an empty one has to know that every memory
    /// is missing from it, and [rebuilds](Self::rebuild) it.
    ///
    /// # Errors
    ///
    /// [`VectorFileError::Busy`] when another process writes; otherwise as [`VectorFile::open`].
    pub fn open(path: &Path, model: &str) -> Result<VectorWriter, VectorFileError> {
        let lock = lock(path)?;
        VectorWriter::over(path, path.to_owned(), model, lock)
    }

    /// Begins an empty file that takes the place of the one in use when it is [finished](Self::finish).
    ///
    /// # Errors
    ///
    /// As [`VectorWriter::open`].
    pub fn rebuild(path: &Path, model: &str) -> Result<VectorWriter, VectorFileError> {
        let lock = lock(path)?;
        let written = partial(path);
        create(&written, model)?;
        VectorWriter::over(path, written, model, lock)
    }

    /// Appends rows. Each is seen by readers at once and whole.
    ///
    /// A memory's earlier rows stay: [forget](Self::forget) it first when its text has changed.
    ///
    /// # Errors
    ///
    /// After an error some of the rows may have been appended.
    pub fn append(&mut self, rows: &[VectorRow<'_>]) -> Result<(), VectorFileError> {
        if rows.iter().any(|row| row.memory == 0) {
            return Err(VectorFileError::MemoryZero);
        }
        let mut rows = rows.to_vec();
        rows.sort_by_key(|row| row.project);
        for of_project in rows.chunk_by(|a, b| a.project == b.project) {
            let Some(first) = of_project.first() else { continue };
            let mut left = of_project;
            while !left.is_empty() {
                let (block, used) = self.block_with_room(first.project)?;
                let (fitting, rest) = left.split_at(left.len().min(BLOCK_ROWS - used));
                self.fill(block, used, fitting)?;
                self.open_blocks.insert(first.project, (block, used + fitting.len()));
                left = rest;
            }
        }
        Ok(())
    }

    /// Overwrites every row of the given memories with zeros; returns how many rows there were.
    ///
    /// # Errors
    ///
    /// After an error some of the rows may have been overwritten.
    pub fn forget(&mut self, memories: &[i64]) -> Result<usize, VectorFileError> {
        self.reader.refresh()?;
        let memories = Wanted::from_ids(memories);
        let mut rows = Vec::new();
        for entry in self.reader.blocks() {
            let ids = self.reader.map.ids(entry).enumerate();
            let forgotten = ids.filter(|(_, id)| *id != 0 && memories.contains(*id));
            rows.extend(forgotten.map(|(row, _)| (entry.block, row)));
        }
        for (block, row) in &rows {
            // The id goes first: without it, nobody looks at the rest.
            self.write(id_at(*block, *row), &[0; 8])?;
            self.write(scale_at(*block, *row), &[0; 4])?;
            self.write(vector_at(*block, *row), &[0; DIMENSION])?;
        }
        Ok(rows.len())
    }

    /// Waits until everything written is on the disk.
    ///
    /// # Errors
    ///
    /// After an error, any part of what was written may be missing.
    pub fn sync(&self) -> Result<(), VectorFileError> {
        self.file.sync_all().map_err(VectorFileError::io("write to disk", &self.written))
    }

    /// Waits until everything written is on the disk, and puts a rebuilt file in its place.
    ///
    /// # Errors
    ///
    /// After an error the file in use is still the one that was there before a rebuild.
    pub fn finish(self) -> Result<(), VectorFileError> {
        self.sync()?;
        if self.written == self.path { Ok(()) } else { publish(&self.written, &self.path) }
    }

    fn over(path: &Path, written: PathBuf, model: &str, lock: File) -> Result<VectorWriter, VectorFileError> {
        let reader = VectorFile::open(&written, model)?;
        let file = open_own_file(OpenOptions::new().write(true), &written)
            .map_err(VectorFileError::io("open", &written))?;
        let with_room = reader.blocks().filter(|entry| entry.used < BLOCK_ROWS);
        let open_blocks = with_room.map(|entry| (entry.project, (entry.block, entry.used))).collect();
        let blocks = reader.map.blocks();
        Ok(VectorWriter { path: path.to_owned(), written, file, reader, blocks, open_blocks, _lock: lock })
    }

    /// Returns a block of the project that has room, with its rows in use.
    fn block_with_room(&mut self, project: i64) -> Result<(usize, usize), VectorFileError> {
        if let Some((block, used)) = self.open_blocks.get(&project).filter(|(_, used)| *used < BLOCK_ROWS) {
            return Ok((*block, *used));
        }
        let block = self.blocks;
        let bytes = file_bytes(block + 1).ok_or(VectorFileError::damaged(&self.written, "it is too long"))?;
        // Room first, then whose it is, then that it is there: a reader never finds the second without the first.
        self.file.set_len(bytes as u64).map_err(VectorFileError::io("lengthen", &self.written))?;
        self.write(entry_at(block), &project.to_le_bytes())?;
        self.write(used_at(block), &0_u32.to_le_bytes())?;
        self.write(BLOCKS_AT, &(block as u64 + 1).to_le_bytes())?;
        self.blocks += 1;
        Ok((block, 0))
    }

    /// Writes rows into a block after the `used` ones, then counts them.
    fn fill(&mut self, block: usize, used: usize, rows: &[VectorRow<'_>]) -> Result<(), VectorFileError> {
        let ids: Vec<u8> = rows.iter().flat_map(|row| row.memory.to_le_bytes()).collect();
        let scales: Vec<u8> = rows.iter().flat_map(|row| row.vector.scale().to_le_bytes()).collect();
        let vectors: Vec<u8> =
            rows.iter().flat_map(|row| row.vector.values().map(i8::cast_unsigned)).collect();
        self.write(vector_at(block, used), &vectors)?;
        self.write(scale_at(block, used), &scales)?;
        self.write(id_at(block, used), &ids)?;
        self.write(used_at(block), &((used + rows.len()) as u32).to_le_bytes())
    }

    fn write(&mut self, at: usize, bytes: &[u8]) -> Result<(), VectorFileError> {
        // What was written before must be visible before; the reader has the other half of this.
        fence(Ordering::Release);
        let place = self.file.seek(SeekFrom::Start(at as u64));
        place.and_then(|_| self.file.write_all(bytes)).map_err(VectorFileError::io("write to", &self.written))
    }
}

fn lock(path: &Path) -> Result<File, VectorFileError> {
    let beside = with_suffix(path, ".lock");
    let file = open_own_file(private(OpenOptions::new().write(true).create(true).truncate(false)), &beside)
        .map_err(VectorFileError::io("open", &beside))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(VectorFileError::Busy { path: path.to_owned() }),
        Err(TryLockError::Error(source)) => Err(VectorFileError::io("lock", &beside)(source)),
    }
}

/// Makes an empty vector file.
fn create(path: &Path, model: &str) -> Result<(), VectorFileError> {
    let mut header = [0; HEADER_BYTES];
    let mut put = |at: usize, bytes: &[u8]| {
        header.iter_mut().skip(at).zip(bytes).for_each(|(place, byte)| *place = *byte);
    };
    put(0, &MAGIC);
    put(VERSION_AT, &VERSION.to_le_bytes());
    put(DIMENSION_AT, &(DIMENSION as u32).to_le_bytes());
    put(MODEL_AT, &model_field(model));
    let mut file = open_own_file(private(OpenOptions::new().write(true).create(true).truncate(true)), path)
        .map_err(VectorFileError::io("create", path))?;
    file.write_all(&header).map_err(VectorFileError::io("write to", path))
}

fn publish(written: &Path, path: &Path) -> Result<(), VectorFileError> {
    replace_file(written, path).map_err(VectorFileError::io("replace", path))
}

/// Where a file is built before it is put in its place.
fn partial(path: &Path) -> PathBuf {
    with_suffix(path, ".partial")
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
