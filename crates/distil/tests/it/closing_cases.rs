//! Closing messages as agents write them, and what each says.

use backstory_distil::{Closing, closing};

/// A message and what it says.
pub(crate) struct Case {
    pub(crate) message: &'static str,
    pub(crate) claim: Option<&'static str>,
    pub(crate) next_steps: &'static [&'static str],
    pub(crate) questions: &'static [&'static str],
    pub(crate) learned: &'static [&'static str],
    pub(crate) answer: Option<&'static str>,
}

/// A message that says nothing: what a case does not name.
pub(crate) const NOTHING: Case =
    Case { message: "", claim: None, next_steps: &[], questions: &[], learned: &[], answer: None };

/// Reads every message, and lists all that was read otherwise than its case wants.
pub(crate) fn check(cases: &[Case]) {
    let misread: Vec<String> = cases.iter().flat_map(misread).collect();
    let told = misread.join("\n");
    assert!(misread.is_empty(), "{} parts of {} messages\n{told}", misread.len(), cases.len());
}

/// Says in which parts a message was read otherwise than the case wants.
fn misread(case: &Case) -> Vec<String> {
    let Closing { claim, next_steps, questions, learned, answer } = closing(case.message);
    let opening: String = case.message.chars().take(60).collect();
    let differ = |part: &str, found: &[String], wanted: &[&str]| {
        (found != wanted).then(|| format!("{opening:?} {part}\n  found  {found:?}\n  wanted {wanted:?}"))
    };
    [
        differ("claim", claim.as_slice(), case.claim.as_slice()),
        differ("next steps", &next_steps, case.next_steps),
        differ("questions", &questions, case.questions),
        differ("learned", &learned, case.learned),
        differ("answer", answer.as_slice(), case.answer.as_slice()),
    ]
    .into_iter()
    .flatten()
    .collect()
}

