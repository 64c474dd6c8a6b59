//! `forget`: removes memories for good. Only a tombstone stays, so that they cannot come back.

use crate::app::App;
use crate::args::memory_id;
use crate::failure::{ErrorCode, Exit, Failure};
use crate::ui::{memories, one_line};
use backstory_app::json;
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
pub(crate) fn run(args: &ForgetArgs, app: &App) -> Result<Exit, Failure> {
    let mut ids = args.ids.clone();
    ids.sort_unstable();
    ids.dedup();
    let mut store = app.store()?;
    for id in &ids {
        let memory = app.memory(&store, *id)?;
        if !args.yes {
            app.ui.say(&format!("#{id} {} {}", memory.content.kind, one_line(&memory.content.title)));
        }
    }
    app.say_if_elsewhere(&store, &ids)?;
    if !args.yes {
        match app.ui.confirm(&format!("Forget {} for good?", memories(ids.len() as u64))) {
            Some(true) => {}
            Some(false) => return Ok(Exit::No),
            None => {
                return Err(Failure::new(ErrorCode::ConfirmationMissing, "forgetting cannot be undone")
                    .hint("pass `--yes` to confirm"));
            }
        }
    }
    let done = app.forget(&mut store, &ids)?;
    if args.json {
        app.ui.json(&json::forget(&done))?;
        return Ok(Exit::Done);
    }
    app.ui.line(&done.headline())?;
    done.notes().iter().for_each(|note| app.ui.say(note));
    Ok(Exit::Done)
}
