//! Vectors in the product: who makes them, when, and that nothing of a forgotten memory stays in them.

use crate::support::{ask, count, done, import, lines, prompt, remember, rendered, send, world};
use backstory_testkit::TestEnv;
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

/// A world in which vectors are made.
fn with_vectors() -> TestEnv {
    world().with("BACKSTORY_RECALL_VECTORS", "true")
}

fn file(env: &TestEnv) -> PathBuf {
    env.home().join("vectors")
}

/// Whether any row of the vector file holds anything: the header and the first directory take two pages.
fn has_rows(env: &TestEnv) -> bool {
    fs::read(file(env)).unwrap().iter().skip(2 * 4096).any(|byte| *byte != 0)
}

fn waiting(env: &TestEnv) -> u64 {
    count(env, "vectors_waiting")
}

fn two_memories(env: &TestEnv) -> String {
    lines(env, &[json!({"body": "We use tabs"}), json!({"body": "The build needs Docker"})])
}

#[test]
fn a_memory_that_is_written_or_changed_gets_its_vectors() {
    let env = with_vectors();
    remember(&env, "We use tabs");
    assert!(has_rows(&env));
    let before = fs::read(file(&env)).unwrap();
    done(&env, &["revise", "1", "We use spaces"]);
    assert_ne!(fs::read(file(&env)).unwrap(), before);
    done(&env, &["supersede", "1", "We let the formatter decide"]);
    assert_eq!((waiting(&env), count(&env, "superseded")), (0, 1));
}

#[test]
fn unknown_words_are_reported_above_hits_by_meaning() {
    let env = with_vectors();
    remember(&env, "We use tabs");
    remember(&env, "The cat sleeps on the sofa all day");
    let near = env.run(["search", "kitten"]);
    assert!(near.code == Some(0) && near.stderr.contains("no memory says `kitten`"), "{near:?}");
    for query in ["tabs", "kitten tabs", ""] {
        let found = env.run(["search", query]);
        assert!(found.code == Some(0) && !found.stderr.contains("nearest in meaning"), "{found:?}");
    }
}

/// The words of such a question stand in no memory, and need not: it asks for a list.
#[test]
fn a_list_that_is_wanted_is_not_called_near() {
    let env = with_vectors();
    import(
        &env,
        &[
            json!({"kind": "decision", "body": "We use tabs"}),
            json!({"kind": "handoff", "body": "The sofa page still lacks a cat"}),
        ],
    );
    done(&env, &["make-vectors"]);
    for query in ["review all decisions", "where were we"] {
        let found = env.run(["search", query]);
        assert!(found.code == Some(0) && !found.stderr.contains("nothing fits"), "{query}: {found:?}");
    }
}

#[test]
fn a_forgotten_memory_leaves_nothing_in_the_vector_file() {
    let env = with_vectors();
    remember(&env, "We use tabs");
    let answer = ask(&env, 0, &["forget", "1", "--yes", "--json"]);
    assert_eq!(answer["remains_in"], json!([]));
    assert!(!has_rows(&env));
}

#[test]
fn forgetting_with_vectors_off_still_clears_the_vector_file() {
    let env = with_vectors();
    remember(&env, "We use tabs");
    done(&env, &["--set", "recall.vectors=false", "forget", "1", "--yes"]);
    assert!(!has_rows(&env));
}

#[test]
fn forgetting_names_a_vector_file_that_is_in_use() {
    let env = with_vectors();
    remember(&env, "We use tabs");
    let lock = fs::OpenOptions::new().write(true).open(env.home().join("vectors.lock")).unwrap();
    lock.lock().unwrap();
    let answer = ask(&env, 0, &["forget", "1", "--yes", "--json"]);
    let named = answer["remains_in"][0].as_str().unwrap();
    assert!(named.ends_with("/vectors") && has_rows(&env), "{answer}");
    drop(lock);
    remember(&env, "Something else");
    assert_eq!(waiting(&env), 0, "the next command takes it out");
}

