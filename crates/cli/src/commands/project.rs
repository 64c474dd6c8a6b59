//! `project`: which project this folder belongs to, which there are; links folders to them, renames, merges and shares them.

use crate::args::{ActionArgs, team_name, unpushed_policy};
use crate::exit::Exit;
use crate::ui::{Ui, memories, one_line};
use backstory_app::projects::project_summary;
use backstory_app::teams::{TeamName, UnpushedPolicy};
use backstory_app::{App, AppError, ErrorCode, json};
use backstory_store::ProjectSummary;
use clap::{Args, Subcommand};

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
    /// Rename a project
    Rename {
        /// Its name, its number or a folder in it
        project: String,
        /// Its new name
        name: String,
    },
    /// Link this folder to a project it belongs to, whatever the folder itself says
    Link {
        /// Its name, its number or a folder in it (default: the one this folder claims to be)
        project: Option<String>,
        /// Do not ask for confirmation
        #[arg(long, short)]
        yes: bool,
    },
    /// Make this folder a project of its own, whatever it claims to be
    Unlink,
    /// Share a project with a team: `sync` pushes and pulls its memories
    Share(ShareArgs),
    /// Stop sharing a project; what was pushed stays with the team
    Unshare {
        /// Its name, its number or a folder in it (default: the one of this folder)
        project: Option<String>,
        /// Do it even if deletions cannot be pushed to the team
        #[arg(long)]
        anyway: bool,
    },
    /// Move everything of one project into another
    Merge {
        /// The project to move; it will be gone
        from: String,
        /// The project that gets everything
        into: String,
        /// Do not ask for confirmation
        #[arg(long, short)]
        yes: bool,
    },
}

/// Arguments of `project share`.
#[derive(Args, Debug)]
pub(crate) struct ShareArgs {
    /// Its name, its number or a folder in it (default: the one of this folder)
    project: Option<String>,
    /// The team (default: the only one that was joined)
    #[arg(long, value_name = "TEAM", value_parser = team_name)]
    team: Option<TeamName>,
}

/// Shows or changes projects.
pub(crate) fn run(args: ActionArgs<Action>, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let json = args.json;
    match args.action.unwrap_or(Action::Show { project: None }) {
        Action::Show { project } => show(project.as_deref(), app, ui, json),
        Action::List => {
            let all = app.projects(&app.store_to_read()?)?;
            if all.is_empty() && !json {
                ui.say("no projects yet: the first memory or session of a folder makes one");
            }
            print(all, ui, json)
        }
        Action::Rename { project, name } => {
            let mut store = app.store()?;
            let id = app.rename_project(&mut store, &project, &name)?;
            print(project_summary(&store, id)?, ui, json)
        }
        Action::Link { project, yes } => link(project.as_deref(), yes, app, ui, json),
        Action::Unlink => {
            let mut store = app.store()?;
            let id = app.unlink_project(&mut store)?;
            print(project_summary(&store, id)?, ui, json)
        }
        Action::Share(wanted) => share(&wanted, app, ui, json),
        Action::Unshare { project, anyway } => {
            unshare(project.as_deref(), unpushed_policy(anyway), app, ui, json)
        }
        Action::Merge { from, into, yes } => {
            let mut store = app.store()?;
            let merge = app.plan_merge(&store, &from, &into)?;
            if !yes {
                confirm_merge(&from, &into, ui)?;
            }
            app.merge_projects(&mut store, &merge, &|note| ui.say(note))?;
            if json {
                return print(project_summary(&store, merge.into)?, ui, json);
            }
            ui.sentence(&format!("`{}` is now part of `{}`", one_line(&from), one_line(&into)))?;
            Ok(Exit::Done)
        }
    }
}

fn show(wanted: Option<&str>, app: &App, ui: &Ui, json: bool) -> Result<Exit, AppError> {
    let store = app.store_to_read()?;
    let Some(id) = app.known_project(&store, wanted)? else {
        if !json {
            let name = one_line(&app.project_ref().name);
            ui.say(&format!("this folder would be project `{name}`; nothing is known of it yet"));
        }
        return print(None, ui, json);
    };
    if !json {
        app.project_questions(&store)?.iter().for_each(|question| ui.say(&format!("note: {question}")));
    }
    print(project_summary(&store, id)?, ui, json)
}

fn link(wanted: Option<&str>, yes: bool, app: &App, ui: &Ui, json: bool) -> Result<Exit, AppError> {
    let mut store = app.store()?;
    let link = app.plan_link(&store, wanted)?;
    if !yes {
        let into = one_line(&link.into.name);
        let root = one_line(link.into.roots.first().map_or("", String::as_str));
        match ui.confirm(&format!(
            "Is this folder part of `{into}` in `{root}`? Its sessions will see that project's memories."
        )) {
            Some(true) => {}
            Some(false) => return Err(AppError::user("nothing was linked")),
            None => {
                let message = "only the user can say that this folder is part of another project";
                return Err(AppError::new(ErrorCode::ConfirmationMissing, message)
                    .hint("run it in a terminal, or pass `--yes` to confirm"));
            }
        }
    }
    let id = app.link_project(&mut store, &link, &|note| ui.say(note))?;
    print(project_summary(&store, id)?, ui, json)
}

fn confirm_merge(from: &str, into: &str, ui: &Ui) -> Result<(), AppError> {
    match ui.confirm(&format!("Move everything of `{from}` into `{into}`?")) {
        Some(true) => Ok(()),
        Some(false) => Err(AppError::user("nothing was merged")),
        None => Err(AppError::new(ErrorCode::ConfirmationMissing, "merging cannot be undone")
            .hint("pass `--yes` to confirm")),
    }
}

fn share(args: &ShareArgs, app: &App, ui: &Ui, json: bool) -> Result<Exit, AppError> {
    let shared = app.teams(&|note| ui.say(note)).share(args.project.as_deref(), args.team.as_ref())?;
    if json {
        ui.json(&shared)?;
        return Ok(Exit::Done);
    }
    let (project, shared_as) = (one_line(&shared.project), one_line(&shared.shared_as));
    let to_push = memories(shared.to_push);
    ui.sentence(&format!("`{project}` is shared with {} as `{shared_as}`; {to_push} to push", shared.team))?;
    ui.say("`backstory sync --dry-run` shows what would be pushed, `backstory sync` pushes and pulls");
    Ok(Exit::Done)
}

fn unshare(
    wanted: Option<&str>,
    unpushed: UnpushedPolicy,
    app: &App,
    ui: &Ui,
    json: bool,
) -> Result<Exit, AppError> {
    let done = app.teams(&|note| ui.say(note)).unshare(wanted, unpushed)?;
    if json {
        ui.json(&done)?;
    } else if done.unshared {
        ui.sentence("not shared any more; what was pushed stays with the team, what was pulled stays here")?;
    } else {
        ui.say("it was not shared");
    }
    Ok(if done.unshared { Exit::Done } else { Exit::No })
}

fn print(summaries: impl IntoIterator<Item = ProjectSummary>, ui: &Ui, json: bool) -> Result<Exit, AppError> {
    let shown = json::projects(summaries);
    let exit = if shown.projects.is_empty() { Exit::No } else { Exit::Done };
    if json {
        ui.json(&shown)?;
        return Ok(exit);
    }
    for project in &shown.projects {
        let root = project.roots.first().map_or("", String::as_str);
        ui.sentence(&format!(
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
