//! OpenCode, through the hook its plugin runs: it keeps no system prompt, and takes a warning only beside a tool's result.

use crate::inject::RANKING;
use crate::support::{NOW_MS, answer, count, done, import, remember, run, world};
use backstory_testkit::TestEnv;
use serde_json::{Value, json};

/// Sends an event of the session `s`, so many minutes after the world began, and returns what is injected.
fn injected_at(env: &TestEnv, minutes: i64, event: &str, mut payload: Value) -> String {
    payload["session"] = json!({"id": "s", "root": "s", "agent": "build", "directory": env.project()});
    let hook = run(env, ["hook", "--host", "opencode", "--event", event]);
    let outcome = hook.at(NOW_MS + minutes * 60_000).input(payload.to_string()).output();
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    if outcome.stdout.is_empty() {
        return String::new();
    }
    answer(&outcome)["context"].as_str().unwrap_or_default().to_owned()
}

fn injected(env: &TestEnv, event: &str, payload: Value) -> String {
    injected_at(env, 0, event, payload)
}

fn starts(env: &TestEnv, minutes: i64, how: &str) -> String {
    injected_at(env, minutes, "session.started", json!({"how": how, "said": {}}))
}

fn ran(command: &str, output: &str, exit: i64) -> Value {
    let output = json!({"output": output, "metadata": {"exit": exit}});
    json!({"said": {"input": {"tool": "bash", "callID": command, "args": {"command": command}}, "output": output}})
}

const MONEY: &str = "Money is integer cents, never a float";

/// S2.1, S2.23: the system block stays byte for byte what it was at every step.
#[test]
fn a_resumed_session_gets_the_very_same_bytes() {
    let env = world();
    remember(&env, RANKING);
    let first = starts(&env, 0, "startup");
    assert!(first.contains("SQLite FTS5"), "{first}");
    remember(&env, MONEY);
    assert_eq!(starts(&env, 30, "resume"), first);
    assert_eq!(count(&env, "injections"), 1, "one block, however often it is injected");
    // Nobody remembers how the conversation began after so long: then it may begin with what is known now.
    let later = starts(&env, 90, "resume");
    assert!(later.contains("SQLite FTS5") && later.contains("integer cents"), "{later}");
    assert_eq!(starts(&env, 100, "resume"), later);
}

#[test]
fn a_forgotten_memory_is_not_injected_again() {
    let env = world();
    let id = remember(&env, RANKING);
    remember(&env, MONEY);
    assert!(starts(&env, 0, "startup").contains("SQLite FTS5"));
    done(&env, &["forget", "--yes", &id.to_string()]);
    let again = starts(&env, 1, "resume");
    assert!(!again.contains("SQLite FTS5") && again.contains("integer cents"), "{again}");
}

/// S2.2, S2.19, S2.20: a compaction is given memory, too.
#[test]
fn a_compaction_gets_a_block_of_its_own() {
    let env = world();
    remember(&env, RANKING);
    let first = starts(&env, 0, "startup");
    let compacting = injected(&env, "experimental.session.compacting", json!({"said": {}}));
    assert!(compacting.starts_with("--- backstory ") && compacting.contains("SQLite FTS5"), "{compacting}");
    let compacted = injected(&env, "session.compacted", json!({"message": "So far.", "said": {}}));
    assert!(compacted.contains("SQLite FTS5") && compacted != first, "{compacted}");
    assert_eq!(starts(&env, 1, "resume"), compacted);
}

#[test]
fn a_prompt_gets_what_bears_on_it() {
    let env = world();
    remember(&env, MONEY);
    let parts = json!([{"type": "text", "text": "how is money stored, as a float or as cents?"}]);
    let text = injected(&env, "chat.message", json!({"turn": "m", "said": {"parts": parts}}));
    assert!(text.contains("integer cents"), "{text}");
}

#[test]
fn a_command_that_fails_again_gets_the_fix_beside_its_output() {
    let env = world();
    let body = "`npm test` failed:\nCannot find module x\nFixed by running `npm install`";
    let failure = json!({"kind": "failure", "title": "npm test: cannot find module x", "body": body,
        "facts": ["Fixed by running `npm install`"],
        "details": {"type": "failure", "command": "npm test", "fix": {"commands": ["npm install"]}}});
    import(&env, &[failure]);
    let quiet = injected(&env, "tool.execute.after", ran("npm test", "ok", 0));
    assert_eq!(quiet, "", "a command that worked gets no warning");
    let warning = injected(&env, "tool.execute.after", ran("npm test", "Cannot find module x", 1));
    assert!(warning.contains("npm install"), "{warning}");
}

/// S2.10.
#[test]
fn session_start_injections_can_be_turned_off() {
    let env = world().with("BACKSTORY_INJECT_SESSION_START", "0");
    remember(&env, RANKING);
    assert_eq!(starts(&env, 0, "startup") + &starts(&env, 1, "resume"), "");
}
