//! What a session starts with, before there is a query: pinned memories, the newest of a kind, the most confident ones.
//!
//! A host waits for it: every query has an index made for it, and costs the same in a project of any size. Memories of the user's scope
//! belong to every project. Not here: what of it is injected (`inject`).

use crate::StoreError;
use crate::db::codes;
use crate::db::facets::SearchReader;
use backstory_memory::{Kind, MemoryId, ProjectId};
use rusqlite::{Connection, Params, params};

/// How many of the newest memories of the user's own scope are looked at.
const MOST_OF_THE_USER: u32 = 200;

/// What must hold of every memory that is given unasked.
macro_rules! in_force {
    ($select:literal, $rest:literal) => {
        concat!($select, " AND superseded_by IS NULL AND standing = 'confirmed' ", $rest)
    };
}

impl SearchReader<'_> {
    /// Returns what the user wants in view, newest first.
    pub fn pinned(&self, project: ProjectId, limit: u32) -> Result<Vec<MemoryId>, StoreError> {
        // INDEXED BY fails where the index is gone: better an error in a test than a slow scan at every session start.
        let sql = "SELECT id FROM memories INDEXED BY memories_pinned
             WHERE pinned = 1 AND (project_id = ?1 OR scope = 'user') AND superseded_by IS NULL AND standing = 'confirmed'
             ORDER BY id DESC LIMIT ?2";
        self.store.memory_ids("read what is pinned", sql, params![project.0, limit])
    }

    /// Returns the newest memories of these kinds in a project, newest first.
    pub fn newest_of_kinds(
        &self,
        project: ProjectId,
        kinds: &[Kind],
        limit: u32,
    ) -> Result<Vec<MemoryId>, StoreError> {
        let sql = in_force!(
            "SELECT id, created_at_ms, 0 FROM memories INDEXED BY memories_by_kind WHERE project_id = ?1 AND kind = ?2",
            "ORDER BY created_at_ms DESC LIMIT ?3"
        );
        self.store.read("read the newest memories", |db| {
            let mut ranked = Vec::new();
            for kind in kinds {
                ranked.extend(rank(db, sql, params![project.0, kind.as_str(), limit])?);
            }
            Ok(best(ranked, limit))
        })
    }

    /// Returns the rules in force: those of a project, newest first, then those of the user that hold in every project.
    pub fn rules(&self, project: ProjectId, limit: u32) -> Result<Vec<MemoryId>, StoreError> {
        let sql = in_force!(
            "SELECT id, created_at_ms, 0 FROM memories INDEXED BY memories_of_the_user
             WHERE scope = 'user' AND kind = ?1",
            "ORDER BY created_at_ms DESC LIMIT ?2"
        );
        let mut rules = self.newest_of_kinds(project, &[Kind::Rule], limit)?;
        let of_the_user = self.store.read("read the user's rules", |db| {
            Ok(best(rank(db, sql, params![Kind::Rule.as_str(), limit])?, limit))
        })?;
        rules.extend(of_the_user.into_iter().filter(|id| !rules.contains(id)).collect::<Vec<_>>());
        Ok(rules)
    }

    /// Returns memories of these kinds in a project that are likely enough to be true, the surest first.
    pub fn most_confident(
        &self,
        project: ProjectId,
        kinds: &[Kind],
        limit: u32,
    ) -> Result<Vec<MemoryId>, StoreError> {
        // One query for each kind: the index answers it, at the same cost however many memories of other kinds there are.
        let of_the_project = in_force!(
            "SELECT id, confidence, times_seen FROM memories INDEXED BY memories_by_confidence
             WHERE project_id = ?1 AND kind = ?2 AND confidence >= 0.5",
            "ORDER BY confidence DESC, times_seen DESC, id DESC LIMIT ?3"
        );
        let of_the_user = in_force!(
            "SELECT id, confidence, times_seen FROM memories INDEXED BY memories_of_the_user
             WHERE scope = 'user' AND project_id <> ?1 AND confidence >= 0.5 AND kind IN (SELECT value FROM json_each(?2))",
            "ORDER BY created_at_ms DESC LIMIT ?3"
        );
        self.store.read("read what lasts", |db| {
            let kinds = names(kinds);
            let all_kinds = codes::list_text(&kinds);
            let mut ranked = rank(db, of_the_user, params![project.0, all_kinds, MOST_OF_THE_USER])?;
            for kind in &kinds {
                ranked.extend(rank(db, of_the_project, params![project.0, kind, limit])?);
            }
            Ok(best(ranked, limit))
        })
    }
}

fn names(kinds: &[Kind]) -> Vec<String> {
    kinds.iter().map(ToString::to_string).collect()
}

/// A memory with the two numbers it is ordered by.
type Ranked = (f64, i64, i64);

/// Runs a query that selects an id and the two numbers it is ordered by.
fn rank(db: &Connection, sql: &str, values: impl Params) -> rusqlite::Result<Vec<Ranked>> {
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query_map(values, |row| Ok((row.get(1)?, row.get(2)?, row.get(0)?)))?;
    rows.collect()
}

/// Returns the first of the ranked memories; of equal ones the newest.
fn best(mut ranked: Vec<Ranked>, limit: u32) -> Vec<MemoryId> {
    ranked.sort_by(|a, b| b.partial_cmp(a).unwrap_or(std::cmp::Ordering::Equal));
    ranked.into_iter().take(limit as usize).map(|(_, _, id)| MemoryId(id)).collect()
}
