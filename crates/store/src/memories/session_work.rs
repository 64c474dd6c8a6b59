//! The work that sessions did, to compare an import's account of the same work with; and commits that were imported before.

use crate::StoreError;
use crate::db::facets::MemoryReader;
use backstory_memory::{MemoryId, ProjectId, Timestamp};
use rusqlite::{Row, params};

/// A piece of work that a session did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionWork {
    /// Its memory.
    pub memory: MemoryId,
    /// Its title.
    pub title: String,
    /// The hashes of its commits, as far as they are known, shortened.
    pub commits: Vec<String>,
    /// The files it changed.
    pub files: Vec<String>,
    /// When its session began.
    pub from: Timestamp,
    /// When it ended, or was last seen.
    pub to: Timestamp,
}

/// Finds by index what an import made of a commit. Both hashes may be shortened, each by another program, so the index holds the
/// first seven letters and the last condition compares as many as both have.
const IMPORTED_COMMIT: &str = "SELECT id FROM memories
     WHERE project_id = ?1 AND session_id IS NULL AND details IS NOT NULL
     AND iif(json_valid(details), substr(details ->> '$.commits[0]', 1, 7), NULL) = substr(?2, 1, 7) AND length(?2) >= 7
     AND details ->> '$.type' = 'work_done' AND superseded_by IS NULL AND standing <> 'retired'
     AND (substr(details ->> '$.commits[0]', 1, length(?2)) = ?2
         OR substr(?2, 1, length(details ->> '$.commits[0]')) = details ->> '$.commits[0]')";

impl MemoryReader<'_> {
    /// Returns the work that sessions of a project did, what was replaced since included.
    pub fn session_work(&self, project: ProjectId) -> Result<Vec<SessionWork>, StoreError> {
        self.store.read("read the work of sessions", |db| {
            let sql =
                "SELECT m.id, m.title, m.details ->> '$.commits', m.files, s.started_at_ms, s.last_event_at_ms
                 FROM memories m JOIN sessions s ON s.id = m.session_id
                 WHERE m.project_id = ?1 AND m.details ->> '$.type' = 'work_done' AND m.kind <> 'discovery' ORDER BY m.id";
            let mut statement = db.prepare_cached(sql)?;
            let rows = statement.query_map([project.0], work_from)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Returns the live memories that an import made of a commit, by the first letters of its hash.
    pub fn imported_commit(&self, project: ProjectId, hash: &str) -> Result<Vec<MemoryId>, StoreError> {
        self.store.memory_ids("look for an imported commit", IMPORTED_COMMIT, params![project.0, hash])
    }
}

fn work_from(row: &Row<'_>) -> rusqlite::Result<SessionWork> {
    let list = |text: Option<String>| -> Vec<String> {
        text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    };
    Ok(SessionWork {
        memory: MemoryId(row.get(0)?),
        title: row.get(1)?,
        commits: list(row.get(2)?),
        files: list(row.get(3)?),
        from: Timestamp(row.get(4)?),
        to: Timestamp(row.get(5)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::migrate::query_plan;

    #[test]
    fn a_commit_is_found_by_its_index_however_many_were_imported() {
        let plan = query_plan(IMPORTED_COMMIT);
        assert!(
            plan.contains("USING INDEX memories_by_imported_commit (project_id=? AND <expr>=?)"),
            "{plan}"
        );
    }
}
