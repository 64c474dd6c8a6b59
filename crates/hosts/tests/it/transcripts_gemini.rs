//! Gemini CLI's own records: as recorded, as older versions wrote them, and damaged.

use crate::recorded::line_of;
use crate::transcript_reading::{
    NoDatabases, entries, lines, outline, parsed, places, readings, recorded, write,
};
use backstory_hosts::{AgentEvent, Host, HostTranscript, TranscriptItem};
use backstory_memory::{Activity, Timestamp};
use insta::{allow_duplicates, assert_snapshot};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::Path;

const SESSION: &str = ".gemini/tmp/p/chats/session-2026-01-01T10-00-s1.jsonl";
const OLDER: &str = ".gemini/tmp/0a1b/chats/session-2025-09-01T10-00-s1.json";

fn found(home: &Path) -> Vec<HostTranscript> {
    Host::Gemini.transcripts(&places(Host::Gemini, home.to_owned()), &NoDatabases)
}

fn head(session: &str, second: u32) -> Value {
    json!({"sessionId": session, "projectHash": "0a1b", "startTime": time(second), "lastUpdated": time(second)})
}

fn time(second: u32) -> String {
    format!("2026-01-01T10:00:{second:02}.000Z")
}

fn message(second: u32, sort: &str, content: &Value) -> Value {
    json!({"id": format!("m{second}"), "timestamp": time(second), "type": sort, "content": content})
}

fn with_call(mut message: Value, call: &Value) -> Value {
    message.as_object_mut().unwrap().insert("toolCalls".into(), json!([call]));
    message
}

fn call(name: &str, args: &Value, status: &str, response: &Value) -> Value {
    json!({"id": format!("{name}-1"), "name": name, "args": args, "status": status, "timestamp": time(5),
        "result": [{"functionResponse": {"id": "x", "name": name, "response": response}}]})
}

fn from_file(name: &str, text: impl AsRef<[u8]>) -> Vec<TranscriptItem> {
    let home = tempfile::tempdir().unwrap();
    write(home.path(), name, text);
    readings(found(home.path()).first().unwrap())
}

fn story_of(rows: &[Value]) -> String {
    outline(&from_file(SESSION, lines(rows))).join("\n")
}

/// What hooks and records both tell: that a session ended no transcript says.
fn essence(event: impl Iterator<Item = AgentEvent>) -> Vec<String> {
    let event = event.filter(|event| !matches!(event.activity, Activity::SessionEnded { .. }));
    event.map(|event| line_of(&AgentEvent { sequence: None, ..event })).collect()
}

/// A session that is read long after is the session that was lived.
#[test]
fn a_record_tells_what_the_hooks_were_told() {
    for scene in ["tools", "lifecycle"] {
        let record = recorded(Host::Gemini, scene).pop().unwrap();
        assert_eq!(record.began, Some(Timestamp(1_777_636_800_000)));
        let entries = entries(&record);
        assert!(entries.iter().all(|entry| entry.cwd.as_deref() == Some("/home/dev/project")));
        assert!(entries.is_sorted_by_key(|entry| entry.at));
        let hooks = essence(parsed(Host::Gemini, scene, &entries[0].session).into_iter());
        assert_eq!(essence(entries.into_iter().map(|entry| entry.event)), hooks, "{scene}");
    }
}

