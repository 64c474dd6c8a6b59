//! `search`: its three forms, its filters, and what it says when there is nothing.

use crate::support::{
    ask, done, done_in, fields, import, lines, payload, rendered, run_in, send, shape, titles,
    without_numbers, world,
};
use backstory_testkit::{ProgramOutput, TestEnv};
use insta::assert_snapshot;
use serde_json::json;
use std::fs;

fn library() -> TestEnv {
    let env = world();
    let at = |day: u32| format!("2026-04-{day:02}T08:00:00Z");
    import(
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
    env
}

#[test]
fn hits_are_printed_for_people() {
    let env = library();
    let outcome = env.run(["search", "bound"]);
    assert_snapshot!(without_numbers(&rendered(&outcome), &["\n   It grew"]), @r"
    exit 0
    --- out
    #2 The cache was never emptied
       failure · project · 11 days ago · [N]
       It grew without bound.
    ");
}

#[test]
fn without_words_the_newest_are_listed() {
    assert_snapshot!(rendered(&library().run(["search"])), @r"
    exit 0
    --- out
    #3 Empty every cache on shutdown
       rule · project · 2 days ago
    #2 The cache was never emptied
       failure · project · 11 days ago
       It grew without bound.
    #1 Cache the index in memory because the disk is slow and nobody waits
       decision · project · 3 weeks ago
       Measured on three machines.
    ");
}

/// S0.4, S0.5: as lore prints it: printf "  [%-8s] %-16s | %-40s | %-8s | %s | %s\n"
#[test]
fn compact_lines_have_fixed_columns() {
    let env = library();
    assert_snapshot!(rendered(&env.run(["search", "--compact", "--all-projects"])), @r"
        exit 0
        --- out
          [rule    ] 3                | Empty every cache on shutdown            | project  | 2026-04-29 | 0.00
          [failure ] 2                | The cache was never emptied              | project  | 2026-04-20 | 0.00
          [decision] 1                | Cache the index in memory because the di | project  | 2026-04-10 | 0.00
          [note    ] 4                | The cache of another project             | elsewhere | 2026-04-05 | 0.00
        ");
}

#[test]
fn hits_have_a_fixed_json_shape() {
    let env = library();
    let answer = ask(&env, 0, &["search", "disk", "--json"]);
    assert_snapshot!(shape(&answer), @"{fits: bool, hits: [{confidence: number, created_at: text, host_session: text, id: number, importance: number, kind: text, pinned: bool, project: text, provenance: text, score: number, session: number, standing: text, standing_reason: text, superseded_by: null, title: text, tokens: number, uid: text}], read_as: [], strategy: text, version: number, when: null}");
    let hit = &answer["hits"][0];
    assert_eq!(fields(hit, ["session", "host_session"]), json!([1, "s-1"]));
    assert_eq!(fields(hit, ["created_at", "provenance"]), json!(["2026-04-10T08:00:00Z", "import"]));
}

#[test]
fn every_filter_narrows_the_search() {
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
fn finding_nothing_exits_with_1_and_says_where_else_to_look() {
    let env = library();
    assert_snapshot!(rendered(&env.run(["search", "xylophone"])), @r"
        exit 1
        --- err
        nothing found; `--all-projects` looks everywhere
        ");
    let nothing =
        json!({"version": 1, "strategy": "words", "fits": false, "read_as": [], "when": null, "hits": []});
    assert_eq!(ask(&env, 1, &["search", "xylophone", "--json"]), nothing);
    assert_snapshot!(rendered(&env.run(["search", "xylophone", "--all-projects"])), @r"
        exit 1
        --- err
        nothing found
        ");
    assert_snapshot!(rendered(&world().run(["search", "on", "a", "cold", "home"])), @r"
        exit 1
        --- err
        nothing found; `--all-projects` looks everywhere
        ");
}

#[test]
fn an_invalid_filter_is_refused_with_valid_values() {
    let env = library();
    assert_snapshot!(rendered(&env.run(["search", "--since", "yesteryear"])), @r"
        exit 2
        --- err
        error: `yesteryear` is not a time

        hint: write 2026-05-01, yesterday, monday, 36h, 7d or 2w
        ");
    assert_snapshot!(rendered(&env.run(["search", "--kind", "wish"])), @r"
        exit 2
        --- err
        error: invalid value 'wish' for '--kind <KIND>'
          [possible values: rule, decision, fact, failure, goal, note, feature, bugfix, refactor, change, discovery, summary, handoff]

        For more information, try '--help'.
        ");
    assert_eq!(env.run(["search", "--limit", "-1"]).code, Some(2));
    assert_eq!(env.run(["search", "--compact", "--json"]).code, Some(2));
    assert_eq!(env.run(["search", "--project", "x", "--all-projects"]).code, Some(2));
}

/// Asserts that a run prints nothing a terminal would act on, or not show.
fn assert_visible(outcome: &ProgramOutput) {
    let is_unseen = |letter: char| letter.is_control() && letter != '\n' || letter == '\u{202e}';
    assert!(!outcome.stdout.contains(is_unseen) && !outcome.stderr.contains(is_unseen), "{outcome:?}");
}

#[test]
fn control_characters_do_not_reach_the_screen() {
    let env = world();
    let title = "Bell\u{7} and\u{1b}]0;pwned\u{7} title";
    done(&env, &["remember", "Red \u{1b}[31malert\u{1b}[0m \u{202e}backwards", "--title", title]);
    for arguments in [&["search"][..], &["search", "--compact"], &["show", "1"], &["timeline"]] {
        let outcome = env.run(arguments);
        assert_eq!(outcome.code, Some(0));
        assert_visible(&outcome);
    }
    let nasty = "\u{1b}[2Jnasty\u{202e}";
    send(&env, payload(nasty, &format!("{nasty}\n"), json!({"tool_name": nasty, "cwd": env.project()})));
    let good = json!({"title": "One", "provenance": format!("team:{nasty}"), "host": nasty, "session": nasty, "project": nasty});
    let bad = json!({"title": "Two", "scope": nasty});
    let file = lines(&env, &[good, bad]);
    assert_eq!(env.run(["import", &file]).code, Some(1));
    let folder = format!("{nasty}/deeper");
    done_in(&env, &folder, &["status"]);
    fs::write(env.world().join(&folder).join(".backstory.toml"), "[search]\nlimit = 3\n").unwrap();
    for arguments in [
        &["status"][..],
        &["show", "2"],
        &["sessions", "--all-projects"],
        &["project", "list"],
        &["config"],
        &["search", "--all-projects"],
        &["import", &file],
    ] {
        assert_visible(&run_in(&env, &folder, arguments));
    }
}
