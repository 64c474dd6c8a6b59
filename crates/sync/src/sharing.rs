//! Which projects are shared with whom, and over which transport.
//!
//! To the store, everybody who shares a project through git is a team, with a name no hub can have: outbox and inbox are the same. Who is a
//! member is up to whoever may write to the repository; authors are names people give themselves, so nobody's words count as one's own.

use crate::SyncError;
use backstory_memory::{ProjectId, Timestamp, Watermark};
use backstory_store::{SharedProject, Store, Team, TeamTransport};

/// What the name of a team begins with that shares through git.
const GIT_TEAM: &str = "(git)";

/// Whether a project is shared through git, and not through a hub.
#[must_use]
pub fn is_shared_by_git(shared: &SharedProject) -> bool {
    shared.transport == TeamTransport::Git
}

/// Whether a team has no hub.
#[must_use]
pub fn is_git_team(team: &Team) -> bool {
    team.transport == TeamTransport::Git
}

/// Lists the teams that have a hub.
pub fn hub_teams(store: &Store) -> Result<Vec<Team>, SyncError> {
    Ok(store.sync().teams()?.into_iter().filter(|team| !is_git_team(team)).collect())
}

/// Lists what is shared through hubs.
pub fn shared_through_hubs(store: &Store) -> Result<Vec<SharedProject>, SyncError> {
    Ok(store.sync().shared_projects()?.into_iter().filter(|shared| !is_shared_by_git(shared)).collect())
}

/// Returns the name under which something was last shared through git.
pub fn git_author(store: &Store) -> Result<Option<String>, SyncError> {
    let members = store.sync().teams()?.into_iter().filter(is_git_team).map(|team| team.member);
    Ok(members.into_iter().find(|member| !member.is_empty()))
}

/// Deletions of a shared project that its team does not have yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingDeletions {
    /// The project, and how it is shared.
    pub shared: SharedProject,
    /// How many memories were forgotten here and are still with the team.
    pub count: u64,
}

/// Returns the deletions that were not pushed yet. If the projects were unshared now, the team would keep what was forgotten here.
pub fn pending_deletions(
    store: &Store,
    projects: &[SharedProject],
) -> Result<Vec<PendingDeletions>, SyncError> {
    let mut pending = Vec::new();
    for shared in projects {
        let count = store.sync().count_outbox_deletions(shared.project)?;
        if count > 0 {
            pending.push(PendingDeletions { shared: shared.clone(), count });
        }
    }
    Ok(pending)
}

/// Returns how a project is shared through git, if it is. One that is shared through a hub is refused: a project has one transport.
pub(crate) fn git_share_of(store: &Store, project: ProjectId) -> Result<Option<SharedProject>, SyncError> {
    let shared = store.sync().shared_projects()?.into_iter().find(|shared| shared.project == project);
    match shared {
        Some(shared) if !is_shared_by_git(&shared) => Err(SyncError::SharedThroughHub { team: shared.team }),
        shared => Ok(shared),
    }
}

/// Shares a project through git, unless it is shared so already. Returns how it is shared, and whether that is new.
pub(crate) fn share_through_git(
    store: &mut Store,
    project: ProjectId,
    author: Option<&str>,
    now: Timestamp,
) -> Result<(SharedProject, bool), SyncError> {
    let before = git_share_of(store, project)?;
    let member = author.map(ToOwned::to_owned).or(git_author(store)?).unwrap_or_default();
    // Each project has a team of its own: sharing one repository must not change what is shared in another.
    let name = format!("{GIT_TEAM} {project}");
    let team = Team {
        name: name.clone(),
        hub_team: name.clone(),
        hub_id: None,
        transport: TeamTransport::Git,
        url: GIT_TEAM.to_owned(),
        member,
        synced_at: None,
    };
    store.sync_mut().join_team(&team, now)?;
    if let Some(shared) = before {
        return Ok((shared, false));
    }
    store.sync_mut().share_project(project, &name, GIT_TEAM)?;
    let shared = SharedProject {
        project,
        team: name,
        transport: TeamTransport::Git,
        hub_project: GIT_TEAM.to_owned(),
        watermark: Watermark::default(),
        epoch: None,
        held_since: None,
    };
    Ok((shared, true))
}
