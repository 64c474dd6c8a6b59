//! Which teams were joined, who is in them, and what is shared with them.

use crate::exit::Exit;
use crate::teams;
use crate::ui::{Ui, memories, one_line};
use backstory_app::app::project_name;
use backstory_app::{App, AppError, ErrorCode, times};
use backstory_store::{Store, Team};
use backstory_sync::hub_teams;
use serde::Serialize;

/// Teams, for other programs.
#[derive(Serialize)]
struct TeamsAnswer {
    version: u32,
    teams: Vec<TeamJson>,
}

#[derive(Serialize)]
struct TeamJson {
    name: String,
    url: String,
    member: String,
    synced_at: Option<String>,
    /// Who is in it, where the hub answers.
    members: Option<Vec<String>>,
    problem: Option<String>,
    #[serde(skip)]
    is_silent: bool,
    projects: Vec<SharedProjectJson>,
    /// What others share and this home does not.
    also_shared: Vec<String>,
}

#[derive(Serialize)]
struct SharedProjectJson {
    project: String,
    shared_as: String,
    to_push: u64,
}

/// Shows every team with a hub. One that cannot be asked is shown as far as it is known here.
pub(super) fn show(app: &App, ui: &Ui, json: bool) -> Result<Exit, AppError> {
    let store = app.store_to_read()?;
    let teams: Result<Vec<TeamJson>, AppError> =
        hub_teams(&store)?.iter().map(|team| shape(team, &store, app, ui)).collect();
    let teams = teams?;
    let is_whole = !teams.is_empty() && !teams.iter().any(|team| team.is_silent);
    let exit = if is_whole { Exit::Done } else { Exit::No };
    if json {
        ui.json(&TeamsAnswer { version: 1, teams })?;
        return Ok(exit);
    }
    if teams.is_empty() {
        ui.say(
            "no team was joined; `backstory team join URL` joins one, `backstory team init URL` makes one",
        );
    }
    for team in &teams {
        let synced = team.synced_at.as_deref().unwrap_or("never");
        ui.line(&format!(
            "{} as {} at {}, last synced {synced}",
            team.name,
            team.member,
            one_line(&team.url)
        ))?;
        if let Some(members) = &team.members {
            ui.line(&format!("  members: {}", one_line(&members.join(", "))))?;
        }
        for shared in &team.projects {
            let (project, shared_as) = (one_line(&shared.project), one_line(&shared.shared_as));
            ui.line(&format!("  shares {project} as {shared_as}; {} to push", memories(shared.to_push)))?;
        }
        for project in &team.also_shared {
            ui.line(&format!("  others share {}", one_line(project)))?;
        }
        if let Some(problem) = &team.problem {
            ui.say(&format!("{}: {}", team.name, one_line(problem)));
        }
    }
    Ok(exit)
}

fn shape(team: &Team, store: &Store, app: &App, ui: &Ui) -> Result<TeamJson, AppError> {
    let mut projects = Vec::new();
    for shared in store.sync().shared_projects()?.into_iter().filter(|shared| shared.team == team.name) {
        let project = project_name(store, shared.project)?;
        let to_push = store.sync().count_outbox(shared.project)?;
        projects.push(SharedProjectJson { project, shared_as: shared.hub_project, to_push });
    }
    // A hub that says nothing is no concern of the others.
    let answered = teams::ask(team, app, ui, |hub, _| Ok((hub.members()?, hub.projects()?)));
    let is_silent = answered.as_ref().is_err_and(|failure| failure.code() == ErrorCode::HubSilent);
    let (members, all, problem) = match answered {
        Ok((members, all)) => (Some(members), all, None),
        Err(failure) => (None, Vec::new(), Some(failure.line())),
    };
    let is_ours = |key: &String| projects.iter().any(|shared| shared.shared_as == *key);
    let also_shared = all.into_iter().filter(|(key, _)| !is_ours(key)).map(|(_, name)| name).collect();
    let Team { name, url, member, synced_at, .. } = team.clone();
    let synced_at = synced_at.map(times::iso);
    Ok(TeamJson { name, url, member, synced_at, members, problem, is_silent, projects, also_shared })
}
