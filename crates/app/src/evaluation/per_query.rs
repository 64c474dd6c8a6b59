//! One line of JSON per query: the rank of its gold in each arm, and the hits.

use super::bench::ArmAnswer;
use super::data_set::{DataSet, EvalQuery};
use super::eval_report::mark;
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
struct QueryLine<'a> {
    id: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    corpus: &'a str,
    category: Option<&'a str>,
    gold: &'a [String],
    rank: Option<usize>,
    baseline_rank: Option<usize>,
    inject_rank: Option<usize>,
    inject_hits: usize,
    hits: Vec<LineHit<'a>>,
    ms: f64,
}

#[derive(Serialize)]
struct LineHit<'a> {
    id: &'a str,
    score: f64,
}

/// Writes a line for every query.
pub(crate) fn write(
    mut out: impl Write,
    set: &DataSet,
    [engine, baseline, inject]: [&[ArmAnswer<'_>]; 3],
) -> io::Result<()> {
    let answers = engine.iter().zip(baseline).zip(inject);
    for (query, ((engine, baseline), inject)) in set.queries.iter().zip(answers) {
        serde_json::to_writer(&mut out, &line(query, engine, baseline, inject))?;
        out.write_all(b"\n")?;
    }
    out.flush()
}

fn line<'a>(
    query: &'a EvalQuery,
    engine: &'a ArmAnswer<'_>,
    baseline: &ArmAnswer<'_>,
    inject: &ArmAnswer<'_>,
) -> QueryLine<'a> {
    QueryLine {
        id: &query.id,
        corpus: &query.corpus,
        category: query.category.as_deref(),
        gold: &query.gold,
        rank: mark(query, engine).rank,
        baseline_rank: mark(query, baseline).rank,
        inject_rank: mark(query, inject).rank,
        inject_hits: inject.hits.len(),
        hits: engine.hits.iter().map(|(id, score)| LineHit { id, score: *score }).collect(),
        ms: engine.took.as_secs_f64() * 1000.0,
    }
}
