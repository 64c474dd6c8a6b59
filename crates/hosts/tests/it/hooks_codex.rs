//! What Codex sends beyond its recordings.

use crate::recorded::{captured, parse_json};
use backstory_hosts::Host;
use backstory_memory::{Activity, ExitStatus};
use serde_json::json;

/// Codex never says in a payload how a command ended.
#[test]
fn the_exit_status_of_a_command_is_read_from_the_transcript() {
    let payload = json!({"hook_event_name": "PostToolUse", "session_id": "s", "transcript_path": "/r", "tool_name": "Bash",
        "tool_input": {"command": "make"}, "tool_response": "x", "tool_use_id": "call_1"});
    let line = |id: &str, code: i32| {
        json!({"payload": {"type": "item_completed", "item": {"type": "CommandExecution", "id": id, "exit_code": code}}})
            .to_string()
    };
    let other = line("call_2", 7);
    for (transcript, status) in [
        (line("call_1", 0), ExitStatus::Success),
        (format!("{}\n{other}\n", line("call_1", 2)), ExitStatus::Failure),
        (line("call_1", -1), ExitStatus::Interrupted),
        (other.clone(), ExitStatus::Unknown),
        (String::new(), ExitStatus::Unknown),
        (format!("cut\": 0}}}}}}\n{}", &line("call_1", 0)[..40]), ExitStatus::Unknown),
    ] {
        let mut parsed = parse_json(Host::Codex, None, &payload);
        assert_eq!(parsed.transcript.as_deref(), Some("/r"));
        Host::Codex.complete_from_transcript(&mut parsed, &transcript);
        let command = Activity::Ran { command: "make".into(), output: "x".into(), status };
        assert_eq!(captured(parsed).activity, command, "{transcript}");
    }
}

/// What a command prints may look like a result of the host.
#[test]
fn output_in_json_is_kept_as_it_was_printed() {
    let printed = r#"{"exitCode":1,"stdout":"no","error":{"message":"no"}}"#;
    let event = json!({"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": "Bash",
        "tool_input": {"command": "cat x.json"}, "tool_response": printed});
    let event = captured(parse_json(Host::Codex, None, &event));
    let (command, output) = ("cat x.json".into(), printed.into());
    assert_eq!(event.activity, Activity::Ran { command, output, status: ExitStatus::Unknown });
}
