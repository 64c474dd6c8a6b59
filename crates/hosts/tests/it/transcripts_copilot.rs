//! Copilot CLI's transcripts: as recorded, as older versions wrote them, and damaged.

use crate::transcript_reading::{TranscriptHome, damaged_end, event_lines, lines, with};
use backstory_hosts::Host;
use backstory_memory::{Activity, Timestamp};
use insta::{allow_duplicates, assert_snapshot};
use proptest::prelude::*;
use serde_json::{Value, json};

const SESSION: &str = ".copilot/session-state/s1/events.jsonl";

fn event(number: u32, sort: &str, data: &Value) -> Value {
    json!({"type": sort, "id": format!("e{number}"), "timestamp": format!("2026-01-01T10:00:{number:02}.000Z"), "data": data})
}

fn home_with(name: &str, text: impl AsRef<[u8]>) -> TranscriptHome {
    TranscriptHome::with_file(Host::Copilot, name, text)
}

fn outline(rows: &[Value]) -> String {
    home_with(SESSION, lines(rows)).outline()
}

#[test]
fn closing_messages_are_read() {
    let closings = |name: &str| {
        let entries = TranscriptHome::recorded(Host::Copilot, name).first_entries().into_iter();
        let closing = entries.filter_map(|entry| match entry.event.activity {
            Activity::TurnEnded { message } | Activity::SubagentEnded { message } => Some(message),
            _ => None,
        });
        closing.collect::<Vec<String>>()
    };
    assert_eq!(closings("tools"), ["The project holds parser.py.", "All tools were used.", "Done."]);
    assert_eq!(closings("lifecycle"), ["One.", "Two."]);
}

