//! Codex, as recorded.

use crate::recorded::{happened, openings, passed_over, story};
use backstory_hosts::{Host, ParsedEvent};
use backstory_memory::{Activity, ExitStatus};
use insta::assert_snapshot;
use serde_json::json;

#[test]
fn every_tool_is_understood() {
    assert_snapshot!(story(Host::Codex, "tools"), @r#"
        - Tool {"what":"session_started","reason":"startup"}
        p02 User {"what":"prompted","text":"Try every tool."}
        call_0001 Tool Bash {"what":"ran","command":"echo to stdout; echo to stderr >&2","output":"to stderr\nto stdout\n","status":"success"}
        call_0002 Tool Bash {"what":"ran","command":"echo before; echo wrong >&2; exit 3","output":"before\nwrong\n","status":"failure"}
        call_0003 Tool Bash {"what":"ran","command":"exit 4","output":"","status":"failure"}
        call_0004 Tool apply_patch {"what":"edited","file":"/home/dev/project/parser.py","is_new":true,"hunks":[{"before":"","after":"def parse(line):\n    return line.split(':')\n"}]}
        call_0005 Tool apply_patch {"what":"edited","file":"/home/dev/project/parser.py","is_new":false,"hunks":[{"before":"def parse(line):\n    return line.split(':')\n","after":"def parse(line):\n    return line.split(':', 1)\n"}]}
        call_0005 Tool apply_patch {"what":"edited","file":"/home/dev/project/notes.md","is_new":true,"hunks":[{"before":"","after":"Notes\n"}]}
        call_0006 Tool apply_patch {"what":"edited","file":"/home/dev/project/reader.py","is_new":false,"hunks":[{"before":"    return line.split(':', 1)\n","after":"    return line.split(';', 1)\n"}]}
        call_0006 Tool apply_patch {"what":"edited","file":"/home/dev/project/notes.md","is_new":false,"hunks":[]}
        call_0008 External mcp__echo__lookup {"what":"fetched","asked":"query how to split","answer":"Found: how to split"}
        p02 Assistant {"what":"turn_ended","message":"All tools were used."}
        - Tool {"what":"session_ended","reason":"other"}
        "#);
}

#[test]
fn tools_called_from_a_script_are_understood() {
    assert_snapshot!(story(Host::Codex, "code-mode"), @r#"
        - Tool {"what":"session_started","reason":"startup"}
        p02 User {"what":"prompted","text":"Run it."}
        exec-p03 Tool Bash {"what":"ran","command":"echo before; exit 3","output":"before\n","status":"failure"}
        exec-p04 Tool apply_patch {"what":"edited","file":"/home/dev/project/parser.py","is_new":true,"hunks":[{"before":"","after":"def parse(line):\n    return line.split(':')\n"}]}
        exec-p05 External mcp__echo__lookup {"what":"fetched","asked":"query how to split","answer":"Found: how to split"}
        p02 Assistant {"what":"turn_ended","message":"Ran it."}
        - Tool {"what":"session_ended","reason":"other"}
        "#);
}

#[test]
fn resuming_compaction_and_subagents_are_understood() {
    assert_snapshot!(story(Host::Codex, "lifecycle"), @r#"
        - Tool {"what":"session_started","reason":"startup"}
        p02 User {"what":"prompted","text":"first"}
        p02 Assistant {"what":"turn_ended","message":"One."}
        - Tool {"what":"session_ended","reason":"other"}
        - Tool {"what":"session_started","reason":"resume"}
        p03 User {"what":"prompted","text":"a lot to read"}
        p03 Assistant {"what":"turn_ended","message":"Two."}
        - Tool {"what":"session_ended","reason":"other"}
        - User {"what":"compacting","instructions":""}
        - Tool {"what":"session_started","reason":"resume"}
        - Tool {"what":"session_started","reason":"compact"}
        p04 User {"what":"prompted","text":"after a lot"}
        p04 Assistant {"what":"turn_ended","message":"Three."}
        - Tool {"what":"session_ended","reason":"other"}
        - Tool {"what":"session_started","reason":"resume"}
        p05 User {"what":"prompted","text":"Ask somebody."}
        call_0005 Tool spawn_agent {"what":"used_tool","asked":"message List the files."}
        p07 p06 Tool (default) {"what":"subagent_started"}
        p07 p06 Assistant (default) {"what":"prompted","text":"List the files."}
        call_0007 Tool (default) Bash {"what":"ran","command":"ls","output":"","status":"success"}
        p07 p06 Assistant (default) {"what":"subagent_ended","message":"There are none."}
        call_0006 Tool Bash {"what":"ran","command":"sleep 2","output":"","status":"success"}
        p05 Assistant {"what":"turn_ended","message":"Four."}
        - Tool {"what":"session_ended","reason":"other"}
        "#);
}

#[test]
fn a_session_can_be_told_something_where_it_listens() {
    assert_snapshot!(openings(Host::Codex, "tools"), @r#"
        SessionStart { reason: Startup }
        Prompt { text: "Try every tool." }
        Command { command: "echo to stdout; echo to stderr >&2" }
        Command { command: "echo before; echo wrong >&2; exit 3" }
        Command { command: "exit 4" }
        Edit { file: "/home/dev/project/parser.py" }
        Edit { file: "/home/dev/project/parser.py" }
        Edit { file: "/home/dev/project/parser.py" }
        Edit { file: "/home/dev/project/reader.py" }
        Command { command: "sleep 1; echo late" }
        "#);
    assert_snapshot!(openings(Host::Codex, "lifecycle"), @r#"
        SessionStart { reason: Startup }
        Prompt { text: "first" }
        SessionStart { reason: Resume }
        Prompt { text: "a lot to read" }
        SessionStart { reason: Resume }
        SessionStart { reason: Compact }
        Prompt { text: "after a lot" }
        SessionStart { reason: Resume }
        Prompt { text: "Ask somebody." }
        Command { command: "sleep 2" }
        Command { command: "ls" }
        "#);
}

#[test]
fn what_is_of_no_use_is_passed_over() {
    assert_snapshot!(passed_over(Host::Codex, &["tools", "code-mode", "lifecycle"]), @r#"
        PostCompact: it says nothing
        PostToolUse: our own tool
        PreToolUse: nothing was done yet
        "#);
}

fn ran() -> ParsedEvent {
    let event = json!({"hook_event_name": "PostToolUse", "session_id": "s", "transcript_path": "/r", "tool_name": "Bash",
        "tool_input": {"command": "make"}, "tool_response": "x", "tool_use_id": "call_1"});
    Host::Codex.parse(None, event.to_string().as_bytes())
}

/// It never says so in a payload.
#[test]
fn how_a_command_ended_is_read_from_the_record() {
    let line = |id: &str, code: i32| {
        json!({"payload": {"type": "item_completed", "item": {"type": "CommandExecution", "id": id, "exit_code": code}}})
            .to_string()
    };
    let other = line("call_2", 7);
    for (record, status) in [
        (line("call_1", 0), ExitStatus::Success),
        (format!("{}\n{other}\n", line("call_1", 2)), ExitStatus::Failure),
        (line("call_1", -1), ExitStatus::Interrupted),
        (other.clone(), ExitStatus::Unknown),
        (String::new(), ExitStatus::Unknown),
        (format!("cut\": 0}}}}}}\n{}", &line("call_1", 0)[..40]), ExitStatus::Unknown),
    ] {
        let mut parsed = ran();
        assert_eq!(parsed.transcript.as_deref(), Some("/r"));
        Host::Codex.complete_from_transcript(&mut parsed, &record);
        let command = Activity::Ran { command: "make".into(), output: "x".into(), status };
        assert_eq!(happened(parsed).activity, command, "{record}");
    }
}

/// What a command prints is its own, even where it looks like a host's words.
#[test]
fn output_in_json_is_kept_as_it_was_printed() {
    let printed = r#"{"exitCode":1,"stdout":"no","error":{"message":"no"}}"#;
    let event = json!({"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": "Bash",
        "tool_input": {"command": "cat x.json"}, "tool_response": printed});
    let event = happened(Host::Codex.parse(None, event.to_string().as_bytes()));
    let (command, output) = ("cat x.json".into(), printed.into());
    assert_eq!(event.activity, Activity::Ran { command, output, status: ExitStatus::Unknown });
}
