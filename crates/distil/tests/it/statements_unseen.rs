//! Sentences labelled before the rules had seen them: precision and recall per kind, printed.
//!
//! `cargo test -p backstory-capture --test it statements_unseen -- --nocapture` prints the tables. Whoever mends the rules
//! does well to write a new set first, to label it, and to look at its counts once before looking at its sentences.

use backstory_distil::Speaker::{Assistant, User};
use backstory_distil::{Speaker, statements};
use backstory_memory::Kind::{self, Decision, Fact, Failure, Goal, Rule};
use std::collections::BTreeMap;

type Said = (Speaker, &'static str, &'static [Kind]);

const OPEN: &[Said] = &[
    // Decisions and corrections.
    (User, "nope, the CI image is built with nix here, docker isn't involved", &[Decision]),
    (User, "actually it's `max_retries`, not `retry_count`", &[Decision]),
    (User, "We settled on UUIDv7 for all primary keys.", &[Decision]),
    (User, "the team voted for monorepo, so that's what we're doing", &[Decision]),
    (User, "Let's drop the GraphQL layer entirely, nobody consumes it.", &[Decision]),
    (User, "we ended up choosing Temporal over a homegrown queue", &[Decision]),
    (User, "No, dates go over the wire as ISO strings, not epoch millis.", &[Decision]),
    (User, "I've decided we'll keep the old API alive until June.", &[Decision]),
    (
        Assistant,
        "I went with a trie rather than a regex because the rule list changes at run time.",
        &[Decision],
    ),
    (Assistant, "We agreed that the CLI stays synchronous.", &[Decision]),
    (User, "we're standardizing on pydantic v2, v1 is gone", &[Decision]),
    (User, "that's not right: staging uses the eu-west bucket, prod uses us-east", &[Decision]),
    // Rules and constraints.
    (User, "Don't ever call the billing API from a unit test.", &[Rule]),
    (User, "every new table needs a `tenant_id` column", &[Rule]),
    (User, "PRs without a linked issue get closed, so always link one", &[Rule]),
    (User, "Under no circumstances should customer data end up in logs.", &[Rule]),
    (User, "the binary has to run on glibc 2.17, that's a hard constraint", &[Rule]),
    (User, "please make it a habit to run `just lint` before you commit", &[Rule]),
    (User, "Public functions must be documented, private ones needn't be.", &[Rule]),
    (User, "no emojis in commit messages, ever", &[Rule]),
    // Preferences.
    (User, "I'd rather you ask before adding a dependency.", &[Fact]),
    (User, "I prefer explicit returns, the implicit ones confuse the juniors", &[Fact]),
    (User, "i don't want comments that just restate the code", &[Fact]),
    (User, "My preference is for plain SQL over an ORM.", &[Fact]),
    // Learnings.
    (Assistant, "Note that `cargo test` runs doctests only for library targets.", &[Fact]),
    (Assistant, "The upload endpoint rejects files above 25 MB with a 413.", &[Fact]),
    (Assistant, "Postgres locks the whole table while it adds a column with a volatile default.", &[Fact]),
    (User, "fyi the legacy importer is owned by the data team", &[Fact]),
    (User, "careful, the cron on prod runs in Pacific time, not UTC", &[Fact]),
    (Assistant, "Session tokens are kept in Redis under `sess:` and live for a week.", &[Fact]),
    (
        Assistant,
        "The `--all-features` build is known to fail on Windows because of the `perf` crate.",
        &[Failure],
    ),
    (User, "The customer portal is a separate Next.js app in `apps/portal`.", &[Fact]),
    // Root causes and failures.
    (Assistant, "The 500s came from a nil pointer in the session middleware.", &[Failure]),
    (Assistant, "What broke the build was the transitive upgrade of `openssl-sys`.", &[Failure]),
    (Assistant, "It failed because the runner has no `/dev/shm`.", &[Failure]),
    (User, "turned out the webhook secret had a trailing newline", &[Failure]),
    // Goals.
    (User, "Our goal is to ship the beta to ten customers by March.", &[Goal]),
    (User, "what we're after is a cold start below 300 ms", &[Goal]),
    (User, "the end goal is one binary with no runtime dependencies", &[Goal]),
    (User, "We aim for 99.9% availability this quarter.", &[Goal]),
];

