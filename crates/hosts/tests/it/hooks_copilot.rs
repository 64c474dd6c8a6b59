//! Copilot CLI, as recorded.

use crate::recorded::{happened, openings, passed_over, scene, story};
use backstory_hosts::{EventOutcome, Host, ParsedEvent};
use backstory_memory::{Activity, ExitStatus};
use insta::assert_snapshot;
use serde_json::{Value, json};

#[test]
fn every_tool_is_understood() {
    assert_snapshot!(story(Host::Copilot, "tools"), @r#"
        @ Tool {"what":"session_started","reason":"startup"}
        @ User {"what":"prompted","text":"Try every tool."}
        @ Tool bash {"what":"ran","command":"echo to stdout","output":"to stdout","status":"success"}
        @ Tool bash {"what":"ran","command":"echo before; echo wrong >&2; exit 3","output":"wrong\nbefore","status":"failure"}
        @ Tool bash {"what":"ran","command":"exit 4","output":"","status":"failure"}
        @ Tool create {"what":"edited","file":"/home/dev/project/parser.py","is_new":true,"hunks":[{"before":"","after":"def parse(line):\n    return line.split(':')\n"}]}
        @ Tool view {"what":"looked","at":"/home/dev/project/parser.py"}
        @ Tool edit {"what":"edited","file":"/home/dev/project/parser.py","is_new":false,"hunks":[{"before":"':'","after":"':', 1"}]}
        @ Tool edit {"what":"tool_failed","at":"/home/dev/project/parser.py","error":"No match found"}
        @ Tool view {"what":"tool_failed","at":"/home/dev/project/missing.py","error":"Path does not exist"}
        @ Tool glob {"what":"looked","at":"**/*.py"}
        @ Tool grep {"what":"looked","at":"def in /home/dev/project"}
        @ External echo-lookup {"what":"fetched","asked":"query how to split","answer":"Found: how to split"}
        @ Tool sql {"what":"used_tool","asked":"query select 1, description Count"}
        @ Tool (explore) {"what":"subagent_started"}
        @ Assistant (explore) {"what":"prompted","text":"List the files."}
        @ Tool (explore) bash {"what":"ran","command":"ls","output":"parser.py","status":"success"}
        @ Assistant (explore) {"what":"subagent_ended","message":"The project holds parser.py."}
        @ Tool task {"what":"used_tool","asked":"Look around: List the files."}
        @ Tool bash {"what":"ran","command":"sleep 1; echo late","output":"<command started in background with shellId: 4>","status":"unknown"}
        @ Assistant {"what":"turn_ended","message":"All tools were used."}
        @ Tool {"what":"session_ended","reason":"complete"}
        @ Assistant {"what":"turn_ended","message":"Done."}
        @ Tool {"what":"session_ended","reason":"complete"}
        "#);
}

#[test]
fn resuming_is_understood() {
    assert_snapshot!(story(Host::Copilot, "lifecycle"), @r#"
        @ Tool {"what":"session_started","reason":"startup"}
        @ User {"what":"prompted","text":"first"}
        @ Assistant {"what":"turn_ended","message":"One."}
        @ Tool {"what":"session_ended","reason":"complete"}
        @ Tool {"what":"session_started","reason":"resume"}
        @ User {"what":"prompted","text":"again"}
        @ Assistant {"what":"turn_ended","message":"Two."}
        @ Tool {"what":"session_ended","reason":"complete"}
        "#);
}

#[test]
fn a_session_can_be_told_something_where_it_listens() {
    assert_snapshot!(openings(Host::Copilot, "tools"), @r#"
        SessionStart { reason: Startup }
        Prompt { text: "Try every tool." }
        Command { command: "echo to stdout" }
        Command { command: "echo before; echo wrong >&2; exit 3" }
        Command { command: "exit 4" }
        Edit { file: "/home/dev/project/parser.py" }
        Edit { file: "/home/dev/project/parser.py" }
        Edit { file: "/home/dev/project/parser.py" }
        Command { command: "ls" }
        Command { command: "sleep 1; echo late" }
        "#);
    assert_snapshot!(openings(Host::Copilot, "lifecycle"), @r#"
        SessionStart { reason: Startup }
        Prompt { text: "first" }
        SessionStart { reason: Restart }
        Prompt { text: "again" }
        "#);
}

#[test]
fn what_is_of_no_use_is_passed_over() {
    assert_snapshot!(passed_over(Host::Copilot, &["tools", "lifecycle"]), @r#"
        agentStop: the subagent's end comes by itself
        notification: only shown
        permissionRequest: nothing was done yet
        postToolUse: our own tool
        preToolUse: nothing was done yet
        userPromptSubmitted: automated
        "#);
}

/// Its subagents have sessions of their own; what they do belongs to the session they were started in.
#[test]
fn every_event_of_a_session_is_told_as_one_of_it() {
    for recorded in scene(Host::Copilot, "tools") {
        let parsed = recorded.parse();
        assert_eq!(
            parsed.host_session.as_deref(),
            Some("00000000-0000-4000-8000-000000000001"),
            "{recorded:?}"
        );
        assert_eq!(parsed.cwd.as_deref(), Some("/home/dev/project"));
    }
}

fn parse(event: &str, payload: &Value) -> ParsedEvent {
    Host::Copilot.parse(Some(event), payload.to_string().as_bytes())
}

#[test]
fn arguments_in_a_text_are_read_as_well() {
    let args = json!({"command": "make"});
    let result =
        json!({"resultType": "success", "textResultForLlm": "x\n<shellId: 1 completed with exit code 0>"});
    for args in [args.clone(), json!(args.to_string())] {
        let payload = json!({"sessionId": "s", "toolName": "bash", "toolArgs": args, "toolResult": result});
        let ran = Activity::Ran { command: "make".into(), output: "x".into(), status: ExitStatus::Success };
        assert_eq!(happened(parse("postToolUse", &payload)).activity, ran);
    }
    let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch";
    let payload = json!({"sessionId": "s", "cwd": "/p", "toolName": "apply_patch", "toolArgs": patch});
    let event = happened(parse("postToolUse", &payload));
    assert!(matches!(event.activity, Activity::Edited { file, is_new: true, .. } if file == "/p/a"));
}

#[test]
fn a_result_that_is_no_success_is_a_failure() {
    let payload = json!({"sessionId": "s", "toolName": "view", "toolArgs": {"path": "/a"},
        "toolResult": {"resultType": "denied", "textResultForLlm": "Not allowed"}});
    let failed = Activity::ToolFailed { at: "/a".into(), error: "Not allowed".into() };
    assert_eq!(happened(parse("postToolUse", &payload)).activity, failed);
}

#[test]
fn the_closing_message_is_read_from_the_record() {
    let stop =
        || parse("agentStop", &json!({"sessionId": "s", "transcriptPath": "/r", "stopReason": "end_turn"}));
    let line = |content: &str, agent: Option<&str>| {
        json!({"type": "assistant.message", "data": {"content": content}, "agentId": agent}).to_string()
    };
    for (record, message) in [
        (line("Done.", None), "Done."),
        ([line("Done.", None), line("Of a subagent", Some("a")), line("", None)].join("\n"), "Done."),
        (
            format!("{}\n{{\"type\":\"hook.start\",\"x\":\"assistant.message\"}}", line("Done.", None)),
            "Done.",
        ),
        // What was said in the turn before is not of this one.
        (format!("{}\n{}", line("Before", None), line("go on", None).replace("assistant.", "user.")), ""),
        (format!("{}\n{}", line("Before", None), json!({"type": "session.shutdown", "data": {}})), ""),
        (String::new(), ""),
    ] {
        let mut parsed = stop();
        assert_eq!(parsed.transcript.as_deref(), Some("/r"));
        assert_eq!(Host::Copilot.complete_from_transcript(&mut parsed, &record), !message.is_empty());
        assert_eq!(happened(parsed).activity, Activity::TurnEnded { message: message.into() }, "{record}");
    }
}

/// The record is written in pieces: what was said before a tool ran is there before what closes the turn.
#[test]
fn what_is_said_on_the_way_to_a_tool_closes_no_turn() {
    let line = |content: &str, tools: &[&str]| {
        json!({"type": "assistant.message", "data": {"content": content, "toolRequests": tools}}).to_string()
    };
    let mut record = [line("I will run the tests.", &["bash"]), line("", &["bash"])].join("\n");
    let mut parsed = parse("agentStop", &json!({"sessionId": "s", "transcriptPath": "/r"}));
    assert!(!Host::Copilot.complete_from_transcript(&mut parsed, &record));
    let so_far = Activity::TurnEnded { message: "I will run the tests.".into() };
    assert_eq!(happened(parsed.clone()).activity, so_far, "nothing better may come");
    record = [record, line("All of them pass.", &[])].join("\n");
    assert!(Host::Copilot.complete_from_transcript(&mut parsed, &record));
    assert_eq!(happened(parsed).activity, Activity::TurnEnded { message: "All of them pass.".into() });
}

/// A payload that does not say what it is, and nobody said: it is kept all the same.
#[test]
fn without_the_name_of_its_event_a_payload_is_kept() {
    let parsed = Host::Copilot.parse(None, br#"{"sessionId":"s","cwd":"/p","prompt":"hello"}"#);
    assert_eq!((parsed.name.as_str(), parsed.host_session.as_deref()), ("unreadable", Some("s")));
    assert!(
        matches!(parsed.outcome, EventOutcome::Captured(event) if matches!(event.activity, Activity::Other { .. }))
    );
}
