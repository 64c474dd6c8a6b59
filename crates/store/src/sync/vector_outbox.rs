//! Memories whose vectors are still to be pushed to a hub.
//!
//! Not here: the vectors, which are in the vector file; what may be shared (crate `sync`).

use crate::StoreError;
use crate::db::codes;
use crate::db::facets::{SyncReader, SyncWriter};
use crate::memories::read_uid;
use crate::sync::outbox::superseded_by;
use backstory_memory::{Digest, Memory, ProjectId, Uid, content_digest};
use rusqlite::params;

/// A memory whose vectors are to be pushed.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorOutboxEntry {
    /// The memory, equal here and on the hub.
    pub memory: Memory,
    /// The digest of the revision the vectors belong to.
    pub state: Digest,
}

impl SyncReader<'_> {
    /// Returns memories of a project whose vectors are made but not pushed, in the order of uids after `after`. Only local memories
    /// that the hub has in the same revision: vectors of text that stays local stay local too.
    pub fn vector_outbox(
        &self,
        project: ProjectId,
        after: Option<&Uid>,
        most: usize,
    ) -> Result<Vec<VectorOutboxEntry>, StoreError> {
        self.store.read("list the vectors to push", |db| {
            let sql = "SELECT s.uid, s.content_digest FROM synced_memories s JOIN memories m ON m.uid = s.uid
                 WHERE s.project_id = ?1 AND m.project_id = ?1 AND s.vectors_pushed = 0 AND s.is_confirmed = 1
                     AND m.provenance NOT LIKE 'team:%' AND m.id NOT IN (SELECT memory_id FROM stale_vectors)
                     AND s.uid NOT IN (SELECT uid FROM sync_outbox) AND s.uid > ?2 ORDER BY s.uid";
            let mut statement = db.prepare_cached(sql)?;
            let mut rows = statement.query(params![project.0, after.map_or("", Uid::as_str)])?;
            // No LIMIT: rows whose content differs are passed over, and only the loop below knows when there are enough.
            let mut pending = Vec::new();
            while pending.len() < most
                && let Some(row) = rows.next()?
            {
                let pushed = codes::digest("what was pushed", &row.get::<_, Vec<u8>>(1)?)?;
                let uid = codes::uid("what was pushed", &row.get::<_, String>(0)?)?;
                if let Some(memory) = read_uid(db, &uid)?
                    && content_digest(&memory.content, superseded_by(db, &memory)?.as_ref()) == pushed
                {
                    pending.push(VectorOutboxEntry { memory, state: pushed });
                }
            }
            Ok(pending)
        })
    }
}

impl SyncWriter<'_> {
    /// Marks vectors as pushed.
    pub fn mark_vectors_pushed(&mut self, pushed: &[VectorOutboxEntry]) -> Result<(), StoreError> {
        self.store.write("mark vectors as pushed", |db| {
            let sql = "UPDATE synced_memories SET vectors_pushed = 1 WHERE uid = ?1 AND content_digest = ?2";
            let mut statement = db.prepare_cached(sql)?;
            pushed.iter().try_for_each(|pushed| {
                Ok(statement.execute(params![pushed.memory.uid.as_str(), pushed.state.0]).map(drop)?)
            })
        })
    }
}
