//! `project share` and `project unshare`: which projects a team knows of.

use crate::exit::Exit;
use crate::ui::{Ui, memories, one_line};
use crate::{teams, unshare};
use backstory_app::{App, AppError};
use backstory_memory::{ProjectId, ProjectKey};
use backstory_store::{Project, SharedProject, Store};
use backstory_sync::{TeamName, is_shared_by_git};
use clap::Args;
use serde::Serialize;

/// Arguments of `project share`.
#[derive(Args, Debug)]
pub(crate) struct ShareArgs {
    /// Its name, its number or a folder in it (default: the one of this folder)
    project: Option<String>,
    /// The team (default: the only one that was joined)
    #[arg(long, value_name = "TEAM", value_parser = teams::name)]
    team: Option<TeamName>,
}

/// What is shared from now on, for other programs.
#[derive(Serialize)]
struct ShareAnswer<'a> {
    version: u32,
    project: &'a str,
    team: &'a str,
    shared_as: &'a str,
    /// How many memories wait to be pushed.
    to_push: u64,
}

#[derive(Serialize)]
struct UnshareAnswer {
    version: u32,
    /// Whether it was shared.
    unshared: bool,
}

/// Shares a project.
pub(crate) fn share(args: &ShareArgs, app: &App, ui: &Ui, json: bool) -> Result<Exit, AppError> {
    let mut store = app.store()?;
    let team = teams::joined(&store, args.team.as_ref(), "`--team TEAM`")?;
    let id = app.project_to_write(&mut store, args.project.as_deref())?;
    let project = store.projects().get(id)?.ok_or_else(|| AppError::user("there is no such project"))?;
    let key = portable_key(&project).to_string();
    let _lock = teams::lock(app, ui)?;
    refuse_shared_through_git(&store, id)?;
    let (shared_as, name) = (key.clone(), project.name.clone());
    teams::ask(&team, app, ui, move |hub, _| Ok(hub.share(&shared_as, &name)?))?;
    let before = shared(&store, |shared| shared.project == id && shared.team != team.name)?;
    unshare::push_deletions(
        &store,
        &before,
        unshare::OnUnpushed::Refuse("`backstory project unshare --anyway`"),
        app,
        ui,
    )?;
    store.sync_mut().share_project(id, &team.name, &key)?;
    let to_push = store.sync().count_outbox(id)?;
    if json {
        let (project, team) = (project.name.as_str(), team.name.as_str());
        ui.json(&ShareAnswer { version: 1, project, team, shared_as: &key, to_push })?;
        return Ok(Exit::Done);
    }
    ui.line(&format!(
        "`{}` is shared with {} as `{}`; {} to push",
        one_line(&project.name),
        team.name,
        one_line(&key),
        memories(to_push)
    ))?;
    ui.say("`backstory sync --dry-run` shows what would be pushed, `backstory sync` pushes and pulls");
    Ok(Exit::Done)
}

/// Stops sharing a project.
pub(crate) fn unshare(
    wanted: Option<&str>,
    anyway: bool,
    app: &App,
    ui: &Ui,
    json: bool,
) -> Result<Exit, AppError> {
    let mut store = app.store()?;
    let id = app.project_to_write(&mut store, wanted)?;
    let on_unpushed =
        if anyway { unshare::OnUnpushed::Keep } else { unshare::OnUnpushed::Refuse("`--anyway`") };
    let _lock = teams::lock(app, ui)?;
    let before = shared(&store, |shared| shared.project == id)?;
    unshare::push_deletions(&store, &before, on_unpushed, app, ui)?;
    let unshared = store.sync_mut().unshare_project(id)?;
    if json {
        ui.json(&UnshareAnswer { version: 1, unshared })?;
        return Ok(if unshared { Exit::Done } else { Exit::No });
    }
    if unshared {
        ui.line("not shared any more; what was pushed stays with the team, what was pulled stays here")?;
        return Ok(Exit::Done);
    }
    ui.say("it was not shared");
    Ok(Exit::No)
}

/// Refuses a project that is shared the other way: its deletions belong into the git folder, not onto a hub.
fn refuse_shared_through_git(store: &Store, project: ProjectId) -> Result<(), AppError> {
    let through_git = shared(store, |shared| shared.project == project && is_shared_by_git(shared))?;
    if through_git.is_empty() {
        return Ok(());
    }
    Err(AppError::user("this project is shared through git")
        .hint("a project is shared one way; `backstory project unshare` ends the other"))
}

fn shared(store: &Store, which: impl Fn(&SharedProject) -> bool) -> Result<Vec<SharedProject>, AppError> {
    Ok(store.sync().shared_projects()?.into_iter().filter(which).collect())
}

/// Returns what every clone of a project is recognised by. One that has neither a name of its own nor a remote is known by what people
/// call it: the members of a team agree on that.
fn portable_key(project: &Project) -> ProjectKey {
    let named = project.keys.iter().find(|key| matches!(key, ProjectKey::Named(_)));
    let remote = || project.keys.iter().find(|key| matches!(key, ProjectKey::Remote(_)));
    named.or_else(remote).cloned().unwrap_or_else(|| ProjectKey::Named(project.name.clone()))
}
