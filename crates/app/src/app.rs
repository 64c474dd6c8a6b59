//! What every request works with: the home, the configuration, the time, the folder and its project.

use crate::caller::Caller;
use crate::config::Config;
use crate::env_vars::{BACKSTORY_NOW_MS, Environment};
use crate::error::{AppError, ErrorCode, unknown_kind};
use crate::settings::{Settings, project_file};
use backstory_capture::{Redactor, RedactorOptions, safe_project_ref};
use backstory_exchange::located_project_ref;
use backstory_memory::{Kind, MemoryId, ProjectId, ProjectRef, Redacted, Timestamp};
use backstory_platform::read_own_file;
use backstory_recall::VectorCache;
use backstory_store::{Home, Project, Purpose, RetentionPolicy, Scope, Store, StoreError};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// What every request works with.
#[derive(Clone, Debug)]
pub struct App {
    /// The environment of this process.
    pub environment: Environment,
    /// Where the store is.
    pub home: Home,
    /// Every setting and where it comes from.
    pub settings: Settings,
    /// The settings as typed values.
    pub config: Config,
    /// What is wrong with configuration files and the environment. Only requests that show or repair it go on.
    pub faults: Vec<AppError>,
    /// When the request began.
    pub now: Timestamp,
    /// Who makes it.
    pub caller: Caller,
    /// The folder it is about.
    pub cwd: PathBuf,
    /// Vectors that stay open between the requests of one process.
    pub vectors: VectorCache,
}

/// Which projects a request is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ProjectSelector {
    /// The one of this folder.
    #[default]
    Here,
    /// The one with this name, number or folder.
    Named(String),
    /// Every project.
    All,
}

impl ProjectSelector {
    /// Returns the name, number or folder that was given.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            ProjectSelector::Named(name) => Some(name),
            ProjectSelector::Here | ProjectSelector::All => None,
        }
    }
}

impl App {
    /// Finds out where things are and how they are configured.
    pub fn new(environment: Environment, flags: &[String]) -> Result<App, AppError> {
        App::in_folder(None, environment, flags)
    }

    /// Does the same, and goes on with broken settings: `doctor` and the like show or repair the fault, so they must not stop at it.
    pub fn with_faults(environment: Environment, flags: &[String]) -> Result<App, AppError> {
        let cwd = environment.project_dir().or_else(|| std::env::current_dir().ok()).unwrap_or_default();
        let project_file = project_file(&cwd);
        App::read(cwd, project_file, environment, flags)
    }

    /// Does the same for the folder that a host may have named. A folder in the environment comes first.
    pub fn in_folder(
        named: Option<PathBuf>,
        environment: Environment,
        flags: &[String],
    ) -> Result<App, AppError> {
        let cwd = environment.project_dir().or(named).or_else(|| std::env::current_dir().ok());
        App::of_folder(cwd.unwrap_or_default(), environment, flags)
    }

    /// Does the same for a process that belongs to no project: each of its requests names one.
    pub fn outside_projects(environment: Environment, flags: &[String]) -> Result<App, AppError> {
        let cwd = home_of(&environment)?.root().to_owned();
        App::with(cwd, None, environment, flags)
    }

    /// Does the same for a given folder, whatever the environment says.
    pub fn of_folder(folder: PathBuf, environment: Environment, flags: &[String]) -> Result<App, AppError> {
        let project_file = project_file(&folder);
        App::with(folder, project_file, environment, flags)
    }

    fn with(
        cwd: PathBuf,
        project_file: Option<PathBuf>,
        environment: Environment,
        flags: &[String],
    ) -> Result<App, AppError> {
        let mut app = App::read(cwd, project_file, environment, flags)?;
        if app.faults.is_empty() { Ok(app) } else { Err(app.faults.swap_remove(0)) }
    }

    fn read(
        cwd: PathBuf,
        project_file: Option<PathBuf>,
        environment: Environment,
        flags: &[String],
    ) -> Result<App, AppError> {
        let home = home_of(&environment)?;
        let mut settings = Settings::defaults();
        let mut faults = settings.lay_files(environment.config_file(), project_file);
        faults.extend(settings.lay_environment(&environment));
        // Flags are laid last, so they win. A wrong flag is a mistake of this call, not a fault to live with.
        flags.iter().try_for_each(|flag| settings.lay_flag(flag))?;
        let config = settings.config()?;
        let now = now(&environment);
        let caller = Caller::of_process(&environment);
        let vectors = VectorCache::default();
        Ok(App { environment, home, settings, config, faults, now, caller, cwd, vectors })
    }

