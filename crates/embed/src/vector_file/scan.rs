//! Searching a vector file: every vector in scope is compared, and the nearest memories are kept.

use super::layout::BLOCK_ROWS;
use super::map::Entry;
use super::{VectorFile, VectorFileError};
use crate::kernels::Cpu;
use crate::vector::ScanQuery;
use crate::{Quantised, Vector};
use std::panic::resume_unwind;
use std::thread;

/// From how many blocks on two threads share the scan: about a millisecond's work.
const WORTH_A_THREAD: usize = 400;

/// Which projects' memories may be found.
#[derive(Clone, Copy, Debug)]
pub enum VectorScope<'a> {
    /// Those of every project.
    Everything,
    /// Those of the projects with these ids.
    Projects(&'a [i64]),
}

impl VectorScope<'_> {
    fn includes(self, project: i64) -> bool {
        match self {
            VectorScope::Everything => true,
            VectorScope::Projects(projects) => projects.contains(&project),
        }
    }
}

/// A memory, and how near the best of its vectors is to the question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// The id of the memory.
    pub memory: i64,
    /// The cosine of the angle: 1 for the same direction, 0 for unrelated.
    pub cosine: f32,
}

impl VectorFile {
    /// Returns the `count` memories nearest to `question`, the nearest first.
    ///
    /// # Errors
    ///
    /// Fails when the file has become shorter since it was opened.
    pub fn scan(
        &self,
        question: &Vector,
        scope: VectorScope<'_>,
        count: usize,
    ) -> Result<Vec<Neighbour>, VectorFileError> {
        self.map.check_length()?;
        let (query, cpu) = (ScanQuery::from(question), Cpu::detect());
        let entries: Vec<Entry> = self.blocks().filter(|entry| scope.includes(entry.project)).collect();
        let look = |entries: &[Entry]| {
            let mut nearest = Nearest::with_capacity(count);
            entries.iter().for_each(|entry| self.compare(&query, cpu, *entry, &mut nearest));
            nearest
        };
        if entries.len() < WORTH_A_THREAD {
            return Ok(look(&entries).into_sorted());
        }
        let (one, other) = entries.split_at(entries.len() / 2);
        let (one, mut nearest) = thread::scope(|scope| {
            let beside = thread::Builder::new().spawn_scoped(scope, || look(one));
            let other = look(other);
            // If no thread can be started, this one scans both halves.
            let one = beside.map_or_else(
                |_| look(one),
                |beside| beside.join().unwrap_or_else(|panic| resume_unwind(panic)),
            );
            (one, other)
        });
        one.collected.into_iter().for_each(|neighbour| nearest.offer(neighbour));
        Ok(nearest.into_sorted())
    }

    /// Returns how near each of `memories` is, leaving out those that have no vector in scope.
    ///
    /// # Errors
    ///
    /// As [`VectorFile::scan`].
    pub fn scores_for(
        &self,
        question: &Vector,
        scope: VectorScope<'_>,
        memories: &[i64],
    ) -> Result<Vec<Neighbour>, VectorFileError> {
        self.map.check_length()?;
        let wanted = Wanted::from_ids(memories);
        let mut found = Nearest::with_capacity(memories.len());
        let (query, cpu) = (ScanQuery::from(question), Cpu::detect());
        for entry in self.blocks().filter(|entry| scope.includes(entry.project)) {
            for (row, memory) in self.map.ids(entry).enumerate() {
                if wanted.contains(memory) {
                    let mut product = [0];
                    query.products(cpu, self.map.vectors(entry, row, 1), &mut product);
                    let [product] = product;
                    let cosine = query.cosine(product, self.map.scale(entry.block, row));
                    found.offer(Neighbour { memory, cosine });
                }
            }
        }
        Ok(found.into_sorted())
    }

