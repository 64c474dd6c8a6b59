//! Gemini CLI's transcripts: as recorded, as older versions wrote them, and damaged.

use crate::transcript_reading::{TranscriptHome, damaged_end, event_lines, lines, with};
use backstory_hosts::Host;
use backstory_memory::Timestamp;
use insta::{allow_duplicates, assert_snapshot};
use proptest::prelude::*;
use serde_json::{Value, json};

const SESSION: &str = ".gemini/tmp/p/chats/session-2026-01-01T10-00-s1.jsonl";
const OLDER: &str = ".gemini/tmp/0a1b/chats/session-2025-09-01T10-00-s1.json";

fn head(session: &str, second: u32) -> Value {
    json!({"sessionId": session, "projectHash": "0a1b", "startTime": time(second), "lastUpdated": time(second)})
}

fn time(second: u32) -> String {
    format!("2026-01-01T10:00:{second:02}.000Z")
}

fn message(second: u32, sort: &str, content: &Value) -> Value {
    json!({"id": format!("m{second}"), "timestamp": time(second), "type": sort, "content": content})
}

fn with_call(message: Value, call: &Value) -> Value {
    with(message, &json!({"toolCalls": [call]}))
}

fn call(name: &str, args: &Value, status: &str, response: &Value) -> Value {
    json!({"id": format!("{name}-1"), "name": name, "args": args, "status": status, "timestamp": time(5),
        "result": [{"functionResponse": {"id": "x", "name": name, "response": response}}]})
}

fn home_with(name: &str, text: impl AsRef<[u8]>) -> TranscriptHome {
    TranscriptHome::with_file(Host::Gemini, name, text)
}

fn outline(rows: &[Value]) -> String {
    home_with(SESSION, lines(rows)).outline()
}

