//! Where the work stands: what a handoff says is open, in flight, failing or done, and that only the newest is in force.

use crate::distil::RED;
use crate::recording::Recording;
use backstory_distil::DistilTrigger;
use backstory_memory::{Activity, Details, Kind, Provenance, TaskState};

#[test]
fn a_handoff_says_what_is_open() {
    let mut story = Recording::new();
    story
        .asks("Add invoices: model, page and tests")
        .edits("model.py", "", "class Invoice: pass")
        .plans(&[("Add the model", true), ("Add the page", false), ("Write tests", false)])
        .fails("python3 -m unittest", RED)
        .closes("Added the invoice model.\n\nShould invoices be numbered per year or per customer?");
    story.happens(Activity::Compacting { instructions: String::new() }, Provenance::Tool);
    story.distils(DistilTrigger::Compaction);
    let handoff = story.only(Kind::Handoff).content;
    assert_eq!(handoff.title, "Still failing: test_last");
    for part in ["Next steps: Add the page; Write tests", "per year or per customer", "test_last"] {
        assert!(handoff.body.contains(part), "{part} is missing in:\n{}", handoff.body);
    }
}

#[test]
fn a_handoff_says_nothing_is_open_only_where_nothing_is() {
    let title = |message: &str, later: &[(&str, &str)]| {
        let mut story = Recording::new();
        story.asks("Add the model").edits("a.py", "", "x").closes(message);
        for (prompt, said) in later {
            story.asks(prompt).closes(said);
        }
        story.distils(DistilTrigger::SessionEnd);
        story.only(Kind::Handoff).content.title
    };
    let added = "Added the model.";
    assert_eq!(title(added, &[]), "Done: Add the model");
    assert_eq!(
        title("Added the model.\n\n## Next steps\n- Add the page\n- Write the docs", &[]),
        "Next: Add the page"
    );
    assert_eq!(title(added, &[("thanks", "You're welcome!")]), "Done: Add the model");
}

#[test]
fn a_handoff_names_the_last_request_and_what_is_in_flight() {
    let mut story = Recording::new();
    story.asks("Add the model").edits("a.py", "", "x").closes("Added the model.");
    story.asks("Please move the toolbar to the bottom of the list").looks("list.py");
    story.happens(Activity::Interrupted, Provenance::User);
    story.distils(DistilTrigger::SessionEnd);
    let handoff = story.only(Kind::Handoff).content;
    assert_eq!(handoff.title, "In progress: Move the toolbar to the bottom of the list");
    assert!(handoff.body.contains("Last done: Add the model"), "{}", handoff.body);
}

#[test]
fn law_12_what_is_in_flight_is_not_said_to_be_done() {
    let request = "Add retries to the mailer and show the queue";
    let handoff = |tasks: &[(&str, TaskState)]| {
        let mut story = Recording::new();
        story.asks(request).edits("mailer.py", "", "x");
        for (text, state) in tasks {
            story.happens(task(text, *state), Provenance::Assistant);
        }
        story.happens(Activity::Interrupted, Provenance::User);
        story.distils(DistilTrigger::SessionEnd);
        let Some(Details::Handoff(handoff)) = story.only(Kind::Handoff).content.details else { panic!() };
        assert_eq!(handoff.in_flight, [request]);
        (handoff.last_done, handoff.done)
    };
    assert_eq!(handoff(&[]), (None, vec![]));
    let tasks = [("Add retries", TaskState::Done), ("Show the queue", TaskState::Open)];
    assert_eq!(handoff(&tasks).1, ["Add retries"], "what was finished is kept");
}

fn task(text: &str, state: TaskState) -> Activity {
    Activity::TaskChanged { id: text.to_owned(), text: text.to_owned(), state }
}

#[test]
fn law_12_only_the_newest_handoff_of_a_branch_is_in_force() {
    let mut story = Recording::new();
    story.asks("Add the model").edits("a.py", "", "x").closes("Added the model.");
    story.ends();
    story.session("later").asks("Add the page").edits("b.py", "", "y").closes("Added the page.");
    story.ends();
    let handoffs = story.of_kind(Kind::Handoff).into_iter().filter(|handoff| handoff.standing.is_live());
    let live: Vec<String> = handoffs.map(|handoff| handoff.content.title).collect();
    assert_eq!(live, ["Done: Add the page"]);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "git needs the machine's PATH, and nothing else of it")]
fn work_that_is_not_committed_is_open() {
    let mut story = Recording::new();
    let mut git = std::process::Command::new("git");
    git.args(["init", "--quiet"]).current_dir(story.root()).env_clear();
    git.envs(std::env::var_os("PATH").map(|path| ("PATH", path))).env("HOME", story.root());
    if !git.status().is_ok_and(|it| it.success()) {
        eprintln!("SKIPPED: there is no git on this machine");
        return;
    }
    story.asks("Add the model").creates("a.py", "x = 1\n").closes("Added the model.");
    story.distils(DistilTrigger::SessionEnd);
    let handoff = story.only(Kind::Handoff).content;
    assert_eq!(handoff.title, "Done: Add the model");
    assert!(handoff.body.contains("No commit seen for: a.py"), "{}", handoff.body);
}

