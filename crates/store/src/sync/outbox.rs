//! Changes that are still to be pushed to a team, and how they are marked as pushed.
//!
//! Not here: what may be shared and the transports (crate `sync`).

use crate::StoreError;
use crate::db::codes;
use crate::db::facets::{SyncReader, SyncWriter};
use crate::db::open::TxError;
use crate::memories::read_uid;
use crate::memories::revisions::{self, Revision};
use crate::sync::sync_state::{HubState, SyncState, drop_synced, known, with_team};
use backstory_memory::{
    Digest, Memory, MemoryId, ProjectId, SharedLink, SharedMemory, SharedRevision, Standing, Timestamp, Uid,
    content_digest,
};
use rusqlite::{Connection, OptionalExtension, params};

/// A change to push.
#[derive(Clone, Debug, PartialEq)]
pub enum OutboxEntry {
    /// A memory is new or has changed.
    Changed(Box<OutboxMemory>),
    /// A memory the hub has was forgotten here.
    Deleted(Uid),
}

impl OutboxEntry {
    /// Returns the memory's uid.
    #[must_use]
    pub fn uid(&self) -> &Uid {
        match self {
            OutboxEntry::Changed(outbox_memory) => &outbox_memory.memory.uid,
            OutboxEntry::Deleted(uid) => uid,
        }
    }
}

/// A memory with something to push.
#[derive(Clone, Debug, PartialEq)]
pub struct OutboxMemory {
    /// The memory as it is here.
    pub memory: Memory,
    /// Its links in both directions. A link is pushed with each end; the hub accepts it once both are there.
    pub links: Vec<SharedLink>,
    /// The revisions the hub does not have, oldest first, the current one last; empty if it has them all.
    pub revisions: Vec<SharedRevision>,
    /// Whether it is pinned, if that changed since it was pushed.
    pub pin: Option<bool>,
    state: Digest,
    at: Timestamp,
    superseded_by: Option<Uid>,
}

impl OutboxMemory {
    /// Returns the memory in the form that is shared.
    #[must_use]
    pub fn to_shared(&self) -> SharedMemory {
        SharedMemory {
            uid: self.memory.uid.clone(),
            created_at: self.memory.created_at,
            revisions: self.revisions.clone(),
        }
    }
}

impl SyncReader<'_> {
    /// Returns the pending changes of a project in the order of uids, only those after `after`.
    pub fn outbox(
        &self,
        project: ProjectId,
        after: Option<&Uid>,
        most: usize,
    ) -> Result<Vec<OutboxEntry>, StoreError> {
        self.store.read("list the pending changes", |db| {
            let sql = "SELECT uid FROM sync_outbox WHERE project_id = ?1 AND uid > ?2 ORDER BY uid LIMIT ?3";
            let mut statement = db.prepare_cached(sql)?;
            let after = after.map_or("", Uid::as_str);
            let uids = statement.query_map(params![project.0, after, most], |row| row.get(0))?;
            let uids: Vec<String> = uids.collect::<rusqlite::Result<_>>()?;
            uids.iter().map(|uid| outbox_entry(db, &codes::uid("what is to be pushed", uid)?)).collect()
        })
    }

    /// Whether a change of a memory is still to be pushed.
    pub fn is_pending(&self, uid: &Uid) -> Result<bool, StoreError> {
        self.store.read("look for a pending change", |db| Ok(is_queued(db, uid.as_str())?))
    }

    /// Returns a memory with all its revisions, as for a hub that has none of it.
    pub fn full_history(&self, uid: &Uid) -> Result<Option<OutboxMemory>, StoreError> {
        self.store.read("read the history of a memory", |db| {
            read_uid(db, uid)?.map(|memory| outbox_memory(db, memory, None)).transpose()
        })
    }
}

impl SyncWriter<'_> {
    /// Marks changes as pushed. A memory that changed after it was read stays queued.
    pub fn mark_pushed(&mut self, project: ProjectId, pushed: &[OutboxEntry]) -> Result<(), StoreError> {
        self.store.write("mark changes as pushed", |db| {
            for outbox_entry in pushed {
                match outbox_entry {
                    OutboxEntry::Deleted(uid) => drop_synced(db, project, uid)?,
                    OutboxEntry::Changed(outbox_memory) => record_pushed(db, project, outbox_memory)?,
                }
            }
            Ok(())
        })
    }

    /// Removes memories from the queue that are not shared: of a local kind, or of the user's own scope. A memory that changed after it
    /// was read may be of another kind by now, and stays queued.
    pub fn mark_kept_local(&mut self, local: &[OutboxEntry]) -> Result<(), StoreError> {
        self.store.write("mark memories as kept local", |db| {
            for read in local {
                if outbox_entry(db, read.uid())? == *read {
                    dequeue(db, read.uid().as_str())?;
                }
            }
            Ok(())
        })
    }
}

fn outbox_entry(db: &Connection, uid: &Uid) -> Result<OutboxEntry, TxError> {
    let Some(memory) = read_uid(db, uid)? else { return Ok(OutboxEntry::Deleted(uid.clone())) };
    let known = known(db, uid)?;
    Ok(OutboxEntry::Changed(Box::new(outbox_memory(db, memory, known)?)))
}

