//! What happened on which day and to which file, counted for a person who looks the store over. No hook waits for any of this.

use crate::StoreError;
use crate::db::facets::BrowseReader;
use backstory_memory::{ProjectId, Timestamp};
use rusqlite::params;

/// Which days to count, and where they begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DaysRequest {
    /// Of this project only.
    pub project: Option<ProjectId>,
    /// From this time on.
    pub since: Timestamp,
    /// How far the reader's days begin before those of UTC, in minutes.
    pub utc_offset_minutes: i64,
}

/// What happened on one of the reader's days.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DayTotals {
    /// Days since 1970, as the reader counts them.
    pub day: i64,
    /// Memories that were written.
    pub memories: u64,
    /// Sessions that began.
    pub sessions: u64,
    /// Tokens that were injected.
    pub tokens: u64,
    /// Memories that were injected.
    pub injected: u64,
    /// Memories that were used after that.
    pub used: u64,
}

/// What is known about one file of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileActivity {
    /// The file, below the root of its project.
    pub path: String,
    /// Memories in force that are anchored in it.
    pub memories: u64,
    /// Symbols that sessions changed in it, each once a session.
    pub edits: u64,
    /// Failures that are anchored in it, fixed ones too.
    pub failures: u64,
    /// When it was last changed or spoken of.
    pub last_at: Timestamp,
}

impl BrowseReader<'_> {
    /// Counts what happened day by day, oldest first, without days on which nothing happened.
    pub fn days(&self, request: &DaysRequest) -> Result<Vec<DayTotals>, StoreError> {
        let of_project = of_project(request.project, 4);
        // Each table is counted by itself and the counts are added: a join would count a session once for each of its memories.
        let sql = format!(
            "SELECT day, sum(memories), sum(sessions), sum(tokens), sum(injected), sum(used) FROM (
             SELECT (created_at_ms + ?2) / ?3 AS day, count(*) AS memories, 0 AS sessions, 0 AS tokens, 0 AS injected, 0 AS used
             FROM memories WHERE created_at_ms >= ?1 AND {of_project} GROUP BY 1
             UNION ALL SELECT (started_at_ms + ?2) / ?3, 0, count(*), 0, 0, 0
             FROM sessions WHERE started_at_ms >= ?1 AND {of_project} GROUP BY 1
             UNION ALL SELECT (at_ms + ?2) / ?3, 0, 0, sum(tokens), 0, 0
             FROM injections WHERE at_ms >= ?1 AND {of_project} GROUP BY 1
             UNION ALL SELECT (at_ms + ?2) / ?3, 0, 0, 0, count(*), sum(used_at_ms IS NOT NULL)
             FROM injections JOIN injected ON injection_id = id WHERE at_ms >= ?1 AND {of_project} GROUP BY 1
             ) GROUP BY day ORDER BY day"
        );
        self.store.read("count the days", |db| {
            let offset = request.utc_offset_minutes.saturating_mul(60_000);
            let values = params![request.since.0, offset, Timestamp::DAY_MS, request.project.map(|id| id.0)];
            let mut statement = db.prepare_cached(&sql)?;
            let rows = statement.query_map(values, |row| {
                Ok(DayTotals {
                    day: row.get(0)?,
                    memories: row.get(1)?,
                    sessions: row.get(2)?,
                    tokens: row.get(3)?,
                    injected: row.get(4)?,
                    used: row.get(5)?,
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Counts the memories in force written since a time by kind, the largest number first.
    pub fn kinds_since(
        &self,
        project: Option<ProjectId>,
        since: Timestamp,
    ) -> Result<Vec<(String, u64)>, StoreError> {
        let sql = format!(
            "SELECT kind, count(*) FROM memories WHERE created_at_ms >= ?1 AND {}
             AND superseded_by IS NULL AND standing <> 'retired' GROUP BY kind ORDER BY count(*) DESC, kind",
            of_project(project, 2)
        );
        self.store.read("count the kinds", |db| {
            let values = params![since.0, project.map(|id| id.0)];
            let mut statement = db.prepare_cached(&sql)?;
            let rows = statement.query_map(values, |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Returns the files of a project that memories are anchored in or sessions changed, the busiest first.
    pub fn files(&self, project: ProjectId, limit: u32) -> Result<Vec<FileActivity>, StoreError> {
        let sql = "SELECT path, sum(memories), sum(edits), sum(failures), max(last) FROM (
             SELECT a.path AS path, count(DISTINCT iif(m.superseded_by IS NULL AND m.standing <> 'retired', m.id, NULL)) AS memories,
                 0 AS edits, count(DISTINCT iif(m.kind = 'failure', m.id, NULL)) AS failures, max(m.created_at_ms) AS last
             FROM memories m JOIN anchors a ON a.memory_id = m.id WHERE m.project_id = ?1 GROUP BY a.path
             UNION ALL SELECT path, 0, count(*), 0, max(at_ms) FROM code_changes WHERE project_id = ?1 GROUP BY path
             ) GROUP BY path ORDER BY sum(memories) + sum(edits) + sum(failures) DESC, path LIMIT ?2";
        self.store.read("count by file", |db| {
            let mut statement = db.prepare_cached(sql)?;
            let rows = statement.query_map(params![project.0, limit], |row| {
                Ok(FileActivity {
                    path: row.get(0)?,
                    memories: row.get(1)?,
                    edits: row.get(2)?,
                    failures: row.get(3)?,
                    last_at: Timestamp(row.get(4)?),
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}

/// Selects a project, or every row. For every row the condition uses the parameter, which is bound either way, and names no column:
/// that would keep SQLite from using an index.
fn of_project(project: Option<ProjectId>, parameter: u8) -> String {
    if project.is_some() { format!("project_id = ?{parameter}") } else { format!("?{parameter} IS NULL") }
}
