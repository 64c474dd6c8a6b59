//! Reading transcripts from a real database of OpenCode.

use backstory_exchange::ForeignDatabases;
use backstory_hosts::{DatabaseOpener, Host, HostPaths, HostTranscript, TranscriptItem};
use backstory_memory::{Activity, Timestamp};
use rusqlite::{Connection, params};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

const TABLES: &str = "
    CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT NOT NULL, title TEXT NOT NULL,
        agent TEXT, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL);
    CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, time_created INTEGER NOT NULL, data TEXT NOT NULL);
    CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT NOT NULL, data TEXT NOT NULL);";

struct OpenCode {
    home: tempfile::TempDir,
}

impl OpenCode {
    fn new() -> OpenCode {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("opencode")).unwrap();
        OpenCode { home }
    }

    fn path(&self) -> PathBuf {
        self.home.path().join("opencode/opencode.db")
    }

    /// Opens the database as the program does that writes it.
    fn database(&self) -> Connection {
        let db = Connection::open(self.path()).unwrap();
        db.execute_batch("PRAGMA journal_mode = WAL").unwrap();
        db.execute_batch(TABLES).unwrap();
        db
    }

    fn transcripts(&self) -> Vec<HostTranscript> {
        let places = HostPaths { xdg_data: self.home.path().to_owned(), ..HostPaths::default() };
        Host::OpenCode.transcripts(&places, &ForeignDatabases)
    }

    fn activities(transcript: &HostTranscript) -> Vec<Activity> {
        let entries = transcript.read(&ForeignDatabases).unwrap();
        let activity = |item| match item {
            TranscriptItem::Entry(entry) => entry.event.activity,
            TranscriptItem::Unreadable(why) => panic!("unreadable: {why}"),
        };
        entries.map(activity).collect()
    }
}

fn add_session(db: &Connection, id: &str, parent: Option<&str>, at: i64) {
    let sql = "INSERT INTO session VALUES (?1, ?2, '/p', 'A title', 'build', ?3, ?3)";
    db.execute(sql, params![id, parent, at]).unwrap();
}

fn add_message(db: &Connection, session: &str, role: &str, at: i64, parts: &[Value]) {
    let id = format!("msg_{at:05}");
    let data = json!({"role": role, "time": {"created": at}}).to_string();
    db.execute("INSERT INTO message VALUES (?1, ?2, ?3, ?4)", params![id, session, at, data]).unwrap();
    for (number, part) in parts.iter().enumerate() {
        let sql = "INSERT INTO part VALUES (?1, ?2, ?3, ?4)";
        db.execute(sql, params![format!("prt_{at:05}_{number}"), id, session, part.to_string()]).unwrap();
    }
}

fn text(words: &str) -> Value {
    json!({"type": "text", "text": words})
}

fn command(command: &str, code: i64, end: i64) -> Value {
    json!({"type": "tool", "tool": "bash", "callID": "c", "state": {"status": "completed", "input": {"command": command},
        "output": "out", "metadata": {"exit": code}, "time": {"start": 1, "end": end}}})
}

fn fill(db: &Connection) {
    add_session(db, "ses_b", None, 1000);
    add_message(
        db,
        "ses_b",
        "user",
        2000,
        &[text("Run the tests"), json!({"type": "text", "text": "x", "synthetic": true})],
    );
    add_message(db, "ses_b", "assistant", 3000, &[command("make test", 2, 9000)]);
    add_session(db, "ses_a", Some("ses_b"), 4000);
    add_message(db, "ses_a", "assistant", 5000, &[command("ls", 0, 6000)]);
    add_message(db, "ses_b", "assistant", 9500, &[text("One test fails.")]);
    add_session(db, "ses_c", None, 500);
}

fn files_in(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = paths.map(|path| (path.clone(), fs::read(path).unwrap())).collect();
    files.sort();
    files
}

#[test]
fn a_database_is_read_session_by_session_and_left_as_it_is() {
    let opencode = OpenCode::new();
    fill(&opencode.database());
    let before = files_in(&opencode.home.path().join("opencode"));
    let transcripts = opencode.transcripts();
    let named: Vec<(&str, Option<Timestamp>)> = transcripts
        .iter()
        .map(|transcript| (transcript.session.as_deref().unwrap(), transcript.began))
        .collect();
    assert_eq!(named, [("ses_c", Some(Timestamp(500))), ("ses_b", Some(Timestamp(1000)))]);
    assert_eq!(transcripts[1].modified, Timestamp(4000), "its subagent worked last");
    let activities = OpenCode::activities(&transcripts[1]);
    assert!(matches!(&activities[1], Activity::Prompted { text } if text == "Run the tests"));
    assert_eq!(activities[2], Activity::SubagentStarted);
    assert!(matches!(&activities[3], Activity::Ran { command, .. } if command == "ls"));
    assert!(matches!(&activities[4], Activity::Ran { command, .. } if command == "make test"));
    assert_eq!(activities[5], Activity::TurnEnded { message: "One test fails.".to_owned() });
    assert_eq!(activities.len(), 6);
    assert_eq!(files_in(&opencode.home.path().join("opencode")), before);
}

#[test]
fn rows_in_the_write_ahead_log_are_read_while_the_program_runs() {
    let opencode = OpenCode::new();
    let mut db = opencode.database();
    fill(&db);
    let writing = db.transaction().unwrap();
    add_session(&writing, "ses_d", None, 10_000);
    assert_eq!(opencode.transcripts().len(), 2, "what is not committed is not there yet");
    writing.commit().unwrap();
    assert_eq!(opencode.transcripts().len(), 3);
}

#[test]
fn missing_columns_and_tables_are_read_as_empty() {
    let opencode = OpenCode::new();
    let db = Connection::open(opencode.path()).unwrap();
    db.execute_batch("CREATE TABLE session (id TEXT, directory TEXT, time_created INTEGER)").unwrap();
    db.execute_batch("INSERT INTO session VALUES ('ses_a', '/p', 1000), (NULL, x'00ff', 'soon')").unwrap();
    let transcripts = opencode.transcripts();
    assert_eq!(transcripts.len(), 1);
    assert_eq!(OpenCode::activities(&transcripts[0]).len(), 1);
    let tables = ForeignDatabases.open(&opencode.path()).unwrap();
    let rows =
        tables.rows("session", &["directory", "agent", "id"], Some(("id", "ses_a")), &["title"]).unwrap();
    assert_eq!(rows, [["/p", "", "ses_a"]]);
    assert_eq!(tables.rows("message", &["id"], None, &[]).unwrap(), Vec::<Vec<String>>::new());
}

#[test]
fn a_file_that_is_no_database_has_no_transcripts() {
    let opencode = OpenCode::new();
    for bytes in [
        &b"not a database, but long enough to look like the head of one; and then some more of it, and more"
            [..],
        b"",
    ] {
        fs::write(opencode.path(), bytes).unwrap();
        assert_eq!(opencode.transcripts(), []);
    }
    fs::remove_file(opencode.path()).unwrap();
    fill(&opencode.database());
    let mut bytes = fs::read(opencode.path()).unwrap();
    bytes.truncate(bytes.len() / 2);
    let middle = bytes.len() / 2;
    bytes[middle..].fill(0x5a);
    fs::write(opencode.path(), bytes).unwrap();
    for transcript in opencode.transcripts() {
        if let Ok(entries) = transcript.read(&ForeignDatabases) {
            entries.count();
        }
    }
}
