//! Records which memories have stale vectors, and when they are up to date again.
//!
//! The vectors themselves are in the vector file. Triggers of the schema record in the same transaction that a memory was written,
//! changed or forgotten, so no kind of write can miss it. `recall` brings the file up to date.
//!
//! Not here: the file, the model, and which text of a memory is embedded.

use crate::StoreError;
use crate::db::facets::{VectorReader, VectorWriter};
use crate::db::metadata;
use backstory_memory::{Memory, MemoryId, ProjectId};
use rusqlite::{ToSql, params};
use std::ops::RangeInclusive;

/// The project that the vector file records for memories that hold in every project.
pub const ANY_PROJECT: ProjectId = ProjectId(0);

/// Matches a memory as it was when its vectors were made. The checksum does not cover its project and scope.
const AS_READ: &str = "memory_id = ?1 AND EXISTS (SELECT 1 FROM memories m
     WHERE m.id = ?1 AND m.checksum = ?2 AND m.project_id = ?3 AND m.scope = ?4)";

impl VectorReader<'_> {
    /// Returns memories that wait for vectors, newest first, except those in the range `besides`.
    pub fn stale(
        &self,
        besides: Option<&RangeInclusive<MemoryId>>,
        limit: usize,
    ) -> Result<Vec<MemoryId>, StoreError> {
        // Without a range to leave out, an empty one lets every memory through.
        let (first, last) = besides.map_or((1, 0), |range| (range.start().0, range.end().0));
        let sql = "SELECT memory_id FROM stale_vectors WHERE memory_id > ?2
             UNION ALL SELECT memory_id FROM stale_vectors WHERE memory_id < ?1 AND memory_id <= ?2
             ORDER BY memory_id DESC LIMIT ?3";
        self.store.memory_ids("list what waits for vectors", sql, params![first, last, limit])
    }

    /// Returns how many memories wait for vectors.
    pub fn count_stale(&self) -> Result<u64, StoreError> {
        self.store.read("count what waits for vectors", |db| {
            Ok(db.query_row("SELECT count(*) FROM stale_vectors", [], |row| row.get(0))?)
        })
    }

    /// Returns the memories that were changed or forgotten, and of which the vector file may still have rows.
    pub fn to_remove(&self) -> Result<Vec<MemoryId>, StoreError> {
        let sql = "SELECT memory_id FROM stale_vectors WHERE may_have_rows = 1";
        self.store.memory_ids("list what waits for vectors", sql, [])
    }

    /// Returns whether a rebuild of the vectors was begun and not finished.
    pub fn is_rebuild_pending(&self) -> Result<bool, StoreError> {
        let noted = self
            .store
            .read("check for an unfinished rebuild", |db| Ok(metadata::number(db, VECTORS_BEGUN)?))?;
        Ok(noted == Some(1) && self.store.vectors().count_stale()? > 0)
    }
}

impl VectorWriter<'_> {
    /// Records that the vector file no longer has rows of these memories. A forgotten memory then waits for nothing.
    pub fn mark_removed(&mut self, ids: &[MemoryId]) -> Result<(), StoreError> {
        self.store.write("note that vectors are out", |transaction| {
            let mut forgotten = transaction.prepare_cached(
                "DELETE FROM stale_vectors WHERE memory_id = ?1 AND NOT EXISTS (SELECT 1 FROM memories WHERE id = ?1)",
            )?;
            let mut waiting =
                transaction.prepare_cached("UPDATE stale_vectors SET may_have_rows = 0 WHERE memory_id = ?1")?;
            for id in ids {
                forgotten.execute([id.0])?;
                waiting.execute([id.0])?;
            }
            Ok(())
        })
    }

    /// Records that rows are about to be appended, and returns the memories they may be appended for: those that still wait and
    /// have not changed since their vectors were made.
    ///
    /// If the process is killed before [`VectorWriter::mark_fresh`], its rows are removed again.
    pub fn begin_append(&mut self, memories: &[Memory]) -> Result<Vec<MemoryId>, StoreError> {
        self.store.write("note that vectors are coming", |transaction| {
            let sql = format!("UPDATE stale_vectors SET may_have_rows = 1 WHERE {AS_READ}");
            let mut statement = transaction.prepare_cached(&sql)?;
            let mut coming = Vec::new();
            for memory in memories {
                if as_read(memory, |values| statement.execute(values))? > 0 {
                    coming.push(memory.id);
                }
            }
            Ok(coming)
        })
    }

    /// Records that the vector file has the vectors of these memories. One that changed meanwhile keeps waiting.
    pub fn mark_fresh(&mut self, memories: &[Memory]) -> Result<(), StoreError> {
        self.store.write("note that vectors are fresh", |transaction| {
            let sql = format!("DELETE FROM stale_vectors WHERE {AS_READ}");
            let mut statement = transaction.prepare_cached(&sql)?;
            memories
                .iter()
                .try_for_each(|memory| as_read(memory, |values| statement.execute(values)).map(drop))?;
            Ok(())
        })
    }

    /// Marks every memory as waiting for vectors, because the vector file is about to be emptied.
    pub fn mark_all_stale(&mut self) -> Result<(), StoreError> {
        self.store.write("let all memories wait for vectors", |transaction| {
            transaction.execute("DELETE FROM stale_vectors", [])?;
            transaction.execute(
                "INSERT INTO stale_vectors (memory_id, may_have_rows) SELECT id, 0 FROM memories",
                [],
            )?;
            Ok(())
        })
    }

    /// Marks memories as waiting for vectors, because the file has none of them.
    pub fn mark_missing(&mut self, ids: &[MemoryId]) -> Result<(), StoreError> {
        self.store.write("let memories wait for vectors", |transaction| {
            let sql = "INSERT INTO stale_vectors (memory_id, may_have_rows) SELECT id, 1 FROM memories WHERE id = ?1
                 ON CONFLICT DO NOTHING";
            let mut statement = transaction.prepare_cached(sql)?;
            ids.iter().try_for_each(|id| statement.execute([id.0]).map(drop))?;
            Ok(())
        })
    }

    /// Records that a rebuild has begun. While any memory waits, another rebuild continues this one.
    pub fn begin_rebuild(&mut self) -> Result<(), StoreError> {
        self.store.write("note that vectors are being made", |transaction| {
            Ok(metadata::note(transaction, VECTORS_BEGUN, &1)?)
        })
    }

    /// Records that the rebuild is finished.
    pub fn finish_rebuild(&mut self) -> Result<(), StoreError> {
        self.store.write("note that vectors are made", |transaction| {
            Ok(metadata::note(transaction, VECTORS_BEGUN, &0)?)
        })
    }
}

const VECTORS_BEGUN: &str = "vectors_begun";

/// Runs a statement with the values of [`AS_READ`].
fn as_read<T>(memory: &Memory, run: impl FnOnce(&[&dyn ToSql]) -> T) -> T {
    run(params![memory.id.0, memory.checksum.0.0, memory.project.0, memory.content.scope.as_str()])
}
