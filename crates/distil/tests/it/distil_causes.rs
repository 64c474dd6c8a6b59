//! What a session leaves of a problem the user reported: its cause, unless the user says that it was another.

use crate::recording::Recording;
use backstory_memory::{Kind, Standing};

const CAUSE: &str = "Mended. The problem was that `flush_all()` waited for a lock that nobody released.";

#[test]
fn the_cause_of_what_the_user_reported_is_a_fact_once_nobody_takes_it_back() {
    let mut story = Recording::new();
    story.asks("Uploads fail with a 500, please fix that").edits("upload.py", "a", "b").closes(CAUSE);
    assert_eq!(story.of_kind(Kind::Fact).len(), 0, "the user has not seen it yet");
    story.ends();
    let fact = story.only(Kind::Fact);
    assert_eq!(fact.content.title, "flush_all() waited for a lock that nobody released");
    assert_eq!(fact.standing, Standing::Proposed);
}

#[test]
fn a_cause_that_the_user_takes_back_is_none() {
    let mut story = Recording::new();
    story.asks("Uploads fail with a 500, please fix that").edits("upload.py", "a", "b").closes(CAUSE);
    story.asks("still the same 500").looks("upload.py").closes("Let me look again at the proxy.");
    story.ends();
    assert_eq!(story.of_kind(Kind::Fact).len(), 0, "{:?}", story.kinds());
}

#[test]
fn a_cause_under_its_heading_counts_for_what_was_reported_before() {
    let mut story = Recording::new();
    story
        .asks("Since the move nobody can log in, and mails do not arrive either")
        .closes("I will look at it.");
    story.asks("please go on").runs("ssh root@shop.example 'nginx -s reload'", "").closes(
        "## Fixed\n\n### The problem\nThe proxy sent every path under `/auth/` to the search service. That broke it.\n\n### Done\nUpdated the proxy to send `/auth/` to the shop.",
    );
    story.ends();
    let fact = story.only(Kind::Fact);
    assert_eq!(fact.content.title, "The proxy sent every path under /auth/ to the search service");
    assert!(
        fact.content.body.contains("Reported: Since the move nobody can log in"),
        "{}",
        fact.content.body
    );
}

#[test]
fn an_explanation_that_changed_nothing_is_no_cause() {
    let mut story = Recording::new();
    story.asks("Why is the list empty on the first page?").looks("list.ts");
    story.closes("The list is empty because `load_page()` counts from 1.");
    story.ends();
    assert_eq!(story.of_kind(Kind::Fact).len(), 0, "{:?}", story.kinds());
}

#[test]
fn a_failure_is_titled_by_the_cause_that_the_agent_names_beside_the_fix() {
    let mut story = Recording::new();
    story.asks("the nightly run is red again, look at it");
    let red = "running 2 tests\ntest prices::tests::rounds ... FAILED\n\nthread 'prices::tests::rounds' panicked at src/prices.rs:7:5:\nassertion `left == right` failed\n  left: 3\n right: 2\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored";
    story.fails("cargo test", red).edits("src/prices.rs", "a.round()", "a.floor()");
    story.runs("cargo test", "running 2 tests\n\ntest result: ok. 2 passed; 0 failed; 0 ignored");
    story.closes(
        "Green.\n\n1. **Rounding** — The prices were rounded twice because the cart rounds them already.",
    );
    story.ends();
    assert_eq!(story.of_kind(Kind::Fact).len(), 0, "it is said once: {:?}", story.kinds());
    let failure = story.only(Kind::Failure);
    assert_eq!(failure.content.title, "The prices were rounded twice because the cart rounds them already");
    assert!(failure.content.body.contains("Fixed by editing src/prices.rs"), "{}", failure.content.body);
}
