//! Codex, as 0.166.0 speaks (`tests/fixtures`): Claude Code's words, and stricter about ours.
//!
//! It does not say how a command ended, but its own record of the session does by then. A patch that does not apply, and one
//! that a shell applies, it tells nobody about.

use crate::answers::{Answers, Limit, Shape};
use crate::lenient::Json;
use crate::wire::{Dialect, Event, ToolUse};
use backstory_memory::{Ended, Happening};

pub(crate) const DIALECT: Dialect = Dialect {
    events: &[
        ("SessionStart", Event::SessionStart),
        ("UserPromptSubmit", Event::Prompt),
        ("PreToolUse", Event::BeforeTool),
        ("PostToolUse", Event::ToolUse),
        ("Stop", Event::TurnEnd),
        ("SubagentStart", Event::SubagentStart),
        ("SubagentStop", Event::SubagentEnd),
        ("PreCompact", Event::Compacting),
        ("SessionEnd", Event::SessionEnd),
        ("PostCompact", Event::Passed("it says nothing")),
        ("PermissionRequest", Event::Passed("nothing was done yet")),
    ],
    our_tools: &["mcp__backstory__"],
    is_mcp: |name| name.starts_with("mcp__"),
    told_otherwise: &[],
    ran,
    leaves_out: |happening| matches!(happening, Happening::Ran { ended: Ended::Unknown, .. }),
    keeps_what_it_is_told: true,
    answers: Answers {
        shape: Shape::Nested,
        session: "SessionStart",
        prompt: "UserPromptSubmit",
        tool: Some("PreToolUse"),
        // What is said there nobody reads.
        compaction: None,
        to_user: Some("systemMessage"),
        most: Limit::Bytes(10_000),
    },
};

fn ran(tool: &ToolUse<'_, '_>) -> (String, Ended) {
    let ended = if tool.is_interrupted { Ended::Interrupted } else { Ended::Unknown };
    (tool.response.words(), ended)
}

/// Returns how a command ended, from the end of the host's own record.
pub(crate) fn end_of_command(record: &str, call: &str) -> Option<Ended> {
    let lines =
        record.lines().rev().filter(|line| line.contains("\"CommandExecution\"") && line.contains(call));
    lines.map(Json::read).find_map(|line| {
        let item = line.get("payload").get("item");
        match item.get("exit_code") {
            _ if item.str("id") != call => None,
            Json::Number("0") => Some(Ended::Well),
            // It was ended from outside.
            Json::Number("-1") => Some(Ended::Interrupted),
            Json::Number(_) => Some(Ended::Badly),
            _ => None,
        }
    })
}
