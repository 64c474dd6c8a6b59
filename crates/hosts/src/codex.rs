//! Codex, as 0.166.0 speaks (`tests/fixtures`): Claude Code's words, and stricter about ours.
//!
//! A payload does not say how a command ended; the host's own transcript does by then. No event reports a patch that did not
//! apply, nor one that a shell applied.

use crate::dialect::{Dialect, HookEvent, HookToolUse};
use crate::lenient::LenientJson;
use crate::reply::{ReplyFormat, ReplyLimit, ReplyShape};
use backstory_memory::{Activity, ExitStatus};

pub(crate) const DIALECT: Dialect = Dialect {
    events: &[
        ("SessionStart", HookEvent::SessionStart),
        ("UserPromptSubmit", HookEvent::Prompt),
        ("PreToolUse", HookEvent::BeforeTool),
        ("PostToolUse", HookEvent::ToolUse),
        ("Stop", HookEvent::TurnEnd),
        ("SubagentStart", HookEvent::SubagentStart),
        ("SubagentStop", HookEvent::SubagentEnd),
        ("PreCompact", HookEvent::Compacting),
        ("SessionEnd", HookEvent::SessionEnd),
        ("PostCompact", HookEvent::Ignored("it says nothing")),
        ("PermissionRequest", HookEvent::Ignored("nothing was done yet")),
    ],
    our_tools: &["mcp__backstory__"],
    is_mcp: |name| name.starts_with("mcp__"),
    reported_elsewhere: &[],
    ran,
    is_incomplete: |activity| matches!(activity, Activity::Ran { status: ExitStatus::Unknown, .. }),
    keeps_injected_context: true,
    replies: ReplyFormat {
        shape: ReplyShape::Nested,
        session: "SessionStart",
        prompt: "UserPromptSubmit",
        tool: Some("PreToolUse"),
        // What is said there nobody reads.
        compaction: None,
        to_user: Some("systemMessage"),
        limit: ReplyLimit::Bytes(10_000),
    },
};

fn ran(tool: &HookToolUse<'_, '_>) -> (String, ExitStatus) {
    let status = if tool.is_interrupted { ExitStatus::Interrupted } else { ExitStatus::Unknown };
    (tool.response.words(), status)
}

/// Returns how a command ended, from the end of the host's own transcript.
pub(crate) fn exit_status_in(transcript: &str, call: &str) -> Option<ExitStatus> {
    let lines =
        transcript.lines().rev().filter(|line| line.contains("\"CommandExecution\"") && line.contains(call));
    lines.map(LenientJson::read).find_map(|line| {
        let item = line.get("payload").get("item");
        match item.get("exit_code") {
            _ if item.str("id") != call => None,
            LenientJson::Number("0") => Some(ExitStatus::Success),
            // It was killed from outside.
            LenientJson::Number("-1") => Some(ExitStatus::Interrupted),
            LenientJson::Number(_) => Some(ExitStatus::Failure),
            _ => None,
        }
    })
}
