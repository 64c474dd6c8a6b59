//! Claude Code's transcripts: as recorded, as older versions wrote them, and damaged.

use crate::transcript_reading::{TranscriptHome, damaged_lines, event_lines, lines, with};
use backstory_hosts::{Host, HostTranscript, TranscriptItem};
use backstory_memory::{Activity, Timestamp};
use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::io::{Seek, SeekFrom, Write};

const SESSION: &str = "projects/-home-dev-p/s1.jsonl";

fn home_with(text: impl AsRef<[u8]>) -> TranscriptHome {
    TranscriptHome::with_file(Host::ClaudeCode, SESSION, text)
}

/// Returns a row as the oldest versions write it.
fn row(number: u32, kind: &str, content: &Value) -> Value {
    json!({"type": kind, "uuid": format!("u{number}"), "parentUuid": format!("u{}", number.saturating_sub(1)), "sessionId": "s1",
        "timestamp": format!("2025-06-01T10:00:{number:02}.000Z"), "cwd": "/p", "isSidechain": false, "version": "1.0.3",
        "message": {"role": kind, "content": content}})
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

fn outline(rows: &[Value]) -> String {
    home_with(lines(rows)).outline()
}

#[test]
fn transcripts_are_found_with_their_subagents_the_oldest_first() {
    let transcripts = TranscriptHome::recorded(Host::ClaudeCode, "lifecycle").transcripts();
    assert!(transcripts.is_sorted_by_key(|transcript| transcript.began));
    assert!(transcripts.iter().all(|transcript| transcript.began.is_some() && transcript.beside.is_empty()));
    let tools = TranscriptHome::recorded(Host::ClaudeCode, "tools").transcripts();
    assert_eq!((tools.len(), tools[0].beside.len()), (1, 1));
}

#[test]
fn what_a_fork_repeats_has_the_same_ids() {
    let home = TranscriptHome::recorded(Host::ClaudeCode, "lifecycle");
    let ids = |transcript: &HostTranscript| {
        home.entries(transcript).into_iter().map(|entry| entry.id).collect::<HashSet<_>>()
    };
    let transcripts = home.transcripts();
    let (original, fork) = (ids(&transcripts[1]), ids(&transcripts[2]));
    // A new prompt, its answer, and that there is a session.
    assert_eq!(fork.difference(&original).count(), 3);
}

#[test]
fn transcripts_of_the_oldest_versions_are_read() {
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
    assert_snapshot!(outline(&rows), @r#"
    {"what":"session_started","reason":"startup"}
    {"what":"prompted","text":"Count the pages"}
    {"what":"looked","at":"/p/a.py"}
    {"what":"ran","command":"make","output":"no rule","status":"failure"}
    {"what":"turn_ended","message":"There are three pages."}
    {"what":"prompted","text":"Now write it down"}
    {"what":"edited","file":"/p/n.md","is_new":true,"hunks":[{"before":"","after":"3"}]}
    {"what":"interrupted"}
    {"what":"prompted","text":"Go on"}
    {"what":"turn_ended","message":"Done."}
    "#);
}

#[test]
fn subagents_in_the_file_of_their_session_are_kept_apart() {
    let of_subagent =
        |row: Value, parent: &Value| with(row, &json!({"isSidechain": true, "parentUuid": parent}));
    // Versions call the tool that starts a subagent differently.
    let task = |number, tool: &str, prompt: &str| {
        asks(number, tool, &json!({"description": "d", "prompt": prompt, "subagent_type": prompt}))
    };
    let rows = [
        row(1, "user", &json!("Ask two")),
        task(2, "Task", "left"),
        task(3, "Agent", "right"),
        of_subagent(row(4, "user", &json!("left")), &Value::Null),
        of_subagent(row(5, "user", &json!("right")), &Value::Null),
        of_subagent(asks(6, "Bash", &json!({"command": "one"})), &json!("u4")),
        of_subagent(asks(7, "Bash", &json!({"command": "two"})), &json!("u5")),
        of_subagent(answers(8, 7, "2"), &json!("u7")),
        of_subagent(answers(9, 6, "1"), &json!("u6")),
        of_subagent(says(10, "Right done."), &json!("u8")),
        answers(11, 3, "Right done."),
        of_subagent(says(12, "Left done."), &json!("u9")),
        answers(13, 2, "Left done."),
        says(14, "Both done."),
    ];
    assert_snapshot!(event_lines(&home_with(lines(&rows)).first_entries()), @r#"
    - Tool {"what":"session_started","reason":"startup"}
    u1 User {"what":"prompted","text":"Ask two"}
    u1 u4 Tool (left) {"what":"subagent_started"}
    u1 u5 Tool (right) {"what":"subagent_started"}
    t7 Tool (right) Bash {"what":"ran","command":"two","output":"2","status":"success"}
    t6 Tool (left) Bash {"what":"ran","command":"one","output":"1","status":"success"}
    u1 u5 Assistant (right) {"what":"subagent_ended","message":"Right done."}
    t3 Tool Agent {"what":"used_tool","request":"d: right"}
    u1 u4 Assistant (left) {"what":"subagent_ended","message":"Left done."}
    t2 Tool Task {"what":"used_tool","request":"d: left"}
    u1 Assistant {"what":"turn_ended","message":"Both done."}
    "#);
}

#[test]
fn subagents_that_work_at_once_come_in_the_order_of_time() {
    let home = home_with(lines(&[row(1, "user", &json!("Ask all")), says(9, "Asked.")]));
    for (agent, seconds) in [("a1", [2, 5, 20]), ("a2", [3, 4, 21]), ("a3", [12, 13, 14])] {
        let of_subagent =
            |row: Value| with(row, &json!({"isSidechain": true, "agentId": agent, "cwd": agent}));
        let [first, second, last] = seconds;
        let rows = [
            of_subagent(row(first, "user", &json!("Look"))),
            of_subagent(asks(second, "Grep", &json!({"pattern": agent}))),
            of_subagent(answers(second, second, "none")),
            of_subagent(says(last, "Looked.")),
        ];
        home.write(&format!("projects/-home-dev-p/s1/subagents/agent-{agent}.jsonl"), lines(&rows));
    }
    let all = home.first_entries();
    assert_eq!(all.len(), 3 + 3 * 3);
    assert!(all.is_sorted_by_key(|entry| entry.at), "{all:#?}");
    let mut transcript = home.transcripts().remove(0);
    transcript.beside[1] = home.path("gone");
    let all = home.read(&transcript).unwrap();
    assert_eq!(all.len(), 3 + 2 * 3 + 1);
    assert!(all.contains(&TranscriptItem::Unreadable("a file beside it")));
}

/// Some versions write a subagent's rows nowhere: what it found stands only in what its parent gets.
#[test]
fn the_result_of_a_subagent_without_rows_is_read() {
    let task = |number| {
        asks(number, "Task", &json!({"description": "d", "prompt": "Look", "subagent_type": "Explore"}))
    };
    let result = |number, call, agent: &str| {
        let content = json!([{"type": "text", "text": "Paging is in list.rs."}]);
        with(
            answers(number, call, "x"),
            &json!({"toolUseResult": {"status": "completed", "agentId": agent, "content": content}}),
        )
    };
    let rows = [
        row(1, "user", &json!("Ask")),
        task(2),
        result(3, 2, "gone"),
        task(4),
        result(5, 4, "kept"),
        task(6),
        with(
            answers(7, 6, "x"),
            &json!({"toolUseResult": {"isAsync": true, "status": "async_launched", "agentId": "late"}}),
        ),
    ];
    let home = home_with(lines(&rows));
    let of_subagent = |row: Value| with(row, &json!({"isSidechain": true, "agentId": "kept"}));
    home.write(
        "projects/-home-dev-p/s1/subagents/agent-kept.jsonl",
        lines(&[of_subagent(says(4, "Found it."))]),
    );
    let ended = home.first_entries().into_iter().filter_map(|entry| match entry.event.activity {
        Activity::SubagentEnded { message } => Some((entry.event.subagent.unwrap().id, message)),
        _ => None,
    });
    let own = |id: &str, message: &str| (id.to_owned(), message.to_owned());
    let ended: Vec<(String, String)> = ended.collect();
    assert_eq!(ended, [own("gone", "Paging is in list.rs."), own("kept", "Found it.")]);
}

#[test]
fn a_prompt_nobody_typed_is_not_read() {
    let rows = [
        with(row(1, "user", &json!("I am another agent")), &json!({"turnOrigin": "peer"})),
        with(row(2, "user", &json!("It is time")), &json!({"promptSource": "schedule_wakeup"})),
        with(row(3, "user", &json!("Typed")), &json!({"turnOrigin": "human", "promptSource": "typed"})),
        row(4, "user", &json!("<task-notification>done</task-notification>")),
    ];
    assert_snapshot!(outline(&rows), @r#"
    {"what":"session_started","reason":"startup"}
    {"what":"prompted","text":"Typed"}
    "#);
}

/// Versions around 2.0 keep the files of subagents beside those of sessions, and do not say of what type they are.
#[test]
fn a_subagents_file_beside_its_session_belongs_to_it() {
    let of_subagent = |row: Value| with(row, &json!({"isSidechain": true, "agentId": "ab12"}));
    let home = home_with(lines(&[row(1, "user", &json!("Ask")), says(9, "Asked.")]));
    let agent = [of_subagent(row(3, "user", &json!("Look"))), of_subagent(says(4, "Looked."))];
    home.write("projects/-home-dev-p/agent-ab12.jsonl", lines(&agent));
    let idle = [of_subagent(row(3, "user", &json!("Warmup"))), of_subagent(says(4, "Ready."))];
    home.write("projects/-home-dev-p/agent-cd34.jsonl", lines(&idle));
    let orphan = with(agent[0].clone(), &json!({"sessionId": "gone"}));
    home.write("projects/-home-dev-p/agent-ef56.jsonl", lines(&[orphan]));
    home.write("projects/-home-dev-p/s1/subagents/agent-acompact-1.jsonl", lines(&agent));
    let transcripts = home.transcripts();
    assert_eq!(transcripts.len(), 2);
    assert_eq!(transcripts[0].began, Some(Timestamp(1_748_772_001_000)));
    assert_snapshot!(home.outline_of(&transcripts[0]), @r#"
    {"what":"session_started","reason":"startup"}
    {"what":"prompted","text":"Ask"}
    {"what":"subagent_started"}
    {"what":"subagent_ended","message":"Looked."}
    {"what":"turn_ended","message":"Asked."}
    "#);
    let orphaned = home.entries(&transcripts[1]);
    assert_eq!((orphaned.len(), orphaned[0].session.as_str()), (1, "gone"));
}

#[test]
fn a_damaged_row_costs_only_that_row() {
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
    let text = [rows.join("\n").as_bytes(), b"\n\xff\xfe{\xc3\n"].concat();
    assert_snapshot!(home_with(text).outline(), @r#"
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
fn a_line_of_megabytes_is_skipped() {
    let home = home_with(lines(&[row(1, "user", &json!("First"))]));
    let mut file = std::fs::OpenOptions::new().write(true).open(home.path(SESSION)).unwrap();
    // A sparse hole of 100 MB is a line that takes no space on the disk.
    file.seek(SeekFrom::End(100 << 20)).unwrap();
    file.write_all(format!("\n{}\n", row(2, "user", &json!("Second"))).as_bytes()).unwrap();
    assert_snapshot!(home.outline(), @r#"
    {"what":"session_started","reason":"startup"}
    {"what":"prompted","text":"First"}
    unreadable: a line too long
    {"what":"prompted","text":"Second"}
    "#);
}

#[test]
fn hostile_names_and_links_are_survived() {
    let home = TranscriptHome::new(Host::ClaudeCode);
    let rows = lines(&[with(row(1, "user", &json!("Hi")), &json!({"sessionId": "../../x\u{1b}[2J"}))]);
    home.write("projects/\u{1b}[2J\n$(rm)/'; --.jsonl", &rows);
    home.write("projects/p/agent-.jsonl", &rows);
    home.write("projects/p/folder.jsonl/x", "");
    home.write("projects/file", "");
    home.link_to_itself("projects/round");
    home.link_to_itself("projects/p/round.jsonl");
    let transcripts = home.transcripts();
    assert_eq!(transcripts.len(), 2, "{transcripts:?}");
    assert!(transcripts.iter().all(|transcript| !home.items(transcript).is_empty()));
    assert!(TranscriptHome::new(Host::ClaudeCode).transcripts().is_empty());
}

/// An import reads a transcript again when it has grown: entries read before must not change.
#[test]
fn a_transcript_that_grows_begins_as_before() {
    let home = TranscriptHome::recorded(Host::ClaudeCode, "tools");
    for transcript in home.transcripts() {
        let text = std::fs::read_to_string(&transcript.path).unwrap();
        let whole = home_with(&text).first_entries();
        for (end, _) in text.match_indices('\n') {
            let part = home_with(&text[..=end]).first_entries();
            assert_eq!(part, whole[..part.len()]);
        }
    }
}

fn any_row() -> impl Strategy<Value = Value> {
    let content = prop_oneof![
        Just(json!("hello")),
        Just(json!([{"type": "text", "text": "t"}])),
        Just(json!([{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}])),
        Just(json!([{"type": "tool_result", "tool_use_id": "t", "content": [1]}])),
        Just(json!(7)),
        Just(Value::Null),
    ];
    let kinds = prop::sample::select(vec!["user", "assistant", "system", "summary", ""]);
    (kinds, content, any::<bool>()).prop_map(|(kind, content, is_sidechain)| {
        with(row(1, kind, &content), &json!({"isSidechain": is_sidechain}))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_lines_are_read_to_the_end(text in damaged_lines(any_row())) {
        home_with(text).assert_readable();
    }
}
