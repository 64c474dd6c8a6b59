//! The last known code map, and which symbols each session made, changed or removed.
//!
//! The map is derived: without it, the next change is compared with what the files were before it. Not here: reading files
//! (`capture`), where memories hold in the code (`anchors`).

use crate::db::codes;
use crate::db::facets::{CodeReader, CodeWriter};
use crate::db::open::TxError;
use crate::{Store, StoreError};
use backstory_memory::{
    ChangedSymbol, CodeChange, Digest, ProjectId, Redacted, SessionId, Symbol, SymbolChange, Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

/// How many changes of one project are kept, the newest.
const MOST_CHANGES: u32 = 5_000;
/// Of how many files of one project the map is kept, the last seen; and of how many it is known that they have none.
const MOST_FILES: u32 = 5_000;

/// The code map of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileMap {
    /// The digest of the bytes it was read from.
    pub content_hash: Digest,
    /// Its symbols, in the order they stand in.
    pub symbols: Vec<Symbol>,
}

/// A file that was looked at, and what had become of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileUpdate {
    /// Its path relative to the project's root.
    pub path: String,
    /// What it is now.
    pub state: FileState,
    /// Which of its symbols changed since it was last looked at.
    pub changes: Vec<CodeChange>,
}

/// What a file is to the code map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileState {
    /// It has a map.
    Mapped(FileMap),
    /// It could not be read, and why. What was known of it stays known until it can be read again.
    Unmapped(String),
    /// It is not there any more.
    Gone,
}

