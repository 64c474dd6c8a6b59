//! `supersede`: writes a memory that replaces another.

use crate::app::App;
use crate::commands::remember::{ContentArgs, answer, new_memory};
use crate::failure::{Exit, Failure};
use backstory_memory::MemoryId;
use backstory_store::StoreError;
use clap::Args;

/// Arguments of `supersede`.
#[derive(Args, Debug)]
pub(crate) struct SupersedeArgs {
    /// The number of the memory that no longer holds
    pub(crate) id: i64,
    #[command(flatten)]
    pub(crate) content: ContentArgs,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Supersedes a memory.
pub(crate) fn run(args: SupersedeArgs, app: &App) -> Result<Exit, Failure> {
    let old = MemoryId(args.id);
    let mut store = app.store()?;
    let before = store.memory(old)?.ok_or(StoreError::NoSuchMemory(old))?;
    let mut line = args.content.line()?;
    // What replaces a decision is a decision, unless someone says otherwise.
    line.kind = line.kind.or_else(|| Some(before.content.kind.to_string()));
    line.scope = line.scope.or_else(|| Some(before.content.scope.as_str().to_owned()));
    let memory = new_memory(&line, before.project, app)?;
    let id = store.supersede(old, &memory)?;
    answer(app, &store, id, args.json)
}