#[test]
fn compactions_errors_and_aborts_are_read() {
    let rows = [
        event(1, "session.start", &json!({"sessionId": "s1", "context": {"cwd": "/p"}})),
        event(2, "user.message", &json!({"content": "go on"})),
        event(3, "session.compaction_start", &json!({})),
        event(4, "session.compaction_complete", &json!({"success": true, "summaryContent": "Half is done."})),
        event(5, "assistant.message", &json!({"content": "Trying.", "toolRequests": [{"toolCallId": "c"}]})),
        event(6, "session.error", &json!({"errorType": "query", "message": "no quota"})),
        event(7, "user.message", &json!({"content": "a skill", "source": "skill-x"})),
        event(8, "user.message", &json!({"content": "again"})),
        event(9, "assistant.message", &json!({"content": "Looking.", "toolRequests": [{"toolCallId": "c"}]})),
        event(10, "abort", &json!({"reason": "user initiated"})),
        event(11, "something.new", &json!({"x": 1})),
        event(12, "user.message", &json!({"content": "<system_reminder>ours</system_reminder>\n\nlast"})),
    ];
    assert_snapshot!(outline(&rows), @r#"
    {"what":"session_started","reason":"startup"}
    {"what":"prompted","text":"go on"}
    {"what":"compacting","instructions":""}
    {"what":"compacted","summary":"Half is done."}
    {"what":"turn_broken","error":"no quota"}
    {"what":"prompted","text":"again"}
    {"what":"interrupted"}
    {"what":"prompted","text":"last"}
    {"what":"turn_ended","message":""}
    "#);
}

/// Older versions name a subagent by the call that started it, and keep a session in one file.
#[test]
fn a_subagent_of_an_older_version_is_identified_by_its_call() {
    let rows = [
        event(1, "session.start", &json!({"sessionId": "s1", "context": {"cwd": "/p"}})),
        event(2, "subagent.started", &json!({"toolCallId": "c1", "agentName": "explore"})),
        event(
            3,
            "tool.execution_start",
            &json!({"toolCallId": "c2", "toolName": "bash", "arguments": {"command": "ls"}, "parentToolCallId": "c1"}),
        ),
        event(
            4,
            "tool.execution_complete",
            &json!({"toolCallId": "c2", "success": true, "result": {"content": "a\n<exited with exit code 0>"}, "parentToolCallId": "c1"}),
        ),
        event(
            5,
            "assistant.message",
            &json!({"content": "There is a.", "toolRequests": [], "parentToolCallId": "c1"}),
        ),
        event(6, "subagent.completed", &json!({"toolCallId": "c1", "agentName": "explore"})),
    ];
    let home = home_with(".copilot/session-state/s1.jsonl", lines(&rows));
    assert_snapshot!(event_lines(&home.first_entries()), @r#"
        - Tool {"what":"session_started","reason":"startup"}
        - Tool (explore) {"what":"subagent_started"}
        - Tool (explore) bash {"what":"ran","command":"ls","output":"a","status":"success"}
        - Assistant (explore) {"what":"subagent_ended","message":"There is a."}
        "#);
}

#[test]
fn the_timeline_of_the_first_versions_is_read() {
    let shown = |number: u32, sort: &str, more: &Value| {
        let row = json!({"id": format!("t{number}"), "timestamp": format!("2025-10-01T10:00:{number:02}.000Z"), "type": sort});
        with(row, more)
    };
    let edit = json!({"command": "str_replace", "path": "/p/src/a.py", "old_str": "a", "new_str": "b"});
    let record = json!({
        "sessionId": "s1", "startTime": "2025-10-01T10:00:00.000Z",
        "chatMessages": [{"role": "user", "content": "not this"}],
        "timeline": [
            shown(1, "info", &json!({"text": "Logged in"})),
            shown(2, "user", &json!({"text": "Rename it"})),
            shown(3, "tool_call_requested", &json!({"callId": "c1", "name": "bash", "arguments": {"command": "make"}})),
            shown(4, "tool_call_completed", &json!({"callId": "c1", "name": "bash", "arguments": {"command": "make"},
                "result": {"type": "success", "log": "no\n<exited with exit code 2>"}})),
            shown(5, "tool_call_completed", &json!({"callId": "c2", "toolTitle": "str_replace_editor", "arguments": edit,
                "result": {"type": "success", "log": "diff"}})),
            shown(6, "copilot", &json!({"text": "Renamed."})),
            shown(7, "user", &json!({"text": "Thanks"})),
        ],
    });
    let name = ".copilot/history-session-state/session_s1_1759312800000.json";
    for text in [record.to_string(), serde_json::to_string_pretty(&record).unwrap()] {
        let home = home_with(name, text);
        assert_eq!(home.transcripts()[0].began, Some(Timestamp(1_759_312_800_000)));
        let entries = home.first_entries();
        assert!(entries.iter().all(|entry| entry.session == "s1" && entry.cwd.as_deref() == Some("/p/src")));
        allow_duplicates!(assert_snapshot!(event_lines(&entries), @r#"
            - Tool {"what":"session_started","reason":"startup"}
            - User {"what":"prompted","text":"Rename it"}
            - Tool bash {"what":"ran","command":"make","output":"no","status":"failure"}
            - Tool str_replace {"what":"edited","file":"/p/src/a.py","is_new":false,"hunks":[{"before":"a","after":"b"}]}
            - Assistant {"what":"turn_ended","message":"Renamed."}
            - User {"what":"prompted","text":"Thanks"}
            - Assistant {"what":"turn_ended","message":""}
            "#));
    }
}

#[test]
fn damage_costs_only_the_damaged_entry() {
    let whole = lines(&[
        event(1, "session.start", &json!({"sessionId": "s1", "context": {"cwd": "/p"}})),
        event(2, "user.message", &json!({"content": "go on"})),
        event(3, "tool.execution_complete", &json!({"toolCallId": "lost", "success": true})),
        event(4, "assistant.message", &json!({"content": "Done.", "toolRequests": []})),
    ]);
    let text = whole.replacen('\n', "\n{\"type\":\n[]\n\u{0}\n\"words\"\n", 1);
    assert_snapshot!(home_with(SESSION, text).outline(), @r#"
        {"what":"session_started","reason":"startup"}
        unreadable: a line
        unreadable: a line
        unreadable: a line
        unreadable: a line
        {"what":"prompted","text":"go on"}
        unreadable: what a tool did, but not which
        {"what":"turn_ended","message":"Done."}
        "#);
    let cut = home_with(SESSION, &whole[..whole.len() - 40]).outline();
    assert!(cut.ends_with("\nunreadable: a line\n{\"what\":\"turn_ended\",\"message\":\"\"}"), "{cut}");
    assert_eq!(home_with(SESSION, "").outline(), "");
}

#[test]
fn the_working_folder_is_read_from_the_workspace_file() {
    let home = home_with(SESSION, lines(&[event(1, "user.message", &json!({"content": "go on"}))]));
    home.write(".copilot/session-state/s1/workspace.yaml", "id: s1\ncwd: \"/p q\"\nbranch: main\n");
    home.write(".copilot/session-state/a/notes.txt", "none of ours");
    std::fs::create_dir_all(home.path(".copilot/session-state/b/events.jsonl")).unwrap();
    home.link_to_itself(".copilot/session-state/loop");
    assert_eq!(home.transcripts().len(), 1, "{:?}", home.transcripts());
    let entries = home.first_entries();
    assert_eq!((entries[0].session.as_str(), entries[0].cwd.as_deref()), ("s1", Some("/p q")));
}

fn odd_rows() -> String {
    lines(&[
        event(1, "session.start", &json!({"sessionId": "s1", "context": {"cwd": "/p"}})),
        event(2, "user.message", &json!({"content": "go on", "source": ["x"]})),
        event(3, "tool.execution_start", &json!({"toolCallId": "c", "toolName": "edit", "arguments": [1]})),
        event(4, "tool.execution_complete", &json!({"toolCallId": "c", "success": 1, "result": "x"})),
    ])
}

proptest! {
    #[test]
    fn any_bytes_are_read_to_the_end(text in damaged_end(odd_rows())) {
        for name in [SESSION, ".copilot/history-session-state/session_s1_1.json"] {
            home_with(name, &text).assert_readable();
        }
    }
}
