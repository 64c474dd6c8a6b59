//! The one that batches episodes (github.com/sdsrss/claude-mem-lite): claude-mem's tables, with handoffs, events and open work beside.
//!
//! Not here: its counters of what was injected and cited, which say nothing about another program.

use crate::imported::{ImportItem, ImportedMemory, ImportedSession};
use crate::sources::claude_mem::{ClaudeMemSessions, columns, memory_from_row};
use crate::sources::observed_rows::{OBSERVATION, SUMMARY, category, kind, observation, summary};
use crate::sources::rows::{each_row, first_moment, look_up, reason, skip_rows, wanted};
use crate::sources::text::{draft, files, lines, list, project, said, title};
use backstory_memory::{Content, Importance, Kind};
use backstory_store::{ForeignDatabase, ForeignRow, RowQuery, UsageHistory};
use std::collections::HashMap;

pub(super) fn is_its(tables: &[String]) -> bool {
    ["sdk_sessions", "observations"].iter().all(|name| tables.iter().any(|table| table == name))
}

pub(super) fn read(db: &ForeignDatabase, emit: &mut dyn FnMut(ImportItem)) {
    let sessions = ClaudeMemSessions::read(db);
    let history =
        SdsrssHistory::read(db, "observations", &["superseded_by", "compressed_into"], "superseded_at");
    let with_history = [OBSERVATION, HISTORY].concat();
    each_row(db, wanted("observations", &columns(&with_history)), emit, |row| {
        let mut memory = memory_from_row(row, "observation", &sessions, observation)?;
        if let Some(lesson) = row.text("lesson_learned") {
            memory.content.facts.push(lesson.to_owned());
        }
        memory.content.importance = importance(row);
        history.apply(row, "observation", memory)
    });
    let take = |row: &ForeignRow| memory_from_row(row, "summary", &sessions, summary);
    each_row(db, wanted("session_summaries", &columns(SUMMARY)), emit, take);
    // Handoffs have no number.
    let handoffs = RowQuery { order: &["created_at_epoch"], ..wanted("session_handoffs", HANDOFF) };
    each_row(db, handoffs, emit, handoff);
    let history = SdsrssHistory::read(db, "events", &["superseded_by_id"], "superseded_at_epoch");
    each_row(db, wanted("events", EVENT), emit, |row| history.apply(row, "event", event(row)?));
    each_row(db, wanted("deferred_work", DEFERRED), emit, deferred);
    skip_rows(db, wanted("user_prompts", &["id"]), reason::PROMPT, emit);
}

/// It counts 1 to 3, where we count 1 to 5.
fn importance(row: &ForeignRow) -> Importance {
    Importance::new(row.integer("importance").map_or(2, |level| level.saturating_add(1)))
}

const HISTORY: &[&str] = &[
    "lesson_learned",
    "access_count",
    "last_accessed_at",
    "superseded_at",
    "superseded_by",
    "compressed_into",
];

/// What became of rows: which replaces which, and which are gone.
struct SdsrssHistory {
    replaced: HashMap<i64, Vec<i64>>,
    gone: HashMap<i64, &'static str>,
}

impl SdsrssHistory {
    /// Reads the columns that name the row another was merged into, and the one that says when a row was taken back.
    fn read(db: &ForeignDatabase, table: &str, into: &[&str], taken_back: &str) -> SdsrssHistory {
        let mut history = SdsrssHistory { replaced: HashMap::new(), gone: HashMap::new() };
        let columns = [&["id", taken_back], into].concat();
        look_up(db, wanted(table, &columns), |row| {
            let Some(id) = row.integer("id") else { return };
            let went: Vec<i64> = into.iter().filter_map(|column| row.integer(column)).collect();
            if let Some(newer) = went.iter().find(|newer| **newer > 0) {
                history.replaced.entry(*newer).or_default().push(id);
            } else if row.text(taken_back).is_some() {
                history.gone.insert(id, reason::RETRACTED);
            } else if went.iter().any(|mark| *mark < 0) {
                // A negative number marks a row that the program hides and is about to delete.
                history.gone.insert(id, reason::DELETED);
            }
        });
        history
    }

