//! `supersede`: writes a memory that replaces another.

use crate::app::App;
use crate::args::memory_id;
use crate::commands::remember::{ContentArgs, answer, new_memory, refuse_taken_uid};
use crate::failure::{Exit, Failure};
use backstory_exchange::MemoryRecord;
use backstory_memory::{MemoryId, Provenance};
use backstory_store::{Store, StoreError};
use clap::Args;

/// Arguments of `supersede`.
#[derive(Args, Debug)]
pub(crate) struct SupersedeArgs {
    /// The number of the memory that no longer holds
    #[arg(value_parser = memory_id)]
    pub(crate) id: MemoryId,
    #[command(flatten)]
    pub(crate) content: ContentArgs,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Supersedes a memory.
pub(crate) fn run(args: SupersedeArgs, app: &App) -> Result<Exit, Failure> {
    let json = args.json;
    app.ui.or_refusal(json, supersede(args, app))
}

fn supersede(args: SupersedeArgs, app: &App) -> Result<Exit, Failure> {
    let mut store = app.store()?;
    app.say_if_elsewhere(&store, &[args.id])?;
    let id = replace(&mut store, args.id, args.content.line()?, app)?;
    answer(app, &mut store, id, args.json)
}

/// Writes what replaces a memory. Every door supersedes through here.
pub(crate) fn replace(
    store: &mut Store,
    old: MemoryId,
    mut line: MemoryRecord,
    app: &App,
) -> Result<MemoryId, Failure> {
    let before = store.memory(old)?.ok_or(StoreError::NoSuchMemory(old))?;
    // What replaces a decision is a decision, unless someone says otherwise.
    line.kind = line.kind.or_else(|| Some(before.content.kind.to_string()));
    line.scope = line.scope.or_else(|| Some(before.content.scope.as_str().to_owned()));
    let memory = new_memory(&line, Provenance::User, before.project, app)?;
    refuse_taken_uid(store, &memory)?;
    Ok(store.supersede(old, &memory)?)
}
