//! Gemini CLI, as 0.61.0 speaks (`tests/fixtures`).
//!
//! Its events have no numbers, only times. Its agent never reads what is injected before a tool call, so nothing is.

use crate::dialect::{Dialect, HookEvent, HookToolUse, without_fence};
use crate::reply::{ReplyFormat, ReplyLimit, ReplyShape};
use backstory_memory::ExitStatus;

pub(crate) const DIALECT: Dialect = Dialect {
    events: &[
        ("SessionStart", HookEvent::SessionStart),
        ("BeforeAgent", HookEvent::Prompt),
        ("AfterTool", HookEvent::ToolUse),
        ("AfterAgent", HookEvent::TurnEnd),
        ("SessionEnd", HookEvent::SessionEnd),
        ("BeforeTool", HookEvent::Ignored("nothing was done yet")),
        // It fires before every request to the model, whether or not anything is compressed.
        ("PreCompress", HookEvent::Ignored("it need not happen")),
        ("BeforeModel", HookEvent::Ignored("about the host")),
        ("AfterModel", HookEvent::Ignored("about the host")),
        ("BeforeToolSelection", HookEvent::Ignored("about the host")),
        ("Notification", HookEvent::Ignored("only shown")),
    ],
    our_tools: &["mcp_backstory_"],
    is_mcp: |name| name.starts_with("mcp_"),
    reported_elsewhere: &[],
    ran,
    is_incomplete: |_| false,
    keeps_injected_context: false,
    replies: ReplyFormat {
        shape: ReplyShape::Nested,
        session: "SessionStart",
        prompt: "BeforeAgent",
        tool: None,
        compaction: None,
        to_user: Some("systemMessage"),
        limit: ReplyLimit::Bytes(10_000),
    },
};

/// Reads what the model reads of a command: its output, and lines about how it ended.
fn ran(tool: &HookToolUse<'_, '_>) -> (String, ExitStatus) {
    let text = tool.response.get("llmContent").words();
    let text = without_fence(&text);
    let Some(printed) = text.strip_prefix("Output: ") else {
        let status = match &tool.error {
            _ if tool.response.is_nothing() => ExitStatus::Unknown,
            _ if text.contains("cancelled") => ExitStatus::Interrupted,
            Some(_) => ExitStatus::Failure,
            None => ExitStatus::Unknown,
        };
        return (text.to_owned(), status);
    };
    let mut output = printed;
    let mut code = None;
    while let Some((before, line)) = output.rsplit_once('\n') {
        let Some((_, value)) = line.split_once(": ").filter(|(name, _)| ABOUT_THE_END.contains(name)) else {
            break;
        };
        if line.starts_with("Exit Code: ") {
            code = Some(value);
        }
        output = before;
    }
    let output = if output == "(empty)" { "" } else { output };
    let is_success = tool.error.is_none() && code.is_none_or(|code| code == "0");
    (output.to_owned(), if is_success { ExitStatus::Success } else { ExitStatus::Failure })
}

const ABOUT_THE_END: [&str; 5] = ["Exit Code", "Signal", "Error", "Background PIDs", "Process Group PGID"];
