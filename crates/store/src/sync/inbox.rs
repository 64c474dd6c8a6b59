//! Applies what was pulled from a team.
//!
//! A memory with a pending local change is left alone: the change is pushed first, and the hub resolves the conflict.
//! Not here: redaction and provenance of what was pulled, and the transports (crate `sync`).

use crate::db::facets::SyncWriter;
use crate::db::open::TxError;
use crate::memories::revisions::{self, Author};
use crate::memories::{self, MemoryOrigin, NewMemory, UsageHistory};
use crate::memories::{forget, links, revise, standing, writers};
use crate::sync::outbox::{self, dequeue, is_queued};
use crate::sync::sync_state::{self, SyncState, with_team};
use crate::sync::{held, history, requeue};
use crate::{Store, StoreError};
use backstory_memory::{
    Content, Link, Memory, MemoryId, MemoryScope, ProjectId, Provenance, Redacted, SharedLink, SharedMemory,
    SharedRevision, SyncBatch, Timestamp, Uid, Watermark, content_digest,
};
use rusqlite::{Connection, OptionalExtension, params};

/// How many memories one transaction writes; small, because hooks wait for it.
const PER_TRANSACTION: usize = 100;
/// How many memories one transaction forgets; few, because each is searched for in every event.
const FORGOTTEN_PER_TRANSACTION: usize = 20;

/// The result of applying a pulled batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InboxReport {
    /// Memories that are new here.
    pub written: u64,
    /// Memories whose content changed.
    pub revised: u64,
    /// Memories that were forgotten.
    pub forgotten: u64,
    /// Memories of those forgotten that can be restored: the user's own, and many at once.
    pub held: u64,
    /// Memories that are not the team's to change, or that could not be stored.
    pub refused: u64,
}

impl InboxReport {
    /// Adds the counts of another batch.
    pub fn add(&mut self, more: InboxReport) {
        self.written += more.written;
        self.revised += more.revised;
        self.forgotten += more.forgotten;
        self.refused += more.refused;
        self.held += more.held;
    }
}

impl SyncWriter<'_> {
    /// Applies a pulled batch to a project. Applying it again changes nothing, and memories that are not the team's stay as they are.
    pub fn apply_batch(
        &mut self,
        project: ProjectId,
        batch: &Redacted<SyncBatch>,
        now: Timestamp,
    ) -> Result<InboxReport, StoreError> {
        let mut report = InboxReport::default();
        for chunk in batch.memories.chunks(PER_TRANSACTION) {
            report.add(self.store.apply_memories(project, chunk)?);
        }
        for chunk in batch.links.chunks(PER_TRANSACTION) {
            self.store.write("link what was pulled", |db| {
                Ok(chunk.iter().try_for_each(|link| add_pending_link(db, project, link))?)
            })?;
        }
        self.store.write("write what was pulled", |db| {
            batch.pins.iter().try_for_each(|(uid, pinned)| pin(db, project, uid, *pinned))?;
            apply_pending_links(db, project)?;
            Ok(apply_pending_replacements(db, project)?)
        })?;
        report.add(self.apply_deletions(project, &batch.forgotten, now)?);
        Ok(report)
    }

    /// Forgets what was forgotten elsewhere. Whether that is much is counted over all of it, and over a day.
    pub fn apply_deletions(
        &mut self,
        project: ProjectId,
        uids: &[Uid],
        now: Timestamp,
    ) -> Result<InboxReport, StoreError> {
        let mut report = InboxReport::default();
        if uids.is_empty() {
            return Ok(report);
        }
        let is_mass = self.store.write("count what others forget", |db| {
            let mut here = 0;
            for uid in uids {
                here += u64::from(id_with_team(db, project, uid)?.is_some());
            }
            Ok(held::is_mass(db, here, now)?)
        })?;
        for chunk in uids.chunks(FORGOTTEN_PER_TRANSACTION) {
            report.add(self.store.apply_deletions(project, chunk, is_mass, now)?);
        }
        Ok(report)
    }

    /// Sets how far a project was pulled.
    pub fn set_watermark(&mut self, project: ProjectId, watermark: Watermark) -> Result<(), StoreError> {
        self.store.write("record how far was pulled", |db| {
            let sql = "UPDATE shared_projects SET watermark = ?2 WHERE project_id = ?1";
            db.execute(sql, params![project.0, watermark.0])?;
            Ok(())
        })
    }
}

