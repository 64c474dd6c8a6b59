//! Forgetting: no byte of a memory stays in the database, its log, its indexes or its copies (SEC-12).
//!
//! What stays is a tombstone: the uid and a digest, so that neither an import nor another member of a team brings it back.

use crate::db::facets::{MemoryReader, MemoryWriter};
use crate::db::home::beside;
use crate::db::open::TxError;
use crate::memories::{self, NewMemory};
use crate::memories::{distilled, revise};
use crate::search::words;
use crate::upkeep::{maintain, repair};
use crate::{Home, Purpose, Spool, Store, StoreError};
use backstory_memory::{Content, Digest, Kind, Memory, MemoryId, Relation, Timestamp, Uid};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

/// How long to wait for readers before saying what remains: writers wait as long.
const SCRUB_PATIENCE: Duration = Duration::from_millis(300);
/// A wording shorter than this stands in too many events by chance.
const SHORTEST_SAYING: usize = 12;

/// What forgetting has done, and where traces may remain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForgetReport {
    /// The memories that are gone.
    pub forgotten: Vec<MemoryId>,
    /// The memories that are in force again, because what had replaced them is gone.
    pub revived: Vec<MemoryId>,
    /// The files that may still hold something of them, because they are in use, damaged or set aside.
    pub remains_in: Vec<PathBuf>,
}

