//! Pushes pending deletions before a project is unshared: what was forgotten here must not stay with the team.

use crate::app::App;
use crate::failure::Failure;
use crate::git_share;
use crate::project_sync::ProjectSync;
use crate::teams;
use crate::ui::{memories, one_line};
use backstory_memory::ProjectId;
use backstory_store::{SharedProject, Store};

/// What to do with deletions that cannot be pushed.
#[derive(Clone, Copy)]
pub(crate) enum OnUnpushed {
    /// Refuse to unshare; names the flag or command that does it all the same.
    Refuse(&'static str),
    /// Leave them with the team, and say so.
    Keep,
}

/// Pushes deletions of projects that are about to be unshared. A git folder gets them only by an export.
pub(crate) fn push_deletions(
    store: &Store,
    projects: &[SharedProject],
    on_unpushed: OnUnpushed,
    app: &App,
) -> Result<(), Failure> {
    for shared in projects {
        let forgotten = store.count_outbox_deletions(shared.project)?;
        match on_unpushed {
            _ if forgotten == 0 => {}
            OnUnpushed::Keep => app.ui.say(&format!(
                "{} forgotten here {} {}",
                memories(forgotten),
                if forgotten == 1 { "stays" } else { "stay" },
                if git_share::is_shared_by_git(shared) {
                    "in the git folder".to_owned()
                } else {
                    format!("with the team `{}`", shared.team)
                }
            )),
            OnUnpushed::Refuse(anyway) if git_share::is_shared_by_git(shared) => {
                return Err(Failure::user(format!(
                    "the git folder still has {} forgotten here",
                    memories(forgotten)
                ))
                .hint(format!("`backstory export --git DIR` first; {anyway} leaves it there")));
            }
            OnUnpushed::Refuse(anyway) => push(store, shared, app).map_err(|failure| {
                let unpushed =
                    format!("the team `{}` still has {} forgotten here", shared.team, memories(forgotten));
                Failure::user(unpushed)
                    .after(&failure)
                    .hint(format!("try again when its hub answers; {anyway} leaves it there"))
            })?,
        }
    }
    Ok(())
}

/// Refuses to merge a shared project into another: its changes would not be pulled any more.
pub(crate) fn refuse_to_merge_shared(store: &Store, from: ProjectId, named: &str) -> Result<(), Failure> {
    let all = store.shared_projects()?;
    let Some(shared) = all.iter().find(|shared| shared.project == from) else { return Ok(()) };
    let how = if git_share::is_shared_by_git(shared) {
        "through git".to_owned()
    } else {
        format!("with the team `{}`", shared.team)
    };
    Err(Failure::user(format!("`{}` is shared {how}", one_line(named)))
        .hint("a merged project is not synced any more")
        .hint(format!("`backstory project unshare {}` first", one_line(named))))
}

fn push(store: &Store, shared: &SharedProject, app: &App) -> Result<(), Failure> {
    let named = shared.team.parse().ok();
    let team = teams::joined(store, named.as_ref(), "`--team TEAM`")?;
    let shared = shared.clone();
    teams::talk(&team, app, move |hub, app, on_progress| {
        ProjectSync::new(app, on_progress).push_deletions(&mut app.store()?, hub, &shared)
    })
}
