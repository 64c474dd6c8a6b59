//! open-mem's database, one in each project, and the one it keeps for the user across projects.
//!
//! Revisions are rows of their own there: the newest is in force and replaces the ones before it. Not here: its vectors, and the
//! output of tools it keeps beside what it made of them.

use crate::imported::{ImportItem, ImportedMemory, ImportedProject, ImportedSession};
use crate::sources::carriers::inside;
use crate::sources::observed_rows::{OBSERVATION, SUMMARY, observation, summary};
use crate::sources::rows::{
    each_row, first_moment, locate_database, look_up, open_tables, reason, skip_rows,
};
use crate::sources::text::{project, provenance_of_tool, unique};
use crate::sources::{ImportSource, SearchPaths, SourceInstance, UnreadableSource};
use backstory_memory::{Content, MemoryScope};
use backstory_store::{ForeignDatabase, ForeignRow, RowQuery};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Finds the databases of all projects, and the user's own.
pub(crate) fn locate(search: &SearchPaths) -> Vec<SourceInstance> {
    let of_projects = search.projects.iter().map(|project| (project, project.join(".open-mem/memory.db")));
    let of_projects =
        of_projects.filter(|(project, path)| inside(project, path).is_some()).map(|(_, path)| path);
    let of_user = search
        .named("OPEN_MEM_USER_MEMORY_DB_PATH")
        .map_or_else(|| search.places.config.join("open-mem/user-memory.db"), Path::to_owned);
    let named = search.named("OPEN_MEM_DB_PATH").filter(|path| path.is_absolute()).map(Path::to_owned);
    let mut seen = HashSet::new();
    // Without a known configuration folder the path is relative, and must not be looked for in the working folder.
    let of_user = Some(of_user).filter(|path| path.is_absolute());
    let paths = of_projects.chain(named).chain(of_user).filter(|path| seen.insert(path.clone()));
    paths.filter_map(|path| locate_database(ImportSource::OpenMem, &path)).collect()
}

/// Reads a database.
pub(crate) fn read(
    instance: &SourceInstance,
    emit: &mut dyn FnMut(ImportItem),
) -> Result<(), UnreadableSource> {
    let (db, tables) = open_tables(instance)?;
    let has = |name: &str| tables.iter().any(|table| table == name);
    if !(has("user_observations") || has("observations") && has("sessions")) {
        return Err(UnreadableSource("not a database of open-mem".to_owned()));
    }
    let projects = OpenMemProjects::read(&db, &instance.path);
    let history = OpenMemHistory::read(&db);
    let named_in = entities(&db);
    let columns = [OBSERVATION, PLACE].concat();
    each_row(&db, wanted("observations", &columns), emit, |row| {
        let project = projects.of_session(row.text("session_id"));
        let mut content = observation(row, &project)?;
        let named = row.text("id").and_then(|id| named_in.get(id)).into_iter().flatten();
        content.concepts = unique(content.concepts.into_iter().chain(named.cloned()));
        if row.text("scope") == Some("user") {
            content.scope = MemoryScope::User;
        }
        history.apply(row, placed(row, "observation", project, content)?)
    });
    each_row(&db, wanted("session_summaries", &[SUMMARY, PLACE].concat()), emit, |row| {
        let project = projects.of_session(row.text("session_id"));
        let content = summary(row, &project)?;
        placed(row, "summary", project, content)
    });
    each_row(&db, wanted("user_observations", &columns), emit, |row| {
        let project = project(row.text("source_project"), NAMELESS);
        let content = Content { scope: MemoryScope::User, ..observation(row, &project)? };
        placed(row, "observation", project, content)
    });
    for status in ["pending", "processing", "failed"] {
        let queued = RowQuery { only: &[("status", status)], ..wanted("pending_messages", &["id"]) };
        skip_rows(&db, queued, reason::NEVER_COMPRESSED, emit);
    }
    Ok(())
}

fn wanted<'a>(table: &'a str, columns: &'a [&'a str]) -> RowQuery<'a> {
    RowQuery { table, columns, order: &["_rowid"], ..RowQuery::default() }
}

/// The columns that say where a row belongs and what became of it.
const PLACE: &[&str] =
    &["id", "session_id", "tool_name", "created_at", "scope", "deleted_at", "source_project"];

