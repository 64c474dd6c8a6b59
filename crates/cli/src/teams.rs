//! How commands get to a team: which one is meant, its hub's address and password, what may be shared with it.
//!
//! Passwords are where `psql` looks for them: never among arguments, in the store or in the log.

use crate::ui::Ui;
use backstory_app::config::TeamTrust;
use backstory_app::{App, AppError};
use backstory_store::{Store, Team};
use backstory_sync::{
    Hub, HubAccess, HubAddress, HubOwner, SharePolicy, SyncError, SyncLock, TeamName, TrustInTeam,
    UnusableName, hub_teams, with_hub_timeout,
};
use std::fs;
use std::path::PathBuf;

/// Reads the name of a team or a member.
pub(crate) fn name(text: &str) -> Result<TeamName, String> {
    text.parse().map_err(|error: UnusableName| error.to_string())
}

/// Returns what may be shared, as it is configured.
pub(crate) fn share_policy(app: &App) -> SharePolicy {
    let team = &app.config.team;
    let trust = match team.provenance {
        TeamTrust::Team => TrustInTeam::Colleague,
        TeamTrust::External => TrustInTeam::Outsider,
    };
    SharePolicy::new(team.kinds.iter().flat_map(|name| name.0.clone()).collect(), trust, app.redactor())
}

/// Returns the file that is locked by a sync.
pub(crate) fn lock_file(app: &App) -> PathBuf {
    app.home.root().join("sync.lock")
}

/// Keeps syncs off, after waiting for one that is running.
pub(crate) fn lock(app: &App, ui: &Ui) -> Result<SyncLock, AppError> {
    if let Some(lock) = SyncLock::try_take(&lock_file(app))? {
        return Ok(lock);
    }
    ui.say("waiting for a sync that is running");
    Ok(SyncLock::wait(&lock_file(app))?)
}

/// Connects as a member, within the configured time.
pub(crate) fn join(
    address: &HubAddress,
    team: Option<&TeamName>,
    app: &App,
    ui: &Ui,
) -> Result<Hub, AppError> {
    let (address, team, password) = (address.clone(), team.cloned(), password(address, app, ui));
    with_hub_timeout(app.config.team.patience(), move |_| {
        Ok(Hub::join(&address, password.as_deref(), team.as_ref())?)
    })
}

/// Does something as the owner of a hub, within the configured time.
pub(crate) fn own<T: Send + 'static>(
    address: &HubAddress,
    app: &App,
    ui: &Ui,
    act: impl FnOnce(&mut HubOwner, &dyn Fn()) -> Result<T, AppError> + Send + 'static,
) -> Result<T, AppError> {
    let (address, password) = (address.clone(), password(address, app, ui));
    with_hub_timeout(app.config.team.patience(), move |on_progress| {
        let mut owner = HubOwner::connect(&address, password.as_deref())?;
        on_progress();
        act(&mut owner, on_progress)
    })
}

/// Asks the hub of a team that was joined, within the configured time.
pub(crate) fn ask<T: Send + 'static>(
    team: &Team,
    app: &App,
    ui: &Ui,
    question: impl FnOnce(&mut Hub, &dyn Fn()) -> Result<T, SyncError> + Send + 'static,
) -> Result<T, AppError> {
    let access = access(team, app, ui)?;
    with_hub_timeout(app.config.team.patience(), move |on_progress| {
        let mut hub = access.connect()?;
        on_progress();
        Ok(question(&mut hub, on_progress)?)
    })
}

/// Returns how to get to the hub of a team that was joined.
pub(crate) fn access(team: &Team, app: &App, ui: &Ui) -> Result<HubAccess, AppError> {
    let hub_team = team.hub_team.parse().map_err(|error: UnusableName| AppError::user(error.to_string()))?;
    let address = HubAddress::parse(&team.url)?;
    let password = password(&address, app, ui);
    let Team { name, hub_id, .. } = team.clone();
    Ok(HubAccess { name, team: hub_team, hub_id, address, password })
}

/// Returns the team with this name, or the only one. `how_to_choose` is the way to name one.
pub(crate) fn joined(store: &Store, named: Option<&TeamName>, how_to_choose: &str) -> Result<Team, AppError> {
    let teams = hub_teams(store)?;
    let joins = "`backstory team join URL` joins one; its owner's `backstory team invite` says which";
    match (named, teams.as_slice()) {
        (Some(name), _) => teams
            .iter()
            .find(|team| team.name == name.as_str())
            .cloned()
            .ok_or_else(|| AppError::user(format!("the team `{name}` was not joined")).hint(joins)),
        (None, [only]) => Ok(only.clone()),
        (None, []) => Err(AppError::user("no team was joined").hint(joins)),
        (None, several) => {
            let names: Vec<&str> = several.iter().map(|team| team.name.as_str()).collect();
            let hint = format!("say which with {how_to_choose}: {}", names.join(", "));
            Err(AppError::usage("several teams were joined").hint(hint))
        }
    }
}

/// Returns the password of a hub: the environment's, or that of the passfile. As `psql`, it ignores a passfile others can read.
fn password(address: &HubAddress, app: &App, ui: &Ui) -> Option<String> {
    if let Some(password) = app.environment.hub_password() {
        return Some(password.to_owned());
    }
    let path = app.environment.passfile()?;
    if backstory_platform::is_open_to_others(&fs::metadata(&path).ok()?) {
        ui.say(&format!("ignored `{}`: others can read it; `chmod 600` it", path.display()));
        return None;
    }
    address.password_in(&fs::read_to_string(path).ok()?)
}
