//! Importing what is there already: files of memories, and what is found on this machine. Doing it again adds only what is new.
//!
//! Not here: how anything is read and written (`exchange`), and folders in git that a team shares (`teams`).

pub use backstory_exchange::{ChatService, FileTrust, ImportFile};

use crate::app::App;
use crate::error::{AppError, ErrorCode};
use crate::injection::build_injection;
use crate::json::{FileImportShape, ImportPreviewShape, ImportedProjectShape};
use crate::log;
use crate::progress::{OnProgress, count};
use backstory_exchange::{
    DefaultProject, ExchangeError, FileImportOptions, ImportOptions, ImportRequest, ImportSelection,
    MachineImport, MachineImportReport, ProjectFilter, import_file, preview_import, read_chat_export,
};
use backstory_inject::{BuiltInjection, InjectionRequest, Recipient};
use backstory_memory::{InjectionPoint, Moment, ProjectRef, StartReason, Timestamp};
use backstory_provider::is_our_prompt;
use backstory_store::{ContextWindow, Store};
use std::io::Cursor;
use std::path::{Path, PathBuf, absolute};
use std::time::Instant;

/// A file of memories to import.
#[derive(Debug)]
pub struct FileImportRequest {
    /// The file.
    pub file: ImportFile,
    /// How far its content is trusted.
    pub trust: FileTrust,
    /// The project of lines that name none; without it, the one of this folder.
    pub project: Option<String>,
}

/// What is to be imported of what is on this machine.
#[derive(Clone, Debug, Default)]
pub struct MachineImportRequest {
    /// One source or host; without it, everything that is found.
    pub source: Option<String>,
    /// The file or folder of that source; without it, where it usually is.
    pub path: Option<PathBuf>,
    /// Nothing older.
    pub since: Option<Timestamp>,
    /// Nothing of another project.
    pub project: Option<String>,
}

/// What an import of this machine brought.
#[derive(Debug)]
pub struct MachineImportResponse {
    /// What was read, and what came of it.
    pub report: MachineImportReport,
    /// What is new in each project, the one with most memories first.
    pub projects: Vec<ImportedProjectShape>,
    /// How long it took.
    pub seconds: f64,
}

/// Opens a file or a folder of memories.
pub fn open_file(path: &Path) -> Result<ImportFile, AppError> {
    ImportFile::open(path).map_err(|error| match error {
        ExchangeError::Path { action, path, source } => {
            AppError::new(ErrorCode::FileUnusable, format!("cannot {action} `{}`", path.display()))
                .because(&source)
                .hint(ImportFile::hint())
        }
        error => error.into(),
    })
}

/// Opens the data export of a chat service as a file of memories: the decisions and findings in it.
pub fn open_chat_export(service: ChatService, path: &Path) -> Result<ImportFile, AppError> {
    let lines = read_chat_export(service, path)?.join("\n");
    Ok(ImportFile::from_lines(Box::new(Cursor::new(lines))))
}

impl App {
    /// Imports the memories of a file or a folder.
    pub fn import_file(
        &self,
        store: &mut Store,
        request: FileImportRequest,
        on_progress: OnProgress<'_>,
    ) -> Result<FileImportShape, AppError> {
        let FileImportRequest { file, trust, project } = request;
        if trust == FileTrust::User {
            self.refuse_agent("import a file as your own words").map_err(|error| {
                error.hint("without `--trust user` it is imported as what somebody else says")
            })?;
        }
        let default_project = match &project {
            Some(wanted) => match self.project_called(store, wanted) {
                Ok(id) => DefaultProject::Known(id),
                // A folder that nothing is stored about yet.
                Err(_) if self.cwd.join(wanted).is_dir() => {
                    DefaultProject::At(self.project_ref_in(store, &self.cwd.join(wanted)))
                }
                Err(error) => return Err(error),
            },
            None => DefaultProject::At(self.project_ref_in(store, &self.cwd)),
        };
        let redactor = self.redactor();
        let options = FileImportOptions { redactor: &redactor, now: self.now, trust, default_project };
        let started = Instant::now();
        let entries = file.entries();
        let mut on_done = count(on_progress, file.unit(), file.total());
        let report = import_file(store, file, &options, &mut on_done)?;
        let seconds = started.elapsed().as_secs_f64();
        self.merge_word_index(store);
        self.finish_writing(store);
        Ok(FileImportShape::new(report, entries, seconds))
    }

    /// Imports what is found on this machine.
    pub fn import_machine(
        &self,
        store: &mut Store,
        request: &MachineImportRequest,
        on_progress: OnProgress<'_>,
    ) -> Result<MachineImportResponse, AppError> {
        self.refuse_if_capture_is_off()?;
        let project_filter = self.project_filter(Some(store), request.project.as_deref())?;
        let started = Instant::now();
        let import = MachineImport::new(self.import_request(request)?);
        let mut on_done = count(on_progress, "bytes", import.bytes());
        let report = self.with_import_options(request.since, project_filter, |options| {
            import.run(store, options, &mut on_done)
        })?;
        let seconds = started.elapsed().as_secs_f64();
        self.merge_word_index(store);
        self.finish_writing(store);
        let projects = report.by_project(store)?.into_iter().map(ImportedProjectShape::new).collect();
        Ok(MachineImportResponse { report, projects, seconds })
    }

