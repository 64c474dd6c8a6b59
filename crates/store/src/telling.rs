//! What a team is still to be told of a shared project, and that it was.
//!
//! Not here: what of it may leave (`cli`), how it gets there (`hub`).

use crate::memories::{memory_from, whole_memories};
use crate::open::Stop;
use crate::{Store, StoreError, Wording, codes, travel};
use backstory_memory::{
    Digest, Draft, Life, Memory, MemoryId, ProjectId, Scope, SharedLink, SharedMemory, SharedRevision,
    Timestamp, Uid, state,
};
use rusqlite::{Connection, OptionalExtension, params};

/// The projects that are shared with the same team as one of them.
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

/// Something the team is to be told.
#[derive(Clone, Debug, PartialEq)]
pub enum Untold {
    /// A memory says something new, or is new.
    Said(Box<Saying>),
    /// A memory the team knows was forgotten.
    Forgotten(Uid),
}

impl Untold {
    /// Returns which memory it is about.
    #[must_use]
    pub fn uid(&self) -> &Uid {
        match self {
            Untold::Said(saying) => &saying.memory.uid,
            Untold::Forgotten(uid) => uid,
        }
    }
}

/// A memory of which something is to be told.
#[derive(Clone, Debug, PartialEq)]
pub struct Saying {
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

impl Saying {
    /// Returns it as it is shared.
    #[must_use]
    pub fn shared(&self) -> SharedMemory {
        SharedMemory {
            uid: self.memory.uid.clone(),
            created_at: self.memory.created_at,
            revisions: self.revisions.clone(),
        }
    }
}

/// What the hub is known to have.
pub(crate) struct Known {
    state: Digest,
    pub(crate) at: Timestamp,
    pinned: bool,
    superseded_by: Option<String>,
    /// Whether it was seen to have it still.
    is_confirmed: bool,
}

impl Known {
    /// Whether what is told of a memory is older than what was known, and does not hold it. Equally old, it may be the same words,
    /// redacted on their way.
    pub(crate) fn is_lost_by(&self, told: &SharedMemory) -> bool {
        let is_older = told.revisions.iter().all(|said| said.at < self.at);
        is_older && told.revisions.iter().all(|said| said.state() != self.state)
    }
}

impl Store {
    /// Returns some of what a team is to be told of a project, after a uid.
    pub fn untold(
        &self,
        project: ProjectId,
        after: Option<&Uid>,
        most: usize,
    ) -> Result<Vec<Untold>, StoreError> {
        self.read("look what is to be told", |db| {
            let sql =
                "SELECT uid FROM untold_memories WHERE project_id = ?1 AND uid > ?2 ORDER BY uid LIMIT ?3";
            let mut statement = db.prepare_cached(sql)?;
            let after = after.map_or("", Uid::as_str);
            let uids = statement.query_map(params![project.0, after, most], |row| row.get(0))?;
            let uids: Vec<String> = uids.collect::<rusqlite::Result<_>>()?;
            uids.iter().map(|uid| untold(db, &codes::uid("what is to be told", uid)?)).collect()
        })
    }

    /// Returns everything a memory says and said, as it is told to who knows nothing of it; nothing where it is not here.
    pub fn all_it_said(&self, uid: &Uid) -> Result<Option<Saying>, StoreError> {
        self.read("look what a memory said", |db| {
            let mut statement = db.prepare_cached(whole_memories!("WHERE uid = ?1"))?;
            let memory = statement.query([uid.as_str()])?.next()?.map(memory_from).transpose()?;
            memory.map(|memory| saying(db, memory, None)).transpose()
        })
    }

    /// Notes that the team was told. What has changed since it was read stays to be told.
    pub fn told(&mut self, project: ProjectId, told: &[Untold]) -> Result<(), StoreError> {
        self.write("note what was told", |db| {
            for untold in told {
                match untold {
                    Untold::Forgotten(uid) => drop_synced(db, project, uid)?,
                    Untold::Said(saying) => note_said(db, project, saying)?,
                }
            }
            Ok(())
        })
    }