impl Store {
    /// Applies some memories in one transaction; when that fails, each in its own, so that one bad memory does not block the others.
    fn apply_memories(
        &mut self,
        project: ProjectId,
        chunk: &[SharedMemory],
    ) -> Result<InboxReport, StoreError> {
        let written = self.write("write what was pulled", |db| {
            let mut report = InboxReport::default();
            chunk.iter().try_for_each(|memory| apply_memory(db, project, memory, &mut report))?;
            Ok(report)
        });
        match (written, chunk) {
            (Ok(report), _) => Ok(report),
            (Err(error), _) if error.is_storage_failure() => Err(error),
            (Err(_), [_]) => Ok(InboxReport { refused: 1, ..InboxReport::default() }),
            (Err(_), several) => {
                let mut report = InboxReport::default();
                for memory in several {
                    report.add(self.apply_memories(project, std::slice::from_ref(memory))?);
                }
                Ok(report)
            }
        }
    }

    /// Forgets what was forgotten elsewhere, as thoroughly as if it had been forgotten here.
    fn apply_deletions(
        &mut self,
        project: ProjectId,
        uids: &[Uid],
        is_mass: bool,
        now: Timestamp,
    ) -> Result<InboxReport, StoreError> {
        let (ids, refused) = self.read("look for what is to be forgotten", |db| {
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
        let mut held = 0;
        if !ids.is_empty() {
            held = self.write("hold what others forgot", |db| {
                let mut held = 0;
                for id in &ids {
                    held += u64::from(held::hold(db, &memories::read(db, *id)?, is_mass, now)?);
                }
                Ok(held)
            })?;
            self.memories_mut().forget(&ids, now)?;
        }
        self.write("note what was forgotten", |db| {
            Ok(uids.iter().try_for_each(|uid| sync_state::drop_synced(db, project, uid))?)
        })?;
        Ok(InboxReport { forgotten: ids.len() as u64, refused, held, ..InboxReport::default() })
    }
}

/// Applies one pulled memory, if the team may change it and it is not older than the known revision.
fn apply_memory(
    db: &Connection,
    project: ProjectId,
    shared: &SharedMemory,
    report: &mut InboxReport,
) -> Result<(), TxError> {
    let Some(last) = shared.revisions.last() else { return Ok(()) };
    let here = memories::read_uid(db, &shared.uid)?;
    if here.is_some() && id_with_team(db, project, &shared.uid)?.is_none() {
        report.refused += 1;
        return Ok(());
    }
    let known = sync_state::known(db, &shared.uid)?;
    if known.as_ref().is_some_and(|known| known.is_lost_by(shared)) {
        // The hub has an older state: it was restored, or another branch is checked out. The author's machine pushes again.
        if let Some(memory) = here.filter(|memory| !matches!(memory.content.provenance, Provenance::Team(_)))
        {
            requeue::requeue_one(db, memory.project, &shared.uid)?;
        }
        return Ok(());
    }
    if is_queued(db, shared.uid.as_str())? {
        return Ok(requeue_even_if_equal(db, project, &shared.uid)?);
    }
    let last = &SharedRevision { content: as_known_here(&last.content, here.as_ref()), ..last.clone() };
    let pinned = here.as_ref().is_some_and(|memory| memory.content.pinned);
    let home = here.as_ref().map_or(project, |memory| memory.project);
    let content = Content { pinned, scope: MemoryScope::Project, ..last.content.clone() };
    let id = match here {
        None => {
            let Some(id) = write_new(db, &new_memory(project, shared, (content, last.at)))? else {
                return Ok(());
            };
            report.written += 1;
            id
        }
        Some(memory) => {
            if differs_from(db, &memory, last)? {
                report.revised += 1;
                // A colleague wrote these words, or the user on another machine: no writer of this one may replace them.
                writers::take_over(db, memory.id)?;
                // Only if the team has no revision of that moment: otherwise it has these words, or what redaction left of them.
                if known.is_some_and(|known| shared.revisions.iter().all(|said| said.at != known.at)) {
                    revisions::keep(db, &memory, Author::Person, last.at)?;
                }
                revise::replace_content(db, &memory, (&content, standing::known_evidence(&memory)), last.at)?;
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
    // The triggers have queued this write, but there is nothing to push.
    Ok(dequeue(db, shared.uid.as_str())?)
}

/// Returns pulled content with the provenance that the same words have here: a hub can turn neither the user's words into a
/// colleague's, nor a colleague's into the user's.
fn as_known_here(pulled: &Content, here: Option<&Memory>) -> Content {
    let says_the_same = |known: &Content| {
        (known.kind, &known.title, &known.body, &known.facts, &known.concepts, &known.files)
            == (pulled.kind, &pulled.title, &pulled.body, &pulled.facts, &pulled.concepts, &pulled.files)
    };
    match here.map(|memory| &memory.content).filter(|known| says_the_same(known)) {
        Some(known) => Content { provenance: known.provenance.clone(), ..pulled.clone() },
        None => pulled.clone(),
    }
}

/// Makes a memory of pulled content that was last revised at a time.
fn new_memory(
    project: ProjectId,
    shared: &SharedMemory,
    (content, revised_at): (Content, Timestamp),
) -> NewMemory {
    let usage = Some(UsageHistory::new(revised_at));
    let origin = MemoryOrigin { usage, ..MemoryOrigin::default() };
    // The batch was redacted as a whole, and this content is a part of it.
    let content = Redacted::vouch(content);
    NewMemory { uid: Some(shared.uid.clone()), project, origin, content, created_at: shared.created_at }
}

/// Inserts a memory that is new here, unless it or its text was forgotten.
fn write_new(db: &Connection, memory: &NewMemory) -> rusqlite::Result<Option<MemoryId>> {
    let Some(forgotten) = forget::tombstone_for(db, memory.uid.as_ref(), &memory.content)? else {
        return memories::insert(db, None, memory).map(Some);
    };
    if memory.uid.as_ref() == Some(&forgotten) {
        // The team still has it, so the deletion is pushed again.
        requeue::requeue_one(db, memory.project, &forgotten)?;
    }
    Ok(None)
}

/// Re-queues a pending change even if it is identical, so that the hub resolves the conflict.
fn requeue_even_if_equal(db: &Connection, project: ProjectId, uid: &Uid) -> rusqlite::Result<()> {
    let sql = concat!(
        // A digest that no content has: the next push then finds a difference even if there is none.
        "UPDATE synced_memories SET content_digest = zeroblob(16), is_confirmed = 1 WHERE uid = ?1 AND project_id IN ",
        with_team!("?2")
    );
    db.prepare_cached(sql)?.execute(params![uid.as_str(), project.0]).map(drop)
}

/// Returns whether a memory differs from the team's last revision.
fn differs_from(db: &Connection, memory: &Memory, last: &SharedRevision) -> Result<bool, TxError> {
    let superseded_by = outbox::superseded_by(db, memory)?;
    let here = content_digest(&memory.content, superseded_by.as_ref());
    Ok(here != content_digest(&last.content, superseded_by.as_ref()))
}

/// Sets what replaced a memory. A replacement that was not pulled yet is set when it arrives.
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

/// Sets replacements that arrived after the memories they replaced.
fn apply_pending_replacements(db: &Connection, project: ProjectId) -> rusqlite::Result<()> {
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
        dequeue(db, &uid)?;
    }
    Ok(())
}

/// Stores a link until both its ends are here.
fn add_pending_link(db: &Connection, project: ProjectId, link: &SharedLink) -> rusqlite::Result<()> {
    let sql = "INSERT OR IGNORE INTO pending_links (from_uid, relation, to_uid, project_id) VALUES (?1, ?2, ?3, ?4)";
    let (from, to) = (link.from.as_str(), link.to.as_str());
    db.prepare_cached(sql)?.execute(params![from, link.relation.as_str(), to, project.0]).map(drop)
}

/// Creates the links whose ends are both here by now.
fn apply_pending_links(db: &Connection, project: ProjectId) -> rusqlite::Result<()> {
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
        let was_queued = is_queued(db, &from_uid)?;
        // A relation only a newer build knows is dropped.
        if let Ok(known) = relation.parse() {
            links::insert(db, Link { from: MemoryId(from), relation: known, to: MemoryId(to) })?;
        }
        let sql = "DELETE FROM pending_links WHERE from_uid = ?1 AND relation = ?2 AND to_uid = ?3";
        db.prepare_cached(sql)?.execute([&from_uid, &relation, &to_uid])?;
        // Inserting the link has queued the memory by a trigger. A change that waited before must stay queued.
        if !was_queued {
            dequeue(db, &from_uid)?;
        }
    }
    Ok(())
}

/// Applies a pin this member set on another machine.
fn pin(db: &Connection, project: ProjectId, uid: &Uid, pinned: bool) -> rusqlite::Result<()> {
    let Some(id) = id_with_team(db, project, uid)? else { return Ok(()) };
    if is_queued(db, uid.as_str())? {
        return Ok(());
    }
    let sql = "UPDATE memories SET pinned = ?2 WHERE id = ?1 AND pinned <> ?2";
    if db.prepare_cached(sql)?.execute(params![id.0, pinned])? > 0 {
        writers::take_over(db, id)?;
    }
    let sql = "UPDATE synced_memories SET pinned = ?2 WHERE uid = ?1";
    db.prepare_cached(sql)?.execute(params![uid.as_str(), pinned])?;
    dequeue(db, uid.as_str())
}

/// Returns the memory of a uid if the team may change it: it is in a project shared with that team and not of the user's own scope.
/// Knowing a uid is not enough.
fn id_with_team(db: &Connection, project: ProjectId, uid: &Uid) -> rusqlite::Result<Option<MemoryId>> {
    let sql = concat!(
        "SELECT id FROM memories WHERE uid = ?1 AND scope = 'project' AND project_id IN ",
        with_team!("?2")
    );
    db.prepare_cached(sql)?
        .query_row(params![uid.as_str(), project.0], |row| row.get(0).map(MemoryId))
        .optional()
}