/// A message is written again with every tool, and all are when a session comes back.
#[test]
fn what_is_written_twice_is_told_once() {
    let asked = message(1, "user", &json!([{"text": "Fix it"}]));
    let answer = message(2, "gemini", &json!("I will."));
    let running = call("run_shell_command", &json!({"command": "make"}), "executing", &json!({}));
    let ran =
        call("run_shell_command", &json!({"command": "make"}), "success", &json!({"output": "Output: ok"}));
    let summary = "<scratchpad>hm</scratchpad>\n<state_snapshot>\nHalf is done.\n</state_snapshot>";
    let rows = [
        head("s1", 0),
        asked.clone(),
        answer.clone(),
        with_call(answer.clone(), &running),
        with_call(answer.clone(), &ran),
        with_call(answer.clone(), &ran),
        message(6, "user", &json!([{"functionResponse": {"response": {"output": "ok"}}}])),
        message(7, "info", &json!("Request cancelled.")),
        json!({"$set": {"messages": [asked, with_call(answer, &ran), message(8, "user", &json!([{"text": summary}]))]}}),
        message(8, "user", &json!([{"text": summary}])),
        json!({"$rewindTo": "m1"}),
        message(9, "user", &json!("/chat save x")),
        json!({"id": "m10", "timestamp": time(10), "type": "user", "content": "@a.py\n--- whole file ---", "displayContent": "Look at @a.py"}),
        message(11, "error", &json!("[API Error: no quota]")),
        message(12, "user", &json!([{"text": "<hook_context>ours</hook_context>\n\n"}, {"text": "Go on"}])),
        message(13, "gemini", &json!([{"text": "hm", "thought": true}, {"text": "Done."}])),
    ];
    assert_snapshot!(story_of(&rows), @r#"
        {"what":"session_started","reason":"startup"}
        {"what":"prompted","text":"Fix it"}
        {"what":"ran","command":"make","output":"ok","status":"success"}
        {"what":"compacted","summary":"Half is done."}
        {"what":"turn_ended","message":"I will."}
        {"what":"prompted","text":"Look at @a.py"}
        {"what":"turn_broken","error":"[API Error: no quota]"}
        {"what":"prompted","text":"Go on"}
        {"what":"turn_ended","message":"Done."}
        "#);
}

#[test]
fn an_older_version_keeps_one_object() {
    let edit = call(
        "replace",
        &json!({"file_path": "/p/src/a.py", "old_string": "a", "new_string": "b"}),
        "success",
        &json!({"output": "ok"}),
    );
    let messages = json!([
        message(1, "user", &json!("Rename it")),
        with_call(message(2, "gemini", &json!("")), &edit),
        message(6, "gemini", &json!("Renamed.")),
    ]);
    let head = format!(r#"{{"sessionId": "s1", "projectHash": "0a1b", "startTime": "{}","#, time(0));
    let pretty = serde_json::to_string_pretty(&messages).unwrap();
    for text in
        [format!("{head} \"messages\": {messages}}}"), format!("{head}\n  \"messages\": {pretty}\n}}\n")]
    {
        let home = tempfile::tempdir().unwrap();
        write(home.path(), OLDER, text);
        let record = found(home.path()).pop().unwrap();
        assert_eq!(record.began, Some(Timestamp(1_767_261_600_000)));
        let entries = entries(&record);
        assert!(entries.iter().all(|entry| entry.session == "s1" && entry.cwd.as_deref() == Some("/p/src")));
        let event: Vec<String> = entries.iter().map(|entry| line_of(&entry.event)).collect();
        allow_duplicates!(assert_snapshot!(event.join("\n"), @r#"
            - Tool {"what":"session_started","reason":"startup"}
            - User {"what":"prompted","text":"Rename it"}
            - Tool replace {"what":"edited","file":"/p/src/a.py","is_new":false,"hunks":[{"before":"a","after":"b"}]}
            - Assistant {"what":"turn_ended","message":"Renamed."}
            "#));
        // A newer version goes on with it in another file, which repeats it.
        write(home.path(), &format!("{OLDER}l"), lines(&[message(1, "user", &json!("Rename it"))]));
        assert_eq!(found(home.path()).len(), 1);
    }
}

#[test]
fn the_folder_of_a_project_is_read_wherever_it_is_noted() {
    let home = tempfile::tempdir().unwrap();
    let folder = || entries(&found(home.path())[0])[0].cwd.clone();
    let asked = message(1, "user", &json!("go on"));
    write(home.path(), SESSION, lines(&[head("s1", 0), asked.clone()]));
    assert_eq!(folder(), None);
    let mut event = head("s1", 0);
    event["directories"] = json!(["/event"]);
    write(home.path(), SESSION, lines(&[event, asked]));
    assert_eq!(folder().as_deref(), Some("/event"));
    for (file, text, noted) in [
        (".gemini/projects.json", r#"{"projects":{"/other":"q","/listed":"p"}}"#, "/listed"),
        (".gemini/history/p/.project_root", "/kept\n", "/kept"),
        (".gemini/tmp/p/.project_root", "/noted", "/noted"),
    ] {
        write(home.path(), file, text);
        assert_eq!(folder().as_deref(), Some(noted));
    }
}

/// A session that comes back leaves another file behind that only begins.
#[test]
fn a_session_in_which_nothing_was_asked_is_not_told() {
    assert_eq!(from_file(SESSION, lines(&[head("s1", 0), json!({"$set": {"lastUpdated": time(1)}})])), []);
}

#[test]
fn a_subagent_is_told_in_its_session() {
    let home = tempfile::tempdir().unwrap();
    let ls = call("run_shell_command", &json!({"command": "ls"}), "success", &json!({"output": "Output: a"}));
    write(
        home.path(),
        SESSION,
        lines(&[
            head("s1", 0),
            message(1, "user", &json!("Look around")),
            message(9, "gemini", &json!("There is a.")),
        ]),
    );
    write(
        home.path(),
        ".gemini/tmp/p/chats/s1/a1.jsonl",
        lines(&[
            head("a1", 3),
            message(4, "user", &json!("List the files")),
            with_call(message(5, "gemini", &json!("")), &ls),
            message(6, "gemini", &json!("a")),
        ]),
    );
    let records = found(home.path());
    assert_eq!((records.len(), records[0].beside.len()), (1, 1));
    let entries = entries(&records[0]);
    assert!(entries.iter().all(|entry| entry.session == "s1"));
    let event: Vec<String> = entries.iter().map(|entry| line_of(&entry.event)).collect();
    assert_snapshot!(event.join("\n"), @r#"
        - Tool {"what":"session_started","reason":"startup"}
        - User {"what":"prompted","text":"Look around"}
        - Tool (subagent) {"what":"subagent_started"}
        - Assistant (subagent) {"what":"prompted","text":"List the files"}
        - Tool (subagent) run_shell_command {"what":"ran","command":"ls","output":"a","status":"success"}
        - Assistant (subagent) {"what":"subagent_ended","message":"a"}
        - Assistant {"what":"turn_ended","message":"There is a."}
        "#);
}

#[test]
fn damage_costs_what_is_damaged() {
    let whole =
        lines(&[head("s1", 0), message(1, "user", &json!("go on")), message(2, "gemini", &json!("Done."))]);
    let text = whole.replacen(
        '\n',
        "\n{\"id\":\n[]\n\u{0}\n{\"id\":\"x\",\"type\":\"user\",\"timestamp\":\"soon\"}\n",
        1,
    );
    assert_snapshot!(outline(&from_file(SESSION, text)).join("\n"), @r#"
        unreadable: a line
        unreadable: a line
        unreadable: a line
        unreadable: a line
        {"what":"session_started","reason":"startup"}
        {"what":"prompted","text":"go on"}
        {"what":"turn_ended","message":"Done."}
        "#);
    let cut = outline(&from_file(SESSION, &whole[..whole.len() - 20]));
    assert_eq!(cut[2..], ["unreadable: a line", r#"{"what":"turn_ended","message":""}"#]);
    assert_eq!(outline(&from_file(OLDER, "")), ["unreadable: a line"]);
}

#[test]
fn only_records_are_found() {
    let home = tempfile::tempdir().unwrap();
    for name in ["logs.json", "chats/notes.md", "chats/session-x.jsonl.unreadable-1", "chats/session-y/z.txt"]
    {
        write(home.path(), &format!(".gemini/tmp/p/{name}"), "{}");
    }
    std::fs::create_dir_all(home.path().join(".gemini/tmp/p/chats/session-z.jsonl")).unwrap();
    std::os::unix::fs::symlink(home.path(), home.path().join(".gemini/tmp/loop")).unwrap();
    assert_eq!(found(home.path()), []);
    // A session that names itself after another folder has no subagents there.
    write(home.path(), SESSION, lines(&[head("../../../..", 0)]));
    assert_eq!(found(home.path())[0].beside, Vec::<std::path::PathBuf>::new());
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..300), cut in 0usize..3000, older: bool) {
        let edit = call("replace", &json!([1]), "success", &json!("x"));
        let mut record = head("s1", 0);
        let messages = [message(1, "user", &json!({"text": 1})), with_call(message(2, "gemini", &json!([["a"]])), &edit)];
        let mut text = lines(&[&[record.clone()], &messages[..]].concat()).into_bytes();
        if older {
            record["messages"] = json!(messages);
            text = record.to_string().into_bytes();
        }
        text.truncate(cut);
        text.extend(bytes);
        let home = tempfile::tempdir().unwrap();
        write(home.path(), if older { OLDER } else { SESSION }, text);
        for record in found(home.path()) {
            readings(&record);
        }
    }
}