fn placed(
    row: &ForeignRow,
    sort: &str,
    project: ImportedProject,
    mut content: Content,
) -> Result<ImportedMemory, &'static str> {
    let id = row.text("id").ok_or(reason::NO_NAME)?;
    content.provenance = provenance_of_tool(row.text("tool_name"));
    let session = row.text("session_id").and_then(ImportedSession::of_opencode);
    let created_at = first_moment(row, &["created_at"]).ok_or(reason::NO_DATE)?;
    Ok(ImportedMemory {
        session,
        ..ImportedMemory::new(format!("{sort} {id}"), project, created_at, content)
    })
}

/// The folders of sessions; a session without one belongs to the folder of the database.
struct OpenMemProjects {
    by_session: HashMap<String, ImportedProject>,
    here: ImportedProject,
}

impl OpenMemProjects {
    fn read(db: &ForeignDatabase, path: &Path) -> OpenMemProjects {
        let folder = path.parent().filter(|parent| parent.ends_with(".open-mem")).and_then(Path::parent);
        let here = project(folder.and_then(Path::to_str), NAMELESS);
        let mut by_session = HashMap::new();
        look_up(db, wanted("sessions", &["id", "project_path"]), |row| {
            if let (Some(id), Some(folder)) = (row.text("id"), row.text("project_path")) {
                by_session.insert(id.to_owned(), project(Some(folder), NAMELESS));
            }
        });
        OpenMemProjects { by_session, here }
    }

    fn of_session(&self, session: Option<&str>) -> ImportedProject {
        session.and_then(|session| self.by_session.get(session)).unwrap_or(&self.here).clone()
    }
}

/// Which row replaces which, and which are gone.
struct OpenMemHistory {
    replaced: HashMap<String, Vec<String>>,
    gone: HashMap<String, &'static str>,
}

impl OpenMemHistory {
    fn read(db: &ForeignDatabase) -> OpenMemHistory {
        let mut newer_of = Vec::new();
        let mut there = HashSet::new();
        let mut history = OpenMemHistory { replaced: HashMap::new(), gone: HashMap::new() };
        let columns = &["id", "superseded_by", "revision_of", "deleted_at"];
        look_up(db, wanted("observations", columns), |row| {
            let Some(id) = row.text("id") else { return };
            if row.text("deleted_at").is_some() {
                history.gone.insert(id.to_owned(), reason::DELETED);
                return;
            }
            there.insert(id.to_owned());
            if let Some(newer) = row.text("superseded_by") {
                newer_of.push((id.to_owned(), newer.to_owned()));
            }
            if let Some(older) = row.text("revision_of") {
                newer_of.push((older.to_owned(), id.to_owned()));
            }
        });
        for (older, newer) in newer_of {
            if there.contains(&newer) {
                let replaced = history.replaced.entry(newer).or_default();
                if !replaced.contains(&older) {
                    replaced.push(older);
                }
            } else if there.contains(&older) {
                // What replaced it was deleted: that does not bring it back.
                history.gone.insert(older, reason::DELETED);
            }
        }
        history
    }

    fn apply(&self, row: &ForeignRow, mut memory: ImportedMemory) -> Result<ImportedMemory, &'static str> {
        let id = row.text("id").ok_or(reason::NO_NAME)?;
        if let Some(why) = self.gone.get(id) {
            return Err(why);
        }
        let older = self.replaced.get(id).into_iter().flatten();
        let older = older.filter(|older| !self.gone.contains_key(*older));
        memory.replaces = older.map(|older| format!("observation {older}")).collect();
        Ok(memory)
    }
}

/// Returns what the graph says each observation speaks of.
fn entities(db: &ForeignDatabase) -> HashMap<String, Vec<String>> {
    let mut names = HashMap::new();
    look_up(db, wanted("entities", &["id", "name"]), |row| {
        if let (Some(id), Some(name)) = (row.text("id"), row.text("name")) {
            names.insert(id.to_owned(), name.to_owned());
        }
    });
    let mut named_in: HashMap<String, Vec<String>> = HashMap::new();
    let order: &[&str] = &["observation_id", "entity_id"];
    let of = RowQuery { order, ..wanted("entity_observations", order) };
    look_up(db, of, |row| {
        if let (Some(id), Some(observation)) = (row.text("entity_id"), row.text("observation_id")) {
            named_in.entry(observation.to_owned()).or_default().extend(names.get(id).cloned());
        }
    });
    named_in
}

/// What belongs to no project the database knows.
const NAMELESS: &str = "open-mem";
