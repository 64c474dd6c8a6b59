//! `remember`: what it takes, what it guesses, what it refuses.

use crate::support::{ask, done, done_in, fields, remember, rendered, shape, shown, world};
use insta::assert_snapshot;
use serde_json::json;

#[test]
fn a_memory_is_written_and_its_id_printed() {
    let env = world();
    assert_snapshot!(rendered(&env.run(["remember", "We decided to use SQLite instead of Postgres"])), @r"
        exit 0
        --- out
        #1 decision We decided to use SQLite instead of Postgres
        ");
    let answer = ask(&env, 0, &["remember", "--json", "The staging server is called heron"]);
    assert_snapshot!(shape(&answer), @"{id: number, kind: text, ok: bool, uid: text}");
    assert_eq!(fields(&answer, ["ok", "id", "kind"]), json!([true, 2, "note"]));
}

#[test]
fn the_kind_is_guessed_failure_before_rule_before_decision_before_note() {
    let env = world();
    let check = |text, kind: &str| {
        assert_eq!(ask(&env, 0, &["remember", "--json", text])["kind"], kind, "{text}");
    };
    check("The deploy failed because we always use nightly", "failure");
    check("Always pin the toolchain since releases choose it", "rule");
    check("We chose tabs over spaces", "decision");
    check("Bob sits next to the window", "note");
    let goal = ask(&env, 0, &["remember", "--json", "--kind", "goal", "Ship before the failing deadline"]);
    assert_eq!(goal["kind"], "goal");
}

#[test]
fn a_memory_can_be_an_argument_standard_input_or_an_object() {
    let env = world();
    assert_eq!(env.run_with(["remember", "-"], "From a pipe\nwith a second line\n").code, Some(0));
    assert_eq!(env.run_with(["remember"], "From a pipe nobody named").code, Some(0));
    let object = json!({"kind": "learning", "title": "From an object", "body": "With a body", "category": "gotcha",
        "files": ["src/a.rs"], "facts": ["one"], "concepts": ["two"], "importance": 5, "confidence": 0.5,
        "pinned": true, "scope": "user", "created_at": "2026-01-02T03:04:05Z", "uid": "obj-1"});
    // As the user: what an agent pipes in is neither pinned nor about every project.
    done(&env, &["remember", &object.to_string()]);

    let [pipe, unnamed, shown] = ["1", "2", "3"].map(|id| shown(&env, id));
    let texts = json!(["From a pipe", "From a pipe\nwith a second line\n"]);
    assert_eq!(fields(&pipe, ["title", "body"]), texts);
    assert_eq!(unnamed["title"], "From a pipe nobody named");
    let mut expected = object;
    expected["kind"] = json!("fact");
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(shown[key], *value, "{key}");
    }
}

