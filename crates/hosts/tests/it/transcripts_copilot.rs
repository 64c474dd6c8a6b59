//! Copilot CLI's own records: as recorded, as older versions wrote them, and damaged.

use crate::recorded::line_of;
use crate::transcript_reading::{
    NoDatabases, entries, lines, outline, parsed, places, readings, recorded, write,
};
use backstory_hosts::{AgentEvent, Host, HostTranscript, HostTranscriptEntry, TranscriptItem};
use backstory_memory::{Activity, Timestamp};
use insta::{allow_duplicates, assert_snapshot};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::Path;

const SESSION: &str = ".copilot/session-state/s1/events.jsonl";

fn found(home: &Path) -> Vec<HostTranscript> {
    Host::Copilot.transcripts(&places(Host::Copilot, home.to_owned()), &NoDatabases)
}

fn event(number: u32, sort: &str, data: &Value) -> Value {
    json!({"type": sort, "id": format!("e{number}"), "timestamp": format!("2026-01-01T10:00:{number:02}.000Z"), "data": data})
}

fn from_file(name: &str, text: impl AsRef<[u8]>) -> Vec<TranscriptItem> {
    let home = tempfile::tempdir().unwrap();
    write(home.path(), name, text);
    readings(found(home.path()).first().unwrap())
}

fn story_of(rows: &[Value]) -> String {
    outline(&from_file(SESSION, lines(rows))).join("\n")
}

/// Says what hooks and records both tell. What closes a turn a hook reads in the record, and why a session ended is told otherwise.
fn essence(event: impl Iterator<Item = AgentEvent>) -> Vec<String> {
    let event = event.map(|mut event| {
        event.sequence = None;
        match &mut event.activity {
            Activity::TurnEnded { message: said } | Activity::SessionEnded { reason: said } => said.clear(),
            _ => {}
        }
        line_of(&event)
    });
    event.collect()
}

/// A session that is read long after is the session that was lived.
#[test]
fn a_record_tells_what_the_hooks_were_told() {
    for scene in ["tools", "lifecycle"] {
        let record = recorded(Host::Copilot, scene).pop().unwrap();
        let entries = entries(&record);
        assert!(entries.iter().all(|entry| entry.cwd.as_deref() == Some("/home/dev/project")));
        assert!(entries.is_sorted_by_key(|entry| entry.at));
        let mut hooks = essence(parsed(Host::Copilot, scene, &entries[0].session).into_iter());
        let mut record = essence(entries.into_iter().map(|entry| entry.event));
        // While a command runs on, hooks parse of an end twice; what the host looks at by itself they do not parse of.
        if scene == "tools" {
            let is_of_the_host =
                |line: &String| ["_ended", "read_bash"].iter().any(|word| line.contains(word));
            hooks.retain(|line| !is_of_the_host(line));
            record.retain(|line| !is_of_the_host(line));
        }
        assert_eq!(record, hooks, "{scene}");
    }
}

#[test]
fn a_record_is_told_with_its_closing_words() {
    let closings = |entries: Vec<HostTranscriptEntry>| {
        let activities = entries.into_iter().map(|entry| entry.event.activity);
        let closing = activities.filter_map(|activity| match activity {
            Activity::TurnEnded { message } | Activity::SubagentEnded { message } => Some(message),
            _ => None,
        });
        closing.collect::<Vec<String>>()
    };
    let of = |scene| closings(entries(&recorded(Host::Copilot, scene)[0]));
    assert_eq!(of("tools"), ["The project holds parser.py.", "All tools were used.", "Done."]);
    assert_eq!(of("lifecycle"), ["One.", "Two."]);
    let record = &recorded(Host::Copilot, "lifecycle")[0];
    assert_eq!(record.began, Some(Timestamp(1_777_636_801_000)));
}