    /// Opens the store for reading and writing.
    pub fn store(&self) -> Result<Store, AppError> {
        Ok(Store::open(&self.home, Purpose::Command, self.now)?)
    }

    /// Opens the store for reading, even if nothing can be written.
    pub fn store_to_read(&self) -> Result<Store, AppError> {
        self.store_and_problem().map(|(store, _)| store)
    }

    /// Opens the store, for reading only if it cannot be written, and then also returns the reason.
    pub fn store_and_problem(&self) -> Result<(Store, Option<StoreError>), AppError> {
        match Store::open(&self.home, Purpose::Command, self.now) {
            Ok(store) => Ok((store, None)),
            Err(problem) if can_be_read_still(&problem) => {
                Ok((Store::open(&self.home, Purpose::Read, self.now)?, Some(problem)))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Makes the redactor this configuration asks for.
    pub fn redactor(&self) -> Redactor {
        redactor(&self.config, &self.environment, &self.home)
    }

    /// Returns what this folder shows of its project.
    pub fn project_ref(&self) -> Redacted<ProjectRef> {
        self.project_ref_of(&self.cwd)
    }

    /// Returns what a folder shows of its project.
    pub fn project_ref_of(&self, folder: &Path) -> Redacted<ProjectRef> {
        safe_project_ref(folder, &self.redactor())
    }

    /// Returns what a folder shows of its project. Asks git for proof only if the store does not know the folder.
    pub fn project_ref_in(&self, store: &Store, folder: &Path) -> Redacted<ProjectRef> {
        located_project_ref(store, folder, &self.redactor())
    }

    /// Returns the project of this folder, if somebody has met it.
    pub fn project_here(&self, store: &Store) -> Result<Option<ProjectId>, AppError> {
        Ok(store.projects().find(&self.project_ref_in(store, &self.cwd))?)
    }

    /// Returns the scope of a query; none if nothing is stored about the project.
    pub fn scope(&self, store: &Store, selector: &ProjectSelector) -> Result<Option<Scope>, AppError> {
        match selector {
            ProjectSelector::All => Ok(Some(Scope::Everywhere)),
            _ => Ok(self.known_project(store, selector.name())?.map(Scope::Project)),
        }
    }

    /// Returns the project a request is about: the one that is named, or that of this folder if somebody has met it.
    pub fn known_project(&self, store: &Store, wanted: Option<&str>) -> Result<Option<ProjectId>, AppError> {
        match wanted {
            Some(wanted) => self.project_called(store, wanted).map(Some),
            None => self.project_here(store),
        }
    }

    /// Returns the project to write to, making the one of this folder if need be.
    pub fn project_to_write(&self, store: &mut Store, wanted: Option<&str>) -> Result<ProjectId, AppError> {
        match wanted {
            Some(wanted) => self.project_called(store, wanted),
            None => {
                let project_ref = self.project_ref_in(store, &self.cwd);
                Ok(store.projects_mut().find_or_create(&project_ref, self.now)?)
            }
        }
    }

    /// Returns those of the memories that belong to another project than this folder's, with its name. An id works in every project, but
    /// the user is warned before such a memory is changed (law 8).
    pub fn of_other_projects(
        &self,
        store: &Store,
        ids: &[MemoryId],
    ) -> Result<Vec<(MemoryId, String)>, AppError> {
        let here = self.project_here(store)?;
        let memories =
            store.memories().get_many(ids)?.into_iter().filter(|memory| Some(memory.project) != here);
        memories.map(|memory| Ok((memory.id, project_name(store, memory.project)?))).collect()
    }

    /// Finds a project by number, name or folder.
    pub fn project_called(&self, store: &Store, wanted: &str) -> Result<ProjectId, AppError> {
        if let Some(known) = project_known_as(store, wanted)? {
            return Ok(known);
        }
        let folder = self.cwd.join(wanted);
        let known =
            if folder.is_dir() { store.projects().find(&self.project_ref_in(store, &folder))? } else { None };
        known.ok_or_else(|| AppError::no_such_project(wanted).hint("`backstory project list` shows them all"))
    }

    /// Returns what is kept, and for how long.
    pub fn retention(&self) -> RetentionPolicy {
        self.config.retention.policy()
    }
}

/// Whether a store that cannot be written for this reason can still be read.
fn can_be_read_still(problem: &StoreError) -> bool {
    matches!(problem, StoreError::NotWritable { .. } | StoreError::Full { .. } | StoreError::Busy { .. })
}

/// Ignores that a read-only, full or busy store could not record something: the answer that was read from it is still good.
pub fn ignore_read_only(recorded: Result<(), StoreError>) -> Result<(), AppError> {
    match recorded {
        Err(problem) if !can_be_read_still(&problem) => Err(problem.into()),
        _ => Ok(()),
    }
}

/// Returns what a project is called.
pub fn project_name(store: &Store, project: ProjectId) -> Result<String, StoreError> {
    Ok(store.projects().get(project)?.map(|project| project.name).unwrap_or_default())
}

/// Returns the folder of a project, if it is on this machine.
pub(crate) fn folder_of_project(store: &Store, project: ProjectId) -> Result<Option<PathBuf>, StoreError> {
    let roots = store.projects().get(project)?.map(|project| project.roots).unwrap_or_default();
    Ok(roots.into_iter().map(PathBuf::from).find(|root| root.is_dir()))
}

/// Finds a project by number or name, without looking at any folder.
pub fn project_known_as(store: &Store, wanted: &str) -> Result<Option<ProjectId>, AppError> {
    if let Some(id) = wanted.trim_start_matches('#').parse().ok().map(ProjectId)
        && store.projects().get(id)?.is_some()
    {
        return Ok(Some(id));
    }
    match store.projects().named(wanted)?.as_slice() {
        [] => Ok(None),
        [only] => Ok(Some(only.id)),
        several => Err(ambiguous(wanted, several)),
    }
}

fn ambiguous(wanted: &str, several: &[Project]) -> AppError {
    let message = format!("{} projects are called `{wanted}`", several.len());
    let failure = AppError::new(ErrorCode::AmbiguousProject, message);
    several.iter().fold(failure, |failure, project| {
        let root = project.roots.first().map_or("", String::as_str);
        failure.hint(format!("say `{}` for the one in `{root}`", project.id))
    })
}

/// Reads the name of a kind to filter by, or says which there are. An old name may stand for two kinds.
pub fn parse_kind_filter(text: &str) -> Result<Vec<Kind>, AppError> {
    Kind::parse_alias(text).map_err(|error| unknown_kind(&error))
}

/// Returns the data directory.
pub fn home_of(environment: &Environment) -> Result<Home, AppError> {
    let root = environment.data_home().ok_or_else(|| {
        AppError::config("cannot tell where to keep memories")
            .hint("set `HOME` or `BACKSTORY_HOME` to a directory")
    })?;
    // A relative path would name another store in every folder.
    if !root.is_absolute() {
        return Err(AppError::config(format!(
            "memories cannot be kept in `{}`: not an absolute path",
            root.display()
        ))
        .hint("set `BACKSTORY_HOME`, or `HOME`, to a path that begins with `/`"));
    }
    Ok(Home::new(root))
}

/// Returns the time. The clock is read here and nowhere else.
pub fn now(environment: &Environment) -> Timestamp {
    if let Some(frozen) = environment.text(BACKSTORY_NOW_MS).and_then(|text| text.parse().ok()) {
        return Timestamp(frozen);
    }
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the clock")]
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX))
}

/// Makes the redactor a configuration asks for.
pub fn redactor(config: &Config, environment: &Environment, home: &Home) -> Redactor {
    let environment = if config.redact.environment { environment.pairs() } else { Vec::new() };
    let literals = config.redact.literals.clone();
    Redactor::new(RedactorOptions { literals, environment, key: redaction_key(home) })
}

/// Returns the key that makes equal secrets comparable in this home and nowhere else.
///
/// If the key cannot be kept, every run has a key of its own. Secrets are removed all the same.
fn redaction_key(home: &Home) -> [u8; 32] {
    let path = home.root().join("key");
    let kept = || read_own_file(&path, 64).ok().and_then(|bytes| bytes.try_into().ok());
    if let Some(kept) = kept() {
        return kept;
    }
    let mut fresh = [0; 32];
    // Only an existing home gets a key: trying out a redaction must not create one.
    if getrandom::fill(&mut fresh).is_ok()
        && home.root().exists()
        && home.prepare().is_ok()
        && let Ok(mut draft) = tempfile::NamedTempFile::new_in(home.root())
        && std::io::Write::write_all(&mut draft, &fresh).is_ok()
        && draft.persist_noclobber(&path).is_err()
    {
        // Another process was first: its key counts.
        return kept().unwrap_or(fresh);
    }
    fresh
}