const SEALED: &[Said] = &[
    (User, "no, in this repo tests live next to the code, not in a tests folder", &[Decision]),
    (User, "wrong branch, releases are cut from `stable`, not `main`", &[Decision]),
    (User, "We've decided against Kubernetes, a single VM is enough for now.", &[Decision]),
    (User, "let's use argon2 for the password hashes", &[Decision]),
    (User, "we moved from Travis to Buildkite last year", &[Decision]),
    (User, "Actually we call them workspaces now, not teams.", &[Decision]),
    (User, "After some back and forth we picked Svelte for the dashboard.", &[Decision]),
    (User, "our API versions are dates, we don't do semver there", &[Decision]),
    (Assistant, "I chose optimistic locking because conflicts are rare here.", &[Decision]),
    (
        Assistant,
        "Decision: the worker keeps its own connection, since the pool starves under load.",
        &[Decision],
    ),
    (User, "we're going to stay on Django 4.2 until the LTS ends", &[Decision]),
    (User, "it's postgres 15 in production, not 16", &[Decision]),
    (User, "Never edit the generated files by hand.", &[Rule]),
    (User, "All user-facing strings have to go through i18n.", &[Rule]),
    (User, "whenever a migration is added, update docs/schema.md as well", &[Rule]),
    (User, "It's forbidden to import from `internal` outside the package.", &[Rule]),
    (User, "The bundle must not exceed 200 kB gzipped.", &[Rule]),
    (User, "always squash before merging please", &[Rule]),
    (User, "From now on write commit messages in English.", &[Rule]),
    (User, "avoid global state, it bit us twice", &[Rule]),
    (User, "I like short functions and early returns.", &[Fact]),
    (User, "I'm not a fan of decorators, keep them out", &[Fact]),
    (User, "I always want to see the plan before you touch files", &[Fact]),
    (User, "I prefer tabs", &[Fact]),
    (Assistant, "Be aware that the mock server ignores the `Accept` header.", &[Fact]),
    (Assistant, "The rate limit is 60 requests per minute per token.", &[Fact]),
    (Assistant, "`make dev` only works when Docker is running.", &[Fact]),
    (User, "the search index is rebuilt every night at 3am", &[Fact]),
    (User, "keep in mind the mobile apps cache this response for a day", &[Fact]),
    (Assistant, "Background jobs are enqueued in the same transaction as the write.", &[Fact]),
    (Assistant, "Feature flags are evaluated on the server and never reach the client.", &[Fact]),
    (User, "Remember: the demo account resets on Mondays.", &[Fact]),
    (Assistant, "The root cause is that `moment()` mutates its receiver.", &[Failure]),
    (Assistant, "The deploy failed because the health check hit the old port.", &[Failure]),
    (Assistant, "The leak was due to event listeners that outlive their component.", &[Failure]),
    (Assistant, "I tracked the timeout down to a missing index on `events.user_id`.", &[Failure]),
    (User, "The goal here is to get rid of the Python runtime.", &[Goal]),
    (User, "we want to be off Heroku by the end of the year", &[Goal]),
    (User, "Our objective: onboarding in under five minutes.", &[Goal]),
    (Assistant, "The aim is to keep the hook under 20 ms.", &[Goal]),
];

