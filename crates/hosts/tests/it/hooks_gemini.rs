//! Gemini CLI, as recorded.

use crate::recorded::{happened, openings, passed_over, story};
use backstory_hosts::Host;
use backstory_memory::{Activity, ExitStatus, InjectionPoint};
use insta::assert_snapshot;
use serde_json::{Value, json};

#[test]
fn every_tool_is_understood() {
    assert_snapshot!(story(Host::Gemini, "tools"), @r#"
        @ Tool {"what":"session_started","reason":"startup"}
        @ User {"what":"prompted","text":"Try every tool."}
        @ Tool run_shell_command {"what":"ran","command":"echo to stdout; echo to stderr >&2","output":"to stdout\nto stderr","status":"success"}
        @ Tool run_shell_command {"what":"ran","command":"echo before; echo wrong >&2; exit 3","output":"before\nwrong","status":"failure"}
        @ Tool run_shell_command {"what":"ran","command":"exit 4","output":"","status":"failure"}
        @ Tool write_file {"what":"edited","file":"/home/dev/project/parser.py","is_new":true,"hunks":[{"before":"","after":"def parse(line):\n    return line.split(':')\n"}]}
        @ Tool read_file {"what":"looked","at":"/home/dev/project/parser.py"}
        @ Tool write_file {"what":"edited","file":"/home/dev/project/parser.py","is_new":false,"hunks":[{"before":"def parse(line):\n    return line.split(':')\n","after":"def parse(line):\n    return line.split(':')\n\n\ndef join(a, b):\n    return a + b\n"}]}
        @ Tool replace {"what":"edited","file":"/home/dev/project/parser.py","is_new":false,"hunks":[{"before":"a + b","after":"a + ':' + b"}]}
        @ Tool replace {"what":"tool_failed","at":"/home/dev/project/parser.py","error":"Could not find an exact match for 'old_string' in '/home/dev/project/parser.py'. If previous edits modified the file or you are modifying lines outside your recent read window, please use ReadFile to inspect the target lines before re
        @ Tool read_file {"what":"tool_failed","at":"/home/dev/project/missing.py","error":"File not found: /home/dev/project/missing.py"}
        @ Tool list_directory {"what":"looked","at":"/home/dev/project"}
        @ Tool glob {"what":"looked","at":"**/*.py"}
        @ Tool grep_search {"what":"looked","at":"def in /home/dev/project"}
        @ Tool write_todos {"what":"planned","steps":[{"text":"Fix the split","is_done":true},{"text":"Test it","is_done":false}]}
        @ External mcp_echo_lookup {"what":"fetched","asked":"query how to split","answer":"Found: how to split"}
        @ External web_fetch {"what":"tool_failed","at":"What does http://127.0.0.1:8080/page say?","error":"All requested URLs were skipped: [Blocked Host] http://127.0.0.1:8080/page"}
        @ External google_web_search {"what":"fetched","asked":"split once","answer":"Web search results for \"split once\":\n\nA summary of the work so far."}
        @ Tool update_topic {"what":"used_tool","asked":"title Parsing, summary The parser splits once., strategic_intent Go on"}
        @ Assistant {"what":"turn_ended","message":"All tools were used."}
        @ Tool {"what":"session_ended","reason":"exit"}
        "#);
}

#[test]
fn resuming_is_understood() {
    assert_snapshot!(story(Host::Gemini, "lifecycle"), @r#"
        @ Tool {"what":"session_started","reason":"startup"}
        @ User {"what":"prompted","text":"first"}
        @ Assistant {"what":"turn_ended","message":"One."}
        @ Tool {"what":"session_ended","reason":"exit"}
        @ Tool {"what":"session_started","reason":"resume"}
        @ User {"what":"prompted","text":"again"}
        @ Assistant {"what":"turn_ended","message":"Two."}
        @ Tool {"what":"session_ended","reason":"exit"}
        "#);
}

/// Nothing before a tool: its agent would not read it.
#[test]
fn a_session_can_be_told_something_where_it_listens() {
    assert_snapshot!(openings(Host::Gemini, "tools"), @r#"
        SessionStart { reason: Startup }
        Prompt { text: "Try every tool." }
        "#);
    assert_snapshot!(openings(Host::Gemini, "lifecycle"), @r#"
        SessionStart { reason: Startup }
        Prompt { text: "first" }
        SessionStart { reason: Restart }
        Prompt { text: "again" }
        "#);
}

#[test]
fn what_is_of_no_use_is_passed_over() {
    assert_snapshot!(passed_over(Host::Gemini, &["tools", "lifecycle"]), @r#"
        AfterTool: our own tool
        BeforeTool: nothing was done yet
        PreCompress: it need not happen
        "#);
}

/// The prompt comes with what we said at the session's start before it.
#[test]
fn our_own_words_are_not_heard_in_a_prompt() {
    let event = json!({"session_id": "s", "hook_event_name": "BeforeAgent",
        "prompt": "<hook_context>ours &lt;b&gt;</hook_context>\n\nFix the build"});
    let parsed = Host::Gemini.parse(None, event.to_string().as_bytes());
    assert_eq!(parsed.injection_point, Some(InjectionPoint::Prompt { text: "Fix the build".into() }));
    assert_eq!(happened(parsed).activity, Activity::Prompted { text: "Fix the build".into() });
}

#[test]
fn how_a_command_ended_is_told() {
    let status = |response: Value| {
        let event = json!({"session_id": "s", "hook_event_name": "AfterTool", "tool_name": "run_shell_command",
            "tool_input": {"command": "make"}, "tool_response": response});
        match happened(Host::Gemini.parse(None, event.to_string().as_bytes())).activity {
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
