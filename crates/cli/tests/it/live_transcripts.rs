//! What no hook reports and the host's own transcript has, read from it while the session runs.

use crate::support::{HOOK, ask, assert_absent, at, log, query, query_all, run, write};
use backstory_testkit::{BASE62, TestEnv, drawn};
use serde_json::{Value, json};

/// The time at which the session begins: 2026-02-01, 10 o'clock.
const BEGAN: i64 = 1_769_940_000_000;
const TRANSCRIPT: &str = ".claude/projects/-p/s1.jsonl";
const REFUSED: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\n";

/// A session of Claude Code with its transcript, in which each row is a second later than the one before.
struct LiveSession {
    env: TestEnv,
    rows: Vec<Value>,
}

impl LiveSession {
    fn new() -> LiveSession {
        let session = LiveSession { env: crate::support::world(), rows: Vec::new() };
        session.hook("SessionStart", json!({"source": "startup"}));
        session
    }

    fn now(&self) -> i64 {
        BEGAN + 1000 * i64::try_from(self.rows.len()).unwrap()
    }

    fn hook(&self, event: &str, fields: Value) {
        let mut payload = json!({"session_id": "s1", "hook_event_name": event, "cwd": self.env.project(),
            "transcript_path": at(&self.env, TRANSCRIPT)});
        let Value::Object(fields) = fields else { panic!("no fields: {fields}") };
        payload.as_object_mut().unwrap().extend(fields);
        let outcome = run(&self.env, HOOK).at(self.now()).input(payload.to_string()).output();
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{outcome:?}");
    }

    /// Adds a row, with what every row has.
    fn row(&mut self, row: Value) {
        let number = self.rows.len();
        let mut whole = json!({"sessionId": "s1", "cwd": self.env.project(), "isSidechain": false, "uuid": format!("u{number}"),
            "timestamp": format!("2026-02-01T10:00:{number:02}.000Z")});
        let Value::Object(fields) = row else { panic!("no row: {row}") };
        whole.as_object_mut().unwrap().extend(fields);
        self.rows.push(whole);
        let text: String = self.rows.iter().map(|row| format!("{row}\n")).collect();
        write(&self.env, TRANSCRIPT, text);
    }

    fn says(&mut self, kind: &str, content: &Value) {
        self.row(json!({"type": kind, "message": {"role": kind, "content": content}}));
    }

    fn calls(&mut self, id: &str, tool: &str, input: &Value) {
        self.says("assistant", &json!([{"type": "tool_use", "id": id, "name": tool, "input": input}]));
    }

    fn refuses(&mut self, id: &str, words: &str) {
        let result = json!([{"type": "tool_result", "tool_use_id": id, "is_error": true, "content": format!("{REFUSED}{words}")}]);
        self.says("user", &result);
    }

    fn queue(&mut self, operation: &str, content: &str) {
        self.row(json!({"type": "queue-operation", "operation": operation, "content": content}));
    }

    /// Returns what is kept: provenance, second and what happened.
    fn kept(&self) -> Vec<String> {
        let sql = "SELECT provenance || ' ' || ((at_ms - 1769940000000) / 1000) || ' ' || payload FROM events ORDER BY id";
        query_all(&self.env, sql)
    }

    fn assert_kept(&self, expected: &[&str]) {
        let kept = self.kept();
        let unreported: Vec<&str> =
            kept.iter().map(String::as_str).filter(|event| !event.contains("session_")).collect();
        assert_eq!(unreported, expected);
    }
}

#[test]
fn what_no_hook_reports_is_read_from_the_transcript_once() {
    let mut session = LiveSession::new();
    let question = json!({"questions": [{"question": "Which port?", "options": [{"label": "7070"}]}]});
    let answers = json!({"answers": {"Which port?": "7070"}});
    session.says("user", &json!("Add paging"));
    session.hook("UserPromptSubmit", json!({"prompt": "Add paging", "prompt_id": "p1"}));
    session.calls("t1", "Edit", &json!({"file_path": "/p/a.rs"}));
    session.refuses("t1", "keep the old name");
    session.queue("enqueue", "and no new crate");
    session.queue("remove", "");
    session.queue("enqueue", "then commit it");
    session.calls("t2", "AskUserQuestion", &question);
    let result = json!([{"type": "tool_result", "tool_use_id": "t2", "content": "x"}]);
    session.row(json!({"type": "user", "message": {"content": result}, "toolUseResult": answers}));
    session.hook("PostToolUse", json!({"tool_name": "AskUserQuestion", "tool_use_id": "t2", "tool_input": question, "tool_response": answers}));
    session.hook("Stop", json!({"last_assistant_message": "Asked.", "prompt_id": "p1"}));
    let first = [
        r#"user 1 {"what":"prompted","text":"Add paging"}"#,
        r#"user 8 {"what":"answered","topic":"","question":"Which port?","options":["7070"],"answer":"7070"}"#,
        r#"user 2 {"what":"rejected","at":"/p/a.rs","feedback":"keep the old name"}"#,
        r#"user 4 {"what":"interjected","text":"and no new crate"}"#,
        r#"assistant 8 {"what":"turn_ended","message":"Asked."}"#,
    ];
    session.assert_kept(&first);

    // The message that waited becomes a prompt; what was read is not read again.
    session.queue("dequeue", "");
    session.says("user", &json!("then commit it"));
    session.hook("UserPromptSubmit", json!({"prompt": "then commit it", "prompt_id": "p2"}));
    session.says("user", &json!("[Request interrupted by user]"));
    session.row(json!({"type": "user", "isCompactSummary": true, "message": {"content": "Summary:\n\nSummary:\nPaging is open."}}));
    session.hook("PostCompact", json!({"compact_summary": "<summary>Paging is open.</summary>"}));
    session.hook("SessionEnd", json!({"reason": "other"}));
    let second = [
        r#"user 10 {"what":"prompted","text":"then commit it"}"#,
        r#"assistant 12 {"what":"compacted","summary":"Paging is open."}"#,
        r#"user 10 {"what":"interrupted"}"#,
    ];
    session.assert_kept(&[first.as_slice(), second.as_slice()].concat());
    assert_eq!(log(&session.env), "");

    let known: u64 = query(&session.env, "SELECT count(*) FROM events");
    ask(&session.env, 0, &["import", "--all", "--no-vectors", "--json"]);
    assert_eq!(query::<u64>(&session.env, "SELECT count(*) FROM events"), known, "an import adds nothing");
}

