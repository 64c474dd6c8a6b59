//! Merges the revisions of a memory that the team has with those that only this machine has.
//!
//! Some wordings are never pushed: those of the user's own scope, of a kind that stays local, or from before the project was shared.
//! Not here: the current wording (`inbox`).

use crate::db::codes;
use crate::memories::revisions::{self, Author, Revision};
use backstory_memory::{Content, MemoryId, MemoryScope, SharedRevision};
use rusqlite::{Connection, params};

/// Replaces the revisions the team has, with their authors, and keeps those that only this machine has.
pub(crate) fn rewrite(db: &Connection, id: MemoryId, known: &[SharedRevision]) -> rusqlite::Result<()> {
    delete_known(db, id, known)?;
    let sql = "SELECT 1 FROM revisions WHERE memory_id = ?1";
    let has_own = db.prepare_cached(sql)?.exists([id.0])?;
    insert_known(db, id, known)?;
    if has_own { renumber(db, id) } else { Ok(()) }
}

/// Deletes every wording the team has.
fn delete_known(db: &Connection, id: MemoryId, known: &[SharedRevision]) -> rusqlite::Result<()> {
    let sql = "DELETE FROM revisions WHERE memory_id = ?1 AND kind = ?2 AND title = ?3 AND body = ?4 AND facts = ?5 AND concepts = ?6
         AND files = ?7";
    let mut statement = db.prepare_cached(sql)?;
    for SharedRevision { content, .. } in known {
        statement.execute(params![
            id.0,
            content.kind.as_str(),
            content.title,
            content.body,
            codes::list_text(&content.facts),
            codes::list_text(&content.concepts),
            codes::list_text(&content.files),
        ])?;
    }
    Ok(())
}

/// Inserts the team's revisions except the last, each valid until the next one.
fn insert_known(db: &Connection, id: MemoryId, known: &[SharedRevision]) -> rusqlite::Result<()> {
    for (said, next) in known.iter().zip(known.iter().skip(1)) {
        let content = Content { pinned: false, scope: MemoryScope::Project, ..said.content.clone() };
        let (until, author) = (next.at, Some(said.author.clone()));
        revisions::insert(db, id, &Revision { content, until, replaced_by: Author::Person, author })?;
    }
    Ok(())
}

/// Numbers the revisions by when each was replaced. If two were replaced at the same moment, the local one comes second: it
/// replaced the shared one.
fn renumber(db: &Connection, id: MemoryId) -> rusqlite::Result<()> {
    // Negative numbers first: the primary key must be unique after every statement.
    let sql = "UPDATE revisions SET revision = -revision WHERE memory_id = ?1";
    db.prepare_cached(sql)?.execute([id.0])?;
    let sql = "UPDATE revisions SET revision = place FROM (
             SELECT revision AS number, row_number() OVER (ORDER BY until_ms, author IS NULL, revision DESC) AS place
             FROM revisions WHERE memory_id = ?1)
         WHERE memory_id = ?1 AND revision = number";
    db.prepare_cached(sql)?.execute([id.0]).map(drop)
}
