//! A session has a title: what it committed, else its plan, else what it was mainly asked for.

use crate::recording::Recording;
use backstory_memory::{Activity, Provenance, Timestamp};

fn title(recording: &Recording) -> Option<String> {
    recording.store.sessions().get(recording.id()).unwrap().unwrap().title
}

fn commits(recording: &mut Recording, subject: &str, hash: &str) {
    recording.edits(&format!("src/{hash}.rs"), "a", "b");
    let output = format!("[main {hash}] {subject}\n 1 file changed, 1 insertion(+)");
    recording.runs(&format!("git commit -am '{subject}'"), &output);
    recording.closes("Committed.");
}

#[test]
fn a_session_is_titled_by_what_it_committed() {
    let mut recording = Recording::new();
    recording.checks_repeats();
    recording.asks("Please have a look at the uploader");
    recording.edits("src/upload.rs", "a", "b").closes("Changed.");
    assert_eq!(title(&recording).as_deref(), Some("Have a look at the uploader"));
    recording.asks("commit this");
    commits(&mut recording, "fix: retry uploads", "a1b2c3d");
    assert_eq!(title(&recording).as_deref(), Some("Retry uploads"));
    recording.asks("Now bound the queue of the worker");
    commits(&mut recording, "Bound the worker's queue", "b2c3d4e");
    assert_eq!(title(&recording).as_deref(), Some("Retry uploads; Bound the worker's queue"));
}

#[test]
fn without_a_commit_the_plan_or_the_main_request_names_it() {
    let mut recording = Recording::new();
    recording.asks("hi").closes("Hello!");
    assert_eq!(title(&recording), None, "small talk has no title");
    recording.asks("Where is the retry limit set?").closes("In config.rs.");
    recording.asks("Raise the retry limit to five").edits("config.rs", "3", "5").closes("Raised.");
    recording.asks("And what does the log say now?").closes("Nothing.");
    assert_eq!(title(&recording).as_deref(), Some("Raise the retry limit to five"));
    let plan = "# Plan: Bounded queues\n\n1. Count".to_owned();
    let decided = Activity::PlanDecided { plan, is_approved: true, feedback: String::new() };
    recording.asks("Plan the queue").happens(decided, Provenance::User).closes("Starting.");
    assert_eq!(title(&recording).as_deref(), Some("Bounded queues"));
}

#[test]
fn a_title_goes_with_what_is_forgotten() {
    let mut recording = Recording::new();
    recording.asks("Move the zyxquux to another host").closes("Where to?");
    assert_eq!(title(&recording).as_deref(), Some("Move the zyxquux to another host"));
    recording.store.memories_mut().forget_text("zyxquux", Timestamp(1_800_000_100_000)).unwrap();
    assert_eq!(title(&recording), None);
}