    /// Notes that the team is not to be told of these: their kind stays here, or they are of the user alone.
    pub fn kept_to_ourselves(&mut self, uids: &[Uid]) -> Result<(), StoreError> {
        self.write("note what stays here", |db| {
            let mut statement = db.prepare_cached("DELETE FROM untold_memories WHERE uid = ?1")?;
            uids.iter().try_for_each(|uid| Ok(statement.execute([uid.as_str()]).map(drop)?))
        })
    }
}

/// A memory whose meaning the hub is to be told.
#[derive(Clone, Debug, PartialEq)]
pub struct UntoldMeaning {
    /// The memory as it is here, and as the hub has it.
    pub memory: Memory,
    /// What it says, by the digest of all that is shared.
    pub state: Digest,
}

impl Store {
    /// Returns some memories of a project, after a uid, whose vectors are made and were not told: what was said here, and says here what
    /// the hub has. Of words that stayed here the meaning stays, too.
    pub fn untold_meanings(
        &self,
        project: ProjectId,
        after: Option<&Uid>,
        most: usize,
    ) -> Result<Vec<UntoldMeaning>, StoreError> {
        self.read("look which meanings are to be told", |db| {
            let sql = "SELECT s.uid, s.state FROM synced_memories s JOIN memories m ON m.uid = s.uid
                 WHERE s.project_id = ?1 AND m.project_id = ?1 AND s.is_meaning_told = 0 AND s.is_confirmed = 1
                     AND m.trust NOT LIKE 'team:%' AND m.id NOT IN (SELECT memory_id FROM stale_vectors)
                     AND s.uid NOT IN (SELECT uid FROM untold_memories) AND s.uid > ?2 ORDER BY s.uid";
            let mut statement = db.prepare_cached(sql)?;
            let mut rows = statement.query(params![project.0, after.map_or("", Uid::as_str)])?;
            let mut untold = Vec::new();
            while untold.len() < most
                && let Some(row) = rows.next()?
            {
                let told = codes::digest("what was told", &row.get::<_, Vec<u8>>(1)?)?;
                let mut of_uid = db.prepare_cached(whole_memories!("WHERE uid = ?1"))?;
                let memory = of_uid.query([row.get::<_, String>(0)?])?.next()?.map(memory_from).transpose()?;
                if let Some(memory) = memory
                    && state(&memory.content, superseded_by(db, &memory)?.as_ref()) == told
                {
                    untold.push(UntoldMeaning { memory, state: told });
                }
            }
            Ok(untold)
        })
    }

