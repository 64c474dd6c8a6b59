//! What a team tells of a shared project, written down here.
//!
//! What was changed here and not yet told is left alone: it is told first, and then the team says which of both counts.
//! Not here: what of it is believed and made fit to be stored (`cli`), where it comes from (`hub`).

use crate::facets::SyncWriter;
use crate::memories::{self, MemoryOrigin, NewMemory, UsageHistory};
use crate::open::TxError;
use crate::outbox::{self, forget_untold};
use crate::revise::{self, Author};
use crate::sync_state::{self, SyncState, with_team};
use crate::{Store, StoreError, forget, history, links, requeue};
use backstory_memory::{
    Content, Link, Memory, MemoryId, MemoryScope, ProjectId, Provenance, SharedLink, SharedMemory,
    SharedRevision, SyncBatch, Timestamp, Uid, Watermark, content_digest,
};
use rusqlite::{Connection, OptionalExtension, params};

/// How much is written in one transaction: hooks wait for it.
const PER_TRANSACTION: usize = 100;
/// How much is forgotten in one: each memory is looked for in everything that was ever recorded.
const FORGOTTEN_PER_TRANSACTION: usize = 20;

/// What became of what a team told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InboxReport {
    /// Memories that are new here.
    pub written: u64,
    /// Memories that say something else now.
    pub revised: u64,
    /// Memories that are gone.
    pub forgotten: u64,
    /// Memories that are not the team's to change, or that cannot be kept here.
    pub refused: u64,
}

impl InboxReport {
    /// Adds what became of more.
    pub fn add(&mut self, more: InboxReport) {
        self.written += more.written;
        self.revised += more.revised;
        self.forgotten += more.forgotten;
        self.refused += more.refused;
    }
}

impl SyncWriter<'_> {
    /// Writes down what a team tells of a project. Hearing it again changes nothing, and what is not the team's stays as it is.
    pub fn apply_batch(
        &mut self,
        project: ProjectId,
        news: &SyncBatch,
        now: Timestamp,
    ) -> Result<InboxReport, StoreError> {
        let mut heard = InboxReport::default();
        for some in news.memories.chunks(PER_TRANSACTION) {
            heard.add(self.store.apply_memories(project, some)?);
        }
        for some in news.links.chunks(PER_TRANSACTION) {
            self.store.write("link what a team tells", |db| {
                Ok(some.iter().try_for_each(|link| note_link(db, project, link))?)
            })?;
        }
        self.store.write("write down what a team tells", |db| {
            news.pins.iter().try_for_each(|(uid, pinned)| pin(db, project, uid, *pinned))?;
            tie_links(db, project)?;
            Ok(tie_replaced(db, project)?)
        })?;
        for some in news.forgotten.chunks(FORGOTTEN_PER_TRANSACTION) {
            heard.add(self.store.apply_deletions(project, some, now)?);
        }
        Ok(heard)
    }

    /// Notes how far a project's news have been read.
    pub fn set_watermark(&mut self, project: ProjectId, watermark: Watermark) -> Result<(), StoreError> {
        self.store.write("note how far was read", |db| {
            let sql = "UPDATE shared_projects SET watermark = ?2 WHERE project_id = ?1";
            db.execute(sql, params![project.0, watermark.0])?;
            Ok(())
        })
    }
}

impl Store {
    /// Writes down some memories. One that cannot be kept does not keep the others from it.
    fn apply_memories(
        &mut self,
        project: ProjectId,
        some: &[SharedMemory],
    ) -> Result<InboxReport, StoreError> {
        let written = self.write("write down what a team tells", |db| {
            let mut heard = InboxReport::default();
            some.iter().try_for_each(|memory| hear_one(db, project, memory, &mut heard))?;
            Ok(heard)
        });
        match (written, some) {
            (Ok(heard), _) => Ok(heard),
            (Err(error), _) if error.is_storage_failure() => Err(error),
            (Err(_), [_]) => Ok(InboxReport { refused: 1, ..InboxReport::default() }),
            (Err(_), several) => {
                let mut heard = InboxReport::default();
                for memory in several {
                    heard.add(self.apply_memories(project, std::slice::from_ref(memory))?);
                }
                Ok(heard)
            }
        }
    }

    /// Forgets what was forgotten elsewhere, as if it had been here: no byte stays.
    fn apply_deletions(
        &mut self,
        project: ProjectId,
        uids: &[Uid],
        now: Timestamp,
    ) -> Result<InboxReport, StoreError> {
        let (ids, refused) = self.read("look what is to be forgotten", |db| {
            let (mut ids, mut refused) = (Vec::new(), 0);
            for uid in uids {
                match (memories::id_of(db, uid)?, id_with_team(db, project, uid)?) {
                    (_, Some(id)) => ids.push(id),
                    (Some(_), None) => refused += 1,
                    (None, None) => {}
                }
            }
            Ok((ids, refused))
        })?;
        if !ids.is_empty() {
            self.memories_mut().forget(&ids, now)?;
        }
        self.write("note what was forgotten", |db| {
            Ok(uids.iter().try_for_each(|uid| sync_state::drop_synced(db, project, uid))?)
        })?;
        Ok(InboxReport { forgotten: ids.len() as u64, refused, ..InboxReport::default() })
    }
}

