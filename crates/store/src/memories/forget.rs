//! Forgetting: no byte of a memory stays in the database, its log, its indexes or its copies (SEC-12).
//!
//! What stays is a tombstone: the uid and a digest, so that neither an import nor another member of a team brings it back. Of events
//! stays a key, so that they are not stored again.
//!
//! **Which events say it.** An event goes if it holds a whole title, fact or sentence of the memory, or a long run of its letters. Of
//! the events a memory was made from only those stay that share no word with it: they support it and say nothing.
//!
//! Not here: the other files of the home (`forget_files`).

use crate::db::facets::{EventWriter, MemoryReader, MemoryWriter};
use crate::db::home::beside;
use crate::db::open::TxError;
use crate::events::{all_events, events_from};
use crate::memories::forgotten_texts::{ForgottenTexts, strings_of};
use crate::memories::{self, NewMemory};
use crate::memories::{distilled, forget_files, revise, revisions};
use crate::search::words;
use crate::{Purpose, Store, StoreError, StoredEvent};
use backstory_memory::{Content, Digest, EventId, Kind, Memory, MemoryId, Relation, Timestamp, Uid};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

/// How long to wait for readers before reporting what remains. Short, because writers wait meanwhile.
const SCRUB_PATIENCE: Duration = Duration::from_millis(300);

/// What forgetting has done, and where traces may remain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForgetReport {
    /// The memories that are gone.
    pub forgotten: Vec<MemoryId>,
    /// How many events are gone, prompts among them.
    pub events: u64,
    /// The memories that are in force again, because what had replaced them is gone.
    pub revived: Vec<MemoryId>,
    /// Memories that are left and say the same in part.
    pub mentioned_in: Vec<MemoryId>,
    /// The files that may still hold something of them, because they are in use, damaged or set aside.
    pub remains_in: Vec<PathBuf>,
}

/// What is to be forgotten.
#[derive(Debug, Default)]
pub(crate) struct Forgetting {
    pub(crate) memories: BTreeSet<MemoryId>,
    pub(crate) events: BTreeSet<EventId>,
    pub(crate) texts: ForgottenTexts,
}

impl MemoryWriter<'_> {
    /// Forgets memories, the events that say them, and every copy of both.
    pub fn forget(&mut self, ids: &[MemoryId], now: Timestamp) -> Result<ForgetReport, StoreError> {
        let memories = ids.iter().copied().collect();
        self.store.forget(Forgetting { memories, ..Forgetting::default() }, now)
    }

    /// Forgets everything that holds a phrase: memories, what memories said before, events, injected texts.
    pub fn forget_text(&mut self, phrase: &str, now: Timestamp) -> Result<ForgetReport, StoreError> {
        let texts = ForgottenTexts::with_phrase(phrase);
        self.store.forget(Forgetting { texts, ..Forgetting::default() }, now)
    }

    /// Lets a text be written again that was forgotten: the user asked for it by name.
    pub fn lift_tombstone(&mut self, memory: &NewMemory) -> Result<(), StoreError> {
        self.store.write("lift a tombstone", |transaction| {
            let uid = memory.uid.as_ref().map(Uid::as_str);
            transaction.execute(
                "DELETE FROM tombstones WHERE uid = ?1 OR uid IN (SELECT uid FROM tombstones WHERE fingerprint = ?2)",
                params![uid, memory.content.fingerprint().0],
            )?;
            Ok(())
        })
    }
}

/// What holds a phrase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PhraseMatches {
    /// Memories that say it.
    pub memories: Vec<MemoryId>,
    /// Memories that only said it before they were revised.
    pub revised: Vec<MemoryId>,
    /// Events that say it, prompts among them, in the order they arrived.
    pub events: Vec<StoredEvent>,
    /// How many injected texts say it.
    pub injections: u64,
    /// How many notes of what a writer turned down say it.
    pub rejections: u64,
    /// How many memories say it that a team forgot and that can be restored.
    pub held: u64,
    /// How many files of the code map say it, by their path or a symbol.
    pub files: u64,
}

