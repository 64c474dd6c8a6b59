//! Codex's own records: as recorded, as older versions wrote them, and damaged.

use crate::transcript_reading::{
    NoDatabases, as_transcripts_say, assert_same, entries, lines, outline, parsed, places, readings,
    recorded, without_ends, write,
};
use backstory_hosts::{AgentEvent, Host, HostTranscript, TranscriptItem};
use backstory_memory::{Activity, Timestamp};
use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::Path;

const ROLLOUT: &str = "sessions/2025/09/01/rollout-2025-09-01T10-00-00-t1.jsonl";

fn found(kept: &Path) -> Vec<HostTranscript> {
    Host::Codex.transcripts(&places(Host::Codex, kept.to_owned()), &NoDatabases)
}

fn row(number: u32, kind: &str, payload: &Value) -> Value {
    json!({"timestamp": format!("2025-09-01T10:00:{number:02}.000Z"), "type": kind, "payload": payload})
}

fn item(number: u32, payload: &Value) -> Value {
    row(number, "response_item", payload)
}

fn message(role: &str, text: &str) -> Value {
    json!({"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]})
}

fn asks(id: &str, name: &str, arguments: &Value) -> Value {
    json!({"type": "function_call", "name": name, "call_id": id, "arguments": arguments.to_string()})
}

fn answers(id: &str, output: &str) -> Value {
    json!({"type": "function_call_output", "call_id": id, "output": output})
}

fn story_of(rows: &[Value]) -> String {
    let kept = tempfile::tempdir().unwrap();
    write(kept.path(), ROLLOUT, lines(rows));
    let record = found(kept.path()).pop().unwrap();
    outline(&readings(&record)).join("\n")
}

/// A session that is read long after is the session that was lived.
#[test]
fn a_record_tells_what_the_hooks_were_told() {
    // What a compaction goes on with, and a command nobody waited for, only records tell.
    let is_captured = |event: &AgentEvent| match &event.activity {
        Activity::Compacted { .. } => false,
        Activity::Ran { command, .. } => command != "sleep 1; echo late",
        _ => true,
    };
    for scene in ["tools", "code-mode", "lifecycle"] {
        let records = recorded(Host::Codex, scene);
        assert_eq!(records.len(), 1, "a subagent's file belongs to its session");
        let entries = entries(&records[0]);
        assert!(entries.iter().all(|entry| entry.cwd.as_deref() == Some("/home/dev/project")));
        let hooks = as_transcripts_say(parsed(Host::Codex, scene, &entries[0].session));
        let record =
            as_transcripts_say(entries.into_iter().map(|entry| entry.event).filter(is_captured).collect());
        assert_same(&without_ends(record), &without_ends(hooks), scene);
    }
}

#[test]
fn records_say_how_commands_ended() {
    let all = entries(&recorded(Host::Codex, "tools")[0]);
    let ends = all.iter().filter_map(|entry| match &entry.event.activity {
        Activity::Ran { command, status, .. } => Some(format!("{command}: {status:?}\n")),
        _ => None,
    });
    assert_snapshot!(ends.collect::<String>(), @r"
    echo to stdout; echo to stderr >&2: Success
    echo before; echo wrong >&2; exit 3: Failure
    exit 4: Failure
    sleep 1; echo late: Interrupted
    ");
    let compacted = entries(&recorded(Host::Codex, "lifecycle")[0]).into_iter().find_map(|entry| match entry
        .event
        .activity
    {
        Activity::Compacted { summary } => Some(summary),
        _ => None,
    });
    assert_eq!(compacted.as_deref(), Some("A summary of the work so far."));
}

#[test]
fn older_versions_are_understood() {
    let patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch";
    let rows = [
        row(
            0,
            "session_meta",
            &json!({"id": "t1", "timestamp": "2025-09-01T10:00:00.000Z", "cwd": "/p", "originator": "codex_cli_rs", "instructions": null}),
        ),
        item(1, &message("user", "<user_instructions>\nBe brief.\n</user_instructions>")),
        item(2, &message("user", "<environment_context>\n<cwd>/p</cwd>\n</environment_context>")),
        row(3, "turn_context", &json!({"cwd": "/p/sub", "model": "m"})),
        item(4, &message("user", "Make y of x")),
        row(4, "event_msg", &json!({"type": "user_message", "message": "Make y of x", "kind": "plain"})),
        item(5, &json!({"type": "reasoning", "summary": [], "encrypted_content": "gAAA"})),
        item(6, &asks("c1", "shell", &json!({"command": ["bash", "-lc", "cat a.py"]}))),
        item(7, &answers("c1", r#"{"output":"x\n","metadata":{"exit_code":0,"duration_seconds":0.1}}"#)),
        item(
            8,
            &asks(
                "c2",
                "shell",
                &json!({"command": ["bash", "-lc", format!("apply_patch <<'EOF'\n{patch}\nEOF")]}),
            ),
        ),
        item(
            9,
            &answers(
                "c2",
                r#"{"output":"Success. Updated the following files:\nM a.py\n","metadata":{"exit_code":0}}"#,
            ),
        ),
        item(10, &asks("c3", "shell", &json!({"command": ["apply_patch", patch]}))),
        item(11, &answers("c3", r#"{"output":"Failed to find expected lines","metadata":{"exit_code":1}}"#)),
        item(
            12,
            &json!({"type": "local_shell_call", "call_id": "c4", "status": "completed", "action": {"type": "exec", "command": ["make", "test"]}}),
        ),
        item(13, &answers("c4", "Exit code: 2\nWall time: 0.2 seconds\nOutput:\nno rule\n")),
        item(14, &asks("c5", "update_plan", &json!({"plan": [{"step": "Test", "status": "in_progress"}]}))),
        item(15, &answers("c5", "InstallPlan updated")),
        item(16, &asks("c6", "docs__search", &json!({"query": "y"}))),
        item(17, &answers("c6", r#"{"content":[{"type":"text","text":"Found y"}]}"#)),
        item(18, &message("assistant", "x is y now.")),
        row(18, "event_msg", &json!({"type": "agent_message", "message": "x is y now."})),
        row(19, "turn_context", &json!({"cwd": "/p", "model": "m"})),
        item(20, &message("user", "And z?")),
        row(21, "event_msg", &json!({"type": "turn_aborted", "reason": "interrupted"})),
        row(22, "compacted", &json!({"message": "y is done."})),
        item(23, &message("user", "Again")),
        item(24, &message("assistant", "Done.")),
    ];
    assert_snapshot!(story_of(&rows), @r#"
    {"what":"session_started","reason":"startup"}
    {"what":"prompted","text":"Make y of x"}
    {"what":"ran","command":"cat a.py","output":"x\n","status":"success"}
    {"what":"edited","file":"/p/sub/a.py","is_new":false,"hunks":[{"before":"x\n","after":"y\n"}]}
    {"what":"ran","command":"make test","output":"no rule\n","status":"failure"}
    {"what":"planned","steps":[{"text":"Test","is_done":false}]}
    {"what":"fetched","asked":"query y","answer":"Found y"}
    {"what":"turn_ended","message":"x is y now."}
    {"what":"prompted","text":"And z?"}
    {"what":"turn_broken","error":"interrupted by the user"}
    {"what":"compacting","instructions":""}
    {"what":"compacted","summary":"y is done."}
    {"what":"prompted","text":"Again"}
    {"what":"turn_ended","message":"Done."}
    "#);
}

/// The first versions put nothing around an item, and wrote the time only once.
#[test]
fn the_first_versions_are_understood() {
    let rows = [
        json!({"id": "t1", "timestamp": "2025-06-01T10:00:00.000Z", "instructions": null, "git": {}}),
        json!({"record_type": "state"}),
        message("user", "List it"),
        asks("c1", "shell", &json!({"command": ["ls"]})),
        answers("c1", r#"{"output":"a\n","metadata":{"exit_code":0}}"#),
        message("assistant", "There is a."),
    ];
    assert_snapshot!(story_of(&rows), @r#"
    {"what":"session_started","reason":"startup"}
    {"what":"prompted","text":"List it"}
    {"what":"ran","command":"ls","output":"a\n","status":"success"}
    {"what":"turn_ended","message":"There is a."}
    "#);
    let kept = tempfile::tempdir().unwrap();
    write(kept.path(), ROLLOUT, lines(&rows));
    let all = entries(&found(kept.path())[0]);
    assert!(all.iter().all(|entry| entry.at == Timestamp(1_748_772_000_000) && entry.session == "t1"));
}

#[test]
fn what_cannot_be_read_costs_its_row_and_is_counted() {
    let whole = item(3, &message("user", "Again")).to_string();
    let rows = [
        "not JSON at all".to_owned(),
        json!({"type": "response_item", "payload": message("user", "when?")}).to_string(),
        item(1, &message("user", "First")).to_string(),
        "[1,2]".to_owned(),
        "{}".to_owned(),
        row(2, "something_new", &json!({"type": "message", "role": "user"})).to_string(),
        row(2, "event_msg", &json!({"type": "something_new"})).to_string(),
        row(2, "event_msg", &Value::Null).to_string(),
        item(2, &answers("c9", "nobody asked")).to_string(),
        whole.clone(),
        whole.get(..whole.len() - 9).unwrap().to_owned(),
    ];
    let kept = tempfile::tempdir().unwrap();
    write(kept.path(), ROLLOUT, rows.join("\n"));
    assert_snapshot!(outline(&readings(&found(kept.path())[0])).join("\n"), @r#"
    unreadable: a damaged line
    unreadable: a row without its time
    {"what":"session_started","reason":"startup"}
    {"what":"prompted","text":"First"}
    unreadable: a damaged line
    unreadable: a row of no type
    {"what":"prompted","text":"Again"}
    unreadable: a damaged line
    "#);
}

#[test]
fn files_are_found_wherever_they_were_put_and_packed_ones_are_counted() {
    let kept = tempfile::tempdir().unwrap();
    let meta = |id: &str, more: &Value| {
        let mut payload =
            json!({"id": id, "timestamp": format!("2025-09-0{}T10:00:00Z", id.len()), "cwd": "/p"});
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        lines(&[row(0, "session_meta", &payload), item(1, &message("user", "Hi"))])
    };
    let day = |name: &str| format!("sessions/2025/09/01/{name}");
    write(kept.path(), &day("rollout-b.jsonl"), meta("bb", &json!({})));
    write(kept.path(), "archived_sessions/rollout-a.jsonl", meta("a", &json!({})));
    write(kept.path(), &day("rollout-c.jsonl.zst"), b"\x28\xb5\x2f\xfd");
    write(kept.path(), &day("notes.jsonl"), "");
    let spawned = json!({"source": {"subagent": {"thread_spawn": {"parent_thread_id": "bb", "agent_role": "explorer"}}}});
    write(kept.path(), &day("rollout-d.jsonl"), meta("dddd", &spawned));
    write(
        kept.path(),
        &day("rollout-e.jsonl"),
        meta("eeeee", &json!({"source": {"subagent": {"other": "guardian"}}})),
    );
    write(kept.path(), &day("rollout-\u{1b}[2J\n'; --.jsonl"), "");
    std::os::unix::fs::symlink(kept.path().join("sessions"), kept.path().join("sessions/2025/round"))
        .unwrap();
    let records = found(kept.path());
    assert_eq!(records.len(), 4, "{records:?}");
    let stories: Vec<String> = records
        .iter()
        .map(|record| outline(&readings(record)).join("\n"))
        .filter(|story| !story.is_empty())
        .collect();
    assert_snapshot!(stories.join("\n--\n"), @r#"
    unreadable: a compressed file
    --
    {"what":"session_started","reason":"startup"}
    {"what":"prompted","text":"Hi"}
    --
    {"what":"session_started","reason":"startup"}
    {"what":"prompted","text":"Hi"}
    {"what":"subagent_started"}
    {"what":"prompted","text":"Hi"}
    "#);
}

fn any_row() -> impl Strategy<Value = String> {
    let payload = prop_oneof![
        Just(message("user", "hello")),
        Just(message("assistant", "done")),
        Just(asks("c", "exec_command", &json!({"cmd": "ls"}))),
        Just(json!({"type": "function_call", "call_id": "c", "arguments": [7]})),
        Just(answers("c", "Exit code: x\nOutput:")),
        Just(
            json!({"type": "item_completed", "item": {"type": "FileChange", "id": "exec-1", "status": "completed", "changes": {"a": 1}}})
        ),
        Just(json!({"type": "task_complete", "turn_id": 3})),
        Just(Value::Null),
    ];
    let kinds = prop::sample::select(vec![
        "response_item",
        "event_msg",
        "session_meta",
        "turn_context",
        "compacted",
        "message",
        "",
    ]);
    let sound = (kinds, payload).prop_map(|(kind, payload)| row(1, kind, &payload).to_string());
    let cut =
        (sound.clone(), 0_usize..200).prop_map(|(row, at)| row.get(at..).unwrap_or_default().to_owned());
    prop_oneof![4 => sound, 2 => cut, 1 => "\\PC*", 1 => "[\\[\\]{}\",:\\\\u0-9a-f ]*"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_a_record_holds_it_is_read_to_its_end(
        rows in prop::collection::vec(any_row(), 0..12),
        rest in prop::collection::vec(any::<u8>(), 0..64),
    ) {
        let kept = tempfile::tempdir().unwrap();
        write(kept.path(), ROLLOUT, [rows.join("\n").as_bytes(), b"\n", &rest].concat());
        for record in found(kept.path()) {
            let first: Vec<TranscriptItem> = readings(&record);
            prop_assert_eq!(first, readings(&record));
        }
    }
}
