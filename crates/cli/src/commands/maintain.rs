//! `maintain`: the maintenance that is due. Started by hooks at the end of a session, never waited for.

use crate::exit::Exit;
use crate::ui::{Ui, memories};
use backstory_app::{App, AppError};
use clap::Args;

/// Arguments of `maintain`.
#[derive(Args, Debug)]
pub(crate) struct MaintainArgs {
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Does the maintenance.
pub(crate) fn run(args: &MaintainArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let done = app.maintain(&mut app.store()?)?;
    if args.json {
        ui.json(&done)?;
        return Ok(Exit::Done);
    }
    if done.sessions_distilled > 0 {
        ui.line(&format!("unfinished sessions distilled: {}", done.sessions_distilled))?;
    }
    ui.line(&format!("old events removed: {}; bytes freed: {}", done.events_removed, done.bytes_freed))?;
    if let Some(path) = &done.backup {
        ui.line(&format!("copied the database to {path}"))?;
    }
    if done.embedded > 0 {
        ui.line(&format!("made the vectors of {}", memories(done.embedded)))?;
    }
    Ok(Exit::Done)
}