/// Some versions report a message typed in mid-turn as a prompt, too.
#[test]
fn a_message_that_a_hook_reported_is_not_kept_twice() {
    let mut session = LiveSession::new();
    session.hook("UserPromptSubmit", json!({"prompt": "Add paging", "prompt_id": "p1"}));
    session.queue("enqueue", "and no new crate");
    session.hook("UserPromptSubmit", json!({"prompt": "and no new crate", "prompt_id": "p2"}));
    session.queue("remove", "and no new crate");
    session.hook("Stop", json!({"last_assistant_message": "Done.", "prompt_id": "p1"}));
    assert!(!session.kept().iter().any(|event| event.contains("interjected")), "{:?}", session.kept());
}

/// The number of the turn tells what is typed in it from the prompt of the next one, also where the transcript is read after the turn.
#[test]
fn a_prompt_with_the_number_of_the_running_turn_was_typed_in_mid_turn() {
    let mut session = LiveSession::new();
    session.hook("UserPromptSubmit", json!({"prompt": "Add paging", "prompt_id": "p1"}));
    session.hook("UserPromptSubmit", json!({"prompt": "and no new crate", "prompt_id": "p1"}));
    session.hook("Stop", json!({"last_assistant_message": "Done.", "prompt_id": "p1"}));
    session.queue("enqueue", "and no new crate");
    session.queue("remove", "and no new crate");
    session.hook("UserPromptSubmit", json!({"prompt": "Commit it", "prompt_id": "p2"}));
    session.hook("SessionEnd", json!({"reason": "other"}));
    let kept = session.kept();
    let said: Vec<&String> = kept.iter().filter(|event| event.contains("and no new crate")).collect();
    let [only] = said.as_slice() else { panic!("{kept:?}") };
    assert!(only.contains(r#""what":"interjected""#), "{only}");
    assert!(kept.iter().any(|event| event.contains(r#""what":"prompted","text":"Commit it""#)), "{kept:?}");
}

#[test]
fn law_7_secrets_in_a_transcript_are_redacted() {
    let mut session = LiveSession::new();
    let token = format!("ghp_{}", drawn(BASE62, 36, 1));
    session.calls("t1", "Bash", &json!({"command": format!("curl -H 'Authorization: Bearer {token}'")}));
    session.refuses("t1", &format!("use {token} instead"));
    session.queue("enqueue", &format!("or token={token}"));
    session.queue("remove", "");
    session.hook("Stop", json!({"last_assistant_message": "Done."}));
    assert!(session.kept().iter().any(|event| event.contains("rejected")), "{:?}", session.kept());
    std::fs::remove_file(at(&session.env, TRANSCRIPT)).unwrap();
    assert_absent(&session.env, token);
}

/// Law 1: a hook reads a part of a file at most, and only of a file.
#[test]
fn a_transcript_of_any_length_never_hurts_the_host() {
    let mut session = LiveSession::new();
    session.queue("enqueue", "first");
    session.queue("remove", "");
    let filler = format!("{}\n", json!({"type": "progress", "data": "x".repeat(1000)}));
    let last: String = [("enqueue", 2), ("remove", 3)]
        .map(|(operation, second)| {
            format!(
                "{}\n",
                json!({"type": "queue-operation", "operation": operation, "content": "last",
            "sessionId": "s1", "timestamp": format!("2026-02-01T10:00:0{second}.000Z")})
            )
        })
        .concat();
    let rows: String = session.rows.iter().map(|row| format!("{row}\n")).collect();
    write(&session.env, TRANSCRIPT, format!("{rows}{}{last}", filler.repeat(3000)));
    // Each hook reads on as long as it has time.
    let is_read = (0..8).any(|_| {
        session.hook("Stop", json!({"last_assistant_message": "Done."}));
        session.kept().iter().any(|event| event.contains("last"))
    });
    assert!(is_read && session.kept().iter().any(|event| event.contains("first")), "{:?}", session.kept());
    for other in [json!("/dev/zero"), json!(session.env.project()), json!("/nowhere"), json!(7)] {
        session.hook("Stop", json!({"last_assistant_message": "Done.", "transcript_path": other}));
    }
    assert_eq!(log(&session.env), "");
}

#[test]
fn a_command_without_a_result_is_kept_when_the_session_ends() {
    let mut session = LiveSession::new();
    session.says("user", &json!("push it"));
    session.hook("UserPromptSubmit", json!({"prompt": "push it", "prompt_id": "p1"}));
    session.calls("t1", "Bash", &json!({"command": "git push -u origin frost"}));
    session.hook("SessionEnd", json!({"reason": "other"}));
    let kept = [
        r#"user 1 {"what":"prompted","text":"push it"}"#,
        r#"tool 2 {"what":"still_running","at":"git push -u origin frost"}"#,
    ];
    session.assert_kept(&kept);
    // The same end again says nothing new.
    session.hook("SessionEnd", json!({"reason": "other"}));
    session.assert_kept(&kept);
}
