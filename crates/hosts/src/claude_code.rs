//! Claude Code: what its hooks send, and what that means here.

use crate::Heard;
use backstory_memory::{EventKind, Trust};
use serde::Deserialize;

/// The fields of a payload that decide what it means. The rest travels along in the payload itself.
#[derive(Deserialize)]
struct WirePayload {
    session_id: String,
    hook_event_name: String,
    cwd: Option<String>,
    prompt_id: Option<String>,
    tool_name: Option<String>,
    tool_use_id: Option<String>,
}

pub(crate) fn hear(bytes: &[u8]) -> Heard {
    // Editors and shells put a byte order mark before JSON; it means nothing.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let read = serde_json::from_slice(bytes).and_then(|payload: serde_json::Value| {
        let wire = WirePayload::deserialize(&payload)?;
        Ok((wire, payload))
    });
    let Ok((wire, payload)) = read else { return Heard::unreadable(bytes) };
    let (kind, trust) = meaning(&wire);
    Heard {
        name: wire.hook_event_name,
        kind,
        host_session: Some(wire.session_id),
        cwd: wire.cwd,
        sequence: wire.tool_use_id.or(wire.prompt_id).unwrap_or_default(),
        tool: wire.tool_name,
        trust,
        payload,
    }
}

fn meaning(wire: &WirePayload) -> (EventKind, Trust) {
    match wire.hook_event_name.as_str() {
        "SessionStart" => (EventKind::SessionStart, Trust::Tool),
        "UserPromptSubmit" => (EventKind::Prompt, Trust::User),
        "PreToolUse" => (EventKind::ToolStart, Trust::Assistant),
        "PostToolUse" => (EventKind::ToolUse, tool_trust(wire)),
        "PostToolUseFailure" => (EventKind::ToolFailure, tool_trust(wire)),
        "Stop" => (EventKind::TurnEnd, Trust::Assistant),
        "SubagentStart" => (EventKind::SubagentStart, Trust::Assistant),
        "SubagentStop" => (EventKind::SubagentEnd, Trust::Assistant),
        "PreCompact" | "PostCompact" => (EventKind::Compaction, Trust::Assistant),
        "SessionEnd" => (EventKind::SessionEnd, Trust::Tool),
        _ => (EventKind::Other, Trust::External),
    }
}

/// What a tool of the web or of an MCP server returns was written by strangers.
fn tool_trust(wire: &WirePayload) -> Trust {
    let tool = wire.tool_name.as_deref().unwrap_or_default();
    if tool.starts_with("mcp__") || tool.starts_with("Web") { Trust::External } else { Trust::Tool }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_use_is_heard_with_its_session_and_number() {
        let heard = hear(
            br#"{"session_id":"s1","cwd":"/p","hook_event_name":"PostToolUse","tool_name":"Bash",
                "tool_input":{"command":"echo hi"},"tool_use_id":"toolu_01","surprise":1}"#,
        );
        assert_eq!((heard.kind, heard.host_session.as_deref()), (EventKind::ToolUse, Some("s1")));
        assert_eq!((heard.tool.as_deref(), heard.sequence.as_str()), (Some("Bash"), "toolu_01"));
        assert_eq!(heard.trust, Trust::Tool);
    }

    #[test]
    fn strangers_words_are_marked_as_theirs() {
        let heard = hear(br#"{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"WebFetch"}"#);
        assert_eq!(heard.trust, Trust::External);
    }

    #[test]
    fn what_nobody_can_read_is_kept_as_text() {
        for payload in [b"{\"session_id\":".as_slice(), b"\xff\xfe", b"", b"[1,2]"] {
            let heard = hear(payload);
            assert_eq!(heard.kind, EventKind::Other);
            assert_eq!(heard.payload, String::from_utf8_lossy(payload).into_owned());
        }
        assert_eq!(
            hear(b"\xef\xbb\xbf{\"session_id\":\"s\",\"hook_event_name\":\"Stop\"}").kind,
            EventKind::TurnEnd
        );
    }
}
