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

/// Two projects that may be one: the folders of the first say so, and nothing proves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectClaim {
    /// The younger project.
    pub project: Project,
    /// The project that it claims to be.
    pub claimed: Project,
}

/// Whether the store knows the project of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recognition {
    /// It is known, and so is the commit its history begins with.
    Proven,
    /// It is known by its path alone.
    Placed,
    /// It is not known.
    Unknown,
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

    /// Notes the user's word that a folder belongs to a project, whatever the folder itself says.
    pub fn link(
        &mut self,
        project_ref: &Redacted<ProjectRef>,
        into: ProjectId,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.store.write("link the folder", |transaction| {
            set_link(transaction, project_ref, into)?;
            project_at(transaction, project_ref, now)?;
            Ok(())
        })
    }

    /// Notes the user's word that a folder is a project of its own, and returns that project: a new one, unless the folder is the
    /// only one of its project.
    pub fn unlink(
        &mut self,
        project_ref: &Redacted<ProjectRef>,
        now: Timestamp,
    ) -> Result<ProjectId, StoreError> {
        self.store.write("unlink the folder", |transaction| {
            let own = claim(transaction, project_ref)?;
            let own = match own {
                Some(id) if is_only_place(transaction, project_ref, id)? => id,
                _ => make(transaction, project_ref, now)?,
            };
            set_link(transaction, project_ref, own)?;
            project_at(transaction, project_ref, now)?;
            Ok(own)
        })
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
            // Keys that both projects have stay behind, and are deleted with the first.
            for table in ["memories", "sessions", "project_keys", "project_roots", "injections", "rejections"]
            {
                let sql = format!("UPDATE OR IGNORE {table} SET project_id = ?2 WHERE project_id = ?1");
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

    /// Returns whether a folder's project is known, and how well.
    pub fn recognise(&self, project_ref: &ProjectRef) -> Result<Recognition, StoreError> {
        self.store.read("look for the project", |db| {
            let Some(id) = claim(db, project_ref)? else { return Ok(Recognition::Unknown) };
            let has_proof = known(db, id)?.has_proof();
            Ok(if has_proof { Recognition::Proven } else { Recognition::Placed })
        })
    }

    /// Whether a project was ever seen in this folder.
    pub fn has_met(&self, root: &str) -> Result<bool, StoreError> {
        self.store.read("look for the project", |db| {
            Ok(db.prepare_cached("SELECT 1 FROM project_roots WHERE path = ?1")?.exists([root])?)
        })
    }

    /// Whether a folder is the only one of a project.
    pub fn is_only_place(&self, project_ref: &ProjectRef, id: ProjectId) -> Result<bool, StoreError> {
        self.store.read("look for the project", |db| Ok(is_only_place(db, project_ref, id)?))
    }

    /// Lists the projects whose folders claim to belong to another, which the user has not answered yet.
    pub fn claims(&self) -> Result<Vec<ProjectClaim>, StoreError> {
        self.store.read("look for projects that claim to be one", |db| {
            let sql = "SELECT DISTINCT a.project_id, b.project_id FROM project_keys a JOIN project_keys b ON b.key = a.key
                 WHERE b.project_id < a.project_id AND a.key NOT GLOB 'path:*' ORDER BY 1, 2";
            let mut statement = db.prepare(sql)?;
            let pairs = statement.query_map([], |row| Ok((ProjectId(row.get(0)?), ProjectId(row.get(1)?))))?;
            let mut claims = Vec::new();
            for pair in pairs {
                let (one, other) = pair?;
                if known(db, one)?.claims(&known(db, other)?)
                    && let (Some(project), Some(claimed)) = (read(db, one)?, read(db, other)?)
                {
                    claims.push(ProjectClaim { project, claimed });
                }
            }
            Ok(claims)
        })
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

/// Moves memories in the word index to another project. Returns whether that was possible: nobody knows which words the index holds
/// of a damaged memory.
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

/// Finds or makes the project of a folder, and notes its keys and its root.
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
        record_key(db, project_ref, key, id)?;
    }
    if project_ref.root.is_empty() {
        return Ok(id);
    }
    // To the hour is enough: an event that says nothing new then writes no page here.
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

/// Adds a key to a project. The path of the folder itself moves to the project that is there now; a path from another machine is
/// added only if no project has it.
fn record_key(
    db: &Connection,
    project_ref: &ProjectRef,
    key: &ProjectKey,
    id: ProjectId,
) -> rusqlite::Result<()> {
    let text = key.to_string();
    if project_ref.place() == Some(key) {
        db.prepare_cached("DELETE FROM project_keys WHERE key = ?1 AND project_id <> ?2")?
            .execute(params![text, id.0])?;
    }
    let is_exclusive = matches!(key, ProjectKey::Path(_) | ProjectKey::Link(_));
    let sql = if is_exclusive {
        "INSERT INTO project_keys (key, project_id) SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM project_keys WHERE key = ?1)"
    } else {
        "INSERT OR IGNORE INTO project_keys (key, project_id) VALUES (?1, ?2)"
    };
    db.prepare_cached(sql)?.execute(params![text, id.0])?;
    Ok(())
}

fn set_link(db: &Connection, project_ref: &ProjectRef, into: ProjectId) -> rusqlite::Result<()> {
    let Some(link) = project_ref.link() else { return Ok(()) };
    db.execute("DELETE FROM project_keys WHERE key = ?1", [link.to_string()])?;
    db.execute(
        "INSERT INTO project_keys (key, project_id) VALUES (?1, ?2)",
        params![link.to_string(), into.0],
    )?;
    Ok(())
}

fn is_only_place(db: &Connection, project_ref: &ProjectRef, id: ProjectId) -> rusqlite::Result<bool> {
    let places = keys_of(db, id)?.into_iter().filter(|key| matches!(key, ProjectKey::Path(_)));
    Ok(places.into_iter().all(|place| Some(&place) == project_ref.place()))
}

fn claim(db: &Connection, project_ref: &ProjectRef) -> rusqlite::Result<Option<ProjectId>> {
    project_ref.claim(|key| {
        let mut statement =
            db.prepare_cached("SELECT project_id FROM project_keys WHERE key = ?1 ORDER BY project_id")?;
        let owners = statement.query_map([key.to_string()], |row| row.get(0).map(ProjectId))?;
        owners.map(|project| known(db, project?)).collect()
    })
}

fn known(db: &Connection, project: ProjectId) -> rusqlite::Result<KnownProject> {
    Ok(KnownProject { project, keys: keys_of(db, project)? })
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
