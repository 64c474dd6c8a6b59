//! `why --missing`: whether something was captured, what became of it, and why it became no memory.

use crate::support::{ask, column, done, event, fields, harmless, rendered, world};
use backstory_testkit::TestEnv;
use insta::assert_snapshot;
use serde_json::json;

/// A turn: a prompt, and what the agent said in the end.
fn turn(env: &TestEnv, session: &str, prompt: &str) {
    harmless(&event(env, session, "UserPromptSubmit", json!({"prompt_id": prompt, "prompt": prompt})));
    harmless(&event(env, session, "Stop", json!({"last_assistant_message": "Done."})));
}

#[test]
fn what_is_missed_is_explained_on_one_screen() {
    let env = world();
    turn(&env, "s", "Rename the worker to dispatcher. The dispatcher should log to stderr.");
    assert_snapshot!(rendered(&env.run(["why", "--missing", "renaming", "the", "worker"])), @r#"
        exit 0
        --- out
        "renaming the worker" became no memory. Captured in 1 event.

        Turned down
        2026-05-01  "Rename the worker to dispatcher."
               no rule: it asked for one task, and set no rule

        Made from the same message
        #1     rule      The dispatcher should log to stderr
               proposed: you said it, perhaps for that moment only; `backstory confirm 1` puts it in force

        Where it was said
        2026-05-01  prompt in session 1 (event 1): "Rename the worker to dispatcher. The dispatcher should log to stderr."
        "#);
    assert_snapshot!(rendered(&env.run(["why", "--missing", "logs to stderr"])), @r#"
        exit 0
        --- out
        "logs to stderr" is remembered. Captured in 1 event.

        What it became
        #1     rule      The dispatcher should log to stderr
               proposed: you said it, perhaps for that moment only; `backstory confirm 1` puts it in force

        Where it was said
        2026-05-01  prompt in session 1 (event 1): "Rename the worker to dispatcher. The dispatcher should log to stderr."
        "#);
    assert_snapshot!(rendered(&env.run(["why", "--missing", "kubernetes"])), @r#"
        exit 1
        --- err
        "kubernetes" was never captured in this project
        hint: `--all-projects` looks elsewhere
        hint: `backstory doctor` checks whether hooks run; what was forgotten leaves no trace
        "#);
}

#[test]
fn what_was_pasted_is_distinguished_from_what_was_typed() {
    let env = world();
    turn(
        &env,
        "s",
        "Here is the mail:\n\n> From: the customer\n> the invoices must be archived for nine years\n",
    );
    let answer = ask(&env, 0, &["why", "--missing", "invoices archived", "--json"]);
    assert_eq!(fields(&answer, ["answer", "captured"]), json!(["pasted", 1]));
}

#[test]
fn law_8_another_project_is_looked_at_only_on_request() {
    let env = world();
    let elsewhere = env.project().join("../elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    let said = json!({"prompt_id": "1", "prompt": "Rename the worker to dispatcher", "cwd": elsewhere});
    harmless(&event(&env, "other", "UserPromptSubmit", said));
    let stopped = json!({"last_assistant_message": "Done.", "cwd": elsewhere});
    harmless(&event(&env, "other", "Stop", stopped));
    assert_eq!(ask(&env, 1, &["why", "--missing", "dispatcher", "--json"])["answer"], "unknown");
    let answer = ask(&env, 0, &["why", "--missing", "dispatcher", "--all-projects", "--json"]);
    assert_eq!(column(&answer["rejections"], "reason"), json!(["task_order"]));
}

#[test]
fn what_was_forgotten_leaves_no_trace() {
    let env = world();
    turn(&env, "s", "Rename the worker to dispatcher");
    done(&env, &["forget", "--text", "dispatcher", "--yes"]);
    assert_eq!(ask(&env, 1, &["why", "--missing", "dispatcher", "--json"])["answer"], "unknown");
}
