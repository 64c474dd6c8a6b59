//! What was given to hosts, what came of it, and the proof that hooks run (law 9).
//!
//! Not here: what a session still has in view (`context_window`), how often a memory was shown in total (`impressions`), lists for
//! people (`inspect`).

pub(crate) mod context_window;
pub(crate) mod fetches;
pub(crate) mod impressions;

use crate::db::codes;
use crate::db::facets::{InjectionReader, InjectionWriter};
use crate::db::open::TxError;
use crate::{ImpressionKind, StoreError};
use backstory_memory::{Injection, InjectionId, MemoryId, Redacted, Shingles, Timestamp};
use rusqlite::{Connection, Row, Rows, params};

/// An echo older than this many blocks is not looked for.
const RECENT_INJECTIONS: u32 = 48;

/// One time a memory was given to a host.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryInjection {
    /// In which injection.
    pub injection: InjectionId,
    /// When.
    pub at: Timestamp,
    /// At which moment, by its name.
    pub moment: String,
    /// Its place in the block, from 1.
    pub rank: u32,
    /// The score it had.
    pub score: f64,
    /// What it cost.
    pub tokens: u32,
    /// Why it was given.
    pub reasons: Vec<String>,
    /// The section it was in.
    pub section: String,
    /// When it was used after that, and how.
    pub used: Option<(Timestamp, String)>,
}

/// How much of what was given in one section, of one kind, was used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usefulness {
    /// The section.
    pub section: String,
    /// The kind, by its name.
    pub kind: String,
    /// How often one was given.
    pub injected: u64,
    /// How often it was used after that.
    pub used: u64,
    /// How often its file was edited after that, and nothing more.
    pub touched: u64,
}

/// The number of a receipt, to complete it later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiptId(i64);

/// The proof that a hook ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The host's name.
    pub host: String,
    /// What the host called the event.
    pub event: Redacted<String>,
    /// When it ran.
    pub at: Timestamp,
    /// How long it took, in microseconds, from the start of the process.
    pub duration_us: u32,
    /// What the host gave.
    pub bytes_in: u32,
    /// What the host was given.
    pub bytes_out: u32,
    /// What became of it.
    pub outcome: String,
    /// The fields the host's payload should have had and did not.
    pub missing_fields: Vec<String>,
}

impl InjectionWriter<'_> {
    /// Records a block that is given to a host, with every memory in it.
    pub fn record(&mut self, injection: &Injection) -> Result<InjectionId, StoreError> {
        self.store.write("record an injection", |transaction| Ok(insert(transaction, injection)?))
    }

    /// Records a block and what the hook's receipt says now, in the same transaction. Writes a receipt if the hook has none yet.
    pub fn record_with_receipt(
        &mut self,
        injection: &Injection,
        receipt: &Receipt,
        earlier: Option<ReceiptId>,
    ) -> Result<InjectionId, StoreError> {
        self.store.write("record an injection", |transaction| {
            match earlier {
                Some(id) => complete_receipt(transaction, id, receipt)?,
                None => insert_receipt(transaction, receipt).map(drop)?,
            }
            Ok(insert(transaction, injection)?)
        })
    }

    /// Corrects the duration of a hook that went on working after its event was kept.
    pub fn set_receipt_duration(&mut self, receipt: ReceiptId, duration_us: u32) -> Result<(), StoreError> {
        self.store.write("complete a receipt", |transaction| {
            let sql = "UPDATE receipts SET duration_us = ?2 WHERE id = ?1";
            Ok(transaction.execute(sql, params![receipt.0, duration_us]).map(drop)?)
        })
    }

    /// Keeps the proof that a hook ran, where there was no event to keep.
    pub fn record_receipt(&mut self, receipt: &Receipt) -> Result<(), StoreError> {
        self.store.write("keep a receipt", |transaction| Ok(insert_receipt(transaction, receipt).map(drop)?))
    }
}

