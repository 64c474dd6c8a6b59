//! Codex, as 0.166.0 speaks (`tests/fixtures`): Claude Code's words, and stricter about ours.
//!
//! It does not say how a command status, but its own record of the session does by then. A patch that does not apply, and one
//! that a shell applies, it tells nobody about.

use crate::answers::{Answers, Limit, Shape};
use crate::lenient::Json;
use crate::wire::{Dialect, Event, ToolUse};
use backstory_memory::{Activity, ExitStatus};

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
    leaves_out: |activity| matches!(activity, Activity::Ran { status: ExitStatus::Unknown, .. }),
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

fn ran(tool: &ToolUse<'_, '_>) -> (String, ExitStatus) {
    let status = if tool.is_interrupted { ExitStatus::Interrupted } else { ExitStatus::Unknown };
    (tool.response.words(), status)
}

/// Returns how a command status, from the end of the host's own record.
pub(crate) fn end_of_command(record: &str, call: &str) -> Option<ExitStatus> {
    let lines =
        record.lines().rev().filter(|line| line.contains("\"CommandExecution\"") && line.contains(call));
    lines.map(Json::read).find_map(|line| {
        let item = line.get("payload").get("item");
        match item.get("exit_code") {
            _ if item.str("id") != call => None,
            Json::Number("0") => Some(ExitStatus::Success),
            // It was status from outside.
            Json::Number("-1") => Some(ExitStatus::Interrupted),
            Json::Number(_) => Some(ExitStatus::Failure),
            _ => None,
        }
    })
}
