//! Every host whose hooks run us, through the binary they run: what was recorded of them is kept, and they are answered in
//! their own shape.

use crate::support::{
    bar, count, damage, log, patient_world, query, query_all, recorded, remember, run, size, until, world,
};
use backstory_hosts::Host;
use backstory_testkit::TestEnv;
use serde_json::{Value, json};
use std::fs;

/// What was recorded (`crates/hosts/tests/fixtures`).
const RECORDED: [(Host, &str); 10] = [
    (Host::ClaudeCode, "claude-code-2.1.325/lifecycle"),
    (Host::ClaudeCode, "claude-code-2.1.325/bugfix-session"),
    (Host::Codex, "codex-0.166.0/tools"),
    (Host::Codex, "codex-0.166.0/code-mode"),
    (Host::Codex, "codex-0.166.0/lifecycle"),
    (Host::Gemini, "gemini-cli-0.61.0/tools"),
    (Host::Gemini, "gemini-cli-0.61.0/lifecycle"),
    (Host::Copilot, "copilot-cli-1.0.102/tools"),
    (Host::Copilot, "copilot-cli-1.0.102/lifecycle"),
    (Host::Cursor, "cursor-by-hand/session"),
];

/// Runs the hook of a host as its configuration says, and returns what it answers.
fn hook(env: &TestEnv, host: Host, event: Option<&str>, payload: impl AsRef<[u8]>) -> String {
    let mut arguments = vec!["hook", "--host", host.as_str()];
    arguments.extend(event.map(|event| ["--event", event]).into_iter().flatten());
    let outcome = env.run_with(arguments, payload);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{outcome:?}");
    outcome.stdout
}

/// Plays what was recorded, in this world's project. Returns each event with the reply.
fn play(env: &TestEnv, host: Host, scene: &str) -> Vec<(String, String)> {
    let play_line = |line: &str| {
        let (event, payload) = match line.split_once(' ') {
            Some((event, payload)) if !event.starts_with('{') => (Some(event), payload),
            _ => (None, line),
        };
        let named: Value = serde_json::from_str(payload).unwrap();
        let name = event.unwrap_or_else(|| named["hook_event_name"].as_str().unwrap());
        (name.to_owned(), hook(env, host, event, payload))
    };
    recorded(env, scene).lines().map(play_line).collect()
}

/// Returns the payloads of what is kept, of one sort.
fn kept(env: &TestEnv, what: &str) -> Vec<Value> {
    let payloads: Vec<String> = query_all(env, "SELECT payload FROM events ORDER BY id");
    let payloads = payloads.iter().map(|payload| serde_json::from_str(payload).unwrap());
    payloads.filter(|payload: &Value| payload["what"] == what).collect()
}

/// A whole session of each: something is kept, and whatever is answered passes the host's own rules.
#[test]
fn recorded_sessions_are_kept_and_every_reply_is_valid_for_its_host() {
    for (host, scene) in RECORDED {
        let env = world();
        remember(&env, "We decided on SQLite FTS5 for search ranking because it needs no server");
        let answered = play(&env, host, scene);
        for (event, stdout) in &answered {
            assert_eq!(host.check_reply(event, stdout.as_bytes()), Ok(()), "{scene} {event}: {stdout}");
        }
        assert!(answered.iter().any(|(_, stdout)| stdout.contains("SQLite FTS5")), "{scene}: {answered:?}");
        assert!(count(&env, "events") >= 4, "{scene}");
        let other: u64 = query(&env, "SELECT count(*) FROM events WHERE kind = 'other'");
        assert_eq!(other, 0, "{scene}: every payload is understood");
        assert_eq!(query::<u64>(&env, "SELECT count(DISTINCT host) FROM sessions"), 1);
    }
}

#[test]
fn every_file_of_a_patch_is_kept() {
    let env = world();
    play(&env, Host::Codex, "codex-0.166.0/tools");
    let edited = kept(&env, "edited");
    let files: Vec<&str> = edited.iter().map(|edit| edit["file"].as_str().unwrap()).collect();
    assert_eq!(files, ["parser.py", "parser.py", "notes.md", "reader.py", "notes.md"]);
}

#[test]
fn what_a_payload_leaves_out_is_read_from_the_transcript() {
    let env = world();
    let record = env.world().join("record.jsonl");
    let item = json!({"type": "CommandExecution", "id": "call_1", "exit_code": 2});
    fs::write(&record, format!("{}\n", json!({"payload": {"item": item}}))).unwrap();
    let ran = json!({"session_id": "s", "cwd": env.project(), "hook_event_name": "PostToolUse", "tool_name": "Bash",
        "tool_use_id": "call_1", "tool_input": {"command": "make"}, "tool_response": "no rule", "transcript_path": record});
    hook(&env, Host::Codex, None, ran.to_string());
    assert_eq!(kept(&env, "ran")[0]["status"], "failure");

    let message = json!({"type": "assistant.message", "data": {"content": "The port is 8080."}});
    // However long the session was before.
    fs::write(&record, format!("{}\n{message}\n", "{}\n".repeat(1 << 20))).unwrap();
    let stop =
        |record: Value| json!({"sessionId": "c", "cwd": env.project(), "transcriptPath": record}).to_string();
    hook(&env, Host::Copilot, Some("agentStop"), stop(json!(record)));
    assert_eq!(kept(&env, "turn_ended")[0]["message"], "The port is 8080.");

    // What is no file, or none of ours to read, costs the words and nothing else.
    for other in [json!("/dev/zero"), json!(env.project()), json!("/nowhere"), json!(7)] {
        hook(&env, Host::Copilot, Some("agentStop"), stop(other));
    }
}

