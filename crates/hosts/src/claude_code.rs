//! Claude Code: what its hooks send, and what that means here.

use crate::{Heard, Meaning, Told};
use backstory_memory::{Ended, Happening, Trust};
use serde::Deserialize;
use serde_json::Value;

/// The fields of a payload that decide what it means.
#[derive(Deserialize)]
struct WirePayload {
    session_id: String,
    hook_event_name: String,
    cwd: Option<String>,
    prompt_id: Option<String>,
    tool_name: Option<String>,
    tool_use_id: Option<String>,
    source: Option<String>,
    #[serde(alias = "user_prompt")]
    prompt: Option<String>,
    #[serde(default)]
    tool_input: Value,
    #[serde(default)]
    tool_response: Value,
    last_assistant_message: Option<String>,
    reason: Option<String>,
}

pub(crate) fn hear(bytes: &[u8]) -> Heard {
    // Editors and shells put a byte order mark before JSON; it means nothing.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let Ok(wire) = serde_json::from_slice::<WirePayload>(bytes) else { return Heard::unreadable(bytes) };
    let (happening, trust) = meaning(&wire);
    let told = Told {
        happening,
        subagent: None,
        sequence: wire.tool_use_id.or(wire.prompt_id),
        tool: wire.tool_name,
        trust,
    };
    Heard {
        name: wire.hook_event_name,
        host_session: Some(wire.session_id),
        cwd: wire.cwd,
        meaning: Meaning::Happened(Box::new(told)),
    }
}

fn meaning(wire: &WirePayload) -> (Happening, Trust) {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    match wire.hook_event_name.as_str() {
        "SessionStart" => (Happening::SessionStarted { how: text(&wire.source) }, Trust::Tool),
        "UserPromptSubmit" => (Happening::Prompted { text: text(&wire.prompt) }, Trust::User),
        "PostToolUse" | "PostToolUseFailure" => {
            let command = wire.tool_input["command"].as_str().unwrap_or_default().to_owned();
            let output = wire.tool_response["stdout"].as_str().unwrap_or_default().to_owned();
            (Happening::Ran { command, output, ended: Ended::Well }, Trust::Tool)
        }
        "Stop" => (Happening::TurnEnded { message: text(&wire.last_assistant_message) }, Trust::Assistant),
        "SessionEnd" => (Happening::SessionEnded { reason: text(&wire.reason) }, Trust::Tool),
        _ => (Happening::Other { text: String::new() }, Trust::External),
    }
}
