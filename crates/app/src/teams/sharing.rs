//! Sharing projects with teams, and ending that. Before a project is unshared, its pending deletions are pushed, or the user learns that
//! the team keeps those memories.

use super::{TeamName, Teams, joined};
use crate::error::AppError;
use crate::json::{ShareShape, UnshareShape};
use crate::words::{memories, one_line};
use backstory_memory::{ProjectId, ProjectKey};
use backstory_store::{Project, SharedProject, Store};
use backstory_sync::{PendingDeletions, is_shared_by_git, pending_deletions};

/// What happens to deletions that cannot be pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnpushedPolicy {
    /// The project stays shared.
    Refuse,
    /// The memories stay with the team.
    Keep,
}

impl Teams<'_> {
    /// Shares a project with a team.
    pub fn share(&self, project: Option<&str>, team: Option<&TeamName>) -> Result<ShareShape, AppError> {
        self.app.refuse_agent("share a project")?;
        let mut store = self.app.store()?;
        let team = joined(&store, team, "`--team TEAM`")?;
        let id = self.app.project_to_write(&mut store, project)?;
        let project = store.projects().get(id)?.ok_or_else(|| AppError::internal("a project is gone"))?;
        self.app.refuse_unanswered(&store, id)?;
        let key = portable_key(&project).to_string();
        let _lock = self.lock()?;
        refuse_shared_through_git(&store, id)?;
        // The hub comes first: if it refuses, nothing has changed here.
        let (shared_as, name) = (key.clone(), project.name.clone());
        self.call_hub(&team, move |hub, _| Ok(hub.share(&shared_as, &name)?))?;
        let before = shared_projects(&store, |shared| shared.project == id && shared.team != team.name)?;
        let anyway = "`backstory project unshare --anyway`";
        self.push_deletions(&store, &before, UnpushedPolicy::Refuse, anyway)?;
        store.sync_mut().share_project(id, &team.name, &key)?;
        let to_push = store.sync().count_outbox(id)?;
        Ok(ShareShape { version: 1, project: project.name, team: team.name, shared_as: key, to_push })
    }

    /// Stops sharing a project.
    pub fn unshare(&self, wanted: Option<&str>, unpushed: UnpushedPolicy) -> Result<UnshareShape, AppError> {
        self.app.refuse_agent("stop sharing a project")?;
        let mut store = self.app.store()?;
        let id = self.app.project_to_write(&mut store, wanted)?;
        let _lock = self.lock()?;
        let before = shared_projects(&store, |shared| shared.project == id)?;
        self.push_deletions(&store, &before, unpushed, "`--anyway`")?;
        Ok(UnshareShape { version: 1, unshared: store.sync_mut().unshare_project(id)? })
    }

    /// Pushes the deletions of projects that are about to be unshared. For a git folder it can only ask for an export. `anyway` names the
    /// flag or command that goes on without.
    pub(super) fn push_deletions(
        &self,
        store: &Store,
        projects: &[SharedProject],
        unpushed: UnpushedPolicy,
        anyway: &str,
    ) -> Result<(), AppError> {
        for pending in pending_deletions(store, projects)? {
            let count = memories(pending.count);
            if unpushed == UnpushedPolicy::Keep {
                let stays = if pending.count == 1 { "stays" } else { "stay" };
                let place = if is_shared_by_git(&pending.shared) {
                    "in the git folder".to_owned()
                } else {
                    format!("with the team `{}`", pending.shared.team)
                };
                (self.on_note)(&format!("{count} forgotten here {stays} {place}"));
            } else if is_shared_by_git(&pending.shared) {
                return Err(AppError::user(format!("the git folder still has {count} forgotten here"))
                    .hint(format!("`backstory export --git DIR` first; {anyway} leaves it there")));
            } else {
                self.push_pending(store, &pending).map_err(|failure| {
                    let team = &pending.shared.team;
                    AppError::user(format!("the team `{team}` still has {count} forgotten here"))
                        .after(&failure)
                        .hint(format!("try again when its hub answers; {anyway} leaves it there"))
                })?;
            }
        }
        Ok(())
    }

    fn push_pending(&self, store: &Store, pending: &PendingDeletions) -> Result<(), AppError> {
        let team = joined(store, pending.shared.team.parse().ok().as_ref(), "`--team TEAM`")?;
        // The hub is called in a thread of its own, which opens the store for itself.
        let (mut store, shared) = (self.app.store()?, pending.shared.clone());
        self.call_hub(&team, move |hub, on_progress| {
            backstory_sync::push_deletions(&mut store, hub, &shared, on_progress)
        })
    }
}

/// Refuses to merge a shared project into another: nothing would be pulled for it any more.
pub(crate) fn refuse_shared(store: &Store, project: ProjectId, name: &str) -> Result<(), AppError> {
    let Some(shared) = shared_projects(store, |shared| shared.project == project)?.pop() else {
        return Ok(());
    };
    let how = if is_shared_by_git(&shared) {
        "through git".to_owned()
    } else {
        format!("with the team `{}`", shared.team)
    };
    let name = one_line(name);
    Err(AppError::user(format!("`{name}` is shared {how}"))
        .hint("a merged project is not synced any more")
        .hint(format!("`backstory project unshare {name}` first")))
}

/// Refuses a project that is shared the other way: its deletions belong into the git folder, not onto a hub.
fn refuse_shared_through_git(store: &Store, project: ProjectId) -> Result<(), AppError> {
    let through_git = shared_projects(store, |shared| shared.project == project && is_shared_by_git(shared))?;
    if through_git.is_empty() {
        return Ok(());
    }
    Err(AppError::user("this project is shared through git")
        .hint("a project is shared one way; `backstory project unshare` ends the other"))
}

/// Returns the shared projects that a test selects.
pub(super) fn shared_projects(
    store: &Store,
    is_wanted: impl Fn(&SharedProject) -> bool,
) -> Result<Vec<SharedProject>, AppError> {
    Ok(store.sync().shared_projects()?.into_iter().filter(is_wanted).collect())
}

/// Returns the key by which every clone of a project is recognised. A project with neither a name of its own nor a remote is shared under
/// what people call it: the members of a team agree on that.
fn portable_key(project: &Project) -> ProjectKey {
    let named = project.keys.iter().find(|key| matches!(key, ProjectKey::Named(_)));
    let remote = || project.keys.iter().find(|key| matches!(key, ProjectKey::Remote(_)));
    named.or_else(remote).cloned().unwrap_or_else(|| ProjectKey::Named(project.name.clone()))
}
