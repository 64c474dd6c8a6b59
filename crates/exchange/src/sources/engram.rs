//! engram: its database, and what `engram export` writes. Both have the same fields by the same names.
//!
//! Not here: its queues for other machines, and the files it puts into repositories for a team.

mod database;
mod json_export;

use crate::imported::{ImportItem, ImportedMemory, ImportedProject, ImportedSession};
use crate::sources::carriers::inside;
use crate::sources::observed_rows::{category, kind};
use crate::sources::rows::{locate_database, reason};
use crate::sources::text::{draft, project, provenance_of_tool, title};
use crate::sources::{ImportSource, SearchPaths, SourceInstance, UnreadableSource};
use backstory_memory::foreign_time;
use backstory_memory::{Kind, MemoryScope, Timestamp};
use backstory_store::UsageHistory;
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;

/// Finds the database; where there is none, the exports that lie in projects.
pub(crate) fn locate(search: &SearchPaths) -> Vec<SourceInstance> {
    let home = search.places.home.join(".engram");
    let folder = search.named("ENGRAM_DATA_DIR").unwrap_or(&home);
    if let Some(database) = locate_database(ImportSource::Engram, &folder.join("engram.db")) {
        return vec![database];
    }
    let exports =
        search.projects.iter().filter_map(|project| inside(project, &project.join("engram-export.json")));
    exports.filter_map(|path| SourceInstance::at(ImportSource::Engram, &path)).collect()
}

/// Reads a database or an export.
pub(crate) fn read(
    instance: &SourceInstance,
    emit: &mut dyn FnMut(ImportItem),
) -> Result<(), UnreadableSource> {
    let unreadable = |error: std::io::Error| UnreadableSource(error.to_string());
    let mut begins = Vec::new();
    let file = File::open(&instance.path).map_err(unreadable)?;
    file.take(MAGIC.len() as u64).read_to_end(&mut begins).map_err(unreadable)?;
    if begins == MAGIC { database::read(instance, emit) } else { json_export::read(&instance.path, emit) }
}

/// How a file of SQLite begins.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// What a row or an entry of the export says, by field.
type EngramFields = HashMap<&'static str, String>;

const SESSION: &[&str] = &["id", "project", "directory", "started_at", "summary"];

const OBSERVATION: &[&str] = &[
    "id",
    "sync_id",
    "session_id",
    "type",
    "title",
    "content",
    "tool_name",
    "project",
    "scope",
    "topic_key",
    "duplicate_count",
    "created_at",
    "updated_at",
    "deleted_at",
];

fn text<'a>(fields: &'a EngramFields, name: &str) -> Option<&'a str> {
    fields.get(name).map(|text| text.trim()).filter(|text| !text.is_empty())
}

fn at(fields: &EngramFields, name: &str) -> Option<Timestamp> {
    foreign_time(text(fields, name)?)
}

/// What is known of sessions and relations before observations are read.
#[derive(Default)]
struct EngramIndex {
    sessions: HashMap<String, EngramSession>,
    /// The numbers of the observations that an observation replaces, by its `sync_id`; then of those it relates to.
    replaces: HashMap<String, Vec<String>>,
    relates: HashMap<String, Vec<String>>,
}

struct EngramSession {
    name: String,
    folder: ImportedProject,
    began: Option<Timestamp>,
}

impl EngramIndex {
    /// Notes a session. Returns its summary as a memory, if it has one.
    fn session(&mut self, fields: &EngramFields) -> Option<Result<ImportedMemory, &'static str>> {
        let id = text(fields, "id")?;
        let name = text(fields, "project").unwrap_or(NAMELESS);
        let folder = project(text(fields, "directory").filter(|folder| *folder != "."), name);
        let began = at(fields, "started_at");
        let summary = text(fields, "summary").map(|summary| {
            let content = draft(Kind::Summary, &title(&[Some(summary)]).ok_or(reason::NO_WORDS)?, summary);
            let at = began.ok_or(reason::NO_DATE)?;
            let memory = ImportedMemory::new(format!("session {id}"), folder.clone(), at, content);
            Ok(ImportedMemory { session: ImportedSession::of_opencode(id), ..memory })
        });
        self.sessions.insert(id.to_owned(), EngramSession { name: name.to_owned(), folder, began });
        summary
    }

    /// Takes an observation.
    fn observation(&self, fields: &EngramFields) -> Result<ImportedMemory, &'static str> {
        let id = text(fields, "id").ok_or(reason::NO_NAME)?;
        if text(fields, "deleted_at").is_some() {
            return Err(reason::DELETED);
        }
        let sort = text(fields, "type").unwrap_or("manual");
        if RAW.contains(&sort) {
            return Err(reason::NEVER_COMPRESSED);
        }
        let said = text(fields, "content");
        let title = title(&[text(fields, "title"), said]).ok_or(reason::NO_WORDS)?;
        let session = text(fields, "session_id");
        let known = session.and_then(|session| self.sessions.get(session));
        let began = known.and_then(|session| session.began);
        let created_at = at(fields, "created_at").or(began).ok_or(reason::NO_DATE)?;
        let mut content = draft(kind(sort), &title, said.unwrap_or_default());
        content.category = category(content.kind, sort);
        content.concepts = text(fields, "topic_key").map(str::to_owned).into_iter().collect();
        content.provenance = provenance_of_tool(text(fields, "tool_name"));
        if text(fields, "scope").is_some_and(|scope| scope == "personal" || scope == "global") {
            content.scope = MemoryScope::User;
        }
        let project = project_of(text(fields, "project"), known);
        // Relations name an observation by the id it has on every machine, older ones by its number.
        let between = text(fields, "sync_id").unwrap_or(id);
        let seen = text(fields, "duplicate_count").and_then(|count| count.parse().ok()).unwrap_or(1);
        Ok(ImportedMemory {
            session: session.and_then(ImportedSession::of_opencode),
            history: Some(UsageHistory {
                times_seen: std::cmp::max(1, seen),
                ..UsageHistory::new(at(fields, "updated_at").unwrap_or(created_at))
            }),
            replaces: named(self.replaces.get(between)),
            relates: named(self.relates.get(between)),
            ..ImportedMemory::new(format!("observation {id}"), project, created_at, content)
        })
    }
}

/// Returns the folder of the session if it belongs to the named project, else the project by its name.
fn project_of(name: Option<&str>, session: Option<&EngramSession>) -> ImportedProject {
    match (name, session) {
        (Some(name), Some(session)) if name == session.name => session.folder.clone(),
        (None, Some(session)) => session.folder.clone(),
        (name, _) => project(name, NAMELESS),
    }
}

fn named(numbers: Option<&Vec<String>>) -> Vec<String> {
    numbers.into_iter().flatten().map(|number| format!("observation {number}")).collect()
}

/// What early versions kept of every use of a tool, as it came.
const RAW: &[&str] = &["tool_use", "file_change", "file_read", "command", "search"];

/// What belongs to no project engram knows.
const NAMELESS: &str = "engram";
