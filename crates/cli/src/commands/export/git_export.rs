//! `export --git DIR`: pushes to a team through a folder in git.

use super::ExportArgs;
use crate::exit::Exit;
use crate::outgoing_words::{print_outgoing, print_refused};
use crate::ui::{Ui, counted, memories, one_line};
use backstory_app::teams::GitFolderRequest;
use backstory_app::{App, AppError};

/// Exports to a folder in git.
pub(super) fn run(dir: &str, args: &ExportArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let request =
        GitFolderRequest { dir: dir.into(), project: args.project.clone(), author: args.r#as.clone() };
    let on_note = |note: &str| ui.say(note);
    let teams = app.teams(&on_note);
    let pushed = if args.dry_run { teams.preview_git_push(&request) } else { teams.push_to_git(&request) }?;
    let exit = if pushed.refused.count == 0 { Exit::Done } else { Exit::No };
    if args.json {
        ui.json(&pushed)?;
        return Ok(exit);
    }
    print_refused(&pushed.refused, ui);
    let (count, project) = (memories(pushed.memories), one_line(&pushed.project));
    let (author, forgotten) = (&pushed.author, pushed.forgotten);
    if let Some(outgoing) = &pushed.outgoing {
        let kept_local = pushed.kept_local;
        ui.sentence(&format!(
            "`{project}` would push {count} as {author}, {forgotten} forgotten; {kept_local} kept local"
        ))?;
        outgoing.iter().try_for_each(|memory| print_outgoing(memory, ui))?;
        return Ok(exit);
    }
    let (added, removed) = (counted(pushed.written, "file"), pushed.removed);
    ui.sentence(&format!(
        "`{project}` pushed {count} as {author}, {forgotten} forgotten: {added} added, {removed} removed"
    ))?;
    Ok(exit)
}