    /// Notes that the hub was told what these mean.
    pub fn meanings_told(&mut self, told: &[UntoldMeaning]) -> Result<(), StoreError> {
        self.write("note which meanings were told", |db| {
            let sql = "UPDATE synced_memories SET is_meaning_told = 1 WHERE uid = ?1 AND state = ?2";
            let mut statement = db.prepare_cached(sql)?;
            told.iter().try_for_each(|told| {
                Ok(statement.execute(params![told.memory.uid.as_str(), told.state.0]).map(drop)?)
            })
        })
    }
}

fn untold(db: &Connection, uid: &Uid) -> Result<Untold, Stop> {
    let mut statement = db.prepare_cached(whole_memories!("WHERE uid = ?1"))?;
    let Some(memory) = statement.query([uid.as_str()])?.next()?.map(memory_from).transpose()? else {
        return Ok(Untold::Forgotten(uid.clone()));
    };
    let known = known(db, uid)?;
    Ok(Untold::Said(Box::new(saying(db, memory, known)?)))
}

/// Returns what is to be told of a memory where that much of it is known.
fn saying(db: &Connection, memory: Memory, known: Option<Known>) -> Result<Saying, Stop> {
    let superseded_by = match superseded_by(db, &memory)? {
        None => known.as_ref().map_or(Ok(None), |known| still_to_come(db, known))?,
        by => by,
    };
    let state = state(&memory.content, superseded_by.as_ref());
    let is_as_known = known.as_ref().is_some_and(|known| known.state == state);
    // Whoever changes what they have heard of is later than it, whatever the clock says. Said again, it is as old as it was.
    let at = known.as_ref().map_or(memory.updated_at, |known| {
        if is_as_known { known.at } else { memory.updated_at.max(Timestamp(known.at.0 + 1)) }
    });
    let still_known = known.as_ref().filter(|known| known.is_confirmed);
    let is_news = !is_as_known || still_known.is_none();
    let mut revisions = Vec::new();
    if is_news {
        let wordings = travel::wordings(db, memory.id)?.into_iter().zip(scopes(db, memory.id)?);
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
    Ok(Saying { memory, links, revisions, pin, state, at, superseded_by })
}

/// Returns what a memory said before, since it was last told. Each wording held from when the one before it was replaced.
fn said_before(
    memory: &Memory,
    wordings: impl Iterator<Item = (Wording, Scope)>,
    known: Option<&Known>,
) -> Vec<SharedRevision> {
    let mut since = memory.created_at;
    let mut said = Vec::new();
    for (wording, scope) in wordings {
        let at = std::mem::replace(&mut since, wording.until);
        if known.is_some_and(|known| wording.until <= known.at) {
            continue;
        }
        let content = Draft {
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
        if known.is_none_or(|known| known.state != revision.state() && at > known.at) {
            said.push(revision);
        }
    }
    said
}

/// Returns whom each wording of a memory was for, oldest first. Where nobody knows it was for the user alone.
fn scopes(db: &Connection, id: MemoryId) -> rusqlite::Result<Vec<Scope>> {
    let sql = "SELECT scope FROM revisions WHERE memory_id = ?1 ORDER BY revision";
    let mut statement = db.prepare_cached(sql)?;
    let scope = |text: Option<String>| text.and_then(|text| text.parse().ok()).unwrap_or(Scope::User);
    statement.query_map([id.0], |row| row.get(0).map(scope))?.collect()
}

/// Returns what replaced a memory as the hub knows, where that has not come here yet. It is replaced all the same.
fn still_to_come(db: &Connection, known: &Known) -> Result<Option<Uid>, Stop> {
    let Some(by) = &known.superseded_by else { return Ok(None) };
    let sql = "SELECT 1 FROM memories WHERE uid = ?1 UNION ALL SELECT 1 FROM tombstones WHERE uid = ?1";
    if db.prepare_cached(sql)?.exists([by])? {
        return Ok(None);
    }
    Ok(Some(codes::uid("what replaced a memory", by)?))
}

/// Returns the memory that replaced this one.
pub(crate) fn superseded_by(db: &Connection, memory: &Memory) -> Result<Option<Uid>, Stop> {
    let Life::Superseded(by) = memory.life else { return Ok(None) };
    uid_of(db, by)
}

fn uid_of(db: &Connection, id: MemoryId) -> Result<Option<Uid>, Stop> {
    let found: Option<String> = db
        .prepare_cached("SELECT uid FROM memories WHERE id = ?1")?
        .query_row([id.0], |row| row.get(0))
        .optional()?;
    Ok(found.map(|uid| codes::uid("a memory", &uid)).transpose()?)
}

pub(crate) fn known(db: &Connection, uid: &Uid) -> Result<Option<Known>, Stop> {
    let sql = "SELECT state, at_ms, pinned, superseded_by, is_confirmed FROM synced_memories WHERE uid = ?1";
    let mut statement = db.prepare_cached(sql)?;
    let mut rows = statement.query([uid.as_str()])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let state = codes::digest("what was told", &row.get::<_, Vec<u8>>(0)?)?;
    let (at, pinned) = (Timestamp(row.get(1)?), row.get(2)?);
    Ok(Some(Known { state, at, pinned, superseded_by: row.get(3)?, is_confirmed: row.get(4)? }))
}

fn links(db: &Connection, memory: &Memory) -> Result<Vec<SharedLink>, Stop> {
    let sql = concat!(
        "SELECT f.uid, l.relation, t.uid FROM links l JOIN memories f ON f.id = l.from_id JOIN memories t ON t.id = l.to_id
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

fn note_said(db: &Connection, project: ProjectId, saying: &Saying) -> Result<(), Stop> {
    let uid = &saying.memory.uid;
    let synced = Synced {
        state: saying.state,
        at: saying.at,
        superseded_by: saying.superseded_by.as_ref(),
        pinned: saying.memory.content.pinned,
    };
    synced.note(db, project, uid)?;
    // Changed since it was read, there is more to tell.
    if let Untold::Said(now) = untold(db, uid)?
        && now.revisions.is_empty()
        && now.pin.is_none()
        && now.links == saying.links
    {
        db.prepare_cached("DELETE FROM untold_memories WHERE uid = ?1")?.execute([uid.as_str()])?;
    }
    Ok(())
}

/// What the hub has of a memory.
pub(crate) struct Synced<'a> {
    pub(crate) state: Digest,
    pub(crate) at: Timestamp,
    pub(crate) superseded_by: Option<&'a Uid>,
    pub(crate) pinned: bool,
}

impl Synced<'_> {
    /// Writes it down.
    pub(crate) fn note(&self, db: &Connection, project: ProjectId, uid: &Uid) -> rusqlite::Result<()> {
        let sql = "INSERT INTO synced_memories (uid, project_id, state, at_ms, superseded_by, pinned) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT DO UPDATE SET project_id = excluded.project_id, state = excluded.state, at_ms = excluded.at_ms,
                 superseded_by = excluded.superseded_by, pinned = excluded.pinned, is_confirmed = 1,
                 is_meaning_told = is_meaning_told AND state = excluded.state";
        let superseded_by = self.superseded_by.map(Uid::as_str);
        db.prepare_cached(sql)?
            .execute(params![uid.as_str(), project.0, self.state.0, self.at.0, superseded_by, self.pinned])
            .map(drop)
    }
}

/// Notes that the hub of a project's team has nothing of a memory any more, and is not to be told.
pub(crate) fn drop_synced(db: &Connection, project: ProjectId, uid: &Uid) -> rusqlite::Result<()> {
    let of_team = concat!(" WHERE uid = ?1 AND project_id IN ", with_team!("?2"));
    for table in ["synced_memories", "untold_memories"] {
        let sql = format!("DELETE FROM {table}{of_team}");
        db.prepare_cached(&sql)?.execute(params![uid.as_str(), project.0])?;
    }
    let sql = concat!(
        "DELETE FROM heard_links WHERE ?1 IN (from_uid, to_uid) AND project_id IN ",
        with_team!("?2")
    );
    db.prepare_cached(sql)?.execute(params![uid.as_str(), project.0]).map(drop)
}

/// Moves what is between us and a team from one project to another, where both are shared with it: what is still to be told is told of
/// the one that stays.
pub(crate) fn merge(db: &Connection, from: ProjectId, into: ProjectId) -> rusqlite::Result<()> {
    let is_one_team = concat!("SELECT 1 WHERE ?2 IN ", with_team!("?1"));
    if db.prepare_cached(is_one_team)?.exists([from.0, into.0])? {
        for table in ["synced_memories", "untold_memories", "heard_links", "unreadable_memories"] {
            db.execute(
                &format!("UPDATE OR IGNORE {table} SET project_id = ?2 WHERE project_id = ?1"),
                [from.0, into.0],
            )?;
        }
    }
    // Whatever moves is noted anew where the other project is shared; a note of the one that goes would go with it.
    let sql = "DELETE FROM untold_memories WHERE project_id = ?1 AND uid IN (SELECT uid FROM memories)";
    db.execute(sql, [from.0]).map(drop)
}
