//! The demo `setup` ends with, in words: one line, or all of it.

use crate::ui::{Tone, Ui, one_line};
use backstory_app::demo::DemoReport;
use backstory_app::{App, AppError};
use std::time::Duration;

/// How much of the demo is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DemoDetail {
    /// Whether it worked, and how fast.
    Verdict,
    /// Every event, what was made of them, and what the next session would get.
    Everything,
}

/// Runs the demo, and shows what came of it.
pub(crate) fn show_demo(app: &App, detail: DemoDetail, ui: &Ui) -> Result<(), AppError> {
    let report = app.run_demo()?;
    match detail {
        DemoDetail::Verdict => {
            let (events, made) = (report.events.len(), report.memories.len());
            let slowest = report.events.iter().map(|(_, took)| ms(*took)).fold(0.0, f64::max);
            let text = format!("{events} played events became {made} memories; slowest hook {slowest:.0} ms");
            ui.wrapped(&format!("{} demo        ", ui.check_mark()), &text, 14)
        }
        DemoDetail::Everything => show_everything(&report, ui),
    }
}

fn show_everything(report: &DemoReport, ui: &Ui) -> Result<(), AppError> {
    let DemoReport { events, empty_process, memories, block } = report;
    ui.line("demo      a short session, played through the real hook into a temporary store:")?;
    for (name, took) in events {
        ui.line(&format!("            {name:<18} {:>6.1} ms", ms(*took)))?;
    }
    let empty = ms(*empty_process);
    ui.line(&format!("            {:<18} {empty:>6.1} ms, for comparison", "an empty process"))?;
    let count = events.len();
    let good = format!("{count} of {count} events kept, and distilled without a model into:");
    ui.line(&format!("          {}", ui.tone(Tone::Good, &good)))?;
    for memory in memories.iter().rev() {
        ui.line(&format!("            {:<9} {}", memory.content.kind, one_line(&memory.content.title)))?;
    }
    ui.line(&format!("          the next session would get ({} tokens):", block.tokens.0))?;
    ui.line("")?;
    block.text.lines().try_for_each(|line| ui.line(&format!("            {line}")))
}

fn ms(took: Duration) -> f64 {
    took.as_secs_f64() * 1000.0
}
