//! The one whose learnings have a confidence (github.com/Kelmain/mem-lite): what was compressed, what was learnt, what sessions did.
//!
//! Not here: its function map and call graph, which our own code map finds again in the code.

use crate::imported::{ImportItem, ImportedMemory, ImportedProject, ImportedSession};
use crate::sources::rows::{each_row, first_moment, item_from, look_up, reason, skip_rows};
use crate::sources::text::{draft, files, lines, list, project, provenance_of_tool, said, title};
use backstory_memory::{Category, Confidence, Kind, MemoryScope, Timestamp};
use backstory_store::{ForeignDatabase, ForeignRow, RowQuery, UsageHistory};
use std::collections::HashMap;

pub(super) fn is_its(tables: &[String]) -> bool {
    ["sessions", "learnings"].iter().all(|name| tables.iter().any(|table| table == name))
}

pub(super) fn read(db: &ForeignDatabase, emit: &mut dyn FnMut(ImportItem)) {
    let sessions = MemLiteSessions::read(db);
    each_row(db, wanted("observations", OBSERVATION), emit, |row| observation(row, &sessions));
    each_row(db, wanted("learnings", LEARNING), emit, |row| learning(row, &sessions));
    for (id, summary) in &sessions.summaries {
        emit(item_from(sessions.summary(id, summary)));
    }
    for status in ["raw", "processing", "error"] {
        let queued = RowQuery { only: &[("status", status)], ..wanted("pending_queue", &["id"]) };
        skip_rows(db, queued, reason::NEVER_COMPRESSED, emit);
    }
}

/// Asks for rows in the order they were written: their names say nothing about it.
fn wanted<'a>(table: &'a str, columns: &'a [&'a str]) -> RowQuery<'a> {
    RowQuery { table, columns, ..RowQuery::default() }
}

const OBSERVATION: &[&str] = &[
    "id",
    "session_id",
    "tool_name",
    "title",
    "summary",
    "detail",
    "files_touched",
    "functions_changed",
    "created_at",
];

/// Takes what one use of a tool was compressed to.
fn observation(row: &ForeignRow, sessions: &MemLiteSessions) -> Result<ImportedMemory, &'static str> {
    let (summary, detail) = (row.text("summary"), row.text("detail"));
    let title = title(&[row.text("title"), summary, detail]).ok_or(reason::NO_WORDS)?;
    let files_touched = list(row.text("files_touched"));
    let has_changed =
        ["Write", "Edit", "MultiEdit", "NotebookEdit"].contains(&row.text("tool_name").unwrap_or_default());
    let kind = if has_changed { Kind::Change } else { Kind::Discovery };
    let mut content = draft(kind, &title, &lines(&[("", summary), ("", detail)]));
    content.concepts = list(row.text("functions_changed"));
    content.provenance = provenance_of_tool(row.text("tool_name"));
    let mut memory = sessions.place("observation", row, row.text("session_id"), content)?;
    memory.content.files = files(&memory.project, files_touched);
    Ok(memory)
}

const LEARNING: &[&str] = &[
    "id",
    "category",
    "content",
    "confidence",
    "source_session_id",
    "is_active",
    "times_seen",
    "is_manual",
    "created_at",
    "updated_at",
];

/// Takes a learning. One without a project is for all projects, as it was in that program.
fn learning(row: &ForeignRow, sessions: &MemLiteSessions) -> Result<ImportedMemory, &'static str> {
    if row.integer("is_active") == Some(0) {
        return Err(reason::DELETED);
    }
    let text = row.text("content").unwrap_or_default();
    let mut content = draft(Kind::Fact, &title(&[Some(text)]).ok_or(reason::NO_WORDS)?, text);
    content.category = row.text("category").map(|category| Category(category.to_lowercase()));
    content.confidence = row.real("confidence").map_or(Confidence::DISTILLED, Confidence::new);
    let session = row.text("source_session_id");
    if sessions.folder(session).is_none() {
        content.scope = MemoryScope::User;
    }
    let mut memory = sessions.place("learning", row, session, content)?;
    memory.history = Some(UsageHistory {
        times_seen: row.integer("times_seen").and_then(|times| u32::try_from(times).ok()).unwrap_or(1).max(1),
        ..UsageHistory::new(first_moment(row, &["updated_at"]).unwrap_or(memory.created_at))
    });
    Ok(memory)
}

