//! `project`: which there are, what they are called, and making one of two.

use crate::support::{ask, done, done_in, remember, rendered, run_in, shape, titles, world};
use insta::assert_snapshot;
use serde_json::json;

#[test]
fn a_project_is_shown_and_listed() {
    let env = world();
    assert_snapshot!(rendered(&env.run(["project"])), @r"
        exit 1
        --- err
        this folder would be project `project`; nothing is known of it yet
        ");
    assert_snapshot!(rendered(&env.run(["project", "list"])), @r"
        exit 1
        --- err
        no projects yet: the first memory or session of a folder makes one
        ");
    assert_eq!(ask(&env, 1, &["project", "show", "--json"]), json!({"version": 1, "projects": []}));
    remember(&env, "The first");
    done_in(&env, "other", &["remember", "The first of another"]);
    assert_snapshot!(rendered(&env.run(["project", "show"])), @r"
        exit 0
        --- out
        1    project                       1 memory       0 sessions  [WORLD]/project
        ");
    assert_snapshot!(rendered(&env.run(["project", "list"])), @r"
        exit 0
        --- out
        1    project                       1 memory       0 sessions  [WORLD]/project
        2    other                         1 memory       0 sessions  [WORLD]/other
        ");
    let answer = ask(&env, 0, &["project", "list", "--json"]);
    assert_snapshot!(shape(&answer), @"{projects: [{id: number, keys: [text], last_active_at: text, memories: number, name: text, parent: null, roots: [text], sessions: number}], version: number}");
    assert_eq!(answer["projects"].as_array().map(Vec::len), Some(2));
    for wanted in ["other", "OTHER", "2", "#2", "../other"] {
        assert_eq!(ask(&env, 0, &["project", "show", wanted, "--json"])["projects"][0]["id"], 2, "{wanted}");
    }
    assert_snapshot!(rendered(&env.run(["project", "show", "atlantis"])), @r"
        exit 1
        --- err
        error: there is no project `atlantis`

        hint: `backstory project list` shows them all
        ");
}

#[test]
fn a_project_can_be_renamed() {
    let env = world();
    remember(&env, "The first");
    assert_snapshot!(rendered(&env.run(["project", "rename", "project", "lighthouse"])), @r"
        exit 0
        --- out
        1    lighthouse                    1 memory       0 sessions  [WORLD]/project
        ");
    assert_eq!(
        ask(&env, 0, &["project", "rename", "lighthouse", "beacon", "--json"])["projects"][0]["name"],
        "beacon"
    );
    assert_snapshot!(rendered(&env.run(["project", "rename", "beacon", " "])), @r"
        exit 2
        --- err
        error: a project needs a name

        hint: `backstory project rename PROJECT NAME`
        ");
    assert_eq!(env.run(["project", "rename", "atlantis", "x"]).code, Some(1));
}

#[test]
fn a_name_of_two_projects_is_ambiguous() {
    let env = world();
    done_in(&env, "a/site", &["remember", "The first"]);
    done_in(&env, "b/site", &["remember", "The second"]);
    assert_snapshot!(rendered(&env.run(["project", "show", "site"])), @r"
        exit 1
        --- err
        error: 2 projects are called `site`

        hint: say `1` for the one in `[WORLD]/a/site`
        hint: say `2` for the one in `[WORLD]/b/site`
        ");
}

#[test]
fn merging_makes_one_project_of_two() {
    let env = world();
    done_in(&env, "old", &["remember", "Written in the old folder"]);
    remember(&env, "Written in the new one");
    assert_snapshot!(rendered(&env.run(["project", "merge", "old", "project"])), @r"
        exit 2
        --- err
        error: merging cannot be undone

        hint: pass `--yes` to confirm
        ");
    assert_snapshot!(rendered(&env.run(["project", "merge", "old", "project", "--yes"])), @r"
        exit 0
        --- out
        `old` is now part of `project`
        ");
    assert_eq!(titles(&env, &[]).len(), 2);
    assert_eq!(run_in(&env, "old", &["search", "new"]).code, Some(0), "the old folder is part of it now");
    assert_snapshot!(rendered(&env.run(["project", "merge", "project", "project", "--yes"])), @r"
        exit 1
        --- err
        error: `project` and `project` are the same project

        hint: `backstory project list` shows them all
        ");
    done_in(&env, "third", &["remember", "A third"]);
    assert_eq!(
        ask(&env, 0, &["project", "merge", "third", "project", "--yes", "--json"])["projects"][0]["memories"],
        3
    );
}

#[test]
fn a_hostile_name_takes_one_line() {
    let env = world();
    remember(&env, "The first");
    done(&env, &["project", "rename", "project", "two\nlines\u{1b}[31m"]);
    for arguments in [&["project", "list"][..], &["search", "--compact"]] {
        let outcome = env.run(arguments);
        assert_eq!((outcome.code, outcome.stdout.lines().count()), (Some(0), 1), "{outcome:?}");
    }
    assert_eq!(env.run(["search"]).stdout.lines().count(), 2);
}
