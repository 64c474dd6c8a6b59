//! Claude Code, as recorded.

use crate::recorded::{event_of, parse, payloads, story};
use backstory_hosts::{AgentEvent, EventOutcome, Host};
use backstory_memory::{Activity, ExitStatus, Provenance};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::collections::BTreeSet;

#[test]
fn every_tool_is_understood() {
    assert_snapshot!(story(Host::ClaudeCode, "tools"), @r#"
        - Tool {"what":"session_started","reason":"startup"}
        p02 User {"what":"prompted","text":"Try every tool."}
        toolu_0001 Tool Bash {"what":"ran","command":"echo to stdout; echo to stderr >&2","output":"to stdout\nto stderr","status":"success"}
        toolu_0002 Tool Bash {"what":"ran","command":"echo before; echo wrong >&2; exit 3","output":"before\nwrong","status":"failure"}
        toolu_0003 Tool Bash {"what":"ran","command":"exit 4","output":"","status":"failure"}
        toolu_0004 Tool Write {"what":"edited","file":"/home/dev/project/parser.py","is_new":true,"hunks":[{"before":"","after":"def parse(line):\n    return line.split(':')\n"}]}
        toolu_0005 Tool Read {"what":"looked","at":"/home/dev/project/parser.py"}
        toolu_0006 Tool Write {"what":"edited","file":"/home/dev/project/parser.py","is_new":false,"hunks":[{"before":"def parse(line):\n    return line.split(':')\n","after":"def parse(line):\n    return line.split(':', 1)\n\n\ndef join(a, b):\n    return a + b\n"}]}
        toolu_0007 Tool Edit {"what":"edited","file":"/home/dev/project/parser.py","is_new":false,"hunks":[{"before":"a + b","after":"a + ':' + b"}]}
        toolu_0009 Tool Read {"what":"tool_failed","at":"/home/dev/project/missing.py","error":"File does not exist. Note: your current working directory is /home/dev/project."}
        toolu_0010 Tool Glob {"what":"looked","at":"**/*.py"}
        toolu_0011 Tool Grep {"what":"looked","at":"def in /home/dev/project"}
        toolu_0012 Tool ToolSearch {"what":"looked","at":"select:TaskCreate,TaskUpdate,TaskList,NotebookEdit,WebFetch,WebSearch"}
        toolu_0013 Tool TaskCreate {"what":"planned","steps":[{"text":"Fix the split","is_done":false}]}
        toolu_0014 Tool TaskUpdate {"what":"used_tool","asked":"taskId 1, status completed"}
        toolu_0015 Tool TaskList {"what":"planned","steps":[{"text":"Fix the split","is_done":true}]}
        toolu_0016 Tool Read {"what":"looked","at":"/home/dev/project/notes.ipynb"}
        toolu_0017 Tool NotebookEdit {"what":"edited","file":"/home/dev/project/notes.ipynb","is_new":false,"hunks":[{"before":"1 + 1","after":"2 + 2"}]}
        toolu_0018 External mcp__echo__lookup {"what":"fetched","asked":"query how to split","answer":"Found: how to split"}
        toolu_0019 External WebFetch {"what":"tool_failed","at":"http://127.0.0.1:8080/page What does it say?","error":"error:100000f7:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER"}
        p02 a1 Tool (general-purpose) {"what":"subagent_started"}
        toolu_0021 Tool (general-purpose) Bash {"what":"ran","command":"ls","output":"notes.ipynb\nparser.py","status":"success"}
        p02 a1 Assistant (general-purpose) {"what":"subagent_ended","message":"The project holds parser.py."}
        toolu_0020 Tool Agent {"what":"used_tool","asked":"Look around: List the files."}
        toolu_0024 Tool Bash {"what":"ran","command":"true","output":"","status":"unknown"}
        p02 Assistant {"what":"turn_ended","message":"All tools were used."}
        - Tool {"what":"session_ended","reason":"other"}
        "#);
}

#[test]
fn compaction_clearing_resuming_and_forking_are_understood() {
    assert_snapshot!(story(Host::ClaudeCode, "lifecycle"), @r#"
        - Tool {"what":"session_started","reason":"startup"}
        p02 User {"what":"prompted","text":"first"}
        p02 Assistant {"what":"turn_ended","message":"One."}
        - User {"what":"compacting","instructions":"keep the list of tasks"}
        - Tool {"what":"session_started","reason":"compact"}
        - Assistant {"what":"compacted","summary":"The parser reads headers; its tests pass."}
        p04 User {"what":"prompted","text":"after compaction"}
        p04 Assistant {"what":"turn_ended","message":"Two."}
        p05 User {"what":"prompted","text":"/greet Ada"}
        p05 Assistant {"what":"turn_ended","message":"Hello, Ada."}
        - Tool {"what":"session_ended","reason":"clear"}
        - Tool {"what":"session_started","reason":"clear"}
        p08 User {"what":"prompted","text":"after clearing"}
        p08 Assistant {"what":"turn_ended","message":"Three."}
        p09 User {"what":"prompted","text":"a lot to read"}
        p09 Assistant {"what":"turn_ended","message":"Four."}
        p10 User {"what":"prompted","text":"after a lot"}
        - User {"what":"compacting","instructions":""}
        - Tool {"what":"session_started","reason":"compact"}
        - Assistant {"what":"compacted","summary":"The parser reads headers; its tests pass."}
        p10 Assistant {"what":"turn_ended","message":"Five."}
        - Tool {"what":"session_ended","reason":"other"}
        - Tool {"what":"session_started","reason":"resume"}
        p11 User {"what":"prompted","text":"again"}
        p11 Assistant {"what":"turn_ended","message":"Six."}
        - Tool {"what":"session_ended","reason":"other"}
        - Tool {"what":"session_started","reason":"fork"}
        p13 User {"what":"prompted","text":"on the side"}
        p13 Assistant {"what":"turn_ended","message":"Seven."}
        - Tool {"what":"session_ended","reason":"other"}
        "#);
}

#[test]
fn a_turn_that_breaks_off_is_understood() {
    assert_snapshot!(story(Host::ClaudeCode, "broken-turn"), @r#"
        - Tool {"what":"session_started","reason":"startup"}
        p02 User {"what":"prompted","text":"hello"}
        p02 Tool {"what":"turn_broken","error":"unknown: API Error: 400 refused by the script"}
        p03 User {"what":"prompted","text":"hello again"}
        p03 Assistant {"what":"turn_ended","message":"There."}
        - Tool {"what":"session_ended","reason":"other"}
        "#);
}

#[test]
fn a_whole_session_is_understood() {
    assert_snapshot!(story(Host::ClaudeCode, "bugfix-session"), @r#"
        - Tool {"what":"session_started","reason":"startup"}
        p02 User {"what":"prompted","text":"Fix the failing test in tests/test_pages.py"}
        toolu_0001 Tool Read {"what":"looked","at":"/home/dev/project/pager/pages.py"}
        toolu_0002 Tool Bash {"what":"ran","command":"python3 -m unittest","output":".F.\n======================================================================\nFAIL: test_last_page_is_counted (tests.test_pages.PagesTest.test_last_page_is_counted)\n----------------------------------------------------------------------\nTraceba
        toolu_0003 Tool Edit {"what":"edited","file":"/home/dev/project/pager/pages.py","is_new":false,"hunks":[{"before":"    return items // per_page","after":"    return -(-items // per_page)"}]}
        toolu_0004 Tool Bash {"what":"ran","command":"python3 -m unittest","output":"...\n----------------------------------------------------------------------\nRan 3 tests in 0.001s\n\nOK","status":"success"}
        toolu_0005 Tool Bash {"what":"ran","command":"git add -A && git commit -m \"Fix off-by-one in page_count\"","output":"[main 72db0c7] Fix off-by-one in page_count\n 1 file changed, 1 insertion(+), 1 deletion(-)","status":"success"}
        p02 Assistant {"what":"turn_ended","message":"`page_count` now counts the last, partly filled page, and all three tests pass.\n\n**What was wrong:** `page_count` in `pager/pages.py` used floor division, so 21 items at 10 per page came out as 2 pages instead of 3: an off-by-one for every list that does not fill it
        p03 User {"what":"prompted","text":"No, we use pytest-style asserts here, not assertEqual."}
        p03 Assistant {"what":"turn_ended","message":"Understood: tests here use plain pytest-style `assert` statements, not `assertEqual`.\n\nI changed nothing now, since the existing tests already pass; new tests I write in this repository will use `assert page_count(21, 10) == 3` and no `unittest` assertion methods."}
        - Tool {"what":"session_ended","reason":"other"}
        "#);
}

#[test]
fn what_is_of_no_use_is_passed_over() {
    let names = ["tools", "lifecycle", "broken-turn", "bugfix-session"];
    let why = |payload: String| match parse(payload) {
        parsed if matches!(parsed.outcome, EventOutcome::Ignored(_)) => {
            Some(format!("{}: {:?}", parsed.name, parsed.outcome))
        }
        _ => None,
    };
    let passed: BTreeSet<String> = names.into_iter().flat_map(payloads).filter_map(why).collect();
    assert_snapshot!(passed.into_iter().collect::<Vec<_>>().join("\n"), @r#"
        PermissionRequest: Ignored("nothing was done yet")
        PostToolBatch: Ignored("its calls come one by one")
        PreToolUse: Ignored("nothing was done yet")
        SubagentStop: Ignored("the host's own subagent")
        UserPromptExpansion: Ignored("the prompt comes by itself")
        UserPromptSubmit: Ignored("automated")
        "#);
}

#[test]
fn every_event_of_a_session_is_told_as_one_of_it() {
    for payload in payloads("bugfix-session") {
        let parsed = parse(payload);
        assert_eq!(parsed.host_session.as_deref(), Some("00000000-0000-4000-8000-000000000001"));
        assert_eq!(parsed.cwd.as_deref(), Some("/home/dev/project"));
    }
}

fn used(tool: &str, input: &Value, response: &Value) -> AgentEvent {
    let event = json!({"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": tool, "tool_input": input,
        "tool_response": response, "tool_use_id": "t"});
    event_of(event.to_string())
}

fn prompted(more: &Value) -> EventOutcome {
    let mut event = json!({"hook_event_name": "UserPromptSubmit", "session_id": "s"});
    event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    parse(event.to_string()).outcome
}

#[test]
fn a_prompt_nobody_typed_is_passed_over() {
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

/// Law 5.
#[test]
fn our_own_words_are_not_heard_again() {
    for name in ["mcp__backstory__search", "mcp__plugin_backstory_memory__get"] {
        let event = json!({"hook_event_name": "PostToolUse", "tool_name": name, "tool_response": "ours"});
        assert_eq!(parse(event.to_string()).outcome, EventOutcome::Ignored("our own tool"), "{name}");
    }
    let named = json!({"hook_event_name": "PostToolUse", "tool_name": "mcp__mine__search", "mcp_server": {"name": "backstory"}});
    assert_eq!(parse(named.to_string()).outcome, EventOutcome::Ignored("our own tool"));
    let looked = used("Bash", &json!({"command": "backstory show 12"}), &json!({"stdout": "ours"}));
    assert_eq!(looked.activity, Activity::Looked { at: "backstory show 12".into() });
}

#[test]
fn what_strangers_say_is_external() {
    let of = |tool, input: Value| used(tool, &input, &json!({"stdout": "x", "result": "x"})).provenance;
    assert_eq!(of("Bash", json!({"command": "cd x && curl -s example.com | jq ."})), Provenance::External);
    assert_eq!(of("Bash", json!({"command": "cargo test"})), Provenance::Tool);
    assert_eq!(of("WebFetch", json!({"url": "https://example.com"})), Provenance::External);
    assert_eq!(of("mcp__tracker__issue", json!({"id": 3})), Provenance::External);
    assert_eq!(
        event_of(r#"{"hook_event_name":"SomethingNew","session_id":"s"}"#).provenance,
        Provenance::External
    );
}

#[test]
fn tools_of_other_versions_are_understood() {
    let story = [
        used(
            "TodoWrite",
            &json!({"todos": [{"content": "One", "status": "completed"}, {"content": "Two"}]}),
            &json!(null),
        ),
        used("ExitPlanMode", &json!({"plan": "# InstallPlan\n1. Read it\n- [x] Done\ntext"}), &json!({})),
        used("ExitPlanMode", &json!({"plan": "Just do it"}), &json!({})),
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
    let lines = story.map(|event| serde_json::to_string(&event.activity).unwrap());
    assert_snapshot!(lines.join("\n"), @r#"
        {"what":"planned","steps":[{"text":"One","is_done":true},{"text":"Two","is_done":false}]}
        {"what":"planned","steps":[{"text":"Read it","is_done":false},{"text":"Done","is_done":true}]}
        {"what":"planned","steps":[{"text":"Just do it","is_done":false}]}
        {"what":"edited","file":"/a","is_new":false,"hunks":[{"before":"a","after":"b"}]}
        {"what":"looked","at":"/a"}
        {"what":"ran","command":"make","output":"x","status":"failure"}
        {"what":"used_tool","asked":"bash_id b1"}
        {"what":"fetched","asked":"split","answer":"content title T, url u\nWords"}
        {"what":"used_tool","asked":"args src, skill review"}
        "#);
}

#[test]
fn how_a_command_ended_is_told() {
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
    assert_eq!(event_of(stopped).activity, half);
}
