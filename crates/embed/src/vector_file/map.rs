//! The file in memory: the one place that maps it and reads what is mapped.
//!
//! Another process may be appending meanwhile. Nothing mapped is ever lent out as a slice: numbers are read by
//! atomic loads, vectors through [`Rows`], and every place is checked against the length that was mapped.
//!
//! A mapping of a file that gets shorter ends the process when the missing part is touched. Our own writer
//! never shortens a file; that somebody else did is noticed before each scan, not within one.

#![expect(unsafe_code, reason = "maps a file that other processes write to")]

use super::VectorFileError;
use super::layout::{
    BLOCK_ROWS, BLOCKS_AT, DIMENSION_AT, HEADER_BYTES, MAGIC, MODEL_AT, MODEL_BYTES, VERSION, VERSION_AT,
    entry_at, file_bytes, id_at, model_field, scale_at, used_at, vector_at,
};
use crate::kernels::Rows;
use crate::{DIMENSION, Quantised};
use backstory_platform::{FileIdentity, open_own_file};
use memmap2::{Mmap, MmapRaw};
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

/// A mapped vector file whose header was found good.
#[derive(Debug)]
pub(super) struct Map {
    path: PathBuf,
    file: File,
    memory: MmapRaw,
}

/// A block in use: whose it is, and how many of its rows were counted when it was looked up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) block: usize,
    pub(super) project: i64,
    pub(super) used: usize,
}

