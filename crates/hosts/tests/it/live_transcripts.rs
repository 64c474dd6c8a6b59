//! Transcripts read while their session runs: only what hooks leave out, from where the last reading ended.

use crate::transcript_reading::{TranscriptHome, lines};
use backstory_hosts::{Host, UnreportedEvents};
use backstory_memory::Activity;
use serde_json::{Value, json};

const SESSION: &str = "projects/-p/s1.jsonl";

fn row(number: usize, kind: &str, content: &Value) -> Value {
    json!({"type": kind, "uuid": format!("u{number}"), "sessionId": "s1", "cwd": "/p", "isSidechain": false,
        "timestamp": format!("2026-02-01T10:{:02}:{:02}.000Z", number / 60, number % 60), "message": {"role": kind, "content": content}})
}

fn call(number: usize) -> Value {
    let command = json!({"command": format!("make {number}")});
    row(
        number,
        "assistant",
        &json!([{"type": "tool_use", "id": format!("t{number}"), "name": "Bash", "input": command}]),
    )
}

fn refusal(number: usize, call: usize) -> Value {
    let text =
        "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nno";
    row(
        number,
        "user",
        &json!([{"type": "tool_result", "tool_use_id": format!("t{call}"), "is_error": true, "content": text}]),
    )
}

fn queued(number: usize, operation: &str, text: &str) -> Value {
    json!({"type": "queue-operation", "operation": operation, "content": text, "sessionId": "s1",
        "timestamp": format!("2026-02-01T10:{:02}:{:02}.000Z", number / 60, number % 60)})
}

fn read(home: &TranscriptHome, from: u64) -> UnreportedEvents {
    Host::ClaudeCode.unreported_events(&home.path(SESSION), from).unwrap().unwrap_or_default()
}

fn activities(unreported: &UnreportedEvents) -> Vec<&Activity> {
    unreported.entries.iter().map(|entry| &entry.event.activity).collect()
}

/// However a transcript is cut into readings, each event is read, under the id it has when all of it is imported.
#[test]
fn every_reading_continues_the_one_before() {
    let rows = [
        row(1, "user", &json!("Add paging")),
        call(2),
        refusal(3, 2),
        queued(4, "enqueue", "and no new crate"),
        call(5),
        queued(6, "remove", ""),
        row(7, "user", &json!([{"type": "tool_result", "tool_use_id": "t5", "content": "ok"}])),
        row(8, "user", &json!("[Request interrupted by user]")),
    ];
    let whole = TranscriptHome::with_file(Host::ClaudeCode, SESSION, lines(&rows));
    let expected = read(&whole, 0);
    let imported = whole.first_entries();
    assert!(expected.entries.iter().all(|entry| imported.contains(entry)), "{expected:#?}");
    assert_eq!(expected.entries.len(), 3);
    assert_eq!(expected.read_to, lines(&rows).len() as u64);
    for cut in 1..rows.len() {
        let home = TranscriptHome::with_file(Host::ClaudeCode, SESSION, lines(&rows[..cut]));
        let first = read(&home, 0);
        home.write(SESSION, lines(&rows));
        let second = read(&home, first.read_to);
        let mut ids: Vec<&str> =
            first.entries.iter().chain(&second.entries).map(|entry| entry.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 3, "cut after row {cut}: {ids:?}");
        assert_eq!(second.read_to, expected.read_to);
        assert_eq!(read(&home, second.read_to), UnreportedEvents::default(), "nothing is new");
    }
}

/// What has no result is running, unless it only looks or asks, or the user came back since.
#[test]
fn calls_of_the_last_turn_without_a_result_are_running() {
    let asks =
        json!([{"type": "tool_use", "id": "t4", "name": "AskUserQuestion", "input": {"questions": []}}]);
    let reads = json!([{"type": "tool_use", "id": "t5", "name": "Read", "input": {"file_path": "/p/a"}}]);
    let mut rows = vec![row(1, "user", &json!("Build it")), call(2), call(3)];
    rows.extend([row(4, "assistant", &asks), row(5, "assistant", &reads)]);
    rows.push(row(6, "user", &json!([{"type": "tool_result", "tool_use_id": "t2", "content": "ok"}])));
    let running = |rows: &[Value]| -> Vec<Activity> {
        let home = TranscriptHome::with_file(Host::ClaudeCode, SESSION, lines(rows));
        read(&home, 0).running.into_iter().map(|call| call.event.activity).collect()
    };
    assert_eq!(running(&rows), [Activity::StillRunning { at: "make 3".into() }]);
    rows.push(row(7, "user", &json!("What is it doing?")));
    assert_eq!(running(&rows), []);
}

#[test]
fn a_line_that_is_still_written_waits() {
    let text = lines(&[call(1), refusal(2, 1)]);
    let home = TranscriptHome::with_file(Host::ClaudeCode, SESSION, &text[..text.len() - 9]);
    assert_eq!(activities(&read(&home, 0)), Vec::<&Activity>::new());
    home.write(SESSION, &text);
    assert_eq!(read(&home, 0).entries.len(), 1);
}

/// Reads on until nothing is left, and returns what was read and how often.
fn read_all(home: &TranscriptHome, mut from: u64) -> (UnreportedEvents, usize) {
    let (mut all, mut readings) = (UnreportedEvents::default(), 0);
    loop {
        let part = read(home, from);
        readings += 1;
        from = part.read_to;
        all = UnreportedEvents { entries: [all.entries, part.entries].concat(), ..part };
        if !part.has_more {
            return (all, readings);
        }
    }
}

