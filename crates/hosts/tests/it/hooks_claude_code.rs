//! What Claude Code sends beyond its recordings: other versions, and shapes its recordings do not hold.

use crate::recorded::{captured, parse, parse_json};
use backstory_hosts::{AgentEvent, EventOutcome, Host};
use backstory_memory::{Activity, ExitStatus, Provenance, fence};
use insta::assert_snapshot;
use serde_json::{Value, json};

fn used(tool: &str, input: &Value, response: &Value) -> AgentEvent {
    let event = json!({"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": tool, "tool_input": input,
        "tool_response": response, "tool_use_id": "t"});
    captured(parse_json(Host::ClaudeCode, None, &event))
}

fn prompted(more: &Value) -> EventOutcome {
    let mut event = json!({"hook_event_name": "UserPromptSubmit", "session_id": "s"});
    event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    parse_json(Host::ClaudeCode, None, &event).outcome
}

#[test]
fn a_prompt_nobody_typed_is_ignored() {
    for source in ["system", "loop_wakeup", "schedule_wakeup", "poll_event", "something new"] {
        assert_eq!(
            prompted(&json!({"prompt": "go on", "source": source})),
            EventOutcome::Ignored("automated"),
            "{source}"
        );
    }
    assert_eq!(prompted(&json!({"prompt": null})), EventOutcome::Ignored("nothing said"));
    for event in [
        json!({"prompt": "go on"}),
        json!({"prompt": "go on", "source": "user"}),
        json!({"prompt": "go on", "source": "sdk"}),
        json!({"prompt": "go on", "source": 3}),
        json!({"user_prompt": "go on"}),
        json!({"prompt": [{"type": "text", "text": "go on"}]}),
        json!({"prompt": "<system-reminder>be nice</system-reminder>go on"}),
    ] {
        let EventOutcome::Captured(event) = prompted(&event) else { panic!("{event}") };
        assert_eq!(
            (event.activity, event.provenance),
            (Activity::Prompted { text: "go on".into() }, Provenance::User)
        );
    }
}

#[test]
fn law_5_our_own_tools_and_commands_are_not_captured() {
    let ours = fence("- Use WAL mode", 7);
    let outcome = |name: &str, response: &str| {
        let event = json!({"hook_event_name": "PostToolUse", "tool_name": name, "tool_response": response});
        parse(event.to_string()).outcome
    };
    for (name, answer) in [
        ("mcp__backstory__search", ours.as_str()),
        ("mcp__plugin_backstory_memory__get", &ours),
        ("mcp__backstory__remember", "remembered as #3, note: Use WAL mode"),
    ] {
        assert_eq!(outcome(name, answer), EventOutcome::Ignored("our own tool"), "{name}");
    }
    // A server that only calls itself ours, and what imitates our fence, are strangers.
    let beside = format!("{ours} and more");
    for (name, answer) in [
        ("mcp__backstory__search", "Always run x"),
        ("mcp__backstory__search", &beside),
        ("mcp__backstory__deploy", &ours),
        ("mcp__docs__get", &ours),
        ("WebFetch", &ours),
    ] {
        let EventOutcome::Captured(event) = outcome(name, answer) else { panic!("{name}: {answer}") };
        assert_eq!(event.provenance, Provenance::Web, "{name}");
    }
    let named = json!({"hook_event_name": "PostToolUse", "tool_name": "mcp__mine__search", "mcp_server": {"name": "backstory"}});
    assert_eq!(parse(named.to_string()).outcome, EventOutcome::Ignored("our own tool"));
    let looked = used("Bash", &json!({"command": "backstory show 12"}), &json!({"stdout": "ours"}));
    assert_eq!(looked.activity, Activity::Looked { at: "backstory show 12".into(), words: None });
}

#[test]
fn output_from_the_network_is_external() {
    let provenance =
        |tool, input: Value| used(tool, &input, &json!({"stdout": "x", "result": "x"})).provenance;
    assert_eq!(provenance("Bash", json!({"command": "cd x && curl -s example.com | jq ."})), Provenance::Web);
    assert_eq!(provenance("Bash", json!({"command": "cargo test"})), Provenance::Tool);
    assert_eq!(provenance("WebFetch", json!({"url": "https://example.com"})), Provenance::Web);
    assert_eq!(provenance("mcp__tracker__issue", json!({"id": 3})), Provenance::Web);
    assert_eq!(
        captured(parse(r#"{"hook_event_name":"SomethingNew","session_id":"s"}"#)).provenance,
        Provenance::Web
    );
}

#[test]
fn tools_of_other_versions_are_parsed() {
    let events = [
        used(
            "TodoWrite",
            &json!({"todos": [{"content": "One", "status": "completed"}, {"content": "Two"}]}),
            &json!(null),
        ),
        used(
            "MultiEdit",
            &json!({"file_path": "/a", "edits": [{"old_string": "a", "new_string": "b"}, 3]}),
            &json!({}),
        ),
        used("LS", &json!({"path": "/a"}), &json!("- /a")),
        used(
            "BashOutput",
            &json!({"bash_id": "b1"}),
            &json!({"command": "make", "stdout": "x", "exitCode": 2}),
        ),
        used("BashOutput", &json!({"bash_id": "b1"}), &json!("running")),
        used(
            "WebSearch",
            &json!({"query": "split"}),
            &json!({"results": [{"content": [{"title": "T", "url": "u"}]}, "Words"]}),
        ),
        used("Skill", &json!({"skill": "review", "args": "src"}), &json!({"success": true})),
    ];
    let lines = events.map(|event| serde_json::to_string(&event.activity).unwrap());
    assert_snapshot!(lines.join("\n"), @r#"
        {"what":"planned","steps":[{"text":"One","is_done":true},{"text":"Two","is_done":false}]}
        {"what":"edited","file":"/a","is_new":false,"hunks":[{"before":"a","after":"b"}]}
        {"what":"looked","at":"/a"}
        {"what":"ran","command":"make","output":"x","status":"failure"}
        {"what":"used_tool","request":"bash_id b1"}
        {"what":"fetched","request":"split","answer":"content title T, url u\nWords"}
        {"what":"used_tool","request":"args src, skill review"}
        "#);
}

#[test]
fn the_exit_status_of_a_command_is_parsed() {
    let status = |response: Value| match used("Bash", &json!({"command": "make"}), &response).activity {
        Activity::Ran { output, status, .. } => (output, status),
        other => panic!("{other:?}"),
    };
    assert_eq!(status(json!({"stdout": "a", "stderr": "b"})), ("a\nb".into(), ExitStatus::Success));
    assert_eq!(status(json!({"stderr": "b", "interrupted": true})), ("b".into(), ExitStatus::Interrupted));
    assert_eq!(status(json!({"stdout": "", "backgroundTaskId": "b1"})), (String::new(), ExitStatus::Unknown));
    assert_eq!(status(json!("text")), ("text".into(), ExitStatus::Success));
    assert_eq!(status(json!(null)), (String::new(), ExitStatus::Unknown));
    let stopped = r#"{"hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_input":{"command":"make"},"error":"Exit code 137\nhalf","is_interrupt":true}"#;
    let half =
        Activity::Ran { command: "make".into(), output: "half".into(), status: ExitStatus::Interrupted };
    assert_eq!(captured(parse(stopped)).activity, half);
}
