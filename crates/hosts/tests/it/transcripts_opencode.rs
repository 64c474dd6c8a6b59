//! OpenCode's own records: as recorded, as older versions kept them, and damaged. A database is here what it holds: rows.

use crate::recorded::line_of;
use crate::transcript_reading::{as_transcripts_say, outline, parsed, write};
use backstory_hosts::{
    AgentEvent, DatabaseOpener, Host, HostPaths, HostTranscript, HostTranscriptEntry, TableReader,
    TranscriptItem,
};
use backstory_memory::{Activity, Timestamp};
use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

/// DatabaseOpener by path, each a list of rows.
#[derive(Clone, Default)]
struct OpencodeShelf(HashMap<PathBuf, Vec<Value>>);

impl DatabaseOpener for OpencodeShelf {
    fn open(&self, path: &Path) -> Result<Box<dyn TableReader>, String> {
        let rows = self.0.get(path).cloned().ok_or("it is no database")?;
        Ok(Box::new(Shelved(rows)))
    }
}

struct Shelved(Vec<Value>);

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

impl TableReader for Shelved {
    fn rows(
        &self,
        table: &str,
        columns: &[&str],
        only: Option<(&str, &str)>,
        order: &[&str],
    ) -> Result<Vec<Vec<String>>, String> {
        let of_table = self.0.iter().filter(|row| row["table"] == table);
        let mut rows: Vec<&Value> =
            of_table.filter(|row| only.is_none_or(|(name, value)| text(&row[name]) == value)).collect();
        rows.sort_by_key(|row| order.iter().map(|name| text(&row[*name])).collect::<Vec<String>>());
        Ok(rows.iter().map(|row| columns.iter().map(|name| text(&row[*name])).collect()).collect())
    }
}

/// A home with what OpenCode has kept in it.
struct OpencodeHome {
    folder: tempfile::TempDir,
    shelf: OpencodeShelf,
}

impl OpencodeHome {
    fn new() -> OpencodeHome {
        OpencodeHome { folder: tempfile::tempdir().unwrap(), shelf: OpencodeShelf::default() }
    }

    fn with_database(name: &str, rows: &[Value]) -> OpencodeHome {
        let mut home = OpencodeHome::new();
        write(home.folder.path(), &format!("opencode/{name}"), "");
        home.shelf.0.insert(home.folder.path().join("opencode").join(name), rows.to_vec());
        home
    }

    /// Writes rows as versions did that had no database. Names that were made neutral are put in the order of time again.
    fn write_files(&self, rows: &[Value]) {
        let is_session = |id: &str| rows.iter().any(|row| row["table"] == "session" && row["id"] == id);
        let rank = |id: &str| rows.iter().position(|row| row["id"] == id).unwrap_or(rows.len());
        let name = |value: &Value| match value.as_str().unwrap() {
            id if is_session(id) => id.to_owned(),
            id => format!("{:04}-{id}", rank(id)),
        };
        for row in rows {
            let id = name(&row["id"]);
            let mut value: Map<String, Value> = match row["data"].as_str() {
                Some(data) => serde_json::from_str(data).unwrap(),
                None => Map::from_iter([
                    ("parentID".to_owned(), row["parent_id"].clone()),
                    ("directory".to_owned(), row["directory"].clone()),
                    ("title".to_owned(), row["title"].clone()),
                    (
                        "time".to_owned(),
                        json!({"created": row["time_created"], "updated": row["time_updated"]}),
                    ),
                ]),
            };
            value.insert("id".to_owned(), id.clone().into());
            let folder = match row["table"].as_str().unwrap() {
                "session" => "session/global".to_owned(),
                "message" => format!("message/{}", name(&row["session_id"])),
                _ => format!("part/{}", name(&row["message_id"])),
            };
            write(
                self.folder.path(),
                &format!("opencode/storage/{folder}/{id}.json"),
                json!(value).to_string(),
            );
        }
    }

    fn transcripts(&self) -> Vec<HostTranscript> {
        let places = HostPaths { data: self.folder.path().to_owned(), ..HostPaths::default() };
        Host::OpenCode.transcripts(&places, &self.shelf)
    }

