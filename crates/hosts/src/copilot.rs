//! Copilot CLI, as 1.0.102 speaks (`tests/fixtures`).
//!
//! A payload does not name its event: the command line does. Only the host's own transcript has the closing message of a turn.

use crate::dialect::{Dialect, HookEvent, HookToolUse};
use crate::lenient::LenientJson;
use crate::reply::{ReplyFormat, ReplyLimit, ReplyShape};
use backstory_memory::{Activity, ExitStatus};

pub(crate) const DIALECT: Dialect = Dialect {
    events: &[
        ("sessionStart", HookEvent::SessionStart),
        ("userPromptSubmitted", HookEvent::Prompt),
        ("preToolUse", HookEvent::BeforeTool),
        ("postToolUse", HookEvent::ToolUse),
        ("postToolUseFailure", HookEvent::ToolFailure),
        ("agentStop", HookEvent::TurnEnd),
        ("errorOccurred", HookEvent::TurnFailure),
        ("subagentStart", HookEvent::SubagentStart),
        ("subagentStop", HookEvent::SubagentEnd),
        ("preCompact", HookEvent::Compacting),
        ("sessionEnd", HookEvent::SessionEnd),
        ("permissionRequest", HookEvent::Ignored("nothing was done yet")),
        ("notification", HookEvent::Ignored("only shown")),
    ],
    our_tools: &["backstory-"],
    // Its own tools have no hyphen in their names.
    is_mcp: |name| name.contains('-'),
    reported_elsewhere: &[],
    ran,
    is_incomplete: |activity| matches!(activity, Activity::TurnEnded { message } if message.is_empty()),
    keeps_injected_context: false,
    replies: ReplyFormat {
        shape: ReplyShape::Flat("additionalContext"),
        session: "sessionStart",
        prompt: "userPromptSubmitted",
        tool: Some("preToolUse"),
        compaction: None,
        to_user: None,
        limit: ReplyLimit::Bytes(10_000),
    },
};

/// The last line of a command's output says how it ended.
fn ran(tool: &HookToolUse<'_, '_>) -> (String, ExitStatus) {
    let text = tool.response.get("textResultForLlm").words();
    let (output, last) = text.rsplit_once('\n').unwrap_or(("", &text));
    let said = last.strip_prefix('<').and_then(|line| line.strip_suffix('>'));
    let code = said.and_then(|line| line.rsplit_once(" with exit code ")).map(|(_, code)| code);
    match (code, &tool.error) {
        (Some("0"), None) => (output.to_owned(), ExitStatus::Success),
        (Some(_), _) => (output.to_owned(), ExitStatus::Failure),
        (None, Some(error)) => (error.clone(), ExitStatus::Failure),
        (None, None) => (text, ExitStatus::Unknown),
    }
}

/// What the agent said last in this turn, as far as the host has written its transcript.
pub(crate) struct ClosingMessage {
    pub(crate) text: String,
    /// Whether the turn ends with it. What is said on the way to a tool closes no turn.
    pub(crate) is_complete: bool,
}

/// Returns what the agent said last in this turn, from the end of the host's own transcript, if that is written yet.
pub(crate) fn closing_message_in(transcript: &str) -> Option<ClosingMessage> {
    let sorts = ["\"assistant.message\"", "\"user.message\"", "\"session.shutdown\""];
    let is_relevant = |line: &&str| sorts.iter().any(|sort| line.contains(sort));
    let lines = transcript.lines().rev().filter(is_relevant).map(LenientJson::read);
    let mut is_complete = true;
    for line in lines.filter(|line| line.get("agentId").is_nothing()) {
        let data = line.get("data");
        is_complete &= data.get("toolRequests").items().is_empty();
        match (line.str("type"), data.said("content")) {
            // A resumed session is written from its prompt on: until then its transcript ends where the last one did.
            ("user.message", Some(_)) | ("session.shutdown", _) => return None,
            ("assistant.message", Some(text)) => {
                return Some(ClosingMessage { text: text.to_owned(), is_complete });
            }
            _ => {}
        }
    }
    None
}
