//! Changing memories without losing what they said: revising, superseding, pinning, reinforcing.
//!
//! Not here: what they said before (`revisions`), whether a memory was used (`impressions`).

use crate::db::facets::MemoryWriter;
use crate::memories::columns::{self, content_columns, content_parameters};
use crate::memories::revisions::{self, Author};
use crate::memories::{anchors, forget, standing, writers};
use crate::search::words;
use crate::{NewMemory, StoreError, memories};
use backstory_memory::{
    Checksum, Content, EvidenceKind, Memory, MemoryId, Redacted, Standing, StandingReason, Timestamp,
};
use rusqlite::{Connection, OptionalExtension, params};

impl MemoryWriter<'_> {
    /// Gives a memory other content and keeps what it said before.
    ///
    /// Content that was not redacted is refused by the compiler (law 7):
    ///
    /// ```compile_fail,E0308
    /// use backstory_memory::{Content, MemoryId, Timestamp};
    /// fn revise(store: &mut backstory_store::Store, content: &Content) {
    ///     store.memories_mut().revise(MemoryId(1), content, Timestamp(0)).unwrap();
    /// }
    /// ```
    pub fn revise(
        &mut self,
        id: MemoryId,
        content: &Redacted<Content>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.store.write("revise a memory", |transaction| {
            // Read inside the transaction: the word index removes only exactly what was put in.
            let before = memories::read(transaction, id)?;
            forget::refuse_forgotten(transaction, None, content)?;
            revisions::keep(transaction, &before, Author::Person, now)?;
            writers::take_over(transaction, id)?;
            // Evidence for the old words proves nothing about the new ones.
            Ok(replace_content(transaction, &before, (content, EvidenceKind::Words), now)?)
        })
    }

    /// Writes a memory that replaces another that is still in force.
    pub fn supersede(&mut self, old: MemoryId, memory: &NewMemory) -> Result<MemoryId, StoreError> {
        self.supersede_all(&[old], memory)
    }

    /// Writes a memory that replaces others that are all still in force: every one of them, or none.
    pub fn supersede_all(&mut self, olds: &[MemoryId], memory: &NewMemory) -> Result<MemoryId, StoreError> {
        self.store.write("supersede memories", |transaction| {
            for old in olds.iter().copied() {
                memories::refuse_unknown(transaction, old)?;
                if let Some(by) = in_its_place(transaction, old)? {
                    return Err(StoreError::Superseded { old, by }.into());
                }
            }
            forget::refuse_forgotten(transaction, memory.uid.as_ref(), &memory.content)?;
            let id = memories::insert(transaction, None, memory)?;
            for old in olds {
                mark_superseded(transaction, *old, id, memory.created_at)?;
            }
            Ok(id)
        })
    }

    /// Notes that one memory replaces another. Does nothing when it would make a circle.
    pub fn mark_superseded(&mut self, old: MemoryId, by: MemoryId, at: Timestamp) -> Result<(), StoreError> {
        self.store.write("supersede a memory", |transaction| {
            memories::refuse_unknown(transaction, old)?;
            memories::refuse_unknown(transaction, by)?;
            if !would_circle(transaction, old, by)? {
                mark_superseded(transaction, old, by, at)?;
            }
            Ok(())
        })
    }

    /// Puts a memory back as it was before the user changed it: its content and its standing. What it said in between stays as a
    /// revision.
    pub fn put_back(
        &mut self,
        id: MemoryId,
        content: &Redacted<Content>,
        standing: (Standing, StandingReason),
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.store.write("undo a change", |transaction| {
            let between = memories::read(transaction, id)?;
            forget::refuse_forgotten(transaction, None, content)?;
            if between.content.fingerprint() != content.fingerprint() {
                revisions::keep(transaction, &between, Author::Person, now)?;
            }
            replace_content(transaction, &between, (content, EvidenceKind::Words), now)?;
            if let Standing::Superseded(_) = standing.0 {
                return Ok(());
            }
            standing::set(transaction, id, standing, now)?;
            let sql = "UPDATE memories SET superseded_by = NULL WHERE id = ?1";
            Ok(transaction.execute(sql, [id.0]).map(drop)?)
        })
    }

    /// Keeps a memory in view, or no longer.
    pub fn pin(&mut self, id: MemoryId, pinned: Pin) -> Result<(), StoreError> {
        let value = pinned == Pin::Keep;
        self.store.write("pin a memory", |transaction| {
            writers::take_over(transaction, id)?;
            let sql = "UPDATE memories SET pinned = ?2 WHERE id = ?1";
            match transaction.execute(sql, params![id.0, value])? {
                0 => Err(StoreError::NoSuchMemory(id).into()),
                _ => Ok(()),
            }
        })
    }

    /// Counts that the same thing was seen once more, which raises its confidence.
    pub fn reinforce(&mut self, id: MemoryId, now: Timestamp) -> Result<(), StoreError> {
        self.store.write("reinforce a memory", |transaction| {
            Ok(count_again(transaction, &memories::read(transaction, id)?, now)?)
        })
    }
}

