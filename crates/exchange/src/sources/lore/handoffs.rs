//! Sessions of lore: the handoff or summary of each, and the projects that sessions, decisions and names belong to.

use super::{LoreRecord, LoreSink, dated, listed, lore_files, nameless, text, texts};
use crate::imported::{ImportedMemory, ImportedProject};
use crate::sources::rows::reason;
use crate::sources::text::{draft, files as from_project, lines, project, title};
use crate::yaml;
use backstory_memory::Kind;
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;

/// The projects lore knows: by name, and by session.
pub(super) struct LoreProjects {
    by_name: HashMap<String, ImportedProject>,
    by_session: HashMap<String, ImportedProject>,
}

impl LoreProjects {
    pub(super) fn read(root: &Path, sessions: &[Result<LoreRecord, &'static str>]) -> LoreProjects {
        let mut projects = LoreProjects { by_name: HashMap::new(), by_session: HashMap::new() };
        let registry = lore_files::whole(&root.join("registry/data/metadata.yaml")).unwrap_or_default();
        let registered = yaml::read(&registry).ok();
        let names = registered.as_ref().and_then(|value| value.get("metadata")?.as_object());
        for name in names.into_iter().flat_map(|names| names.keys()) {
            projects.by_name.insert(name.clone(), ImportedProject::Named(name.clone()));
        }
        for session in sessions.iter().flatten() {
            let folder = folder_of(session);
            if let ImportedProject::Folder(path) = &folder
                && let Some(name) = path.file_name().and_then(|name| name.to_str())
            {
                projects.by_name.insert(name.to_owned(), folder.clone());
            }
            if let Some(id) = text(session, "id") {
                projects.by_session.insert(id.to_owned(), folder);
            }
        }
        projects
    }

    /// Returns the project of this name, by its folder if a session ran in it.
    pub(super) fn named(&self, name: &str) -> ImportedProject {
        self.by_name.get(name).cloned().unwrap_or_else(|| project(Some(name), "lore"))
    }

    /// Returns the project of a decision. One of its tags may name the project: a tag counts only if it is the name of a known one.
    pub(super) fn of_decision(&self, decision: &LoreRecord) -> ImportedProject {
        let tags = texts(decision, "tags");
        let said =
            text(decision, "project").or_else(|| tags.iter().find_map(|tag| tag.strip_prefix("project:")));
        if let Some(name) = said {
            return self.named(name);
        }
        let tagged = tags.iter().find_map(|tag| self.by_name.get(tag));
        let of_session = || self.by_session.get(text(decision, "session_id")?);
        tagged.or_else(of_session).cloned().unwrap_or_else(nameless)
    }
}

fn folder_of(session: &LoreRecord) -> ImportedProject {
    let context = session.get("context");
    let folder = context.and_then(|context| context.get("environment")?.get("pwd")?.as_str());
    let name = context.and_then(|context| context.get("project")?.as_str());
    folder.or(name).map_or_else(nameless, |text| project(Some(text), "lore"))
}

/// Emits one memory per session: its handoff, else its summary.
pub(super) fn handoffs(
    sessions: &[Result<LoreRecord, &'static str>],
    projects: &LoreProjects,
    take: &mut LoreSink<'_>,
) {
    for session in sessions {
        take(session.as_ref().map_err(|why| *why).and_then(|session| handoff(session, projects)));
    }
}

fn handoff(session: &LoreRecord, projects: &LoreProjects) -> Result<ImportedMemory, &'static str> {
    let id = text(session, "id").ok_or(reason::NO_NAME)?;
    let empty = LoreRecord::new();
    let left = session.get("handoff").and_then(Value::as_object).unwrap_or(&empty);
    let message = text(left, "message");
    let next = listed(&texts(left, "next_steps"));
    let titled = next.as_ref().map(|next| format!("Next: {next}"));
    let summary = text(session, "summary");
    let title = title(&[message, titled.as_deref(), summary]).ok_or(reason::NO_WORDS)?;
    let list = |record: &LoreRecord, field: &str| listed(&texts(record, field));
    let (blockers, questions) = (list(left, "blockers"), list(left, "questions"));
    let (decided, threads) = (list(session, "decisions_made"), list(session, "open_threads"));
    let learned = list(session, "patterns_learned");
    let state = session.get("git_state").and_then(Value::as_object).unwrap_or(&empty);
    let dirty = listed(&texts(state, "uncommitted"));
    let body = lines(&[
        ("", message),
        ("Last done", summary),
        ("Key decisions", decided.as_deref()),
        ("Learned", learned.as_deref()),
        ("Next steps", next.as_deref()),
        ("Open threads", threads.as_deref()),
        ("Blockers", blockers.as_deref()),
        ("Open questions", questions.as_deref()),
        ("Branch", text(state, "branch")),
        ("Not committed", dirty.as_deref()),
    ]);
    // A session without a message or next steps is a summary, not a handoff.
    let kind = if message.is_some() || next.is_some() { Kind::Handoff } else { Kind::Summary };
    let mut content = draft(kind, &title, &body);
    let project = projects.by_session.get(id).cloned().unwrap_or_else(nameless);
    let context = session.get("context").and_then(Value::as_object).unwrap_or(&empty);
    content.files = from_project(&project, texts(context, "active_files"));
    let at = dated(left, &["created_at"]).or_else(|| dated(session, &["started_at", "ended_at"]));
    Ok(ImportedMemory::new(id.to_owned(), project, at.ok_or(reason::NO_DATE)?, content))
}
