//! Gemini CLI, as 0.61.0 speaks (`tests/fixtures`).
//!
//! Its events have no numbers, only times. What is said before a tool is used its agent never reads, so nothing is.

use crate::answers::{Answers, Limit, Shape};
use crate::wire::{Dialect, Event, ToolUse, without_fence};
use backstory_memory::ExitStatus;

pub(crate) const DIALECT: Dialect = Dialect {
    events: &[
        ("SessionStart", Event::SessionStart),
        ("BeforeAgent", Event::Prompt),
        ("AfterTool", Event::ToolUse),
        ("AfterAgent", Event::TurnEnd),
        ("SessionEnd", Event::SessionEnd),
        ("BeforeTool", Event::Passed("nothing was done yet")),
        // It fires before every request to the model, whether or not anything is compressed.
        ("PreCompress", Event::Passed("it need not happen")),
        ("BeforeModel", Event::Passed("about the host")),
        ("AfterModel", Event::Passed("about the host")),
        ("BeforeToolSelection", Event::Passed("about the host")),
        ("Notification", Event::Passed("only shown")),
    ],
    our_tools: &["mcp_backstory_"],
    is_mcp: |name| name.starts_with("mcp_"),
    told_otherwise: &[],
    ran,
    leaves_out: |_| false,
    keeps_what_it_is_told: false,
    answers: Answers {
        shape: Shape::Nested,
        session: "SessionStart",
        prompt: "BeforeAgent",
        tool: None,
        compaction: None,
        to_user: Some("systemMessage"),
        most: Limit::Bytes(10_000),
    },
};

/// What the model reads of a command: its output, and lines about how it status.
fn ran(tool: &ToolUse<'_, '_>) -> (String, ExitStatus) {
    let told = tool.response.get("llmContent").words();
    let told = without_fence(&told);
    let Some(told) = told.strip_prefix("Output: ") else {
        let status = match &tool.error {
            _ if tool.response.is_nothing() => ExitStatus::Unknown,
            _ if told.contains("cancelled") => ExitStatus::Interrupted,
            Some(_) => ExitStatus::Failure,
            None => ExitStatus::Unknown,
        };
        return (told.to_owned(), status);
    };
    let mut output = told;
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
    let is_well = tool.error.is_none() && code.is_none_or(|code| code == "0");
    (output.to_owned(), if is_well { ExitStatus::Success } else { ExitStatus::Failure })
}

const ABOUT_THE_END: [&str; 5] = ["Exit Code", "Signal", "Error", "Background PIDs", "Process Group PGID"];
