//! The session-start block: where the work stands, what holds, what was done lately.

use crate::{Block, Item, Layer, assemble, relative};
use backstory_memory::{Kind, Memory, Timestamp, Tokens, clean, first_chars};

/// Builds the block a new session of a project is given, from its memories, newest first.
#[must_use]
pub fn session_start(memories: &[Memory], budget: Tokens, now: Timestamp) -> Block {
    let layer = |name, heading, cap, kinds: &[Kind]| Layer {
        name,
        heading,
        cap: Tokens(cap),
        items: memories
            .iter()
            .filter(|memory| kinds.contains(&memory.content.kind))
            .map(|memory| item(memory, now))
            .collect(),
    };
    let layers = [
        layer("handoff", "Where the work stands", 400, &[Kind::Handoff, Kind::Summary]),
        layer(
            "knowledge",
            "Project knowledge",
            500,
            &[Kind::Learning, Kind::Pattern, Kind::Decision, Kind::Failure],
        ),
        layer(
            "work",
            "Recent work",
            600,
            &[Kind::Feature, Kind::Bugfix, Kind::Refactor, Kind::Change, Kind::Discovery],
        ),
    ];
    assemble(&layers, budget)
}

fn item(memory: &Memory, now: Timestamp) -> Item {
    let title = clean(first_chars(&memory.content.title, 80)).replace('\n', " ");
    Item { memory: memory.id, line: format!("[{}] {title}", relative(memory.created_at, now)) }
}
