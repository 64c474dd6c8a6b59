//! What the user picks from a list of the agent's is a decision, in the agent's words.

use crate::recording::Recording;
use backstory_memory::{Kind, Provenance, Standing};

const OPTIONS: &str = "There are three ways to speed up the report:\n\n1. Add an index on `orders.created_at`.\n2. Build a materialized view \
                       and refresh it every hour.\n3. Cache the result in Redis.\n\nWhich one do you want?";
const GOES_ON: &str = "I'll use a materialized view, refreshed hourly.";

fn after(options: &str, picked: &str, goes_on: &str) -> Recording {
    let mut story = Recording::new();
    story.asks("How should we speed up the monthly report?").closes(options);
    story.asks(picked).closes(goes_on);
    story
}

#[test]
fn what_is_picked_from_a_list_is_decided() {
    for picked in [
        "2 sounds right",
        "go with the second option",
        "2",
        "Option 2 please",
        "let's do 2, the data is small",
        "I'd go with number 2.",
        "the second one",
    ] {
        let story = after(OPTIONS, picked, GOES_ON);
        let decision = story.only(Kind::Decision);
        assert_eq!(decision.content.title, "Build a materialized view and refresh it every hour", "{picked}");
        assert!(decision.content.body.contains("Not chosen: Add an index"), "{}", decision.content.body);
        assert_eq!(decision.content.provenance, Provenance::Assistant, "the words are the agent's");
        assert_eq!(decision.standing, Standing::Confirmed, "the choice is the user's");
    }
    let lettered = "A) Add an index on the date.\nB) Build a materialized view.";
    assert_eq!(after(lettered, "option B", GOES_ON).of_kind(Kind::Decision).len(), 1);
    let marked = "**Option 1: an index** is quick.\n**Option 2: a materialized view** is faster.";
    assert_eq!(after(marked, "the last", GOES_ON).of_kind(Kind::Decision).len(), 1);
}

#[test]
fn what_picks_nothing_decides_nothing() {
    for (options, picked, goes_on) in [
        (OPTIONS, "2 tests fail", GOES_ON),
        (OPTIONS, "is 2 right?", GOES_ON),
        (OPTIONS, "not 2", GOES_ON),
        (OPTIONS, "4 sounds right", GOES_ON),
        (OPTIONS, "1 or 2", GOES_ON),
        (OPTIONS, "explain the second option", GOES_ON),
        (OPTIONS, "First, add an index on the date", "The index on the date is there, beside the view."),
        (OPTIONS, "1. Add an index\n2. Rename the view", "The index is there."),
        ("I did this:\n1. Added an index.\n2. Built a materialized view.", "2", GOES_ON),
        ("I changed two files.", "2 sounds right", GOES_ON),
        ("Version 2. is out.", "2", GOES_ON),
    ] {
        let story = after(options, picked, goes_on);
        assert_eq!(story.of_kind(Kind::Decision), [], "{picked} {goes_on}");
    }
}

#[test]
fn answers_by_number_decide_each_question_for_itself() {
    let mut recording = Recording::new();
    recording.checks_repeats();
    recording.asks("Plan the new storage");
    recording.closes(
        "Before I start:\n1. **Store**: should we keep sessions in SQLite?\n2. Should we drop the old endpoint?\n3. How long are keys kept?",
    );
    recording.asks("1 - yeah, 2 - definitely not, 3: 24 hours");
    recording.closes("Noted.");
    let decided: Vec<String> =
        recording.of_kind(Kind::Decision).into_iter().map(|memory| memory.content.title).collect();
    assert_eq!(
        decided,
        [
            "Keep sessions in SQLite: yes",
            "Drop the old endpoint: definitely not",
            "How long are keys kept: 24 hours"
        ]
    );
}

#[test]
fn an_answer_is_titled_by_its_question_and_thoughts_decide_nothing() {
    let mut recording = Recording::new();
    recording.asks("Plan the export");
    recording.closes(
        "1. Scope: only invoices, or orders too?\n2. Why now: what changed in your shop?\n3. Which formats matter, CSV, or also PDF?",
    );
    recording.asks(
        "1) For now only the invoices, the orders come with the next release of the shop and need another page\n2) We are looking for a \
         new tax adviser who wants files\n3) I believe CSV is enough\n\nPlease never send mails from the export.",
    );
    recording.closes("Noted.");
    assert_eq!(
        recording.kinds(),
        [
            "rule: Never send mails from the export",
            "decision: Scope: For now only the invoices",
            "decision: Formats matter, CSV, or also PDF: CSV is enough",
        ]
    );
}

#[test]
fn a_list_of_ones_own_answers_nothing() {
    let mut recording = Recording::new();
    recording.asks("What is left?");
    recording.closes("Two things:\n1. The page of the exporter\n2. The menu\nShall I go on?");
    recording.asks("1. Rename the pool\n2. Write the docs");
    recording.closes("On it.");
    assert_eq!(recording.of_kind(Kind::Decision), []);
    recording.asks("What else?");
    recording.closes("I could:\n1. Cache the page\n2. Drop the flag\nWhat do you think?");
    recording.asks("1: yes, 2: no, we need it");
    recording.closes("Fine.");
    assert_eq!(
        recording.kinds(),
        ["decision: Cache the page: yes", "decision: Drop the flag: no, we need it"]
    );
}

#[test]
fn a_later_choice_from_the_same_options_replaces_the_earlier_one() {
    let mut story = after(OPTIONS, "2 sounds right", GOES_ON);
    story.session("later").asks("The report is still slow, what can we do?").closes(OPTIONS);
    story.asks("the third option").closes("I'll cache it.");
    let decisions = story.of_kind(Kind::Decision);
    let [first, then] = decisions.as_slice() else { panic!("{decisions:?}") };
    assert_eq!(first.standing, Standing::Superseded(then.id));
    assert_eq!(
        (then.standing, then.content.title.as_str()),
        (Standing::Confirmed, "Cache the result in Redis")
    );

    // What was chosen first holds again once it is chosen again.
    story.session("last").asks("And now?").closes(OPTIONS);
    story.asks("2").closes(GOES_ON);
    let live: Vec<_> = story.of_kind(Kind::Decision).into_iter().filter(|it| it.standing.is_live()).collect();
    let [only] = live.as_slice() else { panic!("{live:?}") };
    assert_eq!(only.content.title, "Build a materialized view and refresh it every hour");
}

#[test]
fn a_later_answer_by_number_replaces_the_earlier_one() {
    let questions = "Two questions:\n\n1. Keep the old endpoint?\n2. Ship the importer this week?";
    let mut story = after(questions, "1 - yes, 2 - no", "Fine.");
    story.session("later").asks("Anything else to settle?").closes(questions);
    story.asks("1 - no, 2 - no").closes("Fine.");
    let live: Vec<_> = story.of_kind(Kind::Decision).into_iter().filter(|it| it.standing.is_live()).collect();
    let mut titles: Vec<&str> = live.iter().map(|it| it.content.title.as_str()).collect();
    titles.sort_unstable();
    assert_eq!(titles, ["Keep the old endpoint: no", "Ship the importer this week: no"]);
}
