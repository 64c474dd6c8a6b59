//! How memories relate to each other.
//!
//! Not here: what follows from being replaced (`revise`), following links from one memory to the next (`related`).

use crate::StoreError;
use crate::db::codes;
use crate::db::facets::{MemoryReader, MemoryWriter};
use backstory_memory::{Link, MemoryId, Relation};
use rusqlite::{Connection, params};

impl MemoryWriter<'_> {
    /// Notes that one memory relates to another.
    pub fn link(&mut self, link: Link) -> Result<(), StoreError> {
        self.store.write("link two memories", |transaction| Ok(insert(transaction, link)?))
    }
}

impl MemoryReader<'_> {
    /// Returns the links that begin or end at a memory.
    pub fn links(&self, id: MemoryId) -> Result<Vec<Link>, StoreError> {
        self.store.read("read the links", |db| {
            let sql = "SELECT from_id, relation, to_id FROM all_links WHERE from_id = ?1
                 UNION SELECT from_id, relation, to_id FROM all_links WHERE to_id = ?1 ORDER BY from_id, relation, to_id";
            let mut statement = db.prepare_cached(sql)?;
            let mut rows = statement.query([id.0])?;
            let mut links = Vec::new();
            while let Some(row) = rows.next()? {
                let relation: Relation = codes::code("a link", &row.get::<_, String>(1)?)?;
                links.push(Link { from: MemoryId(row.get(0)?), relation, to: MemoryId(row.get(2)?) });
            }
            Ok(links)
        })
    }
}

/// Adds a link inside a transaction that is already open. One that exists stays as it is.
pub(crate) fn insert(db: &Connection, link: Link) -> rusqlite::Result<()> {
    // The replacement in force is a column of the memory it replaced, not a row.
    let sql = "INSERT OR IGNORE INTO links (from_id, relation, to_id) SELECT ?1, ?2, ?3
         WHERE ?2 <> 'supersedes' OR NOT EXISTS (SELECT 1 FROM memories WHERE id = ?3 AND superseded_by = ?1)";
    db.prepare_cached(sql)?.execute(params![link.from.0, link.relation.as_str(), link.to.0]).map(drop)
}
