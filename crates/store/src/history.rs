//! What a memory said before, as its team and this machine know it together.
//!
//! Not every wording leaves: what was of the user alone, what was of a kind that stays and what is older than the sharing is known only
//! here, and stays here. Not here: what a memory says now (`inbox`).

use crate::revise::{Author, RevisionOrigin, insert_revision};
use crate::{PriorWording, codes};
use backstory_memory::{MemoryId, MemoryScope, SharedRevision};
use rusqlite::{Connection, params};

/// Gives a memory the past the team knows, with its authors, among what only this machine knows that it said.
pub(crate) fn rewrite(db: &Connection, id: MemoryId, known: &[SharedRevision]) -> rusqlite::Result<()> {
    take_out(db, id, known)?;
    let sql = "SELECT 1 FROM revisions WHERE memory_id = ?1";
    let knows_more = db.prepare_cached(sql)?.exists([id.0])?;
    put_in(db, id, known)?;
    if knows_more { put_in_order(db, id) } else { Ok(()) }
}

/// Takes out every wording the team knows.
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

/// Puts in what the team knows was said before the last of it, each until the next was.
fn put_in(db: &Connection, id: MemoryId, known: &[SharedRevision]) -> rusqlite::Result<()> {
    for (said, next) in known.iter().zip(known.iter().skip(1)) {
        let from = RevisionOrigin { scope: Some(MemoryScope::Project), author: Some(&said.author) };
        insert_revision(db, id, &PriorWording::from_content(&said.content, next.at, Author::Person), from)?;
    }
    Ok(())
}

/// Numbers what was said in the order in which it ended. At the same moment what only this machine knows was said after what all know: it
/// is why nobody else knows when that ended.
fn put_in_order(db: &Connection, id: MemoryId) -> rusqlite::Result<()> {
    // Out of the way first: no two may bear the same number, not for a moment.
    let sql = "UPDATE revisions SET revision = -revision WHERE memory_id = ?1";
    db.prepare_cached(sql)?.execute([id.0])?;
    let sql = "UPDATE revisions SET revision = place FROM (
             SELECT revision AS number, row_number() OVER (ORDER BY until_ms, author IS NULL, revision DESC) AS place
             FROM revisions WHERE memory_id = ?1)
         WHERE memory_id = ?1 AND revision = number";
    db.prepare_cached(sql)?.execute([id.0]).map(drop)
}