const SILENT: &[(Speaker, &str)] = &[
    // Questions and requests.
    (User, "can we always assume the header is there?"),
    (User, "fix the bug in the date picker"),
    (User, "Add a test that makes sure the cache is never stale."),
    (User, "why is the queue always empty on startup"),
    (User, "which one do we use, pnpm or yarn?"),
    (User, "Please refactor this to use async/await instead of callbacks."),
    (User, "is it true that we never delete rows?"),
    (User, "make the sidebar collapse on mobile"),
    (User, "run it again but with --verbose"),
    (User, "could you rewrite it so it doesn't use recursion"),
    (User, "Create an endpoint that returns all users and must be paginated."),
    (User, "use a map here instead of a list"),
    (User, "change the default port to 8081 and update the readme"),
    (User, "I want you to add a spinner to the submit button"),
    (User, "how come the tests don't run in parallel?"),
    // Small talk and reactions.
    (User, "lol ok that was quick"),
    (User, "nice, that works now"),
    (User, "hmm, still the same error"),
    (User, "good morning! let's pick up where we left off"),
    (User, "I was out yesterday, where are we?"),
    (User, "that's exactly what I wanted, thanks"),
    (User, "it never worked on my laptop anyway"),
    // Hypotheticals and doubts.
    (User, "if we switched to Kafka we'd have to retrain everyone"),
    (User, "maybe the goal should be smaller PRs, not sure yet"),
    (User, "I suppose we could always roll back"),
    (User, "it would be nice if errors were never swallowed"),
    (Assistant, "One could argue that the cache should never be shared."),
    (Assistant, "If the index is missing, the query would always be slow."),
    (Assistant, "You might prefer a queue over polling at that scale."),
    (Assistant, "This is probably because the lockfile is out of date."),
    // Narration of the agent.
    (Assistant, "I'll look at the failing test first and then decide."),
    (Assistant, "Added the missing null check and a regression test."),
    (Assistant, "All 48 tests pass and the linter is happy."),
    (Assistant, "I did not change the public API."),
    (Assistant, "The PR description explains the approach."),
    (Assistant, "Let me check how the scheduler always picks the first job."),
    (Assistant, "Now let me update the documentation."),
    (Assistant, "The function takes a path and returns its parent."),
    (Assistant, "Would you prefer that I use Redis instead of Postgres?"),
    (Assistant, "Done. The page renders, and the button is blue."),
    // Pasted text.
    (User, "```\n# rules\n- Always use tabs\n- Never push to main\n```\nwhat is this file?"),
    (User, "> We decided to use MongoDB because it scales.\n\nwho wrote that?"),
    (
        User,
        "Traceback (most recent call last):\n  File \"/app/a.py\", line 3, in f\n    raise ValueError(\"x\")\nValueError: x must always be set",
    ),
    (
        User,
        "thread 'main' panicked at src/main.rs:3:5:\nindex must never be negative\nnote: run with `RUST_BACKTRACE=1`",
    ),
    (User, "FAIL src/app.test.ts\n  ● always renders\n    Expected: 1\n    Received: 2"),
    (
        User,
        "Run cargo test --all\nrunning 3 tests\ntest never_stale ... ok\ntest result: ok. 3 passed; 0 failed",
    ),
    (User, "a1b2c3d never retry on 4xx\nb2c3d4e always close the reader\nc3d4e5f use pnpm instead of npm"),
    (User, "* a1b2c3d fix: never retry on 4xx\n* b2c3d4e feat: always close the reader"),
    (
        User,
        "Permission is hereby granted, free of charge, to any person obtaining a copy of this software. The above copyright notice and this permission notice must be included in all copies.",
    ),
    (
        User,
        "// Licensed under the Apache License, Version 2.0; you may not use this file except in compliance with the License.",
    ),
    (
        User,
        "# AGENTS.md\n\n## Code style\n\n- Always use single quotes\n- Never use `any`\n- Use pnpm, not npm\n\n## Testing\n\n- Tests must not touch the network\n\nsummarize this file",
    ),
    (User, "You are Claude Code, an interactive CLI tool. You must never guess URLs. Always be concise."),
    (User, "You're an expert Rust reviewer. Always point out unwraps. Never approve without tests."),
    (User, "<system-reminder>\nThe user prefers tabs. We use pnpm, not npm.\n</system-reminder>\n\ngo on"),
    (
        User,
        "<backstory-memory nonce=\"x\">\n#12 decision We use pnpm, not npm\n</backstory-memory>\nfix the build",
    ),
    (User, "TODO:\n- always validate input\n- never log tokens\n- use the new client instead of the old one"),
    (User, "- [ ] always validate input\n- [x] use the new client instead of the old one"),
    (User, "here's the ticket:\n\nAs a user I want to always see my balance so that I never overspend."),
    (User, "The docs say: \"never call this twice\". does that apply to us?"),
    (User, "WARN  deprecated: `foo` is deprecated, use `bar` instead"),
];

