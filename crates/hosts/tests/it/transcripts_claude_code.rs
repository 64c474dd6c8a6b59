//! Claude Code's own records: as recorded, as older versions wrote them, and damaged.

use crate::transcript_reading::{
    NoDatabases, as_transcripts_say, assert_same, entries, lines, outline, parsed, places, readings,
    recorded, write,
};
use backstory_hosts::{AgentEvent, Host, HostTranscript, HostTranscriptEntry, TranscriptItem};
use backstory_memory::Timestamp;
use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

const SESSION: &str = "projects/-home-dev-p/s1.jsonl";

fn event_of(entries: Vec<HostTranscriptEntry>) -> Vec<AgentEvent> {
    entries.into_iter().map(|entry| entry.event).collect()
}

fn found(kept: &Path) -> Vec<HostTranscript> {
    Host::ClaudeCode.transcripts(&places(Host::ClaudeCode, kept.to_owned()), &NoDatabases)
}

/// Returns a row as the oldest versions write it.
fn row(number: u32, kind: &str, content: &Value) -> Value {
    json!({"type": kind, "uuid": format!("u{number}"), "parentUuid": format!("u{}", number.saturating_sub(1)), "sessionId": "s1",
        "timestamp": format!("2025-06-01T10:00:{number:02}.000Z"), "cwd": "/p", "isSidechain": false, "version": "1.0.3",
        "message": {"role": kind, "content": content}})
}

fn with(mut row: Value, more: &Value) -> Value {
    row.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    row
}

fn asks(number: u32, tool: &str, input: &Value) -> Value {
    row(
        number,
        "assistant",
        &json!([{"type": "tool_use", "id": format!("t{number}"), "name": tool, "input": input}]),
    )
}

fn answers(number: u32, call: u32, content: &str) -> Value {
    row(
        number,
        "user",
        &json!([{"type": "tool_result", "tool_use_id": format!("t{call}"), "content": content}]),
    )
}

fn says(number: u32, text: &str) -> Value {
    row(number, "assistant", &json!([{"type": "text", "text": text}]))
}

fn story_of(rows: &[Value]) -> String {
    let kept = tempfile::tempdir().unwrap();
    write(kept.path(), SESSION, lines(rows));
    let record = found(kept.path()).pop().unwrap();
    outline(&readings(&record)).join("\n")
}

/// A session that is read long after is the session that was lived.
#[test]
fn a_record_tells_what_the_hooks_were_told() {
    for scene in ["tools", "bugfix-session", "broken-turn", "lifecycle"] {
        for record in recorded(Host::ClaudeCode, scene) {
            let entries = entries(&record);
            let session = entries[0].session.clone();
            let hooks = as_transcripts_say(parsed(Host::ClaudeCode, scene, &session));
            let mut record = as_transcripts_say(event_of(entries));
            // A forked session repeats what came before, and does not say that it is one.
            if hooks[0].activity != record[0].activity {
                record.drain(..record.len() - hooks.len());
            }
            assert_same(&record, &hooks, &format!("{scene} {session}"));
        }
    }
}

#[test]
fn records_are_found_with_their_subagents_the_oldest_first() {
    let records = recorded(Host::ClaudeCode, "lifecycle");
    assert!(records.is_sorted_by_key(|record| record.began));
    assert!(records.iter().all(|record| record.began.is_some() && record.beside.is_empty()));
    let tools = recorded(Host::ClaudeCode, "tools");
    assert_eq!((tools.len(), tools[0].beside.len()), (1, 1));
    let all = entries(&tools[0]);
    assert!(all.is_sorted_by_key(|entry| entry.at), "what subagents do comes when they do it");
    assert!(all.iter().all(|entry| entry.cwd.as_deref() == Some("/home/dev/project")));
}

#[test]
fn what_a_fork_repeats_has_the_same_ids() {
    let records = recorded(Host::ClaudeCode, "lifecycle");
    let ids =
        |record: &HostTranscript| entries(record).into_iter().map(|entry| entry.id).collect::<HashSet<_>>();
    let (original, fork) = (ids(&records[1]), ids(&records[2]));
    // A new prompt, its answer, and that there is a session.
    assert_eq!(fork.difference(&original).count(), 3);
}