    fn apply(
        &self,
        row: &ForeignRow,
        sort: &str,
        mut memory: ImportedMemory,
    ) -> Result<ImportedMemory, &'static str> {
        let id = row.integer("id").ok_or(reason::NO_NAME)?;
        if let Some(why) = self.gone.get(&id) {
            return Err(why);
        }
        let older = self.replaced.get(&id).into_iter().flatten();
        memory.replaces = older.map(|older| format!("{sort} {older}")).collect();
        let used = row.integer("access_count").or(row.integer("accessed_count")).unwrap_or(0);
        memory.history = Some(UsageHistory {
            times_used: u32::try_from(used).unwrap_or(0),
            last_used_at: first_moment(row, &["last_accessed_at", "last_accessed_epoch"]),
            ..UsageHistory::new(memory.created_at)
        });
        Ok(memory)
    }
}

const HANDOFF: &[&str] = &[
    "project",
    "type",
    "session_id",
    "working_on",
    "completed",
    "unfinished",
    "key_files",
    "key_decisions",
    "created_at_epoch",
    "git_branch",
    "next_steps",
];

/// Takes where the work stood when a session ended.
fn handoff(row: &ForeignRow) -> Result<ImportedMemory, &'static str> {
    let session = row.text("session_id").ok_or(reason::NO_NAME)?;
    let sort = row.text("type").unwrap_or("exit");
    let next = said(row.text("next_steps"));
    let titled = next.as_ref().map(|next| format!("Next: {next}"));
    let title =
        title(&[titled.as_deref(), row.text("working_on"), row.text("unfinished"), row.text("completed")]);
    let (decided, done) = (said(row.text("key_decisions")), said(row.text("completed")));
    let (doing, open) = (said(row.text("working_on")), said(row.text("unfinished")));
    let body = lines(&[
        ("Working on", doing.as_deref()),
        ("Last done", done.as_deref()),
        ("Unfinished", open.as_deref()),
        ("Next steps", next.as_deref()),
        ("Key decisions", decided.as_deref()),
        ("Branch", row.text("git_branch")),
    ]);
    let mut content = draft(Kind::Handoff, &title.ok_or(reason::NO_WORDS)?, &body);
    content.files = list(row.text("key_files"));
    let name = format!("handoff {sort} {session}");
    let mut memory = placed(name, row, content)?;
    memory.session = Some(ImportedSession::of_claude_code(session));
    Ok(memory)
}

const EVENT: &[&str] = &[
    "id",
    "project",
    "event_type",
    "title",
    "body",
    "file_paths",
    "importance",
    "created_at_epoch",
    "accessed_count",
    "last_accessed_epoch",
];

/// Takes an entry of the journal it keeps beside its observations.
fn event(row: &ForeignRow) -> Result<ImportedMemory, &'static str> {
    let id = row.integer("id").ok_or(reason::NO_NAME)?;
    let body = row.text("body");
    let title = title(&[row.text("title"), body]).ok_or(reason::NO_WORDS)?;
    let sort = row.text("event_type").unwrap_or_default();
    let mut content = draft(kind(sort), &title, body.unwrap_or_default());
    content.category = category(content.kind, sort);
    content.importance = importance(row);
    content.files = list(row.text("file_paths"));
    placed(format!("event {id}"), row, content)
}

const DEFERRED: &[&str] =
    &["id", "project", "title", "detail", "priority", "status", "created_at_epoch", "files"];

/// Takes work that was put off; what is done or dropped is no goal any more.
fn deferred(row: &ForeignRow) -> Result<ImportedMemory, &'static str> {
    let id = row.integer("id").ok_or(reason::NO_NAME)?;
    if row.text("status").is_some_and(|status| status != "open") {
        return Err(reason::RETRACTED);
    }
    let title = title(&[row.text("title"), row.text("detail")]).ok_or(reason::NO_WORDS)?;
    let mut content = draft(Kind::Goal, &title, row.text("detail").unwrap_or_default());
    content.files = list(row.text("files"));
    placed(format!("deferred {id}"), row, content)
}

fn placed(name: String, row: &ForeignRow, mut content: Content) -> Result<ImportedMemory, &'static str> {
    let project = project(row.text("project"), "claude-mem-lite");
    content.files = files(&project, content.files);
    let created_at = first_moment(row, &["created_at_epoch"]).ok_or(reason::NO_DATE)?;
    Ok(ImportedMemory::new(name, project, created_at, content))
}
