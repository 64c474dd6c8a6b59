//! A change of mind: what the user says later takes the place of what they said before, in whatever words it is said; and what only
//! adds, narrows or excepts stands beside it.

use crate::recording::Recording;
use backstory_memory::{Memory, Standing};

/// Tells two things in two sessions of one project.
fn told(first: &str, then: &str) -> Vec<Memory> {
    let mut story = Recording::new();
    story.asks(first).closes("Understood.");
    story.session("later").asks(then).closes("Understood.");
    story.memories()
}

fn titles(memories: &[Memory]) -> Vec<String> {
    memories.iter().map(|memory| format!("{:?} {}", memory.standing, memory.content.title)).collect()
}

/// Of each pair the second alone is in force, and the first was replaced by it.
fn turns(pairs: &[(&str, &str)]) {
    let is_turned = |memories: &[Memory]| {
        let [first, then] = memories else { return false };
        first.standing == Standing::Superseded(then.id) && then.standing == Standing::Confirmed
    };
    let deaf: Vec<_> = pairs
        .iter()
        .map(|(first, then)| (first, then, told(first, then)))
        .filter(|(_, _, memories)| !is_turned(memories))
        .map(|(first, then, memories)| (first, then, titles(&memories)))
        .collect();
    assert!(deaf.is_empty(), "{} of {}: {deaf:#?}", deaf.len(), pairs.len());
}

/// Of each pair both are in force.
fn stands_beside(pairs: &[(&str, &str)]) {
    let both_live = |memories: &[Memory]| {
        memories.len() == 2 && memories.iter().all(|memory| memory.standing == Standing::Confirmed)
    };
    let lost: Vec<_> = pairs
        .iter()
        .map(|(first, then)| (first, then, told(first, then)))
        .filter(|(_, _, memories)| !both_live(memories))
        .map(|(first, then, memories)| (first, then, titles(&memories)))
        .collect();
    assert!(lost.is_empty(), "{} of {}: {lost:#?}", lost.len(), pairs.len());
}

#[test]
fn a_denial_takes_back_what_was_affirmed() {
    turns(&[
        ("Deploys need the VPN", "Deploys don't need the VPN any more"),
        ("Deploys need the VPN", "Deploys no longer need the VPN"),
        ("Always rebase feature branches", "Never rebase feature branches, merge them"),
        (
            "Integration tests need a running Postgres.",
            "Integration tests don't need a running Postgres anymore.",
        ),
        ("Always squash fixup commits", "Don't squash fixup commits any more"),
        ("Never deploy on Fridays", "Deploying on Fridays is fine now"),
        ("We use Redis for caching", "We don't use Redis any more"),
        ("We deploy on Fridays", "No more deploys on Fridays"),
        ("Migrations are run by hand", "Migrations are no longer run by hand"),
        ("Never push to main directly", "Pushing to main directly is OK now"),
        ("We decided to use Kafka for events", "We decided against Kafka for events"),
        (
            "Let's use Redis for the session store",
            "Let's not use Redis for the session store after all, Postgres is fine",
        ),
    ]);
}

#[test]
fn what_is_moved_to_takes_the_place_of_what_is_given_up() {
    turns(&[
        ("We use yarn in this repo", "actually we moved to pnpm, forget yarn"),
        ("We use Webpack for the frontend", "we switched to Vite for the frontend, forget Webpack"),
        ("We use mocha for the unit tests", "we moved the unit tests to vitest, mocha is gone"),
        (
            "we deploy with `make ship` and prod only goes out on tuesdays and thursdays",
            "I changed my mind about deploys: from now on prod goes out any weekday, the tuesday/thursday rule is gone",
        ),
        ("We use tabs for indentation", "no, we use spaces"),
        ("We use npm", "we use pnpm now"),
        ("We use Jenkins for CI", "We moved to GitHub Actions"),
        ("We use yarn in this repo", "forget yarn, we're on pnpm"),
        ("We support Python 3.8", "We dropped Python 3.8"),
        ("Auth uses JWT", "Auth uses sessions instead of JWT"),
        ("Indent with tabs", "Indent with spaces from now on"),
    ]);
}

