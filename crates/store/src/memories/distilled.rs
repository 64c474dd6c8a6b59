//! Writing what was distilled: one memory a subject, so that reading the same events again changes nothing.
//!
//! Not here: what is worth a memory, and which known one says the same (`distil`).

use crate::db::facets::{MemoryReader, MemoryWriter, SessionReader};
use crate::db::open::TxError;
use crate::memories::{self, Unindexed};
use crate::memories::{forget, links, revise, standing, writers};
use crate::{NewMemory, StoreError};
use backstory_memory::{
    Content, Digest, EventId, Link, Memory, MemoryId, ProjectId, Provenance, Redacted, Relation, SessionId,
    Standing, StandingReason, Timestamp,
};
use rusqlite::{Connection, OptionalExtension, params};

/// A memory made from events.
#[derive(Clone, Debug)]
pub struct DistilledMemory {
    /// What it is about: one failure, one turn, one session, one thing said.
    pub subject: Digest,
    /// The memory. Its first event identifies the incident: the same first event is the same incident.
    pub memory: NewMemory,
    /// What happens if the subject is known already.
    pub on_repeat: OnRepeat,
    /// A known memory that says the same in other words.
    pub same_as: Option<MemoryId>,
    /// Known memories it replaces.
    pub replaces: Vec<MemoryId>,
    /// Known memories it contradicts without replacing them.
    pub contradicts: Vec<MemoryId>,
}

/// What happens if a subject is known already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnRepeat {
    /// It counts as seen once more, and its confidence rises.
    Reinforce,
    /// The new content replaces the old.
    Replace,
    /// Both.
    ReinforceAndReplace,
}

/// What became of something distilled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DistilOutcome {
    /// It is new.
    Written(MemoryId),
    /// It was known, and its confidence or its content has changed.
    Updated(MemoryId),
    /// It was known, and nothing has changed.
    Unchanged(MemoryId),
    /// It was forgotten on purpose and stays out.
    Forgotten,
}

impl DistilOutcome {
    /// Returns the memory that holds it.
    #[must_use]
    pub fn memory(self) -> Option<MemoryId> {
        match self {
            DistilOutcome::Written(id) | DistilOutcome::Updated(id) | DistilOutcome::Unchanged(id) => {
                Some(id)
            }
            DistilOutcome::Forgotten => None,
        }
    }
}

impl MemoryWriter<'_> {
    /// Writes what was distilled from a session up to an event, all or nothing; returns what became of each.
    pub fn write_distilled(
        &mut self,
        session: SessionId,
        up_to: EventId,
        distilled: &[DistilledMemory],
    ) -> Result<Vec<DistilOutcome>, StoreError> {
        self.store.write("write what was distilled", |transaction| {
            let mut unindexed = Unindexed::default();
            let kept = distilled.iter().map(|item| keep(transaction, item, &mut unindexed));
            let outcomes = kept.collect::<Result<_, TxError>>()?;
            unindexed.index(transaction)?;
            transaction.execute(
                "UPDATE sessions SET distilled_event_id = max(distilled_event_id, ?2) WHERE id = ?1",
                [session.0, up_to.0],
            )?;
            Ok(outcomes)
        })
    }

    /// Gives a distilled memory the content that later events make of it, unless a person has taken it over or it is no longer in force.
    pub fn update_distilled(
        &mut self,
        id: MemoryId,
        content: &Redacted<Content>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.store.write("update a memory", |transaction| {
            let before = memories::read(transaction, id)?;
            if may_replace(transaction, &before)? {
                let evidence = standing::known_evidence(&before);
                revise::replace_content(transaction, &before, (content, evidence), now)?;
            }
            Ok(())
        })
    }
}