#[test]
fn what_else_happens_to_a_session_is_told() {
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
    assert_snapshot!(story_of(&rows), @r#"
        {"what":"session_started","reason":"startup"}
        {"what":"prompted","text":"go on"}
        {"what":"compacting","instructions":""}
        {"what":"compacted","summary":"Half is done."}
        {"what":"turn_broken","error":"no quota"}
        {"what":"prompted","text":"again"}
        {"what":"turn_ended","message":"Looking."}
        {"what":"prompted","text":"last"}
        {"what":"turn_ended","message":""}
        "#);
}

/// Versions before named a subagent by the call that started it, and kept a session in one file.
#[test]
fn a_subagent_of_an_older_version_is_known_by_its_call() {
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
    let readings = from_file(".copilot/session-state/s1.jsonl", lines(&rows));
    let lines: Vec<String> = readings
        .iter()
        .map(|reading| match reading {
            TranscriptItem::Entry(entry) => line_of(&entry.event),
            TranscriptItem::Unreadable(why) => (*why).to_owned(),
        })
        .collect();
    assert_snapshot!(lines.join("\n"), @r#"
        - Tool {"what":"session_started","reason":"startup"}
        - Tool (explore) {"what":"subagent_started"}
        - Tool (explore) bash {"what":"ran","command":"ls","output":"a","status":"success"}
        - Assistant (explore) {"what":"subagent_ended","message":"There is a."}
        "#);
}

#[test]
fn the_timeline_of_the_first_versions_is_understood() {
    let shown = |number: u32, sort: &str, more: &Value| {
        let mut row = json!({"id": format!("t{number}"), "timestamp": format!("2025-10-01T10:00:{number:02}.000Z"), "type": sort});
        row.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        row
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
        let home = tempfile::tempdir().unwrap();
        write(home.path(), name, text);
        let record = found(home.path()).pop().unwrap();
        assert_eq!(record.began, Some(Timestamp(1_759_312_800_000)));
        let entries = entries(&record);
        assert!(entries.iter().all(|entry| entry.session == "s1" && entry.cwd.as_deref() == Some("/p/src")));
        let event: Vec<String> = entries.iter().map(|entry| line_of(&entry.event)).collect();
        allow_duplicates!(assert_snapshot!(event.join("\n"), @r#"
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
fn damage_costs_what_is_damaged() {
    let whole = lines(&[
        event(1, "session.start", &json!({"sessionId": "s1", "context": {"cwd": "/p"}})),
        event(2, "user.message", &json!({"content": "go on"})),
        event(3, "tool.execution_complete", &json!({"toolCallId": "lost", "success": true})),
        event(4, "assistant.message", &json!({"content": "Done.", "toolRequests": []})),
    ]);
    let text = whole.replacen('\n', "\n{\"type\":\n[]\n\u{0}\n\"words\"\n", 1);
    assert_snapshot!(outline(&from_file(SESSION, text)).join("\n"), @r#"
        {"what":"session_started","reason":"startup"}
        unreadable: a line
        unreadable: a line
        unreadable: a line
        unreadable: a line
        {"what":"prompted","text":"go on"}
        unreadable: what a tool did, but not which
        {"what":"turn_ended","message":"Done."}
        "#);
    let cut = outline(&from_file(SESSION, &whole[..whole.len() - 40]));
    assert_eq!(cut[3..], ["unreadable: a line", r#"{"what":"turn_ended","message":""}"#]);
    assert!(from_file(SESSION, "").is_empty());
}

#[test]
fn the_folder_is_read_beside_the_events_where_they_do_not_say() {
    let home = tempfile::tempdir().unwrap();
    write(home.path(), SESSION, lines(&[event(1, "user.message", &json!({"content": "go on"}))]));
    write(home.path(), ".copilot/session-state/s1/workspace.yaml", "id: s1\ncwd: \"/p q\"\nbranch: main\n");
    write(home.path(), ".copilot/session-state/a/notes.txt", "none of ours");
    std::fs::create_dir_all(home.path().join(".copilot/session-state/b/events.jsonl")).unwrap();
    std::os::unix::fs::symlink(home.path(), home.path().join(".copilot/session-state/loop")).unwrap();
    let records = found(home.path());
    assert_eq!(records.len(), 1, "{records:?}");
    let entries = entries(&records[0]);
    assert_eq!((entries[0].session.as_str(), entries[0].cwd.as_deref()), ("s1", Some("/p q")));
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..300), cut in 0usize..5000, older: bool) {
        let rows = lines(&[
            event(1, "session.start", &json!({"sessionId": "s1", "context": {"cwd": "/p"}})),
            event(2, "user.message", &json!({"content": "go on", "source": ["x"]})),
            event(3, "tool.execution_start", &json!({"toolCallId": "c", "toolName": "edit", "arguments": [1]})),
            event(4, "tool.execution_complete", &json!({"toolCallId": "c", "success": 1, "result": "x"})),
        ]);
        let mut text = rows.into_bytes();
        text.truncate(cut);
        text.extend(bytes);
        let home = tempfile::tempdir().unwrap();
        let name = if older { ".copilot/history-session-state/session_s1_1.json" } else { SESSION };
        write(home.path(), name, text);
        for record in found(home.path()) {
            readings(&record);
        }
    }
}
