//! Forbidden hits: what was superseded, forgotten, belongs to another project or came from outside must not come up.
//!
//! The hardest case on purpose: every document that answers a question is made forbidden, and the questions are asked.

use super::Outcome;
use super::page::{Page, not_run, verdict};
use super::sets::{Document, Query, SMALL, Set, Sets};
use super::stock::{Given, Stock, numbers};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashSet};

const HEADS: [&str; 8] = [
    "set",
    "why it is forbidden",
    "memories",
    "questions",
    "hits of search",
    "prompts given one",
    "session starts given one",
    "as it must be",
];

/// What every project knows beside the documents.
const OTHER: &str = "Lunch is at noon, in the room with the plants.";

/// Why a memory must not come up.
#[derive(Clone, Copy, PartialEq)]
enum Why {
    Superseded,
    Forgotten,
    OtherProject,
    External,
    /// It may: the control, which shows that the same questions find the memories.
    Allowed,
}

impl Why {
    const ALL: [Why; 5] = [Why::Superseded, Why::Forgotten, Why::OtherProject, Why::External, Why::Allowed];

    fn name(self) -> &'static str {
        match self {
            Why::Superseded => "superseded",
            Why::Forgotten => "forgotten",
            Why::OtherProject => "of another project",
            Why::External => "external, and not marked so",
            Why::Allowed => "control: it is not",
        }
    }
}

/// Measures every set, for every reason.
pub(crate) fn measure(sets: &Sets, page: &mut Page) -> Outcome<()> {
    page.section(
        "Forbidden hits",
        "Every document that answers a question is superseded, forgotten, moved to another project, or said to come from outside; then the questions are asked over MCP and as prompts, and sessions begun. Counted is what came up all \
         the same, in numbers of hits and of injections. What comes from outside may be found and pointed at, if it is marked: counted is what is not. All must be 0, but for the control: there nothing is forbidden, and the same documents are counted \
         by the same questions, so that none of the three may be 0.",
    );
    let mut rows = Vec::new();
    let mut lines = Vec::new();
    for name in SMALL {
        match sets.read(name)? {
            Some(set) => {
                for why in Why::ALL {
                    rows.push(measure_one(sets, &set, why, &mut lines)?);
                }
            }
            None => rows.push(not_run(name, HEADS.len())),
        }
    }
    page.table(&HEADS, &rows);
    page.per_query("forbidden", &lines)
}

fn measure_one(sets: &Sets, set: &Set, why: Why, lines: &mut Vec<Value>) -> Outcome<Vec<String>> {
    let gold: HashSet<(&str, &str)> = set
        .queries
        .iter()
        .flat_map(|query| query.gold.iter().map(|name| (query.project.as_str(), name.as_str())))
        .collect();
    let is_gold = |document: &Document| gold.contains(&(document.name.0.as_str(), document.name.1.as_str()));
    let stock = Stock::new(sets, set, |document| line(document, why, is_gold(document)))?;
    let forbidden: BTreeSet<i64> =
        stock.documents().filter(|(_, it)| is_gold(it)).map(|(id, _)| id).collect();
    forbid(&stock, why, &forbidden)?;
    // A project all of whose documents went elsewhere is still there, and knows something.
    let projects: BTreeSet<&str> = set.queries.iter().map(|query| query.project.as_str()).collect();
    let others: Vec<Value> =
        projects.iter().map(|project| json!({"body": OTHER, "project": project})).collect();
    stock.world.import(&others)?;
    let asked: Vec<&Query> = set.queries.iter().filter(|query| query.is_answerable()).collect();
    let (mut hits, mut prompts) = (0, 0);
    for (query, index) in asked.iter().zip(stock.search(&asked)?) {
        let found = forbidden_of(numbers(&index), &index, why, &forbidden).count();
        let is_given = is_given(&stock.prompt(query)?, why, &forbidden);
        (hits, prompts) = (hits + found, prompts + usize::from(is_given));
        lines.push(
            json!({"set": set.name, "why": why.name(), "id": query.id, "hits": found, "given": is_given}),
        );
    }
    let mut starts = 0;
    for project in projects {
        starts += usize::from(is_given(&stock.session_start(project)?, why, &forbidden));
    }
    let found = [hits, prompts, starts];
    let holds = found.iter().all(|count| (*count > 0) == (why == Why::Allowed));
    let counts = [forbidden.len(), asked.len()].into_iter().chain(found).map(|count| count.to_string());
    let named = [set.name.to_owned(), why.name().to_owned()].into_iter();
    Ok(named.chain(counts).chain([verdict(holds)]).collect())
}

fn line(document: &Document, why: Why, is_gold: bool) -> Value {
    let mut line = document.line.clone();
    let change = match why {
        Why::OtherProject => Some(("project", "another")),
        Why::External => Some(("provenance", "external")),
        Why::Superseded | Why::Forgotten | Why::Allowed => None,
    };
    if let (true, Some((key, value)), Some(line)) = (is_gold, change, line.as_object_mut()) {
        line.insert(key.to_owned(), value.into());
    }
    line
}

/// Does to the memories what can only be done to memories.
fn forbid(stock: &Stock<'_>, why: Why, forbidden: &BTreeSet<i64>) -> Outcome<()> {
    let ids: Vec<String> = forbidden.iter().map(ToString::to_string).collect();
    if why == Why::Forgotten {
        let arguments: Vec<&str> =
            ["forget", "--yes", "--json"].into_iter().chain(ids.iter().map(String::as_str)).collect();
        stock.world.ask(&arguments)?;
    }
    if why == Why::Superseded {
        for id in &ids {
            let text = format!("What number {id} said does not hold any more, nobody wrote down what does.");
            stock.world.ask(&["supersede", id, "--json", "--", &text])?;
        }
    }
    Ok(())
}

fn is_given(given: &Given, why: Why, forbidden: &BTreeSet<i64>) -> bool {
    forbidden_of(given.memories.clone(), &given.text, why, forbidden).next().is_some()
}

/// Returns the forbidden ones of what was told in a text: what came from outside is forbidden only where it is not marked.
fn forbidden_of(
    told: Vec<i64>,
    text: &str,
    why: Why,
    forbidden: &BTreeSet<i64>,
) -> impl Iterator<Item = i64> {
    let is_marked = move |id: i64| why == Why::External && text.contains(&format!("#{id} external "));
    told.into_iter().filter(move |id| forbidden.contains(id) && !is_marked(*id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(text: &str) -> Given {
        Given { text: text.to_owned(), tokens: 0, budget: 0, memories: vec![7] }
    }

    #[test]
    fn what_comes_from_outside_is_allowed_only_as_a_marked_pointer() {
        let forbidden = BTreeSet::from([7]);
        assert!(!is_given(&given("#7 external note A page · 1d"), Why::External, &forbidden));
        assert!(is_given(&given("#7 note A page · 1d"), Why::External, &forbidden));
        assert!(is_given(&given("#7 external note A page · 1d"), Why::Superseded, &forbidden));
    }
}