/// Whether a memory is to be kept in view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pin {
    /// Keep it in view.
    Keep,
    /// No longer.
    Release,
}

/// Whether replacing `old` by `by` would close a circle, in which every memory is replaced and none is in force.
pub(crate) fn would_circle(db: &Connection, old: MemoryId, by: MemoryId) -> rusqlite::Result<bool> {
    // UNION, not UNION ALL: a circle that is already there must end the recursion.
    let chain = "WITH RECURSIVE later (id) AS (SELECT ?2 UNION SELECT m.superseded_by FROM memories m
         JOIN later ON m.id = later.id WHERE m.superseded_by IS NOT NULL)
         SELECT 1 FROM later WHERE id = ?1";
    db.prepare_cached(chain)?.exists([old.0, by.0])
}

/// Returns the memory in force at the end of the chain of replacements; none if the memory itself is in force.
fn in_its_place(db: &Connection, old: MemoryId) -> rusqlite::Result<Option<MemoryId>> {
    let chain = "WITH RECURSIVE later (id) AS (SELECT superseded_by FROM memories WHERE id = ?1
         UNION SELECT m.superseded_by FROM memories m JOIN later ON m.id = later.id WHERE m.superseded_by IS NOT NULL)
         SELECT m.id FROM memories m JOIN later ON m.id = later.id WHERE m.superseded_by IS NULL";
    db.prepare_cached(chain)?.query_row([old.0], |row| row.get(0).map(MemoryId)).optional()
}

/// Gives a row other content, and all that is derived from it; `evidence` is what speaks for the new words.
pub(crate) fn replace_content(
    db: &Connection,
    before: &Memory,
    (content, evidence): (&Content, EvidenceKind),
    now: Timestamp,
) -> rusqlite::Result<()> {
    // Nobody knows which words the index holds of a damaged memory.
    let is_intact = before.is_intact();
    if is_intact {
        words::remove(db, before)?;
    }
    overwrite(db, before.id, content, now)?;
    standing::reassess(db, before, (content, evidence), now)?;
    anchors::follow_files(db, before.id, &before.content.files, &content.files)?;
    if is_intact {
        words::add(db, before.id, before.project, content)
    } else {
        words::rebuild(db, |_| {}).map(drop)
    }
}

/// Writes other content into a row. The word index and the anchors are the caller's.
pub(crate) fn overwrite(
    db: &Connection,
    id: MemoryId,
    content: &Content,
    now: Timestamp,
) -> rusqlite::Result<()> {
    let mut statement = db.prepare_cached(concat!(
        "UPDATE memories SET (",
        content_columns!(),
        ", assertion, tokens, fingerprint, checksum, updated_at_ms) = (",
        content_parameters!(),
        // Other words assert something else, which is compared anew.
        ", NULL, ?, ?, ?, ?) WHERE id = ?"
    ))?;
    let checksum = Checksum::of_content(content).0.0;
    let rest = params![content.tokens().0, content.fingerprint().0, checksum, now.0, id.0];
    columns::execute(&mut statement, content, rest)
}

/// Counts that the same thing was seen once more.
pub(crate) fn count_again(db: &Connection, memory: &Memory, now: Timestamp) -> rusqlite::Result<()> {
    let confidence = memory.content.confidence.seen_again().get();
    let sql =
        "UPDATE memories SET times_seen = times_seen + 1, confidence = ?2, updated_at_ms = ?3 WHERE id = ?1";
    db.execute(sql, params![memory.id.0, confidence, now.0]).map(drop)
}

pub(crate) fn mark_superseded(
    db: &Connection,
    old: MemoryId,
    by: MemoryId,
    at: Timestamp,
) -> rusqlite::Result<()> {
    db.execute(
        // An imported or pulled replacement may be older than what it replaces: its time must not set the memory's back.
        "UPDATE memories SET superseded_by = ?2, updated_at_ms = max(updated_at_ms, ?3), valid_to_ms = coalesce(valid_to_ms, ?3)
         WHERE id = ?1",
        params![old.0, by.0, at.0],
    )
    .map(drop)
}