    /// Returns the vectors of each of `memories` that has any in scope, in the order of the file.
    ///
    /// # Errors
    ///
    /// As [`VectorFile::scan`].
    pub fn rows_of(
        &self,
        scope: VectorScope<'_>,
        memories: &[i64],
    ) -> Result<Vec<(i64, Quantised)>, VectorFileError> {
        self.map.check_length()?;
        let wanted = Wanted::from_ids(memories);
        let mut found = Vec::new();
        for entry in self.blocks().filter(|entry| scope.includes(entry.project)) {
            for (row, memory) in self.map.ids(entry).enumerate() {
                if memory != 0 && wanted.contains(memory) {
                    found.extend(self.map.row(entry, row).map(|vector| (memory, vector)));
                }
            }
        }
        Ok(found)
    }

    /// Compares the rows of one block and offers those that are near enough.
    fn compare(&self, query: &ScanQuery, cpu: Cpu, entry: Entry, nearest: &mut Nearest) {
        let mut products = [0; BLOCK_ROWS];
        query.products(cpu, self.map.vectors(entry, 0, BLOCK_ROWS), &mut products);
        for (row, (product, scale)) in products.into_iter().zip(self.map.scales(entry)).enumerate() {
            let cosine = query.cosine(product, scale);
            // Nearly all rows end here, before their id is looked at.
            if nearest.takes(cosine) {
                let memory = self.map.id(entry.block, row);
                nearest.offer(Neighbour { memory, cosine });
            }
        }
    }
}

/// The nearest memories so far, each with its best vector.
///
/// Collects several times as many as wanted before it sorts any out, so that a long scan hardly ever sorts.
struct Nearest {
    count: usize,
    /// Nothing below this can still be among the nearest.
    floor: f32,
    collected: Vec<Neighbour>,
}

impl Nearest {
    fn with_capacity(count: usize) -> Nearest {
        Nearest { count, floor: f32::NEG_INFINITY, collected: Vec::new() }
    }

    /// Returns whether a memory of this cosine could be among the nearest.
    #[inline]
    fn takes(&self, cosine: f32) -> bool {
        // A damaged scale gives a NaN, which is above nothing, or an infinity.
        cosine > self.floor && cosine.is_finite()
    }

    #[inline]
    fn offer(&mut self, neighbour: Neighbour) {
        // Memory 0 is a row that was forgotten.
        if neighbour.memory != 0 && self.takes(neighbour.cosine) {
            self.collected.push(neighbour);
            if self.collected.len() >= self.count.saturating_mul(4).max(64) {
                self.sort_out();
            }
        }
    }

    fn sort_out(&mut self) {
        // Best vector of each memory first, so that the others can be dropped.
        self.collected.sort_unstable_by(|a, b| a.memory.cmp(&b.memory).then(b.cosine.total_cmp(&a.cosine)));
        self.collected.dedup_by_key(|neighbour| neighbour.memory);
        // Equally near memories are ordered by their ids, or the answer would depend on the file's order.
        self.collected.sort_unstable_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.memory.cmp(&b.memory)));
        self.collected.truncate(self.count);
        if self.collected.len() == self.count {
            // Just below the last: a memory that is equally near may have a smaller id, which comes first.
            self.floor = self.collected.last().map_or(f32::INFINITY, |last| last.cosine.next_down());
        }
    }

    fn into_sorted(mut self) -> Vec<Neighbour> {
        self.sort_out();
        self.collected
    }
}

/// A set of memory ids that says no quickly: nearly all rows of a scan are not in it.
pub(super) struct Wanted {
    sorted: Vec<i64>,
    /// One bit for every id modulo 4096.
    bits: [u64; 64],
}

impl Wanted {
    pub(super) fn from_ids(memories: &[i64]) -> Wanted {
        let mut sorted = memories.to_vec();
        sorted.sort_unstable();
        let mut bits = [0; 64];
        for memory in memories {
            let (word, bit) = Wanted::place(*memory);
            bits.iter_mut().skip(word).take(1).for_each(|word| *word |= bit);
        }
        Wanted { sorted, bits }
    }

    #[inline]
    pub(super) fn contains(&self, memory: i64) -> bool {
        let (word, bit) = Wanted::place(memory);
        self.bits.get(word).is_some_and(|word| word & bit != 0) && self.sorted.binary_search(&memory).is_ok()
    }

    #[inline]
    fn place(memory: i64) -> (usize, u64) {
        (((memory >> 6) & 63) as usize, 1 << (memory & 63))
    }
}