impl CodeReader<'_> {
    /// Returns the last known code map of a file.
    pub fn file_map(&self, project: ProjectId, path: &str) -> Result<Option<FileMap>, StoreError> {
        self.store.read("read the code map", |db| {
            let sql = "SELECT content_hash FROM mapped_files WHERE project_id = ?1 AND path = ?2";
            let hash: Option<Vec<u8>> =
                db.prepare_cached(sql)?.query_row(params![project.0, path], |row| row.get(0)).optional()?;
            let Some(hash) = hash else { return Ok(None) };
            let sql = "SELECT * FROM symbols WHERE project_id = ?1 AND path = ?2 ORDER BY position";
            let mut statement = db.prepare_cached(sql)?;
            let mut rows = statement.query(params![project.0, path])?;
            let mut symbols = Vec::new();
            while let Some(row) = rows.next()? {
                symbols.push(symbol_from(row)?);
            }
            Ok(Some(FileMap { content_hash: codes::digest("a code map", &hash)?, symbols }))
        })
    }

    /// Returns which symbols were changed, by one session or by all of the project, the last changed first.
    pub fn changes(
        &self,
        project: ProjectId,
        session: Option<SessionId>,
        limit: u32,
    ) -> Result<Vec<ChangedSymbol>, StoreError> {
        self.store.read("read the code changes", |db| {
            let sql = "SELECT * FROM code_changes WHERE project_id = ?1 AND (?2 IS NULL OR session_id = ?2)
                 ORDER BY id DESC LIMIT ?3";
            let mut statement = db.prepare_cached(sql)?;
            let mut rows = statement.query(params![project.0, session.map(|id| id.0), limit])?;
            let mut changed = Vec::new();
            while let Some(row) = rows.next()? {
                changed.push(changed_from(row)?);
            }
            Ok(changed)
        })
    }

    /// Lists the files of a project that have no code map, and why, the last seen first.
    pub fn unmapped_files(&self, project: ProjectId) -> Result<Vec<(String, String)>, StoreError> {
        self.store.read("read which files have no code map", |db| {
            let sql = "SELECT path, reason FROM unmapped_files WHERE project_id = ?1 ORDER BY seen_at_ms DESC, path";
            let mut statement = db.prepare_cached(sql)?;
            let rows = statement.query_map([project.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}

impl CodeWriter<'_> {
    /// Keeps what files have become, and adds their changes to what the session did before.
    ///
    /// Recording a change twice changes nothing: a session has one row a symbol, with the net of all it did.
    pub fn record(
        &mut self,
        project: ProjectId,
        session: SessionId,
        readings: &Redacted<Vec<FileUpdate>>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.store.write("keep the code map", |transaction| {
            for reading in readings.iter() {
                replace_map(transaction, project, reading, now)?;
                for change in merged_by_name(&reading.changes) {
                    add_change(transaction, (project, session), &reading.path, &change, now)?;
                }
            }
            Ok(())
        })
    }
}

impl Store {
    /// Drops what is beyond the caps.
    pub(crate) fn trim_code(&mut self) -> Result<(), StoreError> {
        self.write("trim the code map", |transaction| {
            for (table, newest_first, most) in [
                ("code_changes", "id", MOST_CHANGES),
                ("mapped_files", "seen_at_ms", MOST_FILES),
                ("unmapped_files", "seen_at_ms", MOST_FILES),
            ] {
                let many = format!("SELECT project_id FROM {table} GROUP BY project_id HAVING count(*) > {most}");
                let full: Vec<i64> = transaction
                    .prepare(&many)?
                    .query_map([], |row| row.get(0))?
                    .collect::<rusqlite::Result<_>>()?;
                // The newest row beyond the cap; rows as old as that one go with it.
                let trim = format!(
                    "DELETE FROM {table} WHERE project_id = ?1 AND {newest_first} <= (SELECT {newest_first} FROM {table}
                     WHERE project_id = ?1 ORDER BY {newest_first} DESC LIMIT 1 OFFSET {most})"
                );
                for project in full {
                    transaction.execute(&trim, [project])?;
                }
            }
            Ok(())
        })
    }
}

/// Moves the code map of one project to another. Files that the other project knows already keep the map they have there.
pub(crate) fn merge(db: &Connection, from: ProjectId, into: ProjectId) -> rusqlite::Result<()> {
    for table in ["mapped_files", "unmapped_files"] {
        let sql = format!("UPDATE OR IGNORE {table} SET project_id = ?2 WHERE project_id = ?1");
        db.execute(&sql, [from.0, into.0])?;
    }
    db.execute("UPDATE code_changes SET project_id = ?2 WHERE project_id = ?1", [from.0, into.0]).map(drop)
}

fn replace_map(
    db: &Connection,
    project: ProjectId,
    reading: &FileUpdate,
    now: Timestamp,
) -> rusqlite::Result<()> {
    let file = params![project.0, reading.path];
    let delete = |sql: &str| db.prepare_cached(sql)?.execute(file).map(drop);
    match &reading.state {
        FileState::Unmapped(reason) => {
            let sql = "INSERT OR REPLACE INTO unmapped_files (project_id, path, reason, seen_at_ms) VALUES (?1, ?2, ?3, ?4)";
            return db
                .prepare_cached(sql)?
                .execute(params![project.0, reading.path, reason, now.0])
                .map(drop);
        }
        FileState::Gone => delete("DELETE FROM mapped_files WHERE project_id = ?1 AND path = ?2")?,
        FileState::Mapped(map) => {
            let beyond = "DELETE FROM symbols WHERE project_id = ?1 AND path = ?2 AND position >= ?3";
            db.prepare_cached(beyond)?.execute(params![project.0, reading.path, map.symbols.len()])?;
            insert_map(db, project, &reading.path, map, now)?;
        }
    }
    delete("DELETE FROM unmapped_files WHERE project_id = ?1 AND path = ?2")
}

fn insert_map(
    db: &Connection,
    project: ProjectId,
    path: &str,
    map: &FileMap,
    now: Timestamp,
) -> rusqlite::Result<()> {
    db.prepare_cached(
        "INSERT INTO mapped_files (project_id, path, content_hash, seen_at_ms) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (project_id, path) DO UPDATE SET content_hash = ?3, seen_at_ms = ?4",
    )?
    .execute(params![project.0, path, map.content_hash.0, now.0])?;
    let mut insert = db.prepare_cached(
        "INSERT INTO symbols (project_id, path, position, qualified_name, kind, signature, body_hash, first_line, last_line)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
         ON CONFLICT (project_id, path, position) DO UPDATE SET qualified_name = ?4, kind = ?5, signature = ?6, body_hash = ?7,
            first_line = ?8, last_line = ?9
         WHERE (qualified_name, kind, signature, body_hash, first_line, last_line) IS NOT (?4, ?5, ?6, ?7, ?8, ?9)",
    )?;
    // An edit changes few symbols: the rows of the others are left alone, and with them their pages.
    for (position, symbol) in map.symbols.iter().enumerate() {
        insert.execute(params![
            project.0,
            path,
            position,
            symbol.qualified_name,
            symbol.kind.as_str(),
            symbol.signature,
            symbol.body_hash.0,
            symbol.first_line,
            symbol.last_line,
        ])?;
    }
    Ok(())
}

/// Merges the changes of symbols that share a name: all new or all deleted stay that, everything else is a modification.
fn merged_by_name(changes: &[CodeChange]) -> Vec<CodeChange> {
    let mut merged: Vec<CodeChange> = Vec::new();
    for change in changes {
        match merged.iter_mut().find(|merged| merged.symbol.qualified_name == change.symbol.qualified_name) {
            None => merged.push(change.clone()),
            Some(merged) => {
                if merged.change != change.change {
                    merged.change = SymbolChange::Modified;
                }
                // One digest cannot say of several symbols whether they are unchanged.
                merged.body_before = None;
            }
        }
    }
    merged
}

/// Adds a new change of a symbol to what the session did to it before: one row holds the net of both.
fn add_change(
    db: &Connection,
    (project, session): (ProjectId, SessionId),
    path: &str,
    change: &CodeChange,
    now: Timestamp,
) -> Result<(), TxError> {
    let symbol = &change.symbol;
    let row = params![session.0, path, symbol.qualified_name];
    let sql = "SELECT change, body_before FROM code_changes WHERE session_id = ?1 AND path = ?2 AND qualified_name = ?3";
    let former = db
        .prepare_cached(sql)?
        .query_row(row, |row| Ok((row.get::<_, String>(0)?, row.get::<_, Option<Vec<u8>>>(1)?)))
        .optional()?;
    let former = match former {
        None => None,
        Some((word, body)) => Some((codes::code("a code change", &word)?, body_before(body)?)),
    };
    let net = net(former, change);
    // A new row, not an update: the newest id is the symbol that changed last.
    db.prepare_cached(
        "DELETE FROM code_changes WHERE session_id = ?1 AND path = ?2 AND qualified_name = ?3",
    )?
    .execute(row)?;
    let Some((change, body_before)) = net else { return Ok(()) };
    db.prepare_cached(
        "INSERT INTO code_changes (project_id, session_id, path, qualified_name, kind, change, signature, body_before, at_ms)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?
    .execute(params![
        project.0,
        session.0,
        path,
        symbol.qualified_name,
        symbol.kind.as_str(),
        change.as_str(),
        symbol.signature,
        body_before.map(|body| body.0),
        now.0,
    ])?;
    Ok(())
}

/// Returns what two changes after each other come to, and the digest from before both; nothing where the second undoes the first.
fn net(
    former: Option<(SymbolChange, Option<Digest>)>,
    change: &CodeChange,
) -> Option<(SymbolChange, Option<Digest>)> {
    let now = change.change;
    let Some((then, body_before)) = former else { return Some((now, change.body_before)) };
    let is_as_before = now != SymbolChange::Deleted && body_before == Some(change.symbol.body_hash);
    match (then, now) {
        (SymbolChange::New, SymbolChange::Deleted) => None,
        (SymbolChange::Modified | SymbolChange::Deleted, _) if is_as_before => None,
        (SymbolChange::New, _) => Some((SymbolChange::New, None)),
        (_, SymbolChange::Deleted) => Some((SymbolChange::Deleted, body_before)),
        (SymbolChange::Modified | SymbolChange::Deleted, _) => Some((SymbolChange::Modified, body_before)),
    }
}

fn body_before(bytes: Option<Vec<u8>>) -> Result<Option<Digest>, StoreError> {
    bytes.map(|bytes| codes::digest("a code change", &bytes)).transpose()
}

fn symbol_from(row: &Row<'_>) -> Result<Symbol, TxError> {
    Ok(Symbol {
        qualified_name: row.get("qualified_name")?,
        kind: codes::code("a symbol", &row.get::<_, String>("kind")?)?,
        signature: row.get("signature")?,
        body_hash: codes::digest("a symbol", &row.get::<_, Vec<u8>>("body_hash")?)?,
        first_line: row.get("first_line")?,
        last_line: row.get("last_line")?,
    })
}

fn changed_from(row: &Row<'_>) -> Result<ChangedSymbol, TxError> {
    Ok(ChangedSymbol {
        session: row.get::<_, Option<i64>>("session_id")?.map(SessionId),
        path: row.get("path")?,
        qualified_name: row.get("qualified_name")?,
        kind: codes::code("a code change", &row.get::<_, String>("kind")?)?,
        change: codes::code("a code change", &row.get::<_, String>("change")?)?,
        signature: row.get("signature")?,
        at: Timestamp(row.get("at_ms")?),
    })
}
