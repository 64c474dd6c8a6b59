//! `eval`: measures recall on a data set, in a temporary store. The measuring is in `crate::evaluation`, the format in `docs/eval.md`.

use crate::evaluation::arm::EvalArm;
use crate::evaluation::bench::EvalBench;
use crate::evaluation::data_set::{DataSet, create_file};
use crate::evaluation::per_query;
use crate::evaluation::report::EvalReport;
use crate::exit::Exit;
use crate::ui::Ui;
use backstory_app::{App, AppError};
use clap::Args;
use std::path::PathBuf;
use std::time::Instant;

/// Unknown gold ids that are listed; the rest is only counted.
const LISTED: usize = 10;

/// Arguments of `eval`.
#[derive(Args, Debug)]
pub(crate) struct EvalArgs {
    /// The data set, a JSON file (see docs/eval.md)
    pub(crate) file: PathBuf,
    /// Write one line of JSON per query: the rank of its gold and the hits
    #[arg(long, value_name = "OUT")]
    pub(crate) per_query: Option<PathBuf>,
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Measures.
pub(crate) fn run(args: &EvalArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let set = DataSet::read(&args.file)?;
    warn_of_unknown_gold(&set, ui);
    let report = measure(&set, args, app, ui)?;
    if args.json {
        ui.json(&report)?;
    } else {
        ui.line(&report.table())?;
    }
    Ok(Exit::Done)
}

fn measure(set: &DataSet, args: &EvalArgs, app: &App, ui: &Ui) -> Result<EvalReport, AppError> {
    let started = Instant::now();
    // Created before the long part, so that a path that cannot be written fails at once.
    let lines = args.per_query.as_deref().map(|path| create_file(path).map(|out| (path, out))).transpose()?;
    let bench = EvalBench::new(set, app)?;
    let [engine, baseline, inject] = EvalArm::ALL.map(|arm| bench.run_all(arm));
    let (engine, baseline, inject) = (engine?, baseline?, inject?);
    let answers = [engine.as_slice(), baseline.as_slice(), inject.as_slice()];
    if let Some((path, out)) = lines {
        per_query::write(out, set, answers)
            .map_err(|error| ui.cannot_write(&format!("`{}`", path.display()), &error))?;
    }
    Ok(EvalReport::new(set, answers, bench.bytes, started.elapsed().as_secs_f64()))
}

/// Reports gold that no document has: it lowers the figures.
fn warn_of_unknown_gold(set: &DataSet, ui: &Ui) {
    let unknown = set.unknown_gold();
    for (query, gold) in unknown.iter().take(LISTED) {
        ui.say(&format!("query `{}`: no document of its corpus has the id `{gold}`", query.id));
    }
    if unknown.len() > LISTED {
        ui.say(&format!("… and {} more unknown gold ids", unknown.len() - LISTED));
    }
}