impl MemoryReader<'_> {
    /// Finds everything that holds a phrase, whatever its case and spacing.
    pub fn containing(&self, phrase: &str) -> Result<PhraseMatches, StoreError> {
        let texts = ForgottenTexts::with_phrase(phrase);
        self.store.read("look where it is said", |db| {
            let memories = memories_that_say(db, &texts)?;
            let revised = revised_that_said(db, &texts)?;
            let revised = revised.into_iter().filter(|id| !memories.contains(id)).collect();
            let mut events = events_from(db.prepare(concat!(all_events!(), " ORDER BY e.id"))?.query([])?)?;
            events.retain(|stored| is_said(&stored.event.payload, &texts, false));
            let injections = injections_that_say(db, &texts)?.len() as u64;
            let rejections = rejections_that_say(db, &texts)?.len() as u64;
            let held = held_that_say(db, &texts)?.len() as u64;
            let files = files_that_say(db, &texts)?.len() as u64;
            Ok(PhraseMatches { memories, revised, events, injections, rejections, held, files })
        })
    }
}

impl EventWriter<'_> {
    /// Forgets events, in every copy, for good: delivered or imported again, they stay out.
    pub fn forget(&mut self, ids: &[EventId], now: Timestamp) -> Result<ForgetReport, StoreError> {
        let events = ids.iter().copied().collect();
        self.store.forget(Forgetting { events, ..Forgetting::default() }, now)
    }
}

impl Store {
    fn forget(&mut self, mut what: Forgetting, now: Timestamp) -> Result<ForgetReport, StoreError> {
        // The spool may hold a second delivery of an event that is about to be forgotten.
        self.drain_spool(Purpose::Command)?;
        let erased = self.write("forget", |transaction| erase_all(transaction, &mut what, now))?;
        let mut remains_in = forget_files::forget_in_files(&self.home, &what, &erased, now);
        if !self.scrub_mirror().unwrap_or(false) {
            remains_in.push(self.home.mirror());
        }
        if !self.scrub()? {
            remains_in.extend([self.path.clone(), beside(&self.path, "-wal")]);
        }
        Ok(ForgetReport {
            forgotten: what.memories.into_iter().collect(),
            events: erased.event_keys.len() as u64,
            revived: erased.revived,
            mentioned_in: erased.mentioned_in,
            remains_in,
        })
    }

    /// Gives free pages back, moves the log into the database and cuts it. Returns whether nobody stood in the way.
    ///
    /// SQLite overwrites bytes as it frees them (`secure_delete`); older copies remain in the log, and in the pages that the log replaces.
    pub(crate) fn scrub(&mut self) -> Result<bool, StoreError> {
        self.upkeep_mut().vacuum()?;
        self.cut_log(SCRUB_PATIENCE)
    }
}

/// Refuses what was forgotten.
pub(crate) fn refuse_forgotten(db: &Connection, uid: Option<&Uid>, content: &Content) -> Result<(), TxError> {
    match tombstone_for(db, uid, content)? {
        Some(uid) => Err(StoreError::Forgotten { uid }.into()),
        None => Ok(()),
    }
}

/// Returns the uid of the tombstone that keeps a memory out: by its own uid, or by the same words.
pub(crate) fn tombstone_for(
    db: &Connection,
    uid: Option<&Uid>,
    content: &Content,
) -> rusqlite::Result<Option<Uid>> {
    let found: Option<String> = db
        .prepare_cached("SELECT uid FROM tombstones WHERE uid = ?1 OR fingerprint = ?2 LIMIT 1")?
        .query_row(params![uid.map(Uid::as_str), content.fingerprint().0], |row| row.get(0))
        .optional()?;
    Ok(found.and_then(|uid| Uid::parse(&uid).ok()))
}

/// Returns the memories that some of these have replaced.
fn replaced_by(db: &Connection, ids: &BTreeSet<MemoryId>) -> rusqlite::Result<Vec<MemoryId>> {
    let mut statement = db.prepare_cached("SELECT id FROM memories WHERE superseded_by = ?1")?;
    let mut replaced = Vec::new();
    for id in ids {
        for old in statement.query_map([id.0], |row| row.get(0).map(MemoryId))? {
            replaced.push(old?);
        }
    }
    Ok(replaced)
}

