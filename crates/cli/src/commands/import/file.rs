//! `import FILE`: memories from a file, one JSON object a line, or from a folder that `export --format markdown` wrote.

use super::{ImportArgs, ImportTrust, embed};
use crate::exit::Exit;
use crate::progress::with_bar;
use crate::ui::{Ui, memories};
use backstory_app::import::{
    ChatService, FileImportRequest, FileTrust, ImportFile, open_chat_export, open_file,
};
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
    import(file, args, app, ui)
}

fn import(file: ImportFile, args: &ImportArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
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

/// Imports what was decided and found out in the chats of an export. A chat belongs to no project: the user says to which.
pub(super) fn run_chats(
    service: ChatService,
    args: &ImportArgs,
    app: &App,
    ui: &Ui,
) -> Result<Exit, AppError> {
    let name = service.as_str();
    let Some(path) = &args.file else {
        return Err(AppError::usage("name the file of the export")
            .hint(format!("`backstory import --from {name} conversations.json --project PROJECT`")));
    };
    if args.project.is_none() {
        return Err(AppError::usage("a chat belongs to no project: say to which yours belong")
            .hint("`--project PROJECT` names one; `--project .` is the one of this folder"));
    }
    if args.dry_run || args.since.is_some() {
        return Err(AppError::usage("`--dry-run` and `--since` are for what is found on this machine"));
    }
    import(open_chat_export(service, Path::new(path))?, args, app, ui)
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
    ui.sentence(&format!(
        "imported {} in {:.1} s; {revised}{} known already, {} forgotten before, {} bad {entries} skipped",
        memories(imported.imported),
        imported.seconds,
        imported.known,
        imported.forgotten,
        imported.bad
    ))
}
