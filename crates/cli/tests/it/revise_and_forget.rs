//! `revise`, `supersede`, `forget`, `pin`: changing memories, and losing no more than intended.

use crate::support::{
    ask, assert_absent, column, done, fields, import, prompt, remember, rendered, run_in, send, shown,
    titles, world,
};
use insta::assert_snapshot;
use serde_json::json;

#[test]
fn revising_keeps_the_old_text_as_a_revision() {
    let env = world();
    remember(&env, "We use tabs because of Go");
    assert_snapshot!(rendered(&env.run(["revise", "1", "We use four spaces because of Python"])), @r"
        exit 0
        --- out
        #1 decision We use four spaces because of Python
        ");
    let revised = ask(&env, 0, &["revise", "1", "--json", "We use two spaces because of the linter"]);
    assert_eq!(fields(&revised, ["ok", "id", "kind"]), json!([true, 1, "decision"]));
    let memory = &shown(&env, "1");
    assert_eq!(memory["body"], "We use two spaces because of the linter");
    let before = json!(["We use four spaces because of Python", "We use tabs because of Go"]);
    assert_eq!(column(&memory["revisions"], "body"), before);
    assert_eq!(titles(&env, &["tabs"]), Vec::<String>::new(), "old words find nothing");
    assert_eq!(titles(&env, &["linter"]), ["We use two spaces because of the linter"]);
}

#[test]
fn a_superseded_memory_cannot_be_superseded_again() {
    let env = world();
    remember(&env, "We deploy with Jenkins");
    done(&env, &["supersede", "1", "We deploy with Actions"]);
    assert_snapshot!(rendered(&env.run(["supersede", "1", "We deploy by hand"])), @r"
        exit 1
        --- err
        error: memory #1 was superseded by #2

        hint: #2 holds in its place: `backstory supersede 2 TEXT` replaces that
        ");
    assert_eq!(ask(&env, 1, &["supersede", "1", "We deploy by hand", "--json"])["existing_id"], 2);
}

#[test]
fn changing_a_memory_of_another_project_prints_a_note() {
    let env = world();
    remember(&env, "We deploy with Jenkins");
    let changes: [&[&str]; 5] = [
        &["pin", "1"],
        &["revise", "1", "We deploy with Jenkins nightly"],
        &["supersede", "1", "We deploy with Actions"],
        &["pin", "2", "--off", "--json"],
        &["forget", "1", "2", "--yes"],
    ];
    for change in changes {
        let outcome = run_in(&env, "other", change);
        assert_eq!(outcome.code, Some(0), "{change:?}: {outcome:?}");
        assert!(outcome.stderr.contains("is of another project, `project`"), "{change:?}: {outcome:?}");
    }
    remember(&env, "We deploy by hand");
    assert_eq!(env.run(["pin", "3"]).stderr, "");
}

#[test]
fn revising_one_field_leaves_the_others() {
    let env = world();
    done(
        &env,
        &["remember", "Deploys run on Friday", "--file", "ci.yml", "--fact", "at noon", "--importance", "2"],
    );
    let revise = |arguments: &[&str]| {
        done(&env, &[&["revise", "1"], arguments].concat());
        shown(&env, "1")
    };
    assert_eq!(revise(&["--importance", "5"])["importance"], 5);
    assert_eq!(revise(&["--pin"])["pinned"], true);
    assert_eq!(revise(&["--everywhere"])["scope"], "user");
    assert_eq!(revise(&["--kind", "pattern"])["kind"], "rule");
    assert_eq!(revise(&["--title", "When we deploy"])["title"], "When we deploy");
    assert_eq!(revise(&[r#"{"category":"release","confidence":0.25}"#])["category"], "release");
    let memory = revise(&["--concept", "release"]);
    let expected = json!({"title": "When we deploy", "body": "Deploys run on Friday", "files": ["ci.yml"],
        "facts": ["at noon"], "concepts": ["release"], "importance": 5, "confidence": 0.25, "pinned": true});
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(memory[key], *value, "{key}");
    }
}

#[test]
fn only_new_words_of_the_user_raise_the_provenance_of_a_memory() {
    let env = world();
    let stranger = json!({"uid": "w", "kind": "note", "body": "A page said so", "provenance": "web"});
    import(&env, &[stranger]);
    let provenance = || shown(&env, "1")["provenance"].clone();
    for arguments in [&["--pin"][..], &["--title", "Said so"], &[r#"{"importance":5}"#]] {
        assert_eq!(env.run([&["revise", "1"], arguments].concat()).code, Some(0));
        assert_eq!(provenance(), "web", "{arguments:?}");
    }
    done(&env, &["revise", "1", "I checked it myself"]);
    assert_eq!(provenance(), "user");
}

#[test]
fn revising_without_words_or_without_the_memory_is_refused() {
    let env = world();
    remember(&env, "Something");
    assert_snapshot!(rendered(&env.run(["revise", "1"])), @r#"
        exit 1
        --- err
        error: a memory needs words

        hint: `backstory revise 1 "NEW TEXT"`
        "#);
    assert_snapshot!(rendered(&env.run(["revise", "9", "x"])), @r"
        exit 1
        --- err
        error: there is no memory #9

        hint: `backstory search WORDS` finds memories and their numbers
        ");
}

#[test]
fn a_superseded_memory_is_hidden_from_search() {
    let env = world();
    remember(&env, "We decided to deploy with Jenkins");
    assert_snapshot!(rendered(&env.run(["supersede", "1", "We deploy with Actions"])), @r"
        exit 0
        --- out
        #2 decision We deploy with Actions
        ");
    assert_eq!(titles(&env, &["deploy"]), ["We deploy with Actions"]);
    assert_eq!(titles(&env, &["deploy", "--superseded"]).len(), 2);
    assert_snapshot!(rendered(&env.run(["show", "1"])), @r"
    exit 0
    --- out
    #1 We decided to deploy with Jenkins
    decision · project · 2026-05-01 12:00 (just now) · from user
    importance 3 · confidence 1.00 · seen 1× · used 0×

    superseded by #2 We deploy with Actions
    ");
    let answer = ask(&env, 0, &["supersede", "2", "--json", "We deploy by hand now"]);
    assert_eq!(fields(&answer, ["ok", "id", "kind"]), json!([true, 3, "decision"]));
    assert_eq!(env.run(["supersede", "99", "x"]).code, Some(1));
}

#[test]
fn forgotten_words_cannot_return_by_superseding_or_revising() {
    let env = world();
    remember(&env, "The vault code is on the fridge");
    remember(&env, "Lunch is at noon");
    done(&env, &["forget", "1", "--yes"]);
    for command in ["supersede", "revise"] {
        let outcome = env.run([command, "2", "The vault code is on the fridge"]);
        assert_eq!(outcome.code, Some(1), "{command}: {outcome:?}");
    }
    assert_eq!(titles(&env, &["vault"]), Vec::<String>::new());
}

#[test]
fn a_memory_is_pinned_until_it_is_unpinned() {
    let env = world();
    remember(&env, "Keep me in view");
    assert_snapshot!(rendered(&env.run(["pin", "1"])), @r"
        exit 0
        --- out
        #1 is pinned
        ");
    assert_eq!(ask(&env, 0, &["pin", "1", "--json"]), json!({"ok": true, "id": 1, "pinned": true}));
    assert_eq!(shown(&env, "1")["pinned"], true);
    assert_snapshot!(rendered(&env.run(["pin", "1", "--off"])), @r"
        exit 0
        --- out
        #1 is no longer pinned
        ");
    assert_eq!(shown(&env, "1")["pinned"], false);
    assert_eq!(env.run(["pin", "9"]).code, Some(1));
}

#[test]
fn forgetting_needs_a_confirmation() {
    let env = world();
    remember(&env, "Not yet");
    assert_snapshot!(rendered(&env.run(["forget", "1"])), @r"
        exit 2
        --- err
        #1 note Not yet
        error: forgetting cannot be undone

        hint: pass `--yes` to confirm
        ");
    assert_eq!(titles(&env, &["yet"]), ["Not yet"]);
    assert_eq!(env.run(["forget"]).code, Some(2));
}

#[test]
fn no_file_holds_a_forgotten_memory() {
    let env = world();
    let id = remember(&env, "Zanzibarquagmire is the word nobody may find again");
    done(&env, &["revise", "1", "Zanzibarquagmire is a word nobody may find again, revised"]);
    done(&env, &["supersede", "1", "Flibbertigibbetish replaces zanzibarquagmire"]);
    done(&env, &["maintain", "--set", "retention.backups=2"]);
    assert!(!env.files_holding(b"anzibarquagmire").is_empty(), "it was there");
    assert_eq!(env.run(["forget", "77", &id.to_string(), "--yes"]).code, Some(1), "all or none");
    assert_snapshot!(rendered(&env.run(["forget", "1", "2", "2", "--yes"])), @r"
        exit 0
        --- out
        forgot 2 memories
        ");
    for word in ["zanzibarquagmire", "Zanzibarquagmire", "libbertigibbetish"] {
        assert_absent(&env, word);
    }
    assert_eq!(env.run(["show", "1"]).code, Some(1));
    let json = ask(&env, 0, &["forget", &remember(&env, "Another").to_string(), "--yes", "--json"]);
    assert_eq!(
        json,
        json!({"ok": true, "forgotten": [3], "events": 0, "revived": [], "mentioned_in": [], "remains_in": []})
    );
    backstory_testkit::held("A06", 11, 2, "memories forgotten by the command leave no byte");
}

/// SEC-12: events leave the database when they are old, and backups keep them longer.
#[test]
fn a_phrase_that_only_a_backup_says_is_forgotten_there_too() {
    let env = world();
    send(&env, prompt("s", "the zanzibarquagmire is none of your business"));
    done(&env, &["maintain", "--set", "retention.backups=2"]);
    let live = rusqlite::Connection::open(env.home().join("backstory.db")).unwrap();
    live.execute_batch("PRAGMA secure_delete = ON; DELETE FROM events; PRAGMA wal_checkpoint(TRUNCATE)")
        .unwrap();
    drop(live);
    assert_eq!(env.run(["forget", "--text", "zanzibarquagmire is"]).code, Some(1));
    assert!(!env.files_holding(b"zanzibarquagmire").is_empty(), "nobody confirmed it");
    assert_eq!(env.run(["forget", "--text", "zanzibarquagmire is", "--yes"]).code, Some(1));
    assert_absent(&env, "zanzibarquagmire");
    backstory_testkit::held("A06", 11, 1, "phrases left in a backup alone leave no byte");
}

/// SEC-12: what no memory came from is forgotten by its words, or by its number.
#[test]
fn prompts_are_forgotten_by_their_words_and_by_their_number() {
    let env = world();
    send(&env, prompt("s", "the zanzibarquagmire is none of your business"));
    send(&env, prompt("s", "look at the flibbertigibbet"));
    remember(&env, "Nothing to see here");
    done(&env, &["maintain", "--set", "retention.backups=2"]);
    assert_snapshot!(rendered(&env.run(["forget", "--text", "ZANZIBARquagmire  is"])), @r"
        exit 2
        --- err
        event 1 prompt just now: the zanzibarquagmire is none of your business
        error: forgetting cannot be undone

        hint: pass `--yes` to confirm
        ");
    assert_eq!(env.run(["forget", "--text", "nobody said this"]).code, Some(1));
    assert_eq!(env.run(["forget", "--text", "a "]).code, Some(2));
    assert_eq!(env.run(["forget", "1", "--text", "nothing"]).code, Some(2));
    assert_snapshot!(rendered(&env.run(["forget", "--text", "zanzibarquagmire is", "--yes"])), @r"
        exit 0
        --- out
        forgot 1 event
        ");
    assert_absent(&env, b"anzibarquagmire");
    assert_snapshot!(rendered(&env.run(["forget", "--event", "99", "--yes"])), @r"
        exit 1
        --- err
        error: there is no event 99

        hint: `backstory forget --text WORDS` finds events by what they say
        ");
    let json = ask(&env, 0, &["forget", "--event", "2", "--yes", "--json"]);
    assert_eq!((&json["forgotten"], &json["events"]), (&json!([]), &json!(1)));
    assert_absent(&env, b"libbertigibbet");
    assert_eq!(titles(&env, &["nothing"]), ["Nothing to see here"]);
    backstory_testkit::held("A06", 11, 2, "forgotten prompts leave no byte");
}
