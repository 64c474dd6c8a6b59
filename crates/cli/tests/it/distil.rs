//! From payloads to memories: a session recorded from the real Claude Code, played through the real hook.

use crate::support::{
    HOOK, NOW_MS, answer, ask, assert_absent, database, done, fields, git, harmless, payload, prompt,
    query_all, recorded, rendered, run, send, shown, world,
};
use backstory_testkit::TestEnv;
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::fs;

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

/// Plays the recorded session: each payload through a hook of its own, each edit on the disk before its hook runs.
fn play(env: &TestEnv) {
    for (line, now_ms) in
        recorded(env, "claude-code-2.1.325/bugfix-session").lines().zip((NOW_MS..).step_by(1000))
    {
        let payload: Value = serde_json::from_str(line).unwrap();
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
        harmless(&run(env, HOOK).at(now_ms).input(line).output());
    }
}

#[test]
fn a_recorded_session_leaves_exactly_the_memories_worth_keeping() {
    let env = world();
    project(&env);
    play(&env);
    assert_snapshot!(rendered(&env.run(["sessions", "show", "last"])), @r#"
    exit 0
    --- out
    Session 1: Fix off-by-one in page_count
    project · claude-code · 2026-05-01 12:00 (just now) · <1 min ·
    00000000-0000-4000-8000-000000000001

    12:00 started    startup
    12:00 prompted   Fix the failing test in tests/test_pages.py
    12:00 looked     pager/pages.py
    12:00 failed     python3 -m unittest
    12:00 edited     pager/pages.py
    12:00 ran        python3 -m unittest
    12:00 ran        git add -A && git commit -m "Fix off-by-one in page_count"
    12:00 said       `page_count` now counts the last, partly filled page, and all…
    12:00 prompted   No, we use pytest-style asserts here, not assertEqual.
    12:00 said       Understood: tests here use plain pytest-style `assert` stateme…
    12:00 ended      other

    Remembered
    #1     bugfix    Fix off-by-one in page_count
    #2     failure   test_last_page_is_counted: AssertionError: 2 != 3
    #3     rule      We use pytest-style asserts here, not assertEqual
    #4     handoff   Done: Fix off-by-one in page_count

    Code
    modified  pager/pages.py: def page_count(items: int, per_page: int) -> int
    "#);
    assert_snapshot!(rendered(&env.run(["handoff"])), @r"
        exit 0
        --- out
        Done: Fix off-by-one in page_count

        Asked last: Fix the failing test in tests/test_pages.py
        Last done: Fix off-by-one in page_count
        Branch: main
        Remote: Last commit not pushed in this session
        The agent's last words: Understood: tests here use plain pytest-style assert
        statements, not assertEqual. I changed nothing now, since the existing tests
        already pass; new tests I write in this repository will use assert
        page_count(21, 10) == 3 and no unittest assertion methods.
        ");
    let [bugfix, failure] = ["1", "2"].map(|id| shown(&env, id));
    assert_eq!(fields(&bugfix, ["kind", "freshness"]), json!(["bugfix", "fresh"]));
    assert_eq!(fields(&failure, ["kind", "freshness"]), json!(["failure", "fresh"]));
    assert_eq!(bugfix["files"], json!(["pager/pages.py"]));
    let facts = failure["facts"].to_string();
    assert!(facts.contains("`return items // per_page` became `return -(-items // per_page)`"), "{facts}");
    assert!([&bugfix, &failure].iter().all(|memory| memory["evidence"][0] != json!(null)));
    fs::write(env.project().join("pager/pages.py"), PAGES).unwrap();
    assert_eq!(shown(&env, "1")["freshness"], json!("changed"));
    assert_eq!(failure["links"], json!([{"from": 2, "relation": "relates", "to": 1}]));
}

#[test]
fn the_receipt_of_a_turns_end_includes_the_time_of_distilling() {
    let env = world();
    send(&env, payload("s", "SessionStart", json!({"source": "startup"})));
    database(&env)
        .execute_batch(
            "CREATE TABLE noted (event TEXT, is_longer INTEGER, memories INTEGER);
             CREATE TRIGGER note AFTER UPDATE OF duration_us ON receipts BEGIN
                 INSERT INTO noted VALUES (new.event, new.duration_us > old.duration_us, (SELECT count(*) FROM memories));
             END;",
        )
        .unwrap();
    send(&env, prompt("s", "We always use tabs, never spaces, in this repository."));
    send(&env, payload("s", "Stop", json!({"last_assistant_message": "Noted."})));
    let noted: Vec<String> = query_all(&env, "SELECT event || is_longer || (memories > 0) FROM noted");
    assert_eq!(noted, ["Stop11"], "no other hook writes twice");
}

#[test]
fn distilling_twice_changes_nothing() {
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
        assert_eq!(fields(&answer, ["written", "updated"]), json!([[], []]), "{arguments:?}");
    }
    assert_eq!(env.run(all), before);
    assert_eq!(env.run(["distil", "--session", "nobody"]).code, Some(1));
}

#[test]
fn maintenance_distils_a_session_that_its_host_never_closed() {
    let env = world();
    send(&env, prompt("s", "We always write changelog entries in the past tense."));
    assert_eq!(ask(&env, 1, &["search", "--json"])["hits"], json!([]));
    let later = |arguments: &[&str]| run(&env, arguments).at(NOW_MS + 3_600_000).output();
    assert_eq!(answer(&later(&["maintain", "--json"]))["sessions_distilled"], 1);
    assert!(later(&["search", "changelog"]).stdout.contains("past tense"));
    assert_eq!(answer(&later(&["maintain", "--json"]))["sessions_distilled"], 0);
}

#[test]
fn a_handoff_can_be_written_by_hand() {
    let env = world();
    assert_snapshot!(rendered(&env.run(["handoff"])), @r"
        exit 1
        --- err
        no handoff yet: one is made when a session ends, or write one with `backstory handoff TEXT`
        ");
    done(&env, &["handoff", "Next: wire the importer. The schema is done."]);
    assert_snapshot!(rendered(&env.run(["handoff"])), @r"
        exit 0
        --- out
        Next: wire the importer. The schema is done.

        Next: wire the importer. The schema is done.
        ");
    assert!(ask(&env, 0, &["handoff", "--json"])["handoff"]["body"].as_str().unwrap().contains("importer"));
}

#[test]
fn an_unknown_session_is_an_error() {
    let env = world();
    assert_snapshot!(rendered(&env.run(["sessions", "show", "7"])), @r"
        exit 1
        --- err
        error: there is no session `7`

        hint: `backstory sessions --all-projects` lists them all
        ");
    assert!(!env.home().join("backstory.db").exists() || env.run(["sessions"]).code == Some(1));
}

/// SEC-12: summaries and handoffs repeat the words of a memory, and forgetting lists them.
#[test]
fn forgetting_lists_the_memories_that_still_mention_the_words() {
    let env = world();
    project(&env);
    play(&env);
    let answer = ask(&env, 0, &["forget", "1", "--yes", "--json"]);
    assert_eq!(answer["mentioned_in"], json!([2, 4]), "{answer}");
    let answer = ask(&env, 0, &["forget", "2", "4", "--yes", "--json"]);
    assert_eq!(answer["mentioned_in"], json!([]), "{answer}");
    assert_absent(&env, b"Fix off-by-one in page_count");
}
