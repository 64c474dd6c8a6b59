//! From what a host says to what is remembered: a session recorded from the real Claude Code, played through the real hook.

use crate::support::{HOOK, ask, database, done, harmless, hear, prompt, told, world};
use backstory_testkit::TestEnv;
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

const RECORDED: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../hosts/tests/fixtures/claude-code-2.1.325/bugfix-session.jsonl");

/// What the file held that the recorded session mended.
const PAGES: &str = r#""""Pages of a list."""


def page_count(items: int, per_page: int) -> int:
    """Returns how many pages `items` need."""
    return items // per_page


def page(items: list, number: int, per_page: int) -> list:
    """Returns one page, counted from 1."""
    start = (number - 1) * per_page
    return items[start:start + per_page]
"#;

/// Makes the project the session was recorded in.
fn project(env: &TestEnv) {
    fs::create_dir_all(env.project().join("pager")).unwrap();
    fs::write(env.project().join("pager/pages.py"), PAGES).unwrap();
    git(env, &["init", "-q", "-b", "main"]);
    git(env, &["add", "-A"]);
    git(env, &["commit", "-q", "-m", "Start"]);
}

pub(crate) fn git(env: &TestEnv, arguments: &[&str]) {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=a", "-c", "user.email=a@b", "-C"]).arg(env.project()).args(arguments);
    let output = git.env_clear().env("HOME", env.world()).env("PATH", "/usr/bin:/bin").output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// Plays the recorded session: each payload through a hook of its own, each edit on the disk before its hook runs.
fn play(env: &TestEnv) {
    let recorded = fs::read_to_string(RECORDED).unwrap();
    for (second, line) in recorded.lines().enumerate() {
        let line = line.replace("/home/dev/project", env.project().to_str().unwrap());
        let payload: Value = serde_json::from_str(&line).unwrap();
        if payload["hook_event_name"] == "PostToolUse" && payload["tool_name"] == "Edit" {
            let text = |name: &str| payload["tool_input"][name].as_str().unwrap().to_owned();
            let file = text("file_path");
            let before = fs::read_to_string(&file).unwrap();
            fs::write(&file, before.replace(&text("old_string"), &text("new_string"))).unwrap();
        }
        let is_commit =
            payload["tool_input"]["command"].as_str().is_some_and(|command| command.contains("git commit"));
        if is_commit && payload["hook_event_name"] == "PostToolUse" {
            git(env, &["commit", "-q", "-a", "-m", "Fix off-by-one in page_count"]);
        }
        let mut command = env.command(HOOK);
        command.env("BACKSTORY_NOW_MS", (1_777_636_800_000 + second as i64 * 1000).to_string());
        let mut child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), line.as_bytes()).unwrap();
        harmless(&env.finish(child));
    }
}

#[test]
fn a_recorded_session_ends_with_what_helps_next_time_and_nothing_else() {
    let env = world();
    project(&env);
    play(&env);
    assert_snapshot!(told(&env.run(["sessions", "show", "last"])), @r#"
        exit 0
        --- out
        Session 1 of project · claude-code
        2026-05-01 12:00 · 00000000-0000-4000-8000-000000000001

        12:00 started    startup
        12:00 asked      Fix the failing test in tests/test_pages.py
        12:00 looked     pager/pages.py
        12:00 failed     python3 -m unittest
        12:00 edited     pager/pages.py
        12:00 ran        python3 -m unittest
        12:00 ran        git add -A && git commit -m "Fix off-by-one in page_count"
        12:00 said       `page_count` now counts the last, partly filled page, and all three tests pass. **What was wrong
        12:00 asked      No, we use pytest-style asserts here, not assertEqual.
        12:00 said       Understood: tests here use plain pytest-style `assert` statements, not `assertEqual`. I changed 
        12:00 ended      other

        Remembered
        #1     bugfix    Fix off-by-one in page_count
        #2     failure   test_last_page_is_counted: AssertionError: 2 != 3
        #3     summary   Fix off-by-one in page_count
        #4     decision  We use pytest-style asserts here, not assertEqual
        #5     handoff   Done, nothing open: Fix off-by-one in page_count

        Code
        modified  pager/pages.py: def page_count(items: int, per_page: int) -> int
        "#);
    assert_snapshot!(told(&env.run(["handoff"])), @r"
        exit 0
        --- out
        Done, nothing open: Fix off-by-one in page_count

        Last done: Fix off-by-one in page_count
        Branch: main
        ");
    let shown = ask(&env, 0, &["show", "1", "2", "--json"]);
    let [bugfix, failure] = [&shown["memories"][0], &shown["memories"][1]];
    assert_eq!((&bugfix["kind"], &failure["kind"]), (&json!("bugfix"), &json!("failure")));
    assert_eq!(bugfix["files"], json!(["pager/pages.py"]));
    let facts = failure["facts"].to_string();
    assert!(facts.contains("`return items // per_page` became `return -(-items // per_page)`"), "{facts}");
    assert_eq!((&bugfix["freshness"], &failure["freshness"]), (&json!("fresh"), &json!("fresh")));
    assert!(
        !bugfix["evidence"].as_array().unwrap().is_empty()
            && !failure["evidence"].as_array().unwrap().is_empty()
    );
    fs::write(env.project().join("pager/pages.py"), PAGES).unwrap();
    assert_eq!(ask(&env, 0, &["show", "1", "--json"])["memories"][0]["freshness"], json!("changed"));
    assert_eq!(failure["links"], json!([{"from": 2, "relation": "relates", "to": 1}]));
}

#[test]
fn a_receipt_of_the_end_of_a_turn_says_how_long_it_took_with_distilling() {
    let env = world();
    let says = |payload: Value| hear(&env, payload.to_string());
    says(json!({"session_id": "s", "hook_event_name": "SessionStart", "source": "startup"}));
    database(&env)
        .execute_batch(
            "CREATE TABLE noted (event TEXT, is_longer INTEGER, memories INTEGER);
             CREATE TRIGGER note AFTER UPDATE OF duration_us ON receipts BEGIN
                 INSERT INTO noted VALUES (new.event, new.duration_us > old.duration_us, (SELECT count(*) FROM memories));
             END;",
        )
        .unwrap();
    hear(&env, prompt("s", "We always use tabs, never spaces, in this repository."));
    says(json!({"session_id": "s", "hook_event_name": "Stop", "last_assistant_message": "Noted."}));
    let noted = database(&env).query_row("SELECT event, is_longer, memories > 0 FROM noted", [], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?))
    });
    let noted: (String, bool, bool) = noted.unwrap();
    assert_eq!(noted, ("Stop".to_owned(), true, true));
    assert_eq!(
        database(&env).query_row("SELECT count(*) FROM noted", [], |row| row.get::<_, u64>(0)).unwrap(),
        1,
        "no other hook writes twice"
    );
}

