//! What Cursor sends beyond its recording.

use crate::recorded::parse_json;
use backstory_hosts::{EventOutcome, Host};
use serde_json::json;

/// Cursor does not say which server a tool belongs to, but what ours answers is fenced.
#[test]
fn law_5_our_own_answers_are_not_captured() {
    let parsed = |text: &str| {
        let output = json!({"content": [{"type": "text", "text": text}]}).to_string();
        let event = json!({"hook_event_name": "postToolUse", "conversation_id": "s", "tool_name": "MCP:search",
            "tool_input": {"query": "x"}, "tool_output": output});
        parse_json(Host::Cursor, None, &event).outcome
    };
    assert_eq!(
        parsed("<backstory-1a2b3c4d>\nours\n</backstory-1a2b3c4d>"),
        EventOutcome::Ignored("our own tool")
    );
    assert!(matches!(parsed("theirs"), EventOutcome::Captured(_)));
}