/// Writes down what a team tells of one memory, as far as it has a say in it and it is not older than what is known.
fn hear_one(
    db: &Connection,
    project: ProjectId,
    shared: &SharedMemory,
    heard: &mut InboxReport,
) -> Result<(), TxError> {
    let Some(last) = shared.revisions.last() else { return Ok(()) };
    let here = memories::read_uid(db, &shared.uid)?;
    if here.is_some() && id_with_team(db, project, &shared.uid)?.is_none() {
        heard.refused += 1;
        return Ok(());
    }
    let known = sync_state::known(db, &shared.uid)?;
    if known.as_ref().is_some_and(|known| known.is_lost_by(shared)) {
        // It is back where it was before: a hub that was restored, another branch. Who said it since tells it again.
        if let Some(memory) = here.filter(|memory| !matches!(memory.content.provenance, Provenance::Team(_)))
        {
            requeue::tell_again(db, memory.project, &shared.uid)?;
        }
        return Ok(());
    }
    if is_untold(db, shared.uid.as_str())? {
        return Ok(tell_in_any_case(db, project, &shared.uid)?);
    }
    let pinned = here.as_ref().is_some_and(|memory| memory.content.pinned);
    let home = here.as_ref().map_or(project, |memory| memory.project);
    let content = Content { pinned, scope: MemoryScope::Project, ..last.content.clone() };
    let id = match here {
        None => {
            let past = UsageHistory { updated_at: last.at, times_seen: 1, times_used: 0, last_used_at: None };
            let origin = MemoryOrigin { usage: Some(past), ..MemoryOrigin::default() };
            let (uid, created_at) = (Some(shared.uid.clone()), shared.created_at);
            let memory = NewMemory { uid, project, origin, content, created_at };
            let Some(id) = write_new(db, &memory)? else { return Ok(()) };
            heard.written += 1;
            id
        }
        Some(memory) => {
            if says_otherwise(db, &memory, last)? {
                heard.revised += 1;
                // What the team knows of that moment are these words, or what was left of them at the border.
                if known.is_some_and(|known| shared.revisions.iter().all(|said| said.at != known.at)) {
                    revise::keep_revision(db, &memory, Author::Person, last.at)?;
                }
                revise::replace_content(db, &memory, &content, last.at)?;
            }
            memory.id
        }
    };
    history::rewrite(db, id, &shared.revisions)?;
    replace(db, project, id, last.superseded_by.as_ref())?;
    let synced = SyncState {
        state: last.content_digest(),
        at: last.at,
        superseded_by: last.superseded_by.as_ref(),
        pinned,
    };
    synced.save(db, home, &shared.uid)?;
    // What we have just written is no news to the team.
    Ok(forget_untold(db, shared.uid.as_str())?)
}

/// Writes a memory that is new here, unless it was forgotten: that stays out, also in other words' clothes.
fn write_new(db: &Connection, memory: &NewMemory) -> rusqlite::Result<Option<MemoryId>> {
    let Some(forgotten) = forget::tombstone_for(db, memory.uid.as_ref(), &memory.content)? else {
        return memories::insert(db, None, memory).map(Some);
    };
    if memory.uid.as_ref() == Some(&forgotten) {
        // The team has it again, or still: it does not know.
        requeue::tell_again(db, memory.project, &forgotten)?;
    }
    Ok(None)
}

/// Has what is untold told after all, also if it is as it was: then we are told again which counts.
fn tell_in_any_case(db: &Connection, project: ProjectId, uid: &Uid) -> rusqlite::Result<()> {
    let sql = concat!(
        "UPDATE synced_memories SET content_digest = zeroblob(16), is_confirmed = 1 WHERE uid = ?1 AND project_id IN ",
        with_team!("?2")
    );
    db.prepare_cached(sql)?.execute(params![uid.as_str(), project.0]).map(drop)
}

fn is_untold(db: &Connection, uid: &str) -> rusqlite::Result<bool> {
    db.prepare_cached("SELECT 1 FROM sync_outbox WHERE uid = ?1")?.exists([uid])
}

/// Whether a memory says something else here than the team's last revision of it.
fn says_otherwise(db: &Connection, memory: &Memory, last: &SharedRevision) -> Result<bool, TxError> {
    let superseded_by = outbox::superseded_by(db, memory)?;
    let here = content_digest(&memory.content, superseded_by.as_ref());
    Ok(here != content_digest(&last.content, superseded_by.as_ref()))
}

