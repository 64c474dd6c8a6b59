//! What Copilot CLI sends beyond its recordings.

use crate::recorded::{captured, parse_json};
use backstory_hosts::{EventOutcome, Host, ParsedEvent};
use backstory_memory::{Activity, ExitStatus};
use serde_json::{Value, json};

fn parse(event: &str, payload: &Value) -> ParsedEvent {
    parse_json(Host::Copilot, Some(event), payload)
}

#[test]
fn arguments_in_a_json_string_are_parsed_too() {
    let args = json!({"command": "make"});
    let result =
        json!({"resultType": "success", "textResultForLlm": "x\n<shellId: 1 completed with exit code 0>"});
    for args in [args.clone(), json!(args.to_string())] {
        let payload = json!({"sessionId": "s", "toolName": "bash", "toolArgs": args, "toolResult": result});
        let ran = Activity::Ran { command: "make".into(), output: "x".into(), status: ExitStatus::Success };
        assert_eq!(captured(parse("postToolUse", &payload)).activity, ran);
    }
    let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch";
    let payload = json!({"sessionId": "s", "cwd": "/p", "toolName": "apply_patch", "toolArgs": patch});
    let event = captured(parse("postToolUse", &payload));
    assert!(matches!(event.activity, Activity::Edited { file, is_new: true, .. } if file == "/p/a"));
}

#[test]
fn any_result_but_success_is_a_failure() {
    let payload = json!({"sessionId": "s", "toolName": "view", "toolArgs": {"path": "/a"},
        "toolResult": {"resultType": "denied", "textResultForLlm": "Not allowed"}});
    let failed = Activity::ToolFailed { at: "/a".into(), error: "Not allowed".into() };
    assert_eq!(captured(parse("postToolUse", &payload)).activity, failed);
}

#[test]
fn the_closing_message_is_read_from_the_transcript() {
    let stop =
        || parse("agentStop", &json!({"sessionId": "s", "transcriptPath": "/r", "stopReason": "end_turn"}));
    let line = |content: &str, agent: Option<&str>| {
        json!({"type": "assistant.message", "data": {"content": content}, "agentId": agent}).to_string()
    };
    for (transcript, message) in [
        (line("Done.", None), "Done."),
        ([line("Done.", None), line("Of a subagent", Some("a")), line("", None)].join("\n"), "Done."),
        (
            format!("{}\n{{\"type\":\"hook.start\",\"x\":\"assistant.message\"}}", line("Done.", None)),
            "Done.",
        ),
        // A message of the turn before does not close this one.
        (format!("{}\n{}", line("Before", None), line("go on", None).replace("assistant.", "user.")), ""),
        (format!("{}\n{}", line("Before", None), json!({"type": "session.shutdown", "data": {}})), ""),
        (String::new(), ""),
    ] {
        let mut parsed = stop();
        assert_eq!(parsed.transcript.as_deref(), Some("/r"));
        assert_eq!(Host::Copilot.complete_from_transcript(&mut parsed, &transcript), !message.is_empty());
        assert_eq!(
            captured(parsed).activity,
            Activity::TurnEnded { message: message.into() },
            "{transcript}"
        );
    }
}

/// Copilot writes its transcript in pieces: a message before a tool call is there before the one that closes the turn.
#[test]
fn a_message_before_a_tool_call_does_not_close_the_turn() {
    let line = |content: &str, tools: &[&str]| {
        json!({"type": "assistant.message", "data": {"content": content, "toolRequests": tools}}).to_string()
    };
    let mut transcript = [line("I will run the tests.", &["bash"]), line("", &["bash"])].join("\n");
    let mut parsed = parse("agentStop", &json!({"sessionId": "s", "transcriptPath": "/r"}));
    assert!(!Host::Copilot.complete_from_transcript(&mut parsed, &transcript));
    let so_far = Activity::TurnEnded { message: "I will run the tests.".into() };
    assert_eq!(captured(parsed.clone()).activity, so_far, "nothing better may come");
    transcript = [transcript, line("All of them pass.", &[])].join("\n");
    assert!(Host::Copilot.complete_from_transcript(&mut parsed, &transcript));
    assert_eq!(captured(parsed).activity, Activity::TurnEnded { message: "All of them pass.".into() });
}

/// Copilot names the event only on the command line of the hook.
#[test]
fn a_payload_of_an_unnamed_event_is_kept() {
    let parsed = Host::Copilot.parse(None, br#"{"sessionId":"s","cwd":"/p","prompt":"hello"}"#);
    assert_eq!((parsed.name.as_str(), parsed.host_session.as_deref()), ("unreadable", Some("s")));
    assert!(
        matches!(parsed.outcome, EventOutcome::Captured(event) if matches!(event.activity, Activity::Other { .. }))
    );
}