/// Of a session's first turn nothing may be written when the hook comes but the folder, and then the record comes in pieces.
#[test]
fn a_transcript_that_is_written_late_is_waited_for() {
    let env = patient_world();
    let record = env.project().join("events.jsonl");
    let stop = json!({"sessionId": "c", "cwd": env.project(), "transcriptPath": record}).to_string();
    let hook = run(&env, ["hook", "--host", "copilot-cli", "--event", "agentStop"]).input(stop).start();
    // The record is looked for when the store is open.
    assert!(until(|| env.home().join("backstory.db").exists()));
    let line = |content: &str, tools: &[&str]| {
        json!({"type": "assistant.message", "data": {"content": content, "toolRequests": tools}}).to_string()
    };
    let first = line("I will look at the port.", &["view"]);
    fs::write(&record, format!("{first}\n")).unwrap();
    fs::write(&record, format!("{first}\n{}\n", line("The port is 8080.", &[]))).unwrap();
    assert_eq!(env.finish(hook).code, Some(0));
    assert_eq!(kept(&env, "turn_ended")[0]["message"], "The port is 8080.");
}

/// Must show 4: an update of the host that renames a field. The session goes on, silently; what can be kept is.
#[test]
fn a_renamed_field_never_hurts_the_host() {
    let fields = [
        "session_id",
        "hook_event_name",
        "prompt",
        "tool_input",
        "tool_name",
        "cwd",
        "source",
        "tool_response",
    ];
    for field in fields {
        let env = world();
        remember(&env, "We decided on SQLite FTS5 for search ranking because it needs no server");
        for line in recorded(&env, "codex-0.166.0/tools").lines() {
            let line = line.replace(&format!("\"{field}\":"), &format!("\"{field}_v2\":"));
            let answer = hook(&env, Host::Codex, None, &line);
            let payload: Value = serde_json::from_str(&line).unwrap();
            let event = payload["hook_event_name"].as_str().unwrap_or("unreadable");
            assert_eq!(Host::Codex.check_reply(event, answer.as_bytes()), Ok(()), "{line}");
        }
        assert!(count(&env, "events") > 10, "{field}");
        assert!(!log(&env).contains("panicked"));
    }
}

/// R28, R31: broken in the middle, wrong types, with the store in order or not.
#[test]
fn broken_payloads_never_hurt_any_host() {
    let values = ["null", "7", "[]", "{}", "\"", "\"\\ud800\"", "{\"a\":", "\"\u{feff}\"", "[[[[[["];
    for host in Host::ALL {
        let env = world();
        remember(&env, "The store is there");
        for event in host.events().into_iter().chain(["SomethingNew"]) {
            for value in values.into_iter().step_by(size(4, 1)) {
                let payload = format!(
                    r#"{{"session_id":"s","sessionId":"s","conversation_id":"s","hook_event_name":"{event}","prompt":{value},"tool_name":"Bash","toolName":"bash","tool_input":{value},"toolArgs":{value},"tool_response":{value},"toolResult":{value},"transcriptPath":{value}}}"#
                );
                let answer = hook(&env, host, Some(event), &payload);
                assert_eq!(host.check_reply(event, answer.as_bytes()), Ok(()), "{host:?} {payload}");
            }
        }
        damage(&env, "garbage".repeat(999));
        for event in host.events() {
            let payload = format!(r#"{{"session_id":"t","hook_event_name":"{event}","prompt":"hello"}}"#);
            let answer = hook(&env, host, Some(event), payload);
            assert_eq!(host.check_reply(event, answer.as_bytes()), Ok(()), "{host:?} {event}");
        }
    }
    bar("R28", format_args!("{} hosts take every reply to broken payloads", Host::ALL.len()));
}

/// A host that was started below another inherits that one's variable for its project (law 8).
#[test]
fn law_8_a_project_variable_of_another_host_is_ignored() {
    for (host, named) in [(Host::Codex, false), (Host::Gemini, true), (Host::ClaudeCode, true)] {
        let env = world();
        let [one, other] = ["one", "other"].map(|name| {
            let folder = env.world().join(name);
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join(".backstory.toml"), format!("project = \"{name}\"\n")).unwrap();
            folder
        });
        let inherited: &'static str = other.to_string_lossy().into_owned().leak();
        let env = env.with("CLAUDE_PROJECT_DIR", inherited);
        let payload = json!({"session_id": "s", "turn_id": "t", "model": "m", "cwd": one, "timestamp": "2026-11-01T00:00:00Z",
            "hook_event_name": "SessionStart", "source": "startup"});
        hook(&env, host, None, payload.to_string());
        let sql = "SELECT p.name FROM sessions s JOIN projects p ON p.id = s.project_id";
        let project: String = query(&env, sql);
        assert_eq!(project, if named { "other" } else { "one" }, "{host:?}");
    }
}
