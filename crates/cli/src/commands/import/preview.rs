//! `import --dry-run`: shows what would be imported, from when and of which projects. Nothing is written.

use super::ImportArgs;
use super::machine::{ImportRun, filter_of_folder, project_filter, request};
use crate::exit::Exit;
use crate::ui::{Ui, one_line};
use backstory_app::{App, AppError, times};
use backstory_exchange::{PreviewUnit, SourcePreview, preview_import};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// How many projects of a source are named.
const MOST_NAMES: usize = 6;

/// What one source would bring, for other programs.
#[derive(Serialize)]
struct PreviewJson<'a> {
    source: &'a str,
    /// Sessions or memories.
    what: &'static str,
    count: u64,
    bytes: u64,
    from: Option<String>,
    to: Option<String>,
    projects: &'a BTreeSet<String>,
    skipped: &'a BTreeMap<&'static str, u64>,
}

#[derive(Serialize)]
struct PreviewAnswer<'a> {
    version: u32,
    found: Vec<PreviewJson<'a>>,
}

/// Shows what would be imported.
pub(super) fn run(run: ImportRun, args: &ImportArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let store = app.home.database().exists().then(|| app.store_to_read()).transpose()?;
    let project_filter = match (&args.project, &store) {
        (Some(wanted), Some(store)) => project_filter(store, Some(wanted), app)?,
        (Some(folder), None) => Some(filter_of_folder(folder, app)),
        (None, _) => None,
    };
    let request = request(run.selection.clone(), app)?;
    let run = ImportRun { project_filter, ..run };
    let previews = run.with_options(app, |options| preview_import(&request, options, store.as_ref()));
    let exit = if previews.is_empty() { Exit::No } else { Exit::Done };
    if args.json {
        ui.json(&PreviewAnswer { version: 1, found: previews.iter().map(json).collect() })?;
        return Ok(exit);
    }
    previews.iter().try_for_each(|preview| say(preview, ui))?;
    if previews.is_empty() {
        ui.line("nothing was found on this machine that could be imported")?;
    } else {
        ui.line("nothing is imported yet: run it without `--dry-run`")?;
    }
    Ok(exit)
}

fn json(preview: &SourcePreview) -> PreviewJson<'_> {
    PreviewJson {
        source: &preview.source,
        what: unit(preview, 2),
        count: preview.count,
        bytes: preview.bytes,
        from: preview.span.map(|(from, _)| times::iso(from)),
        to: preview.span.map(|(_, to)| times::iso(to)),
        projects: &preview.projects,
        skipped: &preview.skipped,
    }
}

fn unit(preview: &SourcePreview, count: u64) -> &'static str {
    match (preview.unit, count) {
        (PreviewUnit::Sessions, 1) => "session",
        (PreviewUnit::Sessions, _) => "sessions",
        (PreviewUnit::Memories, 1) => "memory",
        (PreviewUnit::Memories, _) => "memories",
    }
}

fn say(preview: &SourcePreview, ui: &Ui) -> Result<(), AppError> {
    let day = |at| times::iso(at).chars().take(10).collect::<String>();
    let (from, to) = preview.span.map(|(from, to)| (day(from), day(to))).unwrap_or_default();
    let size =
        if preview.bytes > 0 { format!(", {:.1} MB", preview.bytes as f64 / 1e6) } else { String::new() };
    let (source, count, unit) = (&preview.source, preview.count, unit(preview, preview.count));
    ui.line(&format!("{source:<16} {count:>6} {unit}{size}, {from} to {to}"))?;
    let mut names: Vec<String> =
        preview.projects.iter().take(MOST_NAMES).map(|name| one_line(name)).collect();
    if preview.projects.len() > MOST_NAMES {
        names.push(format!("{} more", preview.projects.len() - MOST_NAMES));
    }
    if !names.is_empty() {
        ui.line(&format!("{:<16} in {}", "", names.join(", ")))?;
    }
    let skipped: Vec<String> = preview.skipped.iter().map(|(why, count)| format!("{count} {why}")).collect();
    if !skipped.is_empty() {
        ui.line(&format!("{:<16} skipped: {}", "", skipped.join(", ")))?;
    }
    Ok(())
}
