//! Cursor, by its documentation.

use crate::recorded::{openings, passed_over, story};
use backstory_hosts::{EventOutcome, Host};
use insta::assert_snapshot;
use serde_json::json;

#[test]
fn a_session_is_understood() {
    assert_snapshot!(story(Host::Cursor, "session"), @r#"
        - Tool {"what":"session_started","reason":"startup"}
        p02 User {"what":"prompted","text":"Split the line only once."}
        call_1 Tool Shell {"what":"ran","command":"python3 -m unittest","output":"FAILED (failures=1)","status":"failure"}
        call_2 Tool Read {"what":"looked","at":"/home/dev/project/parser.py"}
        - Tool {"what":"edited","file":"/home/dev/project/parser.py","is_new":false,"hunks":[{"before":"split(':')","after":"split(':', 1)"}]}
        call_3 Tool Shell {"what":"ran","command":"python3 -m unittest","output":"OK","status":"success"}
        call_4 External MCP:lookup {"what":"fetched","asked":"query how to split","answer":"Found: how to split"}
        call_5 Tool Read {"what":"tool_failed","at":"/home/dev/project/missing.py","error":"File not found"}
        p02 agent_1 Tool (explore) {"what":"subagent_started"}
        p02 agent_1 Assistant (explore) {"what":"subagent_ended","message":"The project holds parser.py."}
        p02 Assistant {"what":"turn_ended","message":"The line is split only once now."}
        - User {"what":"compacting","instructions":""}
        - Tool {"what":"session_ended","reason":"completed"}
        "#);
}

#[test]
fn a_session_can_be_told_something_where_it_listens() {
    assert_snapshot!(openings(Host::Cursor, "session"), @r#"
        SessionStart { reason: Startup }
        Prompt { text: "Split the line only once." }
        "#);
}

#[test]
fn what_is_of_no_use_is_passed_over() {
    assert_snapshot!(passed_over(Host::Cursor, &["session"]), @r#"
        afterShellExecution: the tool comes by itself
        postToolUse: it comes by itself
        preToolUse: nothing was done yet
        stop: its words come by themselves
        "#);
}

/// Law 5: it does not say which server a tool belongs to, but what ours answers is fenced.
#[test]
fn our_own_words_are_not_heard_again() {
    let parsed = |text: &str| {
        let output = json!({"content": [{"type": "text", "text": text}]}).to_string();
        let event = json!({"hook_event_name": "postToolUse", "conversation_id": "s", "tool_name": "MCP:search",
            "tool_input": {"query": "x"}, "tool_output": output});
        Host::Cursor.parse(None, event.to_string().as_bytes()).outcome
    };
    assert_eq!(
        parsed("<backstory-1a2b3c4d>\nours\n</backstory-1a2b3c4d>"),
        EventOutcome::Ignored("our own tool")
    );
    assert!(matches!(parsed("theirs"), EventOutcome::Captured(_)));
}
