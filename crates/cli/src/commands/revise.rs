//! `revise`: gives a memory other words and keeps what it said before.

use crate::app::App;
use crate::commands::remember::{ContentArgs, answer};
use crate::failure::{Exit, Failure};
use backstory_capture::prepare;
use backstory_memory::{Draft, Importance, MemoryId, Trust, title_from};
use backstory_store::StoreError;
use clap::Args;

/// Arguments of `revise`.
#[derive(Args, Debug)]
pub(crate) struct ReviseArgs {
    /// The memory's number
    pub(crate) id: i64,
    #[command(flatten)]
    pub(crate) content: ContentArgs,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Revises a memory.
pub(crate) fn run(args: &ReviseArgs, app: &App) -> Result<Exit, Failure> {
    let id = MemoryId(args.id);
    let mut store = app.store()?;
    let before = store.memory(id)?.ok_or(StoreError::NoSuchMemory(id))?;
    let content = prepare(revised(before.content, args)?, &app.redactor());
    store.revise(id, &content, app.now)?;
    answer(app, &store, id, args.json)
}

/// Returns the content with what was typed in place of what was there.
fn revised(before: Draft, args: &ReviseArgs) -> Result<Draft, Failure> {
    let typed = args.content.clone();
    let changes_more_than_text = typed.kind.is_some()
        || typed.importance.is_some()
        || typed.pin
        || [&typed.files, &typed.concepts, &typed.facts].iter().any(|list| !list.is_empty());
    // With flags alone the text stays; it is read from standard input only when nothing else is given.
    let line = if typed.text.is_none() && changes_more_than_text {
        ContentArgs { title: Some(before.title.clone()), ..typed }.line()?
    } else {
        typed.line()?
    };
    let title = match (&line.title, &line.body) {
        (Some(title), _) | (None, Some(title)) => title_from(title),
        (None, None) => before.title.clone(),
    };
    if title.is_empty() {
        return Err(Failure::user("a memory needs words")
            .hint(format!("`backstory revise {} \"NEW TEXT\"`", args.id)));
    }
    let kept = |typed: Vec<String>, before: Vec<String>| if typed.is_empty() { before } else { typed };
    Ok(Draft {
        kind: match &line.kind {
            Some(kind) => kind.parse().map_err(|error| crate::lines::unknown_kind(&error))?,
            None => before.kind,
        },
        title,
        body: line.body.unwrap_or(before.body),
        facts: kept(line.facts, before.facts),
        concepts: kept(line.concepts, before.concepts),
        files: kept(line.files, before.files),
        importance: line.importance.map_or(before.importance, Importance::new),
        pinned: line.pinned.unwrap_or(before.pinned),
        // New words are the user's; what the memory says may only become what a person wrote by a person writing it.
        trust: if args.content.text.is_some() { Trust::User } else { before.trust },
        ..before
    })
}
