//! Before a project is shared no longer: what was forgotten here must not live on with the team because nobody told it.

use crate::app::App;
use crate::failure::Failure;
use crate::pulse::Pulse;
use crate::syncing::Syncing;
use crate::teams;
use crate::ui::memories;
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

/// Tells teams what was forgotten of projects that are about to be shared no longer.
pub(crate) fn tell_forgotten(
    store: &mut Store,
    parting: &[SharedProject],
    untold: Untold,
    app: &App,
) -> Result<(), Failure> {
    for shared in parting {
        let forgotten = store.count_untold_forgettings(shared.project)?;
        match untold {
            _ if forgotten == 0 => {}
            Untold::Stays => app.ui.say(&format!(
                "{} forgotten here {} with the team `{}`",
                memories(forgotten),
                if forgotten == 1 { "stays" } else { "stay" },
                shared.team
            )),
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

/// The same of a project that is about to be part of another, unless that one is shared with the same team.
pub(crate) fn tell_forgotten_before_merging(
    store: &mut Store,
    from: ProjectId,
    into: ProjectId,
    app: &App,
) -> Result<(), Failure> {
    let all = store.shared_projects()?;
    let team = |project| all.iter().find(|shared| shared.project == project).map(|shared| &shared.team);
    if team(from) == team(into) {
        return Ok(());
    }
    let parting: Vec<SharedProject> = all.iter().filter(|shared| shared.project == from).cloned().collect();
    tell_forgotten(store, &parting, Untold::Stops("`backstory project unshare --anyway`"), app)
}

fn tell(store: &mut Store, shared: &SharedProject, app: &App) -> Result<(), Failure> {
    let pulse = Pulse::watch(app);
    let alive = || pulse.beat();
    let named = shared.team.parse().ok();
    let team = teams::joined(store, named.as_ref(), "`--team TEAM`")?;
    let mut hub = teams::hub(&team, app)?;
    Syncing::new(app, &alive).tell_forgotten(store, &mut hub, shared)
}
