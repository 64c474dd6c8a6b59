//! The background writer through files: a request is written, an answer taken, the next session gets what holds of it.

use crate::support::{
    Worker, answer, ask, column, event, exits, fields, harmless, injected, rendered, world,
};
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
fn a_request_and_its_answer_go_through_files() {
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
    assert_snapshot!(rendered(&taken), @r"
        exit 0
        --- out
        session 1: taken; 3 kept, 0 of them proposed, 1 turned down
          #2 rule      The export writes UTF-8, never UTF-16
          #3 summary   The export writes UTF-8
          #4 handoff   Waiting for an answer: convert the old files as well
          turned down: The export writes UTF-32 (its quote stands nowhere in the evidence)
        1 answer taken
        --- err
        `[WORLD]/writer/nobody.json` is named like no session of this project
    ");
    let again = ask(&env, 0, &["distil", "--answers", folder, "--json"]);
    assert_eq!(fields(&again["answers"][0], ["outcome", "replaced"]), json!(["taken", []]));
    assert_eq!(column(&again["answers"][0]["rejected"], "reason"), json!(["false_quote"]));
    assert_snapshot!(rendered(&env.run(["distil", "--show"])), @r"
        exit 0
        --- out
        session 1 · s1
          #1 rule      From now on the export writes UTF-8, never UTF-16: the scales at the dock read nothing else (retired, by rules)
          #2 rule      The export writes UTF-8, never UTF-16 (confirmed, by model)
          #3 summary   The export writes UTF-8 (proposed, by model)
          #4 handoff   Waiting for an answer: convert the old files as well (proposed, by model)
          turned down: The export writes UTF-32 (its quote stands nowhere in the evidence)
    ");
    let notes = ask(&env, 0, &["distil", "--show", "--session", "s1", "--json"]);
    assert_eq!(column(&notes["rejected"], "writer"), json!(["model"]));

    let session = Worker::start(&env, &[]).get("/api/sessions/1");
    assert_eq!(
        fields(&session["rejected"][0], ["title", "reason", "writer", "memory"]),
        json!(["The export writes UTF-32", "false_quote", "model", null])
    );

    let next = event(&env, "s2", "SessionStart", json!({"source": "startup"}));
    let block = injected(&next);
    assert!(block.contains("The export writes UTF-8, never UTF-16") && !block.contains("UTF-32"), "{block}");
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
