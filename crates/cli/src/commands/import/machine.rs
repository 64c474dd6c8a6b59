//! `import --all` and `import --from`: what is found on this machine.

use super::import_summary::ImportSummary;
use super::{ImportArgs, embed, preview, tidy_up};
use crate::exit::Exit;
use crate::progress::Progress;
use crate::ui::Ui;
use backstory_app::{App, AppError, times};
use backstory_exchange::{ImportOptions, ImportRequest, ImportSelection, MachineImport, ProjectFilter};
use backstory_memory::{ProjectRef, Timestamp};
use backstory_provider::is_our_prompt;
use backstory_store::Store;
use std::path::{Path, PathBuf};

/// What is to be imported, and how much of it.
pub(crate) struct ImportRun {
    pub(crate) selection: ImportSelection,
    pub(crate) since: Option<Timestamp>,
    pub(crate) project_filter: Option<ProjectFilter>,
}

/// Imports what is selected, or shows it.
pub(super) fn run(
    selection: ImportSelection,
    args: &ImportArgs,
    app: &App,
    ui: &Ui,
) -> Result<Exit, AppError> {
    if !app.config.capture.enabled {
        return Err(AppError::user("capture is off in your configuration: nothing is imported")
            .hint("`capture.enabled = true` turns it on; a file of memories can be imported all the same"));
    }
    let since = args.since.as_deref().map(|text| times::typed(text, app.now)).transpose()?;
    let run = ImportRun { selection, since, project_filter: None };
    if args.dry_run {
        return preview::run(run, args, app, ui);
    }
    let mut store = app.store()?;
    let project_filter = project_filter(&store, args.project.as_deref(), app)?;
    let summary = ImportRun { project_filter, ..run }.run(&mut store, app)?;
    if args.json {
        ui.json(&summary.json(&store)?)?;
    } else {
        summary.say(&store, app, ui)?;
    }
    embed(&mut store, args, app, ui)?;
    Ok(Exit::Done)
}

impl ImportRun {
    /// An import of everything there is.
    pub(crate) fn everything() -> ImportRun {
        ImportRun { selection: ImportSelection::Everything, since: None, project_filter: None }
    }

    /// Imports, with a bar.
    pub(crate) fn run(self, store: &mut Store, app: &App) -> Result<ImportSummary, AppError> {
        let import = MachineImport::new(request(self.selection.clone(), app)?);
        let mut progress = Progress::of_bytes(import.bytes());
        let report =
            self.with_options(app, |options| import.run(store, options, &mut |bytes| progress.at(bytes)))?;
        tidy_up(store, app);
        Ok(ImportSummary { report, seconds: progress.finish().as_secs_f64() })
    }

    /// Calls `use_options` with what the configuration lets an import bring in.
    pub(super) fn with_options<T>(self, app: &App, use_options: impl FnOnce(&ImportOptions<'_>) -> T) -> T {
        let redactor = app.redactor();
        let user_home = app.environment.user_home();
        let capture = &app.config.capture;
        let excludes_folder = |folder: &Path| capture.leaves_out(folder, user_home.as_deref());
        let excludes_name = |name: &str| capture.leaves_out_name(name);
        use_options(&ImportOptions {
            redactor: &redactor,
            max_event_bytes: capture.max_event_bytes as usize,
            now: app.now,
            since: self.since,
            project_filter: self.project_filter,
            excludes_folder: &excludes_folder,
            excludes_name: &excludes_name,
            is_own_prompt: is_our_prompt,
        })
    }
}

/// Returns how many sessions hosts have recorded on this machine, and how long their transcripts are.
pub(crate) fn list_transcripts(app: &App) -> Result<(u64, u64), AppError> {
    let import = MachineImport::new(request(ImportSelection::Everything, app)?);
    Ok((import.transcripts(), import.bytes()))
}

/// Returns a request for what is selected on this machine, as the environment describes it.
pub(super) fn request(selection: ImportSelection, app: &App) -> Result<ImportRequest, AppError> {
    let variables = app.environment.pairs().into_iter();
    Ok(ImportRequest {
        selection,
        places: app.places()?,
        variables: variables.map(|(name, value)| (name, PathBuf::from(value))).collect(),
        folder: PathBuf::from(app.project_ref().root),
    })
}

/// Returns the one project that is wanted, if one is named: a known one, or the one of a folder.
pub(super) fn project_filter(
    store: &Store,
    wanted: Option<&str>,
    app: &App,
) -> Result<Option<ProjectFilter>, AppError> {
    let Some(wanted) = wanted else { return Ok(None) };
    if Path::new(wanted).is_dir() {
        return Ok(Some(filter_of_folder(wanted, app)));
    }
    let id = app.project_called(store, wanted)?;
    let project = store.projects().get(id)?.ok_or_else(|| AppError::internal("a project is gone"))?;
    Ok(Some(ProjectFilter { name: project.name, keys: project.keys }))
}

/// Returns the project of a folder.
pub(super) fn filter_of_folder(folder: &str, app: &App) -> ProjectFilter {
    let ProjectRef { name, keys, .. } = app.project_ref_of(Path::new(folder));
    ProjectFilter { name, keys }
}
