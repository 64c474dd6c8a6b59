//! What was curated, in YAML: patterns and their opposites, concepts, goals.

use super::handoffs::LoreProjects;
use super::{LoreRecord, LoreSink, listed, lore_files, nameless, placed, text, texts};
use crate::imported::ImportedMemory;
use crate::sources::rows::reason;
use crate::sources::text::{draft, lines, title};
use crate::yaml;
use backstory_memory::{Category, Confidence, Importance, Kind, MemoryScope};
use backstory_store::UsageHistory;
use serde_json::Value;
use std::path::Path;

const BAD_YAML: &str = "bad YAML";

/// Takes patterns, anti-patterns and concepts: for the user in every project, as they were there.
pub(super) fn patterns(root: &Path, take: &mut LoreSink<'_>) {
    let folder = root.join("patterns/data");
    let text = lore_files::whole(&folder.join("patterns.yaml")).unwrap_or_default();
    let concepts = lore_files::whole(&folder.join("concepts.yaml")).unwrap_or_default();
    each(&text, "patterns", take, pattern);
    each(&text, "anti_patterns", take, anti_pattern);
    each(&concepts, "concepts", take, concept);
}

fn each(
    text: &str,
    section: &str,
    take: &mut LoreSink<'_>,
    of: fn(&LoreRecord) -> Result<ImportedMemory, &'static str>,
) {
    for entry in yaml::entries(text, section) {
        take(match entry {
            Ok(Value::Object(record)) => of(&record).map(|mut memory| {
                memory.content.scope = MemoryScope::User;
                memory
            }),
            _ => Err(BAD_YAML),
        });
    }
}

fn pattern(record: &LoreRecord) -> Result<ImportedMemory, &'static str> {
    if text(record, "status").is_some_and(|status| status != "active") {
        return Err(reason::RETRACTED);
    }
    let (problem, solution) = (text(record, "problem"), text(record, "solution"));
    let title = title(&[text(record, "name"), solution, problem]).ok_or(reason::NO_WORDS)?;
    let (bad, good) = (example(record, "bad"), example(record, "good"));
    let body = lines(&[
        ("Context", text(record, "context")),
        ("Problem", problem),
        ("Solution", solution),
        ("Not", bad.as_deref()),
        ("But", good.as_deref()),
    ]);
    let mut content = draft(Kind::Fact, &title, &body);
    content.category =
        text(record, "category").filter(|sort| *sort != "general").map(|sort| Category(sort.to_owned()));
    content.confidence =
        record.get("confidence").and_then(Value::as_f64).map_or(Confidence::DISTILLED, Confidence::new);
    let validations = record.get("validations").and_then(Value::as_u64).unwrap_or(0);
    let memory = placed(record, &["created_at"], nameless(), content)?;
    let history = UsageHistory {
        // Noting it was the first time; every validation is one more.
        times_seen: u32::try_from(validations).unwrap_or(u32::MAX).saturating_add(1),
        ..UsageHistory::new(memory.created_at)
    };
    Ok(ImportedMemory { history: Some(history), ..memory })
}

fn example(record: &LoreRecord, sort: &str) -> Option<String> {
    let examples = record.get("examples").and_then(Value::as_array).into_iter().flatten();
    let texts = examples.filter_map(|example| example.get(sort)?.as_str().map(str::to_owned));
    listed(&texts.collect::<Vec<_>>())
}

fn anti_pattern(record: &LoreRecord) -> Result<ImportedMemory, &'static str> {
    let (symptom, fix) = (text(record, "symptom"), text(record, "fix"));
    let title = title(&[text(record, "name"), symptom, fix]).ok_or(reason::NO_WORDS)?;
    let body = lines(&[("Symptom", symptom), ("Risk", text(record, "risk")), ("Fix", fix)]);
    let mut content = draft(Kind::Fact, &title, &body);
    content.category = Some(Category("anti-pattern".to_owned()));
    content.concepts =
        text(record, "category").filter(|sort| *sort != "general").map(str::to_owned).into_iter().collect();
    content.importance = urgency(text(record, "severity"));
    placed(record, &["created_at"], nameless(), content)
}

fn concept(record: &LoreRecord) -> Result<ImportedMemory, &'static str> {
    let defined = text(record, "definition");
    let title = title(&[text(record, "name"), defined]).ok_or(reason::NO_WORDS)?;
    let mut content = draft(Kind::Fact, &title, defined.unwrap_or_default());
    content.category = Some(Category("concept".to_owned()));
    content.importance = Importance::new(4);
    let memory = placed(record, &["created_at"], nameless(), content)?;
    Ok(ImportedMemory { relates: texts(record, "grounded_by"), ..memory })
}

/// Takes the goals that are neither reached nor dropped.
pub(super) fn goals(root: &Path, projects: &LoreProjects, take: &mut LoreSink<'_>) {
    for path in lore_files::in_folder(&root.join("intent/data/goals"), ".yaml") {
        let read =
            lore_files::whole(&path).ok_or(BAD_YAML).and_then(|text| yaml::read(&text).map_err(|_| BAD_YAML));
        take(read.and_then(|value| match value {
            Value::Object(record) => goal(&record, projects),
            _ => Err(BAD_YAML),
        }));
    }
}

fn goal(record: &LoreRecord, projects: &LoreProjects) -> Result<ImportedMemory, &'static str> {
    if text(record, "status").is_some_and(|status| status == "completed" || status == "cancelled") {
        return Err(reason::RETRACTED);
    }
    let described = text(record, "description");
    let title = title(&[text(record, "name"), described]).ok_or(reason::NO_WORDS)?;
    let criteria = record.get("success_criteria").and_then(Value::as_array).into_iter().flatten();
    let open = criteria.filter(|criterion| criterion.get("met").and_then(Value::as_bool) != Some(true));
    let open: Vec<String> =
        open.filter_map(|criterion| criterion.get("description")?.as_str().map(str::to_owned)).collect();
    let open = listed(&open);
    let body = lines(&[
        ("", described),
        ("Done when", open.as_deref()),
        ("Until", text(record, "deadline")),
        ("Blocked", text(record, "status").filter(|status| *status == "blocked").map(|_| "yes")),
        ("Notes", text(record, "notes")),
    ]);
    let mut content = draft(Kind::Goal, &title, &body);
    content.concepts = texts(record, "tags");
    content.importance = urgency(text(record, "priority"));
    let project = texts(record, "projects").first().map_or_else(nameless, |name| projects.named(name));
    let memory = placed(record, &["created_at"], project, content)?;
    Ok(ImportedMemory { relates: texts(record, "depends_on"), ..memory })
}

fn urgency(word: Option<&str>) -> Importance {
    Importance::new(match word {
        Some("critical") => 5,
        Some("high") => 4,
        Some("low") => 2,
        _ => 3,
    })
}
