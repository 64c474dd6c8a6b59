//! OpenCode, as our plugin passed it on when it was recorded (`scripts/record-opencode`).

use crate::recorded::{Recorded, line_of, scene};
use backstory_hosts::{EventOutcome, Host, HostReply, ParsedEvent};
use backstory_memory::{InjectionPoint, Moment, StartReason};
use insta::assert_snapshot;
use serde_json::{Value, json};

fn parse(event: &str, payload: &Value) -> ParsedEvent {
    Host::OpenCode.parse(Some(event), payload.to_string().as_bytes())
}

/// Tells what was parsed in a scene, and where something can be said about it.
fn story(name: &str) -> String {
    let tell = |recorded: &Recorded| {
        let parsed = recorded.parse();
        assert_eq!(parsed.cwd.as_deref(), Some("/home/dev/project"));
        let can_say =
            parsed.injection_point.map(|opening| format!(" → {:?}", opening.moment())).unwrap_or_default();
        let what = match parsed.outcome {
            EventOutcome::Captured(event) => line_of(&event),
            EventOutcome::Ignored(why) => format!("passed over: {why}"),
        };
        let also: String = parsed.also.iter().map(|event| format!("\n  and {}", line_of(event))).collect();
        format!("{} {what}{can_say}{also}\n", parsed.host_session.unwrap())
    };
    scene(Host::OpenCode, name).iter().map(tell).collect()
}

