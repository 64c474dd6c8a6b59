//! What a team was told once and has to be told again, because where it was written is not there any more: a folder was thrown away, or
//! another branch is checked out.
//!
//! Not here: what is told (`outbox`).

use crate::facets::{SyncReader, SyncWriter};
use crate::{Store, StoreError, codes};
use backstory_memory::{Digest, ProjectId, Uid};
use rusqlite::{Connection, params};

impl SyncReader<'_> {
    /// Returns which memories of a project the team is taken to know, and what of them.
    pub fn synced_digests(&self, project: ProjectId) -> Result<Vec<(Uid, Digest)>, StoreError> {
        self.store.read("look what was told", |db| {
            let sql = "SELECT uid, content_digest FROM synced_memories WHERE project_id = ?1 ORDER BY uid";
            let mut statement = db.prepare_cached(sql)?;
            let mut rows = statement.query([project.0])?;
            let mut known = Vec::new();
            while let Some(row) = rows.next()? {
                let uid = codes::uid("what was told", &row.get::<_, String>(0)?)?;
                known.push((uid, codes::digest("what was told", &row.get::<_, Vec<u8>>(1)?)?));
            }
            Ok(known)
        })
    }
}

impl SyncWriter<'_> {
    /// Notes that the team is to be told of these again.
    pub fn requeue(&mut self, project: ProjectId, uids: &[Uid]) -> Result<(), StoreError> {
        self.store.write("note what is to be told again", |db| {
            Ok(uids.iter().try_for_each(|uid| tell_again(db, project, uid))?)
        })
    }
}

/// Notes that the team is to be told of a memory again, with its past. When it was told stays known: it is no later for that.
pub(crate) fn tell_again(db: &Connection, project: ProjectId, uid: &Uid) -> rusqlite::Result<()> {
    let sql = "UPDATE synced_memories SET is_confirmed = 0, vectors_pushed = 0 WHERE uid = ?1";
    db.prepare_cached(sql)?.execute([uid.as_str()])?;
    let sql = "INSERT INTO sync_outbox (uid, project_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
    db.prepare_cached(sql)?.execute(params![uid.as_str(), project.0]).map(drop)
}
