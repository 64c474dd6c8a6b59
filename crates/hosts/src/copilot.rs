//! Copilot CLI, as 1.0.102 speaks (`tests/fixtures`).
//!
//! A payload does not say which event it is of: the command line does. What the agent closes its turn with stands in the host's
//! own record of the session only.

use crate::answers::{Answers, Limit, Shape};
use crate::lenient::Json;
use crate::wire::{Dialect, Event, ToolUse};
use backstory_memory::{Activity, ExitStatus};

pub(crate) const DIALECT: Dialect = Dialect {
    events: &[
        ("sessionStart", Event::SessionStart),
        ("userPromptSubmitted", Event::Prompt),
        ("preToolUse", Event::BeforeTool),
        ("postToolUse", Event::ToolUse),
        ("postToolUseFailure", Event::ToolFailure),
        ("agentStop", Event::TurnEnd),
        ("errorOccurred", Event::TurnFailure),
        ("subagentStart", Event::SubagentStart),
        ("subagentStop", Event::SubagentEnd),
        ("preCompact", Event::Compacting),
        ("sessionEnd", Event::SessionEnd),
        ("permissionRequest", Event::Passed("nothing was done yet")),
        ("notification", Event::Passed("only shown")),
    ],
    our_tools: &["backstory-"],
    // Its own tools have no hyphen in their names.
    is_mcp: |name| name.contains('-'),
    told_otherwise: &[],
    ran,
    leaves_out: |activity| matches!(activity, Activity::TurnEnded { message } if message.is_empty()),
    keeps_what_it_is_told: false,
    answers: Answers {
        shape: Shape::Flat("additionalContext"),
        session: "sessionStart",
        prompt: "userPromptSubmitted",
        tool: Some("preToolUse"),
        compaction: None,
        to_user: None,
        most: Limit::Bytes(10_000),
    },
};

/// How a command status stands in a last line of its output.
fn ran(tool: &ToolUse<'_, '_>) -> (String, ExitStatus) {
    let told = tool.response.get("textResultForLlm").words();
    let (output, last) = told.rsplit_once('\n').unwrap_or(("", &told));
    let said = last.strip_prefix('<').and_then(|line| line.strip_suffix('>'));
    let code = said.and_then(|line| line.rsplit_once(" with exit code ")).map(|(_, code)| code);
    match (code, &tool.error) {
        (Some("0"), None) => (output.to_owned(), ExitStatus::Success),
        (Some(_), _) => (output.to_owned(), ExitStatus::Failure),
        (None, Some(error)) => (error.clone(), ExitStatus::Failure),
        (None, None) => (told, ExitStatus::Unknown),
    }
}

/// What the agent said last in this turn, as far as the host's own record is written.
pub(crate) struct LastWords {
    pub(crate) text: String,
    /// Whether nothing comes after them. What is said on the way to a tool closes no turn.
    pub(crate) are_closing: bool,
}

/// Returns what the agent said last in this turn, from the end of the host's own record, if that is written yet.
pub(crate) fn last_words(record: &str) -> Option<LastWords> {
    let sorts = ["\"assistant.message\"", "\"user.message\"", "\"session.shutdown\""];
    let is_told = |line: &&str| sorts.iter().any(|sort| line.contains(sort));
    let told = record.lines().rev().filter(is_told).map(Json::read);
    let mut are_closing = true;
    for line in told.filter(|line| line.get("agentId").is_nothing()) {
        let data = line.get("data");
        are_closing &= data.get("toolRequests").items().is_empty();
        match (line.str("type"), data.said("content")) {
            // A session that goes on is written down from its prompt on: until then its record ends where it was left.
            ("user.message", Some(_)) | ("session.shutdown", _) => return None,
            ("assistant.message", Some(text)) => {
                return Some(LastWords { text: text.to_owned(), are_closing });
            }
            _ => {}
        }
    }
    None
}
