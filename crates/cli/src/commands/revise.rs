//! `revise` gives a memory other words and keeps what it said before; `supersede` writes a memory that replaces another.

use crate::args::memory_id;
use crate::commands::remember::{ContentArgs, answer};
use crate::exit::Exit;
use crate::ui::Ui;
use backstory_app::remember::{MemoryRecord, ReviseRequest, SupersedeRequest};
use backstory_app::{App, AppError};
use backstory_memory::MemoryId;
use clap::Args;

/// Arguments of `revise` and `supersede`.
#[derive(Args, Debug)]
pub(crate) struct ReviseArgs {
    /// The memory's number
    #[arg(value_parser = memory_id)]
    pub(crate) id: MemoryId,
    #[command(flatten)]
    pub(crate) content: ContentArgs,
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Revises a memory.
pub(crate) fn run(args: ReviseArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let mut store = app.store()?;
    app.memory(&store, args.id)?;
    ui.say_if_elsewhere(app, &store, &[args.id])?;
    let changes = changes(args.content)?;
    let memory = app.revise(&mut store, ReviseRequest { id: args.id, changes })?;
    answer(app, ui, &mut store, &memory, args.json)
}

/// Supersedes a memory.
pub(crate) fn run_supersede(args: ReviseArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let mut store = app.store()?;
    ui.say_if_elsewhere(app, &store, &[args.id])?;
    let memory = args.content.record()?;
    let memory = app.supersede(&mut store, SupersedeRequest { id: args.id, memory })?;
    answer(app, ui, &mut store, &memory, args.json)
}

/// Returns what was typed. With flags alone the text stays: standard input is read only when nothing else says what to change.
fn changes(typed: ContentArgs) -> Result<MemoryRecord, AppError> {
    let lists = [&typed.files, &typed.concepts, &typed.facts];
    let says_more_than_text = typed.kind.is_some()
        || typed.importance.is_some()
        || typed.pin
        || typed.everywhere
        || lists.iter().any(|list| !list.is_empty());
    if typed.text.is_some() || !says_more_than_text {
        return typed.record();
    }
    Ok(typed.lay_flags(MemoryRecord::default()))
}
