//! What distillation leaves of a month of a team that runs a ferry line's booking service (`tests/fixtures/month.json`).

use backstory_inject::{Candidate, Orientation, WorkTreeStatus};
use backstory_memory::{
    Category, ChangedSymbol, Checksum, Content, Details, EvidenceKind, Kind, Memory, MemoryId, OwnAddresses,
    ProjectId, Provenance, SessionId, Standing, StandingReason, SummaryDetails, SymbolKind, Timestamp, Uid,
    first_standing,
};
use serde_json::Value;
use std::sync::LazyLock;

static MONTH: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../fixtures/month.json")).unwrap());

pub(crate) const NOW: Timestamp = Timestamp(1_790_000_000_000);
pub(crate) const HOUR: i64 = 3_600_000;
pub(crate) const DAY: i64 = 24 * HOUR;

/// Returns a memory of this age.
pub(crate) fn memory(id: i64, kind: Kind, ago_ms: i64, title: &str, body: &str) -> Memory {
    let content = Content { provenance: Provenance::Assistant, ..Content::new(kind, title, body) };
    // The titles of tests may be longer than those of distillation.
    let content = Content { title: title.to_owned(), ..content };
    let at = NOW.plus_ms(-ago_ms);
    Memory {
        id: MemoryId(id),
        uid: Uid::from_parts(at.0, [0; 10]),
        project: ProjectId(1),
        session: Some(SessionId(id / 10)),
        checksum: Checksum::of_content(&content),
        content,
        standing: Standing::Confirmed,
        standing_reason: StandingReason::User,
        created_at: at,
        updated_at: at,
        times_seen: 1,
        times_used: 0,
        last_used_at: None,
    }
}

pub(crate) fn with_details(memory: Memory, details: Details) -> Memory {
    Memory { content: Content { details: Some(details), ..memory.content.clone() }, ..memory }
}

pub(crate) fn failure(id: i64, ago_ms: i64, title: &str, facts: &[&str]) -> Candidate {
    let mut memory = memory(id, Kind::Failure, ago_ms, title, "`npm test` failed:\nsome output");
    memory.content.provenance = Provenance::Tool;
    memory.content.facts = facts.iter().map(|fact| (*fact).to_owned()).collect();
    memory.into()
}

fn text<'a>(row: &'a Value, name: &str) -> &'a str {
    row[name].as_str().unwrap_or_default()
}

fn texts(row: &Value, name: &str) -> Vec<String> {
    row[name].as_array().into_iter().flatten().filter_map(|it| it.as_str().map(str::to_owned)).collect()
}

fn ago_ms(row: &Value) -> i64 {
    row["hours_ago"].as_i64().unwrap() * HOUR
}

fn candidate(row: &Value) -> Candidate {
    let kind = text(row, "kind").parse().unwrap();
    let mut memory =
        memory(row["id"].as_i64().unwrap(), kind, ago_ms(row), text(row, "title"), text(row, "body"));
    if let Ok(provenance) = text(row, "provenance").parse() {
        memory.content.provenance = provenance;
    }
    (memory.standing, memory.standing_reason) =
        first_standing(&memory.content, EvidenceKind::Structure, &OwnAddresses::default());
    memory.content.category = row["category"].as_str().map(|name| Category(name.to_owned()));
    memory.content.facts = texts(row, "facts");
    let (investigated, completed) = (texts(row, "investigated"), texts(row, "completed"));
    if kind == Kind::Summary {
        let details = SummaryDetails { investigated, completed, ..SummaryDetails::default() };
        memory = with_details(memory, Details::Summary(details));
    }
    memory.into()
}

fn candidates(section: &str) -> Vec<Candidate> {
    MONTH[section].as_array().unwrap().iter().map(candidate).collect()
}

fn changed(row: &Value) -> ChangedSymbol {
    ChangedSymbol {
        session: Some(SessionId(31)),
        path: text(row, "path").to_owned(),
        qualified_name: text(row, "name").to_owned(),
        kind: SymbolKind::Function,
        change: text(row, "change").parse().unwrap(),
        signature: text(row, "signature").to_owned(),
        at: NOW.plus_ms(-ago_ms(row)),
    }
}

/// Returns what a session of the project is oriented by.
pub(crate) fn orientation() -> Orientation {
    Orientation {
        rules: Ok(candidates("rules")),
        pinned: Ok(candidates("pinned")),
        work_tree: Some(WorkTreeStatus {
            branch: Some("refund-on-cancelled-sailing".to_owned()),
            dirty: vec!["src/refunds/batch.ts".to_owned(), "test/refunds/batch.test.ts".to_owned()],
            commits_since: Vec::new(),
            files_since: Vec::new(),
        }),
        handoff: Ok(Some(candidate(&MONTH["handoff"]))),
        traps: Ok(candidates("traps")),
        decisions: Ok(candidates("decisions")),
        work: Ok(candidates("work")),
        code_changes: Ok(MONTH["code_changes"].as_array().unwrap().iter().map(changed).collect()),
    }
}

/// Returns what recall finds for "why is the refund for the cancelled sailing sent twice?", best first.
pub(crate) fn hits() -> Vec<Candidate> {
    let mut all: Vec<Candidate> =
        ["work", "traps", "rules", "decisions", "pinned"].into_iter().flat_map(candidates).collect();
    let mut score = 1.0;
    for it in &mut all {
        score *= 0.93;
        it.score = score;
        it.reasons = vec!["words: refund, sailing".to_owned(), "same project".to_owned()];
    }
    if let Some(first) = all.first_mut() {
        first.changed_since = true;
    }
    if let Some(last) = all.last_mut() {
        last.other_project = Some("payments-gateway".to_owned());
    }
    all
}
