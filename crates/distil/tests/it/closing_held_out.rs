//! Closing messages that were set apart while the rules were made, and what each says.

use crate::closing_cases::{Case, NOTHING, check};

const CASES: &[Case] = &[
    Case {
        message: "I've added retry support to the webhook sender. It retries five times with exponential backoff and gives up on 4xx.",
        claim: Some("Added retry support to the webhook sender"),
        ..NOTHING
    },
    Case {
        message: "## Changes Made\n\n### `src/cache.rs`\n- Introduced a `Ttl` newtype so that seconds and milliseconds cannot be mixed up\n\n### `src/main.rs`\n- Adapted the call\n\n## Verification\n\n- `cargo test`: 212 passed\n\n## Follow-ups\n\n- Port the Python client to the same type",
        claim: Some("Introduced a Ttl newtype so that seconds and milliseconds cannot be mixed up"),
        next_steps: &["Port the Python client to the same type"],
        ..NOTHING
    },
    Case {
        message: "Sounds good. I've switched the logger to JSON lines in production; local runs keep the coloured output.",
        claim: Some("Switched the logger to JSON lines in production"),
        ..NOTHING
    },
    Case {
        message: "The config is loaded in `settings/load.py`. Environment variables win over the file.",
        claim: Some("The config is loaded in settings/load.py"),
        answer: Some("The config is loaded in settings/load.py. Environment variables win over the file."),
        ..NOTHING
    },
    Case {
        message: "Task completed successfully! ✅\n\nKey changes:\n• Removed the unused `LegacyClient` class\n• Tightened the types of `send`\n\nFeel free to reach out with questions.",
        claim: Some("Removed the unused LegacyClient class"),
        ..NOTHING
    },
    Case {
        message: "The flaky test was caused by two cases sharing one port. Each case now binds to port 0.",
        claim: Some("Each case now binds to port 0"),
        learned: &["The flaky test was caused by two cases sharing one port"],
        ..NOTHING
    },
    Case {
        message: "I couldn't finish the upgrade: `webpack` 6 drops the loader API that `our-loader` relies on.\n\nWhat remains:\n1. Rewrite `our-loader` as a plugin\n2. Retry the upgrade",
        claim: Some("webpack 6 drops the loader API that our-loader relies on"),
        next_steps: &["Rewrite our-loader as a plugin", "Retry the upgrade"],
        answer: Some(
            "I couldn't finish the upgrade: webpack 6 drops the loader API that our-loader relies on.",
        ),
        ..NOTHING
    },
    Case { message: "Ok, pushed.", ..NOTHING },
    Case {
        message: "Implemented. `backstop sync` now resumes from the last acknowledged row, and a second run is a no-op.\n\n```\n$ backstop sync\nFixed 12 rows\n```",
        claim: Some("backstop sync now resumes from the last acknowledged row"),
        ..NOTHING
    },
    Case {
        message: "Short answer: no, the cache is never shared between tenants. The key starts with the tenant id (`cache/key.go:17`).",
        claim: Some("The cache is never shared between tenants"),
        answer: Some(
            "No, the cache is never shared between tenants. The key starts with the tenant id (cache/key.go:17).",
        ),
        ..NOTHING
    },
    Case {
        message: "I renamed the package to `@acme/forms`, updated every import and regenerated the lockfile.\n\nBefore you merge, please check whether the docs site still builds.",
        claim: Some("Renamed the package to @acme/forms, updated every import"),
        next_steps: &["Check whether the docs site still builds"],
        ..NOTHING
    },
    Case {
        message: "# Report\n\n**Status:** complete\n\nMigrated the CI from CircleCI to GitHub Actions.\n\n**Caveats**\n- The nightly job is not migrated yet.",
        claim: Some("Migrated the CI from CircleCI to GitHub Actions"),
        ..NOTHING
    },
    Case {
        message: "Two approaches are possible. Do you prefer a background job or a database trigger for the audit log?",
        claim: Some("Two approaches are possible"),
        questions: &["Do you prefer a background job or a database trigger for the audit log?"],
        answer: Some("Two approaches are possible."),
        ..NOTHING
    },
    Case {
        message: "Now the importer skips rows without an email and reports how many it skipped. Next up: the same for the exporter.",
        claim: Some("Now the importer skips rows without an email and reports how many it skipped"),
        next_steps: &["The same for the exporter"],
        ..NOTHING
    },
    Case {
        message: "I've successfully set up the linter! Here's what I did:\n\n- **ESLint**: installed with the flat config\n- **CI**: runs on every pull request\n\nIs there anything else you'd like me to do?",
        claim: Some("Set up the linter"),
        ..NOTHING
    },
    Case {
        message: "The reason the page was blank is that the bundle is served with the wrong MIME type. I set it in `nginx.conf`.",
        claim: Some("The reason the page was blank is that the bundle is served with the wrong MIME…"),
        learned: &["The reason the page was blank is that the bundle is served with the wrong MIME type"],
        ..NOTHING
    },
    Case {
        message: "Both endpoints are documented in `openapi.yaml` now, with examples for each error.\n\n**Remaining work:** generate the client from it.",
        claim: Some("Both endpoints are documented in openapi.yaml now, with examples for each error"),
        next_steps: &["Generate the client from it"],
        ..NOTHING
    },
    Case {
        message: "Thanks for the clarification. I dropped the `users_old` table in a new migration (`0042_drop_users_old.sql`) and removed the model.",
        claim: Some("Dropped the users_old table in a new migration (0042_drop_users_old.sql)"),
        ..NOTHING
    },
    Case {
        message: "No changes were needed: `Decimal` is already used for all amounts.",
        claim: Some("Decimal is already used for all amounts"),
        answer: Some("No changes were needed: Decimal is already used for all amounts."),
        ..NOTHING
    },
    Case {
        message: "• Fixed the race in `Pool::get` by taking the lock before the check.\n• Keep in mind that `Pool::drain` still blocks.\n\nTests run: `pytest -q` (83 passed).",
        claim: Some("Fixed the race in Pool::get by taking the lock before the check"),
        learned: &["Pool::drain still blocks"],
        ..NOTHING
    },
    Case {
        message: "I've written the design note to `docs/design/0007-sharding.md`. It proposes hash sharding by tenant.\n\nDecisions I need from you:\n- How many shards do we start with?\n- May a tenant move between shards?",
        claim: Some("Written the design note to docs/design/0007-sharding.md"),
        questions: &["How many shards do we start with?", "May a tenant move between shards?"],
        ..NOTHING
    },
    Case {
        message: "Good catch! The comparison was inverted; `isExpired` returned true for valid tokens. It's corrected, and I added a regression test for both sides.",
        claim: Some("The comparison was inverted; isExpired returned true for valid tokens"),
        ..NOTHING
    },
];