impl MemoryReader<'_> {
    /// Returns the memory of a project about a subject.
    pub fn with_subject(&self, project: ProjectId, subject: Digest) -> Result<Option<Memory>, StoreError> {
        self.store.read("read a memory", |db| {
            known(db, project, subject)?.map(|id| memories::read(db, id)).transpose()
        })
    }

    /// Returns the events a memory was made from, as far as they are kept.
    pub fn evidence(&self, id: MemoryId) -> Result<Vec<EventId>, StoreError> {
        self.store.read("read the evidence", |db| {
            let sql = "SELECT event_id FROM evidence WHERE memory_id = ?1 ORDER BY event_id";
            let mut statement = db.prepare_cached(sql)?;
            let rows = statement.query_map([id.0], |row| row.get(0).map(EventId))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Returns the memories that came from a session, oldest first, replaced ones included.
    pub fn of_session(&self, session: SessionId) -> Result<Vec<MemoryId>, StoreError> {
        let sql = "SELECT id FROM memories WHERE session_id = ?1 ORDER BY id";
        self.store.memory_ids("read a session's memories", sql, [session.0])
    }
}

impl SessionReader<'_> {
    /// Returns sessions with events nothing was made of yet, where nothing happened since `quiet_since`.
    pub fn undistilled(&self, quiet_since: Timestamp, limit: u32) -> Result<Vec<SessionId>, StoreError> {
        self.store.read("look for what is not distilled", |db| {
            let sql =
                "SELECT s.id FROM sessions s WHERE s.last_event_at_ms < ?1 AND EXISTS (SELECT 1 FROM events e
                 WHERE e.session_id = s.id AND e.id > s.distilled_event_id) ORDER BY s.id LIMIT ?2";
            let mut statement = db.prepare_cached(sql)?;
            let rows = statement.query_map(params![quiet_since.0, limit], |row| row.get(0).map(SessionId))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}

fn keep<'a>(
    db: &Connection,
    item: &'a DistilledMemory,
    unindexed: &mut Unindexed<'a>,
) -> Result<DistilOutcome, TxError> {
    let project = item.memory.project;
    let gone = "SELECT 1 FROM forgotten_subjects WHERE project_id = ?1 AND subject = ?2";
    if db.prepare_cached(gone)?.exists(params![project.0, item.subject.0])? {
        return Ok(DistilOutcome::Forgotten);
    }
    match known(db, project, item.subject)?.or(item.same_as) {
        Some(id) => {
            // It may be one of the memories just written, and replacing its text removes it from the index: index them first.
            unindexed.index(db)?;
            meet_again(db, id, item)
        }
        None => write_new(db, item, unindexed),
    }
}

fn known(db: &Connection, project: ProjectId, subject: Digest) -> rusqlite::Result<Option<MemoryId>> {
    db.prepare_cached("SELECT id FROM memories WHERE project_id = ?1 AND subject = ?2")?
        .query_row(params![project.0, subject.0], |row| row.get(0).map(MemoryId))
        .optional()
}

fn write_new<'a>(
    db: &Connection,
    item: &'a DistilledMemory,
    unindexed: &mut Unindexed<'a>,
) -> Result<DistilOutcome, TxError> {
    if forget::tombstone_for(db, None, &item.memory.content)?.is_some() {
        return Ok(DistilOutcome::Forgotten);
    }
    let id = unindexed.insert(db, &item.memory)?;
    db.prepare_cached("UPDATE memories SET subject = ?2 WHERE id = ?1")?
        .execute(params![id.0, item.subject.0])?;
    for old in &item.replaces {
        revise::mark_superseded(db, *old, id, item.memory.created_at)?;
    }
    for other in &item.contradicts {
        links::insert(db, Link { from: id, relation: Relation::Contradicts, to: *other })?;
    }
    Ok(DistilOutcome::Written(id))
}

fn meet_again(db: &Connection, id: MemoryId, item: &DistilledMemory) -> Result<DistilOutcome, TxError> {
    // The first event names the incident: distilling the same events again must not count it twice.
    let is_new_incident = link_evidence(db, id, &item.memory.origin.events)?;
    let mut before = memories::read(db, id)?;
    let now = item.memory.created_at;
    let is_back = is_new_incident && is_fixed(&before);
    if is_back {
        standing::reopen(db, &before, item.memory.origin.evidence, now)?;
        before = memories::read(db, id)?;
    }
    let mut is_updated = false;
    if item.on_repeat != OnRepeat::Replace && is_new_incident {
        revise::count_again(db, &before, now)?;
        if is_independent(db, &before, &item.memory)? {
            standing::confirm_unproven(db, &before, StandingReason::Repetition, now)?;
        }
        is_updated = true;
    }
    // The known words say that the failure was fixed, and it is back.
    let must_replace = is_back && before.content.details != item.memory.content.details;
    if (item.on_repeat != OnRepeat::Reinforce || must_replace) && may_replace(db, &before)? {
        // Read again: counting it above has raised its confidence.
        let before = memories::read(db, id)?;
        let content = brought_up_to_date(&before.content, &item.memory.content);
        // The new wording may be one that was forgotten when another memory had it.
        if content != before.content && forget::tombstone_for(db, None, &content)?.is_none() {
            revise::replace_content(db, &before, (&content, item.memory.origin.evidence), now)?;
            writers::set(db, id, item.memory.origin.writer)?;
            for old in item.replaces.iter().filter(|old| **old != id) {
                revise::mark_superseded(db, *old, id, now)?;
            }
            is_updated = true;
        }
    }
    Ok(if is_updated { DistilOutcome::Updated(id) } else { DistilOutcome::Unchanged(id) })
}

fn is_fixed(memory: &Memory) -> bool {
    memory.standing == Standing::Retired && memory.standing_reason == StandingReason::Fixed
}

/// Whether a second session found it by itself: neither from the same page, file or output, nor from us.
fn is_independent(db: &Connection, known: &Memory, again: &NewMemory) -> rusqlite::Result<bool> {
    let Some(session) = again.origin.session.filter(|session| Some(*session) != known.session) else {
        return Ok(false);
    };
    let is_own_words = matches!(again.content.provenance, Provenance::User | Provenance::Assistant);
    let was_shown = "SELECT 1 FROM sessions s WHERE s.id = ?1 AND (
             EXISTS (SELECT 1 FROM impressions i WHERE i.memory_id = ?2 AND i.last_at_ms >= s.started_at_ms)
             OR EXISTS (SELECT 1 FROM memories m WHERE m.id = ?2 AND m.last_used_at_ms >= s.started_at_ms))";
    Ok(is_own_words && !db.prepare_cached(was_shown)?.exists([session.0, known.id.0])?)
}

