//! `revise`: gives a memory other words and keeps what it said before.

use crate::args::memory_id;
use crate::commands::remember::{ContentArgs, answer, input};
use crate::exit::Exit;
use crate::ui::Ui;
use backstory_app::remember::{MemoryInput, ReviseRequest};
use backstory_app::{App, AppError};
use backstory_exchange::MemoryRecord;
use backstory_memory::MemoryId;
use clap::Args;

/// Arguments of `revise`.
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
pub(crate) fn run(args: &ReviseArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let mut store = app.store()?;
    app.memory(&store, args.id)?;
    ui.say_if_elsewhere(app, &store, &[args.id])?;
    let changes = typed(args, app)?;
    let memory = app.revise(&mut store, ReviseRequest { id: args.id, changes })?;
    answer(app, ui, &mut store, &memory, args.json)
}

/// Returns what was typed. With flags alone the text stays: standard input is read only when nothing else says what to change.
fn typed(args: &ReviseArgs, app: &App) -> Result<MemoryInput, AppError> {
    let typed = args.content.clone();
    let lists = [&typed.files, &typed.concepts, &typed.facts];
    let says_more_than_text = typed.kind.is_some()
        || typed.importance.is_some()
        || typed.pin
        || typed.everywhere
        || lists.iter().any(|list| !list.is_empty());
    let mut record = if typed.text.is_some() || !says_more_than_text {
        typed.record()?
    } else {
        typed.record_of_flags(MemoryRecord::default())
    };
    input(&mut record, app)
}
