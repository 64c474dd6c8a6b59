//! The demo `setup` ends with, in words.

use crate::ui::{Tone, Ui, one_line};
use backstory_app::demo::DemoReport;
use backstory_app::{App, AppError};
use std::time::Duration;

/// Runs the demo, and shows what the next session would get.
pub(crate) fn show_demo(app: &App, ui: &Ui) -> Result<(), AppError> {
    ui.line("demo      a short session, played through the real hook into a temporary store:")?;
    let DemoReport { events, empty_process, memories, block } = app.run_demo()?;
    let ms = |took: Duration| took.as_secs_f64() * 1000.0;
    for (name, took) in &events {
        ui.line(&format!("            {name:<18} {:>6.1} ms", ms(*took)))?;
    }
    let empty = ms(empty_process);
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
