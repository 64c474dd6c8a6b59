//! The state of the store, in numbers.
//!
//! Not here: whether it is sound (`check`), lists for browsing (`inspect`).

use crate::db::facets::UpkeepReader;
use crate::db::home::beside;
use crate::upkeep::{maintain, repair};
use crate::{Home, Spool, StoreError};
use backstory_memory::Timestamp;
use rusqlite::OptionalExtension;
use std::fs;
use std::path::{Path, PathBuf};

/// The state of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreStatus {
    /// How many memories, events, sessions, projects, tombstones and injections.
    pub counts: StoreCounts,
    /// Bytes of the database with its log.
    pub bytes: u64,
    /// Events that wait in the spool.
    pub spooled: usize,
    /// The newest backup.
    pub newest_backup: Option<PathBuf>,
    /// The files that were moved aside as damaged.
    pub quarantined: Vec<PathBuf>,
    /// When an event last arrived.
    pub last_event_at: Option<Timestamp>,
    /// The schema.
    pub schema: i64,
}

/// How many there are of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreCounts {
    /// Memories that were not replaced.
    pub live: u64,
    /// Those of them that are in force.
    pub confirmed: u64,
    /// Those of them that wait for the user's word.
    pub proposed: u64,
    /// Memories that were replaced.
    pub superseded: u64,
    /// Raw events.
    pub events: u64,
    /// Sessions.
    pub sessions: u64,
    /// Projects.
    pub projects: u64,
    /// Forgotten memories.
    pub tombstones: u64,
    /// Injections.
    pub injections: u64,
}

impl UpkeepReader<'_> {
    /// Counts everything.
    pub fn status(&self) -> Result<StoreStatus, StoreError> {
        let counts = self.store.read("count what there is", |db| {
            let sql = "SELECT (SELECT count(*) FROM memories WHERE superseded_by IS NULL),
                (SELECT count(*) FROM memories WHERE superseded_by IS NOT NULL), (SELECT count(*) FROM events),
                (SELECT count(*) FROM sessions), (SELECT count(*) FROM projects), (SELECT count(DISTINCT uid) FROM tombstones),
                (SELECT count(*) FROM injections),
                (SELECT count(*) FROM memories WHERE superseded_by IS NULL AND standing = 'confirmed'),
                (SELECT count(*) FROM memories WHERE superseded_by IS NULL AND standing = 'proposed')";
            Ok(db.query_row(sql, [], |row| {
                Ok(StoreCounts {
                    live: row.get(0)?,
                    confirmed: row.get(7)?,
                    proposed: row.get(8)?,
                    superseded: row.get(1)?,
                    events: row.get(2)?,
                    sessions: row.get(3)?,
                    projects: row.get(4)?,
                    tombstones: row.get(5)?,
                    injections: row.get(6)?,
                })
            })?)
        })?;
        let (schema, last_event_at) = self.store.read("read the schema version", |db| {
            let last = "SELECT at_ms FROM events ORDER BY id DESC LIMIT 1";
            let last: Option<i64> = db.query_row(last, [], |row| row.get(0)).optional()?;
            Ok((db.pragma_query_value(None, "user_version", |row| row.get(0))?, last.map(Timestamp)))
        })?;
        Ok(StoreStatus {
            counts,
            bytes: bytes_of(&self.store.home),
            spooled: Spool::new(&self.store.home).len(),
            newest_backup: maintain::backups(&self.store.home).pop(),
            quarantined: repair::quarantined(&self.store.home),
            last_event_at,
            schema,
        })
    }
}

fn bytes_of(home: &Home) -> u64 {
    let size = |path: &Path| fs::metadata(path).map_or(0, |metadata| metadata.len());
    let database = home.database();
    size(&database) + size(&beside(&database, "-wal"))
}