/// Keeps those that are there and not replaced.
fn still_in_force(db: &Connection, ids: Vec<MemoryId>) -> rusqlite::Result<Vec<MemoryId>> {
    let mut statement =
        db.prepare_cached("SELECT 1 FROM memories WHERE id = ?1 AND superseded_by IS NULL")?;
    let mut in_force = Vec::new();
    for id in ids {
        if statement.exists([id.0])? {
            in_force.push(id);
        }
    }
    Ok(in_force)
}

/// What remains of a forgotten memory.
pub(crate) struct Tombstone {
    pub(crate) uid: String,
    fingerprints: Vec<Digest>,
}

/// What was erased in one database.
#[derive(Default)]
pub(crate) struct Erased {
    pub(crate) graves: Vec<Tombstone>,
    pub(crate) event_keys: BTreeSet<Vec<u8>>,
    revived: Vec<MemoryId>,
    mentioned_in: Vec<MemoryId>,
}

/// Erases in one database: what is listed, and what says it. Adds to `what` the memories and the texts that came up on the way.
pub(crate) fn erase_all(db: &Connection, what: &mut Forgetting, now: Timestamp) -> Result<Erased, TxError> {
    // A person's phrase removes every memory that holds it. A memory that merely shares words with a forgotten one stays.
    let phrase = what.texts.phrase();
    if let Some(phrase) = &phrase {
        what.memories.extend(memories_that_say(db, phrase)?);
    }
    let mut graves = Vec::new();
    for id in &what.memories {
        memories::refuse_unknown(db, *id)?;
        let wordings = wordings(db, *id)?;
        wordings.iter().for_each(|content| what.texts.add(content));
        graves.push(dig(db, *id, &wordings)?);
    }
    // Looked up before anything is deleted: evidence and replacements are deleted with the memories.
    let replaced = replaced_by(db, &what.memories)?;
    let mut erased = Erased { graves, event_keys: events_that_say(db, what)?, ..Erased::default() };
    if let Some(phrase) = &phrase {
        erase_earlier_wordings(db, phrase)?;
        erase_held(db, phrase)?;
    }
    erase_said(db, &what.texts)?;
    let mut index_is_stale = false;
    for id in &what.memories {
        index_is_stale |= !erase(db, *id)?;
    }
    erased.graves.iter().try_for_each(|grave| bury(db, grave, now))?;
    bury_events(db, &erased.event_keys)?;
    if index_is_stale {
        words::rebuild(db, |_| {})?;
    } else if !what.memories.is_empty() {
        words::forget_stray_words(db)?;
    }
    erased.revived = still_in_force(db, replaced)?;
    let mentioned: BTreeSet<MemoryId> =
        memories_that_say(db, &what.texts)?.into_iter().chain(revised_that_said(db, &what.texts)?).collect();
    erased.mentioned_in = mentioned.into_iter().collect();
    Ok(erased)
}

/// Gathers what must stay out: every wording there ever was.
fn dig(db: &Connection, id: MemoryId, wordings: &[Content]) -> rusqlite::Result<Tombstone> {
    let uid = db.query_row("SELECT uid FROM memories WHERE id = ?1", [id.0], |row| row.get(0))?;
    let fingerprints = wordings.iter().map(Content::fingerprint).collect();
    Ok(Tombstone { uid, fingerprints })
}

