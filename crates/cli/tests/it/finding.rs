//! `search`: its three forms, its filters, and what it says when there is nothing.

use crate::support::{
    answer, ask, done, harmless, hook, lines, run_in, shape, titles, told, without_numbers, world,
};
use backstory_testkit::TestEnv;
use insta::assert_snapshot;
use serde_json::json;
use std::fs;

fn library() -> TestEnv {
    let env = world();
    let at = |day: u32| format!("2026-04-{day:02}T08:00:00Z");
    let file = lines(
        &env,
        &[
            json!({"uid": "a", "kind": "decision", "title": "Cache the index in memory because the disk is slow and nobody waits", "body": "Measured on three machines.",
            "created_at": at(10), "files": ["src/cache/index.rs"], "project_path": env.project(), "session": "s-1", "host": "claude-code"}),
            json!({"uid": "b", "kind": "failure", "title": "The cache was never emptied", "body": "It grew without bound.",
            "created_at": at(20), "files": ["src/cache.rs"], "project_path": env.project()}),
            json!({"uid": "c", "kind": "rule", "title": "Empty every cache on shutdown", "body": "Empty every cache on shutdown",
            "created_at": at(29), "project_path": env.project()}),
            json!({"uid": "d", "kind": "note", "title": "The cache of another project", "body": "Elsewhere.", "created_at": at(5), "project": "elsewhere"}),
        ],
    );
    assert_eq!(env.run(["import", &file]).code, Some(0));
    env
}

