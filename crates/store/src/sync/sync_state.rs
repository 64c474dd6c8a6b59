//! The last revision of each memory the hub is known to have, and which projects share a team.
//!
//! Not here: what follows for pushing (`outbox`) and pulling (`inbox`).

use crate::db::codes;
use crate::db::open::TxError;
use backstory_memory::{Digest, ProjectId, SharedMemory, Timestamp, Uid};
use rusqlite::{Connection, params};

/// The projects that are shared with the same team as this one.
macro_rules! with_team {
    ($project:literal) => {
        concat!(
            "(SELECT project_id FROM shared_projects WHERE team = (SELECT team FROM shared_projects WHERE project_id = ",
            $project,
            "))"
        )
    };
}
pub(crate) use with_team;

/// The revision the hub is known to have.
pub(crate) struct HubState {
    pub(crate) state: Digest,
    pub(crate) at: Timestamp,
    pub(crate) pinned: bool,
    pub(crate) superseded_by: Option<String>,
    /// Whether the hub was seen to have it since its current epoch began.
    pub(crate) is_confirmed: bool,
}

impl HubState {
    /// Returns whether a pulled memory is older than this revision and does not contain it. One of the same time may be the same
    /// text after redaction.
    pub(crate) fn is_lost_by(&self, shared: &SharedMemory) -> bool {
        let is_older = shared.revisions.iter().all(|revision| revision.at < self.at);
        is_older && shared.revisions.iter().all(|revision| revision.content_digest() != self.state)
    }
}

/// Reads the revision the hub is known to have.
pub(crate) fn known(db: &Connection, uid: &Uid) -> Result<Option<HubState>, TxError> {
    let sql = "SELECT content_digest, revised_at_ms, pinned, superseded_by, is_confirmed FROM synced_memories WHERE uid = ?1";
    let mut statement = db.prepare_cached(sql)?;
    let mut rows = statement.query([uid.as_str()])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let state = codes::digest("what was shared", &row.get::<_, Vec<u8>>(0)?)?;
    let (at, pinned) = (Timestamp(row.get(1)?), row.get(2)?);
    Ok(Some(HubState { state, at, pinned, superseded_by: row.get(3)?, is_confirmed: row.get(4)? }))
}

/// A revision the hub now has.
pub(crate) struct SyncState<'a> {
    pub(crate) state: Digest,
    pub(crate) at: Timestamp,
    pub(crate) superseded_by: Option<&'a Uid>,
    pub(crate) pinned: bool,
}

impl SyncState<'_> {
    /// Stores the revision. Its vectors count as pushed only as long as the content is the same.
    pub(crate) fn save(&self, db: &Connection, project: ProjectId, uid: &Uid) -> rusqlite::Result<()> {
        let sql = "INSERT INTO synced_memories (uid, project_id, content_digest, revised_at_ms, superseded_by, pinned) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT DO UPDATE SET project_id = excluded.project_id, content_digest = excluded.content_digest, revised_at_ms = excluded.revised_at_ms,
                 superseded_by = excluded.superseded_by, pinned = excluded.pinned, is_confirmed = 1,
                 vectors_pushed = vectors_pushed AND content_digest = excluded.content_digest";
        let superseded_by = self.superseded_by.map(Uid::as_str);
        db.prepare_cached(sql)?
            .execute(params![uid.as_str(), project.0, self.state.0, self.at.0, superseded_by, self.pinned])
            .map(drop)
    }
}

/// Removes all sync state of a memory: the hub has nothing of it, and nothing is to be pushed.
pub(crate) fn drop_synced(db: &Connection, project: ProjectId, uid: &Uid) -> rusqlite::Result<()> {
    let of_team = concat!(" WHERE uid = ?1 AND project_id IN ", with_team!("?2"));
    for table in ["synced_memories", "sync_outbox"] {
        let sql = format!("DELETE FROM {table}{of_team}");
        db.prepare_cached(&sql)?.execute(params![uid.as_str(), project.0])?;
    }
    let sql = concat!(
        "DELETE FROM pending_links WHERE ?1 IN (from_uid, to_uid) AND project_id IN ",
        with_team!("?2")
    );
    db.prepare_cached(sql)?.execute(params![uid.as_str(), project.0]).map(drop)
}

/// Moves the sync state of one project to another of the same team: pending changes are pushed for the project that stays.
pub(crate) fn merge(db: &Connection, from: ProjectId, into: ProjectId) -> rusqlite::Result<()> {
    let is_one_team = concat!("SELECT 1 WHERE ?2 IN ", with_team!("?1"));
    if db.prepare_cached(is_one_team)?.exists([from.0, into.0])? {
        for table in ["synced_memories", "sync_outbox", "pending_links", "unreadable_memories"] {
            db.execute(
                &format!("UPDATE OR IGNORE {table} SET project_id = ?2 WHERE project_id = ?1"),
                [from.0, into.0],
            )?;
        }
    }
    // Moving a memory queues it for the other project, where that is shared. Rows of this project would be deleted with it.
    let sql = "DELETE FROM sync_outbox WHERE project_id = ?1 AND uid IN (SELECT uid FROM memories)";
    db.execute(sql, [from.0]).map(drop)
}
