//! Before a project is unshared: deletions its team does not have are pushed, or the user is told that they stay.

use crate::teams;
use crate::ui::{Ui, memories, one_line};
use backstory_app::{App, AppError};
use backstory_memory::ProjectId;
use backstory_store::{SharedProject, Store};
use backstory_sync::{PendingDeletions, is_shared_by_git, pending_deletions};

/// What to do with deletions that cannot be pushed.
#[derive(Clone, Copy)]
pub(crate) enum OnUnpushed {
    /// Refuse to unshare; names the flag or command that does it all the same.
    Refuse(&'static str),
    /// Leave the memories with the team, and say so.
    Keep,
}

/// Pushes the deletions of projects that are about to be unshared. A git folder gets them only by an export.
pub(crate) fn push_deletions(
    store: &Store,
    projects: &[SharedProject],
    on_unpushed: OnUnpushed,
    app: &App,
    ui: &Ui,
) -> Result<(), AppError> {
    for pending in pending_deletions(store, projects)? {
        match on_unpushed {
            OnUnpushed::Keep => print_kept(&pending, ui),
            OnUnpushed::Refuse(anyway) if is_shared_by_git(&pending.shared) => {
                let count = memories(pending.count);
                return Err(AppError::user(format!("the git folder still has {count} forgotten here"))
                    .hint(format!("`backstory export --git DIR` first; {anyway} leaves it there")));
            }
            OnUnpushed::Refuse(anyway) => push(store, &pending.shared, app, ui).map_err(|failure| {
                let (team, count) = (&pending.shared.team, memories(pending.count));
                AppError::user(format!("the team `{team}` still has {count} forgotten here"))
                    .after(&failure)
                    .hint(format!("try again when its hub answers; {anyway} leaves it there"))
            })?,
        }
    }
    Ok(())
}

/// Refuses to merge a shared project into another: nothing would be pulled for it any more.
pub(crate) fn refuse_to_merge_shared(store: &Store, from: ProjectId, named: &str) -> Result<(), AppError> {
    let all = store.sync().shared_projects()?;
    let Some(shared) = all.iter().find(|shared| shared.project == from) else { return Ok(()) };
    let how = if is_shared_by_git(shared) {
        "through git".to_owned()
    } else {
        format!("with the team `{}`", shared.team)
    };
    Err(AppError::user(format!("`{}` is shared {how}", one_line(named)))
        .hint("a merged project is not synced any more")
        .hint(format!("`backstory project unshare {}` first", one_line(named))))
}

fn print_kept(pending: &PendingDeletions, ui: &Ui) {
    let place = if is_shared_by_git(&pending.shared) {
        "in the git folder".to_owned()
    } else {
        format!("with the team `{}`", pending.shared.team)
    };
    let stays = if pending.count == 1 { "stays" } else { "stay" };
    ui.say(&format!("{} forgotten here {stays} {place}", memories(pending.count)));
}

fn push(store: &Store, shared: &SharedProject, app: &App, ui: &Ui) -> Result<(), AppError> {
    let named = shared.team.parse().ok();
    let team = teams::joined(store, named.as_ref(), "`--team TEAM`")?;
    // The hub is talked to in a thread of its own, which opens the store for itself.
    let (mut store, shared) = (app.store()?, shared.clone());
    teams::ask(&team, app, ui, move |hub, on_progress| {
        backstory_sync::push_deletions(&mut store, hub, &shared, on_progress)
    })
}