#[test]
fn a_next_step_stands_until_something_is_done() {
    let mut story = Recording::new();
    story
        .asks("Add the model")
        .edits("a.py", "", "x")
        .closes("Added the model. Next step: add the page for it.");
    story.asks("thanks").closes("You're welcome!");
    story.distils(DistilTrigger::SessionEnd);
    assert_eq!(story.only(Kind::Handoff).content.title, "Next: Add the page for it");
    story.asks("Add the page").edits("b.py", "", "y").closes("Added the page.");
    story.distils(DistilTrigger::SessionEnd);
    assert_eq!(story.only(Kind::Handoff).content.title, "Done: Add the page");
}

#[test]
fn work_that_nobody_named_is_titled_by_what_the_agent_says_of_the_request() {
    let mut story = Recording::new();
    story.asks("hmm, the ids of the invoices are still shown on the page");
    story.edits("page.py", "a", "b").edits("list.py", "a", "b");
    story.closes("All clean.\n\nThe server runs again. The page shows the number in place of the ids of the invoices. Try it now!");
    story.distils(DistilTrigger::SessionEnd);
    let handoff = story.only(Kind::Handoff).content;
    assert_eq!(handoff.title, "The page shows the number in place of the ids of the invoices");
}

#[test]
fn what_was_put_off_and_never_done_is_open() {
    let mut story = Recording::new();
    story
        .asks("After the import is through, switch the nightly job off")
        .closes("I will. Shall I watch the import?");
    story.asks("Add a filter to the list").edits("list.py", "a", "b").closes("Added a filter to the list.");
    story.distils(DistilTrigger::SessionEnd);
    let handoff = story.only(Kind::Handoff).content;
    assert_eq!(handoff.title, "Decided, not done: After the import is through, switch the nightly job off");
}

#[test]
fn a_call_that_still_runs_names_no_handoff() {
    let mut story = Recording::new();
    story.asks("Add the model").edits("a.py", "", "x").closes("Added the model.");
    story.asks("can you put up a PR for this?");
    story.happens(Activity::StillRunning { at: "gh pr create --fill".to_owned() }, Provenance::Tool);
    story.distils(DistilTrigger::SessionEnd);
    let handoff = story.only(Kind::Handoff).content;
    assert_eq!(handoff.title, "Interrupted after: Add the model");
}

/// The agent may hand work out, and say little of what comes back.
#[test]
fn what_a_subagent_lists_as_left_is_left_where_the_agent_lists_nothing() {
    let found =
        "Both pages are slow.\n\n## Next steps\n- Cache the list of harbours\n- Index the sailings by day";
    for (closing, expected) in [
        ("Both helpers are back.", "Next steps: Cache the list of harbours"),
        ("Back.\n\n## Next steps\n- Measure the pages first", "Next steps: Measure the pages first"),
    ] {
        let mut story = Recording::new();
        story.asks("Find out why the pages are slow");
        story.happens(Activity::SubagentEnded { message: found.to_owned() }, Provenance::Assistant);
        story.closes(closing);
        story.distils(DistilTrigger::SessionEnd);
        let body = story.only(Kind::Handoff).content.body;
        assert!(body.contains(expected), "{body}");
    }
}

#[test]
fn what_the_agent_leaves_to_the_user_comes_next_and_names_nothing() {
    let handoff = |message: &str| {
        let mut story = Recording::new();
        story.asks("Add the model").edits("a.py", "", "x").closes(message);
        story.distils(DistilTrigger::SessionEnd);
        story.only(Kind::Handoff).content
    };
    let instructed = handoff("Added the model. You'll need to restart the import on staging.");
    assert_eq!(instructed.title, "Done: Add the model");
    assert!(instructed.body.contains("Next steps: Restart the import on staging"), "{}", instructed.body);
    let offered = handoff("Added the model. Want me to push the branch and open a request?");
    assert!(offered.body.contains("Next steps: Push the branch and open a request"), "{}", offered.body);
    assert!(!offered.body.contains("Open questions"), "{}", offered.body);
}

#[test]
fn a_turn_that_only_answered_is_titled_by_its_question() {
    let mut story = Recording::new();
    story.asks("Where do I set the address of the mail relay?").looks("mail.py");
    story.closes("In the settings. Both address variables must be set together for the mail relay.");
    story.distils(DistilTrigger::SessionEnd);
    let title = story.only(Kind::Handoff).content.title;
    assert_eq!(title, "Asked last: Where do I set the address of the mail relay");
}

#[test]
fn the_last_words_are_sentences_where_there_are_any() {
    let mut story = Recording::new();
    story.asks("Add the model").edits("a.py", "", "x");
    story.closes(
        "The model holds one row for each invoice.\n\n- `a.py` — Added a class with the fields of an invoice",
    );
    story.distils(DistilTrigger::SessionEnd);
    let body = story.only(Kind::Handoff).content.body;
    assert!(body.ends_with("The agent's last words: The model holds one row for each invoice."), "{body}");
}
