//! Cursor, by its documentation: nobody has recorded it here.
//!
//! It tells of an edit and of a command twice, once as such and once as the use of a tool. Edits are taken from the first, which
//! has what was replaced; commands from the second, which says how they status.

use crate::answers::{Answers, Limit, Shape};
use crate::lenient::Json;
use crate::wire::{Dialect, Event, ToolUse};
use backstory_memory::ExitStatus;

pub(crate) const DIALECT: Dialect = Dialect {
    events: &[
        ("sessionStart", Event::SessionStart),
        ("beforeSubmitPrompt", Event::Prompt),
        ("postToolUse", Event::ToolUse),
        ("postToolUseFailure", Event::ToolFailure),
        ("afterFileEdit", Event::Edit),
        // What the agent says; `stop` says only that it is over.
        ("afterAgentResponse", Event::TurnEnd),
        ("subagentStart", Event::SubagentStart),
        ("subagentStop", Event::SubagentEnd),
        ("preCompact", Event::Compacting),
        ("sessionEnd", Event::SessionEnd),
        ("stop", Event::Passed("its words come by themselves")),
        ("preToolUse", Event::Passed("nothing was done yet")),
        ("beforeShellExecution", Event::Passed("nothing was done yet")),
        ("beforeMCPExecution", Event::Passed("nothing was done yet")),
        ("beforeReadFile", Event::Passed("nothing was done yet")),
        ("afterShellExecution", Event::Passed("the tool comes by itself")),
        ("afterMCPExecution", Event::Passed("the tool comes by itself")),
        ("afterAgentThought", Event::Passed("only shown")),
        ("beforeTabFileRead", Event::Passed("not the agent's")),
        ("afterTabFileEdit", Event::Passed("not the agent's")),
        ("workspaceOpen", Event::Passed("about the place")),
    ],
    our_tools: &["MCP:backstory", "mcp_backstory_"],
    is_mcp: |name| name.starts_with("MCP:") || name.starts_with("mcp_"),
    told_otherwise: &["Write", "Edit", "StrReplace"],
    ran,
    leaves_out: |_| false,
    keeps_what_it_is_told: true,
    answers: Answers {
        shape: Shape::Flat("additional_context"),
        session: "sessionStart",
        prompt: "beforeSubmitPrompt",
        tool: None,
        compaction: None,
        to_user: None,
        most: Limit::Chars(10_000),
    },
};

fn ran(tool: &ToolUse<'_, '_>) -> (String, ExitStatus) {
    let mut parts = ["output", "stdout", "stderr"].into_iter().map(|part| tool.response.get(part).words());
    let output = parts.find(|words| !words.is_empty()).or_else(|| tool.response.text().map(str::to_owned));
    let status = match (tool.response.get("exitCode"), &tool.error) {
        _ if tool.is_interrupted => ExitStatus::Interrupted,
        (Json::Number("0"), None) => ExitStatus::Success,
        (Json::Number(_), _) | (_, Some(_)) => ExitStatus::Failure,
        _ => ExitStatus::Unknown,
    };
    (output.or_else(|| tool.error.clone()).unwrap_or_default(), status)
}