impl InjectionReader<'_> {
    /// Returns what was lately given to the project of a session, so that it is known when it comes back (R24).
    ///
    /// To the project and not only to the session: a forked session has the words of the one it came from.
    pub fn recent_shingles(&self, host: &str, host_session: &str) -> Result<Shingles, StoreError> {
        self.store.read("read what was injected", |db| {
            let mut injected = Shingles::default();
            let sql = "SELECT i.shingles FROM injections i JOIN sessions s ON s.project_id = i.project_id
                 WHERE s.host = ?1 AND s.host_session = ?2 ORDER BY i.id DESC LIMIT ?3";
            let mut statement = db.prepare_cached(sql)?;
            let mut rows = statement.query(params![host, host_session, RECENT_INJECTIONS])?;
            while let Some(row) = rows.next()? {
                injected.add_bytes(row.get_ref(0)?.as_blob().unwrap_or_default());
            }
            Ok(injected)
        })
    }

    /// Returns when a memory was given to a host, and what came of it, newest first (law 9).
    pub fn of_memory(&self, memory: MemoryId, limit: u32) -> Result<Vec<MemoryInjection>, StoreError> {
        self.store.read("read what was injected", |db| {
            let sql =
                "SELECT i.at_ms, i.moment, g.rank, g.score, g.tokens, g.reasons, g.used_at_ms, g.used_how, g.section, i.id
                 FROM injected g JOIN injections i ON i.id = g.injection_id
                 WHERE g.memory_id = ?1 ORDER BY i.id DESC LIMIT ?2";
            let mut statement = db.prepare_cached(sql)?;
            let mut rows = statement.query(params![memory.0, limit])?;
            let mut injected = Vec::new();
            while let Some(row) = rows.next()? {
                let used_at: Option<i64> = row.get(6)?;
                let used_how: Option<String> = row.get(7)?;
                injected.push(MemoryInjection {
                    injection: InjectionId(row.get(9)?),
                    at: Timestamp(row.get(0)?),
                    moment: row.get(1)?,
                    rank: row.get(2)?,
                    score: row.get(3)?,
                    tokens: row.get(4)?,
                    reasons: codes::list("the reasons of an injection", &row.get::<_, String>(5)?)?,
                    section: row.get(8)?,
                    used: used_at.map(Timestamp).zip(used_how),
                });
            }
            Ok(injected)
        })
    }

    /// Returns how much of what was given was used, by section and kind, what was given most first.
    pub fn usefulness(&self) -> Result<Vec<Usefulness>, StoreError> {
        self.store.read("count what was used", |db| {
            let sql = "SELECT g.section, m.kind, count(*), sum(g.used_at_ms IS NOT NULL),
                     sum(g.used_at_ms IS NULL AND g.used_how IS NOT NULL)
                 FROM injected g JOIN memories m ON m.id = g.memory_id
                 GROUP BY g.section, m.kind ORDER BY count(*) DESC, g.section, m.kind";
            let mut statement = db.prepare_cached(sql)?;
            let rows = statement.query_map([], |row| {
                Ok(Usefulness {
                    section: row.get(0)?,
                    kind: row.get(1)?,
                    injected: row.get(2)?,
                    used: row.get(3)?,
                    touched: row.get(4)?,
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Reads the newest receipts.
    pub fn receipts(&self, limit: u32) -> Result<Vec<Receipt>, StoreError> {
        self.store.read("read the receipts", |db| {
            let mut statement = db.prepare_cached("SELECT * FROM receipts ORDER BY id DESC LIMIT ?1")?;
            receipts_from(statement.query([limit])?)
        })
    }

    /// Reads the newest receipts of one host.
    pub fn receipts_of(&self, host: &str, limit: u32) -> Result<Vec<Receipt>, StoreError> {
        self.store.read("read the receipts of a host", |db| {
            let sql = "SELECT * FROM receipts WHERE host = ?1 ORDER BY id DESC LIMIT ?2";
            let mut statement = db.prepare_cached(sql)?;
            receipts_from(statement.query(params![host, limit])?)
        })
    }
}

fn receipts_from(mut rows: Rows<'_>) -> Result<Vec<Receipt>, TxError> {
    let mut receipts = Vec::new();
    while let Some(row) = rows.next()? {
        receipts.push(receipt_from(row)?);
    }
    Ok(receipts)
}

fn receipt_from(row: &Row<'_>) -> Result<Receipt, TxError> {
    Ok(Receipt {
        host: row.get("host")?,
        event: Redacted::vouch(row.get("event")?),
        at: Timestamp(row.get("at_ms")?),
        duration_us: row.get("duration_us")?,
        bytes_in: row.get("bytes_in")?,
        bytes_out: row.get("bytes_out")?,
        outcome: row.get("outcome")?,
        missing_fields: codes::list(
            "the missing fields of a receipt",
            &row.get::<_, String>("missing_fields")?,
        )?,
    })
}

/// Records a block inside a transaction that is already open.
fn insert(db: &Connection, injection: &Injection) -> rusqlite::Result<InjectionId> {
    db.execute(
        "INSERT INTO injections (project_id, session_id, moment, at_ms, tokens, budget, bytes, build_us, sections, sections_skipped,
            shingles) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        params![
            injection.project.0,
            injection.session.map(|id| id.0),
            injection.moment.as_str(),
            injection.at.0,
            injection.tokens.0,
            injection.budget.0,
            injection.bytes,
            injection.build_us,
            codes::list_text(&injection.sections),
            codes::list_text(&injection.sections_skipped),
            injection.shingles.to_bytes(),
        ],
    )?;
    let id = InjectionId(db.last_insert_rowid());
    db.prepare_cached("INSERT INTO injection_texts (injection_id, text) VALUES (?1, ?2)")?
        .execute(params![id.0, injection.text])?;
    for injected in &injection.memories {
        // OR IGNORE: a memory may stand in two sections of a block, and its first place counts.
        db.prepare_cached(
            "INSERT OR IGNORE INTO injected (injection_id, memory_id, rank, score, tokens, reasons, section)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            id.0,
            injected.memory.0,
            injected.rank,
            injected.score,
            injected.tokens.0,
            codes::list_text(&injected.reasons),
            injected.section,
        ])?;
        impressions::note_shown(db, injected.memory, ImpressionKind::Injected, injection.at)?;
    }
    Ok(id)
}

/// Keeps a receipt inside a transaction that is already open.
pub(crate) fn insert_receipt(db: &Connection, receipt: &Receipt) -> rusqlite::Result<ReceiptId> {
    db.execute(
        "INSERT INTO receipts (host, event, at_ms, duration_us, bytes_in, bytes_out, outcome, missing_fields)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![
            receipt.host,
            receipt.event.as_str(),
            receipt.at.0,
            receipt.duration_us,
            receipt.bytes_in,
            receipt.bytes_out,
            receipt.outcome,
            codes::list_text(&receipt.missing_fields),
        ],
    )?;
    Ok(ReceiptId(db.last_insert_rowid()))
}

/// Brings a receipt up to date when its hook has done more.
fn complete_receipt(db: &Connection, id: ReceiptId, receipt: &Receipt) -> rusqlite::Result<()> {
    let sql = "UPDATE receipts SET duration_us = ?2, bytes_out = ?3, outcome = ?4 WHERE id = ?1";
    db.execute(sql, params![id.0, receipt.duration_us, receipt.bytes_out, receipt.outcome]).map(drop)
}
