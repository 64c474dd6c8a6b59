//! Lists and totals for a person who browses the store: page by page, newest first. No hook waits for any of this.
//!
//! A page begins after a row, not after a number of rows: what is written meanwhile shifts nothing. Not here: search by words
//! (`search`).

use crate::db::codes;
use crate::db::facets::{BrowseReader, EventReader};
use crate::events::sessions::{summaries, summary_from};
use crate::{SessionSummary, Store, StoreError, StoredEvent};
use backstory_memory::{EventId, InjectionId, Kind, MemoryId, ProjectId, SessionId, Timestamp};
use rusqlite::types::Value;
use rusqlite::{OptionalExtension, Row, params, params_from_iter};

/// Which rows to list, and where to begin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageRequest {
    /// Of this project only.
    pub project: Option<ProjectId>,
    /// Of this session only.
    pub session: Option<SessionId>,
    /// Of these kinds only; empty means all.
    pub kinds: Vec<Kind>,
    /// Only memories that are anchored in this file.
    pub file: Option<String>,
    /// Only injections at this moment, by its name.
    pub moment: Option<String>,
    /// Only at or after this time.
    pub since: Option<Timestamp>,
    /// Only before this time.
    pub until: Option<Timestamp>,
    /// Only rows that follow the row with this id in the list.
    pub before: Option<i64>,
    /// How many rows at most.
    pub limit: u32,
}

/// A memory in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as on a memory")]
pub struct MemoryRow {
    pub id: MemoryId,
    pub kind: String,
    pub title: String,
    pub project: ProjectId,
    pub project_name: String,
    pub session: Option<SessionId>,
    pub host: Option<String>,
    pub created_at: Timestamp,
    pub pinned: bool,
    pub provenance: String,
    pub superseded_by: Option<MemoryId>,
    pub tokens: u32,
}

/// An injection in a list.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "named as on an injection")]
pub struct InjectionRow {
    pub id: InjectionId,
    pub at: Timestamp,
    pub moment: String,
    pub project: ProjectId,
    pub project_name: String,
    pub session: Option<SessionId>,
    pub host: Option<String>,
    pub tokens: u32,
    pub budget: u32,
    pub bytes: u32,
    pub build_us: u32,
    pub sections: Vec<String>,
    pub sections_skipped: Vec<String>,
    /// How many memories it injected, and how many of them were used.
    pub injected: u64,
    pub used: u64,
}

/// A memory of an injection.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "named as on an injection")]
pub struct InjectedRow {
    pub id: MemoryId,
    pub title: String,
    pub kind: String,
    pub section: String,
    pub rank: u32,
    pub score: f64,
    pub tokens: u32,
    pub reasons: Vec<String>,
    pub used: Option<(Timestamp, String)>,
}

/// What happened on one day, in UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Day {
    /// Days since 1970.
    pub day: i64,
    /// Memories that were written.
    pub memories: u64,
    /// Events that arrived, as far as they are still stored.
    pub events: u64,
    /// Tokens that were injected.
    pub tokens: u64,
    /// Memories that were injected.
    pub injected: u64,
    /// Memories that were used after that.
    pub used: u64,
}

/// The totals of the store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Memories in force by kind, the largest number first.
    pub by_kind: Vec<(String, u64)>,
    /// Memories in force by project, the largest number first.
    pub by_project: Vec<(ProjectId, String, u64)>,
    /// Tokens that were injected.
    pub tokens_injected: u64,
    /// Memories that were injected.
    pub injected: u64,
    /// Memories that were used after that.
    pub used: u64,
    /// The tokens of all memories in force.
    pub tokens: u64,
}

/// The newest id of each table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the newest number of what it is called")]
pub struct NewestIds {
    pub memory: i64,
    pub event: i64,
    pub injection: i64,
}

/// The conditions of a query. A filter that is not set adds none: a condition that is always true keeps SQLite from using an index.
#[derive(Default)]
struct QueryConditions {
    sql: Vec<String>,
    values: Vec<Value>,
}

impl QueryConditions {
    fn add(&mut self, condition: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.values.push(value.into());
            self.sql.push(condition.replace('?', &format!("?{}", self.values.len())));
        }
    }

    fn all(&self) -> String {
        if self.sql.is_empty() { "1".to_owned() } else { self.sql.join(" AND ") }
    }
}