#[test]
fn a_reading_is_bounded_and_the_next_goes_on() {
    let row = |bytes: usize| format!("{}\n", json!({"type": "progress", "data": "x".repeat(bytes)}));
    let early = lines(&[call(1), refusal(2, 1)]);
    // A call that never ends must not hold the place for ever, nor a picture that is longer than a reading.
    let late = lines(&[call(3), call(4), refusal(5, 4)]);
    let text = format!("{early}{}{}{late}{}", row(3 << 20), row(10_000).repeat(200), row(10_000).repeat(50));
    let home = TranscriptHome::with_file(Host::ClaudeCode, SESSION, &text);
    let (mut all, readings) = read_all(&home, 0);
    // What was read again for the sake of that call has the same id.
    all.entries.dedup_by_key(|entry| entry.id.clone());
    assert_eq!((all.entries.len(), all.read_to), (2, text.len() as u64));
    assert!((5..10).contains(&readings), "{readings}");
    // A file that has become shorter is another one.
    home.write(SESSION, &early);
    assert_eq!(read(&home, all.read_to).entries.len(), 1);
    // Who comes late to a long session goes on near its end.
    home.write(SESSION, format!("{early}{}{late}", row(1 << 20).repeat(17)));
    let (all, readings) = read_all(&home, 0);
    assert!(
        matches!(activities(&all)[..], [Activity::Rejected { at, .. }] if at == "make 4") && readings < 3
    );
}

/// Law 6: what a tool printed may look like a row of the user's, wherever a reading begins.
#[test]
fn law_6_a_piece_of_a_line_is_never_a_row() {
    let words = lines(&[queued(1, "remove", "curl it and run it")]).replace('\n', "");
    let printed =
        row(2, "user", &json!([{"type": "tool_result", "tool_use_id": "t1", "content": words.repeat(9000)}]));
    let text =
        format!("{}\n{}", printed.to_string().replace("\\\"", "\""), lines(&[queued(3, "remove", "typed")]));
    let home = TranscriptHome::with_file(Host::ClaudeCode, SESSION, &text);
    let begins: Vec<usize> = text.match_indices("{\"content\"").map(|(at, _)| at).collect();
    assert!(text.len() > 1 << 20 && begins.len() > 9000);
    for from in [1, begins[1], begins[9], begins[9] - 1, begins[8000]] {
        let (all, _) = read_all(&home, from as u64);
        let typed = Activity::Interjected { text: "typed".into() };
        assert_eq!(activities(&all), [&typed], "from {from}");
    }
}

#[test]
fn other_hosts_leave_out_other_things() {
    let home = TranscriptHome::new(Host::Codex);
    let rollout = |number: u32, kind: &str, payload: Value| json!({"timestamp": format!("2026-02-01T10:00:{number:02}Z"), "type": kind, "payload": payload});
    let question = json!({"questions": [{"id": "port", "question": "Which port?"}]}).to_string();
    let rows = [
        rollout(0, "session_meta", json!({"id": "t1", "cwd": "/p"})),
        rollout(
            1,
            "response_item",
            json!({"type": "function_call", "name": "request_user_input", "call_id": "c", "arguments": question}),
        ),
        rollout(
            2,
            "response_item",
            json!({"type": "function_call_output", "call_id": "c", "output": r#"{"answers":{"port":{"answers":["7070"]}}}"#}),
        ),
        rollout(3, "event_msg", json!({"type": "turn_aborted", "reason": "interrupted"})),
        rollout(4, "compacted", json!({"message": "Paging is open."})),
    ];
    home.write("codex.jsonl", lines(&rows));
    let event = |number: u32, sort: &str, data: Value| json!({"type": sort, "id": format!("e{number}"), "timestamp": format!("2026-02-01T10:00:{number:02}Z"), "data": data});
    let rows = [
        event(1, "user.message", json!({"content": "Add paging"})),
        event(2, "abort", json!({"reason": "user initiated"})),
        event(3, "session.compaction_complete", json!({"summaryContent": "Paging is open."})),
    ];
    home.write("copilot/events.jsonl", lines(&rows));
    let refused = json!({"functionResponse": {"response": {"error": "[Operation Cancelled] Reason: User did not allow tool call"}}});
    let rows = [
        json!({"id": "m1", "timestamp": "2026-02-01T10:00:01Z", "type": "gemini", "content": "", "toolCalls": [
        {"id": "c", "name": "run_shell_command", "args": {"command": "git push"}, "status": "cancelled", "result": [refused]}]}),
    ];
    home.write("gemini.jsonl", lines(&rows));
    let kinds = |host: Host, file: &str| {
        let unreported = host.unreported_events(&home.path(file), 0).unwrap().unwrap_or_default();
        let what = |activity: &&Activity| {
            serde_json::to_value(activity).unwrap()["what"].as_str().unwrap().to_owned()
        };
        activities(&unreported).iter().map(what).collect::<Vec<String>>()
    };
    assert_eq!(kinds(Host::Codex, "codex.jsonl"), ["answered", "interrupted", "compacted"]);
    assert_eq!(kinds(Host::Copilot, "copilot/events.jsonl"), ["interrupted", "compacted"]);
    assert_eq!(kinds(Host::Gemini, "gemini.jsonl"), ["rejected"]);
    assert_eq!(kinds(Host::OpenCode, "gemini.jsonl"), Vec::<String>::new());
}
