//! `show`, `timeline`, `sessions`: looking at what is there.

use crate::support::{
    ask, column, done, fields, import, payload, prompt, remember, rendered, run_in, send, shape, shown, world,
};
use insta::assert_snapshot;
use serde_json::json;

#[test]
fn memories_are_shown_whole() {
    let env = world();
    done(&env, &["remember", "One thing\n\nand the reason for it", "--file", "a.rs", "--concept", "things"]);
    remember(&env, "Another matter");
    assert_snapshot!(rendered(&env.run(["show", "1", "2"])), @r"
    exit 0
    --- out
    #1 One thing
    note · project · 2026-05-01 12:00 (just now) · from user
    importance 2 · confidence 1.00 · seen 1× · used 0×

    One thing

    and the reason for it

    concepts
      - things

    files
      - a.rs

    #2 Another matter
    note · project · 2026-05-01 12:00 (just now) · from user
    importance 2 · confidence 1.00 · seen 1× · used 0×
    ");
    let answer = ask(&env, 0, &["show", "1", "--json"]);
    assert_snapshot!(shape(&answer), @"{memories: [{body: text, category: null, concepts: [text], confidence: number, created_at: text, details: null, evidence: [], facts: [], files: [text], freshness: null, host_session: null, id: number, importance: number, intact: bool, kind: text, last_used_at: null, links: [], pinned: bool, project: text, provenance: text, revisions: [], scope: text, session: null, standing: text, standing_reason: text, superseded_by: null, times_seen: number, times_used: number, title: text, tokens: number, uid: text, updated_at: text, valid_from: null, valid_to: null}], missing: [], version: number}");
    assert_eq!(answer["memories"][0]["times_used"], 0, "a person who reads a memory helps no session");
    assert_eq!(env.run_with(["show", "1"], "").code, Some(0));
    let answer = ask(&env, 0, &["show", "1", "--json"]);
    assert_eq!(answer["memories"][0]["times_used"], 1, "an agent that asks for it uses it");
}

#[test]
fn unknown_ids_are_reported_and_the_other_memories_shown() {
    let env = world();
    remember(&env, "The only one");
    assert_snapshot!(rendered(&env.run(["show", "1", "8", "9"])), @r"
    exit 1
    --- out
    #1 The only one
    note · project · 2026-05-01 12:00 (just now) · from user
    importance 2 · confidence 1.00 · seen 1× · used 0×
    --- err
    error: there are no memories #8, #9

    hint: `backstory search WORDS` finds memories and their numbers
    ");
    let answer = ask(&env, 1, &["show", "8", "1", "--json"]);
    assert_eq!((&answer["missing"], &answer["memories"][0]["id"]), (&json!([8]), &json!(1)));
    assert_eq!(shown(&env, "#1")["id"], 1, "as it is printed");
    for number in ["one", "1.5", "99999999999999999999", "-1"] {
        assert_eq!(env.run(["show", number]).code, Some(2), "{number}");
    }
}

#[test]
fn a_timeline_shows_what_came_before_and_after() {
    let env = world();
    let memory = |number: u32| {
        json!({"uid": format!("m{number}"), "kind": "note", "title": format!("Thing {number}"),
        "created_at": format!("2026-04-{:02}T10:00:00Z", number / 2 + 1), "project_path": env.project()})
    };
    import(&env, &(1..=9).map(memory).collect::<Vec<_>>());
    assert_snapshot!(rendered(&env.run(["timeline", "5", "--before", "2", "--after", "1"])), @r"
    exit 0
    --- out
    2026-04-02
      10:00 #3     note      Thing 3
    2026-04-03
      10:00 #4     note      Thing 4
    > 10:00 #5     note      Thing 5
    2026-04-04
      10:00 #6     note      Thing 6
    ");
    assert_snapshot!(rendered(&env.run(["timeline", "--limit", "2"])), @r"
        exit 0
        --- out
        2026-04-05
          10:00 #8     note      Thing 8
          10:00 #9     note      Thing 9
        ");
    let answer = ask(&env, 0, &["timeline", "5", "--before", "1", "--after", "1", "--json"]);
    assert_snapshot!(shape(&answer), @"{anchor: number, memories: [{confidence: number, created_at: text, host_session: null, id: number, importance: number, kind: text, pinned: bool, project: text, provenance: text, session: null, standing: text, standing_reason: text, superseded_by: null, title: text, tokens: number, uid: text}], version: number}");
    assert_eq!((column(&answer["memories"], "id"), &answer["anchor"]), (json!([4, 5, 6]), &json!(5)));
    assert_eq!(env.run(["timeline", "77"]).code, Some(1));
}

#[test]
fn an_empty_timeline_exits_with_1() {
    let env = world();
    assert_snapshot!(rendered(&env.run(["timeline"])), @r"
        exit 1
        --- err
        nothing has happened here yet
        ");
    assert_eq!(ask(&env, 1, &["timeline", "--json"])["memories"], json!([]));
}

#[test]
fn the_last_session_is_the_last_of_this_project() {
    let env = world();
    send(&env, prompt("here", "Mend the page count"));
    let elsewhere: &[&str] = &["sessions", "show", "last"];
    let none = run_in(&env, "other", elsewhere);
    assert_snapshot!(rendered(&none), @r"
        exit 1
        --- err
        error: no sessions of this project yet

        hint: `backstory sessions --all-projects` lists those of others
        hint: `backstory doctor` checks whether hooks run
        ");
    assert_eq!(run_in(&env, "other", &["distil", "--session", "last"]).code, Some(1));
    assert_eq!(run_in(&env, "other", &["handoff", "--session", "last"]).code, Some(1));
    for more in [&["--all-projects"][..], &["--project", "project"]] {
        assert_eq!(run_in(&env, "other", &[elsewhere, more].concat()).code, Some(0), "{more:?}");
    }
    assert_eq!(ask(&env, 0, &["sessions", "show", "last", "--json"])["session"]["host_session"], "here");
}

#[test]
fn sessions_are_listed_newest_first() {
    let env = world();
    assert_snapshot!(rendered(&env.run(["sessions"])), @r"
        exit 1
        --- err
        no sessions yet
        ");
    assert_eq!(ask(&env, 1, &["sessions", "--json"]), json!({"version": 1, "sessions": []}));
    send(&env, prompt("first", "hello"));
    send(&env, prompt("second", "hello"));
    send(&env, prompt("second", "hello again"));
    assert_snapshot!(rendered(&env.run(["sessions"])), @r#"
    exit 0
    --- out
    2     "hello"
          just now · <1 min · claude-code
    1     "hello"
          just now · <1 min · claude-code
    "#);
    let answer = ask(&env, 0, &["sessions", "--json", "-n", "1"]);
    assert_snapshot!(shape(&answer), @"{sessions: [{ended_at: null, events: number, host: text, host_session: text, id: number, last_event_at: text, memories: number, project: text, started_at: text, title: null}], version: number}");
    assert_eq!(fields(&answer["sessions"][0], ["host_session", "events"]), json!(["second", 2]));
}

#[test]
fn a_session_has_ended_until_it_is_resumed() {
    let env = world();
    let ended_at = || ask(&env, 0, &["sessions", "--json"])["sessions"][0]["ended_at"].take();
    send(&env, prompt("s", "hello"));
    assert_eq!(ended_at(), json!(null));
    send(&env, payload("s", "SessionEnd", json!({"reason": "other"})));
    assert_eq!(ended_at(), "2026-05-01T12:00:00Z");
    send(&env, prompt("s", "And now go on"));
    assert_eq!(ended_at(), json!(null));
}

#[test]
fn the_version_lists_commit_target_and_parts() {
    let env = world();
    let [short, long] = ["-V", "--version"].map(|flag| env.run([flag]).stdout);
    assert_eq!(short.trim_end(), concat!("backstory ", env!("CARGO_PKG_VERSION")));
    let (first, parts) = long.split_once('\n').unwrap();
    assert_eq!(first, short.trim_end(), "`doctor` reads the first line alone");
    let parts: Vec<(&str, &str)> = parts.lines().map(|line| line.split_once(':').unwrap()).collect();
    let names: Vec<&str> = parts.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["commit", "date", "target", "SQLite", "model"], "{long}");
    assert!(parts.iter().all(|(_, what)| !what.trim().is_empty()), "{long}");
}
