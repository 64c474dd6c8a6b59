//! Which memories' vectors are not what they should be, and when they are again.
//!
//! Vectors themselves are in the vector file. That a memory was written, changed or forgotten is noted by triggers of the schema, in the
//! same transaction, so that no way of writing can miss it; the two are brought together by `capture`.
//!
//! Not here: the file, the model, what of a memory is embedded.

use crate::db::facets::{VectorReader, VectorWriter};
use crate::db::metadata;
use crate::{Store, StoreError};
use backstory_memory::{Memory, MemoryId, ProjectId};
use rusqlite::{ToSql, params};
use std::ops::RangeInclusive;

/// Stands for the project of memories that hold in every project, in the vector file.
pub const ANY_PROJECT: ProjectId = ProjectId(0);

/// A memory as it was when its vectors were made. The checksum does not cover where it holds.
const AS_READ: &str = "memory_id = ?1 AND EXISTS (SELECT 1 FROM memories m
     WHERE m.id = ?1 AND m.checksum = ?2 AND m.project_id = ?3 AND m.scope = ?4)";

impl VectorReader<'_> {
    /// Returns memories that wait for vectors, newest first, leaving out those between two numbers.
    pub fn stale(
        &self,
        besides: Option<&RangeInclusive<MemoryId>>,
        limit: usize,
    ) -> Result<Vec<MemoryId>, StoreError> {
        let (first, last) = besides.map_or((1, 0), |range| (range.start().0, range.end().0));
        let sql = "SELECT memory_id FROM stale_vectors WHERE memory_id > ?2
             UNION ALL SELECT memory_id FROM stale_vectors WHERE memory_id < ?1 AND memory_id <= ?2
             ORDER BY memory_id DESC LIMIT ?3";
        self.store.memory_ids(sql, params![first, last, limit])
    }

    /// Returns how many memories wait for vectors.
    pub fn count_stale(&self) -> Result<u64, StoreError> {
        self.store.read("count what waits for vectors", |db| {
            Ok(db.query_row("SELECT count(*) FROM stale_vectors", [], |row| row.get(0))?)
        })
    }

    /// Returns the memories of which the vector file may hold rows it should not: changed or forgotten since.
    pub fn to_remove(&self) -> Result<Vec<MemoryId>, StoreError> {
        self.store.memory_ids("SELECT memory_id FROM stale_vectors WHERE may_have_rows = 1", [])
    }

    /// Returns whether the making of many vectors was begun and not brought to its end.
    pub fn is_rebuild_pending(&self) -> Result<bool, StoreError> {
        let noted = self
            .store
            .read("look whether vectors are being made", |db| Ok(metadata::number(db, VECTORS_BEGUN)?))?;
        Ok(noted == Some(1) && self.store.vectors().count_stale()? > 0)
    }
}

impl VectorWriter<'_> {
    /// Notes that the vector file holds no row of these memories any more. What was forgotten waits for nothing then.
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

    /// Notes that rows are about to be appended, and returns for which memories they may be: those that still wait and are as they were
    /// when their vectors were made.
    ///
    /// Whoever is killed before [`VectorWriter::mark_fresh`] leaves rows that are removed again.
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

    /// Notes that the vector file holds the vectors of these memories. One that changed meanwhile goes on waiting.
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

    /// Lets every memory wait for vectors: the vector file is about to be an empty one.
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

    /// Lets these memories wait for vectors: the file has none of them.
    pub fn mark_missing(&mut self, ids: &[MemoryId]) -> Result<(), StoreError> {
        self.store.write("let memories wait for vectors", |transaction| {
            let sql = "INSERT INTO stale_vectors (memory_id, may_have_rows) SELECT id, 1 FROM memories WHERE id = ?1
                 ON CONFLICT DO NOTHING";
            let mut statement = transaction.prepare_cached(sql)?;
            ids.iter().try_for_each(|id| statement.execute([id.0]).map(drop))?;
            Ok(())
        })
    }

    /// Notes that many vectors are being made. Until none waits, whoever wants them made anew goes on instead.
    pub fn begin_rebuild(&mut self) -> Result<(), StoreError> {
        self.store.write("note that vectors are being made", |transaction| {
            Ok(metadata::note(transaction, VECTORS_BEGUN, &1)?)
        })
    }

    /// Notes that the making of many vectors has come to its end.
    pub fn finish_rebuild(&mut self) -> Result<(), StoreError> {
        self.store.write("note that vectors are made", |transaction| {
            Ok(metadata::note(transaction, VECTORS_BEGUN, &0)?)
        })
    }
}

impl Store {
    fn memory_ids(&self, sql: &str, values: impl rusqlite::Params) -> Result<Vec<MemoryId>, StoreError> {
        self.read("look what waits for vectors", |db| {
            let mut statement = db.prepare_cached(sql)?;
            let rows = statement.query_map(values, |row| row.get(0).map(MemoryId))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}

const VECTORS_BEGUN: &str = "vectors_begun";

/// Runs a statement with the values of [`AS_READ`].
fn as_read<T>(memory: &Memory, run: impl FnOnce(&[&dyn ToSql]) -> T) -> T {
    run(params![memory.id.0, memory.checksum.0.0, memory.project.0, memory.content.scope.as_str()])
}
