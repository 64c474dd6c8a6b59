//! Codex's transcripts: as recorded, as older versions wrote them, and damaged.

use crate::transcript_reading::{TranscriptHome, damaged_lines, lines, with};
use backstory_hosts::Host;
use backstory_memory::{Activity, Timestamp};
use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::{Value, json};

const ROLLOUT: &str = "sessions/2025/09/01/rollout-2025-09-01T10-00-00-t1.jsonl";

fn home_with(text: impl AsRef<[u8]>) -> TranscriptHome {
    TranscriptHome::with_file(Host::Codex, ROLLOUT, text)
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

fn outline(rows: &[Value]) -> String {
    home_with(lines(rows)).outline()
}

#[test]
fn transcripts_hold_exit_statuses_and_summaries() {
    let all = TranscriptHome::recorded(Host::Codex, "tools").first_entries();
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
    let lifecycle = TranscriptHome::recorded(Host::Codex, "lifecycle").first_entries();
    let compacted = lifecycle.into_iter().find_map(|entry| match entry.event.activity {
        Activity::Compacted { summary } => Some(summary),
        _ => None,
    });
    assert_eq!(compacted.as_deref(), Some("A summary of the work so far."));
}

#[test]
fn transcripts_of_older_versions_are_read() {
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
    assert_snapshot!(outline(&rows), @r#"
    {"what":"session_started","reason":"startup"}
    {"what":"prompted","text":"Make y of x"}
    {"what":"ran","command":"cat a.py","output":"x\n","status":"success"}
    {"what":"edited","file":"/p/sub/a.py","is_new":false,"hunks":[{"before":"x\n","after":"y\n"}]}
    {"what":"ran","command":"make test","output":"no rule\n","status":"failure"}
    {"what":"planned","steps":[{"text":"Test","is_done":false}]}
    {"what":"fetched","request":"query y","answer":"Found y"}
    {"what":"turn_ended","message":"x is y now."}
    {"what":"prompted","text":"And z?"}
    {"what":"interrupted"}
    {"what":"compacting","instructions":""}
    {"what":"compacted","summary":"y is done."}
    {"what":"prompted","text":"Again"}
    {"what":"turn_ended","message":"Done."}
    "#);
}

/// The first versions wrote items without a wrapper, and the time only once.
#[test]
fn transcripts_of_the_first_versions_are_read() {
    let rows = [
        json!({"id": "t1", "timestamp": "2025-06-01T10:00:00.000Z", "instructions": null, "git": {}}),
        json!({"record_type": "state"}),
        message("user", "List it"),
        asks("c1", "shell", &json!({"command": ["ls"]})),
        answers("c1", r#"{"output":"a\n","metadata":{"exit_code":0}}"#),
        message("assistant", "There is a."),
    ];
    assert_snapshot!(outline(&rows), @r#"
    {"what":"session_started","reason":"startup"}
    {"what":"prompted","text":"List it"}
    {"what":"ran","command":"ls","output":"a\n","status":"success"}
    {"what":"turn_ended","message":"There is a."}
    "#);
    let all = home_with(lines(&rows)).first_entries();
    assert!(all.iter().all(|entry| entry.at == Timestamp(1_748_772_000_000) && entry.session == "t1"));
}

#[test]
fn a_damaged_row_costs_only_that_row() {
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
    assert_snapshot!(home_with(rows.join("\n")).outline(), @r#"
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
fn archived_files_are_found_and_compressed_ones_are_reported() {
    let home = TranscriptHome::new(Host::Codex);
    let meta = |id: &str, more: &Value| {
        let payload = json!({"id": id, "timestamp": format!("2025-09-0{}T10:00:00Z", id.len()), "cwd": "/p"});
        let payload = with(payload, more);
        lines(&[row(0, "session_meta", &payload), item(1, &message("user", "Hi"))])
    };
    let day = |name: &str| format!("sessions/2025/09/01/{name}");
    home.write(&day("rollout-b.jsonl"), meta("bb", &json!({})));
    home.write("archived_sessions/rollout-a.jsonl", meta("a", &json!({})));
    home.write(&day("rollout-c.jsonl.zst"), b"\x28\xb5\x2f\xfd");
    home.write(&day("notes.jsonl"), "");
    let spawned = json!({"source": {"subagent": {"thread_spawn": {"parent_thread_id": "bb", "agent_role": "explorer"}}}});
    home.write(&day("rollout-d.jsonl"), meta("dddd", &spawned));
    home.write(
        &day("rollout-e.jsonl"),
        meta("eeeee", &json!({"source": {"subagent": {"other": "guardian"}}})),
    );
    home.write(&day("rollout-\u{1b}[2J\n'; --.jsonl"), "");
    home.link_to_itself("sessions/2025/round");
    let transcripts = home.transcripts();
    assert_eq!(transcripts.len(), 4, "{transcripts:?}");
    let outlines: Vec<String> = transcripts
        .iter()
        .map(|transcript| home.outline_of(transcript))
        .filter(|outline| !outline.is_empty())
        .collect();
    assert_snapshot!(outlines.join("\n--\n"), @r#"
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

fn any_row() -> impl Strategy<Value = Value> {
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
    (kinds, payload).prop_map(|(kind, payload)| row(1, kind, &payload))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_lines_are_read_to_the_end(text in damaged_lines(any_row())) {
        home_with(text).assert_readable();
    }
}
