//! Better words for a memory that rules have made. What it said before is kept; everything but the words stays as it is.
//!
//! Not here: which memories wait for better words (`jobs`), what asking for them costs (`model_calls`).

use crate::db::facets::{MemoryReader, MemoryWriter};
use crate::memories::revisions::{self, Author};
use crate::memories::{forget, revise};
use crate::search::words;
use crate::{StoreError, memories};
use backstory_memory::{Content, Memory, MemoryId, Redacted, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

/// What became of better words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolishOutcome {
    /// The memory says it so now.
    Applied,
    /// The memory has changed, is gone, or somebody has taken it into their own hands: the words are of no use.
    Outdated,
}

impl MemoryReader<'_> {
    /// Returns a memory whose words are still the rules' own, in force and undamaged.
    pub fn to_polish(&self, id: MemoryId) -> Result<Option<Memory>, StoreError> {
        let is_of_rules = self.store.read("read a memory", |db| {
            Ok(words_are_of_rules(db, id)? && polished_from(db, id)?.is_none())
        })?;
        let memory = if is_of_rules { self.store.memories().get(id)? } else { None };
        Ok(memory.filter(|memory| memory.standing.is_live() && memory.is_intact()))
    }
}

impl MemoryWriter<'_> {
    /// Gives a memory title and body of `worded`, provided it is still as it was when they were looked for.
    ///
    /// It counts as unchanged: who has seen it need not see it again.
    pub fn polish(
        &mut self,
        seen: &Memory,
        worded: &Redacted<Content>,
        now: Timestamp,
    ) -> Result<PolishOutcome, StoreError> {
        self.store.write("give a memory better words", |transaction| {
            if !words_are_of_rules(transaction, seen.id)? {
                return Ok(PolishOutcome::Outdated);
            }
            let before = memories::read(transaction, seen.id)?;
            let content =
                Content { title: worded.title.clone(), body: worded.body.clone(), ..before.content.clone() };
            let is_as_seen =
                before.checksum == seen.checksum && before.is_intact() && before.standing.is_live();
            if !is_as_seen || forget::tombstone_for(transaction, None, &content)?.is_some() {
                return Ok(PolishOutcome::Outdated);
            }
            revisions::keep(transaction, &before, Author::Model, now)?;
            words::remove(transaction, &before)?;
            revise::overwrite(transaction, before.id, &content, before.updated_at)?;
            words::add(transaction, before.id, before.project, &content)?;
            transaction.execute(
                "UPDATE memories SET polished_from = ?2 WHERE id = ?1",
                params![before.id.0, before.content.fingerprint().0],
            )?;
            Ok(PolishOutcome::Applied)
        })
    }
}

/// Whether a memory was distilled, and nobody has given it words of their own.
fn words_are_of_rules(db: &Connection, id: MemoryId) -> rusqlite::Result<bool> {
    let sql = "SELECT 1 FROM memories m WHERE m.id = ?1 AND m.subject IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM revisions r WHERE r.memory_id = m.id AND r.replaced_by = 'person')";
    db.prepare_cached(sql)?.exists([id.0])
}

/// Returns the fingerprint of the rules' wording, where a model's has taken its place.
pub(crate) fn polished_from(db: &Connection, id: MemoryId) -> rusqlite::Result<Option<Vec<u8>>> {
    let sql = "SELECT polished_from FROM memories WHERE id = ?1";
    Ok(db.prepare_cached(sql)?.query_row([id.0], |row| row.get(0)).optional()?.flatten())
}

/// The rules have made other words: these are the memory's own again.
pub(crate) fn forget_polish(db: &Connection, id: MemoryId) -> rusqlite::Result<()> {
    db.execute("UPDATE memories SET polished_from = NULL WHERE id = ?1", [id.0]).map(drop)
}
