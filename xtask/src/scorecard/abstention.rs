//! Abstention: what is left unsaid where nothing is known, and what is said where something is.

use super::Outcome;
use super::made_up::SMALL_TALK;
use super::page::{Page, not_run, percent};
use super::retrieval::Report;
use super::sets::{Query, SMALL, Sets};
use super::stock::Stock;
use serde_json::{Value, json};

/// Measures silence: as `eval` counts it, and for prompts that ask for nothing.
pub(crate) fn measure(sets: &Sets, reports: &[Report], page: &mut Page) -> Outcome<()> {
    page.section(
        "Abstention",
        "Nobody asked for a memory: what a prompt is given unasked (the profile `inject`). *Silent*: nothing was given to a question the set has no answer to. *Given*: a right document \
         was given where there is one. *Documents*: how many, in the mean of all questions.",
    );
    let heads = ["set", "without an answer", "silent", "with an answer", "given", "documents"];
    let rows: Vec<_> = reports.iter().map(|(set, report)| row(set, report.as_ref(), heads.len())).collect();
    page.table(&heads, &rows);
    small_talk(sets, page)
}

fn row(set: &str, report: Option<&Value>, cells: usize) -> Vec<String> {
    let Some(report) = report else { return not_run(set, cells) };
    let figure = |at| report.pointer(at).and_then(Value::as_f64).unwrap_or_default();
    let (without, silent) = (figure("/abstention/queries") as usize, figure("/unasked/silent") as usize);
    vec![
        set.to_owned(),
        without.to_string(),
        percent(silent, without),
        figure("/overall/queries").to_string(),
        format!("{:.1}", 100.0 * figure("/unasked/kept")),
        format!("{:.1}", figure("/unasked/given")),
    ]
}

/// Prompts that ask for nothing must be given nothing, whatever is known.
fn small_talk(sets: &Sets, page: &mut Page) -> Outcome<()> {
    let mut rows = Vec::new();
    let mut lines = Vec::new();
    for name in SMALL {
        let Some(set) = sets.read(name)? else {
            rows.push(not_run(name, 3));
            continue;
        };
        let stock = Stock::new(sets, &set, |document| document.line.clone())?;
        let project = set.queries.first().map(|query| query.project.clone()).unwrap_or_default();
        let mut silent = 0;
        for said in SMALL_TALK {
            let query = Query {
                id: String::new(),
                text: said.to_owned(),
                project: project.clone(),
                gold: Vec::new(),
            };
            let given = stock.prompt(&query)?.memories.len();
            silent += usize::from(given == 0);
            lines.push(json!({"set": name, "prompt": said, "given": given}));
        }
        rows.push(vec![name.to_owned(), SMALL_TALK.len().to_string(), percent(silent, SMALL_TALK.len())]);
    }
    page.table(&["the documents of", "prompts that ask for nothing (made up)", "silent"], &rows);
    page.per_query("small-talk", &lines)
}
