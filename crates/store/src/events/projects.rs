//! Which project a folder belongs to, and what people call it.
//!
//! Not here: reading `.git` (`capture`), the rule that recognises a project (`memory`).

use crate::StoreError;
use crate::db::facets::{ProjectReader, ProjectWriter};
use crate::events::code;
use crate::memories::distilled;
use crate::memories::{memory_from, whole_memories};
use crate::search::words;
use crate::sync::sync_state;
use backstory_memory::{KnownProject, Memory, ProjectId, ProjectKey, ProjectRef, Redacted, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

/// A project as the store knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// Its number here.
    pub id: ProjectId,
    /// What people call it.
    pub name: String,
    /// The project that holds it as a submodule.
    pub parent: Option<ProjectId>,
    /// When it was first seen.
    pub created_at: Timestamp,
    /// What it is recognised by.
    pub keys: Vec<ProjectKey>,
    /// The folders it was seen in, newest first.
    pub roots: Vec<String>,
}

/// A project and how much is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectSummary {
    /// The project.
    pub project: Project,
    /// How many memories.
    pub memories: u64,
    /// How many sessions.
    pub sessions: u64,
    /// When something last happened in it.
    pub last_active_at: Option<Timestamp>,
}

impl ProjectWriter<'_> {
    /// Returns the project a folder belongs to, writing down what is new about it.
    pub fn find_or_create(
        &mut self,
        project_ref: &Redacted<ProjectRef>,
        now: Timestamp,
    ) -> Result<ProjectId, StoreError> {
        self.store.write("note the project", |transaction| Ok(project_at(transaction, project_ref, now)?))
    }

    /// Gives a project another name.
    pub fn rename(&mut self, id: ProjectId, name: &Redacted<String>) -> Result<(), StoreError> {
        self.store.write("rename the project", |transaction| {
            transaction.execute("UPDATE projects SET name = ?2 WHERE id = ?1", params![id.0, **name])?;
            Ok(())
        })
    }

    /// Moves everything of one project into another, and forgets the first as a project of its own.
    pub fn merge(&mut self, from: ProjectId, into: ProjectId) -> Result<(), StoreError> {
        if from == into {
            return Ok(());
        }
        self.store.write("merge the projects", |transaction| {
            let index_is_stale = !move_words(transaction, from, into)?;
            distilled::release_shared_subjects(transaction, from, into)?;
            sync_state::merge(transaction, from, into)?;
            for table in ["memories", "sessions", "project_keys", "project_roots", "injections"] {
                let sql = format!("UPDATE {table} SET project_id = ?2 WHERE project_id = ?1");
                transaction.execute(&sql, [from.0, into.0])?;
            }
            code::merge(transaction, from, into)?;
            transaction.execute(
                "UPDATE projects SET parent_id = nullif(?2, id) WHERE parent_id = ?1",
                [from.0, into.0],
            )?;
            transaction.execute("DELETE FROM projects WHERE id = ?1", [from.0])?;
            if index_is_stale {
                words::rebuild(transaction, |_| {})?;
            }
            Ok(())
        })
    }
}

impl ProjectReader<'_> {
    /// Returns the project a folder belongs to, if it is known, without writing.
    pub fn find(&self, project_ref: &ProjectRef) -> Result<Option<ProjectId>, StoreError> {
        self.store.read("look for the project", |db| Ok(claim(db, project_ref)?))
    }

    /// Reads a project.
    pub fn get(&self, id: ProjectId) -> Result<Option<Project>, StoreError> {
        self.store.read("read a project", |db| Ok(read(db, id)?))
    }

    /// Finds projects people call by this name, ignoring case.
    pub fn named(&self, name: &str) -> Result<Vec<Project>, StoreError> {
        self.store.read("look for a project", |db| {
            let sql = "SELECT id FROM projects WHERE name = ?1 COLLATE NOCASE ORDER BY id";
            let mut statement = db.prepare_cached(sql)?;
            let ids = statement.query_map([name], |row| row.get(0).map(ProjectId))?;
            let projects = ids.map(|id| read(db, id?)).collect::<rusqlite::Result<Vec<_>>>()?;
            Ok(projects.into_iter().flatten().collect())
        })
    }

    /// Lists all projects, the most recently active first.
    pub fn list(&self) -> Result<Vec<ProjectSummary>, StoreError> {
        self.store.read("list the projects", |db| {
            let sql = "SELECT p.id, (SELECT count(*) FROM memories m WHERE m.project_id = p.id),
                    (SELECT count(*) FROM sessions s WHERE s.project_id = p.id),
                    max(coalesce((SELECT max(created_at_ms) FROM memories m WHERE m.project_id = p.id), p.created_at_ms),
                        coalesce((SELECT max(last_event_at_ms) FROM sessions s WHERE s.project_id = p.id), p.created_at_ms)) AS active
                 FROM projects p ORDER BY active DESC, p.id";
            let mut statement = db.prepare(sql)?;
            let mut rows = statement.query([])?;
            let mut projects = Vec::new();
            while let Some(row) = rows.next()? {
                if let Some(project) = read(db, ProjectId(row.get(0)?))? {
                    let (memories, sessions) = (row.get(1)?, row.get(2)?);
                    let last_active_at = row.get::<_, Option<i64>>(3)?.map(Timestamp);
                    projects.push(ProjectSummary { project, memories, sessions, last_active_at });
                }
            }
            Ok(projects)
        })
    }
}

