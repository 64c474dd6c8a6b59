//! What memories said before they were revised: whole, in order, with who replaced it.
//!
//! Not here: revising itself (`revise`), merging what a team knows with what only this machine knows (`sync::history`).

use crate::StoreError;
use crate::db::codes;
use crate::db::facets::MemoryReader;
use crate::db::open::TxError;
use crate::memories::columns::{self, ColumnReader, content_columns, content_parameters};
use backstory_memory::{Content, Memory, MemoryId, Timestamp};
use rusqlite::{Connection, params};
use std::str::FromStr;

/// What a memory said until it was revised.
#[derive(Clone, Debug, PartialEq)]
pub struct Revision {
    /// What it said.
    pub content: Content,
    /// Until when it said so.
    pub until: Timestamp,
    /// Who wrote the words that came next.
    pub replaced_by: Author,
    /// The member of the team who wrote it, if it came from a team.
    pub author: Option<String>,
}

/// Who revises a memory.
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

impl MemoryReader<'_> {
    /// Returns what a memory said before, newest first.
    pub fn revisions(&self, id: MemoryId) -> Result<Vec<Revision>, StoreError> {
        let mut revisions = self.store.read("read the revisions", |db| read_all(db, id))?;
        revisions.reverse();
        Ok(revisions)
    }
}

/// Reads what a memory said before, oldest first.
pub(crate) fn read_all(db: &Connection, id: MemoryId) -> Result<Vec<Revision>, TxError> {
    let what = format!("memory #{id}");
    let mut statement = db.prepare_cached(concat!(
        "SELECT ",
        content_columns!(),
        ", until_ms, replaced_by, author FROM revisions WHERE memory_id = ?1 ORDER BY revision"
    ))?;
    let mut rows = statement.query([id.0])?;
    let mut revisions = Vec::new();
    while let Some(row) = rows.next()? {
        let mut column = ColumnReader::new(row);
        revisions.push(Revision {
            content: columns::read(&mut column, &what)?,
            until: Timestamp(column.read()?),
            replaced_by: codes::code(&what, column.text()?)?,
            author: column.read()?,
        });
    }
    Ok(revisions)
}

/// Keeps what a memory says now, before it is revised.
pub(crate) fn keep(db: &Connection, memory: &Memory, by: Author, now: Timestamp) -> rusqlite::Result<()> {
    let content = memory.content.clone();
    insert(db, memory.id, &Revision { content, until: now, replaced_by: by, author: None })
}

/// Adds a revision as the last one.
pub(crate) fn insert(db: &Connection, id: MemoryId, revision: &Revision) -> rusqlite::Result<()> {
    let mut statement = db.prepare_cached(concat!(
        "INSERT INTO revisions (",
        content_columns!(),
        ", until_ms, replaced_by, author, memory_id, revision) VALUES (",
        content_parameters!(),
        ", ?, ?, ?, ?, (SELECT 1 + coalesce(max(revision), 0) FROM revisions WHERE memory_id = ?))"
    ))?;
    let replaced_by = revision.replaced_by.as_str();
    let rest = params![revision.until.0, replaced_by, revision.author, id.0, id.0];
    columns::execute(&mut statement, &revision.content, rest)
}
