//! Observations and summaries in the columns of claude-mem, which several programs have copied.
//!
//! Not here: sessions, projects and what became of a row, which every program keeps in its own way.

use crate::imported::ImportedProject;
use crate::sources::rows::reason;
use crate::sources::text::{draft, files, lines, list, said, sentences, title, unique};
use backstory_memory::{Category, Content, Details, Importance, Kind, Provenance, SummaryDetails};
use backstory_store::ForeignRow;

/// The columns [`observation`] reads.
pub(crate) const OBSERVATION: &[&str] = &[
    "type",
    "title",
    "subtitle",
    "text",
    "narrative",
    "facts",
    "concepts",
    "files_read",
    "files_modified",
    "importance",
];

/// The columns [`summary`] reads.
pub(crate) const SUMMARY: &[&str] = &[
    "request",
    "summary",
    "investigated",
    "learned",
    "completed",
    "key_decisions",
    "lessons",
    "next_steps",
    "remaining_items",
    "notes",
    "concepts",
    "files_read",
    "files_edited",
    "files_modified",
];

/// Reads an observation.
pub(crate) fn observation(row: &ForeignRow, project: &ImportedProject) -> Result<Content, &'static str> {
    let narrative = row.text("narrative").or(row.text("text"));
    let facts = sentences(row.text("facts"));
    let first_fact = facts.first().map(String::as_str);
    let subtitle = row.text("subtitle");
    let title = title(&[row.text("title"), subtitle, narrative, first_fact]).ok_or(reason::NO_WORDS)?;
    let sort = row.text("type").unwrap_or_default();
    let kind = kind(sort);
    let body = lines(&[("", subtitle.filter(|subtitle| Some(*subtitle) != narrative)), ("", narrative)]);
    let mut content = draft(kind, &title, &body);
    content.category = category(kind, sort);
    content.facts = facts;
    content.concepts = list(row.text("concepts"));
    let touched = list(row.text("files_modified")).into_iter().chain(list(row.text("files_read")));
    content.files = files(project, unique(touched));
    if let Some(importance) = row.integer("importance") {
        content.importance = Importance::new(importance);
    }
    Ok(content)
}

/// Reads the summary of a session.
pub(crate) fn summary(row: &ForeignRow, project: &ImportedProject) -> Result<Content, &'static str> {
    let body: Vec<String> = PARTS
        .iter()
        .filter_map(|(name, column)| {
            let text = said(row.text(column))?;
            Some(if name.is_empty() { text } else { format!("{name}: {text}") })
        })
        .collect();
    let named = ["request", "summary", "completed", "learned", "investigated"].map(|column| row.text(column));
    let mut content = draft(Kind::Summary, &title(&named).ok_or(reason::NO_WORDS)?, &body.join("\n"));
    let part = |column: &str| said(row.text(column)).into_iter().collect();
    content.details = Some(Details::Summary(SummaryDetails {
        requests: part("request"),
        investigated: part("investigated"),
        learned: part("learned"),
        completed: part("completed"),
        decisions: part("key_decisions"),
        next_steps: part("next_steps"),
    }));
    content.concepts = list(row.text("concepts"));
    let touched = ["files_edited", "files_modified", "files_read"].map(|column| list(row.text(column)));
    content.files = files(project, unique(touched.into_iter().flatten()));
    Ok(content)
}

/// The parts of a summary, in the order and by the names our own have.
const PARTS: &[(&str, &str)] = &[
    ("", "summary"),
    ("Request", "request"),
    ("Investigated", "investigated"),
    ("Learned", "learned"),
    ("Lessons", "lessons"),
    ("Completed", "completed"),
    ("Key decisions", "key_decisions"),
    ("Next steps", "next_steps"),
    ("Remaining", "remaining_items"),
    ("Notes", "notes"),
];

/// Returns the kind for a program's own word; a note if the word is unknown.
pub(crate) fn kind(sort: &str) -> Kind {
    match sort {
        "architecture" => Kind::Decision,
        "lesson" | "config" | "configuration" | "preference" | "convention" | "gotcha" => Kind::Fact,
        "bug" => Kind::Failure,
        "session_summary" => Kind::Summary,
        "security_alert" | "security_note" => Kind::Discovery,
        _ => Kind::from_input(sort, &Provenance::Import).unwrap_or(Kind::Note),
    }
}

/// Keeps a program's own word where the kind does not say as much.
pub(crate) fn category(kind: Kind, sort: &str) -> Option<Category> {
    let says_more =
        !["", kind.as_str(), "observation", "manual", "lesson", "bug", "session_summary"].contains(&sort);
    says_more.then(|| Category(sort.to_lowercase()))
}