struct MemLiteSessions {
    by_id: HashMap<String, MemLiteSession>,
    /// The summaries, in the order of the table.
    summaries: Vec<(String, String)>,
}

struct MemLiteSession {
    folder: ImportedProject,
    began: Option<Timestamp>,
}

impl MemLiteSessions {
    fn read(db: &ForeignDatabase) -> MemLiteSessions {
        let mut sessions = MemLiteSessions { by_id: HashMap::new(), summaries: Vec::new() };
        let columns = &["id", "project_dir", "started_at", "summary"];
        look_up(db, wanted("sessions", columns), |row| {
            let Some(id) = row.text("id") else { return };
            if let Some(summary) = row.text("summary") {
                sessions.summaries.push((id.to_owned(), summary.to_owned()));
            }
            let session = MemLiteSession {
                folder: project(row.text("project_dir"), NAMELESS),
                began: first_moment(row, &["started_at"]),
            };
            sessions.by_id.insert(id.to_owned(), session);
        });
        sessions
    }

    fn folder(&self, session: Option<&str>) -> Option<&ImportedProject> {
        self.by_id.get(session?).map(|session| &session.folder)
    }

    /// Puts a row's content where its session was.
    fn place(
        &self,
        sort: &str,
        row: &ForeignRow,
        session: Option<&str>,
        content: backstory_memory::Content,
    ) -> Result<ImportedMemory, &'static str> {
        let id = row.text("id").ok_or(reason::NO_NAME)?;
        let known = session.and_then(|session| self.by_id.get(session));
        let began = known.and_then(|session| session.began);
        let created_at = first_moment(row, &["created_at"]).or(began).ok_or(reason::NO_DATE)?;
        let project = known.map_or_else(|| project(None, NAMELESS), |session| session.folder.clone());
        let session = session.filter(|_| known.is_some()).map(ImportedSession::of_claude_code);
        Ok(ImportedMemory {
            session,
            ..ImportedMemory::new(format!("{sort} {id}"), project, created_at, content)
        })
    }

    /// Makes a memory of what a session was summed up to: words, or JSON with the parts of one.
    fn summary(&self, id: &str, summary: &str) -> Result<ImportedMemory, &'static str> {
        let session = self.by_id.get(id).ok_or(reason::NO_NAME)?;
        let parts: Option<serde_json::Map<String, serde_json::Value>> = serde_json::from_str(summary).ok();
        let body = parts.map_or_else(|| summary.to_owned(), |parts| written(&parts));
        let content = draft(Kind::Summary, &title(&[Some(&body)]).ok_or(reason::NO_WORDS)?, &body);
        // Dated by the session's start, which never changes: a memory is recognised by its name and its time.
        let created_at = session.began.ok_or(reason::NO_DATE)?;
        let memory =
            ImportedMemory::new(format!("summary {id}"), session.folder.clone(), created_at, content);
        Ok(ImportedMemory { session: Some(ImportedSession::of_claude_code(id)), ..memory })
    }
}

/// Writes the parts of a summary, the one that sums it up first and without its name.
fn written(parts: &serde_json::Map<String, serde_json::Value>) -> String {
    let text = |value: &serde_json::Value| match value {
        serde_json::Value::String(text) => Some(text.clone()),
        other => said(Some(&other.to_string())),
    };
    let first = parts.get("summary").and_then(text);
    let rest = parts.iter().filter(|(name, _)| *name != "summary").filter_map(|(name, value)| {
        let (start, rest) = name.split_at_checked(1)?;
        Some(format!("{}{}: {}", start.to_uppercase(), rest.replace('_', " "), text(value)?))
    });
    first.into_iter().chain(rest).collect::<Vec<_>>().join("\n")
}

/// What belongs to no project the database knows.
const NAMELESS: &str = "claude-mem-lite";