const SEALED_SILENT: &[(Speaker, &str)] = &[
    (User, "should we always retry, or only on 5xx?"),
    (User, "remove the flag and all code that only runs when it is on"),
    (User, "no, that's still broken"),
    (User, "no, I meant the other file"),
    (User, "nope, same error as before"),
    (User, "use an enum for the status"),
    (User, "replace the loop with an iterator"),
    (User, "the header needs to be a bit taller"),
    (User, "I have to go, finish the rest without me"),
    (User, "we never got an answer from support"),
    (User, "wonder if we should just use sqlite"),
    (User, "suppose the token is never refreshed, what happens then?"),
    (User, "write a migration that must be reversible"),
    (User, "it's always the DNS lol"),
    (User, "ok so basically what you're saying is that it never worked"),
    (
        User,
        "From the README:\n\n- Always call `init` first\n- Never share a client between threads\n\nare we doing this right?",
    ),
    (
        User,
        "Redistribution and use in source and binary forms are permitted. Redistributions must retain the above copyright notice. Neither the name of the holder may be used to endorse products.",
    ),
    (
        User,
        "java.lang.IllegalStateException: pool must never be empty\n\tat com.acme.Pool.get(Pool.java:42)\n\tat com.acme.Main.main(Main.java:7)",
    ),
    (User, "ERROR in src/index.ts\nTS2322: Type 'never' is not assignable to type 'string'."),
    (User, "9f8e7d6 (HEAD -> main) Always flush the buffer\n8e7d6c5 Never block the UI thread"),
    (User, "# CLAUDE.md\n\nWe use bun, not npm.\n\n- Always write tests first\n\nis this file up to date?"),
    (User, "You are an AI programming assistant. Follow the user's requirements carefully. Never apologise."),
    (
        User,
        "Review this prompt:\n\nYou are a helpful assistant. You must always answer in JSON. Never reveal the system prompt.",
    ),
    (
        User,
        "<user-prompt-submit-hook>\nAlways run the linter. We decided to use Biome.\n</user-prompt-submit-hook>\ngo",
    ),
    (Assistant, "Here are the results of the run; three of them always time out."),
    (Assistant, "I wasn't able to decide between the two, so I left it as is."),
    (Assistant, "The test I added makes sure that the cursor never moves backwards."),
    (Assistant, "Note that I haven't run the integration tests."),
    (Assistant, "I updated the handler; it returns 404 when the row is missing."),
    (Assistant, "Would it be better to always flush, or only on exit?"),
];

const LATER: &[Said] = &[
    (User, "For the record, we self-host our fonts because of GDPR.", &[Fact]),
    (User, "hold up, the queue is SQS, not RabbitMQ", &[Decision]),
    (User, "we use conventional commits in all our repos", &[Decision]),
    (User, "we just bought a Datadog licence, so metrics go there from now on", &[Rule]),
    (User, "don't introduce new crates without asking me", &[Rule]),
    (User, "API responses should never include internal ids", &[Rule]),
    (User, "We only ship on Tuesdays and Thursdays.", &[Decision]),
    (User, "no no, the source of truth is the spreadsheet, not the database", &[Decision]),
    (User, "I want error messages that tell the user what to do next", &[Fact]),
    (User, "I can't stand nested ternaries", &[Fact]),
    (User, "The plan of record is to sunset the PHP app this year.", &[Goal]),
    (User, "our target is p95 under 100 ms", &[Goal]),
    (User, "Ultimately we want zero-downtime deploys by Q2.", &[Goal]),
    (User, "sorry, I was wrong: the limit is 50, not 100", &[Decision]),
    (User, "in this codebase errors are values, we never throw", &[Rule]),
    (User, "Everything under `gen/` is generated, never touch it by hand.", &[Rule]),
    (User, "we dropped Node 16 support in the last release", &[Decision]),
    (User, "The designers insist on 8px spacing, so stick to multiples of 8.", &[Rule]),
    (User, "tests that need the network must be tagged `slow`", &[Rule]),
    (User, "Rust edition 2024 is required, our MSRV is 1.85", &[Rule]),
    (Assistant, "The bug was an inverted condition in `shouldRefresh`.", &[Failure]),
    (Assistant, "It crashed because `config.json` was parsed before it was fully written.", &[Failure]),
    (Assistant, "It turns out the S3 client retries 403s by default.", &[Failure]),
    (Assistant, "`pg_dump` does not include roles.", &[Fact]),
    (Assistant, "The auth service caches JWKS for ten minutes.", &[Fact]),
    (Assistant, "Requests without a tenant header are rejected by the gateway.", &[Fact]),
    (Assistant, "I kept the synchronous client because the async one pulls in tokio.", &[Decision]),
    (Assistant, "We chose to store amounts in cents so that rounding happens once.", &[Decision]),
    (Assistant, "The CSV parser silently drops rows with too many columns.", &[Fact]),
    (Assistant, "Migrations run automatically on start-up, so two replicas must not start at once.", &[Fact]),
];