#[test]
fn a_new_value_takes_the_place_of_the_old_one() {
    turns(&[
        ("the cache TTL is 5 minutes", "change of plan: cache TTL is 30 minutes"),
        ("The upload limit is 10 MB", "I changed my mind, the upload limit is 25 MB"),
        ("Our CI runs on GitHub Actions", "Our CI runs on Buildkite now"),
        ("The nightly job runs on Jenkins", "The nightly job runs on the Hetzner box now"),
        ("Release builds are tagged on Mondays", "actually release builds are tagged on Wednesdays"),
        ("The API listens on port 8080", "The API listens on port 9090"),
        ("The line length is 100", "The line length is 120"),
        ("All PRs need two reviewers", "PRs only need one reviewer now"),
        ("The minimum Node version is 18", "We bumped the minimum Node version to 20"),
        ("The default branch is master", "The default branch is main now"),
        ("The staging URL is https://stage.example.com", "The staging URL is https://staging.example.org"),
        ("Use snake_case for columns", "Actually, use camelCase for columns"),
        ("We decided to use Kafka for events", "On second thought let's use NATS for events"),
        ("We deploy from main", "We deploy from release branches now"),
        ("We use Jest for the unit tests", "on second thought, we use Vitest for the unit tests"),
    ]);
}

#[test]
fn the_same_in_other_small_words_is_seen_twice() {
    for (first, then) in [
        ("Use feature flags for everything new", "please always use feature flags for anything new"),
        ("Always run the linter before a commit", "please always run the linter before every commit"),
        ("We never commit generated files", "Never commit generated files"),
    ] {
        let memories = told(first, then);
        assert_eq!(memories.len(), 1, "{:?}", titles(&memories));
        assert_eq!((memories[0].standing, memories[0].times_seen), (Standing::Confirmed, 2), "{first}");
    }
}

#[test]
fn what_adds_narrows_or_excepts_takes_nothing_back() {
    stands_beside(&[
        ("Don't use any in TypeScript", "it's fine to use any in test files"),
        ("Never deploy on Fridays", "It's fine to deploy the docs on Fridays"),
        ("We use Postgres for orders", "We use Redis for caching"),
        ("We use Postgres for orders", "We use MySQL for reports now"),
        ("We use Redis for sessions", "We use Redis for queues now"),
        ("The orders service listens on port 8080", "The billing service listens on port 8081 now"),
        ("Deploys need the VPN", "Backups don't need the VPN any more"),
        ("Always rebase feature branches", "Never rebase release branches, merge them"),
        ("We use Docker for local development", "We use Sentry now"),
        ("We use npm for the frontend", "We moved to GitHub Actions"),
        ("In production, never enable debug logs", "In production, always enable request ids"),
        ("We use Sentry for errors", "We now use Datadog for errors too"),
        ("Use snake_case for columns", "Use camelCase for JSON keys"),
        ("Always squash merge", "Don't squash merge release branches"),
        ("Use feature flags for everything new", "Don't use feature flags for bug fixes"),
        ("We use npm", "We use eslint now"),
        ("We use pytest for unit tests", "We use pytest for integration tests now"),
        ("We deploy to staging from main", "We deploy to production from main now"),
        ("We use tabs in Makefiles", "Actually we use spaces in Python"),
        ("We moved to pnpm", "We moved to Buildkite"),
        ("We use npm for the frontend", "We use yarn for the docs now"),
        ("We use Redis for caching", "We don't use Redis for sessions any more"),
        ("We deploy to Fly", "We deploy the docs to Netlify"),
        ("The nightly job runs on Jenkins", "Our CI runs on Buildkite now"),
        ("We use tabs for indentation", "We don't use Redis any more"),
        ("The cache TTL is 5 minutes", "change of plan: the session TTL is 30 minutes"),
    ]);
}
