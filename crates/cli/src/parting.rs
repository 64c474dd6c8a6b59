//! Before a project is shared no longer: what was forgotten here must not live on with the team because nobody told it.

use crate::app::App;
use crate::by_git;
use crate::failure::Failure;
use crate::syncing::Syncing;
use crate::teams;
use crate::ui::{memories, one_line};
use backstory_memory::ProjectId;
use backstory_store::{SharedProject, Store};

/// What becomes of forgettings that cannot be told.
#[derive(Clone, Copy)]
pub(crate) enum Untold {
    /// They stop the parting; named is what goes on all the same.
    Stops(&'static str),
    /// They are left untold, in so many words.
    Stays,
}

/// Tells teams what was forgotten of projects that are about to be shared no longer. Only an export tells what is shared through git.
pub(crate) fn tell_forgotten(
    store: &Store,
    parting: &[SharedProject],
    untold: Untold,
    app: &App,
) -> Result<(), Failure> {
    for shared in parting {
        let forgotten = store.count_untold_forgettings(shared.project)?;
        match untold {
            _ if forgotten == 0 => {}
            Untold::Stays => app.ui.say(&format!(
                "{} forgotten here {} {}",
                memories(forgotten),
                if forgotten == 1 { "stays" } else { "stay" },
                if by_git::is_shared_here(shared) {
                    "in the folder that git carries".to_owned()
                } else {
                    format!("with the team `{}`", shared.team)
                }
            )),
            Untold::Stops(anyway) if by_git::is_shared_here(shared) => {
                return Err(Failure::user(format!(
                    "the folder that git carries still has {} forgotten here",
                    memories(forgotten)
                ))
                .hint(format!("`backstory export --git DIR` first; {anyway} parts without telling")));
            }
            Untold::Stops(anyway) => tell(store, shared, app).map_err(|failure| {
                let untold =
                    format!("the team `{}` still has {} forgotten here", shared.team, memories(forgotten));
                Failure::user(untold)
                    .after(&failure)
                    .hint(format!("try again when its hub answers; {anyway} parts without telling"))
            })?,
        }
    }
    Ok(())
}

/// Refuses to make a shared project part of another: nobody would hear its news any more.
pub(crate) fn refuse_to_merge_shared(store: &Store, from: ProjectId, named: &str) -> Result<(), Failure> {
    let all = store.shared_projects()?;
    let Some(shared) = all.iter().find(|shared| shared.project == from) else { return Ok(()) };
    let how = if by_git::is_shared_here(shared) {
        "through git".to_owned()
    } else {
        format!("with the team `{}`", shared.team)
    };
    Err(Failure::user(format!("`{}` is shared {how}", one_line(named)))
        .hint("merged, its news would not be heard any more")
        .hint(format!("`backstory project unshare {}` first", one_line(named))))
}

fn tell(store: &Store, shared: &SharedProject, app: &App) -> Result<(), Failure> {
    let named = shared.team.parse().ok();
    let team = teams::joined(store, named.as_ref(), "`--team TEAM`")?;
    let shared = shared.clone();
    teams::talk(&team, app, move |hub, app, alive| {
        Syncing::new(app, alive).tell_forgotten(&mut app.store()?, hub, &shared)
    })
}