/// Moves memories in the word index to another project. Returns whether that was possible: of a damaged memory nobody knows which
/// words the index holds.
fn move_words(db: &Connection, from: ProjectId, into: ProjectId) -> rusqlite::Result<bool> {
    let mut statement = db.prepare(whole_memories!("WHERE project_id = ?1"))?;
    let mut rows = statement.query([from.0])?;
    while let Some(row) = rows.next()? {
        let Some(memory) = memory_from(row).ok().filter(Memory::is_intact) else { return Ok(false) };
        words::remove(db, &memory)?;
        words::add(db, memory.id, into, &memory.content)?;
    }
    Ok(true)
}

/// Finds or makes the project of a project_ref, and notes its keys and its root.
pub(crate) fn project_at(
    db: &Connection,
    project_ref: &ProjectRef,
    now: Timestamp,
) -> rusqlite::Result<ProjectId> {
    let id = match claim(db, project_ref)? {
        Some(id) => id,
        None => make(db, project_ref, now)?,
    };
    for key in &project_ref.keys {
        // A key stays with the project that has it, but the place belongs to whoever stands there now.
        let sql = if project_ref.place() == Some(key) {
            "INSERT INTO project_keys (key, project_id) VALUES (?1, ?2)
             ON CONFLICT (key) DO UPDATE SET project_id = ?2 WHERE project_id <> ?2"
        } else {
            "INSERT OR IGNORE INTO project_keys (key, project_id) VALUES (?1, ?2)"
        };
        db.prepare_cached(sql)?.execute(params![key.to_string(), id.0])?;
    }
    if project_ref.root.is_empty() {
        return Ok(id);
    }
    db.prepare_cached(
        "INSERT INTO project_roots (path, project_id, seen_at_ms) VALUES (?1, ?2, ?3)
         ON CONFLICT (path) DO UPDATE SET project_id = ?2, seen_at_ms = ?3 WHERE project_id <> ?2 OR seen_at_ms < ?3 - 3600000",
    )?
    .execute(params![project_ref.root, id.0, now.0])?;
    Ok(id)
}

fn make(db: &Connection, project_ref: &ProjectRef, now: Timestamp) -> rusqlite::Result<ProjectId> {
    let parent = match &project_ref.parent {
        Some(parent) => Some(project_at(db, parent, now)?.0),
        None => None,
    };
    db.execute(
        "INSERT INTO projects (name, parent_id, created_at_ms) VALUES (?1, ?2, ?3)",
        params![project_ref.name, parent, now.0],
    )?;
    Ok(ProjectId(db.last_insert_rowid()))
}

fn claim(db: &Connection, project_ref: &ProjectRef) -> rusqlite::Result<Option<ProjectId>> {
    project_ref.claim(|key| {
        let owner = db
            .prepare_cached("SELECT project_id FROM project_keys WHERE key = ?1")?
            .query_row([key.to_string()], |row| row.get(0).map(ProjectId))
            .optional()?;
        owner
            .map(|project| {
                Ok(KnownProject { project, keys: keys_of(db, project)?, roots: roots_of(db, project)? })
            })
            .transpose()
    })
}

fn read(db: &Connection, id: ProjectId) -> rusqlite::Result<Option<Project>> {
    let sql = "SELECT name, parent_id, created_at_ms FROM projects WHERE id = ?1";
    let found = db
        .prepare_cached(sql)?
        .query_row([id.0], |row| {
            Ok(Project {
                id,
                name: row.get(0)?,
                parent: row.get::<_, Option<i64>>(1)?.map(ProjectId),
                created_at: Timestamp(row.get(2)?),
                keys: Vec::new(),
                roots: Vec::new(),
            })
        })
        .optional()?;
    found
        .map(|project| Ok(Project { keys: keys_of(db, id)?, roots: roots_of(db, id)?, ..project }))
        .transpose()
}

fn keys_of(db: &Connection, id: ProjectId) -> rusqlite::Result<Vec<ProjectKey>> {
    let texts = texts(db, "SELECT key FROM project_keys WHERE project_id = ?1 ORDER BY key", id)?;
    Ok(texts.iter().filter_map(|text| text.parse().ok()).collect())
}

fn roots_of(db: &Connection, id: ProjectId) -> rusqlite::Result<Vec<String>> {
    texts(db, "SELECT path FROM project_roots WHERE project_id = ?1 ORDER BY seen_at_ms DESC, path", id)
}

fn texts(db: &Connection, sql: &str, id: ProjectId) -> rusqlite::Result<Vec<String>> {
    db.prepare_cached(sql)?.query_map([id.0], |row| row.get(0))?.collect()
}