#[test]
fn an_import_makes_vectors_unless_a_flag_says_not_to() {
    let env = with_vectors();
    let file_of_two = two_memories(&env);
    done(&env, &["import", &file_of_two, "--no-vectors"]);
    assert_eq!((waiting(&env), file(&env).exists()), (2, false));
    assert_snapshot!(rendered(&env.run(["index", "--vectors"])), @r"
        exit 0
        --- out
        made the vectors of 2 memories
        ");
    assert_eq!(waiting(&env), 0);
    import(&env, &[json!({"body": "Deploys happen on Fridays"})]);
    assert_eq!((waiting(&env), count(&env, "memories")), (0, 3));
}

#[test]
fn index_makes_missing_vectors_and_with_the_flag_all() {
    let env = with_vectors();
    done(&env, &["import", &two_memories(&env), "--no-vectors"]);
    let plain = ask(&env, 0, &["index", "--json"]);
    assert_eq!(plain, json!({"ok": true, "memories": 2, "embedded": 2, "vectors_waiting": 0}));
    assert_eq!(ask(&env, 0, &["index", "--json"])["embedded"], 0);
    let anew = ask(&env, 0, &["index", "--vectors", "--json"]);
    assert_eq!(anew, json!({"ok": true, "memories": 0, "embedded": 2, "vectors_waiting": 0}));
}

#[test]
fn status_and_doctor_say_how_to_make_missing_vectors() {
    let env = with_vectors();
    done(&env, &["import", &two_memories(&env), "--no-vectors"]);
    let status = env.run(["status"]).stdout;
    let line = status.lines().find(|line| line.starts_with("vectors")).unwrap();
    assert_snapshot!(line, @"vectors    2 memories without; `backstory index --vectors` makes them; words");
    assert_snapshot!(rendered(&env.run(["doctor"])), @r"
        exit 0
        --- out
        the store is sound
        2 memories without a vector yet; `backstory index --vectors` makes them; words find all of them already
        ");
    fs::remove_file(file(&env)).ok();
    assert_eq!(ask(&env, 0, &["maintain", "--json"])["embedded"], 2);
    assert_eq!(ask(&env, 0, &["doctor", "--full", "--json"])["vectors_waiting"], 0);
}

#[test]
fn vectors_can_be_turned_off() {
    let env = world();
    remember(&env, "We use tabs");
    done(&env, &["import", &two_memories(&env)]);
    done(&env, &["maintain"]);
    assert!(!file(&env).exists());
    assert_snapshot!(rendered(&env.run(["index", "--vectors"])), @r"
        exit 2
        --- err
        error: vectors are turned off

        hint: set `recall.vectors = true`
        ");
}

/// Capture must cost nothing: vectors are made when a turn has ended and not before, and never while the host waits.
#[test]
fn a_capture_hook_does_not_touch_vectors_and_the_end_of_a_turn_has_them_made() {
    let env = with_vectors();
    send(&env, prompt("s", "We always use tabs, never spaces, in this repository."));
    let used: Value = json!({"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash",
        "tool_use_id": "t", "tool_input": {"command": "ls"}, "tool_response": {"stdout": "a.rs"}});
    send(&env, used.to_string());
    assert!(env.files().iter().all(|path| !path.to_string_lossy().contains("vectors")));
    send(&env, json!({"session_id": "s", "hook_event_name": "Stop"}).to_string());
    env.wait_for_background();
    assert!(count(&env, "memories") > 0 && has_rows(&env));
    assert_eq!(waiting(&env), 0);
}

#[test]
fn of_many_turns_that_end_one_process_makes_the_vectors() {
    let env = with_vectors();
    remember(&env, "The build needs Docker");
    let others = fs::OpenOptions::new().write(true).open(env.home().join("vectors.embedding")).unwrap();
    others.lock().unwrap();
    send(&env, prompt("s", "We always use tabs, never spaces, in this repository."));
    send(&env, json!({"session_id": "s", "hook_event_name": "Stop"}).to_string());
    assert_eq!(env.processes(), Vec::<PathBuf>::new(), "somebody makes them already");
    assert!(waiting(&env) > 0);
    drop(others);
    send(&env, prompt("s", "Dates are always written in UTC here."));
    send(&env, json!({"session_id": "s", "hook_event_name": "Stop"}).to_string());
    env.wait_for_background();
    assert_eq!(waiting(&env), 0);
}
