//! What Gemini CLI sends beyond its recordings.

use crate::recorded::{captured, parse_json};
use backstory_hosts::Host;
use backstory_memory::{Activity, ExitStatus, InjectionPoint};
use serde_json::{Value, json};

/// Gemini CLI puts the block of the session start before the first prompt.
#[test]
fn law_5_our_own_block_is_removed_from_a_prompt() {
    let event = json!({"session_id": "s", "hook_event_name": "BeforeAgent",
        "prompt": "<hook_context>ours &lt;b&gt;</hook_context>\n\nFix the build"});
    let parsed = parse_json(Host::Gemini, None, &event);
    assert_eq!(parsed.injection_point, Some(InjectionPoint::Prompt { text: "Fix the build".into() }));
    assert_eq!(captured(parsed).activity, Activity::Prompted { text: "Fix the build".into() });
}

#[test]
fn the_exit_status_of_a_command_is_parsed() {
    let status = |response: Value| {
        let event = json!({"session_id": "s", "hook_event_name": "AfterTool", "tool_name": "run_shell_command",
            "tool_input": {"command": "make"}, "tool_response": response});
        match captured(parse_json(Host::Gemini, None, &event)).activity {
            Activity::Ran { output, status, .. } => (output, status),
            other => panic!("{other:?}"),
        }
    };
    let response = |text: &str| json!({"llmContent": text});
    assert_eq!(
        status(response("Output: a\nb: c\nExit Code: 2\nProcess Group PGID: 7")),
        ("a\nb: c".into(), ExitStatus::Failure)
    );
    assert_eq!(
        status(response("Output: Exit Code: 2\nb\nProcess Group PGID: 7")),
        ("Exit Code: 2\nb".into(), ExitStatus::Success)
    );
    assert_eq!(status(response("Output: (empty)")), (String::new(), ExitStatus::Success));
    assert_eq!(status(response("Command was cancelled by user.")).1, ExitStatus::Interrupted);
    assert_eq!(status(response("Something new")), ("Something new".into(), ExitStatus::Unknown));
    assert_eq!(status(json!(null)).1, ExitStatus::Unknown);
    assert_eq!(
        status(json!({"llmContent": "No", "error": {"message": "No"}})),
        ("No".into(), ExitStatus::Failure)
    );
}