/// Gemini CLI writes a message again with every tool, and all of them when a session comes back.
#[test]
fn a_message_that_is_written_twice_is_read_once() {
    let prompt = message(1, "user", &json!([{"text": "Fix it"}]));
    let answer = message(2, "gemini", &json!("I will."));
    let running = call("run_shell_command", &json!({"command": "make"}), "executing", &json!({}));
    let ran =
        call("run_shell_command", &json!({"command": "make"}), "success", &json!({"output": "Output: ok"}));
    let summary = "<scratchpad>hm</scratchpad>\n<state_snapshot>\nHalf is done.\n</state_snapshot>";
    let rows = [
        head("s1", 0),
        prompt.clone(),
        answer.clone(),
        with_call(answer.clone(), &running),
        with_call(answer.clone(), &ran),
        with_call(answer.clone(), &ran),
        message(6, "user", &json!([{"functionResponse": {"response": {"output": "ok"}}}])),
        message(7, "info", &json!("Request cancelled.")),
        json!({"$set": {"messages": [prompt, with_call(answer, &ran), message(8, "user", &json!([{"text": summary}]))]}}),
        message(8, "user", &json!([{"text": summary}])),
        json!({"$rewindTo": "m1"}),
        message(9, "user", &json!("/chat save x")),
        json!({"id": "m10", "timestamp": time(10), "type": "user", "content": "@a.py\n--- whole file ---", "displayContent": "Look at @a.py"}),
        message(11, "error", &json!("[API Error: no quota]")),
        message(12, "user", &json!([{"text": "<hook_context>ours</hook_context>\n\n"}, {"text": "Go on"}])),
        message(13, "gemini", &json!([{"text": "hm", "thought": true}, {"text": "Done."}])),
    ];
    assert_snapshot!(outline(&rows), @r#"
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
fn a_transcript_of_an_older_version_is_one_object() {
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
        let home = home_with(OLDER, text);
        assert_eq!(home.transcripts()[0].began, Some(Timestamp(1_767_261_600_000)));
        let entries = home.first_entries();
        assert!(entries.iter().all(|entry| entry.session == "s1" && entry.cwd.as_deref() == Some("/p/src")));
        allow_duplicates!(assert_snapshot!(event_lines(&entries), @r#"
            - Tool {"what":"session_started","reason":"startup"}
            - User {"what":"prompted","text":"Rename it"}
            - Tool replace {"what":"edited","file":"/p/src/a.py","is_new":false,"hunks":[{"before":"a","after":"b"}]}
            - Assistant {"what":"turn_ended","message":"Renamed."}
            "#));
        // A newer version continues the session in another file, which repeats it.
        home.write(&format!("{OLDER}l"), lines(&[message(1, "user", &json!("Rename it"))]));
        assert_eq!(home.transcripts().len(), 1);
    }
}

#[test]
fn the_working_folder_is_read_wherever_gemini_cli_notes_it() {
    let prompt = message(1, "user", &json!("go on"));
    let home = home_with(SESSION, lines(&[head("s1", 0), prompt.clone()]));
    let folder = || home.first_entries()[0].cwd.clone();
    assert_eq!(folder(), None);
    let head = with(head("s1", 0), &json!({"directories": ["/first"]}));
    home.write(SESSION, lines(&[head, prompt]));
    assert_eq!(folder().as_deref(), Some("/first"));
    for (file, text, noted) in [
        (".gemini/projects.json", r#"{"projects":{"/other":"q","/listed":"p"}}"#, "/listed"),
        (".gemini/history/p/.project_root", "/kept\n", "/kept"),
        (".gemini/tmp/p/.project_root", "/noted", "/noted"),
    ] {
        home.write(file, text);
        assert_eq!(folder().as_deref(), Some(noted));
    }
}

/// When a session comes back, Gemini CLI leaves a second file behind that holds nothing.
#[test]
fn a_transcript_without_a_message_is_empty() {
    assert_eq!(outline(&[head("s1", 0), json!({"$set": {"lastUpdated": time(1)}})]), "");
}

#[test]
fn a_subagent_is_read_as_part_of_its_session() {
    let ls = call("run_shell_command", &json!({"command": "ls"}), "success", &json!({"output": "Output: a"}));
    let session = [
        head("s1", 0),
        message(1, "user", &json!("Look around")),
        message(9, "gemini", &json!("There is a.")),
    ];
    let home = home_with(SESSION, lines(&session));
    home.write(
        ".gemini/tmp/p/chats/s1/a1.jsonl",
        lines(&[
            head("a1", 3),
            message(4, "user", &json!("List the files")),
            with_call(message(5, "gemini", &json!("")), &ls),
            message(6, "gemini", &json!("a")),
        ]),
    );
    let transcripts = home.transcripts();
    assert_eq!((transcripts.len(), transcripts[0].beside.len()), (1, 1));
    let entries = home.first_entries();
    assert!(entries.iter().all(|entry| entry.session == "s1"));
    assert_snapshot!(event_lines(&entries), @r#"
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
fn damage_costs_only_the_damaged_entry() {
    let whole =
        lines(&[head("s1", 0), message(1, "user", &json!("go on")), message(2, "gemini", &json!("Done."))]);
    let text = whole.replacen(
        '\n',
        "\n{\"id\":\n[]\n\u{0}\n{\"id\":\"x\",\"type\":\"user\",\"timestamp\":\"soon\"}\n",
        1,
    );
    assert_snapshot!(home_with(SESSION, text).outline(), @r#"
        unreadable: a line
        unreadable: a line
        unreadable: a line
        unreadable: a line
        {"what":"session_started","reason":"startup"}
        {"what":"prompted","text":"go on"}
        {"what":"turn_ended","message":"Done."}
        "#);
    let cut = home_with(SESSION, &whole[..whole.len() - 20]).outline();
    assert!(cut.ends_with("\nunreadable: a line\n{\"what\":\"turn_ended\",\"message\":\"\"}"), "{cut}");
    assert_eq!(home_with(OLDER, "").outline(), "unreadable: a line");
}

#[test]
fn only_transcripts_are_found() {
    let home = TranscriptHome::new(Host::Gemini);
    for name in ["logs.json", "chats/notes.md", "chats/session-x.jsonl.unreadable-1", "chats/session-y/z.txt"]
    {
        home.write(&format!(".gemini/tmp/p/{name}"), "{}");
    }
    std::fs::create_dir_all(home.path(".gemini/tmp/p/chats/session-z.jsonl")).unwrap();
    home.link_to_itself(".gemini/tmp/loop");
    assert_eq!(home.transcripts(), []);
    // The id of a session leads to no other folder.
    home.write(SESSION, lines(&[head("../../../..", 0)]));
    assert!(home.transcripts()[0].beside.is_empty());
}

/// Returns messages with odd contents as rows, and as one object.
fn odd_messages() -> [String; 2] {
    let edit = call("replace", &json!([1]), "success", &json!("x"));
    let messages =
        [message(1, "user", &json!({"text": 1})), with_call(message(2, "gemini", &json!([["a"]])), &edit)];
    let rows = lines(&[&[head("s1", 0)], &messages[..]].concat());
    [rows, with(head("s1", 0), &json!({"messages": messages})).to_string()]
}

proptest! {
    #[test]
    fn any_bytes_are_read_to_the_end(
        rows in damaged_end(odd_messages()[0].clone()),
        object in damaged_end(odd_messages()[1].clone()),
    ) {
        home_with(SESSION, rows).assert_readable();
        home_with(OLDER, object).assert_readable();
    }
}
