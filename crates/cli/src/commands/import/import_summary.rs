//! What an import of this machine brought, or would bring, in words.

use crate::ui::{Tone, Ui, counted, memories, one_line};
use backstory_app::import::MachineImportResponse;
use backstory_app::json::{ImportedProjectShape, SourcePreviewShape};
use backstory_app::{App, AppError};
use backstory_memory::first_chars;
use backstory_store::Store;
use std::collections::BTreeMap;

/// How many projects are named.
const MOST_PROJECTS: usize = 8;
/// How many projects of a source are named in a preview.
const MOST_NAMES: usize = 6;
/// How much of what the next session will see is shown.
const SAMPLE_LINES: usize = 14;

/// Says what was imported, where, and what the next session will see of it.
pub(crate) fn print_import(
    imported: &MachineImportResponse,
    store: &Store,
    app: &App,
    ui: &Ui,
) -> Result<(), AppError> {
    let (report, projects) = (&imported.report, &imported.projects);
    for unreadable in &report.unreadable {
        ui.say(&format!("cannot read {unreadable}"));
    }
    if report.is_empty() {
        return ui.sentence("nothing was found on this machine that could be imported");
    }
    print_read(imported, ui)?;
    let skipped = report.skipped();
    if !skipped.is_empty() {
        ui.sentence(&format!("skipped: {}", list_counts(&skipped)))?;
    }
    let count = report.memories().len() as u64;
    if count == 0 {
        return ui.sentence("nothing new");
    }
    let places = counted(projects.len() as u64, "project");
    ui.sentence(&ui.tone(Tone::Good, &format!("imported {} in {places}", memories(count))))?;
    projects.iter().take(MOST_PROJECTS).try_for_each(|project| print_project(project, ui))?;
    if projects.len() > MOST_PROJECTS {
        ui.sentence(&format!("  … and {} more projects", projects.len() - MOST_PROJECTS))?;
    }
    print_sample(imported, store, app, ui)
}

fn print_read(imported: &MachineImportResponse, ui: &Ui) -> Result<(), AppError> {
    let transcripts = &imported.report.transcripts;
    if transcripts.read == 0 && transcripts.unchanged > 0 {
        let unchanged = counted(transcripts.unchanged, "transcript");
        ui.sentence(&format!("{unchanged} of hosts unchanged since last time"))?;
    } else if transcripts.read > 0 {
        let megabytes = imported.report.bytes as f64 / 1e6;
        let rate = megabytes / imported.seconds.max(0.001);
        ui.sentence(&format!(
            "read {} of hosts ({megabytes:.1} MB in {:.1} s, {rate:.0} MB/s; {} unchanged since last time): {} with something new",
            counted(transcripts.read, "transcript"),
            imported.seconds,
            transcripts.unchanged,
            counted(transcripts.sessions.len() as u64, "session"),
        ))?;
    }
    for (source, report) in &imported.report.sources {
        let is_unchanged = report.unchanged == report.instances;
        let unchanged = if is_unchanged { ", unchanged since last time" } else { "" };
        ui.sentence(&format!(
            "read {source} ({}{unchanged}): {} new, {} known already, {} forgotten before",
            counted(report.instances, "place"),
            report.memories.len(),
            report.known,
            report.forgotten
        ))?;
    }
    Ok(())
}

fn print_project(project: &ImportedProjectShape, ui: &Ui) -> Result<(), AppError> {
    let name = ui.tone(Tone::Strong, &one_line(&project.project));
    ui.sentence(&format!("  {name}: {} ({})", memories(project.memories), list_counts(&project.kinds)))?;
    if !project.files.is_empty() {
        ui.sentence(&format!("    most about {}", one_line(&project.files.join(", "))))?;
    }
    Ok(())
}

/// Shows how the next session begins.
fn print_sample(imported: &MachineImportResponse, store: &Store, app: &App, ui: &Ui) -> Result<(), AppError> {
    let Some((project, built)) = app.injection_after_import(store, imported)? else { return Ok(()) };
    let (tokens, text) = (built.block.tokens.0, &built.block.text);
    ui.sentence(&format!("the next session in {} begins with ({tokens} tokens):", one_line(&project)))?;
    for line in text.lines().take(SAMPLE_LINES) {
        ui.sentence(&format!("    {line}"))?;
    }
    if text.lines().count() > SAMPLE_LINES {
        ui.sentence("    … (`backstory context` in its folder shows all of it)")?;
    }
    Ok(())
}

/// Shows what an import would bring.
pub(super) fn print_preview(found: &[SourcePreviewShape], ui: &Ui) -> Result<(), AppError> {
    found.iter().try_for_each(|preview| print_source(preview, ui))?;
    ui.sentence(if found.is_empty() {
        "nothing was found on this machine that could be imported"
    } else {
        "nothing is imported yet: run it without `--dry-run`"
    })
}

fn print_source(preview: &SourcePreviewShape, ui: &Ui) -> Result<(), AppError> {
    let day = |at: &Option<String>| first_chars(at.as_deref().unwrap_or_default(), 10).to_owned();
    let (from, to) = (day(&preview.from), day(&preview.to));
    let size =
        if preview.bytes > 0 { format!(", {:.1} MB", preview.bytes as f64 / 1e6) } else { String::new() };
    let unit = match (preview.what, preview.count) {
        ("sessions", 1) => "session",
        ("memories", 1) => "memory",
        (several, _) => several,
    };
    ui.sentence(&format!("{:<16} {:>6} {unit}{size}, {from} to {to}", preview.source, preview.count))?;
    let mut names: Vec<String> =
        preview.projects.iter().take(MOST_NAMES).map(|name| one_line(name)).collect();
    if preview.projects.len() > MOST_NAMES {
        names.push(format!("{} more", preview.projects.len() - MOST_NAMES));
    }
    if !names.is_empty() {
        ui.sentence(&format!("{:<16} in {}", "", names.join(", ")))?;
    }
    if !preview.skipped.is_empty() {
        ui.sentence(&format!("{:<16} skipped: {}", "", list_counts(&preview.skipped)))?;
    }
    Ok(())
}

/// Lists how many there are of each.
fn list_counts(counts: &BTreeMap<&'static str, u64>) -> String {
    let counts: Vec<String> = counts.iter().map(|(what, count)| format!("{count} {what}")).collect();
    counts.join(", ")
}