#[test]
fn distilling_again_changes_nothing() {
    let env = world();
    project(&env);
    play(&env);
    let all = ["export", "--all-projects"];
    let before = env.run(all);
    for arguments in [
        &["distil", "--json"][..],
        &["distil", "--session", "1", "--json"],
        &["distil", "--session", "last", "--json"],
    ] {
        let answer = ask(&env, 0, arguments);
        assert_eq!((&answer["written"], &answer["updated"]), (&json!([]), &json!([])), "{arguments:?}");
    }
    assert_eq!(env.run(all), before);
    assert_eq!(env.run(["distil", "--session", "nobody"]).code, Some(1));
}

#[test]
fn a_session_its_host_never_closed_is_distilled_by_the_housekeeping() {
    let env = world();
    let says = |payload: Value| hear(&env, payload.to_string());
    says(
        json!({"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt_id": "1", "prompt": "We always write changelog entries in the past tense."}),
    );
    assert_eq!(ask(&env, 1, &["search", "--json"])["hits"], json!([]));
    let later = |arguments: &[&str]| {
        let mut command = env.command(arguments);
        command.env("BACKSTORY_NOW_MS", (1_777_636_800_000i64 + 3_600_000).to_string());
        env.finish(command.spawn().unwrap())
    };
    let answer: Value = serde_json::from_str(&later(&["maintain", "--json"]).stdout).unwrap();
    assert_eq!(answer["sessions_distilled"], 1);
    assert!(later(&["search", "changelog"]).stdout.contains("past tense"));
    let again: Value = serde_json::from_str(&later(&["maintain", "--json"]).stdout).unwrap();
    assert_eq!(again["sessions_distilled"], 0);
}

#[test]
fn a_handoff_can_be_written_by_hand() {
    let env = world();
    assert_snapshot!(told(&env.run(["handoff"])), @r"
        exit 1
        --- err
        no handoff yet: one is made when a session ends, or write one with `backstory handoff TEXT`
        ");
    done(&env, &["handoff", "Next: wire the importer. The schema is done."]);
    assert_snapshot!(told(&env.run(["handoff"])), @r"
        exit 0
        --- out
        Next: wire the importer. The schema is done.

        Next: wire the importer. The schema is done.
        ");
    assert!(ask(&env, 0, &["handoff", "--json"])["handoff"]["body"].as_str().unwrap().contains("importer"));
}

#[test]
fn what_is_not_there_cannot_be_told() {
    let env = world();
    assert_snapshot!(told(&env.run(["sessions", "show", "7"])), @r"
        exit 1
        --- err
        error: there is no session `7`

        hint: `backstory sessions --all-projects` lists them all
        ");
    assert!(!Path::new(&env.home()).join("backstory.db").exists() || env.run(["sessions"]).code == Some(1));
}

/// SEC-12: what was put together from a memory holds its words, and forgetting says so.
#[test]
fn forgetting_says_where_else_the_words_stand() {
    let env = world();
    project(&env);
    play(&env);
    let answer = ask(&env, 0, &["forget", "1", "--yes", "--json"]);
    assert_eq!(answer["mentioned_in"], json!([2, 3, 5]), "{answer}");
    let answer = ask(&env, 0, &["forget", "2", "3", "5", "--yes", "--json"]);
    assert_eq!(answer["mentioned_in"], json!([]));
    assert_eq!(env.files_holding(b"Fix off-by-one in page_count"), Vec::<std::path::PathBuf>::new());
}

#[test]
fn a_session_that_is_taken_up_again_has_not_ended() {
    let env = world();
    let says = |payload: Value| hear(&env, payload.to_string());
    says(
        json!({"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt_id": "1", "prompt": "Look around in the parser"}),
    );
    says(json!({"session_id": "s", "hook_event_name": "SessionEnd", "reason": "other"}));
    assert!(ask(&env, 0, &["sessions", "--json"])["sessions"][0]["ended_at"].is_string());
    says(
        json!({"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt_id": "2", "prompt": "And now go on"}),
    );
    assert!(ask(&env, 0, &["sessions", "--json"])["sessions"][0]["ended_at"].is_null());
}
