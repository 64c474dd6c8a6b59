//! `distil`: derives memories from what happened, again if need be. Hooks do it at the end of each turn; running it twice changes nothing.

use crate::exit::Exit;
use crate::ui::{Ui, counted, memories, one_line};
use backstory_app::{App, AppError, json};
use clap::Args;

/// Arguments of `distil`.
#[derive(Args, Debug)]
pub(crate) struct DistilArgs {
    /// Only this session: its number, the host's name for it, or `last` for the newest of this folder's project (default: every session with something new)
    #[arg(long, value_name = "SESSION")]
    pub(crate) session: Option<String>,
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Distils.
pub(crate) fn run(args: &DistilArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let mut store = app.store()?;
    let done = app.distil(&mut store, args.session.as_deref())?;
    if args.json {
        ui.json(&json::distilled(&done))?;
        return Ok(Exit::Done);
    }
    for memory in &done.written {
        let content = &memory.content;
        ui.line(&format!("#{} {:<9} {}", memory.id, content.kind, one_line(&content.title)))?;
    }
    let (sessions, new) = (counted(done.sessions, "session"), memories(done.written.len() as u64));
    ui.line(&format!("{sessions} read: {new} new, {} brought up to date", done.updated.len()))?;
    Ok(Exit::Done)
}