#[test]
fn every_tool_is_understood() {
    assert_snapshot!(story("tools"), @r#"
        ses_0001 - Tool {"what":"session_started","reason":"startup"} → SessionStart
        ses_0001 msg_0002 User {"what":"prompted","text":"Try every tool."} → Prompt
        ses_0001 toolu_0002 Tool bash {"what":"ran","command":"echo to stdout; echo to stderr >&2","output":"to stdout\nto stderr\n","status":"success"}
        ses_0001 toolu_0003 Tool bash {"what":"ran","command":"echo before; exit 3","output":"before\n","status":"failure"} → Tool
        ses_0001 toolu_0004 Tool bash {"what":"ran","command":"true","output":"","status":"success"}
        ses_0001 toolu_0005 Tool write {"what":"edited","file":"/home/dev/project/parser.py","is_new":true,"hunks":[{"before":"","after":"def parse(line):\n    return line.split(':')\n"}]} → Tool
        ses_0001 toolu_0006 Tool read {"what":"looked","at":"/home/dev/project/parser.py"}
        ses_0001 toolu_0007 Tool edit {"what":"edited","file":"/home/dev/project/parser.py","is_new":false,"hunks":[{"before":"split(':')","after":"split(':', 1)"}]} → Tool
        ses_0001 toolu_0008 Tool edit {"what":"tool_failed","at":"/home/dev/project/parser.py","error":"Could not find oldString in the file. It must match exactly, including whitespace, indentation, and line endings."}
        ses_0001 toolu_0009 Tool read {"what":"tool_failed","at":"/home/dev/project/missing.py","error":"File not found: /home/dev/project/missing.py"}
        ses_0001 toolu_0010 Tool glob {"what":"tool_failed","at":"**/*.py","error":"ripgrep execution failed"}
        ses_0001 toolu_0011 Tool grep {"what":"tool_failed","at":"def in /home/dev/project","error":"ripgrep execution failed"}
        ses_0001 toolu_0012 Tool todowrite {"what":"planned","steps":[{"text":"Fix the split","is_done":true},{"text":"Test it","is_done":false}]}
        ses_0001 toolu_0013 External echo_lookup {"what":"fetched","asked":"query how to split","answer":"Found: how to split"}
        ses_0001 passed over: our own tool
        ses_0001 toolu_0015 External webfetch {"what":"tool_failed","at":"http://127.0.0.1:8080/page","error":"StatusCode: non 2xx status code (404 GET http://127.0.0.1:8080/page)"}
        ses_0001 - Tool (general) {"what":"subagent_started"}
        ses_0001 passed over: asked by an agent
        ses_0001 toolu_0017 Tool (general) bash {"what":"ran","command":"ls","output":"parser.py\n","status":"success"}
        ses_0001 msg_0015 Assistant (general) {"what":"subagent_ended","message":"The project holds parser.py."}
        ses_0001 toolu_0016 Tool task {"what":"used_tool","asked":"Look around: List the files."}
        ses_0001 msg_0002 Assistant {"what":"turn_ended","message":"All tools were used."}
        ses_0001 - Tool {"what":"session_ended","reason":"exit"}
        ses_0017 - Tool {"what":"session_started","reason":"startup"} → SessionStart
        ses_0017 msg_0018 User {"what":"prompted","text":"Remove it."} → Prompt
        ses_0017 passed over: not done
        ses_0017 msg_0018 Assistant {"what":"turn_ended","message":"Done."}
        ses_0017 - Tool {"what":"session_ended","reason":"exit"}
        ses_0022 - Tool {"what":"session_started","reason":"startup"} → SessionStart
        ses_0022 msg_0023 User {"what":"prompted","text":"Patch it."} → Prompt
        ses_0022 toolu_0024 Tool apply_patch {"what":"edited","file":"/home/dev/project/parser.py","is_new":false,"hunks":[{"before":"def parse(line):\n","after":"def parse(text):\n"}]} → Tool
          and toolu_0024 Tool apply_patch {"what":"edited","file":"/home/dev/project/join.py","is_new":true,"hunks":[{"before":"","after":"a = 1\n"}]}
        ses_0022 msg_0023 Assistant {"what":"turn_ended","message":"Patched."}
        ses_0022 - Tool {"what":"session_ended","reason":"exit"}
        "#);
}

#[test]
fn coming_back_compaction_errors_and_commands_are_understood() {
    assert_snapshot!(story("lifecycle"), @r#"
        ses_0001 - Tool {"what":"session_started","reason":"startup"} → SessionStart
        ses_0001 msg_0002 User {"what":"prompted","text":"first"} → Prompt
        ses_0001 msg_0002 Assistant {"what":"turn_ended","message":"One."}
        ses_0001 - Tool {"what":"session_ended","reason":"exit"}
        ses_0001 - Tool {"what":"session_started","reason":"resume"} → SessionStart
        ses_0001 msg_0004 User {"what":"prompted","text":"second"} → Prompt
        ses_0001 - Tool {"what":"compacting","instructions":""} → Compaction
        ses_0001 - Assistant {"what":"compacted","summary":"The parser reads headers; its tests pass."} → SessionStart
        ses_0001 msg_0004 Assistant {"what":"turn_ended","message":"Three."}
        ses_0001 - Tool {"what":"session_ended","reason":"exit"}
        ses_0001 - Tool {"what":"session_started","reason":"resume"} → SessionStart
        ses_0001 msg_0006 User {"what":"prompted","text":"third"} → Prompt
        ses_0001 msg_0006 Tool {"what":"turn_broken","error":"APIError: refused by the script"}
        ses_0001 - Tool {"what":"session_ended","reason":"exit"}
        ses_0008 - Tool {"what":"session_started","reason":"startup"} → SessionStart
        ses_0008 msg_0009 User {"what":"prompted","text":"/greet Ada"}
        ses_0008 msg_0009 Assistant {"what":"turn_ended","message":"Hello, Ada."}
        ses_0008 - Tool {"what":"session_ended","reason":"exit"}
        "#);
}

#[test]
fn a_session_that_comes_back_has_lost_its_block() {
    let openings: Vec<InjectionPoint> = scene(Host::OpenCode, "lifecycle")
        .iter()
        .filter_map(|recorded| recorded.parse().injection_point)
        .filter(|opening| opening.moment() == Moment::SessionStart)
        .collect();
    let session = |reason| InjectionPoint::SessionStart { reason };
    let expected = [
        StartReason::Startup,
        StartReason::Reopen,
        StartReason::Compact,
        StartReason::Reopen,
        StartReason::Startup,
    ]
    .map(session);
    assert_eq!(openings, expected);
}

#[test]
fn only_what_the_user_typed_is_a_prompt() {
    let parts = json!([
        {"type": "text", "text": "fix the parser\n"},
        {"type": "text", "text": "Called the Read tool", "synthetic": true},
        {"type": "text", "text": "shown only", "ignored": true},
        {"type": "text", "text": "and its tests"},
    ]);
    let session = json!({"id": "s", "root": "s", "directory": "/p"});
    let parsed = parse("chat.message", &json!({"session": session, "turn": "m", "said": {"parts": parts}}));
    assert_eq!(
        parsed.injection_point,
        Some(InjectionPoint::Prompt { text: "fix the parser\nand its tests".to_owned() })
    );

    let nothing = json!([{"type": "text", "text": "all ours", "synthetic": true}]);
    let parsed = parse("chat.message", &json!({"session": session, "said": {"parts": nothing}}));
    assert_eq!(parsed.outcome, EventOutcome::Ignored("nothing said"));
}

#[test]
fn nothing_is_given_to_a_subagent() {
    let parsed: Vec<ParsedEvent> = scene(Host::OpenCode, "tools").iter().map(Recorded::parse).collect();
    let of_subagent = parsed.into_iter().filter(|parsed| match &parsed.outcome {
        EventOutcome::Captured(event) => event.subagent.is_some(),
        EventOutcome::Ignored(why) => *why == "asked by an agent",
    });
    let openings: Vec<Option<InjectionPoint>> = of_subagent.map(|parsed| parsed.injection_point).collect();
    assert_eq!(openings, [None, None, None, None]);
}

/// A change of OpenCode's words costs what they said, and nothing else.
#[test]
fn renamed_fields_are_silence_not_an_error() {
    for recorded in ["tools", "lifecycle"].into_iter().flat_map(|name| scene(Host::OpenCode, name)) {
        let payload = recorded.payload.replace("\"said\":", "\"renamed\":");
        let parsed = recorded.parse_as(payload.as_bytes());
        let is_noticed =
            matches!(parsed.name.as_str(), "chat.message" | "tool.execute.after" | "tool.failed");
        assert_eq!(parsed.missing.is_empty(), !is_noticed, "{payload}");
        assert_eq!(Some(parsed.name), recorded.event);
        assert_eq!(parsed.host_session, recorded.parse().host_session);
    }
    let unreadable = Host::OpenCode.parse(Some("session.idle"), b"\xff{{{");
    assert_eq!((unreadable.name.as_str(), unreadable.host_session), ("session.idle", None));
}

#[test]
fn the_plugin_is_answered_in_one_object() {
    let reply = |context, to_user| Host::OpenCode.reply(Moment::Prompt, HostReply { context, to_user });
    assert_eq!(reply(None, None), None);
    assert_eq!(reply(Some("a \"b\""), None).unwrap(), r#"{"context":"a \"b\""}"#);
    assert_eq!(reply(Some("a"), Some("b")).unwrap(), r#"{"context":"a","to_user":"b"}"#);
    let check = |stdout: &str| Host::OpenCode.check_reply("chat.message", stdout.as_bytes()).is_ok();
    assert!(check("") && check(r#"{"context":"a","to_user":"b"}"#));
    for wrong in ["words", "[]", r#"{"context":1}"#, r#"{"decision":"block"}"#, "{} {}"] {
        assert!(!check(wrong), "{wrong}");
    }
}