/// Returns what to push of a memory, compared with what the hub has.
fn outbox_memory(db: &Connection, memory: Memory, known: Option<HubState>) -> Result<OutboxMemory, TxError> {
    let superseded_by = match superseded_by(db, &memory)? {
        None => known.as_ref().map_or(Ok(None), |known| replacement_still_to_come(db, known))?,
        by => by,
    };
    let state = content_digest(&memory.content, superseded_by.as_ref());
    let is_as_known = known.as_ref().is_some_and(|known| known.state == state);
    // A change is later than the revision it changes, whatever the clock says. A second push keeps its time.
    let at = known.as_ref().map_or(memory.updated_at, |known| {
        if is_as_known { known.at } else { memory.updated_at.max(Timestamp(known.at.0 + 1)) }
    });
    let still_known = known.as_ref().filter(|known| known.is_confirmed);
    let is_pending = !is_as_known || still_known.is_none();
    let mut revisions = Vec::new();
    if is_pending {
        revisions = earlier_revisions(&memory, revisions::read_all(db, memory.id)?, still_known);
        revisions.retain(|revision| revision.at < at);
        revisions.push(SharedRevision {
            content: memory.content.clone(),
            superseded_by: superseded_by.clone(),
            at,
            author: String::new(),
        });
    }
    let was_pinned = known.is_some_and(|known| known.pinned);
    let pin = (memory.content.pinned != was_pinned).then_some(memory.content.pinned);
    let links = links(db, &memory)?;
    Ok(OutboxMemory { memory, links, revisions, pin, state, at, superseded_by })
}

/// Returns the revisions since the last push. Each was valid from when the one before it was replaced.
fn earlier_revisions(
    memory: &Memory,
    revisions: Vec<Revision>,
    known: Option<&HubState>,
) -> Vec<SharedRevision> {
    let mut since = memory.created_at;
    let mut earlier = Vec::new();
    for Revision { content, until, .. } in revisions {
        let at = std::mem::replace(&mut since, until);
        if known.is_some_and(|known| until <= known.at) {
            continue;
        }
        let revision = SharedRevision { content, superseded_by: None, at, author: String::new() };
        if known.is_none_or(|known| known.state != revision.content_digest() && at > known.at) {
            earlier.push(revision);
        }
    }
    earlier
}

/// Returns the replacement that the hub knows and that was not pulled yet: the memory is superseded all the same.
fn replacement_still_to_come(db: &Connection, known: &HubState) -> Result<Option<Uid>, TxError> {
    let Some(by) = &known.superseded_by else { return Ok(None) };
    let sql = "SELECT 1 FROM memories WHERE uid = ?1 UNION ALL SELECT 1 FROM tombstones WHERE uid = ?1";
    if db.prepare_cached(sql)?.exists([by])? {
        return Ok(None);
    }
    Ok(Some(codes::uid("what replaced a memory", by)?))
}

/// Returns the memory that replaced this one.
pub(crate) fn superseded_by(db: &Connection, memory: &Memory) -> Result<Option<Uid>, TxError> {
    let Standing::Superseded(by) = memory.standing else { return Ok(None) };
    uid_of(db, by)
}

fn uid_of(db: &Connection, id: MemoryId) -> Result<Option<Uid>, TxError> {
    let found: Option<String> = db
        .prepare_cached("SELECT uid FROM memories WHERE id = ?1")?
        .query_row([id.0], |row| row.get(0))
        .optional()?;
    Ok(found.map(|uid| codes::uid("a memory", &uid)).transpose()?)
}

fn links(db: &Connection, memory: &Memory) -> Result<Vec<SharedLink>, TxError> {
    let sql = concat!(
        "SELECT f.uid, l.relation, t.uid FROM all_links l JOIN memories f ON f.id = l.from_id JOIN memories t ON t.id = l.to_id
         WHERE (l.from_id = ?1 OR l.to_id = ?1) AND f.project_id IN ",
        with_team!("?2"),
        " AND t.project_id IN ",
        with_team!("?2"),
        " ORDER BY 1, 2, 3"
    );
    let mut statement = db.prepare_cached(sql)?;
    let mut rows = statement.query([memory.id.0, memory.project.0])?;
    let mut links = Vec::new();
    while let Some(row) = rows.next()? {
        links.push(SharedLink {
            from: codes::uid("a link", &row.get::<_, String>(0)?)?,
            relation: codes::code("a link", &row.get::<_, String>(1)?)?,
            to: codes::uid("a link", &row.get::<_, String>(2)?)?,
        });
    }
    Ok(links)
}

fn record_pushed(db: &Connection, project: ProjectId, outbox_memory: &OutboxMemory) -> Result<(), TxError> {
    let uid = &outbox_memory.memory.uid;
    let synced = SyncState {
        state: outbox_memory.state,
        at: outbox_memory.at,
        superseded_by: outbox_memory.superseded_by.as_ref(),
        pinned: outbox_memory.memory.content.pinned,
    };
    synced.save(db, project, uid)?;
    // If it changed since it was read, there is more to push.
    if let OutboxEntry::Changed(now) = outbox_entry(db, uid)?
        && now.revisions.is_empty()
        && now.pin.is_none()
        && now.links == outbox_memory.links
    {
        dequeue(db, uid.as_str())?;
    }
    Ok(())
}

pub(crate) fn is_queued(db: &Connection, uid: &str) -> rusqlite::Result<bool> {
    db.prepare_cached("SELECT 1 FROM sync_outbox WHERE uid = ?1")?.exists([uid])
}

/// Removes a memory from the queue.
pub(crate) fn dequeue(db: &Connection, uid: &str) -> rusqlite::Result<()> {
    db.prepare_cached("DELETE FROM sync_outbox WHERE uid = ?1")?.execute([uid]).map(drop)
}
