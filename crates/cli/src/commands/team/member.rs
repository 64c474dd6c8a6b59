//! What a member does: joins a team, leaves it.

use crate::exit::Exit;
use crate::ui::{Ui, one_line};
use crate::{teams, unshare};
use backstory_app::{App, AppError};
use backstory_store::{JoinOutcome, Team, TeamTransport};
use backstory_sync::{HubAddress, TeamName};
use serde::Serialize;

/// What was joined, for other programs.
#[derive(Serialize)]
struct JoinAnswer<'a> {
    version: u32,
    team: &'a str,
    member: &'a str,
}

/// What was left, for other programs.
#[derive(Serialize)]
struct LeaveAnswer<'a> {
    version: u32,
    team: &'a str,
}

/// Joins a team one was invited to.
pub(super) fn join(
    url: &str,
    team: Option<&TeamName>,
    called: Option<&TeamName>,
    app: &App,
    ui: &Ui,
    json: bool,
) -> Result<Exit, AppError> {
    let hub = teams::join(&HubAddress::parse(url)?, team, app, ui)?;
    let (name, member) = (called.unwrap_or(hub.team()).to_string(), hub.member().to_owned());
    let joined = Team {
        name: name.clone(),
        hub_team: hub.team().to_string(),
        hub_id: Some(hub.id().to_owned()),
        transport: TeamTransport::Hub,
        url: url.to_owned(),
        member: member.clone(),
        synced_at: None,
    };
    if let JoinOutcome::NameTaken { url } = app.store()?.sync_mut().join_team(&joined, app.now)? {
        return Err(AppError::user(format!("another team `{name}` was joined, at {}", one_line(&url)))
            .hint("`--as NAME` calls this one otherwise here")
            .hint(format!("`backstory team leave {name}` leaves the other")));
    }
    if json {
        ui.json(&JoinAnswer { version: 1, team: &name, member: &member })?;
        return Ok(Exit::Done);
    }
    ui.line(&format!("joined the team `{name}` as `{member}`; nothing is shared yet"))?;
    ui.say(&format!("`backstory project share --team {name}` shares the project of this folder"));
    Ok(Exit::Done)
}

/// Leaves a team, after pushing what was forgotten here.
pub(super) fn leave(
    team: Option<&TeamName>,
    anyway: bool,
    app: &App,
    ui: &Ui,
    json: bool,
) -> Result<Exit, AppError> {
    let mut store = app.store()?;
    let team = teams::joined(&store, team, "`backstory team leave TEAM`")?;
    let _lock = teams::lock(app, ui)?;
    let shared: Vec<_> =
        store.sync().shared_projects()?.into_iter().filter(|shared| shared.team == team.name).collect();
    let on_unpushed =
        if anyway { unshare::OnUnpushed::Keep } else { unshare::OnUnpushed::Refuse("`--anyway`") };
    unshare::push_deletions(&store, &shared, on_unpushed, app, ui)?;
    store.sync_mut().leave_team(&team.name)?;
    if json {
        ui.json(&LeaveAnswer { version: 1, team: &team.name })?;
        return Ok(Exit::Done);
    }
    ui.line(&format!(
        "left the team `{}`; what was pulled stays here, what was pushed stays there",
        team.name
    ))?;
    Ok(Exit::Done)
}
