//! Forbidden hits: memories that are superseded, forgotten, external or of another project must not come up.
//!
//! The hardest case on purpose: every document that answers a question is made forbidden, then the questions are put.

use super::page::{ScorecardPage, not_run, verdict};
use super::scored_store::{InjectedBlock, ScoredStore, memory_ids};
use super::sets::{EvalSets, SMALL, ScoredDocument, ScoredQuery, ScoredSet};
use crate::TaskResult;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashSet};

const HEADS: [&str; 8] = [
    "set",
    "why it is forbidden",
    "memories",
    "questions",
    "hits of search",
    "prompts with one",
    "session starts with one",
    "as required",
];

/// A harmless memory that every project gets beside the documents.
const OTHER: &str = "Lunch is at noon, in the room with the plants.";

/// ForbiddenReason a memory must not come up.
#[derive(Clone, Copy, PartialEq)]
enum ForbiddenReason {
    Superseded,
    Forgotten,
    OtherProject,
    External,
    /// Not forbidden: the control, which shows that the same questions find the memories.
    Allowed,
}

impl ForbiddenReason {
    const ALL: [ForbiddenReason; 5] = [
        ForbiddenReason::Superseded,
        ForbiddenReason::Forgotten,
        ForbiddenReason::OtherProject,
        ForbiddenReason::External,
        ForbiddenReason::Allowed,
    ];

    fn name(self) -> &'static str {
        match self {
            ForbiddenReason::Superseded => "superseded",
            ForbiddenReason::Forgotten => "forgotten",
            ForbiddenReason::OtherProject => "of another project",
            ForbiddenReason::External => "external, and not marked so",
            ForbiddenReason::Allowed => "control: it is not",
        }
    }
}

/// Measures every set, for every reason.
pub(crate) fn measure(sets: &EvalSets, page: &mut ScorecardPage) -> TaskResult {
    page.section(
        "Forbidden hits",
        "Every document that answers a question is superseded, forgotten, moved to another project, or marked as external; then the questions are put over MCP and as prompts, and sessions are started. Counted are the hits and injections \
         with a forbidden memory. An external one may be listed if it is labelled: only unlabelled ones count. All must be 0, except in the control: there nothing is forbidden, the same documents are counted \
         by the same questions, and none of the three may be 0.",
    );
    let mut rows = Vec::new();
    let mut lines = Vec::new();
    for name in SMALL {
        match sets.read(name)? {
            Some(set) => {
                for why in ForbiddenReason::ALL {
                    rows.push(measure_one(sets, &set, why, &mut lines)?);
                }
            }
            None => rows.push(not_run(name, HEADS.len())),
        }
    }
    page.table(&HEADS, &rows);
    page.per_query("forbidden", &lines)
}

fn measure_one(
    sets: &EvalSets,
    set: &ScoredSet,
    why: ForbiddenReason,
    lines: &mut Vec<Value>,
) -> TaskResult<Vec<String>> {
    let gold: HashSet<(&str, &str)> = set
        .queries
        .iter()
        .flat_map(|query| query.gold.iter().map(|name| (query.project.as_str(), name.as_str())))
        .collect();
    let is_gold =
        |document: &ScoredDocument| gold.contains(&(document.name.0.as_str(), document.name.1.as_str()));
    let store = ScoredStore::new(sets, set, |document| line(document, why, is_gold(document)))?;
    let forbidden: BTreeSet<i64> =
        store.documents().filter(|(_, it)| is_gold(it)).map(|(id, _)| id).collect();
    forbid(&store, why, &forbidden)?;
    // A project that lost all its documents must still exist.
    let projects: BTreeSet<&str> = set.queries.iter().map(|query| query.project.as_str()).collect();
    let others: Vec<Value> =
        projects.iter().map(|project| json!({"body": OTHER, "project": project})).collect();
    store.world.import(&others)?;
    let answerable: Vec<&ScoredQuery> = set.queries.iter().filter(|query| query.is_answerable()).collect();
    let (mut hits, mut prompts) = (0, 0);
    for (query, index) in answerable.iter().zip(store.search(&answerable)?) {
        let forbidden_hits = forbidden_of(memory_ids(&index), &index, why, &forbidden).count();
        let is_injected = holds_forbidden(&store.prompt(query)?, why, &forbidden);
        (hits, prompts) = (hits + forbidden_hits, prompts + usize::from(is_injected));
        lines.push(
            json!({"set": set.name, "why": why.name(), "id": query.id, "hits": forbidden_hits, "injected": is_injected}),
        );
    }
    let mut starts = 0;
    for project in projects {
        starts += usize::from(holds_forbidden(&store.session_start(project)?, why, &forbidden));
    }
    let counted = [hits, prompts, starts];
    let holds = counted.iter().all(|count| (*count > 0) == (why == ForbiddenReason::Allowed));
    let counts =
        [forbidden.len(), answerable.len()].into_iter().chain(counted).map(|count| count.to_string());
    let named = [set.name.to_owned(), why.name().to_owned()].into_iter();
    Ok(named.chain(counts).chain([verdict(holds)]).collect())
}

