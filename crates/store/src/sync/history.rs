//! Merges the revisions of a memory that the team has with those that only this machine has.
//!
//! Some wordings are never pushed: those of the user's own scope, of a kind that stays local, or from before the project was shared.
//! Not here: the current wording (`inbox`).

use crate::PriorWording;
use crate::db::codes;
use crate::memories::revise::{Author, RevisionOrigin, insert_revision};
use backstory_memory::{MemoryId, MemoryScope, SharedRevision};
use rusqlite::{Connection, params};

/// Replaces the revisions the team has, with their authors, and keeps those that only this machine has.
pub(crate) fn rewrite(db: &Connection, id: MemoryId, known: &[SharedRevision]) -> rusqlite::Result<()> {
    take_out(db, id, known)?;
    let sql = "SELECT 1 FROM revisions WHERE memory_id = ?1";
    let knows_more = db.prepare_cached(sql)?.exists([id.0])?;
    put_in(db, id, known)?;
    if knows_more { put_in_order(db, id) } else { Ok(()) }
}

/// Deletes every wording the team has.
fn take_out(db: &Connection, id: MemoryId, known: &[SharedRevision]) -> rusqlite::Result<()> {
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
fn put_in(db: &Connection, id: MemoryId, known: &[SharedRevision]) -> rusqlite::Result<()> {
    for (said, next) in known.iter().zip(known.iter().skip(1)) {
        let from = RevisionOrigin { scope: Some(MemoryScope::Project), author: Some(&said.author) };
        insert_revision(db, id, &PriorWording::from_content(&said.content, next.at, Author::Person), from)?;
    }
    Ok(())
}

/// Numbers the revisions by when each was replaced. If two were replaced at the same moment, the local one comes second: it
/// replaced the shared one.
fn put_in_order(db: &Connection, id: MemoryId) -> rusqlite::Result<()> {
    // Negative numbers first: the primary key must be unique after every statement.
    let sql = "UPDATE revisions SET revision = -revision WHERE memory_id = ?1";
    db.prepare_cached(sql)?.execute([id.0])?;
    let sql = "UPDATE revisions SET revision = place FROM (
             SELECT revision AS number, row_number() OVER (ORDER BY until_ms, author IS NULL, revision DESC) AS place
             FROM revisions WHERE memory_id = ?1)
         WHERE memory_id = ?1 AND revision = number";
    db.prepare_cached(sql)?.execute([id.0]).map(drop)
}
