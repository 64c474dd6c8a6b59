//! What every command works with: the application and the terminal.

use crate::env_vars::Environment;
use crate::failure::Failure;
use crate::ui::{Ui, one_line};
use backstory_app::ProjectSelector;
pub(crate) use backstory_app::app::{now, project_name, redactor};
use backstory_memory::MemoryId;
use backstory_store::{Scope, Store};
use clap::Args;
use std::ops::Deref;

/// The application and the terminal.
#[derive(Clone, Debug)]
pub(crate) struct App {
    pub(crate) app: backstory_app::App,
    pub(crate) ui: Ui,
}

impl Deref for App {
    type Target = backstory_app::App;

    fn deref(&self) -> &backstory_app::App {
        &self.app
    }
}

/// Which project is meant.
#[derive(Args, Clone, Debug)]
pub(crate) struct ProjectArgs {
    /// The project: its name, number or a folder in it (default: the project of this folder)
    #[arg(long, value_name = "PROJECT")]
    pub(crate) project: Option<String>,
    /// Search all projects
    #[arg(long, conflicts_with = "project")]
    pub(crate) all_projects: bool,
}

impl ProjectArgs {
    /// Returns what was typed as the application takes it.
    pub(crate) fn selector(&self) -> ProjectSelector {
        match &self.project {
            _ if self.all_projects => ProjectSelector::All,
            Some(name) => ProjectSelector::Named(name.clone()),
            None => ProjectSelector::Here,
        }
    }
}

impl App {
    pub(crate) fn new(environment: Environment, flags: &[String], ui: Ui) -> Result<App, Failure> {
        Ok(App { app: backstory_app::App::new(environment, flags)?, ui })
    }

    pub(crate) fn with_faults(environment: Environment, flags: &[String], ui: Ui) -> Result<App, Failure> {
        Ok(App { app: backstory_app::App::with_faults(environment, flags)?, ui })
    }

    pub(crate) fn outside_projects(
        environment: Environment,
        flags: &[String],
        ui: Ui,
    ) -> Result<App, Failure> {
        Ok(App { app: backstory_app::App::outside_projects(environment, flags)?, ui })
    }

    /// Prints what is wrong with the settings, where the command goes on all the same.
    pub(crate) fn say_faults(&self) {
        self.faults.iter().for_each(|fault| self.ui.fail(fault));
    }

    pub(crate) fn reach(&self, store: &Store, args: &ProjectArgs) -> Result<Option<Scope>, Failure> {
        self.app.scope(store, &args.selector())
    }

    /// Prints which of the memories about to change belong to another project (law 8).
    pub(crate) fn say_if_elsewhere(&self, store: &Store, ids: &[MemoryId]) -> Result<(), Failure> {
        for (id, name) in self.app.of_other_projects(store, ids)? {
            self.ui.say(&format!("note: #{id} is of another project, `{}`", one_line(&name)));
        }
        Ok(())
    }
}