    fn readings(&self, record: &HostTranscript) -> Vec<TranscriptItem> {
        record.read(&self.shelf).unwrap().collect()
    }

    /// Reads a record in which everything can be read.
    fn entries(&self, record: &HostTranscript) -> Vec<HostTranscriptEntry> {
        let entry = |reading| match reading {
            TranscriptItem::Entry(entry) => *entry,
            TranscriptItem::Unreadable(why) => panic!("unreadable: {why}"),
        };
        let entries: Vec<HostTranscriptEntry> = self.readings(record).into_iter().map(entry).collect();
        let ids: BTreeSet<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
        assert_eq!(ids.len(), entries.len(), "no two have one id");
        entries
    }

    fn story(&self) -> String {
        let readings = self.transcripts().iter().flat_map(|record| self.readings(record)).collect::<Vec<_>>();
        outline(&readings).join("\n")
    }
}

fn recorded(scene: &str) -> Vec<Value> {
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/opencode-1.18.33/records");
    let rows = fs::read_to_string(fixtures.join(format!("{scene}.jsonl"))).unwrap();
    rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect()
}

fn session(id: &str, parent: Option<&str>, second: i64) -> Value {
    json!({"table": "session", "id": id, "parent_id": parent, "directory": "/p", "title": "Look (@general subagent)",
        "time_created": second * 1000, "time_updated": second * 1000})
}

fn message(id: &str, session: &str, second: i64, data: &Value) -> Value {
    let mut data = data.as_object().unwrap().clone();
    data.insert("time".to_owned(), json!({"created": second * 1000}));
    let data = json!(data);
    json!({"table": "message", "id": id, "session_id": session, "time_created": second * 1000, "data": data.to_string()})
}

fn part(id: &str, message: &str, data: &Value) -> Value {
    json!({"table": "part", "id": id, "message_id": message, "data": data.to_string()})
}

/// What hooks and records both tell. A command stands in a record as what it stands for.
fn essence(event: impl IntoIterator<Item = AgentEvent>) -> Vec<String> {
    let event =
        event.into_iter().filter(|event| event.activity != Activity::Prompted { text: "/greet Ada".into() });
    let event = as_transcripts_say(event.collect());
    event.into_iter().map(|event| line_of(&AgentEvent { sequence: None, ..event })).collect()
}

/// A session that is read long after is the session that was lived.
#[test]
fn a_record_tells_what_the_hooks_were_told() {
    for (scene, sessions) in [("tools", 3), ("lifecycle", 2)] {
        let rows = recorded(scene);
        let database = OpencodeHome::with_database("opencode.db", &rows);
        let files = OpencodeHome::new();
        files.write_files(&rows);
        for home in [database, files] {
            let records = home.transcripts();
            assert_eq!(records.len(), sessions, "{scene}");
            for record in records {
                let session = record.session.clone().unwrap();
                let mut entries = home.entries(&record);
                assert!(entries.iter().all(|entry| entry.session == session));
                assert!(entries.iter().all(|entry| entry.cwd.as_deref() == Some("/home/dev/project")));
                assert_eq!(record.began, Some(entries[0].at));
                entries.retain(|entry| {
                    entry.event.activity != Activity::Prompted { text: "Say hello to Ada.".into() }
                });
                let hooks = essence(parsed(Host::OpenCode, scene, &session));
                assert_eq!(essence(entries.into_iter().map(|entry| entry.event)), hooks, "{scene} {session}");
            }
        }
    }
}

#[test]
fn a_session_that_is_kept_twice_counts_once() {
    let rows = recorded("lifecycle");
    let home = OpencodeHome::with_database("opencode.db", &rows);
    home.write_files(&rows);
    assert_eq!(home.transcripts().len(), 2);
    assert!(home.transcripts().iter().all(|record| record.path.ends_with("opencode.db") && record.bytes > 0));
    // What only one of them knows is found there.
    home.write_files(&[session("ses_older", None, 5)]);
    assert_eq!(home.transcripts().len(), 3);
    let beta = OpencodeHome::with_database("opencode-beta.db", &rows);
    assert_eq!(beta.transcripts().len(), 2);
}