#[test]
fn hits_are_told_in_words() {
    let env = library();
    let outcome = env.run(["search", "bound"]);
    assert_snapshot!(without_numbers(&told(&outcome), &["\n   It grew"]), @r"
        exit 0
        --- out
        #2 The cache was never emptied
           failure · project · 2026-04-20 · [N]
           It grew without bound.
        ");
}

#[test]
fn without_words_the_newest_are_listed() {
    assert_snapshot!(told(&library().run(["search"])), @r"
        exit 0
        --- out
        #3 Empty every cache on shutdown
           rule · project · 2026-04-29
        #2 The cache was never emptied
           failure · project · 2026-04-20
           It grew without bound.
        #1 Cache the index in memory because the disk is slow and nobody waits
           decision · project · 2026-04-10
           Measured on three machines.
        ");
}

/// As lore prints it: printf "  [%-8s] %-16s | %-40s | %-8s | %s | %s\n"
#[test]
fn compact_lines_have_the_columns_people_script_against() {
    let env = library();
    assert_snapshot!(told(&env.run(["search", "--compact", "--all-projects"])), @r"
        exit 0
        --- out
          [rule    ] 3                | Empty every cache on shutdown            | project  | 2026-04-29 | 0.00
          [failure ] 2                | The cache was never emptied              | project  | 2026-04-20 | 0.00
          [decision] 1                | Cache the index in memory because the di | project  | 2026-04-10 | 0.00
          [note    ] 4                | The cache of another project             | elsewhere | 2026-04-05 | 0.00
        ");
}

#[test]
fn hits_have_the_shape_others_script_against() {
    let env = library();
    let answer = ask(&env, 0, &["search", "disk", "--json"]);
    assert_snapshot!(shape(&answer), @r"
        {hits: [{confidence: number, created_at: text, host_session: text, id: number, importance: number, kind: text, pinned: bool, project: text, provenance: text, score: number, session: number, standing: text, superseded_by: null, title: text, tokens: number, uid: text}], read_as: [], strategy: text, version: number, when: null}
        ");
    let hit = &answer["hits"][0];
    assert_eq!((&hit["session"], &hit["host_session"]), (&json!(1), &json!("s-1")));
    assert_eq!((&hit["created_at"], &hit["provenance"]), (&json!("2026-04-10T08:00:00Z"), &json!("import")));
}

#[test]
fn filters_leave_out_what_does_not_fit() {
    let env = library();
    let check = |arguments: &[&str], expected: &[&str]| {
        let mut found = titles(&env, arguments);
        found.iter_mut().for_each(|title| title.truncate(11));
        assert_eq!(found, expected, "{arguments:?}");
    };
    let [cache, never, empty, another] = ["Cache the i", "The cache w", "Empty every", "The cache o"];
    check(&["--kind", "failure,pattern"], &[empty, never]);
    check(&["--kind", "failure", "--kind", "decision"], &[never, cache]);
    check(&["--since", "2026-04-20T08:00:00Z"], &[empty, never]);
    check(&["--until", "2026-04-20T08:00:00Z"], &[cache]);
    check(&["--since", "2w"], &[empty, never]);
    check(&["--since", "2026-04-15", "--until", "36h"], &[empty, never]);
    check(&["--file", "src/cache.rs"], &[never]);
    check(&["--file", "cache.rs"], &[never]);
    check(&["--file", "ache.rs"], &[]);
    check(&["--file", "index.rs", "cache"], &[cache]);
    check(&["--limit", "1"], &[empty]);
    check(&["-n", "1", "--offset", "1"], &[never]);
    check(&["--offset", "9"], &[]);
    check(&["--all-projects", "--kind", "note"], &[another]);
    check(&["--project", "elsewhere"], &[another]);
    check(&["--kind", "note"], &[]);
    check(&["--set", "search.limit=2"], &[empty, never]);
}

#[test]
fn nothing_found_is_a_no_and_says_where_else_to_look() {
    let env = library();
    assert_snapshot!(told(&env.run(["search", "xylophone"])), @r"
        exit 1
        --- err
        nothing found; `--all-projects` looks everywhere
        ");
    let outcome = env.run(["search", "xylophone", "--json"]);
    assert_eq!(
        (outcome.code, answer(&outcome)),
        (Some(1), json!({"version": 1, "strategy": "words", "read_as": [], "when": null, "hits": []}))
    );
    assert_snapshot!(told(&env.run(["search", "xylophone", "--all-projects"])), @r"
        exit 1
        --- err
        nothing found
        ");
    assert_snapshot!(told(&world().run(["search", "on", "a", "cold", "home"])), @r"
        exit 1
        --- err
        nothing found; `--all-projects` looks everywhere
        ");
}

#[test]
fn a_filter_that_means_nothing_is_refused_with_what_would() {
    let env = library();
    assert_snapshot!(told(&env.run(["search", "--since", "yesteryear"])), @r"
        exit 2
        --- err
        error: `yesteryear` is not a time

        hint: write 2026-05-01, 36h, 7d or 2w
        ");
    assert_snapshot!(told(&env.run(["search", "--kind", "wish"])), @r"
        exit 2
        --- err
        error: invalid value 'wish' for '--kind <KIND>'
          [possible values: rule, decision, fact, failure, goal, note, feature, bugfix, refactor, change, discovery, summary, handoff]

        For more information, try '--help'.
        ");
    assert_snapshot!(told(&env.run(["search", "--project", "atlantis"])), @r"
        exit 1
        --- err
        error: there is no project `atlantis`

        hint: `backstory project list` shows them all
        ");
    assert_eq!(env.run(["search", "--limit", "-1"]).code, Some(2));
    assert_eq!(env.run(["search", "--compact", "--json"]).code, Some(2));
    assert_eq!(env.run(["search", "--project", "x", "--all-projects"]).code, Some(2));
}

#[test]
fn what_a_title_hides_does_not_reach_the_screen() {
    let env = world();
    done(
        &env,
        &[
            "remember",
            "Red \u{1b}[31malert\u{1b}[0m \u{202e}backwards",
            "--title",
            "Bell\u{7} and\u{1b}]0;pwned\u{7} title",
        ],
    );
    for arguments in [&["search"][..], &["search", "--compact"], &["show", "1"], &["timeline"]] {
        let outcome = env.run(arguments);
        assert_eq!(outcome.code, Some(0));
        let unseen = |c: char| (c.is_control() && c != '\n' && c != '\t') || c == '\u{202e}';
        assert!(!outcome.stdout.contains(unseen), "{arguments:?}: {outcome:?}");
    }
}

#[test]
fn no_name_from_outside_brings_escapes_to_the_screen() {
    let env = world();
    let nasty = "\u{1b}[2Jnasty\u{202e}";
    let event = json!({"session_id": nasty, "hook_event_name": format!("{nasty}\n"), "tool_name": nasty, "cwd": env.project()});
    harmless(&hook(&env, event.to_string()));
    let good = json!({"title": "One", "provenance": format!("team:{nasty}"), "host": nasty, "session": nasty, "project": nasty});
    let bad = json!({"title": "Two", "scope": nasty});
    assert_eq!(env.run(["import", &lines(&env, &[good, bad])]).code, Some(1));
    let folder = format!("{nasty}/deeper");
    assert_eq!(run_in(&env, &folder, &["status"]).code, Some(0));
    fs::write(env.world().join(&folder).join(".backstory.toml"), "[search]\nlimit = 3\n").unwrap();
    for arguments in [
        &["status"][..],
        &["show", "1"],
        &["sessions", "--all-projects"],
        &["project", "list"],
        &["config"],
        &["search", "--all-projects"],
        &["import", &env.project().join("memories.jsonl").display().to_string()],
    ] {
        let outcome = run_in(&env, &folder, arguments);
        let unseen = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(
            !outcome.stdout.contains(unseen) && !outcome.stderr.contains(unseen),
            "{arguments:?}: {outcome:?}"
        );
    }
}