impl Map {
    pub(super) fn open(path: &Path, model: &str) -> Result<Map, VectorFileError> {
        let opened = open_own_file(OpenOptions::new().read(true), path);
        let file = opened.map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => VectorFileError::Missing { path: path.to_owned() },
            _ => VectorFileError::io("open", path)(source),
        })?;
        let memory = map_whole(&file, path)?;
        let map = Map { path: path.to_owned(), file, memory };
        map.check_header(model)?;
        map.check_blocks()?;
        Ok(map)
    }

    /// Maps the file anew when it has grown.
    pub(super) fn refresh(&mut self) -> Result<(), VectorFileError> {
        self.check_length()?;
        if self.file_bytes()? > self.memory.len() as u64 {
            self.memory = map_whole(&self.file, &self.path)?;
        }
        self.check_blocks()
    }

    /// Whether a path still names this file, and all of it is mapped.
    pub(super) fn is_whole(&self, path: &Path) -> bool {
        let (named, mapped) = (FileIdentity::from_path(path), FileIdentity::from_file(&self.file));
        let (Ok(named), Ok(mapped)) = (named, mapped) else { return false };
        named == mapped
            && self.file_bytes().is_ok_and(|bytes| bytes == self.memory.len() as u64)
            && self.check_blocks().is_ok()
    }

    pub(super) fn bytes_mapped(&self) -> usize {
        self.memory.len()
    }

    /// Fails when the file has become shorter than what is mapped.
    pub(super) fn check_length(&self) -> Result<(), VectorFileError> {
        if self.file_bytes()? < self.memory.len() as u64 {
            return Err(VectorFileError::damaged(&self.path, "it has become shorter"));
        }
        Ok(())
    }

    pub(super) fn read_ahead(&self) {
        // Only advice: where the system does not take it, the scan reads the file itself.
        #[cfg(unix)]
        self.memory.advise(memmap2::Advice::WillNeed).ok();
    }

    /// Returns how many blocks there are, as far as they are mapped.
    pub(super) fn blocks(&self) -> usize {
        let published = self.counted_blocks();
        // A writer may have added blocks since; those past the mapping are seen after a refresh.
        let mapped = |blocks: usize| file_bytes(blocks).is_some_and(|bytes| bytes <= self.memory.len());
        if mapped(published) { published } else { largest_where(published, mapped) }
    }

    /// Returns the directory entry of a block below [`Map::blocks`].
    pub(super) fn entry(&self, block: usize) -> Entry {
        let project = self.number(entry_at(block)).cast_signed();
        let used = (self.short_number(used_at(block)) as usize).min(BLOCK_ROWS);
        // The rows were written before they were counted; this keeps the reads in that order too.
        fence(Ordering::Acquire);
        Entry { block, project, used }
    }

    /// Returns the memory id of each row in use, zero for a forgotten one.
    pub(super) fn ids(&self, entry: Entry) -> impl Iterator<Item = i64> {
        // Checked once for all of them: whoever looks for a memory goes through the ids of every block.
        let first = self.place(id_at(entry.block, 0), BLOCK_ROWS * size_of::<u64>()).cast::<u64>();
        assert!(first.is_aligned() && entry.used <= BLOCK_ROWS);
        (0..entry.used).map(move |row| {
            // SAFETY: as in `number`; `row` is one of the block.
            let id = unsafe { AtomicU64::from_ptr(first.wrapping_add(row).cast_mut()) };
            u64::from_le(id.load(Ordering::Relaxed)).cast_signed()
        })
    }

    /// Returns the memory id of a row.
    pub(super) fn id(&self, block: usize, row: usize) -> i64 {
        self.number(id_at(block, row)).cast_signed()
    }

    /// Returns the scale of each row in use.
    pub(super) fn scales(&self, entry: Entry) -> impl Iterator<Item = f32> {
        (0..entry.used).map(move |row| self.scale(entry.block, row))
    }

    /// Returns the scale of a row.
    pub(super) fn scale(&self, block: usize, row: usize) -> f32 {
        f32::from_bits(self.short_number(scale_at(block, row)))
    }

    /// Returns the vectors of the rows in use, from `first` on, `count` at most.
    pub(super) fn vectors(&self, entry: Entry, first: usize, count: usize) -> Rows<'_> {
        let count = count.min(entry.used.saturating_sub(first));
        let start = self.place(vector_at(entry.block, first), count * DIMENSION);
        // SAFETY: `place` checked that all of it is mapped, and the mapping lives as long as `self`.
        unsafe { Rows::at(start.cast(), count) }
    }

    /// Copies the vector of a row; none if it was forgotten or is damaged. A row that is being written gives a wrong vector.
    pub(super) fn row(&self, entry: Entry, row: usize) -> Option<Quantised> {
        let values: [u8; DIMENSION] = self.bytes(vector_at(entry.block, row));
        Quantised::from_parts(self.scale(entry.block, row), values.map(u8::cast_signed))
    }

    fn file_bytes(&self) -> Result<u64, VectorFileError> {
        Ok(self.file.metadata().map_err(VectorFileError::io("look at", &self.path))?.len())
    }

    fn counted_blocks(&self) -> usize {
        let blocks = usize::try_from(self.number(BLOCKS_AT)).unwrap_or(usize::MAX);
        fence(Ordering::Acquire);
        blocks
    }

    fn check_header(&self, model: &str) -> Result<(), VectorFileError> {
        if self.bytes::<{ MAGIC.len() }>(0) != MAGIC {
            return Err(VectorFileError::damaged(&self.path, "it does not begin as a vector file does"));
        }
        let found = (self.short_number(VERSION_AT), self.short_number(DIMENSION_AT), self.bytes(MODEL_AT));
        let wanted = (VERSION, DIMENSION as u32, model_field(model));
        if found == wanted {
            return Ok(());
        }
        let describe = |(version, dimension, model): (u32, u32, [u8; MODEL_BYTES])| {
            let model = String::from_utf8_lossy(&model);
            format!("format {version}, {dimension} numbers of `{}`", model.trim_end_matches('\0'))
        };
        let (found, wanted) = (describe(found), describe(wanted));
        Err(VectorFileError::Incompatible { path: self.path.clone(), found, wanted })
    }

    fn check_blocks(&self) -> Result<(), VectorFileError> {
        let blocks = self.counted_blocks();
        // Looked up after the count: a writer lengthens the file before it counts a block.
        let bytes = self.file_bytes()?;
        if file_bytes(blocks).is_none_or(|needed| needed as u64 > bytes) {
            return Err(VectorFileError::damaged(&self.path, "it is shorter than its rows"));
        }
        let overfull = |block| self.short_number(used_at(block)) as usize > BLOCK_ROWS;
        if (0..self.blocks()).any(overfull) {
            return Err(VectorFileError::damaged(&self.path, "a block has more rows than fit"));
        }
        Ok(())
    }

    /// Reads a 64-bit number at a multiple of eight.
    fn number(&self, at: usize) -> u64 {
        let place = self.place(at, 8).cast::<u64>().cast_mut();
        assert!(place.is_aligned());
        // SAFETY: mapped, aligned, and never written through; other processes may write. Loads of this size
        // from read-only memory are allowed when relaxed.
        let number = unsafe { AtomicU64::from_ptr(place) }.load(Ordering::Relaxed);
        u64::from_le(number)
    }

    /// Reads a 32-bit number at a multiple of four.
    fn short_number(&self, at: usize) -> u32 {
        let place = self.place(at, 4).cast::<u32>().cast_mut();
        assert!(place.is_aligned());
        // SAFETY: as in `number`.
        let number = unsafe { AtomicU32::from_ptr(place) }.load(Ordering::Relaxed);
        u32::from_le(number)
    }

    /// Copies bytes that are written once, when the file is made.
    fn bytes<const N: usize>(&self, at: usize) -> [u8; N] {
        // SAFETY: `place` checked that all of it is mapped; bytes need no alignment.
        unsafe { self.place(at, N).cast::<[u8; N]>().read() }
    }

    /// Returns the address of something that must be mapped.
    fn place(&self, at: usize, bytes: usize) -> *const u8 {
        let mapped = at.checked_add(bytes).is_some_and(|end| end <= self.memory.len());
        assert!(mapped, "a vector file is read only where it is mapped");
        self.memory.as_ptr().wrapping_add(at)
    }
}

fn map_whole(file: &File, path: &Path) -> Result<MmapRaw, VectorFileError> {
    let bytes = file.metadata().map_err(VectorFileError::io("look at", path))?.len();
    if bytes < HEADER_BYTES as u64 {
        return Err(VectorFileError::damaged(path, "it is shorter than its header"));
    }
    // SAFETY: the mapping is turned into raw memory at once, so no slice of it ever exists. What happens when
    // the file is written to or shortened is said at the top.
    let memory = unsafe { Mmap::map(file) }.map_err(VectorFileError::io("map", path))?;
    Ok(MmapRaw::from(memory))
}

/// Returns the largest number below `end` for which `holds` is true, which must be true for all smaller ones.
fn largest_where(end: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, end);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if holds(middle) { low = middle } else { high = middle }
    }
    low
}
