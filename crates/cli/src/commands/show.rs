//! `show`: memories whole. An agent that asks for one uses it.

use crate::args::memory_id;
use crate::exit::Exit;
use crate::layout::wrap_lines;
use crate::ui::{Tone, Ui, one_line};
use backstory_app::error::SEARCH_FINDS;
use backstory_app::json::{self, LinkShape, MemoryShape, ShowShape};
use backstory_app::{App, AppError, ErrorCode};
use backstory_memory::{Content, Memory, MemoryId, clean, on_one_line};
use backstory_store::{Store, StoreError};
use clap::Args;

/// Arguments of `show`.
#[derive(Args, Debug)]
pub(crate) struct ShowArgs {
    /// The memories' numbers
    #[arg(required = true, value_parser = memory_id)]
    pub(crate) ids: Vec<MemoryId>,
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Shows memories.
pub(crate) fn run(args: &ShowArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let mut store = app.store_to_read()?;
    let shown = app.show(&mut store, &args.ids)?;
    let ShowShape { memories, missing, .. } = json::show(&store, &shown)?;
    if args.json {
        let exit = if missing.is_empty() { Exit::Done } else { Exit::No };
        ui.json(&ShowShape { version: 1, memories, missing })?;
        return Ok(exit);
    }
    for (position, (shape, memory)) in memories.iter().zip(&shown.memories).enumerate() {
        if position > 0 {
            ui.line("")?;
        }
        print((shape, memory), &store, app, ui)?;
    }
    match missing.as_slice() {
        [] => Ok(Exit::Done),
        [only] => Err(StoreError::NoSuchMemory(MemoryId(*only)).into()),
        several => {
            let numbers: Vec<String> = several.iter().map(|id| format!("#{id}")).collect();
            let message = format!("there are no memories {}", numbers.join(", "));
            Err(AppError::new(ErrorCode::NoSuchMemory, message).hint(SEARCH_FINDS))
        }
    }
}

fn print(
    (memory, stored): (&MemoryShape, &Memory),
    store: &Store,
    app: &App,
    ui: &Ui,
) -> Result<(), AppError> {
    let content = &stored.content;
    let head = &memory.head;
    let number = format!("#{}", head.id);
    let title = ui.tone(Tone::Strong, &one_line(&head.title));
    ui.wrapped(&format!("{} ", ui.tone(Tone::Faint, &number)), &title, number.len() + 1)?;
    let (project, provenance) = (one_line(&head.project), one_line(&head.provenance));
    let when = ui.clock.both(stored.created_at, app.now);
    let origin = format!("· {project} · {when} · from {provenance}");
    ui.wrapped("", &format!("{} {}", ui.kind(&head.kind), ui.tone(Tone::Faint, &origin)), 0)?;
    for fact in facts(memory, stored) {
        ui.wrapped("", &ui.tone(Tone::Faint, &fact), 2)?;
    }
    if content.body.trim() != head.title.trim() && !content.body.trim().is_empty() {
        ui.line(&format!("\n{}", wrap_lines(&clean(content.body.trim_end()), ui.width(), 0)))?;
    }
    // The text of a failure ends with its facts: once is enough.
    let is_new = |fact: &&String| !content.body.lines().any(|line| line.trim() == fact.trim());
    let facts: Vec<String> = content.facts.iter().filter(is_new).cloned().collect();
    let Content { concepts, files, .. } = content;
    for (label, items) in [("facts", &facts), ("concepts", concepts), ("files", files)] {
        if !items.is_empty() {
            ui.line(&format!("\n{}", ui.tone(Tone::Strong, label)))?;
        }
        items.iter().try_for_each(|item| ui.wrapped("  - ", &clean(&on_one_line(item)), 4))?;
    }
    for (position, link) in memory.links.iter().enumerate() {
        let gap = if position == 0 { "\n" } else { "" };
        let (words, other) = relation_words(link, head.id);
        let title = app.title(store, MemoryId(other))?.map(|title| one_line(&title)).unwrap_or_default();
        ui.wrapped(&format!("{gap}{words} "), &format!("#{other} {title}"), 2)?;
    }
    Ok(())
}

/// Says how a memory hangs together with another one, seen from it, and which one that is.
fn relation_words(link: &LinkShape, this: i64) -> (&str, i64) {
    let (other, is_ours) = if link.from == this { (link.to, true) } else { (link.from, false) };
    let words = match (link.relation, is_ours) {
        ("supersedes", true) => "supersedes",
        ("supersedes", false) => "superseded by",
        ("contradicts", _) => "contradicts",
        ("derived_from", true) => "derived from",
        ("derived_from", false) => "led to",
        _ => "relates to",
    };
    (words, other)
}

/// Returns what is known of a memory beside its text, a line each.
fn facts(memory: &MemoryShape, stored: &Memory) -> Vec<String> {
    let head = &memory.head;
    let mut facts = vec![format!(
        "importance {} · confidence {:.2} · seen {}× · used {}×",
        head.importance, head.confidence, memory.times_seen, memory.times_used
    )];
    facts.extend(stored.failure_state().map(str::to_owned));
    if head.pinned {
        facts.push("pinned".to_owned());
    }
    // With its title below, where the relation is kept.
    if let Some(by) = head.superseded_by
        && !memory.links.iter().any(|link| link.from == by)
    {
        facts.push(format!("superseded by #{by}"));
    }
    match memory.freshness {
        Some("changed") => facts.push("the code it speaks of has changed since".to_owned()),
        Some("gone") => facts.push("the code it speaks of is gone".to_owned()),
        _ => {}
    }
    if let Some(session) = head.session {
        facts.push(format!("from session {session}: `backstory sessions show {session}`"));
    }
    if !memory.intact {
        facts.push("damaged on disk: run `backstory doctor --full`".to_owned());
    }
    facts
}
