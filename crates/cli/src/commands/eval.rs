//! `eval`: measures recall on a data set, in a store of its own. How is in `crate::eval`, the formats are in `docs/eval.md`.

use crate::app::App;
use crate::eval::arm::Arm;
use crate::eval::bench::Bench;
use crate::eval::data_set::{DataSet, create};
use crate::eval::formats::Format;
use crate::eval::per_query;
use crate::eval::report::Report;
use crate::failure::{Exit, Failure};
use clap::Args;
use std::path::PathBuf;
use std::time::Instant;

/// How many unknown gold ids are listed; the rest is only counted.
const LISTED: usize = 10;

/// Arguments of `eval`.
#[derive(Args, Debug)]
pub(crate) struct EvalArgs {
    /// The data set: a file, or the folder it came in
    pub(crate) file: PathBuf,
    /// How it is written
    #[arg(long, value_enum, default_value_t = Format::Auto)]
    pub(crate) format: Format,
    /// Write a line of JSON a question: where its gold stands, and what stood before it
    #[arg(long, value_name = "OUT")]
    pub(crate) per_query: Option<PathBuf>,
    /// Write the set in our own format, and measure nothing
    #[arg(long, value_name = "FILE", conflicts_with = "per_query")]
    pub(crate) to: Option<PathBuf>,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Measures.
pub(crate) fn run(args: &EvalArgs, app: &App) -> Result<Exit, Failure> {
    let set = args.format.read(&args.file)?;
    warn_of_unknown_gold(&set, app);
    if let Some(to) = &args.to {
        set.write(to)?;
        let (documents, queries) = (set.documents.len(), set.queries.len());
        app.ui.say(&format!("wrote `{}` (documents: {documents}, questions: {queries})", to.display()));
        return Ok(Exit::Done);
    }
    let report = measure(&set, args, app)?;
    if args.json {
        app.ui.json(&report)?;
    } else {
        app.ui.line(&report.table())?;
    }
    Ok(Exit::Done)
}

fn measure(set: &DataSet, args: &EvalArgs, app: &App) -> Result<Report, Failure> {
    let begun = Instant::now();
    // Before the long part: whoever named a file that cannot be written wants to know now.
    let lines = args.per_query.as_deref().map(|path| create(path).map(|out| (path, out))).transpose()?;
    let bench = Bench::new(set, app)?;
    let [engine, baseline, unasked] = Arm::ALL.map(|arm| bench.ask_all(arm));
    let (engine, baseline, unasked) = (engine?, baseline?, unasked?);
    let answers = [engine.as_slice(), baseline.as_slice(), unasked.as_slice()];
    if let Some((path, out)) = lines {
        per_query::write(out, set, answers)
            .map_err(|error| app.ui.cannot_write(&format!("`{}`", path.display()), &error))?;
    }
    Ok(Report::new(set, answers, bench.bytes, begun.elapsed().as_secs_f64()))
}

/// Gold nobody can find lowers the figures: that is said, not hidden.
fn warn_of_unknown_gold(set: &DataSet, app: &App) {
    let unknown = set.unknown_gold();
    for (query, gold) in unknown.iter().take(LISTED) {
        app.ui.say(&format!("question `{}`: no document of its corpus is called `{gold}`", query.id));
    }
    if unknown.len() > LISTED {
        app.ui.say(&format!("… and {} more unknown gold ids", unknown.len() - LISTED));
    }
}
