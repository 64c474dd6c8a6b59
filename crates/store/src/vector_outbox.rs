//! Which memories' meanings the hub of a team is still to be told.
//!
//! Not here: the vectors themselves, which are in the vector file; what of them may leave (`cli`).

use crate::facets::{SyncReader, SyncWriter};
use crate::memories::read_uid;
use crate::outbox::superseded_by;
use crate::{Store, StoreError, codes};
use backstory_memory::{Digest, Memory, ProjectId, Uid, content_digest};
use rusqlite::params;

/// A memory whose meaning the hub is to be told.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorOutboxEntry {
    /// The memory as it is here, and as the hub has it.
    pub memory: Memory,
    /// What it says, by the digest of all that is shared.
    pub state: Digest,
}

impl SyncReader<'_> {
    /// Returns some memories of a project, after a uid, whose vectors are made and were not told: what was said here, and says here what
    /// the hub has. Of words that stayed here the meaning stays, too.
    pub fn vector_outbox(
        &self,
        project: ProjectId,
        after: Option<&Uid>,
        most: usize,
    ) -> Result<Vec<VectorOutboxEntry>, StoreError> {
        self.store.read("look which meanings are to be told", |db| {
            let sql = "SELECT s.uid, s.content_digest FROM synced_memories s JOIN memories m ON m.uid = s.uid
                 WHERE s.project_id = ?1 AND m.project_id = ?1 AND s.vectors_pushed = 0 AND s.is_confirmed = 1
                     AND m.provenance NOT LIKE 'team:%' AND m.id NOT IN (SELECT memory_id FROM stale_vectors)
                     AND s.uid NOT IN (SELECT uid FROM sync_outbox) AND s.uid > ?2 ORDER BY s.uid";
            let mut statement = db.prepare_cached(sql)?;
            let mut rows = statement.query(params![project.0, after.map_or("", Uid::as_str)])?;
            let mut untold = Vec::new();
            while untold.len() < most
                && let Some(row) = rows.next()?
            {
                let told = codes::digest("what was told", &row.get::<_, Vec<u8>>(1)?)?;
                let uid = codes::uid("what was told", &row.get::<_, String>(0)?)?;
                if let Some(memory) = read_uid(db, &uid)?
                    && content_digest(&memory.content, superseded_by(db, &memory)?.as_ref()) == told
                {
                    untold.push(VectorOutboxEntry { memory, state: told });
                }
            }
            Ok(untold)
        })
    }
}

impl SyncWriter<'_> {
    /// Notes that the hub was told what these mean.
    pub fn mark_vectors_pushed(&mut self, told: &[VectorOutboxEntry]) -> Result<(), StoreError> {
        self.store.write("note which meanings were told", |db| {
            let sql = "UPDATE synced_memories SET vectors_pushed = 1 WHERE uid = ?1 AND content_digest = ?2";
            let mut statement = db.prepare_cached(sql)?;
            told.iter().try_for_each(|told| {
                Ok(statement.execute(params![told.memory.uid.as_str(), told.state.0]).map(drop)?)
            })
        })
    }
}
