//! The arguments that select projects.

use backstory_app::ProjectSelector;
use clap::Args;

/// Which projects a command is about.
#[derive(Args, Clone, Debug)]
pub(crate) struct ProjectArgs {
    /// The project: its name, number or a folder in it (default: the project of this folder)
    #[arg(long, short, value_name = "PROJECT")]
    pub(crate) project: Option<String>,
    /// Look at all projects
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
