//! One line of JSON a question: where its gold stands and what stood before it.

use crate::eval::bench::Answer;
use crate::eval::data_set::{DataSet, Query};
use crate::eval::report::mark;
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    corpus: &'a str,
    category: Option<&'a str>,
    gold: &'a [String],
    rank: Option<usize>,
    baseline_rank: Option<usize>,
    unasked_rank: Option<usize>,
    unasked_hits: usize,
    hits: Vec<HitShape<'a>>,
    ms: f64,
}

#[derive(Serialize)]
struct HitShape<'a> {
    id: &'a str,
    score: f64,
}

/// Writes a line for every question.
pub(crate) fn write(
    mut out: impl Write,
    set: &DataSet,
    [engine, baseline, unasked]: [&[Answer<'_>]; 3],
) -> io::Result<()> {
    let answers = engine.iter().zip(baseline).zip(unasked);
    for (query, ((engine, baseline), unasked)) in set.queries.iter().zip(answers) {
        serde_json::to_writer(&mut out, &line(query, engine, baseline, unasked))?;
        out.write_all(b"\n")?;
    }
    out.flush()
}

fn line<'a>(
    query: &'a Query,
    engine: &'a Answer<'_>,
    baseline: &Answer<'_>,
    unasked: &Answer<'_>,
) -> Line<'a> {
    Line {
        id: &query.id,
        corpus: &query.corpus,
        category: query.category.as_deref(),
        gold: &query.gold,
        rank: mark(query, engine).rank,
        baseline_rank: mark(query, baseline).rank,
        unasked_rank: mark(query, unasked).rank,
        unasked_hits: unasked.found.len(),
        hits: engine.found.iter().map(|(id, score)| HitShape { id, score: *score }).collect(),
        ms: engine.took.as_secs_f64() * 1000.0,
    }
}
