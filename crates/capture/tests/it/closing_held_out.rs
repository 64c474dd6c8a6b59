//! Closing messages that were set apart while the rules were made, and what each says.

use crate::closing_cases::{Case, NOTHING, misread};

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
        claim: Some("Webpack 6 drops the loader API that our-loader relies on"),
        next_steps: &["Rewrite our-loader as a plugin", "Retry the upgrade"],
        answer: Some(
            "I couldn't finish the upgrade: webpack 6 drops the loader API that our-loader relies on.",
        ),
        ..NOTHING
    },
    Case { message: "Ok, pushed.", ..NOTHING },
    Case {
        message: "Implemented. `backstop sync` now resumes from the last acknowledged row, and a second run is a no-op.\n\n```\n$ backstop sync\nFixed 12 rows\n```",
        claim: Some("Backstop sync now resumes from the last acknowledged row"),
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
    let misread: Vec<String> = CASES.iter().flat_map(misread).collect();
    assert!(
        misread.is_empty(),
        "{} parts of {} messages\n{}",
        misread.len(),
        CASES.len(),
        misread.join("\n")
    );
}