impl BrowseReader<'_> {
    /// Lists memories by when they were written, newest first, superseded ones too.
    pub fn memories(&self, page: &PageRequest) -> Result<Vec<MemoryRow>, StoreError> {
        let mut conditions = QueryConditions::default();
        conditions.add("m.project_id = ?", page.project.map(|id| id.0));
        conditions.add("m.session_id = ?", page.session.map(|id| id.0));
        let kinds: Vec<String> = page.kinds.iter().map(ToString::to_string).collect();
        let kinds = (!kinds.is_empty()).then(|| codes::list_text(&kinds));
        conditions.add("m.kind IN (SELECT value FROM json_each(?))", kinds);
        let anchored = "EXISTS (SELECT 1 FROM anchors a WHERE a.memory_id = m.id AND a.path = ?)";
        conditions.add(anchored, page.file.clone());
        conditions.add("m.created_at_ms >= ?", page.since.map(|at| at.0));
        conditions.add("m.created_at_ms < ?", page.until.map(|at| at.0));
        // The row may have been forgotten meanwhile: then the list continues after its neighbour.
        conditions.add(
            "(m.created_at_ms, m.id) < (SELECT created_at_ms, ? FROM memories WHERE id <= ? ORDER BY id DESC LIMIT 1)",
            page.before,
        );
        let sql = format!(
            "SELECT m.id, m.kind, m.title, m.project_id, p.name, m.session_id, s.host, m.created_at_ms, m.pinned, m.provenance,
                m.superseded_by, m.tokens
             FROM memories m JOIN projects p ON p.id = m.project_id LEFT JOIN sessions s ON s.id = m.session_id
             WHERE {} ORDER BY m.created_at_ms DESC, m.id DESC LIMIT {}",
            conditions.all(),
            page.limit
        );
        self.store.read("list the memories", |db| {
            let mut statement = db.prepare_cached(&sql)?;
            let rows = statement.query_map(params_from_iter(&conditions.values), memory_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Lists sessions by their last activity, newest first.
    pub fn sessions(&self, page: &PageRequest) -> Result<Vec<SessionSummary>, StoreError> {
        let mut conditions = QueryConditions::default();
        conditions.add("s.project_id = ?", page.project.map(|id| id.0));
        conditions.add(
            "(s.last_event_at_ms, s.id) < (SELECT last_event_at_ms, id FROM sessions WHERE id = ?)",
            page.before,
        );
        let sql = format!(
            concat!(summaries!(), " WHERE {} ORDER BY s.last_event_at_ms DESC, s.id DESC LIMIT {}"),
            conditions.all(),
            page.limit
        );
        self.store.read("list the sessions", |db| {
            let mut statement = db.prepare_cached(&sql)?;
            let rows = statement.query_map(params_from_iter(&conditions.values), summary_from)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Lists injections, newest first.
    pub fn injections(&self, page: &PageRequest) -> Result<Vec<InjectionRow>, StoreError> {
        let mut conditions = QueryConditions::default();
        conditions.add("i.project_id = ?", page.project.map(|id| id.0));
        conditions.add("i.session_id = ?", page.session.map(|id| id.0));
        conditions.add("i.moment = ?", page.moment.clone());
        conditions.add("i.at_ms >= ?", page.since.map(|at| at.0));
        conditions.add("i.at_ms < ?", page.until.map(|at| at.0));
        conditions.add("i.id < ?", page.before);
        self.store.injections_where(&conditions, page.limit)
    }

    /// Reads one injection.
    pub fn injection(&self, id: InjectionId) -> Result<Option<InjectionRow>, StoreError> {
        let mut conditions = QueryConditions::default();
        conditions.add("i.id = ?", Some(id.0));
        Ok(self.store.injections_where(&conditions, 1)?.pop())
    }

    /// Returns the text of an injection, if it is still stored.
    pub fn injection_text(&self, id: InjectionId) -> Result<Option<String>, StoreError> {
        self.store.read("read the text of an injection", |db| {
            let sql = "SELECT text FROM injection_texts WHERE injection_id = ?1";
            Ok(db.prepare_cached(sql)?.query_row([id.0], |row| row.get(0)).optional()?)
        })
    }

    /// Returns the memories of an injection, in its order.
    pub fn injected(&self, id: InjectionId) -> Result<Vec<InjectedRow>, StoreError> {
        self.store.read("read what was injected", |db| {
            let sql = "SELECT g.memory_id, m.title, m.kind, g.section, g.rank, g.score, g.tokens, g.reasons, g.used_at_ms, g.used_how
                 FROM injected g JOIN memories m ON m.id = g.memory_id WHERE g.injection_id = ?1 ORDER BY g.rank, g.memory_id";
            let mut statement = db.prepare_cached(sql)?;
            let mut rows = statement.query([id.0])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                let used_at: Option<i64> = row.get(8)?;
                found.push(InjectedRow {
                    id: MemoryId(row.get(0)?),
                    title: row.get(1)?,
                    kind: row.get(2)?,
                    section: row.get(3)?,
                    rank: row.get(4)?,
                    score: row.get(5)?,
                    tokens: row.get(6)?,
                    reasons: codes::list("the reasons of an injection", &row.get::<_, String>(7)?)?,
                    used: used_at.map(Timestamp).zip(row.get(9)?),
                });
            }
            Ok(found)
        })
    }

    /// Returns the activity of a project day by day, oldest first, without days on which nothing happened.
    pub fn daily_activity(&self, project: ProjectId, since: Timestamp) -> Result<Vec<Day>, StoreError> {
        self.store.read("count the days", |db| {
            let sql = "SELECT day, sum(memories), sum(events), sum(tokens), sum(injected), sum(used) FROM (
                 SELECT created_at_ms / ?3 AS day, count(*) AS memories, 0 AS events, 0 AS tokens, 0 AS injected, 0 AS used
                 FROM memories WHERE project_id = ?1 AND created_at_ms >= ?2 GROUP BY 1
                 UNION ALL SELECT e.at_ms / ?3, 0, count(*), 0, 0, 0 FROM sessions s JOIN events e ON e.session_id = s.id
                 WHERE s.project_id = ?1 AND s.last_event_at_ms >= ?2 AND e.at_ms >= ?2 GROUP BY 1
                 UNION ALL SELECT at_ms / ?3, 0, 0, sum(tokens), 0, 0 FROM injections
                 WHERE project_id = ?1 AND at_ms >= ?2 GROUP BY 1
                 UNION ALL SELECT i.at_ms / ?3, 0, 0, 0, count(*), sum(g.used_at_ms IS NOT NULL)
                 FROM injections i JOIN injected g ON g.injection_id = i.id
                 WHERE i.project_id = ?1 AND i.at_ms >= ?2 GROUP BY 1
             ) GROUP BY day ORDER BY day";
            let mut statement = db.prepare_cached(sql)?;
            let rows = statement.query_map(params![project.0, since.0, Timestamp::DAY_MS], |row| {
                Ok(Day {
                    day: row.get(0)?,
                    memories: row.get(1)?,
                    events: row.get(2)?,
                    tokens: row.get(3)?,
                    injected: row.get(4)?,
                    used: row.get(5)?,
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Returns the totals of the store.
    pub fn totals(&self) -> Result<Totals, StoreError> {
        self.store.read("count everything", |db| {
            let mut statement = db.prepare_cached(
                "SELECT kind, count(*) FROM memories WHERE superseded_by IS NULL GROUP BY kind ORDER BY count(*) DESC, kind",
            )?;
            let by_kind = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let by_kind = by_kind.collect::<rusqlite::Result<_>>()?;
            let mut statement = db.prepare_cached(
                "SELECT p.id, p.name, count(*) FROM memories m JOIN projects p ON p.id = m.project_id
                 WHERE m.superseded_by IS NULL GROUP BY p.id ORDER BY count(*) DESC, p.id",
            )?;
            let by_project =
                statement.query_map([], |row| Ok((ProjectId(row.get(0)?), row.get(1)?, row.get(2)?)))?;
            let by_project = by_project.collect::<rusqlite::Result<_>>()?;
            let sql = "SELECT (SELECT coalesce(sum(tokens), 0) FROM injections), (SELECT count(*) FROM injected),
                (SELECT count(*) FROM injected WHERE used_at_ms IS NOT NULL),
                (SELECT coalesce(sum(tokens), 0) FROM memories WHERE superseded_by IS NULL)";
            let (tokens_injected, injected, used, tokens) =
                db.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
            Ok(Totals { by_kind, by_project, tokens_injected, injected, used, tokens })
        })
    }

    /// Returns a number that changes whenever another connection writes.
    pub fn data_version(&self) -> Result<i64, StoreError> {
        self.store
            .read("look for changes", |db| Ok(db.pragma_query_value(None, "data_version", |row| row.get(0))?))
    }

    /// Returns the newest id of each table.
    pub fn newest_ids(&self) -> Result<NewestIds, StoreError> {
        self.store.read("look for what is new", |db| {
            let sql = "SELECT (SELECT max(id) FROM memories), (SELECT max(id) FROM events), (SELECT max(id) FROM injections)";
            let id = |row: &Row<'_>, at| Ok::<i64, rusqlite::Error>(row.get::<_, Option<i64>>(at)?.unwrap_or(0));
            let ids = db.prepare_cached(sql)?.query_row([], |row| {
                Ok(NewestIds { memory: id(row, 0)?, event: id(row, 1)?, injection: id(row, 2)? })
            })?;
            Ok(ids)
        })
    }
}

impl EventReader<'_> {
    /// Returns the first prompt of a session, as long as it is stored.
    pub fn first_prompt(&self, session: SessionId) -> Result<Option<StoredEvent>, StoreError> {
        let first = self.store.read("look for the first prompt", |db| {
            let sql = "SELECT id FROM events WHERE session_id = ?1 AND kind = 'prompt' ORDER BY id LIMIT 1";
            let found = db.prepare_cached(sql)?.query_row([session.0], |row| row.get(0).map(EventId));
            Ok(found.optional()?)
        })?;
        first.map_or(Ok(None), |id| self.store.event(id))
    }
}

impl Store {
    fn injections_where(
        &self,
        conditions: &QueryConditions,
        limit: u32,
    ) -> Result<Vec<InjectionRow>, StoreError> {
        let sql = format!(
            "SELECT i.id, i.at_ms, i.moment, i.project_id, p.name, i.session_id, s.host, i.tokens, i.budget, i.bytes, i.build_us,
                i.sections, i.sections_skipped, (SELECT count(*) FROM injected g WHERE g.injection_id = i.id),
                (SELECT count(*) FROM injected g WHERE g.injection_id = i.id AND g.used_at_ms IS NOT NULL)
             FROM injections i JOIN projects p ON p.id = i.project_id LEFT JOIN sessions s ON s.id = i.session_id
             WHERE {} ORDER BY i.id DESC LIMIT {limit}",
            conditions.all()
        );
        self.read("list the injections", |db| {
            let mut statement = db.prepare_cached(&sql)?;
            let mut rows = statement.query(params_from_iter(&conditions.values))?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                found.push(InjectionRow {
                    sections: codes::list("the sections of an injection", &row.get::<_, String>(11)?)?,
                    sections_skipped: codes::list(
                        "the sections of an injection",
                        &row.get::<_, String>(12)?,
                    )?,
                    ..injection_row(row)?
                });
            }
            Ok(found)
        })
    }
}

fn memory_row(row: &Row<'_>) -> rusqlite::Result<MemoryRow> {
    Ok(MemoryRow {
        id: MemoryId(row.get(0)?),
        kind: row.get(1)?,
        title: row.get(2)?,
        project: ProjectId(row.get(3)?),
        project_name: row.get(4)?,
        session: row.get::<_, Option<i64>>(5)?.map(SessionId),
        host: row.get(6)?,
        created_at: Timestamp(row.get(7)?),
        pinned: row.get(8)?,
        provenance: row.get(9)?,
        superseded_by: row.get::<_, Option<i64>>(10)?.map(MemoryId),
        tokens: row.get(11)?,
    })
}

/// Reads the plain columns; the caller parses the lists.
fn injection_row(row: &Row<'_>) -> rusqlite::Result<InjectionRow> {
    Ok(InjectionRow {
        id: InjectionId(row.get(0)?),
        at: Timestamp(row.get(1)?),
        moment: row.get(2)?,
        project: ProjectId(row.get(3)?),
        project_name: row.get(4)?,
        session: row.get::<_, Option<i64>>(5)?.map(SessionId),
        host: row.get(6)?,
        tokens: row.get(7)?,
        budget: row.get(8)?,
        bytes: row.get(9)?,
        build_us: row.get(10)?,
        sections: Vec::new(),
        sections_skipped: Vec::new(),
        injected: row.get(13)?,
        used: row.get(14)?,
    })
}