#[test]
fn versions_of_long_ago_are_understood() {
    let rows = [
        json!({"type": "summary", "summary": "Paging", "leafUuid": "u9"}),
        with(row(1, "user", &json!("Caveat: the messages below")), &json!({"isMeta": true})),
        row(
            2,
            "user",
            &json!([{"type": "text", "text": "Count the pages"}, {"type": "image", "source": {"data": "x"}}]),
        ),
        says(3, "I will look."),
        asks(4, "Read", &json!({"file_path": "/p/a.py"})),
        with(
            answers(5, 4, "1\tx = 1"),
            &json!({"toolUseResult": {"type": "text", "file": {"content": "x = 1"}}}),
        ),
        asks(6, "Bash", &json!({"command": "make"})),
        with(
            row(
                7,
                "user",
                &json!([{"type": "tool_result", "tool_use_id": "t6", "is_error": true, "content": "Exit code 2\nno rule"}]),
            ),
            &json!({"toolUseResult": "Error: Exit code 2\nno rule"}),
        ),
        row(8, "assistant", &json!("There are three pages.")),
        row(9, "user", &json!("<bash-input>ls</bash-input>")),
        row(10, "user", &json!("Now write it down <system-reminder>be brief</system-reminder>")),
        asks(11, "Write", &json!({"file_path": "/p/n.md", "content": "3"})),
        with(
            answers(12, 11, "ok"),
            &json!({"toolUseResult": {"type": "create", "filePath": "/p/n.md", "content": "3"}}),
        ),
        says(13, "Writing"),
        row(14, "user", &json!([{"type": "text", "text": "[Request interrupted by user]"}])),
        row(15, "user", &json!("Go on")),
        says(16, "Done."),
    ];
    assert_snapshot!(story_of(&rows), @r#"
    {"what":"session_started","reason":"startup"}
    {"what":"prompted","text":"Count the pages"}
    {"what":"looked","at":"/p/a.py"}
    {"what":"ran","command":"make","output":"no rule","status":"failure"}
    {"what":"turn_ended","message":"There are three pages."}
    {"what":"prompted","text":"Now write it down"}
    {"what":"edited","file":"/p/n.md","is_new":true,"hunks":[{"before":"","after":"3"}]}
    {"what":"turn_broken","error":"interrupted by the user"}
    {"what":"prompted","text":"Go on"}
    {"what":"turn_ended","message":"Done."}
    "#);
}

#[test]
fn subagents_among_the_rows_of_their_session_are_kept_apart() {
    let aside = |row: Value, parent: &Value| with(row, &json!({"isSidechain": true, "parentUuid": parent}));
    // Versions call the tool that starts a subagent differently.
    let task = |number, tool: &str, prompt: &str| {
        asks(number, tool, &json!({"description": "d", "prompt": prompt, "subagent_type": prompt}))
    };
    let rows = [
        row(1, "user", &json!("Ask two")),
        task(2, "Task", "left"),
        task(3, "Agent", "right"),
        aside(row(4, "user", &json!("left")), &Value::Null),
        aside(row(5, "user", &json!("right")), &Value::Null),
        aside(asks(6, "Bash", &json!({"command": "one"})), &json!("u4")),
        aside(asks(7, "Bash", &json!({"command": "two"})), &json!("u5")),
        aside(answers(8, 7, "2"), &json!("u7")),
        aside(answers(9, 6, "1"), &json!("u6")),
        aside(says(10, "Right done."), &json!("u8")),
        answers(11, 3, "Right done."),
        aside(says(12, "Left done."), &json!("u9")),
        answers(13, 2, "Left done."),
        says(14, "Both done."),
    ];
    let kept = tempfile::tempdir().unwrap();
    write(kept.path(), SESSION, lines(&rows));
    let story: Vec<String> = entries(&found(kept.path())[0])
        .into_iter()
        .map(|entry| {
            let who = entry.event.subagent.map(|agent| format!("({}) ", agent.sort)).unwrap_or_default();
            format!("{who}{}", serde_json::to_string(&entry.event.activity).unwrap())
        })
        .collect();
    assert_snapshot!(story.join("\n"), @r#"
    {"what":"session_started","reason":"startup"}
    {"what":"prompted","text":"Ask two"}
    (left) {"what":"subagent_started"}
    (right) {"what":"subagent_started"}
    (right) {"what":"ran","command":"two","output":"2","status":"success"}
    (left) {"what":"ran","command":"one","output":"1","status":"success"}
    (right) {"what":"subagent_ended","message":"Right done."}
    {"what":"used_tool","asked":"d: right"}
    (left) {"what":"subagent_ended","message":"Left done."}
    {"what":"used_tool","asked":"d: left"}
    {"what":"turn_ended","message":"Both done."}
    "#);
}

#[test]
fn subagents_that_work_at_once_come_in_the_order_of_time() {
    let kept = tempfile::tempdir().unwrap();
    write(kept.path(), SESSION, lines(&[row(1, "user", &json!("Ask all")), says(9, "Asked.")]));
    for (agent, seconds) in [("a1", [2, 5, 20]), ("a2", [3, 4, 21]), ("a3", [12, 13, 14])] {
        let aside = |row: Value| with(row, &json!({"isSidechain": true, "agentId": agent, "cwd": agent}));
        let [first, second, last] = seconds;
        let rows = [
            aside(row(first, "user", &json!("Look"))),
            aside(asks(second, "Grep", &json!({"pattern": agent}))),
            aside(answers(second, second, "none")),
            aside(says(last, "Looked.")),
        ];
        write(kept.path(), &format!("projects/-home-dev-p/s1/subagents/agent-{agent}.jsonl"), lines(&rows));
    }
    let all = entries(&found(kept.path())[0]);
    assert_eq!(all.len(), 3 + 3 * 3);
    assert!(all.is_sorted_by_key(|entry| entry.at), "{all:#?}");
    let mut record = found(kept.path()).remove(0);
    record.beside[1] = kept.path().join("gone");
    let all: Vec<TranscriptItem> = record.read(&NoDatabases).unwrap().collect();
    assert_eq!(all.len(), 3 + 2 * 3 + 1);
    assert!(all.contains(&TranscriptItem::Unreadable("a file beside it")));
}

#[test]
fn what_nobody_typed_is_no_prompt() {
    let rows = [
        with(row(1, "user", &json!("I am another agent")), &json!({"turnOrigin": "peer"})),
        with(row(2, "user", &json!("It is time")), &json!({"promptSource": "schedule_wakeup"})),
        with(row(3, "user", &json!("Typed")), &json!({"turnOrigin": "human", "promptSource": "typed"})),
        row(4, "user", &json!("<task-notification>done</task-notification>")),
    ];
    assert_snapshot!(story_of(&rows), @r#"
    {"what":"session_started","reason":"startup"}
    {"what":"prompted","text":"Typed"}
    "#);
}

/// Versions between keep the files of subagents beside those of sessions; nobody says of what sort they are.
#[test]
fn a_subagents_file_beside_its_session_belongs_to_it() {
    let aside = |row: Value| with(row, &json!({"isSidechain": true, "agentId": "ab12"}));
    let kept = tempfile::tempdir().unwrap();
    write(kept.path(), SESSION, lines(&[row(1, "user", &json!("Ask")), says(9, "Asked.")]));
    let agent = [aside(row(3, "user", &json!("Look"))), aside(says(4, "Looked."))];
    write(kept.path(), "projects/-home-dev-p/agent-ab12.jsonl", lines(&agent));
    let idle = [aside(row(3, "user", &json!("Warmup"))), aside(says(4, "Ready."))];
    write(kept.path(), "projects/-home-dev-p/agent-cd34.jsonl", lines(&idle));
    let orphan = with(agent[0].clone(), &json!({"sessionId": "gone"}));
    write(kept.path(), "projects/-home-dev-p/agent-ef56.jsonl", lines(&[orphan]));
    write(kept.path(), "projects/-home-dev-p/s1/subagents/agent-acompact-1.jsonl", lines(&agent));
    let records = found(kept.path());
    assert_eq!(records.len(), 2);
    assert_eq!(records[0].began, Some(Timestamp(1_748_772_001_000)));
    assert_snapshot!(outline(&readings(&records[0])).join("\n"), @r#"
    {"what":"session_started","reason":"startup"}
    {"what":"prompted","text":"Ask"}
    {"what":"subagent_started"}
    {"what":"subagent_ended","message":"Looked."}
    {"what":"turn_ended","message":"Asked."}
    "#);
    let orphaned = entries(&records[1]);
    assert_eq!((orphaned.len(), orphaned[0].session.as_str()), (1, "gone"));
}

#[test]
fn what_cannot_be_read_costs_its_row_and_is_counted() {
    let whole = row(3, "user", &json!("Again")).to_string();
    let cut = whole.get(..whole.len() - 9).unwrap();
    let rows = [
        row(1, "user", &json!("First")).to_string(),
        "not JSON at all".to_owned(),
        "[1,2]".to_owned(),
        "{}".to_owned(),
        "\u{0}\u{0}\u{0}".to_owned(),
        json!({"type": "user", "uuid": "u", "message": {"content": "when?"}}).to_string(),
        json!({"type": "user", "timestamp": "2025-06-01T10:00:00Z", "message": {"content": "what?"}})
            .to_string(),
        json!({"type": "something-new", "uuid": "u", "deep": [[{"type": "user"}]]}).to_string(),
        answers(2, 77, "nobody asked").to_string(),
        String::new(),
        whole.clone(),
        cut.to_owned(),
    ];
    let kept = tempfile::tempdir().unwrap();
    let text = [rows.join("\n").as_bytes(), b"\n\xff\xfe{\xc3\n"].concat();
    write(kept.path(), SESSION, text);
    assert_snapshot!(outline(&readings(&found(kept.path())[0])).join("\n"), @r#"
    {"what":"session_started","reason":"startup"}
    {"what":"prompted","text":"First"}
    unreadable: a damaged line
    unreadable: a damaged line
    unreadable: a row of no type
    unreadable: a damaged line
    unreadable: a row without its time
    unreadable: a row without its id
    {"what":"prompted","text":"Again"}
    unreadable: a damaged line
    unreadable: a damaged line
    "#);
}

#[test]
fn a_vast_line_is_passed_over() {
    let kept = tempfile::tempdir().unwrap();
    write(kept.path(), SESSION, lines(&[row(1, "user", &json!("First"))]));
    let path = kept.path().join(SESSION);
    let mut file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    // A hole of 100 MB takes no space and no time, and is a line all the same.
    file.seek(SeekFrom::End(100 << 20)).unwrap();
    file.write_all(format!("\n{}\n", row(2, "user", &json!("Second"))).as_bytes()).unwrap();
    assert_snapshot!(outline(&readings(&found(kept.path())[0])).join("\n"), @r#"
    {"what":"session_started","reason":"startup"}
    {"what":"prompted","text":"First"}
    unreadable: a line too long
    {"what":"prompted","text":"Second"}
    "#);
}

#[test]
fn hostile_names_and_links_are_survived() {
    let kept = tempfile::tempdir().unwrap();
    let rows = lines(&[with(row(1, "user", &json!("Hi")), &json!({"sessionId": "../../x\u{1b}[2J"}))]);
    write(kept.path(), "projects/\u{1b}[2J\n$(rm)/'; --.jsonl", &rows);
    write(kept.path(), "projects/p/agent-.jsonl", &rows);
    write(kept.path(), "projects/p/folder.jsonl/x", "");
    write(kept.path(), "projects/file", "");
    let projects = kept.path().join("projects");
    std::os::unix::fs::symlink(&projects, projects.join("round")).unwrap();
    std::os::unix::fs::symlink(&projects, projects.join("p/round.jsonl")).unwrap();
    let records = found(kept.path());
    assert_eq!(records.len(), 2, "{records:?}");
    assert!(records.iter().all(|record| !readings(record).is_empty()));
    assert!(found(&kept.path().join("nowhere")).is_empty());
}

/// What was read once is read again as it was, however much has been added; only what was the end may not have been it.
#[test]
fn a_record_that_grows_begins_as_before() {
    for record in recorded(Host::ClaudeCode, "tools") {
        let text = std::fs::read_to_string(&record.path).unwrap();
        let whole = entries(&HostTranscript { beside: Vec::new(), bytes: text.len() as u64, ..record });
        let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
        for end in ends {
            let kept = tempfile::tempdir().unwrap();
            write(kept.path(), SESSION, &text[..end]);
            let part = entries(&found(kept.path())[0]);
            assert_eq!(part, whole[..part.len()]);
        }
    }
}

fn any_row() -> impl Strategy<Value = String> {
    let content = prop_oneof![
        Just(json!("hello")),
        Just(json!([{"type": "text", "text": "t"}])),
        Just(json!([{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}])),
        Just(json!([{"type": "tool_result", "tool_use_id": "t", "content": [1]}])),
        Just(json!(7)),
        Just(Value::Null),
    ];
    let kinds = prop::sample::select(vec!["user", "assistant", "system", "summary", ""]);
    let sound = (kinds, content, any::<bool>()).prop_map(|(kind, content, aside)| {
        with(row(1, kind, &content), &json!({"isSidechain": aside})).to_string()
    });
    let cut =
        (sound.clone(), 0_usize..300).prop_map(|(row, at)| row.get(at..).unwrap_or_default().to_owned());
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
        write(kept.path(), SESSION, [rows.join("\n").as_bytes(), b"\n", &rest].concat());
        let record = &found(kept.path())[0];
        let first: Vec<TranscriptItem> = readings(record);
        prop_assert_eq!(first, readings(record));
    }
}
