//! What a memory takes along to another store besides its content: earlier revisions, anchors, subject, and links to others by uid.
//!
//! Not here: its content (`memories`), and what stays behind because it is of this machine alone: events, injections, vectors.

use crate::db::codes;
use crate::db::facets::{MemoryReader, MemoryWriter};
use crate::memories::revisions::{self, Revision};
use crate::memories::{self, InsertOutcome, NewMemory, Unindexed, id_of};
use crate::memories::{anchors, links, revise};
use crate::{Anchor, StoreError};
use backstory_memory::{Digest, Link, MemoryId, Redacted, Relation, Timestamp, Uid};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::HashSet;

/// How much is written in one transaction: hooks wait for it.
const PER_TRANSACTION: usize = 250;

/// What a memory carries besides its content.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attachments {
    /// What it said before, oldest first.
    pub revisions: Vec<Revision>,
    /// Where in the code it holds; nothing means the files it names, as a whole.
    pub anchors: Vec<Anchor>,
    /// What it is about, if it was distilled: the same subject updates the same memory.
    pub subject: Option<Digest>,
}

/// How a memory relates to others, by uid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryLinks {
    /// The memory.
    pub uid: Uid,
    /// What replaced it.
    pub superseded_by: Option<Uid>,
    /// How it relates to which others, in the order of their uids.
    pub links: Vec<(Relation, Uid)>,
}

impl MemoryReader<'_> {
    /// Returns what a memory carries.
    pub fn attachments(&self, id: MemoryId) -> Result<Attachments, StoreError> {
        let anchors = self.store.code().anchors(id)?;
        self.store.read("read what a memory carries", |db| {
            let sql = "SELECT subject FROM memories WHERE id = ?1";
            let subject: Option<Vec<u8>> =
                db.prepare_cached(sql)?.query_row([id.0], |row| row.get(0)).optional()?.flatten();
            let subject = subject.and_then(|bytes| Digest::from_slice(&bytes));
            Ok(Attachments { revisions: revisions::read_all(db, id)?, anchors, subject })
        })
    }

    /// Returns how a memory relates to others.
    pub fn links_by_uid(&self, id: MemoryId, uid: &Uid) -> Result<MemoryLinks, StoreError> {
        self.store.read("read the links", |db| {
            let what = format!("memory #{id}");
            let by = "SELECT b.uid FROM memories m JOIN memories b ON b.id = m.superseded_by WHERE m.id = ?1";
            let by: Option<String> = db.prepare_cached(by)?.query_row([id.0], |row| row.get(0)).optional()?;
            let sql = "SELECT l.relation, m.uid FROM all_links l JOIN memories m ON m.id = l.to_id
                 WHERE l.from_id = ?1 ORDER BY l.relation, m.uid";
            let mut statement = db.prepare_cached(sql)?;
            let mut rows = statement.query([id.0])?;
            let mut links = Vec::new();
            while let Some(row) = rows.next()? {
                let relation: Relation = codes::code("a link", &row.get::<_, String>(0)?)?;
                links.push((relation, codes::uid(&what, &row.get::<_, String>(1)?)?));
            }
            let superseded_by = by.map(|by| codes::uid(&what, &by)).transpose()?;
            Ok(MemoryLinks { uid: uid.clone(), superseded_by, links })
        })
    }

    /// Whether a memory of this uid was forgotten here.
    pub fn is_forgotten(&self, uid: &Uid) -> Result<bool, StoreError> {
        self.store.read("look for a tombstone", |db| {
            Ok(db.prepare_cached("SELECT 1 FROM tombstones WHERE uid = ?1")?.exists([uid.as_str()])?)
        })
    }
}

impl MemoryWriter<'_> {
    /// Writes memories that come from another store, with what they carry, in one transaction; skips those that are known by uid
    /// or were forgotten.
    pub fn insert_transferred(
        &mut self,
        memories: &[(NewMemory, Redacted<Attachments>)],
    ) -> Result<Vec<InsertOutcome>, StoreError> {
        self.store.write("write memories", |transaction| {
            let (mut all, mut unindexed) = (Vec::new(), Unindexed::default());
            for (memory, carried) in memories {
                let kept = memories::keep(transaction, memory, &mut unindexed)?;
                if let InsertOutcome::Written(id) = kept {
                    unpack(transaction, id, carried)?;
                }
                all.push(kept);
            }
            unindexed.index(transaction)?;
            Ok(all)
        })
    }

    /// Links memories to others, as far as both are here. Skips what would make a circle.
    ///
    /// Replacements that memories name themselves come first: they keep their dates, and a link must not set them again.
    pub fn link_transferred(&mut self, known: &[MemoryLinks]) -> Result<(), StoreError> {
        for chunk in known.chunks(PER_TRANSACTION) {
            self.store.write("link memories", |transaction| {
                chunk.iter().try_for_each(|links| Ok(set_replacement(transaction, links)?))
            })?;
        }
        let replaced = known.iter().filter(|links| links.superseded_by.is_some());
        let names_replacement: HashSet<&Uid> = replaced.map(|links| &links.uid).collect();
        for chunk in known.chunks(PER_TRANSACTION) {
            self.store.write("link memories", |transaction| {
                chunk.iter().try_for_each(|links| Ok(insert_links(transaction, links, &names_replacement)?))
            })?;
        }
        Ok(())
    }
}

/// Gives a memory that was just written what it carries.
fn unpack(db: &Connection, id: MemoryId, carried: &Attachments) -> rusqlite::Result<()> {
    for revision in &carried.revisions {
        revisions::insert(db, id, revision)?;
    }
    if !carried.anchors.is_empty() {
        anchors::replace(db, id, &carried.anchors)?;
    }
    if let Some(subject) = carried.subject {
        // If the project has a memory of this subject already, that one keeps it.
        let sql = "UPDATE OR IGNORE memories SET subject = ?2 WHERE id = ?1";
        db.prepare_cached(sql)?.execute(params![id.0, subject.0])?;
    }
    Ok(())
}

/// Sets what replaced a memory, if that is here; its dates stay as they are.
fn set_replacement(db: &Connection, links: &MemoryLinks) -> rusqlite::Result<()> {
    let Some(by) = &links.superseded_by else { return Ok(()) };
    if let (Some(old), Some(by)) = (id_of(db, &links.uid)?, id_of(db, by)?)
        && !revise::would_circle(db, old, by)?
    {
        let sql = "UPDATE memories SET superseded_by = ?2 WHERE id = ?1 AND superseded_by IS NULL";
        db.prepare_cached(sql)?.execute([old.0, by.0])?;
    }
    Ok(())
}

/// Inserts the links of a memory. A memory at the end of a `supersedes` link that names no replacement itself is superseded from the
/// time the other was written.
fn insert_links(
    db: &Connection,
    known: &MemoryLinks,
    names_replacement: &HashSet<&Uid>,
) -> rusqlite::Result<()> {
    let Some(from) = id_of(db, &known.uid)? else { return Ok(()) };
    for (relation, uid) in &known.links {
        let Some(to) = id_of(db, uid)?.filter(|to| *to != from) else { continue };
        if *relation == Relation::Supersedes && !names_replacement.contains(uid) {
            if !revise::would_circle(db, to, from)? {
                let written: i64 = db
                    .prepare_cached("SELECT created_at_ms FROM memories WHERE id = ?1")?
                    .query_row([from.0], |row| row.get(0))?;
                revise::mark_superseded(db, to, from, Timestamp(written))?;
            }
            continue;
        }
        links::insert(db, Link { from, relation: *relation, to })?;
    }
    Ok(())
}
