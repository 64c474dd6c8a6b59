//! Which teams were joined, who is in them, and what is shared with them.

use super::Teams;
use super::sharing::shared_projects;
use crate::app::project_name;
use crate::error::{AppError, ErrorCode};
use crate::json::{SharedProjectShape, TeamListShape, TeamShape, held_since};
use crate::times;
use backstory_store::{Store, Team};
use backstory_sync::hub_teams;

impl Teams<'_> {
    /// Lists every team with a hub. A team whose hub cannot be reached is listed with what is known of it here.
    pub fn list(&self) -> Result<TeamListShape, AppError> {
        let store = self.app.store_to_read()?;
        let teams = hub_teams(&store)?.into_iter().map(|team| self.describe(team, &store));
        Ok(TeamListShape { version: 1, teams: teams.collect::<Result<_, AppError>>()? })
    }

    fn describe(&self, team: Team, store: &Store) -> Result<TeamShape, AppError> {
        let mut projects = Vec::new();
        for shared in shared_projects(store, |shared| shared.team == team.name)? {
            let project = project_name(store, shared.project)?;
            let to_push = store.sync().count_outbox(shared.project)?;
            let held_since = held_since(shared.held_since, self.app.now);
            projects.push(SharedProjectShape { project, shared_as: shared.hub_project, to_push, held_since });
        }
        // A hub that does not answer must not hide the other teams.
        let answered = self.call_hub(&team, |hub, _| Ok((hub.members()?, hub.projects()?)));
        let is_silent = answered.as_ref().is_err_and(|failure| failure.code() == ErrorCode::HubSilent);
        let (members, all, problem) = match answered {
            Ok((members, all)) => (Some(members), all, None),
            Err(failure) => (None, Vec::new(), Some(failure.line())),
        };
        let is_ours = |key: &String| projects.iter().any(|shared| shared.shared_as == *key);
        let also_shared = all.into_iter().filter(|(key, _)| !is_ours(key)).map(|(_, name)| name).collect();
        let Team { name, url, member, synced_at, .. } = team;
        let synced_at = synced_at.map(times::iso);
        Ok(TeamShape { name, url, member, synced_at, members, problem, is_silent, projects, also_shared })
    }
}
