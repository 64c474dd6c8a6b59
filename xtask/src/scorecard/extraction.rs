//! Extraction: plays labelled texts and transcripts as sessions, and compares the memories made by rules with the labels.

use super::page::{ScorecardPage, not_run, percent};
use super::playback::{SessionMessage, play_session};
use super::sets::{EvalSets, list, text, texts};
use super::wording::holds;
use crate::TaskResult;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const HEADS: [&str; 8] =
    ["set", "label", "labels", "found", "memories made", "right", "forbidden", "control: wanted"];

/// One session of a set, with the labels and what is forbidden.
struct LabelledSession {
    id: String,
    messages: Vec<SessionMessage>,
    /// What should be kept, each under its label.
    wanted: Vec<(String, String)>,
    /// Phrases of which no memory may hold all.
    forbidden: Vec<Vec<String>>,
    /// Phrases of which a memory should hold all: what finds these would find the forbidden.
    phrased: Vec<Vec<String>>,
}

/// Measures every labelled set.
pub(crate) fn measure(sets: &EvalSets, page: &mut ScorecardPage) -> TaskResult {
    page.section(
        "Extraction",
        "Each item is a session of its own, played through the hooks. A label is *found* when the memories of its session together hold at least 60 % of its keywords, endings aside; a memory is *right* \
         when it holds a label so, or a label holds it (only where a set labels everything worth keeping). *Forbidden*: memories with phrases that the set forbids; *control*: memories with phrases \
         that it wants, matched the same way. Opinions are left out by \
         design; entities are not extracted at all, so that half of mempalace-extraction is *not run*.",
    );
    let mut rows = Vec::new();
    for (name, cases, is_complete) in [
        ("mempalace-extraction", mempalace(sets)?, true),
        ("remem, extraction corpus", remem_corpus(sets)?, false),
        ("remem, coding tasks", remem_tasks(sets)?, false),
    ] {
        match cases {
            Some(cases) => rows.extend(measure_cases(name, &cases, is_complete, sets, page)?),
            None => rows.push(not_run(name, HEADS.len())),
        }
    }
    page.table(&HEADS, &rows);
    Ok(())
}

fn measure_cases(
    name: &str,
    cases: &[LabelledSession],
    is_complete: bool,
    sets: &EvalSets,
    page: &ScorecardPage,
) -> TaskResult<Vec<Vec<String>>> {
    let made = distil_all(cases, sets)?;
    let none = Vec::new();
    let mut right = 0;
    let mut labels: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut lines = Vec::new();
    for case in cases {
        let memories = made.get(&case.id).unwrap_or(&none);
        let together = memories.join("\n");
        let mut missed = Vec::new();
        for (label, wanted) in &case.wanted {
            let is_found = holds(&together, wanted);
            let (found, all) = labels.entry(label).or_default();
            (*found, *all) = (*found + usize::from(is_found), *all + 1);
            if !is_found {
                missed.push(wanted);
            }
        }
        right += memories.iter().filter(|memory| case.wanted.iter().any(|(_, it)| agree(memory, it))).count();
        lines.push(json!({"id": case.id, "memories": memories, "missed": missed}));
    }
    page.per_query(&format!("extraction-{}", name.replace([',', ' '], "-")), &lines)?;
    let (found, all) = labels.values().fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
    let count: usize = made.values().map(Vec::len).sum();
    let right = if is_complete { percent(right, count) } else { "–".to_owned() };
    let forbidden = holding(cases, &made, |case| &case.forbidden);
    let control = holding(cases, &made, |case| &case.phrased);
    let mut rows = vec![row(name, "all", (found, all), &[count.to_string(), right, forbidden, control])];
    if labels.len() > 1 {
        rows.extend(labels.into_iter().map(|(label, counted)| row(name, label, counted, &[])));
    }
    Ok(rows)
}

