//! `supersede`: writes a memory that replaces another.

use crate::app::App;
use crate::args::memory_id;
use crate::commands::remember::{ContentArgs, answer, input};
use crate::failure::{Exit, Failure};
use backstory_app::remember::SupersedeRequest;
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
pub(crate) fn run(args: SupersedeArgs, app: &App) -> Result<Exit, Failure> {
    let mut store = app.store()?;
    app.say_if_elsewhere(&store, &[args.id])?;
    let memory = input(&mut args.content.record()?, app)?;
    let memory = app.supersede(&mut store, SupersedeRequest { id: args.id, memory })?;
    answer(app, &mut store, &memory, args.json)
}