#[test]
fn messages_set_apart_are_read_as_a_person_would() {
    check(CASES);
}

/// Written when the rules had read all the others.
const LATER: &[Case] = &[
    Case {
        message: "I've now wired the new importer into the CLI. You can run it with `acme import --from csv data.csv`.\n\n**Changes**\n- `cli/import.rs`: new subcommand\n- `core/csv.rs`: streaming reader\n\n**Not done yet**\n- Excel files",
        claim: Some("Wired the new importer into the CLI"),
        next_steps: &["Excel files"],
        ..NOTHING
    },
    Case {
        message: "Fixed the crash when the window is resized below 200 px. The layout code divided by the number of visible columns, which was zero.",
        claim: Some("Fixed the crash when the window is resized below 200 px"),
        ..NOTHING
    },
    Case {
        message: "The test suite takes 14 minutes because every test starts its own Postgres container.",
        claim: Some("The test suite takes 14 minutes"),
        answer: Some("The test suite takes 14 minutes because every test starts its own Postgres container."),
        ..NOTHING
    },
    Case {
        message: "## ✅ Implementation Complete\n\nI have implemented the password reset flow end to end.\n\n### Files Modified\n- `auth/reset.py`\n- `templates/reset.html`\n\n### Testing\n- Added 6 unit tests\n- All 143 tests pass\n\n### Remaining Tasks\n- [ ] Configure the mail provider in production\n- [ ] Add rate limiting to the endpoint",
        claim: Some("Implemented the password reset flow end to end"),
        next_steps: &["Configure the mail provider in production", "Add rate limiting to the endpoint"],
        ..NOTHING
    },
    Case {
        message: "Sure thing! I've extracted the date helpers into `lib/dates.ts` and replaced the seven copies with imports.",
        claim: Some("Extracted the date helpers into lib/dates.ts"),
        ..NOTHING
    },
    Case {
        message: "No, `Arc` isn't needed there. The value is only read on one thread, so a plain reference works.",
        claim: Some("Arc isn't needed there"),
        answer: Some(
            "No, Arc isn't needed there. The value is only read on one thread, so a plain reference works.",
        ),
        ..NOTHING
    },
    Case {
        message: "I've updated the README with installation instructions for macOS and Linux.\n\nHappy to add Windows too if you'd like.",
        claim: Some("Updated the README with installation instructions for macOS and Linux"),
        ..NOTHING
    },
    Case {
        message: "The deploy failed because the image tag contained a slash. I replaced slashes with dashes in `scripts/tag.sh`, and the pipeline is green.",
        claim: Some("Replaced slashes with dashes in scripts/tag.sh, and the pipeline is green"),
        learned: &["The deploy failed because the image tag contained a slash"],
        ..NOTHING
    },
    Case {
        message: "Implemented the following:\n\n1. `Cache::get` is lock-free on the hot path.\n2. Eviction runs on a background thread.\n\nBenchmarks show a 3x improvement.",
        claim: Some("Cache::get is lock-free on the hot path"),
        ..NOTHING
    },
    Case {
        message: "I reviewed the pull request. Overall it looks solid. Two issues stand out:\n\n1. `retry()` swallows cancellation.\n2. The timeout is never applied to the body.",
        claim: Some("Two issues stand out"),
        answer: Some("Two issues stand out: retry() swallows cancellation."),
        ..NOTHING
    },
    Case {
        message: "Everything is set up. The staging environment runs on the new cluster, and DNS points to it.\n\nWhen should we cut over production: tonight or after the freeze?",
        claim: Some("The staging environment runs on the new cluster, and DNS points to it"),
        questions: &["When should we cut over production: tonight or after the freeze?"],
        ..NOTHING
    },
    Case {
        message: "Heads up: the lockfile had two versions of `react`, which broke hooks. I deduplicated it.",
        claim: Some("The lockfile had two versions of react, which broke hooks"),
        learned: &["The lockfile had two versions of react, which broke hooks"],
        ..NOTHING
    },
    Case {
        message: "Renamed `Manager` to `Session` everywhere.",
        claim: Some("Renamed Manager to Session everywhere"),
        ..NOTHING
    },
    Case {
        message: "I ran the profiler. 70 % of the time is spent in `serde_json::from_str`.\n\nNext steps:\n1. Cache the parsed config.\n2. Switch the hot path to `simd-json`. It is a drop-in.",
        claim: Some("70 % of the time is spent in serde_json::from_str"),
        answer: Some("70 % of the time is spent in serde_json::from_str."),
        next_steps: &["Cache the parsed config", "Switch the hot path to simd-json"],
        ..NOTHING
    },
    Case {
        message: "### Summary of changes\n\n**Backend**\n- Return 409 instead of 500 when the email is taken\n\n**Frontend**\n- Show the message under the field",
        claim: Some("Return 409 instead of 500 when the email is taken"),
        ..NOTHING
    },
    Case {
        message: "Thanks! That error means the emulator is not running. Start it with `make emulator` and try again.",
        claim: Some("That error means the emulator is not running"),
        answer: Some(
            "That error means the emulator is not running. Start it with make emulator and try again.",
        ),
        ..NOTHING
    },
    Case {
        message: "The endpoint now validates the signature before it parses the body. I also rotated the example key in the docs.\n\nYou'll still need to update the secret in the dashboard.",
        claim: Some("The endpoint now validates the signature before it parses the body"),
        next_steps: &["Update the secret in the dashboard"],
        ..NOTHING
    },
    Case {
        message: "I stopped here because the migration would delete data. Should I keep the `notes` column, or is it safe to drop?",
        claim: Some("Stopped here because the migration would delete data"),
        questions: &["Should I keep the notes column, or is it safe to drop?"],
        ..NOTHING
    },
    Case {
        message: "Removed 1,200 lines of dead code across 14 files; the public API is unchanged.",
        claim: Some("Removed 1,200 lines of dead code across 14 files; the public API is unchanged"),
        ..NOTHING
    },
    Case {
        message: "What I found:\n\n- The job runs every five minutes, not every hour.\n- Its lock is never released when it panics.\n\nWhat I changed:\n\n- Release the lock in a `defer`.",
        claim: Some("The job runs every five minutes, not every hour"),
        ..NOTHING
    },
];

#[test]
fn messages_written_later_are_read_as_a_person_would() {
    check(LATER);
}