/// Returns what a memory says and said before; of a damaged memory, the title and the body as far as they can be read.
fn wordings(db: &Connection, id: MemoryId) -> Result<Vec<Content>, TxError> {
    if let (Ok(memory), Ok(revisions)) = (memories::read(db, id), revisions::read_all(db, id)) {
        return Ok([memory.content]
            .into_iter()
            .chain(revisions.into_iter().map(|old| old.content))
            .collect());
    }
    let sql = "SELECT title, body FROM memories WHERE id = ?1 UNION SELECT title, body FROM revisions WHERE memory_id = ?1";
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query_map([id.0], |row| {
        // Damaged text is not always text.
        let text = |column: usize| -> rusqlite::Result<String> {
            let bytes = row.get_ref(column)?.as_bytes_or_null().ok().flatten().unwrap_or_default();
            Ok(String::from_utf8_lossy(bytes).into_owned())
        };
        Ok(Content { title: text(0)?, ..Content::new(Kind::Note, "", &text(1)?) })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Returns the memories that say a text.
pub(crate) fn memories_that_say(db: &Connection, texts: &ForgottenTexts) -> Result<Vec<MemoryId>, TxError> {
    let mut statement = db.prepare("SELECT id FROM memories ORDER BY id")?;
    let ids: Vec<i64> = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let mut said = Vec::new();
    for id in ids.into_iter().map(MemoryId) {
        let is_said = match memories::read(db, id) {
            Ok(memory) => texts.are_in_content(&memory.content),
            Err(_) => row_says(db, "SELECT * FROM memories WHERE id = ?1", id, texts)?,
        };
        if is_said {
            said.push(id);
        }
    }
    Ok(said)
}

/// Whether any column of a memory's rows says it. For rows too damaged to be read as a memory: they still hold their words.
fn row_says(db: &Connection, sql: &str, id: MemoryId, texts: &ForgottenTexts) -> rusqlite::Result<bool> {
    let mut statement = db.prepare_cached(sql)?;
    let columns = statement.column_count();
    let mut rows = statement.query([id.0])?;
    while let Some(row) = rows.next()? {
        for column in 0..columns {
            let bytes = row.get_ref(column)?.as_bytes_or_null().ok().flatten().unwrap_or_default();
            if is_said(&String::from_utf8_lossy(bytes), texts, false) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Returns the keys of the events that are listed, that say it, or that a forgotten memory was made from and share a word with it.
fn events_that_say(db: &Connection, what: &Forgetting) -> rusqlite::Result<BTreeSet<Vec<u8>>> {
    let mut evidence = BTreeSet::new();
    let mut statement = db.prepare_cached("SELECT event_id FROM evidence WHERE memory_id = ?1")?;
    for id in &what.memories {
        for event in statement.query_map([id.0], |row| row.get::<_, i64>(0))? {
            evidence.insert(EventId(event?));
        }
    }
    let mut statement = db.prepare("SELECT id, idempotency_key, payload FROM events")?;
    let mut rows = statement.query([])?;
    let mut keys = BTreeSet::new();
    while let Some(row) = rows.next()? {
        let id = EventId(row.get(0)?);
        let payload: String = row.get(2)?;
        if what.events.contains(&id) || is_said(&payload, &what.texts, evidence.contains(&id)) {
            keys.insert(row.get(1)?);
        }
    }
    Ok(keys)
}

/// Whether the payload of an event says it; one that a memory was made from does so by a single word.
pub(crate) fn is_said(payload: &str, texts: &ForgottenTexts, is_evidence: bool) -> bool {
    let said = strings_of(payload).join("\n");
    texts.are_in(&said) || texts.are_in(payload) || (is_evidence && texts.share_a_word_with(&said))
}

/// Removes earlier wordings that hold the phrase. Only for a phrase that a person chose: whether other memories that say the same
/// as a forgotten one go, the person decides.
fn erase_earlier_wordings(db: &Connection, texts: &ForgottenTexts) -> Result<(), TxError> {
    for id in revised_that_said(db, texts)? {
        // If they cannot be read, all of them go: nobody can tell which one holds the phrase.
        let mut earlier = revisions::read_all(db, id).unwrap_or_default();
        earlier.retain(|old| !texts.are_in_content(&old.content));
        db.execute("DELETE FROM revisions WHERE memory_id = ?1", [id.0])?;
        earlier.iter().try_for_each(|old| revisions::insert(db, id, old))?;
        // The mirror has them too, and only the triggers of a memory list it.
        db.execute("INSERT INTO mirror_queue (memory_id) VALUES (?1)", [id.0])?;
    }
    Ok(())
}

/// Removes held memories, which a team forgot and the user could restore, if they hold the phrase.
fn erase_held(db: &Connection, texts: &ForgottenTexts) -> rusqlite::Result<()> {
    let held = held_that_say(db, texts)?;
    held.into_iter().try_for_each(|id| db.execute("DELETE FROM held_memories WHERE id = ?1", [id]).map(drop))
}

fn held_that_say(db: &Connection, texts: &ForgottenTexts) -> rusqlite::Result<Vec<i64>> {
    rows_that_say(db, "SELECT id, content FROM held_memories", texts)
}

/// Removes injected texts, what was turned down, titles of sessions, and code maps that say it.
fn erase_said(db: &Connection, texts: &ForgottenTexts) -> Result<(), TxError> {
    for id in injections_that_say(db, texts)? {
        db.execute("DELETE FROM injection_texts WHERE injection_id = ?1", [id])?;
    }
    for id in rejections_that_say(db, texts)? {
        db.execute("DELETE FROM rejections WHERE id = ?1", [id])?;
    }
    for id in rows_that_say(db, "SELECT id, title FROM sessions WHERE title IS NOT NULL", texts)? {
        db.execute("UPDATE sessions SET title = NULL WHERE id = ?1", [id])?;
    }
    let changes = "SELECT id, path || char(10) || qualified_name || char(10) || signature FROM code_changes";
    for id in rows_that_say(db, changes, texts)? {
        db.execute("DELETE FROM code_changes WHERE id = ?1", [id])?;
    }
    erase_maps(db, texts)
}

/// Returns the memories that said it before they were revised.
fn revised_that_said(db: &Connection, texts: &ForgottenTexts) -> Result<Vec<MemoryId>, TxError> {
    let mut statement = db.prepare("SELECT DISTINCT memory_id FROM revisions ORDER BY memory_id")?;
    let ids: Vec<i64> = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let mut said = Vec::new();
    for id in ids.into_iter().map(MemoryId) {
        let is_said = match revisions::read_all(db, id) {
            Ok(earlier) => earlier.iter().any(|old| texts.are_in_content(&old.content)),
            Err(_) => row_says(db, "SELECT * FROM revisions WHERE memory_id = ?1", id, texts)?,
        };
        if is_said {
            said.push(id);
        }
    }
    Ok(said)
}

fn injections_that_say(db: &Connection, texts: &ForgottenTexts) -> rusqlite::Result<Vec<i64>> {
    rows_that_say(db, "SELECT injection_id, text FROM injection_texts", texts)
}

fn rejections_that_say(db: &Connection, texts: &ForgottenTexts) -> rusqlite::Result<Vec<i64>> {
    rows_that_say(db, "SELECT id, text || char(10) || coalesce(detail, '') FROM rejections", texts)
}

/// Returns the numbers of the rows whose text says it.
fn rows_that_say(db: &Connection, sql: &str, texts: &ForgottenTexts) -> rusqlite::Result<Vec<i64>> {
    let mut statement = db.prepare(sql)?;
    let mut rows = statement.query([])?;
    let mut said = Vec::new();
    while let Some(row) = rows.next()? {
        if is_said(&row.get::<_, String>(1)?, texts, false) {
            said.push(row.get(0)?);
        }
    }
    Ok(said)
}

/// Removes what is known of files that say it: their code maps are made again when they are next seen.
fn erase_maps(db: &Connection, texts: &ForgottenTexts) -> Result<(), TxError> {
    for (project, path) in files_that_say(db, texts)? {
        for table in ["mapped_files", "unmapped_files"] {
            let sql = format!("DELETE FROM {table} WHERE project_id = ?1 AND path = ?2");
            db.execute(&sql, params![project, path])?;
        }
    }
    Ok(())
}

/// Returns the files of the code map whose path or symbols say it, those that could not be mapped included.
fn files_that_say(db: &Connection, texts: &ForgottenTexts) -> rusqlite::Result<BTreeSet<(i64, String)>> {
    let mut said = BTreeSet::new();
    for sql in [
        "SELECT project_id, path, path || char(10) || qualified_name || char(10) || signature FROM symbols",
        "SELECT project_id, path, path FROM mapped_files UNION SELECT project_id, path, path FROM unmapped_files",
    ] {
        let mut statement = db.prepare(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if texts.are_in(&row.get::<_, String>(2)?) {
                said.insert((row.get(0)?, row.get(1)?));
            }
        }
    }
    Ok(said)
}

/// Removes one memory. `secure_delete` and FTS5's `secure-delete` overwrite the freed bytes.
///
/// Returns whether its words could be taken out of the index: nobody knows which words a damaged memory had.
fn erase(db: &Connection, id: MemoryId) -> rusqlite::Result<bool> {
    let memory = memories::read(db, id).ok().filter(Memory::is_intact);
    if let Some(memory) = &memory {
        words::remove(db, memory)?;
    }
    hand_on_replaced(db, id)?;
    // The texts that were injected hold its words.
    db.execute(
        "DELETE FROM injection_texts WHERE injection_id IN (SELECT injection_id FROM injected WHERE memory_id = ?1)",
        [id.0],
    )?;
    distilled::bury_subject(db, id)?;
    db.execute("DELETE FROM memories WHERE id = ?1", [id.0])?;
    Ok(memory.is_some())
}

/// Hands on the memories that this one had replaced: to its own replacement, else to another memory that replaced them. Without
/// either they are in force again: better the older word than none.
fn hand_on_replaced(db: &Connection, id: MemoryId) -> rusqlite::Result<()> {
    let replacement = "SELECT superseded_by FROM memories WHERE id = ?1";
    let replacement: Option<Option<i64>> =
        db.prepare_cached(replacement)?.query_row([id.0], |row| row.get(0)).optional()?;
    for old in replaced_by(db, &BTreeSet::from([id]))? {
        let by = match replacement.flatten() {
            Some(by) => Some(MemoryId(by)),
            None => other_replacement(db, old, id)?,
        };
        // Its validity ended when it was replaced, and is open again. An end that somebody else set stays.
        db.prepare_cached(
            "UPDATE memories SET superseded_by = ?3, valid_to_ms =
                iif(?3 IS NULL AND valid_to_ms = (SELECT created_at_ms FROM memories WHERE id = ?2), NULL, valid_to_ms)
             WHERE id = ?1",
        )?
        .execute(params![old.0, id.0, by.map(|by| by.0)])?;
    }
    Ok(())
}

/// Returns the newest other memory that replaced this one.
fn other_replacement(db: &Connection, old: MemoryId, than: MemoryId) -> rusqlite::Result<Option<MemoryId>> {
    let sql = "SELECT from_id FROM links WHERE to_id = ?1 AND relation = ?2 AND from_id <> ?3 ORDER BY from_id DESC";
    let mut statement = db.prepare_cached(sql)?;
    let others = statement
        .query_map(params![old.0, Relation::Supersedes.as_str(), than.0], |row| row.get(0).map(MemoryId))?;
    for other in others {
        let other = other?;
        if !revise::would_circle(db, old, other)? {
            return Ok(Some(other));
        }
    }
    Ok(None)
}

/// Sets a tombstone against every wording.
pub(crate) fn bury(db: &Connection, grave: &Tombstone, now: Timestamp) -> rusqlite::Result<()> {
    for fingerprint in &grave.fingerprints {
        db.execute(
            "INSERT OR REPLACE INTO tombstones (uid, fingerprint, forgotten_at_ms) VALUES (?1, ?2, ?3)",
            params![grave.uid, fingerprint.0, now.0],
        )?;
    }
    Ok(())
}

/// Removes events, and keeps their keys so that they stay out.
pub(crate) fn bury_events(db: &Connection, keys: &BTreeSet<Vec<u8>>) -> rusqlite::Result<()> {
    for key in keys {
        db.execute("INSERT OR IGNORE INTO forgotten_events (idempotency_key) VALUES (?1)", [key])?;
        db.execute("DELETE FROM events WHERE idempotency_key = ?1", [key])?;
    }
    Ok(())
}
