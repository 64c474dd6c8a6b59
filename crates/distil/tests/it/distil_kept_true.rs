//! What is known follows what happens later: failures are closed by any session, claims about code are retired with the code.

use crate::distil::{GREEN, RED};
use crate::recording::Recording;
use backstory_distil::{DistilTrigger, ProjectFiles};
use backstory_memory::{
    Content, Details, Kind, Memory, Provenance, Redacted, RejectionReason, Standing, StandingReason,
    Timestamp, WorkDetails,
};
use backstory_store::{MemoryOrigin, NewMemory, Pin, Verdict};

/// A session that leaves a failing test behind.
fn left_red() -> Recording {
    let mut story = Recording::new();
    story.asks("Run the tests.").fails("python3 -m unittest", RED);
    story.closes("One test fails.");
    story.ends();
    assert_eq!(story.only(Kind::Failure).standing, Standing::Confirmed, "{:?}", story.kinds());
    story
}

#[test]
fn a_failure_is_closed_when_the_same_test_passes_in_a_later_session() {
    let mut story = left_red();
    story
        .session("another branch")
        .asks("Run a part.")
        .runs("python3 -m unittest tests.test_other", GREEN)
        .closes("Green.");
    assert!(story.only(Kind::Failure).standing.is_live(), "a smaller run shows nothing");
    story.session("later").asks("Run the tests.").runs("python3 -m unittest -q", GREEN);
    story.checks_repeats();
    story.closes("All green.");
    let failure = story.only(Kind::Failure);
    assert_eq!((failure.standing, failure.standing_reason), (Standing::Retired, StandingReason::Fixed));
    assert!(failure.content.body.contains("Passed in a later session"), "{}", failure.content.body);
    assert!(!failure.content.body.contains("Not fixed"), "{}", failure.content.body);
}

/// Law 1: a hook without time closes nothing, and the next run that passes does.
#[test]
fn a_failure_that_there_was_no_time_to_close_is_closed_by_the_next_run() {
    let mut story = left_red();
    story.session("later").asks("Run the tests.").runs("python3 -m unittest", GREEN).says("Green.");
    story.distils_until(DistilTrigger::TurnEnd, Some(std::time::Instant::now()));
    assert!(story.only(Kind::Failure).standing.is_live());
    story.asks("Once more.").runs("python3 -m unittest", GREEN).closes("Green.");
    assert_eq!(story.only(Kind::Failure).standing_reason, StandingReason::Fixed);
}

/// A person who confirmed or pinned a failure says themselves when it is over.
#[test]
fn a_failure_that_a_person_has_taken_over_is_not_closed_by_a_green_run() {
    for is_pinned in [false, true] {
        let mut story = left_red();
        let before = story.only(Kind::Failure);
        if is_pinned {
            story.store.memories_mut().pin(before.id, Pin::Keep).unwrap();
        } else {
            story
                .store
                .memories_mut()
                .record_verdict(before.id, Verdict::Confirm, before.created_at)
                .unwrap();
        }
        story.session("later").asks("Run the tests.").runs("python3 -m unittest", GREEN).closes("Green.");
        let failure = story.only(Kind::Failure);
        assert_eq!(failure.standing, Standing::Confirmed, "pinned: {is_pinned}");
        assert_eq!(failure.content.body, before.content.body, "pinned: {is_pinned}");
    }
}

#[test]
fn what_was_done_between_is_the_fix_of_a_failure_met_again() {
    let mut story = left_red();
    story.session("later").asks("Fix it.").edits("src/notes.rs", "a", "b").fails("python3 -m unittest", RED);
    story.edits("src/a.rs", "1", "2").runs("python3 -m unittest", GREEN).closes("Fixed.");
    let failure = story.only(Kind::Failure);
    assert_eq!(failure.standing_reason, StandingReason::Fixed, "{:?}", failure.content.facts);
    let Some(Details::Failure(details)) = failure.content.details else { panic!("no failure") };
    assert_eq!(details.fix.expect("a fix").steps.files, ["src/a.rs"]);
}

#[test]
fn a_failure_that_comes_back_is_open_again() {
    let mut story = left_red();
    story.session("later").asks("Run the tests.").runs("python3 -m unittest", GREEN).closes("Green.");
    story.session("much later").asks("Run the tests.").fails("python3 -m unittest", RED).closes("Red.");
    let failure = story.only(Kind::Failure);
    assert_eq!((failure.standing, failure.times_seen), (Standing::Confirmed, 2));
    assert!(failure.content.body.contains("Not fixed"), "{}", failure.content.body);
}

const ANSWER: &str = "The charge stays pending because `payout` in `src/pay.rs` is a stub that returns at once, and the webhook \
     never marks it as paid.";

/// A session that finds out what was behind something.
fn explained() -> Recording {
    let mut story = Recording::new();
    story.session("report").asks("Charges stay pending for days, fix that.");
    story.creates("src/pay.rs", "fn payout() {}\n\nfn refund() {}\n").closes(ANSWER);
    story.ends();
    assert!(story.only(Kind::Fact).standing.is_live(), "{:?}", story.kinds());
    story
}

#[test]
fn a_cause_is_retired_with_the_symbol_it_names() {
    let mut story = explained();
    story.session("beside").asks("Log refunds.");
    story.creates("src/pay.rs", "fn payout() {}\n\nfn refund() { log(); }\n").closes("Logged.");
    assert!(story.only(Kind::Fact).standing.is_live(), "another symbol changed");
    story.session("later").asks("Settle charges.");
    story.creates("src/pay.rs", "fn payout() { charge(); }\n\nfn refund() { log(); }\n").closes("Paid.");
    assert_eq!(story.only(Kind::Fact).standing_reason, StandingReason::Changed);
}