/// Counts the memories that hold all of some phrases of their case; nothing where no case names any.
fn holding(
    cases: &[LabelledSession],
    made: &BTreeMap<String, Vec<String>>,
    phrases: fn(&LabelledSession) -> &Vec<Vec<String>>,
) -> String {
    if cases.iter().all(|case| phrases(case).is_empty()) {
        return "–".to_owned();
    }
    let of_case = |case: &LabelledSession| {
        let memories = made.get(&case.id).into_iter().flatten();
        memories.filter(|memory| phrases(case).iter().any(|all| has_all(memory, all))).count()
    };
    cases.iter().map(of_case).sum::<usize>().to_string()
}

fn row(name: &str, label: &str, (found, all): (usize, usize), rest: &[String]) -> Vec<String> {
    let mut row = vec![name.to_owned(), label.to_owned(), all.to_string(), percent(found, all)];
    row.extend_from_slice(rest);
    row.resize(HEADS.len(), String::new());
    row
}

/// Plays every case, and returns the memories by session.
fn distil_all(cases: &[LabelledSession], sets: &EvalSets) -> TaskResult<BTreeMap<String, Vec<String>>> {
    let world = sets.world();
    for case in cases {
        play_session(&world, &case.id, &case.messages)?;
    }
    let mut made: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for memory in world.memories()? {
        let whole = format!("{}\n{}", text(&memory, "title"), text(&memory, "body"));
        made.entry(text(&memory, "session")).or_default().push(whole);
    }
    Ok(made)
}

/// Whether a memory says what a label says: labels sum up, memories stand on one sentence, so either may be the wider.
fn agree(memory: &str, label: &str) -> bool {
    holds(memory, label) || holds(label, memory)
}

fn has_all(memory: &str, phrases: &[String]) -> bool {
    let memory = memory.to_lowercase();
    !phrases.is_empty() && phrases.iter().all(|phrase| memory.contains(&phrase.to_lowercase()))
}

fn mempalace(sets: &EvalSets) -> TaskResult<Option<Vec<LabelledSession>>> {
    let items = sets.json_lines("mempalace-extraction/memory_extraction.dataset.jsonl")?;
    let labels = sets.json_lines("mempalace-extraction/memory_extraction.labels.jsonl")?;
    let (Some(items), Some(labels)) = (items, labels) else { return Ok(None) };
    let case = |(item, labels): (&Value, &Value)| LabelledSession {
        id: text(item, "id"),
        messages: vec![SessionMessage::from_user(text(item, "text"))],
        wanted: list(labels, "memories").iter().map(|it| (text(it, "type"), text(it, "content"))).collect(),
        forbidden: Vec::new(),
        phrased: Vec::new(),
    };
    Ok(Some(items.iter().zip(&labels).map(case).collect()))
}

fn remem_corpus(sets: &EvalSets) -> TaskResult<Option<Vec<LabelledSession>>> {
    let phrases =
        |of: &Value, key| list(of, key).iter().map(|it| texts(it, "text_contains")).collect::<Vec<_>>();
    let case = |case: &Value| LabelledSession {
        id: text(case, "id"),
        messages: list(case, "transcript").iter().map(SessionMessage::parse).collect(),
        wanted: phrases(case, "expected_observations")
            .iter()
            .map(|it| ("observation".to_owned(), it.join(" ")))
            .collect(),
        forbidden: [phrases(case, "forbidden_observations"), phrases(case, "forbidden_candidates")].concat(),
        phrased: phrases(case, "expected_observations"),
    };
    Ok(sets
        .json("remem/extraction_corpus.json")?
        .map(|corpus| list(&corpus, "cases").iter().map(case).collect()))
}

fn remem_tasks(sets: &EvalSets) -> TaskResult<Option<Vec<LabelledSession>>> {
    let case = |task: &Value| {
        let episodes = list(task, "history_episodes");
        let all = |key: &str| episodes.iter().flat_map(|episode| list(episode, key)).collect::<Vec<_>>();
        LabelledSession {
            id: text(task, "id"),
            messages: all("raw_events").iter().map(SessionMessage::parse).collect(),
            wanted: all("memories").iter().map(|it| ("memory".to_owned(), text(it, "text"))).collect(),
            forbidden: Vec::new(),
            phrased: Vec::new(),
        }
    };
    Ok(sets
        .json("remem/coding_bench_tasks.json")?
        .map(|tasks| list(&tasks, "tasks").iter().map(case).collect()))
}
