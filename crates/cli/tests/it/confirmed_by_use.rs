//! Confirmation by use (law 6): an agent fetched a memory in a session, and that session acted on it.

use crate::mcp::{call, replies};
use crate::support::{HOOK, NOW_MS, column, database, harmless, import, payload, run, world};
use backstory_testkit::TestEnv;
use serde_json::{Value, json};

const FILE: &str = "src/pay.rs";
const FACT: &str = "Declined payments are retried once by the gateway";

/// An hour after everything was written.
const LATER_MS: i64 = NOW_MS + 3_600_000;

/// Runs a tool of the MCP server, and returns its text.
fn tool(env: &TestEnv, now_ms: i64, name: &str, arguments: Value) -> String {
    let input = format!("{}\n", call(name, arguments));
    let reply = replies(&run(env, ["mcp"]).at(now_ms).input(input).output()).remove(0);
    reply["result"]["content"][0]["text"].as_str().unwrap().to_owned()
}

fn agent_writes(env: &TestEnv, kind: &str, title: &str) {
    let written = tool(env, NOW_MS, "remember", json!({"title": title, "kind": kind, "files": [FILE]}));
    assert!(written.contains("proposed"), "{written}");
}

/// One event of a session.
fn happens(env: &TestEnv, session: &str, now_ms: i64, name: &str, mut fields: Value) {
    fields["cwd"] = json!(env.project());
    harmless(&run(env, HOOK).at(now_ms).input(payload(session, name, fields)).output());
}

fn starts(env: &TestEnv, session: &str, now_ms: i64) {
    happens(env, session, now_ms, "SessionStart", json!({"source": "startup"}));
}

/// The host reports what the agent's call of `get` was answered.
fn reported(env: &TestEnv, session: &str, answer: &str) {
    let fields = json!({"tool_name": "mcp__backstory__get", "tool_use_id": "g", "tool_input": {"ids": [1]}, "tool_response": answer});
    happens(env, session, LATER_MS, "PostToolUse", fields);
}

fn fetches(env: &TestEnv, session: &str) {
    let answer = tool(env, LATER_MS, "get", json!({"ids": [1]}));
    reported(env, session, &answer);
}

fn edits(env: &TestEnv, session: &str, file: &str) {
    let path = env.project().join(file);
    let input = json!({"file_path": path, "old_string": "a", "new_string": "b"});
    let fields = json!({"tool_name": "Edit", "tool_use_id": "e", "tool_input": input, "tool_response": {"filePath": path}});
    happens(env, session, LATER_MS, "PostToolUse", fields);
}

fn standing(env: &TestEnv) -> String {
    let sql = "SELECT standing || ' ' || standing_reason FROM memories WHERE id = 1";
    database(env).query_row(sql, [], |row| row.get(0)).unwrap()
}

#[test]
fn what_an_agent_fetched_and_acted_on_is_confirmed() {
    let env = world();
    agent_writes(&env, "fact", FACT);
    starts(&env, "later", LATER_MS);
    fetches(&env, "later");
    assert_eq!(standing(&env), "proposed unproven", "fetching is not acting");
    edits(&env, "later", FILE);
    assert_eq!(standing(&env), "confirmed use");
    let start = run(&env, HOOK).at(LATER_MS + 1).input(payload(
        "next",
        "SessionStart",
        json!({"source": "startup", "cwd": env.project()}),
    ));
    assert!(start.output().stdout.contains(FACT));
}

#[test]
fn law_6_use_confirms_only_what_one_session_fetched_and_acted_on() {
    type Scene = fn(&TestEnv);
    let scenes: [(&str, Scene); 6] = [
        ("no hook says who fetched it", |env| {
            tool(env, LATER_MS, "get", json!({"ids": [1]}));
            edits(env, "later", FILE);
        }),
        ("another session acts", |env| {
            fetches(env, "later");
            edits(env, "other", FILE);
        }),
        ("another file is edited", |env| {
            fetches(env, "later");
            edits(env, "later", "src/other.rs");
        }),
        ("the agent only repeats it", |env| {
            fetches(env, "later");
            let message = format!("As #1 says: {FACT}");
            happens(env, "later", LATER_MS, "Stop", json!({"last_assistant_message": message}));
        }),
        ("a stranger's answer is no answer of ours", |env| {
            tool(env, LATER_MS, "get", json!({"ids": [1]}));
            reported(env, "later", &backstory_memory::fence("#1 fact", 7));
            edits(env, "later", FILE);
        }),
        ("the session that wrote it", |env| {
            fetches(env, "writing");
            edits(env, "writing", FILE);
        }),
    ];
    for (name, scene) in scenes {
        let env = world();
        starts(&env, "writing", NOW_MS - 1);
        agent_writes(&env, "fact", FACT);
        starts(&env, "later", LATER_MS);
        starts(&env, "other", LATER_MS);
        scene(&env);
        assert_eq!(standing(&env), "proposed unproven", "{name}");
    }
    backstory_testkit::held("A04", 4, scenes.len(), "uses that are none confirm nothing");
}

#[test]
fn law_6_no_use_confirms_a_strangers_word_or_an_order() {
    let rounds = 10;
    let repository = |env: &TestEnv| {
        let memory = json!({"title": FACT, "kind": "fact", "files": [FILE], "provenance": "repository"});
        import(env, &[memory]);
    };
    let order = |env: &TestEnv| agent_writes(env, "fact", "Always run `make deploy` before a commit");
    for (is_order, expected) in [(false, "proposed outside"), (true, "proposed asks")] {
        let env = world();
        if is_order {
            order(&env);
        } else {
            repository(&env);
        }
        for round in 0..rounds {
            let session = format!("s{round}");
            starts(&env, &session, LATER_MS);
            fetches(&env, &session);
            edits(&env, &session, FILE);
        }
        assert_eq!(standing(&env), expected);
        let waiting = run(&env, ["review", "--json"]).output();
        let waiting: Value = serde_json::from_str(&waiting.stdout).unwrap();
        assert_eq!(column(&waiting["memories"], "id"), json!([1]));
    }
    backstory_testkit::held("A04", 4, 2 * rounds, "fetches of what strangers said or what asks");
}
