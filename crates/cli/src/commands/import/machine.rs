//! `import --all` and `import --from`: what is found on this machine, imported or only shown.

use super::import_summary::{print_import, print_preview};
use super::{ImportArgs, embed};
use crate::exit::Exit;
use crate::progress::with_bar;
use crate::ui::Ui;
use backstory_app::import::MachineImportRequest;
use backstory_app::{App, AppError, json, times};
use std::path::PathBuf;

/// Imports what is selected, or shows it.
pub(super) fn run(args: &ImportArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let request = MachineImportRequest {
        source: args.from.clone(),
        path: args.file.as_ref().map(PathBuf::from),
        since: args.since.as_deref().map(|text| times::typed(text, app.now)).transpose()?,
        project: args.project.clone(),
    };
    if args.dry_run {
        let preview = app.preview_import(&request)?;
        let exit = if preview.found.is_empty() { Exit::No } else { Exit::Done };
        ui.answer(args.json, &preview, || print_preview(&preview.found, ui))?;
        return Ok(exit);
    }
    let mut store = app.store()?;
    let imported = with_bar(|on_progress| app.import_machine(&mut store, &request, on_progress))?;
    ui.answer(args.json, &json::machine_import(&imported), || print_import(&imported, &store, app, ui))?;
    embed(&mut store, args, app, ui)?;
    Ok(Exit::Done)
}