impl MemoryWriter<'_> {
    /// Forgets memories, the events they came from, and every copy of both.
    pub fn forget(&mut self, ids: &[MemoryId], now: Timestamp) -> Result<ForgetReport, StoreError> {
        // Another delivery of an event they came from may be waiting.
        self.store.drain_spool(Purpose::Command)?;
        let ids: BTreeSet<MemoryId> = ids.iter().copied().collect();
        let (graves, revived) = self.store.write("forget", |transaction| {
            let replaced = replaced_by(transaction, &ids)?;
            let graves = erase_all(transaction, &ids, now)?;
            Ok((graves, still_in_force(transaction, replaced)?))
        })?;
        let mut remains_in = forget_in_copies(&self.store.home, &graves, now);
        if !self.store.scrub()? {
            remains_in.extend([self.store.path.clone(), beside(&self.store.path, "-wal")]);
        }
        remains_in.extend(repair::quarantined(&self.store.home));
        remains_in.extend(Spool::new(&self.store.home).leftovers());
        Ok(ForgetReport { forgotten: ids.into_iter().collect(), revived, remains_in })
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

impl MemoryReader<'_> {
    /// Returns the memories that say a text word for word: what was put together from a forgotten memory may still hold its words.
    pub fn containing(&self, text: &str) -> Result<Vec<MemoryId>, StoreError> {
        if text.len() < SHORTEST_SAYING {
            return Ok(Vec::new());
        }
        self.store.read("look where it is said", |db| {
            let sql = "SELECT id FROM memories WHERE instr(title, ?1) > 0 OR instr(body, ?1) > 0 OR instr(facts, ?1) > 0 ORDER BY id";
            let mut statement = db.prepare_cached(sql)?;
            let rows = statement.query_map([text], |row| row.get(0).map(MemoryId))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}

impl Store {
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

/// Returns the tombstone that stands against a memory: of its uid, or of the same words.
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
struct Tombstone {
    uid: String,
    fingerprints: Vec<Digest>,
    event_keys: Vec<Vec<u8>>,
}

fn erase_all(db: &Connection, ids: &BTreeSet<MemoryId>, now: Timestamp) -> Result<Vec<Tombstone>, TxError> {
    let mut graves = Vec::new();
    let mut index_is_stale = false;
    for id in ids {
        let uid =
            db.query_row("SELECT uid FROM memories WHERE id = ?1", [id.0], |row| row.get(0)).optional()?;
        let grave = dig(db, *id, uid.ok_or(StoreError::NoSuchMemory(*id))?)?;
        index_is_stale |= !erase(db, *id)?;
        bury(db, &grave, now)?;
        graves.push(grave);
    }
    if index_is_stale {
        words::rebuild(db, |_| {})?;
    } else {
        words::forget_stray_words(db)?;
    }
    Ok(graves)
}

/// Gathers what must stay out: every wording there ever was, the events they came from, and other events with the same text.
fn dig(db: &Connection, id: MemoryId, uid: String) -> rusqlite::Result<Tombstone> {
    let wordings = wordings(db, id)?;
    let keys =
        "SELECT e.idempotency_key FROM events e JOIN evidence v ON v.event_id = e.id WHERE v.memory_id = ?1";
    let mut statement = db.prepare_cached(keys)?;
    let mut event_keys: Vec<Vec<u8>> =
        statement.query_map([id.0], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    for (title, body) in &wordings {
        event_keys.extend(events_that_say(db, title)?);
        event_keys.extend(events_that_say(db, body)?);
    }
    let fingerprints = wordings.into_iter().map(|(title, body)| {
        let wording = Content { title, ..Content::new(Kind::Note, "", &body) };
        wording.fingerprint()
    });
    Ok(Tombstone { uid, fingerprints: fingerprints.collect(), event_keys })
}

/// Returns the titles and bodies a memory has had.
fn wordings(db: &Connection, id: MemoryId) -> rusqlite::Result<Vec<(String, String)>> {
    let sql = "SELECT title, body FROM memories WHERE id = ?1 UNION SELECT title, body FROM revisions WHERE memory_id = ?1";
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query_map([id.0], |row| {
        // Damaged text is not always text.
        let text = |column: usize| -> rusqlite::Result<String> {
            let bytes = row.get_ref(column)?.as_bytes_or_null().ok().flatten().unwrap_or_default();
            Ok(String::from_utf8_lossy(bytes).into_owned())
        };
        Ok((text(0)?, text(1)?))
    })?;
    rows.collect()
}

/// Returns the events whose payload holds a text. Too short a text would take unrelated ones with it.
fn events_that_say(db: &Connection, text: &str) -> rusqlite::Result<Vec<Vec<u8>>> {
    if text.len() < SHORTEST_SAYING {
        return Ok(Vec::new());
    }
    // Payloads are JSON: the text stands in them as JSON writes it.
    let written = serde_json::to_string(text).unwrap_or_default();
    let written = written.trim_matches('"');
    let mut statement =
        db.prepare_cached("SELECT idempotency_key FROM events WHERE instr(payload, ?1) > 0")?;
    statement.query_map([written], |row| row.get(0))?.collect()
}

/// Removes one memory and what it came from. `secure_delete` and FTS5's `secure-delete` overwrite the freed bytes.
///
/// Returns whether its words could be taken out of the index: of a damaged memory nobody knows which they were.
fn erase(db: &Connection, id: MemoryId) -> rusqlite::Result<bool> {
    let memory = memories::read(db, id).ok().filter(Memory::is_intact);
    if let Some(memory) = &memory {
        words::remove(db, memory)?;
    }
    db.execute(
        "DELETE FROM events WHERE id IN (SELECT event_id FROM evidence WHERE memory_id = ?1)",
        [id.0],
    )?;
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

/// What a memory had replaced is replaced by what replaced it, or by what else did. Where nothing did, it is in force again: better the
/// older word than none.
fn hand_on_replaced(db: &Connection, id: MemoryId) -> rusqlite::Result<()> {
    let replacement = "SELECT superseded_by FROM memories WHERE id = ?1";
    let replacement: Option<Option<i64>> =
        db.prepare_cached(replacement)?.query_row([id.0], |row| row.get(0)).optional()?;
    for old in replaced_by(db, &BTreeSet::from([id]))? {
        let by = match replacement.flatten() {
            Some(by) => Some(MemoryId(by)),
            None => other_replacement(db, old, id)?,
        };
        db.prepare_cached(
            "UPDATE memories SET superseded_by = ?3, valid_to_ms =
                iif(?3 IS NULL AND valid_to_ms = (SELECT created_at_ms FROM memories WHERE id = ?2), NULL, valid_to_ms)
             WHERE id = ?1",
        )?
        .execute(params![old.0, id.0, by.map(|by| by.0)])?;
    }
    Ok(())
}

/// Returns the newest of what else replaced a memory.
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

fn bury(db: &Connection, grave: &Tombstone, now: Timestamp) -> rusqlite::Result<()> {
    for fingerprint in &grave.fingerprints {
        db.execute(
            "INSERT OR REPLACE INTO tombstones (uid, fingerprint, forgotten_at_ms) VALUES (?1, ?2, ?3)",
            params![grave.uid, fingerprint.0, now.0],
        )?;
    }
    for key in &grave.event_keys {
        db.execute("INSERT OR IGNORE INTO forgotten_events (idempotency_key) VALUES (?1)", [key])?;
        db.execute("DELETE FROM events WHERE idempotency_key = ?1", [key])?;
    }
    Ok(())
}

/// Forgets in every copy; returns the copies where that could not be done.
fn forget_in_copies(home: &Home, graves: &[Tombstone], now: Timestamp) -> Vec<PathBuf> {
    let forget_in = |path: &PathBuf| -> Result<bool, StoreError> {
        let mut copy = Store::open_file(home, path, Purpose::Command, now)?;
        copy.write("forget in a copy", |transaction| {
            // The copy may hold an older wording: look up its memories by uid, and erase what that file holds.
            let mut there = transaction.prepare("SELECT id FROM memories WHERE uid = ?1")?;
            let ids = graves
                .iter()
                .map(|grave| there.query_row([&grave.uid], |row| row.get(0).map(MemoryId)).optional());
            let ids: BTreeSet<MemoryId> =
                ids.filter_map(Result::transpose).collect::<rusqlite::Result<_>>()?;
            erase_all(transaction, &ids, now)?;
            graves.iter().try_for_each(|grave| bury(transaction, grave, now))?;
            Ok(())
        })?;
        let scrubbed = copy.scrub()?;
        // A copy is one file: what restores it must not have to look for a log.
        copy.batch("PRAGMA journal_mode = DELETE")?;
        Ok(scrubbed)
    };
    let copies = maintain::backups(home);
    copies.into_iter().filter(|path| !forget_in(path).unwrap_or(false)).collect()
}
