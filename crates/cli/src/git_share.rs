//! Teams without a server: a project is shared through a folder that git carries.
//!
//! To the store everybody who shares a project so is a team, of a name no hub can have: telling and hearing are the same. Who is a member is up to
//! whoever may write to the repository; names are what people say they are called, so nobody's word counts as one's own.

mod entry;
mod git_folder;

pub(crate) use entry::{GitEntry, GitRevision, author_name};
pub(crate) use git_folder::{FolderMemory, GitFolder, RefusedFiles};

use crate::app::App;
use crate::failure::Failure;
use backstory_capture::git;
use backstory_memory::ProjectId;
use backstory_store::{SharedProject, Store, Team};
use std::time::Duration;

/// What begins the name of everybody who shares a project through git.
const TEAM: &str = "(git)";
/// How long git may take to tell a name.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whether a project is shared through git, and not through a hub.
pub(crate) fn is_shared_by_git(shared: &SharedProject) -> bool {
    shared.team.starts_with(TEAM)
}

/// Whether it is a team that has no hub.
pub(crate) fn is_git_team(team: &Team) -> bool {
    team.name.starts_with(TEAM)
}

/// Shares a project through git, unless it is. Returns how it is shared, and whether it was not before.
pub(crate) fn share(
    store: &mut Store,
    project: ProjectId,
    author: Option<&str>,
    app: &App,
) -> Result<(SharedProject, bool), Failure> {
    let was_shared = shared(store, project)?.is_some();
    let member = author.map(ToOwned::to_owned).or(member(store)?).unwrap_or_default();
    // One a project: what is shared with some in one repository is not theirs to change in another.
    let name = format!("{TEAM} {project}");
    let team = Team {
        name: name.clone(),
        hub_team: name.clone(),
        hub_id: None,
        url: TEAM.to_owned(),
        member,
        synced_at: None,
    };
    store.join_team(&team, app.now)?;
    if !was_shared {
        store.share_project(project, &name, TEAM)?;
    }
    let shared = shared(store, project)?.ok_or_else(|| Failure::internal("the project is not shared"))?;
    Ok((shared, !was_shared))
}

/// Returns how a project is shared through git, if it is; one that a hub knows of is refused.
pub(crate) fn shared(store: &Store, project: ProjectId) -> Result<Option<SharedProject>, Failure> {
    let shared = store.shared_projects()?.into_iter().find(|shared| shared.project == project);
    match shared {
        Some(shared) if !is_shared_by_git(&shared) => Err(Failure::user(format!(
            "this project is shared with the team `{}` through its hub",
            shared.team
        ))
        .hint("a project is shared one way; `backstory project unshare` ends the other")),
        shared => Ok(shared),
    }
}

/// Returns who says what leaves: the name given, git's, or the one of last time.
pub(crate) fn author(store: &Store, given: Option<&str>, app: &App) -> Result<String, Failure> {
    let hint = "`--as NAME` says it, or `git config user.name NAME`";
    if let Some(given) = given {
        return author_name(given).ok_or_else(|| {
            Failure::usage(format!("`{given}` is not a name")).hint("use letters and digits")
        });
    }
    let of_git = git::user_name(&app.cwd, PATIENCE).and_then(|name| author_name(&name));
    of_git
        .map_or_else(|| member(store), |name| Ok(Some(name)))?
        .ok_or_else(|| Failure::usage("who says it? what is shared is shown with its author").hint(hint))
}

fn member(store: &Store) -> Result<Option<String>, Failure> {
    let members = store.teams()?.into_iter().filter(is_git_team).map(|team| team.member);
    Ok(members.into_iter().find(|member| !member.is_empty()))
}