/// Notes what replaced a memory, as far as it is here; what is not yet comes later.
fn replace(db: &Connection, project: ProjectId, id: MemoryId, by: Option<&Uid>) -> rusqlite::Result<()> {
    let by = match by {
        Some(uid) => id_with_team(db, project, uid)?,
        None => None,
    };
    if let Some(by) = by
        && revise::would_circle(db, id, by)?
    {
        return Ok(());
    }
    let sql = "UPDATE memories SET superseded_by = ?2 WHERE id = ?1 AND superseded_by IS NOT ?2";
    db.prepare_cached(sql)?.execute(params![id.0, by.map(|by| by.0)]).map(drop)
}

/// Notes what replaced memories that came before what replaced them.
fn tie_replaced(db: &Connection, project: ProjectId) -> rusqlite::Result<()> {
    let sql = "SELECT m.id, m.uid, s.superseded_by FROM synced_memories s JOIN memories m ON m.uid = s.uid
         JOIN memories later ON later.uid = s.superseded_by
         WHERE s.project_id = ?1 AND s.superseded_by IS NOT NULL AND m.superseded_by IS NULL
             AND s.uid NOT IN (SELECT uid FROM sync_outbox)";
    let mut statement = db.prepare_cached(sql)?;
    let found = statement.query_map([project.0], |row| {
        Ok((MemoryId(row.get(0)?), row.get::<_, String>(1)?, row.get::<_, String>(2)?))
    })?;
    let found: Vec<_> = found.collect::<rusqlite::Result<_>>()?;
    for (id, uid, by) in found {
        if let Ok(by) = Uid::parse(&by) {
            replace(db, project, id, Some(&by))?;
        }
        forget_untold(db, &uid)?;
    }
    Ok(())
}

/// Notes a link until both its ends are here.
fn note_link(db: &Connection, project: ProjectId, link: &SharedLink) -> rusqlite::Result<()> {
    let sql = "INSERT OR IGNORE INTO pending_links (from_uid, relation, to_uid, project_id) VALUES (?1, ?2, ?3, ?4)";
    let (from, to) = (link.from.as_str(), link.to.as_str());
    db.prepare_cached(sql)?.execute(params![from, link.relation.as_str(), to, project.0]).map(drop)
}

/// Creates the links whose ends are both here by now.
fn tie_links(db: &Connection, project: ProjectId) -> rusqlite::Result<()> {
    let sql = concat!(
        "SELECT h.from_uid, h.relation, h.to_uid, f.id, t.id FROM pending_links h
         JOIN memories f ON f.uid = h.from_uid JOIN memories t ON t.uid = h.to_uid
         WHERE h.project_id IN ",
        with_team!("?1"),
        " AND f.project_id IN ",
        with_team!("?1"),
        " AND t.project_id IN ",
        with_team!("?1")
    );
    let mut statement = db.prepare_cached(sql)?;
    let found = statement.query_map([project.0], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
    })?;
    let found: Vec<(String, String, String, i64, i64)> = found.collect::<rusqlite::Result<_>>()?;
    for (from_uid, relation, to_uid, from, to) in found {
        let had_news = is_untold(db, &from_uid)?;
        // What a relation of a newer build means cannot be told here, and nobody asks for it again.
        if let Ok(known) = relation.parse() {
            links::insert(db, Link { from: MemoryId(from), relation: known, to: MemoryId(to) })?;
        }
        let sql = "DELETE FROM pending_links WHERE from_uid = ?1 AND relation = ?2 AND to_uid = ?3";
        db.prepare_cached(sql)?.execute([&from_uid, &relation, &to_uid])?;
        if !had_news {
            forget_untold(db, &from_uid)?;
        }
    }
    Ok(())
}

/// Keeps in view what this member keeps in view elsewhere.
fn pin(db: &Connection, project: ProjectId, uid: &Uid, pinned: bool) -> rusqlite::Result<()> {
    let Some(id) = id_with_team(db, project, uid)? else { return Ok(()) };
    if is_untold(db, uid.as_str())? {
        return Ok(());
    }
    let sql = "UPDATE memories SET pinned = ?2 WHERE id = ?1 AND pinned <> ?2";
    db.prepare_cached(sql)?.execute(params![id.0, pinned])?;
    let sql = "UPDATE synced_memories SET pinned = ?2 WHERE uid = ?1";
    db.prepare_cached(sql)?.execute(params![uid.as_str(), pinned])?;
    forget_untold(db, uid.as_str())
}

/// Returns the memory of a uid, if the team that shares a project has a say in it: it is in a project shared with that team, and not of
/// the user alone. Whoever else knows its uid changes nothing by that.
fn id_with_team(db: &Connection, project: ProjectId, uid: &Uid) -> rusqlite::Result<Option<MemoryId>> {
    let sql = concat!(
        "SELECT id FROM memories WHERE uid = ?1 AND scope = 'project' AND project_id IN ",
        with_team!("?2")
    );
    db.prepare_cached(sql)?
        .query_row(params![uid.as_str(), project.0], |row| row.get(0).map(MemoryId))
        .optional()
}
