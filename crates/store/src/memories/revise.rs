//! Changing memories without losing what they said: revisions, supersession, pins, being met again.
//!
//! Not here: better words of a model (`polish`), the past a team knows (`history`), whether a memory was used (`impressions`).

use crate::db::codes;
use crate::db::facets::{MemoryReader, MemoryWriter};
use crate::memories::content_columns;
use crate::memories::{anchors, forget};
use crate::search::words;
use crate::{NewMemory, PriorWording, StoreError, memories};
use backstory_memory::{Content, Memory, MemoryId, MemoryScope, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};
use std::str::FromStr;

impl MemoryWriter<'_> {
    /// Gives a memory other content and keeps what it said before.
    pub fn revise(&mut self, id: MemoryId, content: &Content, now: Timestamp) -> Result<(), StoreError> {
        self.store.write("revise a memory", |transaction| {
            // Read inside the transaction: the word index must be told exactly what it holds now.
            let before = memories::read(transaction, id)?;
            forget::refuse_forgotten(transaction, None, content)?;
            keep_revision(transaction, &before, Author::Person, now)?;
            Ok(replace_content(transaction, &before, content, now)?)
        })
    }

    /// Writes a memory that replaces another that is still in force.
    pub fn supersede(&mut self, old: MemoryId, memory: &NewMemory) -> Result<MemoryId, StoreError> {
        self.store.write("supersede a memory", |transaction| {
            memories::refuse_unknown(transaction, old)?;
            if let Some(by) = in_its_place(transaction, old)? {
                return Err(StoreError::Superseded { old, by }.into());
            }
            forget::refuse_forgotten(transaction, memory.uid.as_ref(), &memory.content)?;
            let id = memories::insert(transaction, None, memory)?;
            mark_superseded(transaction, old, id, memory.created_at)?;
            Ok(id)
        })
    }

    /// Notes that one memory replaces another. Does nothing when it would make a circle.
    pub fn mark_superseded(&mut self, old: MemoryId, by: MemoryId, at: Timestamp) -> Result<(), StoreError> {
        self.store.write("supersede a memory", |transaction| {
            memories::refuse_unknown(transaction, old)?;
            memories::refuse_unknown(transaction, by)?;
            if !would_circle(transaction, old, by)? {
                mark_superseded(transaction, old, by, at)?;
            }
            Ok(())
        })
    }

    /// Keeps a memory in view, or no longer.
    pub fn pin(&mut self, id: MemoryId, pinned: Pin) -> Result<(), StoreError> {
        let value = pinned == Pin::Keep;
        self.store.write("pin a memory", |transaction| {
            let sql = "UPDATE memories SET pinned = ?2 WHERE id = ?1";
            match transaction.execute(sql, params![id.0, value])? {
                0 => Err(StoreError::NoSuchMemory(id).into()),
                _ => Ok(()),
            }
        })
    }

    /// Notes that the same thing was met again: surer now, and seen once more.
    pub fn reinforce(&mut self, id: MemoryId, now: Timestamp) -> Result<(), StoreError> {
        self.store.write("reinforce a memory", |transaction| {
            Ok(count_again(transaction, &memories::read(transaction, id)?, now)?)
        })
    }
}

impl MemoryReader<'_> {
    /// Returns what a memory said before, newest first.
    pub fn revisions(&self, id: MemoryId) -> Result<Vec<Revision>, StoreError> {
        self.store.read("read the revisions", |db| {
            let sql = "SELECT revision, title, body, until_ms, author FROM revisions WHERE memory_id = ?1 ORDER BY revision DESC";
            let mut statement = db.prepare_cached(sql)?;
            let rows = statement.query_map([id.0], |row| {
                Ok(Revision {
                    revision: row.get(0)?,
                    title: row.get(1)?,
                    body: row.get(2)?,
                    until: Timestamp(row.get(3)?),
                    author: row.get(4)?,
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}

/// Whether a memory is to be kept in view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pin {
    /// Keep it in view.
    Keep,
    /// No longer.
    Release,
}

/// What a memory said before it was revised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    /// Its number, from 1.
    pub revision: u32,
    /// Its title then.
    pub title: String,
    /// Its text then.
    pub body: String,
    /// Until when it said so.
    pub until: Timestamp,
    /// The member of the team who said so, where it came from one.
    pub author: Option<String>,
}

/// Whether a memory would replace itself in the end, were it replaced by this one.
pub(crate) fn would_circle(db: &Connection, old: MemoryId, by: MemoryId) -> rusqlite::Result<bool> {
    let chain = "WITH RECURSIVE later (id) AS (SELECT ?2 UNION SELECT m.superseded_by FROM memories m
         JOIN later ON m.id = later.id WHERE m.superseded_by IS NOT NULL)
         SELECT 1 FROM later WHERE id = ?1";
    db.prepare_cached(chain)?.exists([old.0, by.0])
}

/// Returns what holds in place of a memory, at the end of all that replaced one another; nothing where it still holds itself.
fn in_its_place(db: &Connection, old: MemoryId) -> rusqlite::Result<Option<MemoryId>> {
    let chain = "WITH RECURSIVE later (id) AS (SELECT superseded_by FROM memories WHERE id = ?1
         UNION SELECT m.superseded_by FROM memories m JOIN later ON m.id = later.id WHERE m.superseded_by IS NOT NULL)
         SELECT m.id FROM memories m JOIN later ON m.id = later.id WHERE m.superseded_by IS NULL";
    db.prepare_cached(chain)?.query_row([old.0], |row| row.get(0).map(MemoryId)).optional()
}

/// Who gives a memory other words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author {
    /// A person.
    Person,
    /// A model.
    Model,
}

impl Author {
    /// Returns the author's name, as it is stored.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Author::Person => "person",
            Author::Model => "model",
        }
    }
}

