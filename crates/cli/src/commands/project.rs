//! `project`: which project this folder belongs to, which there are, and how to rename or merge them.

use crate::commands::share;
use crate::exit::Exit;
use crate::teams;
use crate::ui::{Ui, one_line};
use crate::unshare;
use backstory_app::json::{self, ProjectListShape, ProjectShape};
use backstory_app::{App, AppError, ErrorCode, vectors};
use backstory_store::ProjectSummary;
use clap::{Args, Subcommand};

/// Arguments of `project`.
#[derive(Args, Debug)]
pub(crate) struct ProjectCommandArgs {
    #[command(subcommand)]
    pub(crate) action: Option<Action>,
    /// Output as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

/// What can be done with projects.
#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    /// Show the project of this folder, or another
    Show {
        /// Its name, its number or a folder in it
        project: Option<String>,
    },
    /// List all projects
    List,
    /// Give a project another name
    Rename {
        /// Its name, its number or a folder in it
        project: String,
        /// What it is to be called
        name: String,
    },
    /// Share a project with a team: `sync` pushes and pulls its memories
    Share(share::ShareArgs),
    /// Stop sharing a project; what was pushed stays with the team
    Unshare {
        /// Its name, its number or a folder in it (default: the one of this folder)
        project: Option<String>,
        /// Also if what was forgotten here cannot be pushed to the team
        #[arg(long)]
        anyway: bool,
    },
    /// Move everything of one project into another
    Merge {
        /// The project that will be gone
        from: String,
        /// The project that gets everything
        into: String,
        /// Do not ask for confirmation
        #[arg(long, short)]
        yes: bool,
    },
}

/// Shows or changes projects.
pub(crate) fn run(args: ProjectCommandArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    match args.action.unwrap_or(Action::Show { project: None }) {
        Action::Show { project } => show(project.as_deref(), app, ui, args.json),
        Action::List => list(app, ui, args.json),
        Action::Rename { project, name } => rename(&project, &name, app, ui, args.json),
        Action::Share(wanted) => share::share(&wanted, app, ui, args.json),
        Action::Unshare { project, anyway } => share::unshare(project.as_deref(), anyway, app, ui, args.json),
        Action::Merge { from, into, yes } => {
            let merged = merge(&from, &into, app, ui, if yes { Consent::Confirmed } else { Consent::Ask })?;
            if args.json {
                return show(Some(&into), app, ui, true);
            }
            ui.line(&merged)?;
            Ok(Exit::Done)
        }
    }
}

fn list(app: &App, ui: &Ui, json: bool) -> Result<Exit, AppError> {
    let all = app.store_to_read()?.projects().list()?;
    if all.is_empty() && !json {
        ui.say("no projects yet: the first memory or session of a folder makes one");
    }
    print(all, ui, json)
}

fn show(wanted: Option<&str>, app: &App, ui: &Ui, json: bool) -> Result<Exit, AppError> {
    let store = app.store_to_read()?;
    let id = app.known_project(&store, wanted)?;
    if id.is_none() && !json {
        let name = app.project_ref().name;
        ui.say(&format!("this folder would be project `{}`; nothing is known of it yet", one_line(&name)));
    }
    let all = store.projects().list()?.into_iter().filter(|summary| Some(summary.project.id) == id).collect();
    print(all, ui, json)
}

fn rename(wanted: &str, name: &str, app: &App, ui: &Ui, json: bool) -> Result<Exit, AppError> {
    if name.trim().is_empty() {
        return Err(AppError::usage("a project needs a name").hint("`backstory project rename PROJECT NAME`"));
    }
    let name = app.redactor().scrub(&one_line(name)).into_string();
    let mut store = app.store()?;
    let id = app.project_called(&store, wanted)?;
    store.projects_mut().rename(id, &name)?;
    print(store.projects().list()?.into_iter().filter(|summary| summary.project.id == id).collect(), ui, json)
}

/// Whether the user has agreed already.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Consent {
    Confirmed,
    Ask,
}

fn merge(from: &str, into: &str, app: &App, ui: &Ui, consent: Consent) -> Result<String, AppError> {
    let mut store = app.store()?;
    let (source, target) = (app.project_called(&store, from)?, app.project_called(&store, into)?);
    if source == target {
        return Err(AppError::user(format!("`{from}` and `{into}` are the same project"))
            .hint("`backstory project list` shows them all"));
    }
    if consent == Consent::Ask {
        match ui.confirm(&format!("Move everything of `{from}` into `{into}`?")) {
            Some(true) => {}
            Some(false) => return Err(AppError::user("nothing was merged")),
            None => {
                return Err(AppError::new(ErrorCode::ConfirmationMissing, "merging cannot be undone")
                    .hint("pass `--yes` to confirm"));
            }
        }
    }
    let _lock = teams::lock(app, ui)?;
    unshare::refuse_to_merge_shared(&store, source, from)?;
    store.projects_mut().merge(source, target)?;
    vectors::follow(&mut store, app);
    Ok(format!("`{}` is now part of `{}`", one_line(from), one_line(into)))
}

fn print(summaries: Vec<ProjectSummary>, ui: &Ui, json: bool) -> Result<Exit, AppError> {
    let projects: Vec<ProjectShape> = summaries.into_iter().map(json::project).collect();
    let exit = if projects.is_empty() { Exit::No } else { Exit::Done };
    if json {
        ui.json(&ProjectListShape { version: 1, projects })?;
        return Ok(exit);
    }
    for project in &projects {
        let root = project.roots.first().map_or("", String::as_str);
        ui.line(&format!(
            "{:<4} {:<24} {:>6} {:<8} {:>5} {:<8}  {}",
            project.id,
            one_line(&project.name),
            project.memories,
            if project.memories == 1 { "memory" } else { "memories" },
            project.sessions,
            if project.sessions == 1 { "session" } else { "sessions" },
            one_line(root)
        ))?;
    }
    Ok(exit)
}