#[test]
fn what_was_not_said_by_anybody_is_left_out() {
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
    assert_snapshot!(OpencodeHome::with_database("opencode.db", &rows).story(), @r#"
        {"what":"session_started","reason":"startup"}
        {"what":"prompted","text":"Fix it"}
        {"what":"turn_ended","message":"Half is done."}
        "#);
}

#[test]
fn subagents_are_told_when_they_work_however_deep() {
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
    let home = OpencodeHome::with_database("opencode.db", &rows);
    let records = home.transcripts();
    assert_eq!(records.len(), 2);
    let own = records.iter().find(|record| record.session.as_deref() == Some("s1")).unwrap();
    assert_eq!((own.began, own.modified), (Some(Timestamp(1000)), Timestamp(6000)));
    let story: Vec<String> = home.entries(own).iter().map(|entry| line_of(&entry.event)).collect();
    assert_snapshot!(story.join("\n"), @r#"
        s1 Tool {"what":"session_started","reason":"startup"}
        m1 User {"what":"prompted","text":"Look around"}
        s2 Tool (general) {"what":"subagent_started"}
        s3 Tool (general) {"what":"subagent_started"}
        p5 Tool (general) read {"what":"looked","at":"command read, description read, prompt go"}
        p4 Tool (general) bash {"what":"ran","command":"bash","output":"","status":"success"}
        m3 end Assistant (general) {"what":"subagent_ended","message":""}
        p2 Tool task {"what":"used_tool","asked":"task: go"}
        m1 end Assistant {"what":"turn_ended","message":""}
        "#);
    // Who asks for the whole database gets every session.
    let whole = HostTranscript::from_file(Host::OpenCode, &own.path).unwrap();
    let sessions: BTreeSet<String> = home.entries(&whole).into_iter().map(|entry| entry.session).collect();
    assert_eq!(sessions.into_iter().collect::<Vec<_>>(), ["s1", "s4"]);
}

#[test]
fn damage_costs_what_is_damaged() {
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
    assert_snapshot!(OpencodeHome::with_database("opencode.db", &rows).story(), @r#"
        {"what":"session_started","reason":"startup"}
        unreadable: a part of a message
        {"what":"prompted","text":"Fix it"}
        unreadable: a message
        unreadable: a message
        {"what":"turn_ended","message":"Fixed."}
        "#);
    let circle = [session("s1", Some("s2"), 1), session("s2", Some("s1"), 1)];
    assert_eq!(OpencodeHome::with_database("opencode.db", &circle).transcripts().len(), 2);
}

#[test]
fn what_is_no_record_is_not_found() {
    let home = OpencodeHome::new();
    assert_eq!(home.transcripts(), []);
    write(home.folder.path(), "opencode/opencode.db", "not a database");
    write(home.folder.path(), "opencode/notes.db", "");
    write(home.folder.path(), "opencode/storage/session/global/ses_1.json", "\u{0}{{");
    write(home.folder.path(), "opencode/storage/session/global/ses_2.json/x", "a folder");
    std::os::unix::fs::symlink("/", home.folder.path().join("opencode/storage/session/loop")).unwrap();
    assert_eq!(home.transcripts(), []);
    let broken =
        HostTranscript::from_file(Host::OpenCode, &home.folder.path().join("opencode/opencode.db")).unwrap();
    assert!(broken.read(&home.shelf).is_err());
    // A session that names itself after another folder has no messages there.
    let id = "../../../secret";
    write(home.folder.path(), "opencode/storage/session/global/x.json", json!({"id": id}).to_string());
    write(home.folder.path(), "secret/m.json", json!({"role": "user"}).to_string());
    let record = &home.transcripts()[0];
    assert_eq!(outline(&home.readings(record)), [r#"{"what":"session_started","reason":"startup"}"#]);
}

proptest! {
    #[test]
    fn any_rows_are_read(texts in prop::collection::vec(".{0,40}", 12), cut in 0usize..200) {
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
        let home = OpencodeHome::with_database("opencode.db", &rows);
        for record in home.transcripts() {
            home.readings(&record);
        }
    }
}
