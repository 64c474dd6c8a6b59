//! What a stranger to the rules said in plain words, one sentence a prompt: what anyone would keep, and talk that nobody would.

use backstory_distil::{Speaker, statements};

const KEPT: &[&str] = &[
    // Announced as worth knowing, or as said before.
    "Just so you know, the CI runners only have 2 GB of RAM so the linker needs -j1",
    "just so you know, staging is shared with the QA team",
    "you keep forgetting that the tests need `docker compose up -d` first",
    "You forgot again that migrations are generated, not written by hand",
    "For your information the prod DB is read-only between 2 and 3 am",
    "As I said before, ids are ULIDs",
    "I already told you that the schema is generated",
    // Set right.
    "You shouldn't touch the vendor folder",
    "No no no, it's Europe/Berlin not UTC for the report cutoff",
    "no, it's snake_case not camelCase for the JSON keys",
    "You should use the Makefile targets, not raw docker commands",
    "you should call the repository layer, not the ORM",
    "use tabs here, not spaces",
    // What is wanted.
    "Goal for this sprint: get p95 of /search under 200ms",
    "Target for Q3: cut the cold start below 1s",
    // How things are.
    "Port 5432 is taken by the system postgres on my machine, so dev uses 5433",
    "Python 3.12 is not on the build image, so we stay on 3.11",
    "the customer id is a string everywhere, even though it looks like a number",
    "the amount is an integer everywhere, although the form shows decimals",
    "prod goes out on tuesdays and thursdays only",
    "backups run at night only",
    "The EU bucket is acme-eu-west",
    "the staging cluster is k8s-stage-02",
    "the price is in cents everywhere",
    "deploys only on weekdays",
    "the tests need a running redis first",
    "The default branch is main",
    // How it is to be done wherever a place is named.
    "Log in JSON format in production",
    "Log to stderr in tests",
];

const PASSING: &[&str] = &[
    "my cat always walks over the keyboard when we deploy",
    "My dog never barks at the mailman",
    "I never understood why people like Perl",
    "I always wondered how compilers do that",
    "I remember that movie, we always watched it",
    "we use what we have",
    "we run what we can",
    "Someone on Reddit said we should never use ORMs",
    "A friend told me you should always use tabs",
    "Somebody on Twitter says one must never use inheritance",
    "Just so you know, I am on the train",
    "just so you know, that was funny",
    "you keep forgetting things",
    "you keep forgetting that",
    "You should use the other one, not this one",
    "use a list here, not a map",
    "log in as admin and take a screenshot",
    "Log in with my account in the browser",
    "the button is red everywhere",
    "the sidebar is a mess",
    "no, it's fine",
    "no no no, it's broken again",
    "The header is cut off in the print view only",
    "it's fine to stop here",
    "my wife says we should never buy a cat",
    "they said on the radio that we must always drink water",
    "I read that you should never use MongoDB",
    "We use what works",
    "just so you know I have a meeting",
    "the test runs on my machine only",
    "use the map here, not the list",
    "you should use a switch here, not ifs",
    "we moved to the next sprint",
    "it's okay to be late for the demo",
    "you forgot that I asked for a button",
    "I already told you, it is still broken",
    "The default button is blue",
    "it's fine to skip this in the demo",
    "actually the list needs a header",
    "The page no longer loads",
    "the export doesn't work any more",
    "we moved the button to the left",
    "Port the parser to the new API",
    "the release notes are up-to-date",
    "The list is long, so it needs a scroll bar",
];

#[test]
fn what_anyone_would_keep_is_kept() {
    let lost: Vec<_> = KEPT.iter().filter(|text| statements(text, Speaker::User).len() != 1).collect();
    assert!(lost.is_empty(), "{lost:#?}");
}

#[test]
fn talk_is_not_kept() {
    let kept: Vec<_> = PASSING.iter().flat_map(|text| statements(text, Speaker::User)).collect();
    assert!(kept.is_empty(), "{kept:#?}");
}
