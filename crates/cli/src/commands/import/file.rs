//! `import FILE`: memories from a file, one JSON object a line, or from a folder that `export --format markdown` wrote.

use super::{ImportArgs, embed, tidy_up};
use crate::exit::Exit;
use crate::progress::Progress;
use crate::ui::{Ui, memories};
use backstory_app::{App, AppError, ErrorCode};
use backstory_exchange::{
    DefaultProject, ExchangeError, FileImportOptions, FileImportReport, ImportFile, import_file,
};
use backstory_store::Store;
use serde::Serialize;
use std::io::{self, BufReader};
use std::path::Path;

/// What became of the entries, for other programs.
#[derive(Serialize)]
struct FileImportJson {
    version: u32,
    imported: u64,
    known: u64,
    revised: u64,
    forgotten: u64,
    bad: u64,
    bad_lines: Vec<BadLineJson>,
    seconds: f64,
}

#[derive(Serialize)]
struct BadLineJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    line: u64,
    error: String,
}

/// Imports the memories of a file or a folder.
pub(super) fn run(file: &str, args: &ImportArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let file = open(file)?;
    let entries = file.entries();
    let mut store = app.store()?;
    let redactor = app.redactor();
    let options = FileImportOptions {
        redactor: &redactor,
        now: app.now,
        max_provenance: args.provenance.clone(),
        default_project: default_project(&store, args, app)?,
    };
    let mut progress = Progress::new(file.total(), file.unit());
    let report = import_file(&mut store, file, &options, &mut |done| progress.at(done))?;
    let seconds = progress.finish().as_secs_f64();
    tidy_up(&mut store, app);
    if args.json {
        ui.json(&json(&report, seconds))?;
    } else {
        say(&report, entries, seconds, ui)?;
    }
    embed(&mut store, args, app, ui)?;
    Ok(if report.bad == 0 { Exit::Done } else { Exit::No })
}

fn open(file: &str) -> Result<ImportFile, AppError> {
    if file == "-" {
        return Ok(ImportFile::from_lines(Box::new(BufReader::new(io::stdin()))));
    }
    ImportFile::open(Path::new(file)).map_err(|error| match error {
        ExchangeError::Path { action, path, source } => {
            AppError::new(ErrorCode::FileUnusable, format!("cannot {action} `{}`", path.display()))
                .because(&source)
                .hint(ImportFile::hint())
        }
        error => error.into(),
    })
}

/// Returns the project of lines that name none.
fn default_project(store: &Store, args: &ImportArgs, app: &App) -> Result<DefaultProject, AppError> {
    match &args.project {
        Some(wanted) => app.project_called(store, wanted).map(DefaultProject::Known),
        None => Ok(DefaultProject::At(app.project_ref())),
    }
}

fn json(report: &FileImportReport, seconds: f64) -> FileImportJson {
    let bad_lines = report.bad_entries.iter().map(|bad| BadLineJson {
        file: bad.file.as_ref().map(|file| file.display().to_string()),
        line: bad.line,
        error: bad.error.clone(),
    });
    FileImportJson {
        version: 1,
        imported: report.imported,
        known: report.known,
        revised: report.revised,
        forgotten: report.forgotten,
        bad: report.bad,
        bad_lines: bad_lines.collect(),
        seconds,
    }
}

fn say(report: &FileImportReport, entries: &str, seconds: f64, ui: &Ui) -> Result<(), AppError> {
    for bad in &report.bad_entries {
        let file = bad.file.as_ref().map(|file| format!("`{}`, ", file.display())).unwrap_or_default();
        ui.say(&format!("{file}line {}: {}", bad.line, bad.error));
    }
    let listed = report.bad_entries.len() as u64;
    if report.bad > listed {
        ui.say(&format!("… and {} more bad {entries}", report.bad - listed));
    }
    let revised = if report.revised > 0 { format!("{} revised, ", report.revised) } else { String::new() };
    ui.line(&format!(
        "imported {} in {seconds:.1} s; {revised}{} known already, {} forgotten before, {} bad {entries} skipped",
        memories(report.imported),
        report.known,
        report.forgotten,
        report.bad
    ))
}
