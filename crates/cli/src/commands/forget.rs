//! `forget`: removes memories for good. Only a tombstone stays, so that they cannot come back.

use crate::args::memory_id;
use crate::exit::Exit;
use crate::ui::{Ui, memories, one_line};
use backstory_app::{App, AppError, ErrorCode, json};
use backstory_memory::MemoryId;
use clap::Args;

/// Arguments of `forget`.
#[derive(Args, Debug)]
pub(crate) struct ForgetArgs {
    /// The memories' numbers
    #[arg(required = true, value_parser = memory_id)]
    pub(crate) ids: Vec<MemoryId>,
    /// Do not ask for confirmation
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Forgets memories.
pub(crate) fn run(args: &ForgetArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let mut ids = args.ids.clone();
    ids.sort_unstable();
    ids.dedup();
    let mut store = app.store()?;
    for id in &ids {
        let memory = app.memory(&store, *id)?;
        if !args.yes {
            ui.say(&format!("#{id} {} {}", memory.content.kind, one_line(&memory.content.title)));
        }
    }
    ui.say_if_elsewhere(app, &store, &ids)?;
    if !args.yes {
        match ui.confirm(&format!("Forget {} for good?", memories(ids.len() as u64))) {
            Some(true) => {}
            Some(false) => return Ok(Exit::No),
            None => {
                return Err(AppError::new(ErrorCode::ConfirmationMissing, "forgetting cannot be undone")
                    .hint("pass `--yes` to confirm"));
            }
        }
    }
    let done = app.forget(&mut store, &ids)?;
    if args.json {
        ui.json(&json::forget(&done))?;
        return Ok(Exit::Done);
    }
    ui.line(&done.headline())?;
    done.notes().iter().for_each(|note| ui.say(note));
    Ok(Exit::Done)
}
