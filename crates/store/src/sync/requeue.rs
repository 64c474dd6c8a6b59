//! Pushes memories again that the team has lost: a shared folder was deleted, or another branch is checked out.
//!
//! Not here: what is pushed (`outbox`).

use crate::StoreError;
use crate::db::codes;
use crate::db::facets::{SyncReader, SyncWriter};
use backstory_memory::{Digest, ProjectId, Uid};
use rusqlite::{Connection, params};

impl SyncReader<'_> {
    /// Returns which memories of a project the team should have, with the digest of their revision.
    pub fn synced_digests(&self, project: ProjectId) -> Result<Vec<(Uid, Digest)>, StoreError> {
        self.store.read("list what was pushed", |db| {
            let sql = "SELECT uid, content_digest FROM synced_memories WHERE project_id = ?1 ORDER BY uid";
            let mut statement = db.prepare_cached(sql)?;
            let mut rows = statement.query([project.0])?;
            let mut digests = Vec::new();
            while let Some(row) = rows.next()? {
                let uid = codes::uid("what was pushed", &row.get::<_, String>(0)?)?;
                digests.push((uid, codes::digest("what was pushed", &row.get::<_, Vec<u8>>(1)?)?));
            }
            Ok(digests)
        })
    }
}

impl SyncWriter<'_> {
    /// Queues memories to be pushed again.
    pub fn requeue(&mut self, project: ProjectId, uids: &[Uid]) -> Result<(), StoreError> {
        self.store.write("queue memories again", |db| {
            Ok(uids.iter().try_for_each(|uid| requeue_one(db, project, uid))?)
        })
    }
}

/// Queues a memory with all its revisions. The time of the last push is kept, so that the second push does not win over newer
/// changes.
pub(crate) fn requeue_one(db: &Connection, project: ProjectId, uid: &Uid) -> rusqlite::Result<()> {
    let sql = "UPDATE synced_memories SET is_confirmed = 0, vectors_pushed = 0 WHERE uid = ?1";
    db.prepare_cached(sql)?.execute([uid.as_str()])?;
    let sql = "INSERT INTO sync_outbox (uid, project_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
    db.prepare_cached(sql)?.execute(params![uid.as_str(), project.0]).map(drop)
}
