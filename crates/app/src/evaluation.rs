//! Measures recall: reads a data set, reports how often the right memory came first.
//!
//! The documents of a set become memories in a temporary store, written the way every memory is; its queries are put to the engine and,
//! for comparison, to plain BM25. Not here: how recall ranks (`recall`), published sets (`xtask dataset` converts them).

mod arm;
mod bench;
mod data_set;
mod eval_report;
mod figures;
mod per_query;
mod reliability;

pub use eval_report::{AbstentionReport, ArmReport, EvalReport, InjectionReport, LatencyReport};
pub use figures::RetrievalFigures;
pub use reliability::ReliabilityBin;

use crate::app::App;
use crate::error::AppError;
use crate::progress::{OnNote, OnProgress};
use arm::EvalArm;
use bench::EvalBench;
use data_set::DataSet;
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::time::Instant;

/// Unknown gold ids that are listed; the rest is only counted.
const LISTED: usize = 10;

/// A data set to measure recall on.
#[derive(Clone, Debug)]
pub struct EvalRequest {
    /// The data set.
    pub file: PathBuf,
    /// Where to write one line of JSON per query.
    pub per_query: Option<PathBuf>,
}

impl App {
    /// Measures recall on a data set.
    pub fn evaluate(
        &self,
        request: &EvalRequest,
        on_note: OnNote<'_>,
        on_progress: OnProgress<'_>,
    ) -> Result<EvalReport, AppError> {
        let set = DataSet::read(&request.file)?;
        warn_of_unknown_gold(&set, on_note);
        let started = Instant::now();
        // Created before the long part, so that a path that cannot be written fails at once.
        let lines = request.per_query.as_deref().map(|path| {
            let failed = |error| AppError::of_path("write", path, &error);
            File::create(path).map(|file| (path, BufWriter::new(file))).map_err(failed)
        });
        let lines = lines.transpose()?;
        let bench = EvalBench::new(&set, self, &mut *on_progress)?;
        let [engine, baseline, inject] = EvalArm::ALL.map(|arm| bench.run_all(arm, &mut *on_progress));
        let (engine, baseline, inject) = (engine?, baseline?, inject?);
        let answers = [engine.as_slice(), baseline.as_slice(), inject.as_slice()];
        if let Some((path, out)) = lines {
            per_query::write(out, &set, answers).map_err(|error| AppError::of_path("write", path, &error))?;
        }
        Ok(EvalReport::new(&set, answers, bench.bytes, started.elapsed().as_secs_f64()))
    }
}

/// Reports gold that no document has: it lowers the figures.
fn warn_of_unknown_gold(set: &DataSet, on_note: OnNote<'_>) {
    let unknown = set.unknown_gold();
    for (query, gold) in unknown.iter().take(LISTED) {
        on_note(&format!("query `{}`: no document of its corpus has the id `{gold}`", query.id));
    }
    if unknown.len() > LISTED {
        on_note(&format!("… and {} more unknown gold ids", unknown.len() - LISTED));
    }
}
