//! What a member does: joins a team, leaves it.

use super::sharing::shared_projects;
use super::{TeamName, Teams, UnpushedPolicy, joined};
use crate::error::AppError;
use crate::json::{JoinShape, LeaveShape};
use crate::words::one_line;
use backstory_store::{JoinOutcome, Team, TeamTransport};
use backstory_sync::HubAddress;

/// A team to join.
#[derive(Clone, Debug)]
pub struct JoinRequest {
    /// Where its hub is.
    pub url: String,
    /// The team, if you are in several.
    pub team: Option<TeamName>,
    /// What to call it here.
    pub called: Option<TeamName>,
}

impl Teams<'_> {
    /// Joins a team that the user was invited to.
    pub fn join(&self, request: &JoinRequest) -> Result<JoinShape, AppError> {
        let hub = self.connect(&HubAddress::parse(&request.url)?, request.team.as_ref())?;
        let team = Team {
            name: request.called.as_ref().unwrap_or(hub.team()).to_string(),
            hub_team: hub.team().to_string(),
            hub_id: Some(hub.id().to_owned()),
            transport: TeamTransport::Hub,
            url: request.url.clone(),
            member: hub.member().to_owned(),
            synced_at: None,
        };
        let joined = self.app.store()?.sync_mut().join_team(&team, self.app.now)?;
        let Team { name, member, .. } = team;
        if let JoinOutcome::NameTaken { url } = joined {
            return Err(AppError::user(format!("another team `{name}` was joined, at {}", one_line(&url)))
                .hint("`--as NAME` gives this one another name here")
                .hint(format!("`backstory team leave {name}` leaves the other")));
        }
        Ok(JoinShape { version: 1, team: name, member })
    }

    /// Leaves a team, after pushing what was forgotten here.
    pub fn leave(&self, team: Option<&TeamName>, unpushed: UnpushedPolicy) -> Result<LeaveShape, AppError> {
        let mut store = self.app.store()?;
        let team = joined(&store, team, "`backstory team leave TEAM`")?;
        let _lock = self.lock()?;
        let shared = shared_projects(&store, |shared| shared.team == team.name)?;
        self.push_deletions(&store, &shared, unpushed, "`--anyway`")?;
        store.sync_mut().leave_team(&team.name)?;
        Ok(LeaveShape { version: 1, team: team.name })
    }
}