#[test]
fn flags_set_the_other_fields_of_a_memory() {
    let env = world();
    let flags = "--title Locks --file src/lock.rs --concept locking --importance 4 --pin --everywhere --kind learning";
    let flags: Vec<&str> = flags.split(' ').chain(["--fact", "one writer"]).collect();
    done(&env, &[&["remember", "SQLite has one writer"], flags.as_slice()].concat());
    assert_snapshot!(rendered(&env.run(["show", "1"])), @r"
        exit 0
        --- out
        #1 Locks
        fact · project · 2026-05-01 12:00 (just now) · from user
        importance 4 · confidence 1.00 · seen 1× · used 0×
        pinned

        SQLite has one writer

        facts
          - one writer

        concepts
          - locking

        files
          - src/lock.rs
        ");
    assert_eq!(shown(&env, "1")["scope"], "user");
}

#[test]
fn a_near_duplicate_is_refused_with_the_id_of_the_other() {
    let env = world();
    remember(&env, "We decided to use SQLite instead of Postgres");
    let again = "we decided to use SQLite, instead of Postgres!";
    assert_snapshot!(rendered(&env.run(["remember", again])), @r"
        exit 1
        --- err
        error: memory #1 says nearly the same

        hint: `--force` writes it all the same
        hint: `backstory revise 1` changes the one that is there
        ");
    let refused = env.run(["remember", "--json", again]);
    assert_eq!(refused.code, Some(1));
    assert_snapshot!(refused.stdout, @r#"{"ok":false,"code":"near_duplicate","error":"memory #1 says nearly the same","hints":["`--force` writes it all the same","`backstory revise 1` changes the one that is there"],"existing_id":1}"#);
    assert_eq!(ask(&env, 0, &["remember", "--json", "--force", again])["id"], 2);
}

/// Nearly all words are the same, and the meaning is not.
#[test]
fn another_number_object_or_negation_is_no_duplicate() {
    let env = world();
    for text in [
        "Always run make lint before committing",
        "Never run make lint before committing",
        "The API times out after 30 seconds",
        "The API times out after 60 seconds",
        "Never delete rows in the orders table",
        "Never delete rows in the invoices table",
    ] {
        remember(&env, text);
    }
    for service in 0..20 {
        let team = service % 4;
        remember(
            &env,
            &format!(
                "Service number {service} listens on port {} and is owned by team {team}",
                9000 + service
            ),
        );
    }
    assert_eq!(env.run(["remember", "The API times out after 60 seconds!"]).code, Some(1));
}

#[test]
fn a_forgotten_memory_is_refused_unless_forced() {
    let env = world();
    remember(&env, "The old password policy");
    done(&env, &["forget", "1", "--yes"]);
    assert_snapshot!(rendered(&env.run(["remember", "The old password policy"])), @r"
        exit 1
        --- err
        error: this was forgotten on purpose and stays out

        hint: `backstory remember --force` writes it all the same
        ");
    let refused = ask(&env, 1, &["remember", "--json", "The old password policy"]);
    assert_eq!(refused["existing_id"], json!(null));
    assert_eq!(ask(&env, 0, &["remember", "--json", "--force", "The old password policy"])["id"], 2);
}

#[test]
fn a_memory_without_words_is_refused() {
    let env = world();
    assert_snapshot!(rendered(&env.run(["remember", "  \n "])), @r#"
        exit 1
        --- err
        error: a memory needs a title or a body

        hint: give the text as an argument or on standard input: `backstory remember "we use tabs"`
        "#);
    for arguments in [&["remember"][..], &["remember", ""], &["remember", "-"], &["remember", "{}"]] {
        assert_eq!(env.run(arguments).code, Some(1), "{arguments:?}");
    }
    assert_eq!(ask(&env, 1, &["remember", "--json", ""])["ok"], false);
}

#[test]
fn a_handoff_without_words_is_refused() {
    let env = world();
    assert_snapshot!(rendered(&env.run(["handoff", " "])), @r#"
        exit 1
        --- err
        error: a handoff needs words

        hint: `backstory handoff "TEXT"` writes one; without a text it prints the newest
        "#);
}

#[test]
fn a_broken_object_is_refused_with_a_hint_about_the_brace() {
    let env = world();
    assert_snapshot!(rendered(&env.run(["remember", "{{ braces }} must be doubled in templates"])), @r"
        exit 1
        --- err
        error: not a memory: key must be a string at column 2

        hint: a text that begins with `{` is read as JSON; begin it with a word if it is none
        ");
    assert_snapshot!(rendered(&env.run(["remember", r#"{"broken"#])), @r"
        exit 1
        --- err
        error: not a memory: the JSON breaks off before its end

        hint: a text that begins with `{` is read as JSON; begin it with a word if it is none
        ");
    assert_snapshot!(rendered(&env.run(["remember", r#"{"kind":"wish","body":"x"}"#])), @r"
        exit 2
        --- err
        error: `wish` is not a kind

        hint: kinds are rule, decision, fact, failure, goal, note, feature, bugfix, refactor, change, discovery, summary, handoff
        ");
    assert_eq!(env.run(["remember", r#"{"body":"x","created_at":"soonish"}"#]).code, Some(1));
    assert_eq!(env.run(["remember", "x", "--kind", "wish"]).code, Some(2));
    assert_eq!(env.run(["remember", "x", "--importance", "6"]).code, Some(2));
}

#[test]
fn a_uid_in_use_is_refused_with_the_id_of_its_memory() {
    let env = world();
    done(&env, &["remember", r#"{"uid":"u-1","body":"Cats sleep on the radiator"}"#]);
    let other = r#"{"uid":"u-1","body":"The quarterly numbers are late"}"#;
    assert_eq!(ask(&env, 1, &["remember", "--json", other])["existing_id"], 1);
    assert_eq!(env.run(["remember", "--force", other]).code, Some(1), "a uid belongs to one memory");
}

#[test]
fn a_memory_goes_to_the_named_project() {
    let env = world();
    remember(&env, "The first of this project");
    done(&env, &["project", "rename", "project", "lighthouse"]);
    done_in(&env, "elsewhere", &["remember", "--project", "lighthouse", "Written from afar"]);
    assert_eq!(shown(&env, "2")["project"], "lighthouse");
}

#[test]
fn an_object_names_its_project_and_cannot_supersede() {
    let env = world();
    let folder = env.world().join("elsewhere");
    std::fs::create_dir(&folder).unwrap();
    done(
        &env,
        &["remember", &json!({"body": "Written for another folder", "project_path": folder}).to_string()],
    );
    assert_eq!(shown(&env, "1")["project"], "elsewhere");
    assert_snapshot!(rendered(&env.run(["remember", r#"{"body":"New","supersedes":"old"}"#])), @r"
        exit 2
        --- err
        error: `remember` replaces nothing, and the JSON says `supersedes`

        hint: `backstory supersede ID TEXT` does; `backstory import` takes `supersedes`
        ");
}
