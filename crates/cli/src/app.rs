//! What every command works with: where things are, how it is configured, what time it is, which project is meant.

use crate::config::{Config, Settings, project_file};
use crate::env_vars::{BACKSTORY_NOW_MS, Environment};
use crate::failure::Failure;
use crate::ui::Ui;
use backstory_capture::{Redactor, RedactorOptions, sight};
use backstory_memory::{ProjectId, Sighting, Timestamp};
use backstory_store::{Home, Project, Purpose, Reach, Retention, Store, StoreError};
use clap::Args;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// What every command works with.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) environment: Environment,
    pub(crate) home: Home,
    pub(crate) settings: Settings,
    pub(crate) config: Config,
    pub(crate) now: Timestamp,
    pub(crate) cwd: PathBuf,
    pub(crate) ui: Ui,
}

/// Which project is meant.
#[derive(Args, Clone, Debug)]
pub(crate) struct ProjectArgs {
    /// The project: its name, its number or a folder in it (default: the one of this folder)
    #[arg(long, value_name = "PROJECT")]
    pub(crate) project: Option<String>,
    /// Look in all projects
    #[arg(long, conflicts_with = "project")]
    pub(crate) all_projects: bool,
}

impl App {
    /// Finds out where things are and how they are configured.
    pub(crate) fn new(environment: Environment, flags: &[String], ui: Ui) -> Result<App, Failure> {
        let cwd = environment.project_dir().or_else(|| std::env::current_dir().ok()).unwrap_or_default();
        let home = home_of(&environment)?;
        let mut settings = Settings::defaults();
        if let Some(file) = environment.config_file() {
            settings.lay_user_file(&file)?;
        }
        if let Some(file) = project_file(&cwd) {
            settings.lay_project_file(&file)?;
        }
        settings.lay_environment(&environment)?;
        for flag in flags {
            settings.lay_flag(flag)?;
        }
        let config = settings.config()?;
        let now = now(&environment);
        Ok(App { environment, home, settings, config, now, cwd, ui })
    }

    /// Opens the store to read and write.
    pub(crate) fn store(&self) -> Result<Store, Failure> {
        Ok(Store::open(&self.home, Purpose::Command, self.now)?)
    }

    /// Opens the store to read, also where nothing can be written.
    pub(crate) fn store_to_read(&self) -> Result<Store, Failure> {
        match Store::open(&self.home, Purpose::Command, self.now) {
            Err(StoreError::NotWritable { .. } | StoreError::Full { .. }) => {
                Ok(Store::open(&self.home, Purpose::Read, self.now)?)
            }
            opened => Ok(opened?),
        }
    }

    /// Makes the redactor this configuration asks for.
    pub(crate) fn redactor(&self) -> Redactor {
        redactor(&self.config, &self.environment, &self.home)
    }

    /// Returns what this folder tells about its project.
    pub(crate) fn sighting(&self) -> Sighting {
        sight(&self.cwd)
    }

    /// Returns how far a question reaches. A project nobody has met yet has no memories: `None`.
    pub(crate) fn reach(&self, store: &Store, args: &ProjectArgs) -> Result<Option<Reach>, Failure> {
        if args.all_projects {
            return Ok(Some(Reach::Everywhere));
        }
        let project = match &args.project {
            Some(wanted) => Some(self.project_called(store, wanted)?),
            None => store.known_project_at(&self.sighting())?,
        };
        Ok(project.map(Reach::Project))
    }

    /// Returns the project to write to, making the one of this folder if need be.
    pub(crate) fn project_to_write(
        &self,
        store: &mut Store,
        wanted: Option<&str>,
    ) -> Result<ProjectId, Failure> {
        match wanted {
            Some(wanted) => self.project_called(store, wanted),
            None => Ok(store.project_at(&self.sighting(), self.now)?),
        }
    }

    /// Finds a project by number, name or folder.
    pub(crate) fn project_called(&self, store: &Store, wanted: &str) -> Result<ProjectId, Failure> {
        if let Some(id) = wanted.trim_start_matches('#').parse().ok().map(ProjectId)
            && store.project(id)?.is_some()
        {
            return Ok(id);
        }
        match store.projects_named(wanted)?.as_slice() {
            [only] => return Ok(only.id),
            [] => {}
            several => return Err(ambiguous(wanted, several)),
        }
        let folder = self.cwd.join(wanted);
        let known = if folder.is_dir() { store.known_project_at(&sight(&folder))? } else { None };
        known.ok_or_else(|| {
            Failure::user(format!("there is no project `{wanted}`"))
                .hint("`backstory project list` shows them all")
        })
    }

    /// Returns what is kept, and for how long.
    pub(crate) fn retention(&self) -> Retention {
        let retention = &self.config.retention;
        Retention {
            events_days: retention.events_days,
            receipts: retention.receipts,
            backups: retention.backups,
            backup_hours: retention.backup_hours,
        }
    }
}

fn ambiguous(wanted: &str, several: &[Project]) -> Failure {
    let failure = Failure::user(format!("{} projects are called `{wanted}`", several.len()));
    several.iter().fold(failure, |failure, project| {
        let root = project.roots.first().map_or("", String::as_str);
        failure.hint(format!("`--project {}` is the one in `{root}`", project.id))
    })
}

/// Returns the data directory.
pub(crate) fn home_of(environment: &Environment) -> Result<Home, Failure> {
    let root = environment.data_home().ok_or_else(|| {
        Failure::usage("cannot tell where to keep memories")
            .hint("set `HOME` or `BACKSTORY_HOME` to a directory")
    })?;
    let root = if root.is_absolute() { root } else { std::env::current_dir().unwrap_or_default().join(root) };
    Ok(Home::at(root))
}

/// Returns the time. The clock is read here and nowhere else.
pub(crate) fn now(environment: &Environment) -> Timestamp {
    if let Some(frozen) = environment.text(BACKSTORY_NOW_MS).and_then(|text| text.parse().ok()) {
        return Timestamp(frozen);
    }
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the clock")]
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX))
}

/// Makes the redactor a configuration asks for.
pub(crate) fn redactor(config: &Config, environment: &Environment, home: &Home) -> Redactor {
    let environment = if config.redact.environment { environment.pairs() } else { Vec::new() };
    let literals = config.redact.literals.clone();
    Redactor::new(RedactorOptions { literals, environment, key: redaction_key(&home.root().join("key")) })
}

/// Returns the key that makes equal secrets comparable in this home and nowhere else.
///
/// Without a place to keep it every run has its own: secrets are gone all the same.
fn redaction_key(path: &Path) -> [u8; 32] {
    if let Some(kept) = std::fs::read(path).ok().and_then(|bytes| bytes.try_into().ok()) {
        return kept;
    }
    let mut fresh = [0; 32];
    if getrandom::fill(&mut fresh).is_ok()
        && let Some(dir) = path.parent()
        && let Ok(mut draft) = tempfile::NamedTempFile::new_in(dir)
        && std::io::Write::write_all(&mut draft, &fresh).is_ok()
        && draft.persist_noclobber(path).is_err()
    {
        // Another process was first: its key counts.
        return std::fs::read(path).ok().and_then(|bytes| bytes.try_into().ok()).unwrap_or(fresh);
    }
    fresh
}
