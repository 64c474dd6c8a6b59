//! What a team is still to be told of a shared project, and that it was.
//!
//! Not here: what of it may leave (`cli`), how it gets there (`hub`).

use crate::facets::{SyncReader, SyncWriter};
use crate::memories::read_uid;
use crate::open::TxError;
use crate::sync_state::{HubState, SyncState, drop_synced, known, with_team};
use crate::{PriorWording, Store, StoreError, codes, transfer};
use backstory_memory::{
    Content, Digest, Memory, MemoryId, MemoryScope, ProjectId, SharedLink, SharedMemory, SharedRevision,
    Standing, Timestamp, Uid, content_digest,
};
use rusqlite::{Connection, OptionalExtension, params};

/// Something the team is to be told.
#[derive(Clone, Debug, PartialEq)]
pub enum OutboxEntry {
    /// A memory says something new, or is new.
    Changed(Box<OutboxMemory>),
    /// A memory the team knows was forgotten.
    Deleted(Uid),
}

impl OutboxEntry {
    /// Returns which memory it is about.
    #[must_use]
    pub fn uid(&self) -> &Uid {
        match self {
            OutboxEntry::Changed(saying) => &saying.memory.uid,
            OutboxEntry::Deleted(uid) => uid,
        }
    }
}

/// A memory of which something is to be told.
#[derive(Clone, Debug, PartialEq)]
pub struct OutboxMemory {
    /// The memory as it is here.
    pub memory: Memory,
    /// Where it stands among others. Both ends know of a link: the one that is told later brings it.
    pub links: Vec<SharedLink>,
    /// What it says now and, where the team does not know, what it said before; in order. Nothing where the team knows.
    pub revisions: Vec<SharedRevision>,
    /// Whether it is kept in view, where that has changed since it was told.
    pub pin: Option<bool>,
    state: Digest,
    at: Timestamp,
    superseded_by: Option<Uid>,
}

impl OutboxMemory {
    /// Returns it as it is shared.
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
    /// Returns some of what a team is to be told of a project, after a uid.
    pub fn outbox(
        &self,
        project: ProjectId,
        after: Option<&Uid>,
        most: usize,
    ) -> Result<Vec<OutboxEntry>, StoreError> {
        self.store.read("look what is to be told", |db| {
            let sql = "SELECT uid FROM sync_outbox WHERE project_id = ?1 AND uid > ?2 ORDER BY uid LIMIT ?3";
            let mut statement = db.prepare_cached(sql)?;
            let after = after.map_or("", Uid::as_str);
            let uids = statement.query_map(params![project.0, after, most], |row| row.get(0))?;
            let uids: Vec<String> = uids.collect::<rusqlite::Result<_>>()?;
            uids.iter().map(|uid| untold(db, &codes::uid("what is to be told", uid)?)).collect()
        })
    }

    /// Returns everything a memory says and said, as it is told to who knows nothing of it; nothing where it is not here.
    pub fn full_history(&self, uid: &Uid) -> Result<Option<OutboxMemory>, StoreError> {
        self.store.read("look what a memory said", |db| {
            read_uid(db, uid)?.map(|memory| saying(db, memory, None)).transpose()
        })
    }
}

impl SyncWriter<'_> {
    /// Notes that the team was told. What has changed since it was read stays to be told.
    pub fn mark_pushed(&mut self, project: ProjectId, told: &[OutboxEntry]) -> Result<(), StoreError> {
        self.store.write("note what was told", |db| {
            for untold in told {
                match untold {
                    OutboxEntry::Deleted(uid) => drop_synced(db, project, uid)?,
                    OutboxEntry::Changed(saying) => note_said(db, project, saying)?,
                }
            }
            Ok(())
        })
    }

    /// Notes that the team is not to be told of these: their kind stays here, or they are of the user alone. What has changed since it was
    /// read may be of another kind by now, and stays to be told.
    pub fn mark_kept_local(&mut self, staying: &[OutboxEntry]) -> Result<(), StoreError> {
        self.store.write("note what stays here", |db| {
            for read in staying {
                if untold(db, read.uid())? == *read {
                    forget_untold(db, read.uid().as_str())?;
                }
            }
            Ok(())
        })
    }
}

