//! Changing memories without losing what they said: revisions, supersession, pins, use.

use crate::open::Stop;
use crate::{NewMemory, Store, StoreError, Wording, anchors, codes, forget, memories, words};
use backstory_memory::{Checksum, Draft, Memory, MemoryId, Relation, Scope, Timestamp};
use rusqlite::{Connection, params};
use std::str::FromStr;

impl Store {
    /// Gives a memory other content and keeps what it said before.
    pub fn revise(&mut self, id: MemoryId, content: &Draft, now: Timestamp) -> Result<(), StoreError> {
        self.write("revise a memory", |transaction| {
            // Read inside the transaction: the word index must be told exactly what it holds now.
            let before = memories::read(transaction, id)?;
            forget::refuse_forgotten(transaction, None, content)?;
            keep_revision(transaction, &before, Author::Person, now)?;
            Ok(replace_content(transaction, &before, content, now)?)
        })
    }

    /// Writes a memory that replaces another.
    pub fn supersede(&mut self, old: MemoryId, memory: &NewMemory) -> Result<MemoryId, StoreError> {
        self.write("supersede a memory", |transaction| {
            refuse_unknown(transaction, old)?;
            forget::refuse_forgotten(transaction, memory.uid.as_ref(), &memory.content)?;
            let id = memories::insert(transaction, None, memory)?;
            mark_superseded(transaction, old, id, memory.created_at)?;
            Ok(id)
        })
    }

    /// Notes that one memory replaces another. Does nothing when it would make a circle.
    pub fn note_superseded(&mut self, old: MemoryId, by: MemoryId, at: Timestamp) -> Result<(), StoreError> {
        self.write("supersede a memory", |transaction| {
            refuse_unknown(transaction, old)?;
            refuse_unknown(transaction, by)?;
            if !would_circle(transaction, old, by)? {
                mark_superseded(transaction, old, by, at)?;
            }
            Ok(())
        })
    }

    /// Keeps a memory in view, or no longer.
    pub fn pin(&mut self, id: MemoryId, pinned: Pin) -> Result<(), StoreError> {
        let value = pinned == Pin::Keep;
        self.write("pin a memory", |transaction| {
            let sql = "UPDATE memories SET pinned = ?2 WHERE id = ?1";
            match transaction.execute(sql, params![id.0, value])? {
                0 => Err(StoreError::NoSuchMemory(id).into()),
                _ => Ok(()),
            }
        })
    }

    /// Notes that the same thing was met again: surer now, and seen once more.
    pub fn reinforce(&mut self, id: MemoryId, now: Timestamp) -> Result<(), StoreError> {
        self.write("reinforce a memory", |transaction| {
            Ok(count_again(transaction, &memories::read(transaction, id)?, now)?)
        })
    }

    /// Returns what a memory said before, newest first.
    pub fn revisions(&self, id: MemoryId) -> Result<Vec<Revision>, StoreError> {
        self.read("read the revisions", |db| {
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

fn refuse_unknown(db: &Connection, id: MemoryId) -> Result<(), Stop> {
    let is_known = db.prepare_cached("SELECT 1 FROM memories WHERE id = ?1")?.exists([id.0])?;
    if is_known { Ok(()) } else { Err(StoreError::NoSuchMemory(id).into()) }
}

/// Whether a memory would replace itself in the end, were it replaced by this one.
pub(crate) fn would_circle(db: &Connection, old: MemoryId, by: MemoryId) -> rusqlite::Result<bool> {
    let chain = "WITH RECURSIVE later (id) AS (SELECT ?2 UNION SELECT m.superseded_by FROM memories m
         JOIN later ON m.id = later.id WHERE m.superseded_by IS NOT NULL)
         SELECT 1 FROM later WHERE id = ?1";
    db.prepare_cached(chain)?.exists([old.0, by.0])
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
    let content = memory.content.clone();
    let wording = Wording {
        kind: content.kind,
        title: content.title,
        body: content.body,
        facts: content.facts,
        concepts: content.concepts,
        files: content.files,
        until: now,
        replaced_by: by,
    };
    insert_revision(db, memory.id, &wording, Some(content.scope))
}

/// Adds what a memory said to what it said before, and whom it was for where that is known.
pub(crate) fn insert_revision(
    db: &Connection,
    id: MemoryId,
    wording: &Wording,
    scope: Option<Scope>,
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO revisions (memory_id, revision, kind, title, body, facts, concepts, files, until_ms, replaced_by, scope)
         SELECT ?1, 1 + coalesce(max(revision), 0), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 FROM revisions WHERE memory_id = ?1";
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
            scope.map(Scope::as_str),
        ])
        .map(drop)
}

/// Gives a row other content, and all that is derived from it.
pub(crate) fn replace_content(
    db: &Connection,
    before: &Memory,
    content: &Draft,
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

pub(crate) fn overwrite(
    db: &Connection,
    id: MemoryId,
    content: &Draft,
    now: Timestamp,
) -> rusqlite::Result<()> {
    db.execute(
        "UPDATE memories SET kind = ?2, category = ?3, title = ?4, body = ?5, facts = ?6, concepts = ?7, files = ?8, importance = ?9,
            confidence = ?10, trust = ?11, scope = ?12, pinned = ?13, valid_from_ms = ?14, valid_to_ms = ?15, tokens = ?16,
            fingerprint = ?17, checksum = ?18, updated_at_ms = ?19 WHERE id = ?1",
        params![
            id.0,
            content.kind.as_str(),
            content.category.as_ref().map(|category| &category.0),
            content.title,
            content.body,
            codes::list_text(&content.facts),
            codes::list_text(&content.concepts),
            codes::list_text(&content.files),
            content.importance.get(),
            content.confidence.get(),
            content.trust.to_string(),
            content.scope.as_str(),
            content.pinned,
            content.valid_from.map(|time| time.0),
            content.valid_to.map(|time| time.0),
            content.tokens().0,
            content.fingerprint().0,
            Checksum::of(content).0.0,
            now.0,
        ],
    )
    .map(drop)
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
    )?;
    db.execute(
        "INSERT OR IGNORE INTO links (from_id, relation, to_id) VALUES (?1, ?2, ?3)",
        params![by.0, Relation::Supersedes.as_str(), old.0],
    )
    .map(drop)
}
