//! Tokens: the share of its budget an injection uses, and the cost of an answer by index and `get` compared with whole texts.

use super::page::{ScorecardPage, not_run, percent};
use super::scored_store::{InjectedBlock, ScoredStore, memory_ids};
use super::sets::{EvalSets, SMALL, ScoredQuery, ScoredSet};
use crate::TaskResult;
use backstory_memory::estimate;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Measures injections and answers on every set.
pub(crate) fn measure(sets: &EvalSets, page: &mut ScorecardPage) -> TaskResult {
    page.section(
        "Tokens",
        "By our own estimate, which a test holds against a real tokenizer. *Injected*: prompts with an injection; mean and most are over those. *An answer*: for questions whose right document is among the \
         first ten hits, `search` and one `get` of it over MCP, frames and hints counted, against the whole texts of those ten hits and against everything the project knows; the share is that of index and `get` of \
         the ten whole texts.",
    );
    let (mut injections, mut answers) = (Vec::new(), Vec::new());
    for name in SMALL {
        let Some(set) = sets.read(name)? else {
            injections.push(not_run(name, INJECTION_HEADS.len()));
            answers.push(not_run(name, ANSWER_HEADS.len()));
            continue;
        };
        let store = ScoredStore::new(sets, &set, |document| document.line.clone())?;
        injections.push(injection_row(&store, &set, page)?);
        answers.push(answer_row(&store, &set, page)?);
    }
    page.table(&INJECTION_HEADS, &injections);
    page.table(&ANSWER_HEADS, &answers);
    Ok(())
}

const INJECTION_HEADS: [&str; 8] = [
    "set",
    "session start: most",
    "budget",
    "prompts",
    "injected",
    "prompt: mean",
    "prompt: most",
    "budget of a prompt",
];
const ANSWER_HEADS: [&str; 6] = [
    "set",
    "answers",
    "index and `get`",
    "ten whole texts",
    "all of the project",
    "share of ten whole texts",
];

fn injection_row(store: &ScoredStore<'_>, set: &ScoredSet, page: &ScorecardPage) -> TaskResult<Vec<String>> {
    let projects: BTreeSet<&str> = set.queries.iter().map(|query| query.project.as_str()).collect();
    let starts =
        projects.into_iter().map(|project| store.session_start(project)).collect::<TaskResult<Vec<_>>>()?;
    let prompts = set.queries.iter().map(|query| store.prompt(query)).collect::<TaskResult<Vec<_>>>()?;
    let line = |(query, block): (&ScoredQuery, &InjectedBlock)| json!({"id": query.id, "tokens": block.tokens, "memories": block.memories.len()});
    page.per_query(
        &format!("tokens-{}", set.name),
        &set.queries.iter().zip(&prompts).map(line).collect::<Vec<_>>(),
    )?;
    let tokens: Vec<u64> = prompts.iter().map(|it| it.tokens).filter(|&tokens| tokens > 0).collect();
    let most = |of: &mut dyn Iterator<Item = u64>| of.max().unwrap_or_default().to_string();
    Ok(vec![
        set.name.to_owned(),
        most(&mut starts.iter().map(|it| it.tokens)),
        most(&mut starts.iter().map(|it| it.budget)),
        prompts.len().to_string(),
        percent(tokens.len(), prompts.len()),
        mean(&tokens),
        most(&mut tokens.iter().copied()),
        most(&mut prompts.iter().map(|it| it.budget)),
    ])
}

fn answer_row(store: &ScoredStore<'_>, set: &ScoredSet, page: &ScorecardPage) -> TaskResult<Vec<String>> {
    let answerable: Vec<&ScoredQuery> = set.queries.iter().filter(|query| query.is_answerable()).collect();
    let indexes = store.search(&answerable)?;
    let right: Vec<Option<i64>> =
        answerable.iter().zip(&indexes).map(|(query, index)| right_id(store, query, index)).collect();
    let wanted: Vec<(&ScoredQuery, &String, i64)> = answerable
        .iter()
        .zip(&indexes)
        .zip(&right)
        .filter_map(|((query, index), id)| Some((*query, index, (*id)?)))
        .collect();
    let gets: Vec<Value> =
        wanted.iter().map(|(query, _, id)| json!({"ids": [id], "project": query.project})).collect();
    let wholes = store.world.call("get", &gets)?;
    let mut costs = Vec::new();
    let mut lines = Vec::new();
    for ((query, index, id), whole) in wanted.iter().zip(&wholes) {
        let ours = cost(index) + cost(whole);
        let ten: u64 =
            memory_ids(index).iter().filter_map(|id| store.document(*id)).map(|it| cost(it.body())).sum();
        let of_project = |name: &str| name == query.project;
        let all: u64 =
            store.documents().filter(|(_, it)| of_project(&it.name.0)).map(|(_, it)| cost(it.body())).sum();
        lines.push(json!({"id": query.id, "memory": id, "index": cost(index), "get": cost(whole), "ten": ten, "all": all}));
        costs.push((ours, ten, all));
    }
    page.per_query(&format!("answer-tokens-{}", set.name), &lines)?;
    let of = |pick: fn(&(u64, u64, u64)) -> u64| costs.iter().map(pick).collect::<Vec<u64>>();
    let (ours, ten) = (of(|it| it.0), of(|it| it.1));
    let share = percent(ours.iter().sum::<u64>() as usize, ten.iter().sum::<u64>() as usize);
    Ok(vec![
        set.name.to_owned(),
        costs.len().to_string(),
        mean(&ours),
        mean(&ten),
        mean(&of(|it| it.2)),
        share,
    ])
}

fn cost(text: &str) -> u64 {
    u64::from(estimate(text).0)
}

fn mean(of: &[u64]) -> String {
    if of.is_empty() {
        "–".to_owned()
    } else {
        format!("{:.0}", of.iter().sum::<u64>() as f64 / of.len() as f64)
    }
}

/// The first memory of an index that answers the question.
fn right_id(store: &ScoredStore<'_>, query: &ScoredQuery, index: &str) -> Option<i64> {
    let is_right = |id: &i64| store.document(*id).is_some_and(|it| query.gold.contains(&it.name.1));
    memory_ids(index).into_iter().find(is_right)
}
