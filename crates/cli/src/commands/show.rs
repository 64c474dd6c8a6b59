//! `show`: memories whole. Asking for one is using it.

use crate::args::memory_id;
use crate::exit::Exit;
use crate::ui::{Tone, Ui, one_line};
use backstory_app::error::SEARCH_FINDS;
use backstory_app::json::{self, MemoryShape, ShowShape};
use backstory_app::{App, AppError, ErrorCode};
use backstory_memory::{Content, Memory, MemoryId, clean, on_one_line};
use backstory_store::StoreError;
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
        let gap = if position == 0 { "" } else { "\n" };
        ui.raw(&format!("{gap}{}", words(shape, memory, ui)))?;
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

fn words(memory: &MemoryShape, stored: &Memory, ui: &Ui) -> String {
    let content = &stored.content;
    let head = &memory.head;
    let title = ui.tone(Tone::Strong, &format!("#{} {}", head.id, one_line(&head.title)));
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
    facts.extend(stored.failure_state().map(str::to_owned));
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
    let mut text = format!("{title}\n{}\n", ui.tone(Tone::Faint, &facts.join("\n")));
    if content.body.trim() != head.title.trim() {
        text += &format!("\n{}\n", clean(content.body.trim_end()));
    }
    let Content { facts, concepts, files, .. } = content;
    for (label, items) in [("facts", facts), ("concepts", concepts), ("files", files)] {
        if !items.is_empty() {
            let items: Vec<String> =
                items.iter().map(|item| format!("  - {}\n", clean(&on_one_line(item)))).collect();
            text += &format!("\n{label}\n{}", items.concat());
        }
    }
    for link in &memory.links {
        text += &format!("\n#{} {} #{}", link.from, link.relation, link.to);
    }
    text.trim_end().to_owned() + "\n"
}
