//! `show`: memories whole. Asking for one is using it.

use crate::app::{App, noted_if_it_could_be};
use crate::args::memory_id;
use crate::failure::{Exit, Failure, SEARCH_FINDS};
use crate::shapes::{self, MemoryShape};
use crate::ui::{Tone, one_line};
use backstory_memory::{MemoryId, clean};
use backstory_store::{Store, StoreError, UseKind};
use clap::Args;
use serde::Serialize;

/// Arguments of `show`.
#[derive(Args, Debug)]
pub(crate) struct ShowArgs {
    /// The memories' numbers
    #[arg(required = true, value_parser = memory_id)]
    pub(crate) ids: Vec<MemoryId>,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Memories whole, for other programs.
#[derive(Serialize)]
pub(crate) struct Shown {
    version: u32,
    pub(crate) memories: Vec<MemoryShape>,
    pub(crate) missing: Vec<i64>,
}

/// Shows memories.
pub(crate) fn run(args: &ShowArgs, app: &App) -> Result<Exit, Failure> {
    let mut store = app.store_to_read()?;
    let Shown { memories, missing, .. } = whole(&mut store, &args.ids, app)?;
    if args.json {
        let exit = if missing.is_empty() { Exit::Done } else { Exit::No };
        app.ui.json(&Shown { version: 1, memories, missing })?;
        return Ok(exit);
    }
    for (position, memory) in memories.iter().enumerate() {
        let gap = if position == 0 { "" } else { "\n" };
        app.ui.raw(&format!("{gap}{}", words(memory, app)))?;
    }
    match missing.as_slice() {
        [] => Ok(Exit::Done),
        [only] => Err(StoreError::NoSuchMemory(MemoryId(*only)).into()),
        several => {
            let numbers: Vec<String> = several.iter().map(|id| format!("#{id}")).collect();
            Err(Failure::user(format!("there are no memories {}", numbers.join(", "))).hint(SEARCH_FINDS))
        }
    }
}

/// Reads memories whole, which is using them.
pub(crate) fn whole(store: &mut Store, ids: &[MemoryId], app: &App) -> Result<Shown, Failure> {
    let (mut memories, mut missing) = (Vec::new(), Vec::new());
    for id in ids {
        match store.memory(*id)? {
            Some(memory) => memories.push(shapes::memory(store, &memory)?),
            None => missing.push(id.0),
        }
    }
    let found: Vec<MemoryId> = memories.iter().map(|memory| MemoryId(memory.head.id)).collect();
    note_fetched(store, &found, app)?;
    Ok(Shown { version: 1, memories, missing })
}

/// Notes that memories were asked for whole. A store that cannot be written, or is busy, is still worth reading.
pub(crate) fn note_fetched(store: &mut Store, ids: &[MemoryId], app: &App) -> Result<(), Failure> {
    noted_if_it_could_be(store.mark_used(ids, UseKind::Fetched, app.now))
}

fn words(memory: &MemoryShape, app: &App) -> String {
    let head = &memory.head;
    let title = app.ui.tone(Tone::Strong, &format!("#{} {}", head.id, one_line(&head.title)));
    let mut facts = vec![
        format!(
            "{} · {} · {} · from {}",
            head.kind,
            one_line(&head.project),
            head.created_at,
            one_line(&head.provenance)
        ),
        format!(
            "importance {} · confidence {:.2} · seen {}× · used {}×",
            head.importance, head.confidence, memory.times_seen, memory.times_used
        ),
    ];
    if head.pinned {
        facts.push("pinned".to_owned());
    }
    if let Some(by) = head.superseded_by {
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
    let mut text = format!("{title}\n{}\n", app.ui.tone(Tone::Faint, &facts.join("\n")));
    if memory.body.trim() != head.title.trim() {
        text += &format!("\n{}\n", clean(memory.body.trim_end()));
    }
    for (label, items) in [("facts", &memory.facts), ("concepts", &memory.concepts), ("files", &memory.files)]
    {
        if !items.is_empty() {
            let items: Vec<String> = items.iter().map(|item| format!("  - {}\n", clean(item))).collect();
            text += &format!("\n{label}\n{}", items.concat());
        }
    }
    for link in &memory.links {
        text += &format!("\n#{} {} #{}", link.from, link.relation, link.to);
    }
    text.trim_end().to_owned() + "\n"
}
