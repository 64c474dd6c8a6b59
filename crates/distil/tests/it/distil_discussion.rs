//! What is only talked through: kept as a note, where there is something to keep.

use crate::recording::Recording;
use backstory_distil::DistilTrigger;
use backstory_memory::{Kind, Provenance};

const PLAN: &str = "Let's design the sign-in. I have JWT in mind, tokens in httpOnly cookies, and refresh token rotation for security.";
const ANSWER: &str = "Here is the design. Access tokens live for 15 minutes and are signed with HS256, refresh tokens are opaque, stored hashed in \
                      the sessions table and rotated on each use; logging out deletes the row, so a stolen cookie dies with it.";

#[test]
fn a_plan_that_was_talked_through_is_one_note_of_both_sides() {
    let mut story = Recording::new();
    story.asks(PLAN).closes(ANSWER);
    story.distils(DistilTrigger::SessionEnd);
    let note = story.only(Kind::Note);
    assert!(note.content.body.contains("refresh token rotation") && note.content.body.contains("HS256"));
    assert_eq!((note.content.provenance, note.content.importance.get()), (Provenance::Assistant, 1));
}

#[test]
fn what_holds_nothing_of_its_own_is_no_note() {
    for (prompt, said) in [
        ("ok, go on", ANSWER),
        (PLAN, "Sounds good."),
        (
            "How does refresh token rotation work with httpOnly cookies, and why is it safer than local storage?",
            ANSWER,
        ),
        (
            "You are Claude Code, an agent. You must design the sign-in with JWT, httpOnly cookies and refresh token rotation.",
            ANSWER,
        ),
    ] {
        let mut story = Recording::new();
        story.asks(prompt).closes(said);
        assert_eq!(story.of_kind(Kind::Note), [], "{prompt}");
    }
}

#[test]
fn work_is_kept_as_work_and_not_as_talk() {
    let mut story = Recording::new();
    story.asks(PLAN).edits("src/auth.rs", "fn a() {}", "fn a() { rotate() }").closes(ANSWER);
    assert_eq!(story.of_kind(Kind::Note), [], "{:?}", story.kinds());
}

#[test]
fn a_question_about_the_work_at_hand_is_talk_too() {
    let mut story = Recording::new();
    story.asks("How should we store the refresh tokens of our sign-in?").closes(ANSWER);
    assert!(story.only(Kind::Note).content.body.contains("stored hashed"));
}

#[test]
fn who_puts_one_thing_right_does_not_take_the_whole_talk_back() {
    let mut story = Recording::new();
    story
        .asks("Let's plan the sign-in. We use HS256 tokens, httpOnly cookies and refresh token rotation.")
        .closes(ANSWER);
    story.asks("No, we use RS256 tokens for the sign-in, not HS256.").closes("Understood.");
    assert!(story.only(Kind::Note).standing.is_live(), "{:?}", story.kinds());
}

#[test]
fn what_is_stated_in_talk_stands_in_its_own_memory_alone() {
    let mut story = Recording::new();
    story.asks("We deploy the frontend to Heroku from the main branch. Let's design the sign-in next: JWT, httpOnly cookies and refresh token rotation.").closes(ANSWER);
    let note = story.only(Kind::Note);
    assert!(
        !note.content.body.contains("Heroku") && !note.content.title.contains("Heroku"),
        "{:?}",
        note.content
    );
    assert!(note.content.body.contains("JWT"), "{}", note.content.body);
}

#[test]
fn questions_alone_are_no_session_to_sum_up() {
    let mut story = Recording::new();
    for (prompt, said) in [
        ("what does our retry limit mean for the mailer?", "It bounds how often a job is tried again."),
        ("where do we set the retry limit?", "In the settings of the worker."),
        ("how do we raise the limit for one job?", "By an argument of the job itself."),
        ("which of our jobs raise the limit?", "The mailer, I would think."),
    ] {
        story.asks(prompt).closes(said);
    }
    story.ends();
    assert_eq!(story.of_kind(Kind::Summary), []);
}

#[test]
fn a_summary_opens_with_the_first_request() {
    let mut story = Recording::new();
    story.asks("The invoices page wants a footer").edits("a.py", "", "x").closes("Added the footer.");
    story.asks("Where is the header set?").looks("b.py").closes("The header is set in b.py.");
    story.ends();
    let body = story.only(Kind::Summary).content.body;
    assert!(
        body.starts_with("Request: The invoices page wants a footer; Where is the header set?"),
        "{body}"
    );
}