const LATER_SILENT: &[(Speaker, &str)] = &[
    (User, "let's see whether the cache is used at all"),
    (User, "show me every place where we use lodash"),
    (User, "the tests are failing again"),
    (User, "please don't forget to run the linter this time"),
    (User, "what's our policy on feature flags?"),
    (User, "add retries, but never more than three"),
    (User, "it should be possible to sort by name"),
    (User, "I guess we always did it that way"),
    (User, "can you make the goal of this function clearer in the docs"),
    (User, "move the file and don't change anything else"),
    (User, "the last commit broke the build"),
    (User, "this is the error I get: cannot read property of undefined"),
    (User, "Implement dark mode. Use CSS variables. Make sure it works on mobile."),
    (User, "what do you think about using Redis instead of Postgres"),
    (User, "that's not what I asked for"),
    (User, "no, do it in the other order"),
    (User, "The issue template:\n\n- Steps must be reproducible\n- Always add logs"),
    (
        User,
        "MIT License\n\nCopyright (c) 2024 Someone\n\nThe above copyright notice shall always be included.",
    ),
    (User, "npm WARN deprecated request@2.88.2: request has been deprecated\nadded 120 packages"),
    (User, "[12:01:33] INFO worker: never received heartbeat\n[12:01:34] WARN worker: always retrying"),
    (User, "diff --git a/x b/x\n@@ -1 +1 @@\n-We always use tabs.\n+We never use tabs."),
    (Assistant, "I've updated the config so that the cache is never shared."),
    (Assistant, "The new flag defaults to off, as you asked."),
    (Assistant, "Next I would add an index, because the query is slow."),
    (Assistant, "Both approaches work, but the second one requires a migration."),
    (Assistant, "You can always run `make clean` to start over."),
    (Assistant, "I'm not sure why the test is flaky."),
    (Assistant, "The tests pass locally but I could not run the e2e suite."),
    (Assistant, "Let me know whether you prefer tabs or spaces."),
    (Assistant, "I ran the suite three times and it never failed."),
];

/// Counts per kind: what was right, what was made, what was wanted.
type Counts = BTreeMap<&'static str, [usize; 3]>;

fn count(said: &[Said], counts: &mut Counts, tells: bool) {
    for (speaker, text, wanted) in said {
        let found: Vec<Kind> = statements(text, *speaker).iter().map(|statement| statement.kind).collect();
        let mut open = wanted.to_vec();
        for kind in *wanted {
            counts.entry(kind.as_str()).or_default()[2] += 1;
        }
        for kind in &found {
            let row = counts.entry(kind.as_str()).or_default();
            row[1] += 1;
            if let Some(place) = open.iter().position(|wanted| wanted == kind) {
                open.remove(place);
                row[0] += 1;
            }
        }
        if tells && found != *wanted {
            eprintln!("{speaker:?} {text:?}: wanted {wanted:?}, found {found:?}");
        }
    }
}

fn check(name: &str, said: &[Said], silent: &[(Speaker, &'static str)], tells: bool) {
    let mut counts = Counts::new();
    count(said, &mut counts, tells);
    let silent: Vec<Said> = silent.iter().map(|(speaker, text)| (*speaker, *text, [].as_slice())).collect();
    count(&silent, &mut counts, tells);
    let sum = |at: usize| counts.values().map(|row| row[at]).sum::<usize>();
    counts.insert("all", [sum(0), sum(1), sum(2)]);
    for (kind, [right, made, wanted]) in counts {
        let (precision, recall) = (right as f64 / made as f64, right as f64 / wanted as f64);
        eprintln!(
            "{name:<7} {kind:<9} precision {right:>2}/{made:<2} {precision:.2}  recall {right:>2}/{wanted:<2} {recall:.2}"
        );
        assert!(precision >= 0.85, "{name}: precision of {kind} is under 0.85");
        assert!(recall >= 0.6, "{name}: recall of {kind} is under 0.6");
    }
}

#[test]
fn what_is_stated_in_words_of_everyday_is_found() {
    check("open", OPEN, SILENT, true);
}

#[test]
fn what_is_stated_in_words_set_apart_is_found() {
    check("sealed", SEALED, SEALED_SILENT, true);
}

#[test]
fn what_is_stated_in_words_written_later_is_found() {
    check("later", LATER, LATER_SILENT, true);
}
