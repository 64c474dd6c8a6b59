//! Abstention: injecting nothing where no memory is relevant, and something where one is.

use super::page::{ScorecardPage, not_run, percent};
use super::retrieval::SetReport;
use super::samples::SMALL_TALK;
use super::scored_store::ScoredStore;
use super::sets::{EvalSets, SMALL, ScoredQuery};
use crate::TaskResult;
use serde_json::{Value, json};

/// Measures silence: as `eval` counts it, and for prompts that ask for nothing.
pub(crate) fn measure(sets: &EvalSets, reports: &[SetReport], page: &mut ScorecardPage) -> TaskResult {
    page.section(
        "Abstention",
        "What is injected at a prompt (the weights of `inject`). *Silent*: nothing was injected for a question without an answer in the set. *Injected*: a right document \
         was injected where there is one. *Documents*: the mean over all questions.",
    );
    let heads = ["set", "without an answer", "silent", "with an answer", "injected", "documents"];
    let rows: Vec<_> = reports.iter().map(|(set, report)| row(set, report.as_ref(), heads.len())).collect();
    page.table(&heads, &rows);
    small_talk(sets, page)
}

fn row(set: &str, report: Option<&Value>, cells: usize) -> Vec<String> {
    let Some(report) = report else { return not_run(set, cells) };
    let figure = |at| report.pointer(at).and_then(Value::as_f64).unwrap_or_default();
    let (without, silent) = (figure("/abstention/queries") as usize, figure("/injection/silent") as usize);
    vec![
        set.to_owned(),
        without.to_string(),
        percent(silent, without),
        figure("/overall/queries").to_string(),
        format!("{:.1}", 100.0 * figure("/injection/recall")),
        format!("{:.1}", figure("/injection/documents")),
    ]
}

/// Prompts that ask for nothing must get no injection, whatever the store holds.
fn small_talk(sets: &EvalSets, page: &mut ScorecardPage) -> TaskResult {
    let mut rows = Vec::new();
    let mut lines = Vec::new();
    for name in SMALL {
        let Some(set) = sets.read(name)? else {
            rows.push(not_run(name, 3));
            continue;
        };
        let store = ScoredStore::new(sets, &set, |document| document.line.clone())?;
        let project = set.queries.first().map(|query| query.project.clone()).unwrap_or_default();
        let mut silent = 0;
        for prompt in SMALL_TALK {
            let query = ScoredQuery {
                id: String::new(),
                text: prompt.to_owned(),
                project: project.clone(),
                gold: Vec::new(),
            };
            let injected = store.prompt(&query)?.memories.len();
            silent += usize::from(injected == 0);
            lines.push(json!({"set": name, "prompt": prompt, "injected": injected}));
        }
        rows.push(vec![name.to_owned(), SMALL_TALK.len().to_string(), percent(silent, SMALL_TALK.len())]);
    }
    page.table(&["the documents of", "prompts that ask for nothing (written by us)", "silent"], &rows);
    page.per_query("small-talk", &lines)
}