fn line(document: &ScoredDocument, why: ForbiddenReason, is_gold: bool) -> Value {
    let mut line = document.line.clone();
    let change = match why {
        ForbiddenReason::OtherProject => Some(("project", "another")),
        ForbiddenReason::External => Some(("provenance", "external")),
        ForbiddenReason::Superseded | ForbiddenReason::Forgotten | ForbiddenReason::Allowed => None,
    };
    if let (true, Some((key, value)), Some(line)) = (is_gold, change, line.as_object_mut()) {
        line.insert(key.to_owned(), value.into());
    }
    line
}

/// Supersedes or forgets the memories; the other reasons were set at import.
fn forbid(store: &ScoredStore<'_>, why: ForbiddenReason, forbidden: &BTreeSet<i64>) -> TaskResult {
    let ids: Vec<String> = forbidden.iter().map(ToString::to_string).collect();
    if why == ForbiddenReason::Forgotten {
        let arguments: Vec<&str> =
            ["forget", "--yes", "--json"].into_iter().chain(ids.iter().map(String::as_str)).collect();
        store.world.json(&arguments)?;
    }
    if why == ForbiddenReason::Superseded {
        for id in &ids {
            let text = format!("What number {id} said does not hold any more, nobody wrote down what does.");
            store.world.json(&["supersede", id, "--json", "--", &text])?;
        }
    }
    Ok(())
}

fn holds_forbidden(block: &InjectedBlock, why: ForbiddenReason, forbidden: &BTreeSet<i64>) -> bool {
    forbidden_of(block.memories.clone(), &block.text, why, forbidden).next().is_some()
}

/// Returns the forbidden ones of the listed ids. An external one is forbidden only where the text does not label it.
fn forbidden_of(
    listed: Vec<i64>,
    text: &str,
    why: ForbiddenReason,
    forbidden: &BTreeSet<i64>,
) -> impl Iterator<Item = i64> {
    let is_marked =
        move |id: i64| why == ForbiddenReason::External && text.contains(&format!("#{id} external "));
    listed.into_iter().filter(move |id| forbidden.contains(id) && !is_marked(*id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(text: &str) -> InjectedBlock {
        InjectedBlock { text: text.to_owned(), tokens: 0, budget: 0, memories: vec![7] }
    }

    #[test]
    fn an_external_memory_is_allowed_only_with_its_label() {
        let forbidden = BTreeSet::from([7]);
        assert!(!holds_forbidden(
            &block("#7 external note A page · 1d"),
            ForbiddenReason::External,
            &forbidden
        ));
        assert!(holds_forbidden(&block("#7 note A page · 1d"), ForbiddenReason::External, &forbidden));
        assert!(holds_forbidden(
            &block("#7 external note A page · 1d"),
            ForbiddenReason::Superseded,
            &forbidden
        ));
    }
}
