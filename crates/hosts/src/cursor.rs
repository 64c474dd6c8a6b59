//! Cursor, by its documentation: nobody has recorded it here.
//!
//! It reports an edit and a command twice: once as such and once as a tool use. Edits are taken from the first, which has what was
//! replaced; commands from the second, which says how they ended.

use crate::dialect::{Dialect, HookEvent, HookToolUse};
use crate::lenient::LenientJson;
use crate::reply::{ReplyFormat, ReplyLimit, ReplyShape};
use backstory_memory::ExitStatus;

pub(crate) const DIALECT: Dialect = Dialect {
    events: &[
        ("sessionStart", HookEvent::SessionStart),
        ("beforeSubmitPrompt", HookEvent::Prompt),
        ("postToolUse", HookEvent::ToolUse),
        ("postToolUseFailure", HookEvent::ToolFailure),
        ("afterFileEdit", HookEvent::Edit),
        // What the agent says; `stop` says only that it is over.
        ("afterAgentResponse", HookEvent::TurnEnd),
        ("subagentStart", HookEvent::SubagentStart),
        ("subagentStop", HookEvent::SubagentEnd),
        ("preCompact", HookEvent::Compacting),
        ("sessionEnd", HookEvent::SessionEnd),
        ("stop", HookEvent::Ignored("its words come by themselves")),
        ("preToolUse", HookEvent::Ignored("nothing was done yet")),
        ("beforeShellExecution", HookEvent::Ignored("nothing was done yet")),
        ("beforeMCPExecution", HookEvent::Ignored("nothing was done yet")),
        ("beforeReadFile", HookEvent::Ignored("nothing was done yet")),
        ("afterShellExecution", HookEvent::Ignored("the tool comes by itself")),
        ("afterMCPExecution", HookEvent::Ignored("the tool comes by itself")),
        ("afterAgentThought", HookEvent::Ignored("only shown")),
        ("beforeTabFileRead", HookEvent::Ignored("not the agent's")),
        ("afterTabFileEdit", HookEvent::Ignored("not the agent's")),
        ("workspaceOpen", HookEvent::Ignored("about the place")),
    ],
    our_tools: &["MCP:backstory", "mcp_backstory_"],
    is_mcp: |name| name.starts_with("MCP:") || name.starts_with("mcp_"),
    reported_elsewhere: &["Write", "Edit", "StrReplace"],
    ran,
    is_incomplete: |_| false,
    keeps_injected_context: true,
    replies: ReplyFormat {
        shape: ReplyShape::Flat("additional_context"),
        session: "sessionStart",
        prompt: "beforeSubmitPrompt",
        tool: None,
        compaction: None,
        to_user: None,
        limit: ReplyLimit::Chars(10_000),
    },
};

fn ran(tool: &HookToolUse<'_, '_>) -> (String, ExitStatus) {
    let mut parts = ["output", "stdout", "stderr"].into_iter().map(|part| tool.response.get(part).words());
    let output = parts.find(|words| !words.is_empty()).or_else(|| tool.response.text().map(str::to_owned));
    let status = match (tool.response.get("exitCode"), &tool.error) {
        _ if tool.is_interrupted => ExitStatus::Interrupted,
        (LenientJson::Number("0"), None) => ExitStatus::Success,
        (LenientJson::Number(_), _) | (_, Some(_)) => ExitStatus::Failure,
        _ => ExitStatus::Unknown,
    };
    (output.or_else(|| tool.error.clone()).unwrap_or_default(), status)
}
