//! Where in the code a memory holds, and what stood there when it was anchored.
//!
//! A memory is anchored in every file it names. A symbol or a digest is added later, and kept as long as the memory names the file.
//! Not here: whether the code still stands there (`capture`).

use crate::db::codes;
use crate::db::facets::{CodeReader, CodeWriter};
use crate::{StoreError, memories};
use backstory_memory::{Digest, MemoryId, ProjectId, Redacted};
use rusqlite::{Connection, params};

/// One place in the code that a memory speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// The file, relative to the project's root.
    pub path: String,
    /// The symbol; nothing means the whole file.
    pub symbol: Option<String>,
    /// The digest of what stood there: of the symbol's tokens, or of the file's bytes. None if nobody has looked.
    pub hash: Option<Digest>,
}

impl CodeReader<'_> {
    /// Returns where a memory is anchored, by path and symbol.
    pub fn anchors(&self, memory: MemoryId) -> Result<Vec<Anchor>, StoreError> {
        self.store.read("read the anchors", |db| {
            let sql =
                "SELECT path, symbol, content_hash FROM anchors WHERE memory_id = ?1 ORDER BY path, symbol";
            let mut statement = db.prepare_cached(sql)?;
            let rows = statement.query_map([memory.0], |row| {
                let hash: Option<Vec<u8>> = row.get(2)?;
                let symbol = row.get::<_, String>(1)?;
                Ok(Anchor {
                    path: row.get(0)?,
                    hash: hash.and_then(|bytes| Digest::from_slice(&bytes)),
                    symbol: (!symbol.is_empty()).then_some(symbol),
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Returns the files that memories of a project are anchored in with a digest, so that they can be looked for.
    pub fn anchored_files(&self, project: ProjectId) -> Result<Vec<String>, StoreError> {
        self.store.read("read the anchored files", |db| {
            let sql = "SELECT DISTINCT a.path FROM anchors a JOIN memories m ON m.id = a.memory_id
                 WHERE m.project_id = ?1 AND a.content_hash IS NOT NULL ORDER BY a.path";
            let mut statement = db.prepare_cached(sql)?;
            let rows = statement.query_map([project.0], |row| row.get(0))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}

impl CodeWriter<'_> {
    /// Anchors a memory in these places and no others.
    pub fn replace_anchors(
        &mut self,
        memory: MemoryId,
        anchors: &Redacted<Vec<Anchor>>,
    ) -> Result<(), StoreError> {
        self.store.write("anchor a memory", |transaction| {
            memories::refuse_unknown(transaction, memory)?;
            Ok(replace(transaction, memory, anchors)?)
        })
    }

    /// Moves a project's anchors, and its code map, from one file to another: the file has another name now.
    pub fn move_anchors(
        &mut self,
        project: ProjectId,
        from: &str,
        to: &Redacted<String>,
    ) -> Result<(), StoreError> {
        self.store.write("move the anchors", |transaction| {
            // An anchor that the memory already has in the new file is newer, and stays.
            let moved = "UPDATE OR IGNORE anchors SET path = ?3
                 WHERE path = ?2 AND memory_id IN (SELECT id FROM memories WHERE project_id = ?1)";
            transaction.execute(moved, params![project.0, from, to.as_str()])?;
            let left = "DELETE FROM anchors WHERE path = ?2 AND memory_id IN (SELECT id FROM memories WHERE project_id = ?1)";
            transaction.execute(left, params![project.0, from])?;
            let map = "UPDATE OR IGNORE mapped_files SET path = ?3 WHERE project_id = ?1 AND path = ?2";
            transaction.execute(map, params![project.0, from, to.as_str()])?;
            Ok(())
        })
    }
}

/// Anchors a memory in these places and no others.
pub(crate) fn replace(db: &Connection, memory: MemoryId, anchors: &[Anchor]) -> rusqlite::Result<()> {
    db.execute("DELETE FROM anchors WHERE memory_id = ?1", [memory.0])?;
    anchors.iter().try_for_each(|anchor| insert(db, memory, anchor))
}

/// Anchors a memory in files it names, where it is not yet.
pub(crate) fn insert_files(db: &Connection, memory: MemoryId, files: &[String]) -> rusqlite::Result<()> {
    let mut insert = db.prepare_cached(
        "INSERT INTO anchors (memory_id, path, symbol) SELECT ?1, ?2, ''
         WHERE NOT EXISTS (SELECT 1 FROM anchors WHERE memory_id = ?1 AND path = ?2)",
    )?;
    files.iter().try_for_each(|file| insert.execute(params![memory.0, file]).map(drop))
}

/// Removes the anchors in files that a memory no longer names, and adds those it names now. Anchors in files it keeps naming stay, and
/// so do those of moved files.
pub(crate) fn follow_files(
    db: &Connection,
    memory: MemoryId,
    before: &[String],
    now: &[String],
) -> rusqlite::Result<()> {
    let sql = "DELETE FROM anchors WHERE memory_id = ?1 AND path IN (SELECT value FROM json_each(?2))
         AND path NOT IN (SELECT value FROM json_each(?3))";
    db.execute(sql, params![memory.0, codes::list_text(before), codes::list_text(now)])?;
    let named: Vec<String> = now.iter().filter(|file| !before.contains(file)).cloned().collect();
    insert_files(db, memory, &named)
}

fn insert(db: &Connection, memory: MemoryId, anchor: &Anchor) -> rusqlite::Result<()> {
    let symbol = anchor.symbol.as_deref().unwrap_or_default();
    db.prepare_cached(
        "INSERT OR REPLACE INTO anchors (memory_id, path, symbol, content_hash) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![memory.0, anchor.path, symbol, anchor.hash.map(|hash| hash.0)])
    .map(drop)
}