    /// Returns what an import of this machine would bring. Nothing is written.
    pub fn preview_import(&self, request: &MachineImportRequest) -> Result<ImportPreviewShape, AppError> {
        self.refuse_if_capture_is_off()?;
        let store = self.home.database().exists().then(|| self.store_to_read()).transpose()?;
        let project_filter = self.project_filter(store.as_ref(), request.project.as_deref())?;
        let wanted = self.import_request(request)?;
        let previews = self.with_import_options(request.since, project_filter, |options| {
            preview_import(&wanted, options, store.as_ref())
        });
        Ok(ImportPreviewShape::new(previews))
    }

    /// Returns how many sessions hosts have recorded on this machine, and how many bytes that is.
    pub fn recorded_sessions(&self) -> Result<(u64, u64), AppError> {
        let import = MachineImport::new(self.import_request(&MachineImportRequest::default())?);
        Ok((import.transcripts(), import.bytes()))
    }

    /// Returns the name of a project, and what its next session would begin with. Takes the project of this folder if the import brought
    /// anything there, else the project with the most new memories.
    pub fn injection_after_import(
        &self,
        store: &Store,
        imported: &MachineImportResponse,
    ) -> Result<Option<(String, BuiltInjection)>, AppError> {
        let here = self.project_here(store)?;
        let chosen = imported.projects.iter().find(|project| Some(project.id) == here);
        let Some(project) = chosen.or(imported.projects.first()) else { return Ok(None) };
        let user_home = self.environment.user_home();
        let budget = self.config.inject.budget(Moment::SessionStart, &self.cwd, user_home.as_deref());
        let context = ContextWindow { started_at: Some(self.now), ..ContextWindow::default() };
        let recipient =
            Recipient { project: project.id, session: None, context, root: None, rules_file: None };
        let point = InjectionPoint::SessionStart { reason: StartReason::Startup };
        let built = build_injection(self, store, recipient, &InjectionRequest { point, budget });
        Ok((!built.block.is_empty()).then(|| (project.project.clone(), built)))
    }

    /// Merges the parts of the word index and frees their pages, so that search is fast at once. A failure is logged: the next upkeep
    /// does it.
    pub(crate) fn merge_word_index(&self, store: &mut Store) {
        if let Err(error) = store.upkeep_mut().merge_word_index().and_then(|()| store.upkeep_mut().vacuum()) {
            log::line(&self.home, self.now, &format!("import: {error}"));
        }
    }

    fn refuse_if_capture_is_off(&self) -> Result<(), AppError> {
        if self.config.capture.enabled {
            return Ok(());
        }
        Err(AppError::user("capture is off in your configuration: nothing is imported")
            .hint("`capture.enabled = true` turns it on; a file of memories can be imported all the same"))
    }

    /// Returns what to import, with the places and variables of this environment.
    fn import_request(&self, request: &MachineImportRequest) -> Result<ImportRequest, AppError> {
        let variables = self.environment.pairs().into_iter();
        Ok(ImportRequest {
            selection: selection(request)?,
            places: self.places()?,
            variables: variables.map(|(name, value)| (name, PathBuf::from(value))).collect(),
            folder: PathBuf::from(&self.project_ref().root),
        })
    }

    /// Returns the one project to import, if the request names one: a known project, or the project of a folder.
    fn project_filter(
        &self,
        store: Option<&Store>,
        wanted: Option<&str>,
    ) -> Result<Option<ProjectFilter>, AppError> {
        let Some(wanted) = wanted else { return Ok(None) };
        match store.filter(|_| !Path::new(wanted).is_dir()) {
            Some(store) => {
                let id = self.project_called(store, wanted)?;
                let project = store.projects().get(id)?;
                let project = project.ok_or_else(|| AppError::internal("a project is gone"))?;
                Ok(Some(ProjectFilter { name: project.name, keys: project.keys }))
            }
            None => {
                let ProjectRef { name, keys, .. } = self.project_ref_of(Path::new(wanted)).into_inner();
                Ok(Some(ProjectFilter { name, keys }))
            }
        }
    }

    /// Calls `use_options` with what the configuration lets an import bring in. A callback, because the options borrow values made here.
    fn with_import_options<T>(
        &self,
        since: Option<Timestamp>,
        project_filter: Option<ProjectFilter>,
        use_options: impl FnOnce(&ImportOptions<'_>) -> T,
    ) -> T {
        let redactor = self.redactor();
        let user_home = self.environment.user_home();
        let capture = &self.config.capture;
        use_options(&ImportOptions {
            redactor: &redactor,
            max_event_bytes: capture.max_event_bytes as usize,
            now: self.now,
            since,
            project_filter,
            excludes_folder: &|folder| capture.leaves_out(folder, user_home.as_deref()),
            excludes_name: &|name| capture.leaves_out_name(name),
            is_own_prompt: is_our_prompt,
        })
    }
}

/// Returns what to import: everything, or one source or host, from its usual place or a given path.
fn selection(request: &MachineImportRequest) -> Result<ImportSelection, AppError> {
    let Some(name) = &request.source else { return Ok(ImportSelection::Everything) };
    let path = request.path.as_ref().map(|path| absolute(path).unwrap_or_else(|_| path.clone()));
    if let Some(missing) = path.as_ref().filter(|path| !path.exists()) {
        return Err(AppError::user(format!("there is no `{}`", missing.display()))
            .hint(format!("`backstory import --from {name}` looks where it usually is")));
    }
    ImportSelection::named(name, path).ok_or_else(|| {
        AppError::usage(format!("`{name}` is not a source that can be imported"))
            .hint("`backstory import --help` lists the sources")
    })
}