#[test]
fn a_cause_is_retired_when_somebody_changes_its_file_by_hand() {
    let mut story = explained();
    std::fs::remove_file(story.root().join("src/pay.rs")).unwrap();
    story.session("later").asks("Thanks.").closes("You are welcome.");
    story.ends();
    assert_eq!(story.only(Kind::Fact).standing_reason, StandingReason::Changed);
}

#[test]
fn a_closing_message_is_not_believed_against_what_the_tools_printed() {
    let mut story = Recording::new();
    story.asks("Add rounding of refunds to whole cents.").edits("src/refund.py", "a", "b");
    story
        .fails("python3 -m unittest", RED)
        .fails("git commit -am 'Round refunds'", "error: pre-commit hook failed");
    story.closes(
        "Added rounding of refunds to whole cents. All tests pass. Committed the change as one commit.",
    );
    let is_work = |memory: &Memory| memory.content.kind.is_work();
    let work = story.memories().into_iter().find(is_work).expect("work").content;
    let body = work.body;
    assert_eq!(work.title, "Add rounding of refunds to whole cents");
    assert!(!body.contains("tests pass") && !body.contains("Committed"), "{body}");

    story
        .session("later")
        .asks("Add a limit to all refunds.")
        .edits("src/limit.py", "b", "c")
        .runs("python3 -m unittest", GREEN);
    story.closes("Added a limit to all refunds. All tests pass.");
    assert!(
        story.memories().iter().any(|it| it.content.body.contains("All tests pass")),
        "{:?}",
        story.kinds()
    );
}

#[test]
fn what_a_project_file_says_is_not_kept_again_and_what_contradicts_it_is_marked() {
    let mut story = Recording::new();
    let file = "# House rules\n\n- Never commit to main directly.\n- The app has 27 locales.\n";
    std::fs::write(story.root().join("CLAUDE.md"), file).unwrap();
    story.steers("Never commit to main directly.").closes("Noted.");
    assert_eq!(story.of_kind(Kind::Rule).len(), 0, "{:?}", story.kinds());
    let rejected = story.store.rejections().of_session(story.id()).unwrap();
    let why: Vec<_> = rejected.iter().map(|it| (it.reason, it.detail.as_deref())).collect();
    assert!(why.contains(&(RejectionReason::InProjectFile, Some("CLAUDE.md"))), "{why:?}");
    story.steers("Remember that the app has 31 locales.").closes("Noted.");
    let rule = story.only(Kind::Rule);
    assert_eq!(rule.standing, Standing::Confirmed);
    let root = story.root();
    let files = ProjectFiles::new(Some(&root));
    assert_eq!(files.contradiction(&rule.content.title).as_deref(), Some("CLAUDE.md says 27"));
    assert!(rule.content.facts.is_empty(), "the file may be mended: {:?}", rule.content.facts);
}

#[test]
fn a_commit_that_was_imported_before_gives_way_to_the_work_of_its_session() {
    let mut story = Recording::new();
    story.asks("Go on").says("Fine.");
    let project = story.store.sessions().get(story.id()).unwrap().unwrap().project;
    let work = WorkDetails { request: None, commits: vec!["1a2b3c4d5".into()] };
    let content = Content {
        provenance: Provenance::Import,
        details: Some(Details::WorkDone(work)),
        ..Content::new(Kind::Change, "Round refunds", "")
    };
    let memory = NewMemory {
        uid: None,
        project,
        origin: MemoryOrigin::default(),
        content: Redacted::vouch(content),
        created_at: Timestamp(1),
    };
    let imported = story.store.memories_mut().remember(&memory).unwrap();
    story.asks("Round refunds to cents.").edits("src/refund.py", "a", "b");
    story
        .runs("git commit -am 'Round refunds to cents'", "[main 1a2b3c4] Round refunds to cents")
        .closes("Done.");
    let imported = story.memories().into_iter().find(|memory| memory.id == imported).unwrap();
    assert!(matches!(imported.standing, Standing::Superseded(_)), "{:?}", story.kinds());
}

/// What was said for the moment is over once a commit does it; what forbids, or was confirmed, is not.
#[test]
fn a_report_or_wish_that_a_later_commit_covers_is_over() {
    let committed = "[main 1a2b3c4] Move the status line to the bottom of the window";
    let command = "git commit -am 'Move the status line to the bottom of the window'";
    for (said, is_confirmed, is_over) in [
        ("the status line should be at the bottom of the window", false, true),
        ("the status line should be at the bottom of the window", true, false),
        ("the status line should not be at the bottom of the window", false, false),
        ("the page of prices should be at the top", false, false),
    ] {
        let mut story = Recording::new();
        story.asks(said).closes("I see.");
        let rule = story.only(Kind::Rule);
        if is_confirmed {
            story.store.memories_mut().record_verdict(rule.id, Verdict::Confirm, rule.created_at).unwrap();
        }
        story.session("later").asks("Go on with the window.").runs(command, committed).closes("Done.");
        let rule = story.store.memories().get(rule.id).unwrap().unwrap();
        assert_eq!(rule.standing == Standing::Retired, is_over, "{said}: {rule:?}");
    }
}
