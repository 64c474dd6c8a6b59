//! OpenCode's transcripts: as recorded, as older versions kept them, and damaged. Databases are lists of rows here.

use crate::recorded::fixtures;
use crate::transcript_reading::{TranscriptHome, event_lines, with};
use backstory_hosts::{Host, HostTranscript};
use backstory_memory::Timestamp;
use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;

pub(crate) fn database_home(rows: &[Value]) -> TranscriptHome {
    TranscriptHome::with_database(Host::OpenCode, "opencode/opencode.db", rows)
}

/// Returns a home of a version that had no database.
pub(crate) fn file_home(rows: &[Value]) -> TranscriptHome {
    let home = TranscriptHome::new(Host::OpenCode);
    write_files(&home, rows);
    home
}

/// Writes rows as files. The ids in recordings are neutral: their rank restores the order of time.
fn write_files(home: &TranscriptHome, rows: &[Value]) {
    let is_session = |id: &str| rows.iter().any(|row| row["table"] == "session" && row["id"] == id);
    let rank = |id: &str| rows.iter().position(|row| row["id"] == id).unwrap_or(rows.len());
    let name = |value: &Value| match value.as_str().unwrap() {
        id if is_session(id) => id.to_owned(),
        id => format!("{:04}-{id}", rank(id)),
    };
    for row in rows {
        let id = name(&row["id"]);
        let value: Value = match row["data"].as_str() {
            Some(data) => serde_json::from_str(data).unwrap(),
            None => {
                json!({"parentID": row["parent_id"], "directory": row["directory"], "title": row["title"],
                "time": {"created": row["time_created"], "updated": row["time_updated"]}})
            }
        };
        let value = with(value, &json!({"id": id}));
        let folder = match row["table"].as_str().unwrap() {
            "session" => "session/global".to_owned(),
            "message" => format!("message/{}", name(&row["session_id"])),
            _ => format!("part/{}", name(&row["message_id"])),
        };
        home.write(&format!("opencode/storage/{folder}/{id}.json"), value.to_string());
    }
}

pub(crate) fn recorded_rows(name: &str) -> Vec<Value> {
    let file = fixtures(Host::OpenCode).join("records").join(name).with_extension("jsonl");
    let rows = fs::read_to_string(file).unwrap();
    rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect()
}

fn session(id: &str, parent: Option<&str>, second: i64) -> Value {
    json!({"table": "session", "id": id, "parent_id": parent, "directory": "/p", "title": "Look (@general subagent)",
        "time_created": second * 1000, "time_updated": second * 1000})
}

fn message(id: &str, session: &str, second: i64, data: &Value) -> Value {
    let data = with(data.clone(), &json!({"time": {"created": second * 1000}}));
    json!({"table": "message", "id": id, "session_id": session, "time_created": second * 1000, "data": data.to_string()})
}

fn part(id: &str, message: &str, data: &Value) -> Value {
    json!({"table": "part", "id": id, "message_id": message, "data": data.to_string()})
}

#[test]
fn a_session_in_database_and_files_is_found_once() {
    let rows = recorded_rows("lifecycle");
    let home = database_home(&rows);
    write_files(&home, &rows);
    assert_eq!(home.transcripts().len(), 2);
    assert!(home.transcripts().iter().all(|it| it.path.ends_with("opencode.db") && it.bytes > 0));
    // A session that only one of them holds is found, too.
    write_files(&home, &[session("ses_older", None, 5)]);
    assert_eq!(home.transcripts().len(), 3);
    let beta = TranscriptHome::with_database(Host::OpenCode, "opencode/opencode-beta.db", &rows);
    assert_eq!(beta.transcripts().len(), 2);
}