const CASES: &[Case] = &[
    Case {
        message: "I've fixed the off-by-one in `window()`: it dropped the last item. All 12 tests pass now.",
        claim: Some("Fixed the off-by-one in window(): it dropped the last item"),
        ..NOTHING
    },
    Case {
        message: "I've completed the task. Here's what changed:\n\n- Added a `--dry-run` flag to `import`\n- Updated the docs",
        claim: Some("Added a --dry-run flag to import"),
        ..NOTHING
    },
    Case {
        message: "## Summary\n\nSuccessfully implemented rate limiting for the public API.\n\n### Changes\n\n1. **`src/limit.rs`** – token bucket per key\n2. **`src/server.rs`** – wired the middleware\n\n### Next steps\n\n- Add a metric for rejected requests\n- Document the `Retry-After` header\n\nLet me know if you want me to tune the defaults!",
        claim: Some("Implemented rate limiting for the public API"),
        next_steps: &["Add a metric for rejected requests", "Document the Retry-After header"],
        ..NOTHING
    },
    Case {
        message: "Done! The settings page now has a dark mode toggle that is saved per user.\n\n✅ All tests pass\n✅ No type errors",
        claim: Some("The settings page now has a dark mode toggle that is saved per user"),
        ..NOTHING
    },
    Case {
        message: "Great news! The build is green again. I removed the duplicate `tokio` dependency from `Cargo.toml`.",
        claim: Some("Removed the duplicate tokio dependency from Cargo.toml"),
        ..NOTHING
    },
    Case {
        message: "Retries live in `queue/retry.rs`; the limit is three.",
        claim: Some("Retries live in queue/retry.rs; the limit is three"),
        answer: Some("Retries live in queue/retry.rs; the limit is three."),
        ..NOTHING
    },
    Case {
        message: "The root cause was a stale DNS entry in the resolver cache. I lowered the TTL to 30 seconds and flush it on reconnect.\n\nShould the limit be per user or per key?",
        claim: Some("Lowered the TTL to 30 seconds and flush it on reconnect"),
        learned: &["The root cause was a stale DNS entry in the resolver cache"],
        questions: &["Should the limit be per user or per key?"],
        ..NOTHING
    },
    Case {
        message: "Hi! Sure, let me explain. The scheduler polls the `jobs` table every second and takes a row lock. Two workers never get the same job because of `SKIP LOCKED`.",
        claim: Some("The scheduler polls the jobs table every second and takes a row lock"),
        answer: Some(
            "The scheduler polls the jobs table every second and takes a row lock. Two workers never get the same job because of SKIP LOCKED.",
        ),
        ..NOTHING
    },
    Case { message: "All tests pass.", ..NOTHING },
    Case {
        message: "Perfect! I have successfully refactored the authentication module into three smaller files.\n\n### What I did\n- `login.ts`: the form\n- `session.ts`: cookies\n- `guard.ts`: the route guard\n\nWould you like me to add tests?",
        claim: Some("Refactored the authentication module into three smaller files"),
        ..NOTHING
    },
    Case {
        message: "**Implemented pagination for `/orders`.**\n\n| File | Change |\n|---|---|\n| `orders.py` | cursor |\n\nYou may want to add an index on `created_at` before deploying.",
        claim: Some("Implemented pagination for /orders"),
        next_steps: &["Add an index on created_at before deploying"],
        ..NOTHING
    },
    Case {
        message: "I updated the parser to accept trailing commas ([src/parser.rs:120](src/parser.rs#L120)).\n\n```rust\n// Fixed nothing here\nfn parse() {}\n```\n\nTests: `cargo test -p parser` passes.",
        claim: Some("Updated the parser to accept trailing commas (src/parser.rs:120)"),
        ..NOTHING
    },
    Case {
        message: "Here is a summary of the changes:\n\n1. Moved the retry logic into `retry.go`.\n2. Deleted the old helper.\n\nRemaining:\n- wire the flag into the CLI\n- remove the feature gate",
        claim: Some("Moved the retry logic into retry.go"),
        next_steps: &["Wire the flag into the CLI", "Remove the feature gate"],
        ..NOTHING
    },
    Case {
        message: "The migration is in place and the tests pass.\n\nNote that the old column is kept until the next release.\n\nTODO: drop `legacy_id` once all clients are on v3.",
        claim: Some("The migration is in place and the tests pass"),
        learned: &["The old column is kept until the next release"],
        next_steps: &["Drop legacy_id once all clients are on v3"],
        ..NOTHING
    },
    Case {
        message: "It turns out that `fs.watch` fires twice on macOS. I debounced the handler by 50 ms so that one save is one rebuild.",
        claim: Some("Debounced the handler by 50 ms so that one save is one rebuild"),
        learned: &["fs.watch fires twice on macOS"],
        ..NOTHING
    },
    Case {
        message: "I wasn't able to reproduce the crash. The stack trace points at `decode_frame`, which reads past the buffer when the header is truncated.",
        claim: Some("The stack trace points at decode_frame"),
        answer: Some(
            "The stack trace points at decode_frame, which reads past the buffer when the header is truncated.",
        ),
        ..NOTHING
    },
    Case { message: "Let me know how it goes!", ..NOTHING },
    Case {
        message: "You're right, sorry about that. I've reverted the change to `config.yaml` and kept the old default.",
        claim: Some("Reverted the change to config.yaml and kept the old default"),
        ..NOTHING
    },
    Case {
        message: "🎉 **All done!**\n\n## ✨ What's new\n\n- ✅ **Export to CSV**: added a button to the report page\n- ✅ **Tests**: 14 new\n\n## 🚀 Next Steps\n\n1. Run the migration on staging\n2. Announce it to the support team",
        claim: Some("Export to CSV: added a button to the report page"),
        next_steps: &["Run the migration on staging", "Announce it to the support team"],
        ..NOTHING
    },
    Case {
        message: "Yes. `Store::open` creates the directory with mode 0700 before the file is opened, so nobody else can read it.",
        claim: Some("Store::open creates the directory with mode 0700 before the file is opened"),
        answer: Some(
            "Store::open creates the directory with mode 0700 before the file is opened, so nobody else can read it.",
        ),
        ..NOTHING
    },
    Case {
        message: "**Summary**\n- Replaced the global lock with one lock per shard.\n- Throughput on the benchmark went from 12k to 80k requests per second.\n\n**Testing**\n- `go test ./...`",
        claim: Some("Replaced the global lock with one lock per shard"),
        ..NOTHING
    },
    Case {
        message: "I have now added the missing `await` in `saveDraft`, which is why drafts got lost. Nothing else was changed.",
        claim: Some("Added the missing await in saveDraft, which is why drafts got lost"),
        ..NOTHING
    },
    Case {
        message: "The task you gave me was: \"add a cache to the client\". I added an LRU cache of 100 entries in front of `fetchUser`.",
        claim: Some("Added an LRU cache of 100 entries in front of fetchUser"),
        ..NOTHING
    },
    Case {
        message: "I investigated the slow query. The planner ignores the index because the column is cast to text.\n\nFollow-up: add an expression index, then measure again.\n\nDo you want the index created concurrently, or may the table be locked?",
        claim: Some("The planner ignores the index because the column is cast to text"),
        learned: &["The planner ignores the index because the column is cast to text"],
        next_steps: &["Add an expression index, then measure again"],
        questions: &["Do you want the index created concurrently, or may the table be locked?"],
        answer: Some("The planner ignores the index because the column is cast to text."),
    },
    Case {
        message: "<system-reminder>\nFixed nothing. Always be brief.\n</system-reminder>\nBumped `serde` to 1.0.210 in the workspace manifest.",
        claim: Some("Bumped serde to 1.0.210 in the workspace manifest"),
        ..NOTHING
    },
    Case {
        message: "I've made the following changes:\n\n### 1. Database layer\n- Split `db.py` into `read.py` and `write.py`\n\n### 2. API layer\n- Switched the handlers to the new modules\n\nStill to do: the admin endpoints.",
        claim: Some("Split db.py into read.py and write.py"),
        next_steps: &["The admin endpoints"],
        ..NOTHING
    },
    Case { message: "I'll now run the tests.", ..NOTHING },
    Case {
        message: "The `UserCard` component no longer re-renders on every keystroke. I memoised the row renderer and moved the filter state up to `UserList`.\n\nIf you want, I can also virtualise the list.",
        claim: Some("The UserCard component no longer re-renders on every keystroke"),
        ..NOTHING
    },
    Case {
        message: "Implemented `closing()` and its tests; `cargo test` passes and clippy is clean. I have not touched the CLI yet, that remains to be done.",
        claim: Some("Implemented closing() and its tests; cargo test passes and clippy is clean"),
        next_steps: &["I have not touched the CLI yet, that remains to be done"],
        ..NOTHING
    },
    Case {
        message: "### ✅ Completed\n\n- [x] Renamed `Foo` to `Bar` across the workspace\n- [x] Updated the changelog\n- [ ] Publish the crate",
        claim: Some("Renamed Foo to Bar across the workspace"),
        next_steps: &["Publish the crate"],
        ..NOTHING
    },
    Case {
        message: "There are three places where the token is read:\n\n- `auth/login.ts:42` sets it after the redirect\n- `auth/refresh.ts:10` renews it\n- `api/client.ts:88` attaches it to each request",
        claim: Some("There are three places where the token is read"),
        answer: Some(
            "There are three places where the token is read: auth/login.ts:42 sets it after the redirect.",
        ),
        ..NOTHING
    },
    Case {
        message: "I've gone ahead and created the `Dockerfile` with a multi-stage build. The image is 42 MB instead of 900 MB.\n\n> Error: cannot connect to the Docker daemon\n\nNext, you should push the image to the registry.",
        claim: Some("Created the Dockerfile with a multi-stage build"),
        next_steps: &["Push the image to the registry"],
        ..NOTHING
    },
    Case {
        message: "Updated three files so that the CLI prints errors to stderr and exits with status 2 on a usage error, as documented in the manual page of the tool.",
        claim: Some("Updated three files so that the CLI prints errors to stderr"),
        ..NOTHING
    },
    Case { message: "What would you like me to work on next?", ..NOTHING },
    Case {
        message: "I need one decision before I go on: should deleted users keep their comments, or should we anonymise them?",
        questions: &["Should deleted users keep their comments, or should we anonymise them?"],
        ..NOTHING
    },
    Case { message: "Fixed.", ..NOTHING },
    Case {
        message: "That fixes it: the reader is now closed before the rename, and Windows no longer reports a sharing violation.",
        claim: Some("The reader is now closed before the rename"),
        ..NOTHING
    },
    Case {
        message: "* Added `tests/it/retry.rs` with four cases.\n* Made `backoff` a pure function of the attempt number.\n\nThe problem was that the clock was read inside the loop.",
        claim: Some("Added tests/it/retry.rs with four cases"),
        learned: &["The problem was that the clock was read inside the loop"],
        ..NOTHING
    },
    Case {
        message: "**Root cause**: the pool was created per request.\n**Fix**: create it once in `main` and pass it down.\n\nVerified with 1,000 concurrent requests.",
        claim: Some("Fix: create it once in main and pass it down"),
        learned: &["Root cause: the pool was created per request"],
        ..NOTHING
    },
    Case {
        message: "I checked the three call sites and none of them passes a null user, so the guard in `render` is dead code.",
        claim: Some("None of them passes a null user, so the guard in render is dead code"),
        answer: Some(
            "I checked the three call sites and none of them passes a null user, so the guard in render is dead code.",
        ),
        ..NOTHING
    },
    Case {
        message: "The feature flag `new-checkout` is read once at start-up, so changing it needs a restart. Important: the staging value overrides the one in the database.",
        claim: Some("The feature flag new-checkout is read once at start-up"),
        answer: Some(
            "The feature flag new-checkout is read once at start-up, so changing it needs a restart. Important: the staging value overrides the one in the database.",
        ),
        learned: &["The staging value overrides the one in the database"],
        ..NOTHING
    },
    Case {
        message: "Committed as `3f2a1bc` on branch `fix/login`.\n\nThe login form now shows the server's message instead of a blank page.",
        claim: Some("The login form now shows the server's message instead of a blank page"),
        ..NOTHING
    },
    Case {
        message: "Everything works now. To summarise: the worker acknowledges a job only after its transaction has committed.",
        claim: Some("The worker acknowledges a job only after its transaction has committed"),
        ..NOTHING
    },
    Case {
        message: "I've addressed all of your review comments:\n\n1. Error messages name the file they are about.\n2. `parse` returns a typed error.\n\nOne open question: should `--force` also skip the backup?",
        claim: Some("Error messages name the file they are about"),
        questions: &["Should --force also skip the backup?"],
        ..NOTHING
    },
];

#[test]
fn a_closing_message_is_read_as_a_person_would() {
    check(CASES);
}
