//! What happened, as it was written down: decisions, failures, the inbox, evidence.

use super::handoffs::LoreProjects;
use super::{
    LoreRecord, LoreSink, PROMOTED, dated, listed, lore_files, nameless, placed, provenance_of, text, texts,
};
use crate::imported::ImportedMemory;
use crate::sources::rows::reason;
use crate::sources::text::{draft, files as from_project, lines, title, unique};
use backstory_memory::{Category, Confidence, Importance, Kind};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Takes the decisions of the journal. A replaced decision is imported as replaced; one that was taken back stays out.
pub(super) fn decisions(root: &Path, projects: &LoreProjects, take: &mut LoreSink<'_>) {
    let records = lore_files::latest(&root.join("journal/data/decisions.jsonl"), take);
    let known: HashSet<&str> = records.iter().filter_map(|record| text(record, "id")).collect();
    let mut replaced: HashMap<&str, Vec<String>> = HashMap::new();
    for record in &records {
        if let (Some(older), Some(newer)) = (text(record, "id"), newer(record, &known)) {
            replaced.entry(newer).or_default().push(older.to_owned());
        }
    }
    for record in &records {
        let is_active = text(record, "status").is_none_or(|status| status == "active");
        take(if is_active || newer(record, &known).is_some() {
            decision(record, projects).map(|memory| ImportedMemory {
                replaces: replaced.get(memory.name.as_str()).cloned().unwrap_or_default(),
                relates: unique(texts(record, "related_decisions")),
                ..memory
            })
        } else {
            Err(reason::RETRACTED)
        });
    }
}

/// Returns the decision that replaces another, if the journal holds it. A decision that names itself is not replaced.
fn newer<'a>(record: &'a LoreRecord, known: &HashSet<&str>) -> Option<&'a str> {
    text(record, "superseded_by").filter(|newer| known.contains(newer) && text(record, "id") != Some(newer))
}

fn decision(record: &LoreRecord, projects: &LoreProjects) -> Result<ImportedMemory, &'static str> {
    let (decided, why) = (text(record, "decision"), text(record, "rationale"));
    let title = title(&[decided, why]).ok_or(reason::NO_WORDS)?;
    let alternatives = listed(&texts(record, "alternatives"));
    let lesson = text(record, "lesson_learned");
    let body = lines(&[
        ("", decided.filter(|decided| *decided != title)),
        ("Why", why),
        ("Instead of", alternatives.as_deref()),
        ("Outcome", text(record, "outcome").filter(|outcome| *outcome != "pending")),
        ("Lesson", lesson),
    ]);
    let mut content = draft(Kind::Decision, &title, &body);
    content.category =
        text(record, "type").filter(|sort| *sort != "other").map(|sort| Category(sort.to_owned()));
    content.facts = lesson.map(str::to_owned).into_iter().collect();
    content.importance = Importance::new(if lesson.is_some() { 4 } else { 3 });
    content.valid_from = dated(record, &["valid_at"]);
    let tags = texts(record, "tags").into_iter().filter(|tag| !tag.contains(':'));
    let (paths, names): (Vec<_>, Vec<_>) =
        texts(record, "entities").into_iter().partition(|name| is_path(name));
    let project = projects.of_decision(record);
    content.concepts = unique(tags.chain(names));
    content.files = from_project(&project, paths);
    placed(record, &["timestamp"], project, content)
}

fn is_path(name: &str) -> bool {
    let has_ending =
        name.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && (1..=4).contains(&end.len()));
    !name.contains(char::is_whitespace) && (name.contains('/') || has_ending)
}

/// Takes the failures, each with its fix where one was noted.
pub(super) fn failures(root: &Path, take: &mut LoreSink<'_>) {
    for record in lore_files::latest(&root.join("failures/data/failures.jsonl"), take) {
        take(failure(&record));
    }
}

fn failure(record: &LoreRecord) -> Result<ImportedMemory, &'static str> {
    let message = text(record, "error_message");
    let title = title(&[message]).ok_or(reason::NO_WORDS)?;
    let body = lines(&[
        ("", message),
        ("Tool", text(record, "tool")),
        ("Step", text(record, "step")),
        ("Fix", text(record, "fix").or(text(record, "resolution"))),
    ]);
    let mut content = draft(Kind::Failure, &title, &body);
    content.category = text(record, "error_type").map(|sort| Category(sort.to_lowercase()));
    placed(record, &["timestamp"], nameless(), content)
}

/// Takes what was noticed and not yet sorted; what became a decision or a pattern is there as such.
pub(super) fn inbox(root: &Path, take: &mut LoreSink<'_>) {
    for name in ["observations.jsonl", "signals.jsonl"] {
        for record in lore_files::latest(&root.join("inbox/data").join(name), take) {
            take(match text(&record, "status") {
                Some("promoted") => Err(PROMOTED),
                Some("discarded") => Err(reason::DELETED),
                _ => noted(&record, Kind::Note),
            });
        }
    }
}

/// Takes evidence, as sure as lore was of it.
pub(super) fn evidence(root: &Path, take: &mut LoreSink<'_>) {
    for record in lore_files::latest(&root.join("evidence/data/evidence.jsonl"), take) {
        let sure = match text(&record, "confidence") {
            Some("superseded") => {
                take(Err(reason::RETRACTED));
                continue;
            }
            Some("confirmed") => 0.9,
            Some("contested") => 0.3,
            _ => 0.5,
        };
        take(noted(&record, Kind::Fact).map(|mut memory| {
            memory.content.category = Some(Category("evidence".to_owned()));
            memory.content.confidence = Confidence::new(sure);
            memory.relates = texts(&record, "cited_by");
            memory
        }));
    }
}

fn noted(record: &LoreRecord, kind: Kind) -> Result<ImportedMemory, &'static str> {
    let said = text(record, "content");
    let title = title(&[said]).ok_or(reason::NO_WORDS)?;
    let mut content = draft(kind, &title, said.unwrap_or_default());
    content.concepts = unique(texts(record, "tags"));
    content.provenance = provenance_of(text(record, "source")).min(provenance_of(text(record, "provenance")));
    placed(record, &["timestamp"], nameless(), content)
}
