//! Requests about teams, and how they reach a hub: which team, its address and password, what may be shared with it.
//!
//! Passwords are where `psql` looks for them: never among arguments, in the store or in the log.

mod git_folder;
mod held;
mod membership;
mod ownership;
mod sharing;
mod team_search;
mod team_status;
mod team_sync;

pub use backstory_sync::{Revocation, TeamName, UnusableName, VectorSupport};
pub use git_folder::GitFolderRequest;
pub use held::HeldSelection;
pub use membership::JoinRequest;
pub use sharing::UnpushedPolicy;
pub(crate) use sharing::refuse_shared;
pub use team_search::TeamSearchRequest;
pub use team_sync::{TeamSyncResponse, sync_every};

use crate::app::App;
use crate::error::AppError;
use crate::progress::OnNote;
use backstory_store::{Store, Team};
use backstory_sync::{
    Hub, HubAccess, HubAddress, HubOwner, SharePolicy, SyncError, SyncLock, hub_teams, with_hub_timeout,
};
use std::fs;
use std::path::PathBuf;

/// Requests about teams.
#[derive(Clone, Copy)]
pub struct Teams<'a> {
    app: &'a App,
    on_note: OnNote<'a>,
}

impl App {
    /// Returns the requests about teams; `on_note` is called with what the user has to know meanwhile.
    pub fn teams<'a>(&'a self, on_note: OnNote<'a>) -> Teams<'a> {
        Teams { app: self, on_note }
    }

    /// Returns what may be shared, as it is configured.
    fn share_policy(&self) -> SharePolicy {
        let team = &self.config.team;
        let kinds = team.kinds.iter().flat_map(|name| name.0.clone()).collect();
        SharePolicy::new(kinds, team.provenance, self.redactor())
    }

    /// Returns the file that is locked by a sync.
    fn sync_lock(&self) -> PathBuf {
        self.home.root().join("sync.lock")
    }
}

impl Teams<'_> {
    /// Keeps syncs off, after waiting for one that is running.
    pub(crate) fn lock(&self) -> Result<SyncLock, AppError> {
        let file = self.app.sync_lock();
        if let Some(lock) = SyncLock::try_take(&file)? {
            return Ok(lock);
        }
        (self.on_note)("waiting for a sync that is running");
        Ok(SyncLock::wait(&file)?)
    }

    /// Connects as a member, within the configured time.
    fn connect(&self, address: &HubAddress, team: Option<&TeamName>) -> Result<Hub, AppError> {
        let (address, team, password) = (address.clone(), team.cloned(), self.password(address));
        with_hub_timeout(self.app.config.team.patience(), move |_| {
            Ok(Hub::join(&address, password.as_deref(), team.as_ref())?)
        })
    }

    /// Does something as the owner of a hub, within the configured time.
    fn as_owner<T: Send + 'static>(
        &self,
        address: &HubAddress,
        act: impl FnOnce(&mut HubOwner, &dyn Fn()) -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        let (address, password) = (address.clone(), self.password(address));
        with_hub_timeout(self.app.config.team.patience(), move |on_progress| {
            let mut owner = HubOwner::connect(&address, password.as_deref())?;
            on_progress();
            act(&mut owner, on_progress)
        })
    }

    /// Calls the hub of a team that was joined, within the configured time.
    fn call_hub<T: Send + 'static>(
        &self,
        team: &Team,
        call: impl FnOnce(&mut Hub, &dyn Fn()) -> Result<T, SyncError> + Send + 'static,
    ) -> Result<T, AppError> {
        let access = self.access(team)?;
        with_hub_timeout(self.app.config.team.patience(), move |on_progress| {
            let mut hub = access.connect()?;
            on_progress();
            Ok(call(&mut hub, on_progress)?)
        })
    }

    /// Returns how to get to the hub of a team that was joined.
    fn access(&self, team: &Team) -> Result<HubAccess, AppError> {
        let hub_team =
            team.hub_team.parse().map_err(|error: UnusableName| AppError::user(error.to_string()))?;
        let address = HubAddress::parse(&team.url)?;
        let password = self.password(&address);
        let Team { name, hub_id, .. } = team.clone();
        Ok(HubAccess { name, team: hub_team, hub_id, address, password })
    }

    /// Returns the password of a hub: the environment's, or that of the passfile. As `psql`, it ignores a passfile others can read.
    fn password(&self, address: &HubAddress) -> Option<String> {
        if let Some(password) = self.app.environment.hub_password() {
            return Some(password.to_owned());
        }
        let path = self.app.environment.passfile()?;
        if backstory_platform::is_open_to_others(&fs::metadata(&path).ok()?) {
            (self.on_note)(&format!("ignored `{}`: others can read it; `chmod 600` it", path.display()));
            return None;
        }
        address.password_in(&fs::read_to_string(path).ok()?)
    }
}

/// Returns the team with this name, or the only one. `how_to_choose` is the way to name one.
fn joined(store: &Store, named: Option<&TeamName>, how_to_choose: &str) -> Result<Team, AppError> {
    let mut teams = hub_teams(store)?;
    let joins = "`backstory team join URL` joins one; its owner's `backstory team invite` says which";
    if let Some(name) = named {
        let team = teams.into_iter().find(|team| team.name == name.as_str());
        let unknown = || AppError::user(format!("the team `{name}` was not joined")).hint(joins);
        return team.ok_or_else(unknown);
    }
    match (teams.pop(), teams.is_empty()) {
        (Some(only), true) => Ok(only),
        (None, _) => Err(AppError::user("no team was joined").hint(joins)),
        (Some(last), false) => {
            let names: Vec<String> = teams.into_iter().chain([last]).map(|team| team.name).collect();
            let hint = format!("say which with {how_to_choose}: {}", names.join(", "));
            Err(AppError::usage("several teams were joined").hint(hint))
        }
    }
}
