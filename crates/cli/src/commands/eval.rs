//! `eval`: measures recall on a data set, in a temporary store. The format is described in `docs/eval.md`.

use crate::exit::Exit;
use crate::progress::with_bar;
use crate::ui::{Ui, one_line};
use backstory_app::evaluation::{
    ArmReport, EvalReport, EvalRequest, InjectionReport, LatencyReport, RetrievalFigures,
};
use backstory_app::{App, AppError};
use clap::Args;
use std::path::PathBuf;

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
    let request = EvalRequest { file: args.file.clone(), per_query: args.per_query.clone() };
    let report = with_bar(|on_progress| app.evaluate(&request, &|note| ui.say(note), on_progress))?;
    ui.answer(args.json, &report, || ui.line(&table(&report)))?;
    Ok(Exit::Done)
}

/// Writes the report for a person. Figures are in percent.
fn table(report: &EvalReport) -> String {
    let EvalReport { name, documents, queries, engine, baseline, .. } = report;
    let both = [engine, baseline];
    let mut lines =
        vec![format!("{} (documents: {documents}, queries: {queries})", one_line(name)), String::new()];
    lines.extend(rows(report));
    lines.push(String::new());
    if engine.abstention.queries > 0 {
        let answered = both.map(|arm| format!("{} {}", arm.arm, arm.abstention.answered)).join(", ");
        lines.push(format!(
            "queries without an answer in the set: {}; with hits all the same: {answered}",
            engine.abstention.queries
        ));
    }
    let InjectionReport { silent, recall, documents } = &report.injection;
    lines.push(format!(
            "injection: silent for {silent} of {} without an answer, gold injected for {:.1} % of the others, {documents:.1} documents per query",
            engine.abstention.queries,
            100.0 * recall
        ));
    let times = both.map(|ArmReport { arm, latency_ms: LatencyReport { p50, p99 }, .. }| {
        format!("{arm} p50 {p50:.2} ms, p99 {p99:.2} ms")
    });
    lines.push(format!("time per query: {}", times.join("; ")));
    lines.push(format!(
        "disk: {} bytes per document; {:.1} s in all",
        report.bytes_per_document, report.seconds
    ));
    lines.join("\n")
}

/// Writes two lines per category: the engine, and the baseline below it.
fn rows(report: &EvalReport) -> Vec<String> {
    let widths = report.engine.rows().map(|(name, _)| one_line(name).chars().count());
    let width = widths.max().unwrap_or(0);
    let head = "any@1   any@5  any@10  share@5 share@10     MRR       n";
    let mut rows = vec![format!("{:width$}            {head}", "")];
    // Both arms ran the same queries, so they have the same categories.
    for ((name, engine), (_, baseline)) in report.engine.rows().zip(report.baseline.rows()) {
        rows.push(format!(
            "{:width$}  {:6} {}{:8}",
            one_line(name),
            report.engine.arm,
            cells(engine),
            engine.queries
        ));
        rows.push(format!("{:width$}  {:6} {}", "", report.baseline.arm, cells(baseline)));
    }
    rows
}

fn cells(figures: &RetrievalFigures) -> String {
    let RetrievalFigures { any_at_1, any_at_5, any_at_10, share_at_5, share_at_10, mrr, .. } = figures;
    let percents = [any_at_1, any_at_5, any_at_10, share_at_5, share_at_10, mrr].map(|figure| 100.0 * figure);
    let [any_at_1, any_at_5, any_at_10, share_at_5, share_at_10, mrr] = percents;
    format!("{any_at_1:8.1}{any_at_5:8.1}{any_at_10:8.1}{share_at_5:9.1}{share_at_10:9.1}{mrr:8.1}")
}
