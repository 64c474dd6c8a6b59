//! `index`: rebuilds what is derived from the memories.

use crate::exit::Exit;
use crate::progress::with_bar;
use crate::ui::{Ui, memories};
use backstory_app::upkeep::RebuildTarget;
use backstory_app::{App, AppError};
use clap::Args;

/// Arguments of `index`.
#[derive(Args, Debug)]
pub(crate) struct IndexArgs {
    /// Rebuild all vectors, or continue where that was interrupted (default: rebuild the word index, and make the vectors that are missing)
    #[arg(long)]
    pub(crate) vectors: bool,
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Rebuilds the word index, or the vectors.
pub(crate) fn run(args: &IndexArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let mut store = app.store()?;
    let scope = if args.vectors { RebuildTarget::Vectors } else { RebuildTarget::Words };
    let done = with_bar(|on_progress| app.index(&mut store, scope, on_progress))?;
    if args.json {
        ui.json(&done)?;
        return Ok(Exit::Done);
    }
    if !args.vectors {
        ui.line(&format!("indexed {}", memories(done.memories)))?;
    }
    if args.vectors || done.embedded > 0 {
        ui.line(&format!("made the vectors of {}", memories(done.embedded)))?;
    }
    if done.another_process_embeds {
        ui.say("note: another process is making vectors; the rest is left to it");
    }
    Ok(Exit::Done)
}