#[test]
fn synthetic_and_unfinished_parts_are_left_out() {
    let rows = [
        session("s1", None, 1),
        message("m0", "s1", 0, &json!({"role": "user"})),
        part("p0", "m0", &json!({"type": "text", "text": "copied when it was forked"})),
        message("m1", "s1", 2, &json!({"role": "user", "summary": {"diffs": [{"patch": "x"}]}})),
        part("p1", "m1", &json!({"type": "text", "text": "Fix it"})),
        part("p1b", "m1", &json!({"type": "text", "text": "ours", "synthetic": true})),
        part("p2", "m1", &json!({"type": "file", "filename": "a.py"})),
        message("m2", "s1", 3, &json!({"role": "assistant"})),
        part("p3", "m2", &json!({"type": "reasoning", "text": "hm"})),
        part("p4", "m2", &json!({"type": "text", "text": "Half is done."})),
        part("p5", "m2", &json!({"type": "text", "text": "not shown", "ignored": true})),
        part(
            "p6",
            "m2",
            &json!({"type": "tool", "tool": "bash", "callID": "c", "state": {"status": "running", "input": {"command": "make"}}}),
        ),
        part("p7", "m2", &json!({"type": "something-new"})),
        message("m3", "s1", 4, &json!({"role": "user"})),
        part("p8", "m3", &json!({"type": "text", "text": "Continue", "synthetic": true})),
    ];
    assert_snapshot!(database_home(&rows).outline(), @r#"
        {"what":"session_started","reason":"startup"}
        {"what":"prompted","text":"Fix it"}
        {"what":"turn_ended","message":"Half is done."}
        "#);
}

#[test]
fn nested_subagents_are_read_in_the_order_of_time() {
    let used = |id: &str, message: &str, tool: &str, end: i64| {
        let state = json!({"status": "completed", "input": {"command": tool, "description": tool, "prompt": "go"},
            "output": "", "metadata": {"exit": 0}, "time": {"start": 1, "end": end * 1000}});
        part(id, message, &json!({"type": "tool", "tool": tool, "callID": id, "state": state}))
    };
    let rows = [
        session("s1", None, 1),
        session("s2", Some("s1"), 4),
        session("s3", Some("s2"), 6),
        session("s4", Some("gone"), 2),
        message("m1", "s1", 2, &json!({"role": "user"})),
        part("p1", "m1", &json!({"type": "text", "text": "Look around"})),
        message("m2", "s1", 3, &json!({"role": "assistant"})),
        used("p2", "m2", "task", 20),
        message("m3", "s2", 5, &json!({"role": "user"})),
        part("p3", "m3", &json!({"type": "text", "text": "List"})),
        message("m4", "s2", 6, &json!({"role": "assistant"})),
        used("p4", "m4", "bash", 12),
        message("m5", "s3", 7, &json!({"role": "assistant"})),
        used("p5", "m5", "read", 8),
    ];
    let home = database_home(&rows);
    let transcripts = home.transcripts();
    assert_eq!(transcripts.len(), 2);
    let own = transcripts.iter().find(|transcript| transcript.session.as_deref() == Some("s1")).unwrap();
    assert_eq!((own.began, own.modified), (Some(Timestamp(1000)), Timestamp(6000)));
    assert_snapshot!(event_lines(&home.entries(own)), @r#"
        s1 Tool {"what":"session_started","reason":"startup"}
        m1 User {"what":"prompted","text":"Look around"}
        s2 Tool (general) {"what":"subagent_started"}
        s3 Tool (general) {"what":"subagent_started"}
        p5 Tool (general) read {"what":"looked","at":"command read, description read, prompt go"}
        p4 Tool (general) bash {"what":"ran","command":"bash","output":"","status":"success"}
        m3 end Assistant (general) {"what":"subagent_ended","message":""}
        p2 Tool task {"what":"used_tool","request":"task: go"}
        m1 end Assistant {"what":"turn_ended","message":""}
        "#);
    // The whole database as one transcript holds every session.
    let whole = HostTranscript::from_file(Host::OpenCode, &own.path).unwrap();
    let sessions: BTreeSet<String> = home.entries(&whole).into_iter().map(|entry| entry.session).collect();
    assert_eq!(sessions.into_iter().collect::<Vec<_>>(), ["s1", "s4"]);
}

#[test]
fn damage_costs_only_the_damaged_entry() {
    let rows = [
        session("s1", None, 1),
        json!({"table": "session"}),
        message("m1", "s1", 2, &json!({"role": "user"})),
        part("p1", "m1", &json!({"type": "text", "text": "Fix it"})),
        json!({"table": "part", "id": "p2", "message_id": "m1", "data": "{\"type\":"}),
        json!({"table": "message", "id": "m2", "session_id": "s1", "time_created": 3000}),
        json!({"table": "message", "id": "m3", "session_id": "s1", "time_created": 4000, "data": "[["}),
        message("m4", "s1", 5, &json!({"role": "assistant"})),
        part("p4", "m4", &json!({"type": "text", "text": "Fixed."})),
        part("p5", "nowhere", &json!({"type": "text", "text": "of no message"})),
    ];
    assert_snapshot!(database_home(&rows).outline(), @r#"
        {"what":"session_started","reason":"startup"}
        unreadable: a part of a message
        {"what":"prompted","text":"Fix it"}
        unreadable: a message
        unreadable: a message
        {"what":"turn_ended","message":"Fixed."}
        "#);
    let circle = [session("s1", Some("s2"), 1), session("s2", Some("s1"), 1)];
    assert_eq!(database_home(&circle).transcripts().len(), 2);
}

#[test]
fn other_files_are_not_found_and_ids_lead_to_no_other_folder() {
    let home = TranscriptHome::new(Host::OpenCode);
    assert_eq!(home.transcripts(), []);
    home.write("opencode/opencode.db", "not a database");
    home.write("opencode/notes.db", "");
    home.write("opencode/storage/session/global/ses_1.json", "\u{0}{{");
    home.write("opencode/storage/session/global/ses_2.json/x", "a folder");
    home.link_to_itself("opencode/storage/session/loop");
    assert_eq!(home.transcripts(), []);
    let broken = HostTranscript::from_file(Host::OpenCode, &home.path("opencode/opencode.db")).unwrap();
    assert!(home.read(&broken).is_err());
    home.write("opencode/storage/session/global/x.json", json!({"id": "../../../secret"}).to_string());
    home.write("secret/m.json", json!({"role": "user"}).to_string());
    assert_eq!(home.outline(), r#"{"what":"session_started","reason":"startup"}"#);
}

proptest! {
    #[test]
    fn any_rows_are_read_to_the_end(texts in prop::collection::vec(".{0,40}", 12), cut in 0usize..200) {
        let tool = json!({"type": "tool", "tool": "edit", "state": {"status": "completed", "input": [1]}}).to_string();
        let mut cut_tool = tool.clone();
        cut_tool.truncate(cut.min(tool.len()));
        let rows = [
            json!({"table": "session", "id": texts[0], "parent_id": texts[1], "directory": texts[2], "title": texts[3],
                "time_created": texts[4], "time_updated": texts[5]}),
            json!({"table": "message", "id": texts[6], "session_id": texts[0], "data": texts[7]}),
            json!({"table": "message", "id": texts[8], "session_id": texts[0], "data": "{\"role\":\"assistant\"}"}),
            json!({"table": "part", "id": texts[9], "message_id": texts[8], "data": texts[10]}),
            json!({"table": "part", "id": texts[11], "message_id": texts[8], "data": cut_tool}),
        ];
        database_home(&rows).assert_readable();
    }
}