fn untold(db: &Connection, uid: &Uid) -> Result<OutboxEntry, TxError> {
    let Some(memory) = read_uid(db, uid)? else { return Ok(OutboxEntry::Deleted(uid.clone())) };
    let known = known(db, uid)?;
    Ok(OutboxEntry::Changed(Box::new(saying(db, memory, known)?)))
}

/// Returns what is to be told of a memory where that much of it is known.
fn saying(db: &Connection, memory: Memory, known: Option<HubState>) -> Result<OutboxMemory, TxError> {
    let superseded_by = match superseded_by(db, &memory)? {
        None => known.as_ref().map_or(Ok(None), |known| still_to_come(db, known))?,
        by => by,
    };
    let state = content_digest(&memory.content, superseded_by.as_ref());
    let is_as_known = known.as_ref().is_some_and(|known| known.state == state);
    // Whoever changes what they have heard of is later than it, whatever the clock says. Said again, it is as old as it was.
    let at = known.as_ref().map_or(memory.updated_at, |known| {
        if is_as_known { known.at } else { memory.updated_at.max(Timestamp(known.at.0 + 1)) }
    });
    let still_known = known.as_ref().filter(|known| known.is_confirmed);
    let is_news = !is_as_known || still_known.is_none();
    let mut revisions = Vec::new();
    if is_news {
        let wordings = transfer::wordings(db, memory.id)?.into_iter().zip(scopes(db, memory.id)?);
        revisions = said_before(&memory, wordings, still_known);
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

/// Returns what a memory said before, since it was last told. Each wording held from when the one before it was replaced.
fn said_before(
    memory: &Memory,
    wordings: impl Iterator<Item = (PriorWording, MemoryScope)>,
    known: Option<&HubState>,
) -> Vec<SharedRevision> {
    let mut since = memory.created_at;
    let mut said = Vec::new();
    for (wording, scope) in wordings {
        let at = std::mem::replace(&mut since, wording.until);
        if known.is_some_and(|known| wording.until <= known.at) {
            continue;
        }
        let content = Content {
            kind: wording.kind,
            title: wording.title,
            body: wording.body,
            facts: wording.facts,
            concepts: wording.concepts,
            files: wording.files,
            scope,
            ..memory.content.clone()
        };
        let revision = SharedRevision { content, superseded_by: None, at, author: String::new() };
        if known.is_none_or(|known| known.state != revision.content_digest() && at > known.at) {
            said.push(revision);
        }
    }
    said
}

/// Returns whom each wording of a memory was for, oldest first. Where nobody knows it was for the user alone.
fn scopes(db: &Connection, id: MemoryId) -> rusqlite::Result<Vec<MemoryScope>> {
    let sql = "SELECT scope FROM revisions WHERE memory_id = ?1 ORDER BY revision";
    let mut statement = db.prepare_cached(sql)?;
    let scope = |text: Option<String>| text.and_then(|text| text.parse().ok()).unwrap_or(MemoryScope::User);
    statement.query_map([id.0], |row| row.get(0).map(scope))?.collect()
}

/// Returns what replaced a memory as the hub knows, where that has not come here yet. It is replaced all the same.
fn still_to_come(db: &Connection, known: &HubState) -> Result<Option<Uid>, TxError> {
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

fn note_said(db: &Connection, project: ProjectId, saying: &OutboxMemory) -> Result<(), TxError> {
    let uid = &saying.memory.uid;
    let synced = SyncState {
        state: saying.state,
        at: saying.at,
        superseded_by: saying.superseded_by.as_ref(),
        pinned: saying.memory.content.pinned,
    };
    synced.save(db, project, uid)?;
    // Changed since it was read, there is more to tell.
    if let OutboxEntry::Changed(now) = untold(db, uid)?
        && now.revisions.is_empty()
        && now.pin.is_none()
        && now.links == saying.links
    {
        forget_untold(db, uid.as_str())?;
    }
    Ok(())
}

/// Notes that there is nothing to tell of a memory.
pub(crate) fn forget_untold(db: &Connection, uid: &str) -> rusqlite::Result<()> {
    db.prepare_cached("DELETE FROM sync_outbox WHERE uid = ?1")?.execute([uid]).map(drop)
}
