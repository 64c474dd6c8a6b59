//! What the rules turn down is noted with its reason, once, and only what was decided there.

use crate::recording::Recording;
use backstory_distil::DistilTrigger;
use backstory_memory::{Activity, Provenance};

/// Kind, reason and text of what was turned down in the session.
fn turned_down(recording: &Recording) -> Vec<String> {
    let noted = recording.store.rejections().of_session(recording.id()).unwrap();
    noted.iter().map(|one| format!("{} {}: {}", one.kind, one.reason, one.text)).collect()
}

#[test]
fn a_sentence_that_sets_no_rule_is_noted_with_its_reason() {
    let mut recording = Recording::new();
    recording.checks_repeats();
    recording.asks("Rename the worker to dispatcher. Is the queue bounded? Always branch off main. Thanks!");
    recording.closes("Renamed the worker to dispatcher.");
    assert_eq!(
        turned_down(&recording),
        [
            "rule task_order: Rename the worker to dispatcher.",
            "rule question: Is the queue bounded?",
            "change only_claimed: Rename the worker to dispatcher",
        ]
    );
    assert_eq!(recording.kinds(), ["rule: Always branch off main"]);
}

#[test]
fn a_failure_without_an_error_and_a_slip_are_noted() {
    let mut recording = Recording::new();
    recording.asks("Make the build pass");
    recording.fails("./build.sh", "").edits("build.sh", "a", "b").runs("./build.sh", "");
    recording.closes("Done.");
    let noted = turned_down(&recording);
    assert!(noted.iter().any(|one| one.starts_with("failure no_error_line: ./build.sh")), "{noted:?}");
}

#[test]
fn an_answer_that_cannot_be_understood_is_noted_as_no_decision() {
    let mut recording = Recording::new();
    recording.asks("How shall we store the sessions?");
    recording.closes("Two options:\n1. Keep them in SQLite\n2. Keep them in memory\nWhich one?");
    recording.asks("whatever is cheaper");
    recording.closes("I would take the first.");
    let noted = turned_down(&recording);
    assert!(noted.contains(&"decision unclear_choice: whatever is cheaper".to_owned()), "{noted:?}");
}

#[test]
fn what_is_known_in_other_words_is_noted_with_the_memory_that_says_it() {
    let mut recording = Recording::new();
    recording.asks("Always run the linter before a commit.");
    recording.closes("I will.");
    let known = recording.memories()[0].id;
    recording.session("s2").asks("Please always run linter before every commit.");
    recording.closes("Sure.");
    let noted = recording.store.rejections().of_session(recording.id()).unwrap();
    let noted: Vec<_> = noted.iter().map(|one| (one.reason.as_str(), one.detail.clone())).collect();
    assert_eq!(noted, [("already_known", Some(format!("#{known}")))]);
}

#[test]
fn a_prompt_that_was_stopped_and_sent_again_counts_once() {
    let mut recording = Recording::new();
    recording.asks("Always keep the queue bounded in the new worker");
    recording.happens(Activity::Interrupted, Provenance::User);
    recording.asks("Always keep the queue bounded in the new worker pool");
    recording.says("Done.").distils(DistilTrigger::TurnEnd);
    let noted = turned_down(&recording);
    assert!(
        noted.contains(&"rule overtaken: Always keep the queue bounded in the new worker".to_owned()),
        "{noted:?}"
    );
}
