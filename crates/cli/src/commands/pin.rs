//! `pin`: pins a memory, so that it stays in view, or unpins it.

use crate::args::memory_id;
use crate::exit::Exit;
use crate::ui::Ui;
use backstory_app::json::PinShape;
use backstory_app::{App, AppError};
use backstory_memory::MemoryId;
use backstory_store::Pin;
use clap::Args;

/// Arguments of `pin`.
#[derive(Args, Debug)]
pub(crate) struct PinArgs {
    /// The memory's number
    #[arg(value_parser = memory_id)]
    pub(crate) id: MemoryId,
    /// Unpin it
    #[arg(long)]
    pub(crate) off: bool,
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Pins a memory.
pub(crate) fn run(args: &PinArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let pin = if args.off { Pin::Release } else { Pin::Keep };
    let mut store = app.store()?;
    ui.say_if_elsewhere(app, &store, &[args.id])?;
    app.pin(&mut store, args.id, pin)?;
    ui.answer(args.json, &PinShape { ok: true, id: args.id.0, pinned: !args.off }, || {
        ui.line(&format!("#{} is {}", args.id, if args.off { "no longer pinned" } else { "pinned" }))
    })?;
    Ok(Exit::Done)
}
