//! `revise`: gives a memory other words and keeps what it said before.

use crate::app::App;
use crate::args::memory_id;
use crate::commands::remember::{ContentArgs, answer};
use crate::failure::{Exit, Failure};
use backstory_capture::prepare;
use backstory_exchange::MemoryRecord;
use backstory_memory::{Category, Confidence, Content, Importance, MemoryId, Provenance, title_from};
use backstory_store::StoreError;
use clap::Args;

/// Arguments of `revise`.
#[derive(Args, Debug)]
pub(crate) struct ReviseArgs {
    /// The memory's number
    #[arg(value_parser = memory_id)]
    pub(crate) id: MemoryId,
    #[command(flatten)]
    pub(crate) content: ContentArgs,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Revises a memory.
pub(crate) fn run(args: &ReviseArgs, app: &App) -> Result<Exit, Failure> {
    app.ui.or_refusal(args.json, revise(args, app))
}

fn revise(args: &ReviseArgs, app: &App) -> Result<Exit, Failure> {
    let mut store = app.store()?;
    let before = store.memory(args.id)?.ok_or(StoreError::NoSuchMemory(args.id))?;
    app.say_if_elsewhere(&store, &[args.id])?;
    let line = typed(args, &before.content)?;
    let content = prepare(revised(before.content, line, args.id, app)?, &app.redactor());
    store.revise(args.id, &content, app.now)?;
    answer(app, &mut store, args.id, args.json)
}

/// Returns what was typed. With flags alone the text stays: it is read from standard input only when nothing else is given.
fn typed(args: &ReviseArgs, before: &Content) -> Result<MemoryRecord, Failure> {
    let typed = args.content.clone();
    let lists = [&typed.files, &typed.concepts, &typed.facts];
    let says_more_than_text = typed.kind.is_some()
        || typed.importance.is_some()
        || typed.pin
        || typed.everywhere
        || lists.iter().any(|list| !list.is_empty());
    if typed.text.is_some() || !says_more_than_text {
        return typed.line();
    }
    let title = typed.title.clone().or_else(|| Some(before.title.clone()));
    ContentArgs { title, ..typed }.line()
}

/// Returns the content with what was typed in place of what was there. Every door revises through here.
pub(crate) fn revised(
    before: Content,
    line: MemoryRecord,
    id: MemoryId,
    app: &App,
) -> Result<Content, Failure> {
    let title = match (&line.title, &line.body) {
        (Some(title), _) | (None, Some(title)) => title_from(title),
        (None, None) => before.title.clone(),
    };
    if title.is_empty() {
        return Err(
            Failure::user("a memory needs words").hint(format!("`backstory revise {id} \"NEW TEXT\"`"))
        );
    }
    // What the memory says becomes the user's only when the user wrote all of it: a new title over a stranger's text does not.
    let rewritten = line.body.is_some() && (before.facts.is_empty() || !line.facts.is_empty());
    let kept = |typed: Vec<String>, before: Vec<String>| if typed.is_empty() { before } else { typed };
    Ok(Content {
        kind: line.kind()?.unwrap_or(before.kind),
        category: line.category.clone().map(Category).or(before.category),
        title,
        importance: line.importance.map_or(before.importance, Importance::new),
        confidence: line.confidence.map_or(before.confidence, Confidence::new),
        provenance: if rewritten { Provenance::User } else { before.provenance },
        scope: line.scope()?.unwrap_or(before.scope),
        pinned: line.pinned.unwrap_or(before.pinned),
        valid_from: line.valid_from(app.now)?.or(before.valid_from),
        valid_to: line.valid_to(app.now)?.or(before.valid_to),
        body: line.body.unwrap_or(before.body),
        facts: kept(line.facts, before.facts),
        concepts: kept(line.concepts, before.concepts),
        files: kept(line.files, before.files),
    })
}
