//! The background writer through files: a request is written, an answer taken, the next session is given what holds of it.

use crate::support::{answer, ask, column, event, exits, fields, harmless, injected, rendered, world};
use backstory_testkit::TestEnv;
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::fs;

/// A session with a rule of the user in it.
fn session(env: &TestEnv) {
    let rule = "From now on the export writes UTF-8, never UTF-16: the scales at the dock read nothing else";
    harmless(&event(env, "s1", "SessionStart", json!({"source": "startup"})));
    harmless(&event(env, "s1", "UserPromptSubmit", json!({"prompt": rule, "prompt_id": "1"})));
    let closing = "The export writes UTF-8 now. Shall I convert the old files as well?";
    harmless(&event(env, "s1", "Stop", json!({"last_assistant_message": closing})));
    harmless(&event(env, "s1", "SessionEnd", json!({"reason": "other"})));
}

fn answered() -> Value {
    let note = |kind: &str, title: &str, quote: &str| {
        json!({"kind": kind, "title": title, "body": "The scales at the dock read nothing else.", "quote": quote,
            "needed_when": "someone changes the export", "evidence": ["t1"], "files": []})
    };
    json!({
        "summary": {"title": "The export writes UTF-8", "request": "UTF-8 in the export", "done": "export switched"},
        "handoff": {"state": "done", "where": "export writes UTF-8", "next_steps": [], "open_questions": ["convert the old files as well?"]},
        "add": [
            note("constraint", "The export writes UTF-8, never UTF-16", "the export writes UTF-8, never UTF-16"),
            note("constraint", "The export writes UTF-32", "the export writes UTF-32"),
        ],
        "change": [],
    })
}

#[test]
fn a_session_is_asked_about_and_answered_through_files() {
    let env = world();
    session(&env);
    let folder = env.world().join("writer");
    let folder = folder.to_str().unwrap();
    let written = ask(&env, 0, &["distil", "--requests", folder, "--json"]);
    assert_eq!(column(&written["requests"], "host_session"), json!(["s1"]));
    let request: Value =
        serde_json::from_str(&fs::read_to_string(format!("{folder}/s1.json")).unwrap()).unwrap();
    assert_eq!(request["session"], "s1");
    assert!(request["prompt"].as_str().unwrap().contains("t1 U: From now on the export writes UTF-8"));
    assert!(request["schema"]["properties"]["add"].is_object());

    // The answer may be wrapped, and stands in a file of the same name.
    fs::write(format!("{folder}/s1.json"), json!({"session": "s1", "answer": answered()}).to_string())
        .unwrap();
    fs::write(format!("{folder}/nobody.json"), "{}").unwrap();
    let taken = env.run(["distil", "--answers", folder, "--show"]);
    let taken = rendered(&taken).replace(folder, "DIR");
    assert_snapshot!(taken, @"");
    let again = ask(&env, 0, &["distil", "--answers", folder, "--json"]);
    assert_eq!(fields(&again["answers"][0], ["outcome", "replaced"]), json!(["taken", []]));
    assert_eq!(column(&again["answers"][0]["rejected"], "reason"), json!(["false_quote"]));
    assert_snapshot!(rendered(&env.run(["distil", "--show"])), @"");
    let notes = ask(&env, 0, &["distil", "--show", "--session", "s1", "--json"]);
    assert_eq!(column(&notes["rejected"], "writer"), json!(["model"]));

    let next = event(&env, "s2", "SessionStart", json!({"source": "startup"}));
    let given = injected(&next);
    assert!(given.contains("The export writes UTF-8, never UTF-16") && !given.contains("UTF-32"), "{given}");
}

#[test]
fn a_folder_that_is_not_there_is_said() {
    let env = world();
    session(&env);
    exits(&env, 1, &["distil", "--answers", "nowhere"], "cannot read");
    let refused = env.run(["distil", "--requests", "a", "--answers", "b"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert_eq!(
        answer(&env.run(["distil", "--requests", "a", "--session", "s1", "--json"]))["requests"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}
