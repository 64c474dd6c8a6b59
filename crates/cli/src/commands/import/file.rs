//! `import FILE`: memories from a file, one JSON object a line, or from a folder that `export --format markdown` wrote.

use super::{ImportArgs, ImportTrust, embed};
use crate::exit::Exit;
use crate::progress::with_bar;
use crate::ui::{Ui, memories};
use backstory_app::import::{FileImportRequest, FileTrust, ImportFile, open_file};
use backstory_app::json::FileImportShape;
use backstory_app::{App, AppError};
use std::io::{BufReader, stdin};
use std::path::Path;

/// Imports the memories of a file or a folder.
pub(super) fn run(file: &str, args: &ImportArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let file = match file {
        "-" => ImportFile::from_lines(Box::new(BufReader::new(stdin()))),
        path => open_file(Path::new(path))?,
    };
    let mut store = app.store()?;
    let trust = match args.trust {
        ImportTrust::Import => FileTrust::Import,
        ImportTrust::User => FileTrust::User,
    };
    let request = FileImportRequest { file, trust, project: args.project.clone() };
    let imported = with_bar(|on_progress| app.import_file(&mut store, request, on_progress))?;
    ui.answer(args.json, &imported, || print(&imported, ui))?;
    embed(&mut store, args, app, ui)?;
    Ok(if imported.bad == 0 { Exit::Done } else { Exit::No })
}

fn print(imported: &FileImportShape, ui: &Ui) -> Result<(), AppError> {
    let entries = imported.entries;
    for bad in &imported.bad_lines {
        let file = bad.file.as_ref().map(|file| format!("`{file}`, ")).unwrap_or_default();
        ui.say(&format!("{file}line {}: {}", bad.line, bad.error));
    }
    let listed = imported.bad_lines.len() as u64;
    if imported.bad > listed {
        ui.say(&format!("… and {} more bad {entries}", imported.bad - listed));
    }
    let revised = imported.revised;
    let revised = if revised > 0 { format!("{revised} revised, ") } else { String::new() };
    ui.line(&format!(
        "imported {} in {:.1} s; {revised}{} known already, {} forgotten before, {} bad {entries} skipped",
        memories(imported.imported),
        imported.seconds,
        imported.known,
        imported.forgotten,
        imported.bad
    ))
}
