//! OpenCode, through the hook its plugin runs: it keeps no system prompt, and takes a warning only beside a tool's result.

use crate::support::{answer, database, done, lines, remember, world};
use backstory_testkit::TestEnv;
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;

/// Tells an event of the session `s`, so many minutes after the world began, and returns what is given.
fn told_later(env: &TestEnv, minutes: i64, event: &str, fields: &Value) -> String {
    let session = json!({"id": "s", "root": "s", "agent": "build", "directory": env.project()});
    let mut payload = json!({"session": session});
    payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let mut command = env.command(["hook", "--host", "opencode", "--event", event]);
    let now = NOW_MS + minutes * 60_000;
    let mut child = command.env("BACKSTORY_NOW_MS", now.to_string()).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    let outcome = env.finish(child);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    if outcome.stdout.is_empty() {
        return String::new();
    }
    answer(&outcome)["context"].as_str().unwrap_or_default().to_owned()
}

fn told(env: &TestEnv, event: &str, fields: &Value) -> String {
    told_later(env, 0, event, fields)
}

fn starts(env: &TestEnv, minutes: i64, how: &str) -> String {
    told_later(env, minutes, "session.started", &json!({"how": how, "said": {}}))
}

fn ran(command: &str, output: &str, exit: i64) -> Value {
    let output = json!({"output": output, "metadata": {"exit": exit}});
    json!({"said": {"input": {"tool": "bash", "callID": command, "args": {"command": command}}, "output": output}})
}

/// The time of the world.
const NOW_MS: i64 = 1_777_636_800_000;

const RANKING: &str = "We decided on SQLite FTS5 for search ranking because it needs no server";
const MONEY: &str = "Money is integer cents, never a float";

#[test]
fn a_session_that_comes_back_is_told_the_very_same_bytes() {
    let env = world();
    remember(&env, RANKING);
    let first = starts(&env, 0, "startup");
    assert!(first.contains("SQLite FTS5"), "{first}");
    remember(&env, MONEY);
    assert_eq!(starts(&env, 30, "resume"), first);
    let given: i64 =
        database(&env).query_row("SELECT count(*) FROM injections", [], |row| row.get(0)).unwrap();
    assert_eq!(given, 1, "one block, however often it is said");
    // Nobody remembers how the conversation began after so long: then it may begin with what is known now.
    let later = starts(&env, 90, "resume");
    assert!(later.contains("SQLite FTS5") && later.contains("integer cents"), "{later}");
    assert_eq!(starts(&env, 100, "resume"), later);
}

#[test]
fn what_was_forgotten_is_not_told_again() {
    let env = world();
    let id = remember(&env, RANKING);
    remember(&env, MONEY);
    assert!(starts(&env, 0, "startup").contains("SQLite FTS5"));
    done(&env, &["forget", "--yes", &id.to_string()]);
    let again = starts(&env, 1, "resume");
    assert!(!again.contains("SQLite FTS5") && again.contains("integer cents"), "{again}");
}

#[test]
fn a_compaction_begins_a_block_of_its_own() {
    let env = world();
    remember(&env, RANKING);
    let first = starts(&env, 0, "startup");
    let compacting = told(&env, "experimental.session.compacting", &json!({"said": {}}));
    assert!(compacting.starts_with("--- backstory ") && compacting.contains("SQLite FTS5"), "{compacting}");
    let compacted = told(&env, "session.compacted", &json!({"message": "So far.", "said": {}}));
    assert!(compacted.contains("SQLite FTS5") && compacted != first, "{compacted}");
    assert_eq!(starts(&env, 1, "resume"), compacted);
}

#[test]
fn a_prompt_is_given_what_bears_on_it() {
    let env = world();
    remember(&env, MONEY);
    let parts = json!([{"type": "text", "text": "how is money stored, as a float or as cents?"}]);
    let given = told(&env, "chat.message", &json!({"turn": "m", "said": {"parts": parts}}));
    assert!(given.contains("integer cents"), "{given}");
}

#[test]
fn a_command_that_fails_again_is_told_what_helped_beside_its_output() {
    let env = world();
    let body = "`npm test` failed:\nCannot find module x\nFixed by running `npm install`";
    let failure = json!({"kind": "failure", "title": "npm test: cannot find module x", "body": body,
        "facts": ["Fixed by running `npm install`"],
        "details": {"type": "failure", "command": "npm test", "fix": {"commands": ["npm install"]}}});
    done(&env, &["import", &lines(&env, &[failure])]);
    assert_eq!(
        told(&env, "tool.execute.after", &ran("npm test", "ok", 0)),
        "",
        "nobody is warned of what worked"
    );
    let warning = told(&env, "tool.execute.after", &ran("npm test", "Cannot find module x", 1));
    assert!(warning.contains("npm install"), "{warning}");
}

#[test]
fn it_can_be_turned_off() {
    let env = world().with("BACKSTORY_INJECT_SESSION_START", "0");
    remember(&env, RANKING);
    assert_eq!(starts(&env, 0, "startup") + &starts(&env, 1, "resume"), "");
}
