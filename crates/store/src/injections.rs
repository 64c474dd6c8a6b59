//! What was given to hosts, what came of it, and the proof that hooks run (law 9).

use crate::{Store, StoreError, codes};
use backstory_memory::{Injection, InjectionId, MemoryId, Shingles, Timestamp};
use rusqlite::{Connection, params};

/// An echo older than this many blocks is not looked for.
const GIVEN_LATELY: u32 = 48;

/// How a memory was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UseKind {
    /// Someone asked for its whole text.
    Fetched,
    /// A file it speaks of was edited.
    FileEdited,
    /// Its fix was applied.
    FixApplied,
    /// Its words came back in an answer.
    Cited,
}

impl UseKind {
    const fn as_str(self) -> &'static str {
        match self {
            UseKind::Fetched => "fetched",
            UseKind::FileEdited => "file_edited",
            UseKind::FixApplied => "fix_applied",
            UseKind::Cited => "cited",
        }
    }
}

/// The proof that a hook ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The host's name.
    pub host: String,
    /// What the host called the event.
    pub event: String,
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
}

impl Store {
    /// Records a block that was given to a host, with every memory in it.
    pub fn record_injection(&mut self, injection: &Injection) -> Result<InjectionId, StoreError> {
        self.write("record an injection", |transaction| {
            transaction.execute(
                "INSERT INTO injections (project_id, session_id, moment, at_ms, tokens, budget, bytes, build_us, layers, layers_skipped,
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
                    codes::list_text(&injection.layers),
                    codes::list_text(&injection.layers_skipped),
                    injection.shingles.to_bytes(),
                ],
            )?;
            let id = InjectionId(transaction.last_insert_rowid());
            for given in &injection.memories {
                transaction
                    .prepare_cached(
                        "INSERT OR IGNORE INTO injected (injection_id, memory_id, rank, score, tokens, reasons)
                         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                    )?
                    .execute(params![
                        id.0,
                        given.memory.0,
                        given.rank,
                        given.score,
                        given.tokens.0,
                        codes::list_text(&given.reasons)
                    ])?;
            }
            Ok(id)
        })
    }

    /// Returns what was lately given to the project of a session, so that it is known when it comes back (R24).
    ///
    /// To the project and not only to the session: a forked session has the words of the one it came from.
    pub fn given_to(&self, host: &str, host_session: &str) -> Result<Shingles, StoreError> {
        self.read("read what was given", |db| {
            let mut given = Shingles::default();
            let sql = "SELECT i.shingles FROM injections i JOIN sessions s ON s.project_id = i.project_id
                 WHERE s.host = ?1 AND s.host_session = ?2 ORDER BY i.id DESC LIMIT ?3";
            let mut statement = db.prepare_cached(sql)?;
            let mut rows = statement.query(params![host, host_session, GIVEN_LATELY])?;
            while let Some(row) = rows.next()? {
                given.add_bytes(row.get_ref(0)?.as_blob().unwrap_or_default());
            }
            Ok(given)
        })
    }

    /// Keeps the proof that a hook ran which had nothing to keep.
    pub fn record_receipt(&mut self, receipt: &Receipt) -> Result<(), StoreError> {
        self.write("keep a receipt", |transaction| Ok(insert_receipt(transaction, receipt)?))
    }

    /// Notes that memories were used. Being shown is not use: only this reinforces (C23).
    pub fn note_used(&mut self, ids: &[MemoryId], how: UseKind, at: Timestamp) -> Result<(), StoreError> {
        self.write("note a use", |transaction| {
            for id in ids {
                transaction.execute(
                    "UPDATE memories SET times_used = times_used + 1, last_used_at_ms = ?2 WHERE id = ?1",
                    [id.0, at.0],
                )?;
                transaction.execute(
                    "UPDATE injected SET used_at_ms = ?2, used_how = ?3 WHERE memory_id = ?1 AND used_at_ms IS NULL",
                    params![id.0, at.0, how.as_str()],
                )?;
            }
            Ok(())
        })
    }

    /// Reads the newest receipts.
    pub fn receipts(&self, limit: u32) -> Result<Vec<Receipt>, StoreError> {
        self.read("read the receipts", |db| {
            let mut statement = db.prepare_cached("SELECT * FROM receipts ORDER BY id DESC LIMIT ?1")?;
            let rows = statement.query_map([limit], |row| {
                Ok(Receipt {
                    host: row.get("host")?,
                    event: row.get("event")?,
                    at: Timestamp(row.get("at_ms")?),
                    duration_us: row.get("duration_us")?,
                    bytes_in: row.get("bytes_in")?,
                    bytes_out: row.get("bytes_out")?,
                    outcome: row.get("outcome")?,
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}

/// Keeps a receipt inside a transaction that is already open.
pub(crate) fn insert_receipt(db: &Connection, receipt: &Receipt) -> rusqlite::Result<()> {
    db.execute(
        "INSERT INTO receipts (host, event, at_ms, duration_us, bytes_in, bytes_out, outcome)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![
            receipt.host,
            receipt.event,
            receipt.at.0,
            receipt.duration_us,
            receipt.bytes_in,
            receipt.bytes_out,
            receipt.outcome
        ],
    )
    .map(drop)
}
