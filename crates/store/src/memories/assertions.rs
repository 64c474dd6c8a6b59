//! What memories assert, and what they were found to contradict or to take the place of.
//!
//! A memory whose assertion is not stored was not compared with the others yet, however it was written. Not here: how a sentence
//! is read, and how two are compared (`distil`).

use crate::StoreError;
use crate::db::facets::{MemoryReader, MemoryWriter};
use crate::memories::{links, revise};
use backstory_memory::{Kind, Link, MemoryId, ProjectId, Redacted, Relation, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

/// What a memory was found to assert, and what follows for others.
#[derive(Clone, Debug)]
pub struct ReconciledMemory {
    /// The memory.
    pub id: MemoryId,
    /// Its assertion, as JSON.
    pub assertion: Redacted<String>,
    /// Pairs of which the first is replaced by the second.
    pub replaced: Vec<(MemoryId, MemoryId)>,
    /// Pairs of which the first contradicts the second, and both stand.
    pub contradicting: Vec<(MemoryId, MemoryId)>,
}

impl ReconciledMemory {
    /// A memory that was compared when it was written.
    #[must_use]
    pub fn compared(id: MemoryId, assertion: Redacted<String>) -> ReconciledMemory {
        ReconciledMemory { id, assertion, replaced: Vec::new(), contradicting: Vec::new() }
    }
}

impl MemoryReader<'_> {
    /// Returns what a memory asserts, as JSON, if it was read.
    pub fn assertion(&self, id: MemoryId) -> Result<Option<String>, StoreError> {
        self.store.read("read an assertion", |db| {
            let sql = "SELECT assertion FROM memories WHERE id = ?1";
            let stored: Option<Option<String>> =
                db.prepare_cached(sql)?.query_row([id.0], |row| row.get(0)).optional()?;
            Ok(stored.flatten())
        })
    }

    /// Returns live memories of some kinds that were not compared with the others, oldest first.
    pub fn unreconciled(&self, kinds: &[Kind], limit: u32) -> Result<Vec<MemoryId>, StoreError> {
        self.store.read("look for what was not compared", |db| {
            let sql =
                "SELECT id FROM memories WHERE kind = ?1 AND assertion IS NULL AND superseded_by IS NULL
                 AND standing <> 'retired' ORDER BY id LIMIT ?2";
            let mut statement = db.prepare_cached(sql)?;
            let mut ids: Vec<MemoryId> = Vec::new();
            for kind in kinds {
                let rows =
                    statement.query_map(params![kind.as_str(), limit], |row| row.get(0).map(MemoryId))?;
                ids.extend(rows.collect::<rusqlite::Result<Vec<_>>>()?);
            }
            ids.sort_unstable();
            ids.truncate(limit as usize);
            Ok(ids)
        })
    }

    /// Returns which memories in force contradict a memory, as far as they hold for a project.
    pub fn contradicting(&self, project: ProjectId, id: MemoryId) -> Result<Vec<MemoryId>, StoreError> {
        self.store.read("look for contradictions", |db| {
            // Two lookups by index: a condition with OR would read all links.
            let sql = "WITH others (id) AS (
                     SELECT to_id FROM links WHERE from_id = ?1 AND relation = 'contradicts'
                     UNION SELECT from_id FROM links WHERE to_id = ?1 AND relation = 'contradicts')
                 SELECT m.id FROM others JOIN memories m ON m.id = others.id
                 WHERE m.superseded_by IS NULL AND m.standing = 'confirmed' AND (m.project_id = ?2 OR m.scope = 'user')";
            let mut statement = db.prepare_cached(sql)?;
            let rows = statement.query_map([id.0, project.0], |row| row.get(0).map(MemoryId))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}

impl MemoryWriter<'_> {
    /// Writes down what memories assert and what follows from it, all or nothing.
    pub fn write_reconciled(
        &mut self,
        reconciled: &[ReconciledMemory],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.store.write("compare memories", |transaction| {
            reconciled.iter().try_for_each(|memory| Ok(write(transaction, memory, now)?))
        })
    }
}

fn write(db: &Connection, memory: &ReconciledMemory, now: Timestamp) -> rusqlite::Result<()> {
    let sql = "UPDATE memories SET assertion = ?2 WHERE id = ?1";
    db.prepare_cached(sql)?.execute(params![memory.id.0, memory.assertion.as_str()])?;
    for (old, by) in &memory.replaced {
        let is_in_force = "SELECT 1 FROM memories WHERE id = ?1 AND superseded_by IS NULL";
        if db.prepare_cached(is_in_force)?.exists([old.0])? && !revise::would_circle(db, *old, *by)? {
            revise::mark_superseded(db, *old, *by, now)?;
        }
    }
    memory.contradicting.iter().try_for_each(|(from, to)| {
        links::insert(db, Link { from: *from, relation: Relation::Contradicts, to: *to })
    })
}