impl FromStr for Author {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        [Author::Person, Author::Model].into_iter().find(|author| author.as_str() == text).ok_or(())
    }
}

/// Keeps what a memory says now, before it is given other words.
pub(crate) fn keep_revision(
    db: &Connection,
    memory: &Memory,
    by: Author,
    now: Timestamp,
) -> rusqlite::Result<()> {
    let scope = Some(memory.content.scope);
    insert_revision(
        db,
        memory.id,
        &PriorWording::from_content(&memory.content, now, by),
        RevisionOrigin { scope, author: None },
    )
}

/// Whom a wording was for and who in the team said it, where that is known.
#[derive(Clone, Copy, Default)]
pub(crate) struct RevisionOrigin<'a> {
    pub(crate) scope: Option<MemoryScope>,
    pub(crate) author: Option<&'a str>,
}

/// Adds what a memory said to what it said before, as the last of it.
pub(crate) fn insert_revision(
    db: &Connection,
    id: MemoryId,
    wording: &PriorWording,
    RevisionOrigin { scope, author }: RevisionOrigin<'_>,
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO revisions (memory_id, revision, kind, title, body, facts, concepts, files, until_ms, replaced_by, scope, author)
         SELECT ?1, 1 + coalesce(max(revision), 0), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11 FROM revisions WHERE memory_id = ?1";
    db.prepare_cached(sql)?
        .execute(params![
            id.0,
            wording.kind.as_str(),
            wording.title,
            wording.body,
            codes::list_text(&wording.facts),
            codes::list_text(&wording.concepts),
            codes::list_text(&wording.files),
            wording.until.0,
            wording.replaced_by.as_str(),
            scope.map(MemoryScope::as_str),
            author,
        ])
        .map(drop)
}

/// Gives a row other content, and all that is derived from it.
pub(crate) fn replace_content(
    db: &Connection,
    before: &Memory,
    content: &Content,
    now: Timestamp,
) -> rusqlite::Result<()> {
    // Of a damaged memory nobody knows which words the index holds.
    let is_intact = before.is_intact();
    if is_intact {
        words::remove(db, before)?;
    }
    overwrite(db, before.id, content, now)?;
    anchors::follow_files(db, before.id, &before.content.files, &content.files)?;
    if is_intact {
        words::add(db, before.id, before.project, content)
    } else {
        words::rebuild(db, |_| {}).map(drop)
    }
}

/// Writes other content into a row. The word index and the anchors are the caller's.
pub(crate) fn overwrite(
    db: &Connection,
    id: MemoryId,
    content: &Content,
    now: Timestamp,
) -> rusqlite::Result<()> {
    let mut statement = db.prepare_cached(concat!(
        "UPDATE memories SET (",
        content_columns!(),
        ", tokens, fingerprint, checksum, updated_at_ms)
         = (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19) WHERE id = ?20"
    ))?;
    memories::write_content(&mut statement, content, params![now.0, id.0])
}

/// Notes that the same thing was met again.
pub(crate) fn count_again(db: &Connection, memory: &Memory, now: Timestamp) -> rusqlite::Result<()> {
    let confidence = memory.content.confidence.seen_again().get();
    let sql =
        "UPDATE memories SET times_seen = times_seen + 1, confidence = ?2, updated_at_ms = ?3 WHERE id = ?1";
    db.execute(sql, params![memory.id.0, confidence, now.0]).map(drop)
}

pub(crate) fn mark_superseded(
    db: &Connection,
    old: MemoryId,
    by: MemoryId,
    at: Timestamp,
) -> rusqlite::Result<()> {
    db.execute(
        "UPDATE memories SET superseded_by = ?2, updated_at_ms = max(updated_at_ms, ?3), valid_to_ms = coalesce(valid_to_ms, ?3)
         WHERE id = ?1",
        params![old.0, by.0, at.0],
    )
    .map(drop)
}
