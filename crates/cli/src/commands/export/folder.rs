//! `export --format markdown DIR`: one folder a project, one document a memory.

use super::failure;
use crate::exit::Exit;
use crate::progress::Progress;
use crate::ui::{Ui, memories};
use backstory_app::{App, AppError};
use backstory_exchange::{ExportSelection, MarkdownExportOptions, MarkdownExportReport, export_markdown};
use backstory_store::Store;
use std::path::Path;

/// How many files that were left as they are get named; the rest is only counted.
const LISTED: usize = 20;

/// Exports memories into a folder.
pub(super) fn run(
    store: &Store,
    selection: &ExportSelection,
    dir: &str,
    app: &App,
    ui: &Ui,
) -> Result<Exit, AppError> {
    if dir == "-" {
        return Err(AppError::usage("Markdown is written into a folder")
            .hint("`backstory export --format markdown DIR` makes it where it is not there"));
    }
    let redactor = app.redactor();
    let options = MarkdownExportOptions { root: Path::new(dir), redactor: &redactor, now: app.now };
    let mut progress = Progress::new(store.memories().count()?, "memories");
    let report = export_markdown(store, selection, &options, &mut |done| progress.at(done));
    progress.finish();
    let report = report.map_err(|error| failure(error, ui))?;
    say(&report, dir, ui);
    Ok(if report.selected == 0 || !report.untouched.is_empty() { Exit::No } else { Exit::Done })
}

fn say(report: &MarkdownExportReport, dir: &str, ui: &Ui) {
    let untouched = &report.untouched;
    untouched.iter().take(LISTED).for_each(|file| ui.say(&format!("left as it is: {file}")));
    if untouched.len() > LISTED {
        ui.say(&format!("… and {} more", untouched.len() - LISTED));
    }
    if report.unknown > 0 {
        let documents =
            if report.unknown == 1 { "1 document is" } else { &format!("{} documents are", report.unknown) };
        ui.say(&format!("{documents} of memories not known here; `backstory import {dir}` imports them"));
    }
    if report.selected == 0 {
        return ui.say("there is nothing to export");
    }
    let exported = memories(report.selected - untouched.len() as u64);
    ui.say(&format!("exported {exported}: {} written, {} removed", files(report.written), report.removed));
}

/// Says how many files.
pub(super) fn files(count: u64) -> String {
    if count == 1 { "1 file".to_owned() } else { format!("{count} files") }
}
