//! How memories relate to each other.

use crate::{Store, StoreError, codes};
use backstory_memory::{Link, MemoryId, Relation};
use rusqlite::params;

impl Store {
    /// Notes that one memory relates to another.
    pub fn link(&mut self, link: Link) -> Result<(), StoreError> {
        self.write("link two memories", |transaction| {
            transaction.execute(
                "INSERT OR IGNORE INTO links (from_id, relation, to_id) VALUES (?1, ?2, ?3)",
                params![link.from.0, link.relation.as_str(), link.to.0],
            )?;
            Ok(())
        })
    }

    /// Returns the links that begin or end at a memory.
    pub fn links(&self, id: MemoryId) -> Result<Vec<Link>, StoreError> {
        self.read("read the links", |db| {
            let sql = "SELECT from_id, relation, to_id FROM links WHERE from_id = ?1 OR to_id = ?1 ORDER BY from_id, relation, to_id";
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
