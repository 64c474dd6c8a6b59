//! `supersede`: writes a memory that replaces another.

use crate::args::memory_id;
use crate::commands::remember::{ContentArgs, answer, input};
use crate::exit::Exit;
use crate::ui::Ui;
use backstory_app::remember::SupersedeRequest;
use backstory_app::{App, AppError};
use backstory_memory::MemoryId;
use clap::Args;

/// Arguments of `supersede`.
#[derive(Args, Debug)]
pub(crate) struct SupersedeArgs {
    /// The number of the memory that no longer holds
    #[arg(value_parser = memory_id)]
    pub(crate) id: MemoryId,
    #[command(flatten)]
    pub(crate) content: ContentArgs,
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Supersedes a memory.
pub(crate) fn run(args: SupersedeArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let mut store = app.store()?;
    ui.say_if_elsewhere(app, &store, &[args.id])?;
    let memory = input(&mut args.content.record()?, app)?;
    let memory = app.supersede(&mut store, SupersedeRequest { id: args.id, memory })?;
    answer(app, ui, &mut store, &memory, args.json)
}
