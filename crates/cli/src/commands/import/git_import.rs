//! `import --git DIR`: pulls what a team shares through a folder in git.

use super::{ImportArgs, embed};
use crate::exit::Exit;
use crate::outgoing_words::print_refused;
use crate::ui::{Ui, one_line};
use backstory_app::teams::GitFolderRequest;
use backstory_app::{App, AppError};

/// Imports from a folder in git.
pub(super) fn run(dir: &str, args: &ImportArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let request = GitFolderRequest { dir: dir.into(), project: args.project.clone(), author: None };
    let on_note = |note: &str| ui.say(note);
    let teams = app.teams(&on_note);
    let pulled = if args.dry_run {
        teams.preview_git_pull(&request)?
    } else {
        let mut store = app.store()?;
        let pulled = teams.pull_from_git(&mut store, &request)?;
        embed(&mut store, args, app, ui)?;
        pulled
    };
    let exit = if pulled.refused.count == 0 { Exit::Done } else { Exit::No };
    if args.json {
        ui.json(&pulled)?;
        return Ok(exit);
    }
    print_refused(&pulled.refused, ui);
    ui.sentence(&format!(
        "`{}` {} {} new, {} revised, {} forgotten",
        one_line(&pulled.project),
        if pulled.dry_run { "would pull" } else { "pulled" },
        pulled.written,
        pulled.revised,
        pulled.forgotten
    ))?;
    Ok(exit)
}
