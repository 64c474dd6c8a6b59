//! claude-mem's database, from the first versions with sessions of their own to 13.x: columns were renamed and added on the way.
//!
//! Its rows name a project, never a folder. Not here: what it queued and never compressed, its vectors, its settings.

use crate::imported::{ImportItem, ImportedMemory, ImportedProject, ImportedSession};
use crate::sources::observed_rows::{OBSERVATION, SUMMARY, observation, summary};
use crate::sources::rows::{
    each_row, first_moment, locate_database, look_up, open_tables, reason, skip_rows, wanted,
};
use crate::sources::text::{draft, project, title};
use crate::sources::{ImportSource, SearchPaths, SourceInstance, UnreadableSource};
use backstory_memory::{Category, Importance, Kind, MemoryScope, Timestamp};
use backstory_store::{ForeignDatabase, ForeignLimits, ForeignRow};
use std::collections::HashMap;

/// Finds the database. A database of another program under the same name is passed over. One that cannot be opened counts as found, so
/// that the import reports it.
pub(crate) fn locate(search: &SearchPaths) -> Vec<SourceInstance> {
    let home = search.places.home.join(".claude-mem");
    let folder = search.named("CLAUDE_MEM_DATA_DIR").unwrap_or(&home);
    let path = folder.join("claude-mem.db");
    let is_ours = || {
        ForeignDatabase::open(&path, ForeignLimits::PROGRAM)
            .and_then(|db| db.tables())
            .map_or(true, |tables| has_sessions(&tables))
    };
    locate_database(ImportSource::ClaudeMem, &path).filter(|_| is_ours()).into_iter().collect()
}

/// Reads the database.
pub(crate) fn read(
    instance: &SourceInstance,
    emit: &mut dyn FnMut(ImportItem),
) -> Result<(), UnreadableSource> {
    let (db, tables) = open_tables(instance)?;
    if !has_sessions(&tables) {
        return Err(UnreadableSource("not a database of claude-mem".to_owned()));
    }
    let sessions = ClaudeMemSessions::read(&db);
    let take = |row: &ForeignRow| memory_from_row(row, "observation", &sessions, observation);
    each_row(&db, wanted("observations", &columns(OBSERVATION)), emit, take);
    let take = |row: &ForeignRow| memory_from_row(row, "summary", &sessions, summary);
    each_row(&db, wanted("session_summaries", &columns(SUMMARY)), emit, take);
    each_row(&db, wanted("directives", DIRECTIVE), emit, directive);
    skip_rows(&db, wanted("user_prompts", &["id"]), reason::PROMPT, emit);
    skip_rows(&db, wanted("pending_messages", &["id"]), reason::NEVER_COMPRESSED, emit);
    Ok(())
}

fn has_sessions(tables: &[String]) -> bool {
    tables.iter().any(|table| table == "sdk_sessions")
}

/// Returns columns with those that say where a row belongs: by today's names and by those before 9.x.
pub(crate) fn columns<'a>(of_row: &[&'a str]) -> Vec<&'a str> {
    let place = [
        "id",
        "memory_session_id",
        "sdk_session_id",
        "project",
        "merged_into_project",
        "created_at",
        "created_at_epoch",
    ];
    place.into_iter().chain(of_row.iter().copied()).collect()
}

/// Takes a row that belongs to a session.
pub(crate) fn memory_from_row(
    row: &ForeignRow,
    sort: &str,
    sessions: &ClaudeMemSessions,
    content: fn(&ForeignRow, &ImportedProject) -> Result<backstory_memory::Content, &'static str>,
) -> Result<ImportedMemory, &'static str> {
    let id = row.integer("id").ok_or(reason::NO_NAME)?;
    let name = row.text("memory_session_id").or(row.text("sdk_session_id"));
    let session = name.and_then(|name| sessions.by_name.get(name));
    let project = project_of(row.text("merged_into_project").or(row.text("project")));
    let began = session.and_then(|session| session.began);
    let created_at =
        first_moment(row, &["created_at_epoch", "created_at"]).or(began).ok_or(reason::NO_DATE)?;
    let content = content(row, &project)?;
    let session = session.map(|session| session.session.clone());
    Ok(ImportedMemory {
        session,
        ..ImportedMemory::new(format!("{sort} {id}"), project, created_at, content)
    })
}

/// Names a project: a worktree goes by `repository/worktree` there, and belongs to its repository here.
fn project_of(text: Option<&str>) -> ImportedProject {
    match project(text, "claude-mem") {
        ImportedProject::Named(name) => {
            let repository = name.split('/').next().unwrap_or(&name).to_owned();
            ImportedProject::Named(repository)
        }
        other => other,
    }
}

const DIRECTIVE: &[&str] = &["id", "scope", "project", "content", "status", "created_at", "created_at_epoch"];

/// Takes a rule the user wants kept in every session.
fn directive(row: &ForeignRow) -> Result<ImportedMemory, &'static str> {
    let id = row.integer("id").ok_or(reason::NO_NAME)?;
    if row.text("status").is_some_and(|status| status != "active") {
        return Err(reason::RETRACTED);
    }
    let created_at = first_moment(row, &["created_at_epoch", "created_at"]).ok_or(reason::NO_DATE)?;
    let text = row.text("content").unwrap_or_default();
    let mut content = draft(Kind::Fact, &title(&[Some(text)]).ok_or(reason::NO_WORDS)?, text);
    content.category = Some(Category("convention".to_owned()));
    content.importance = Importance::new(4);
    if row.text("project").is_none() {
        content.scope = MemoryScope::User;
    }
    Ok(ImportedMemory::new(format!("directive {id}"), project_of(row.text("project")), created_at, content))
}

/// The sessions of the database, by the name its own agent has for them.
pub(crate) struct ClaudeMemSessions {
    by_name: HashMap<String, ClaudeMemSession>,
}

struct ClaudeMemSession {
    session: ImportedSession,
    began: Option<Timestamp>,
}

impl ClaudeMemSessions {
    pub(crate) fn read(db: &ForeignDatabase) -> ClaudeMemSessions {
        let columns = &[
            "id",
            "memory_session_id",
            "sdk_session_id",
            "content_session_id",
            "claude_session_id",
            "platform_source",
            "started_at",
            "started_at_epoch",
        ];
        let mut by_name = HashMap::new();
        look_up(db, wanted("sdk_sessions", columns), |row| {
            let own = row.text("memory_session_id").or(row.text("sdk_session_id"));
            let hosts = row.text("content_session_id").or(row.text("claude_session_id"));
            let host = host(row.text("platform_source").unwrap_or("claude"));
            if let (Some(own), Some(hosts)) = (own, hosts) {
                let session = ImportedSession { host: host.to_owned(), name: hosts.to_owned() };
                let began = first_moment(row, &["started_at_epoch", "started_at"]);
                by_name.insert(own.to_owned(), ClaudeMemSession { session, began });
            }
        });
        ClaudeMemSessions { by_name }
    }
}

/// Returns our name for a host.
fn host(platform: &str) -> &str {
    match platform {
        "claude" => "claude-code",
        "gemini" => "gemini-cli",
        "copilot" | "github-copilot" => "copilot-cli",
        "codex" | "opencode" | "cursor" | "windsurf" => platform,
        _ => "claude-mem",
    }
}