/// Adds to the events a memory was made from, as far as they are still kept. Returns whether the first of them is new to it.
pub(crate) fn link_evidence(db: &Connection, id: MemoryId, events: &[EventId]) -> rusqlite::Result<bool> {
    let sql = "INSERT OR IGNORE INTO evidence (memory_id, event_id) SELECT ?1, id FROM events WHERE id = ?2";
    let mut statement = db.prepare_cached(sql)?;
    let mut is_new_incident = false;
    for (at, event) in events.iter().enumerate() {
        let is_new = statement.execute([id.0, event.0])? > 0;
        is_new_incident |= is_new && at == 0;
    }
    Ok(is_new_incident)
}

/// Whether a memory is still in force, and no person has taken it over.
fn may_replace(db: &Connection, memory: &Memory) -> rusqlite::Result<bool> {
    Ok(memory.standing.is_live() && memory.is_intact() && !writers::is_taken_over(db, memory.id)?)
}

/// The new content, with what people and time have made of the old one. Provenance never rises (law 6).
fn brought_up_to_date(before: &Content, after: &Content) -> Content {
    Content {
        importance: before.importance.max(after.importance),
        confidence: before.confidence,
        provenance: Provenance::min(before.provenance.clone(), after.provenance.clone()),
        scope: before.scope,
        pinned: before.pinned,
        ..after.clone()
    }
}

/// Keeps a forgotten subject out from now on.
pub(crate) fn bury_subject(db: &Connection, id: MemoryId) -> rusqlite::Result<()> {
    db.execute(
        "INSERT OR IGNORE INTO forgotten_subjects (project_id, subject)
         SELECT project_id, subject FROM memories WHERE id = ?1 AND subject IS NOT NULL",
        [id.0],
    )
    .map(drop)
}

/// Clears the subjects of one project that another has too, before the first is merged into the other.
pub(crate) fn release_shared_subjects(
    db: &Connection,
    from: ProjectId,
    into: ProjectId,
) -> rusqlite::Result<()> {
    db.execute(
        "UPDATE memories SET subject = NULL WHERE project_id = ?1
         AND subject IN (SELECT subject FROM memories WHERE project_id = ?2 AND subject IS NOT NULL)",
        [from.0, into.0],
    )?;
    db.execute(
        "UPDATE OR IGNORE forgotten_subjects SET project_id = ?2 WHERE project_id = ?1",
        [from.0, into.0],
    )
    .map(drop)
}
