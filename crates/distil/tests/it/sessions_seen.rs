//! Made-up sessions as different as real standing, and beside each the memories a careful engineer would want of it.
//!
//! The rules were improved against these; `sessions_held_out` was written at the same time and looked at only afterwards.

use crate::distil_sessions::Session;
use crate::recording::Recording;
use backstory_memory::{Activity, Provenance, Subagent};

pub(crate) const SESSIONS: &[Session] = &[
    Session {
        name: "a feature, test first, in two turns",
        wants: &["feature: --json list", "feature: --json show"],
        tells: test_first,
    },
    Session { name: "a flaky test", wants: &["failure|discovery|fact: reconnect"], tells: flaky },
    Session { name: "a lint loop", wants: &["change|refactor|bugfix: unused imports"], tells: lint_loop },
    Session {
        name: "a missing dependency is installed",
        wants: &["failure: httpx", "?fact: httpx"],
        tells: missing_dependency,
    },
    Session { name: "debugging without a fix", wants: &["discovery|failure: goroutine"], tells: no_fix },
    Session {
        name: "an interrupted turn",
        wants: &["change|refactor|feature: config loader toml"],
        tells: interrupted,
    },
    Session { name: "a pure question", wants: &["discovery: retries idempotent"], tells: question },
    Session { name: "a code review", wants: &["discovery: race"], tells: review },
    Session { name: "a plan is written", wants: &["change|decision|feature: billing"], tells: plan },
    Session { name: "a refactor across files", wants: &["refactor: pricing"], tells: refactor },
    Session { name: "documentation only", wants: &["change: readme"], tells: docs },
    Session { name: "a rebase with a conflict", wants: &["?change: rebased"], tells: rebase },
    Session {
        name: "several commits in a turn",
        // One memory a turn: the other commits are among its facts.
        wants: &["bugfix: null avatar"],
        tells: several_commits,
    },
    Session { name: "subagents", wants: &["feature: rate limit"], tells: subagents },
    Session {
        name: "the user changes their mind twice",
        wants: &[
            "decision: redis",
            "feature|change|refactor: redis",
            "feature|change|refactor: postgres",
            "change|refactor|feature: back redis",
        ],
        tells: changed_minds,
    },
    Session {
        name: "a rule in the middle of a request",
        wants: &["feature: date picker", "rule|fact|decision: default exports"],
        tells: rule_in_request,
    },
    Session { name: "a pasted stack trace", wants: &["bugfix: email"], tells: stack_trace },
    Session { name: "quoted documentation", wants: &["discovery: signature"], tells: quoted_docs },
    Session { name: "errors that are no failures", wants: &["discovery: moment"], tells: no_failures },
    Session { name: "a dev server", wants: &["?discovery: health"], tells: dev_server },
    Session {
        name: "the same failure in three sessions",
        wants: &["fact: digital envelope", "failure: digital envelope"],
        tells: three_sessions,
    },
    Session { name: "a compaction in the middle", wants: &["feature: webhook deliver"], tells: compaction },
];

fn test_first(story: &mut Recording) {
    story
        .asks("Add a --json flag to the `list` command. Write the test first please.")
        .looks("src/commands/list.rs")
        .looks("tests/list.rs")
        .creates(
            "tests/list_json.rs",
            "#[test]\nfn list_prints_json() {\n    let out = run(&[\"list\", \"--json\"]);\n    assert_eq!(out, \"[]\\n\");\n}\n",
        )
        .fails(
            "cargo test --test list_json",
            "   Compiling shelf v0.3.0 (/home/ann/shelf)\n    Finished `test` profile target(s) in 2.31s\n     Running tests/list_json.rs\n\nrunning 1 test\ntest list_prints_json ... FAILED\n\nfailures:\n\n---- list_prints_json stdout ----\nthread 'list_prints_json' panicked at tests/list_json.rs:4:5:\nassertion `left == right` failed\n  left: \"error: unexpected argument '--json' found\\n\"\n right: \"[]\\n\"\n\nfailures:\n    list_prints_json\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n\nerror: test failed, to rerun pass `--test list_json`",
        )
        .edits("src/commands/list.rs", "pub struct ListArgs {}", "pub struct ListArgs {\n    /// Print JSON\n    #[arg(long)]\n    json: bool,\n}")
        .runs(
            "cargo test --test list_json",
            "running 1 test\ntest list_prints_json ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s",
        );
    story.closes("`list` now accepts `--json` and prints the books as a JSON array.\n\n- Test first: `tests/list_json.rs` failed with *unexpected argument*, then passed.\n- Empty shelves print `[]`.\n\nLet me know if you want the same for `show`.");
    story
        .asks("yes, do the same for show")
        .edits("tests/show.rs", "mod support;", "mod support;\n\n#[test]\nfn show_prints_json() {\n    assert!(run(&[\"show\", \"1\", \"--json\"]).starts_with('{'));\n}")
        .fails(
            "cargo test --test show",
            "running 1 test\ntest show_prints_json ... FAILED\n\nfailures:\n\n---- show_prints_json stdout ----\nthread 'show_prints_json' panicked at tests/show.rs:5:5:\nassertion failed: run(&[\"show\", \"1\", \"--json\"]).starts_with('{')\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
        )
        .edits("src/commands/show.rs", "pub struct ShowArgs {\n    id: u64,\n}", "pub struct ShowArgs {\n    id: u64,\n    #[arg(long)]\n    json: bool,\n}")
        .runs("cargo test", "running 12 tests\ntest result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.11s");
    story.closes("Done! `show` takes `--json` too, with the same field names as `list`. All 12 tests pass.");
}

fn flaky(story: &mut Recording) {
    story
        .asks("run the whole vitest suite")
        .fails(
            "npx vitest run",
            " RUN  v2.1.4 /home/li/chat\n\n ❯ src/socket.test.ts (6 tests | 1 failed) 5312ms\n   × reconnects after a dropped connection 5003ms\n     → Test timed out in 5000ms.\n\n FAIL  src/socket.test.ts > reconnects after a dropped connection\nError: Test timed out in 5000ms.\nIf this is a long-running test, pass a timeout value as the last argument or configure it globally with \"testTimeout\".\n\n Test Files  1 failed | 11 passed (12)\n      Tests  1 failed | 87 passed (88)",
        )
        .runs("npx vitest run src/socket.test.ts", " ✓ src/socket.test.ts (6 tests) 812ms\n\n Test Files  1 passed (1)\n      Tests  6 passed (6)")
        .runs("npx vitest run", " Test Files  12 passed (12)\n      Tests  88 passed (88)");
    story.closes("87 of 88 passed on the first run; `reconnects after a dropped connection` timed out once and passed on two reruns, so it is flaky: it waits for a real 1 s reconnect timer. I changed nothing.");
}

fn lint_loop(story: &mut Recording) {
    story
        .asks("make eslint pass in src/api")
        .fails(
            "npx eslint src/api",
            "/home/li/chat/src/api/users.ts\n   1:10  error  'z' is defined but never used  @typescript-eslint/no-unused-vars\n  14:22  error  Unexpected any. Specify a different type  @typescript-eslint/no-explicit-any\n\n✖ 2 problems (2 errors, 0 warnings)",
        )
        .edits("src/api/users.ts", "import { z } from 'zod';\n", "")
        .fails(
            "npx eslint src/api",
            "/home/li/chat/src/api/users.ts\n  13:22  error  Unexpected any. Specify a different type  @typescript-eslint/no-explicit-any\n\n✖ 1 problem (1 error, 0 warnings)",
        )
        .edits("src/api/users.ts", "body: any", "body: unknown")
        .fails(
            "npx eslint src/api && npx tsc --noEmit",
            "src/api/users.ts(13,22): error TS2571: Object is of type 'unknown'.",
        )
        .edits("src/api/users.ts", "body: unknown", "body: UserBody")
        .runs("npx eslint src/api && npx tsc --noEmit", "");
    story.closes("ESLint is clean in `src/api` and `tsc` passes. I removed the unused imports and replaced `any` with a `UserBody` type.");
}

fn missing_dependency(story: &mut Recording) {
    story
        .asks("Run the test suite and tell me whether it is green.")
        .fails(
            "uv run pytest -q",
            "==================================== ERRORS ====================================\n_____________________ ERROR collecting tests/test_api.py ______________________\nImportError while importing test module '/home/sam/shop/tests/test_api.py'.\ntests/test_api.py:3: in <module>\n    from fastapi.testclient import TestClient\nE   ModuleNotFoundError: No module named 'httpx'\n=========================== short test summary info ============================\nERROR tests/test_api.py\n!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!\n1 error in 0.61s",
        )
        .runs("uv add --dev httpx", "Resolved 41 packages in 210ms\nInstalled 4 packages in 12ms\n + httpx==0.27.2")
        .runs("uv run pytest -q", "..........................................                               [100%]\n42 passed in 1.94s");
    story.closes("It is green now: 42 tests pass. I had to install `httpx` as a dev dependency, because FastAPI's `TestClient` needs it.");
}

fn no_fix(story: &mut Recording) {
    story
        .asks("The worker leaks goroutines after each reconnect. Find out why.")
        .looks("internal/worker/worker.go")
        .looks("internal/worker/reconnect.go")
        .fails(
            "go test ./internal/worker -run TestReconnectLeak -count=1",
            "--- FAIL: TestReconnectLeak (1.52s)\n    reconnect_test.go:48: goroutines: got 24, want <= 4\nFAIL\nFAIL\texample.com/relay/internal/worker\t1.530s\nFAIL",
        )
        .edits("internal/worker/reconnect.go", "\tgo w.pump(ctx)", "\tlog.Printf(\"pump start\")\n\tgo w.pump(ctx)")
        .fails(
            "go test ./internal/worker -run TestReconnectLeak -count=1 -v",
            "2027/01/12 pump start\n2027/01/12 pump start\n--- FAIL: TestReconnectLeak (1.50s)\n    reconnect_test.go:48: goroutines: got 24, want <= 4\nFAIL\nFAIL\texample.com/relay/internal/worker\t1.512s\nFAIL",
        )
        .edits("internal/worker/reconnect.go", "\tlog.Printf(\"pump start\")\n\tgo w.pump(ctx)", "\tgo w.pump(ctx)");
    story.closes("I have not found the cause yet. What I know so far:\n\n- The goroutine count grows by two per reconnect.\n- `pump` is started once per reconnect, so the second one comes from somewhere else.\n\nI removed my logging again. Next I would take a pprof goroutine profile after ten reconnects.");
}

fn interrupted(story: &mut Recording) {
    story
        .asks("Migrate the config loader from YAML to TOML")
        .looks("src/config.rs")
        .edits("Cargo.toml", "serde_yaml = \"0.9\"", "toml = \"0.8\"")
        .edits("src/config.rs", "serde_yaml::from_str(&text)", "toml::from_str(&text)")
        .happens(Activity::TurnBroken { error: "interrupted by user".into() }, Provenance::Tool);
}

fn question(story: &mut Recording) {
    story
        .asks("How does the retry backoff work in our HTTP client?")
        .looks("src/client/retry.ts")
        .looks("src/client/index.ts");
    story.closes("The client retries idempotent requests up to five times with exponential backoff, starting at 200 ms and capped at 10 s.\n\nIt lives in `src/client/retry.ts`:\n\n```ts\nconst delay = Math.min(200 * 2 ** attempt, 10_000);\n```\n\nPOST requests are retried only when they carry an `Idempotency-Key` header.");
    story.asks("thanks, great explanation!").closes("You're welcome! Let me know if anything else comes up.");
    story
        .asks("what's the difference between Promise.all and Promise.allSettled?")
        .closes("`Promise.all` rejects as soon as one promise rejects; `Promise.allSettled` waits for all of them and reports each outcome.");
}

fn review(story: &mut Recording) {
    story
        .asks("Please review the diff of this branch against main. Be strict.")
        .runs(
            "git diff main...HEAD --stat",
            " src/cache.go | 42 ++++++++++++++++++++\n 1 file changed, 42 insertions(+)",
        )
        .looks("src/cache.go");
    story.closes("## Review\n\nThe cache has a data race: `Get` reads the map without the lock while `evict` writes it.\n\n| # | Severity | Where | Finding |\n|---|---|---|---|\n| 1 | **High** | `cache.go:31` | `Get` must always hold the read lock |\n| 2 | Low | `cache.go:12` | Never export the mutex |\n\n### Recommendation\n\nDo not merge before 1 is fixed. We should use `sync.Map` or an `RWMutex`.\n\nWould you like me to fix these?");
}

fn plan(story: &mut Recording) {
    story
        .asks("Write a plan for splitting the billing module out of the monolith into docs/plans/billing.md. Don't change any code yet.")
        .looks("app/billing")
        .looks("app/orders/checkout.py")
        .plans(&[("Read the billing module", true), ("Write the plan", true)])
        .creates("docs/plans/billing.md", "# Splitting billing\n\n## Step 1: a facade\n\nAll callers must use the facade.\n\n## Step 2: own schema\n");
    story.closes("The plan for splitting out billing is in `docs/plans/billing.md`. It has four steps:\n\n1. **Facade**: all callers go through `billing.api`.\n2. **Own schema**: move the five tables into a `billing` schema.\n3. **Events** instead of direct calls.\n4. **Extract** the service.\n\nThe riskiest step is 2, because checkout joins `invoices` directly. No code was changed.");
}

fn refactor(story: &mut Recording) {
    story
        .asks("Extract the pricing code from OrderService into its own class. No behaviour change please.")
        .looks("src/main/java/shop/OrderService.java")
        .creates("src/main/java/shop/PricingService.java", "package shop;\n\nclass PricingService {\n    long total(Order order) {\n        return order.lines().stream().mapToLong(Line::cents).sum();\n    }\n}\n")
        .edits("src/main/java/shop/OrderService.java", "    long total(Order order) {\n        return order.lines().stream().mapToLong(Line::cents).sum();\n    }\n", "")
        .fails(
            "mvn -q compile",
            "[ERROR] COMPILATION ERROR :\n[ERROR] /home/eva/shop/src/main/java/shop/CheckoutController.java:[31,28] cannot find symbol\n  symbol:   method total(shop.Order)\n  location: variable orders of type shop.OrderService\n[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.11.0:compile (default-compile) on project shop: Compilation failure",
        )
        .edits("src/main/java/shop/CheckoutController.java", "orders.total(order)", "pricing.total(order)")
        .runs("mvn -q compile", "")
        .runs("mvn -q test", "[INFO] Tests run: 64, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS");
    story.closes("I've extracted the pricing logic into `PricingService`; `OrderService` and `CheckoutController` now delegate to it. Behaviour is unchanged and all 64 tests pass.");
}

fn docs(story: &mut Recording) {
    story
        .asks("The env vars were renamed to SHELF_*. Update the README accordingly.")
        .looks("README.md")
        .edits("README.md", "`BOOK_HOME`", "`SHELF_HOME`")
        .edits("README.md", "`BOOK_LOG`", "`SHELF_LOG`");
    story.closes("Updated the README: both environment variables are now documented under their new names, `SHELF_HOME` and `SHELF_LOG`.");
}

fn rebase(story: &mut Recording) {
    story
        .asks("rebase this branch onto main and resolve the conflicts")
        .runs("git fetch origin", "")
        .fails(
            "git rebase origin/main",
            "Auto-merging src/routes.ts\nCONFLICT (content): Merge conflict in src/routes.ts\nerror: could not apply 3f2a1bc... Add search route\nhint: Resolve all conflicts manually, mark them as resolved with\nhint: \"git add/rm <conflicted_files>\", then run \"git rebase --continue\".\nCould not apply 3f2a1bc... Add search route",
        )
        .edits("src/routes.ts", "<<<<<<< HEAD\nroute('/tags', tags);\n=======\nroute('/search', search);\n>>>>>>> 3f2a1bc (Add search route)", "route('/tags', tags);\nroute('/search', search);")
        .runs("git add src/routes.ts && GIT_EDITOR=true git rebase --continue", "[detached HEAD 9d1e2f3] Add search route\nSuccessfully rebased and updated refs/heads/search.");
    story.closes("Rebased onto `main`. There was one conflict, in `src/routes.ts`; I kept both routes.");
}

fn several_commits(story: &mut Recording) {
    story
        .asks("Fix the crash for users without an avatar, then add avatar upload, and bump sharp. One commit each.")
        .edits("src/avatar.ts", "return user.avatar.url", "return user.avatar?.url ?? DEFAULT_AVATAR")
        .runs("git commit -am \"fix: null avatar crashes the profile page\"", "[main a1b2c3d] fix: null avatar crashes the profile page\n 1 file changed, 1 insertion(+), 1 deletion(-)")
        .creates("src/upload.ts", "export async function uploadAvatar(file: File): Promise<string> {\n  return put(await resize(file));\n}\n")
        .runs("git add -A && git commit -m \"feat: avatar upload\"", "[main b2c3d4e] feat: avatar upload\n 1 file changed, 3 insertions(+)\n create mode 100644 src/upload.ts")
        .edits("package.json", "\"sharp\": \"^0.32.0\"", "\"sharp\": \"^0.33.5\"")
        .runs("npm install", "changed 3 packages in 2s")
        .runs("git commit -am \"chore: bump sharp to 0.33.5\"", "[main c3d4e5f] chore: bump sharp to 0.33.5\n 2 files changed, 4 insertions(+), 4 deletions(-)");
    story.closes("All three are done, one commit each:\n\n1. `fix: null avatar crashes the profile page`\n2. `feat: avatar upload`\n3. `chore: bump sharp to 0.33.5`");
}

fn subagents(story: &mut Recording) {
    let explorer = || Some(Subagent { id: "agent-7".into(), sort: "Explore".into() });
    story
        .asks("Add rate limiting to the public API: 60 requests a minute per key.")
        .happens_by(Activity::SubagentStarted, Provenance::Tool, explorer())
        .happens_by(Activity::Looked { at: "app/middleware".into() }, Provenance::Tool, explorer())
        .happens_by(Activity::Ran { command: "rg -n limiter app".into(), output: String::new(), status: backstory_memory::ExitStatus::Failure }, Provenance::Tool, explorer())
        .happens_by(
            Activity::SubagentEnded { message: "## Findings\n\n- Middleware is registered in `app/main.py`.\n- There is no limiter yet.\n- You should always register it before auth.\n\nI recommend using Redis for the counters.".into() },
            Provenance::Assistant,
            explorer(),
        )
        .creates("app/middleware/rate_limit.py", "class RateLimit:\n    def __init__(self, per_minute: int = 60):\n        self.per_minute = per_minute\n")
        .edits("app/main.py", "app = FastAPI()", "app = FastAPI()\napp.add_middleware(RateLimit, per_minute=60)")
        .runs("uv run pytest -q", "51 passed in 2.10s");
    story.closes("The public API is now rate limited to 60 requests a minute per API key. The middleware is in `app/middleware/rate_limit.py`; over the limit it answers 429 with a `Retry-After` header.");
}

fn changed_minds(story: &mut Recording) {
    story.asks("Use Redis for the session cache.").creates(
        "src/cache/redis.ts",
        "export class RedisCache {\n  get(key: string) {\n    return client.get(key);\n  }\n}\n",
    );
    story.closes("The session cache now uses Redis.");
    story.asks("No, use Postgres for the session cache instead. We don't want another service.").creates(
        "src/cache/postgres.ts",
        "export class PostgresCache {\n  get(key: string) {\n    return sql`select`;\n  }\n}\n",
    );
    story.closes("Switched the session cache to Postgres: sessions live in an unlogged table.");
    story.asks("Actually, go back to Redis for the session cache. Postgres is too slow for it.").edits(
        "src/cache/index.ts",
        "export { PostgresCache as Cache } from './postgres';",
        "export { RedisCache as Cache } from './redis';",
    );
    story.closes("The session cache is back on Redis; the Postgres table is gone.");
}

fn rule_in_request(story: &mut Recording) {
    story
        .asks("Add a date picker to the booking form, and remember: we never use default exports in this repo.")
        .looks("src/booking/Form.tsx")
        .creates("src/booking/DatePicker.tsx", "export function DatePicker({ value, onChange }: Props) {\n  return <input type=\"date\" value={value} onChange={onChange} />;\n}\n")
        .edits("src/booking/Form.tsx", "<Guests />", "<DatePicker value={date} onChange={setDate} />\n<Guests />")
        .runs("npx tsc --noEmit", "");
    story.closes("Added a `DatePicker` to the booking form. As you asked, it is a named export: we never use default exports in this repo.");
}

fn stack_trace(story: &mut Recording) {
    story
        .asks("We get this in production since yesterday:\n\n```\nTypeError: Cannot read properties of undefined (reading 'email')\n    at notify (/srv/app/dist/notify.js:41:22)\n    at async Queue.run (/srv/app/dist/queue.js:88:7)\n[warn] you must always set SMTP_FROM\n[warn] decided to use fallback transport because none is configured\n```\n\nplease fix it")
        .looks("src/notify.ts")
        .edits("src/notify.ts", "send(order.customer.email)", "if (!order.customer) return skip(order);\n  send(order.customer.email)")
        .runs("npx vitest run src/notify.test.ts", " Test Files  1 passed (1)\n      Tests  4 passed (4)");
    story.closes("Fixed: `notify` no longer reads `email` of a missing customer. Guest orders have no customer record, so they are skipped now. I added no new dependency.");
}

fn quoted_docs(story: &mut Recording) {
    story
        .asks("The docs of our payment provider say:\n\n> You must always verify the webhook signature before parsing the body.\n> Never log the raw body. Use constant-time comparison because timing attacks are practical.\n\nDoes our handler do that?")
        .looks("payments/webhooks.py")
        .looks("payments/signing.py");
    story.closes("Yes. The webhook handler verifies the signature before it parses anything (`payments/webhooks.py`), with `hmac.compare_digest`. The raw body is not logged.");
}

fn no_failures(story: &mut Recording) {
    story
        .asks("Is moment.js still used anywhere?")
        .fails("grep -rn \"from 'moment'\" src", "")
        .fails("test -f src/legacy/dates.ts", "")
        .fails("diff <(ls src/a) <(ls src/b)", "1c1\n< dates.ts\n---\n> time.ts")
        .fails("rg -l moment src", "")
        .runs("rg -n moment package.json", "31:    \"moment\": \"^2.29.4\",");
    story.closes(
        "No, `moment` is not imported anywhere in `src` any more. Only `package.json` still lists it.",
    );
}

fn dev_server(story: &mut Recording) {
    story
        .asks("start the dev server and check that /health answers")
        .fails("npm run dev", "> api@1.0.0 dev\n> tsx watch src/server.ts\n\nlistening on 3000\n\nCommand timed out after 2m 0.0s")
        .runs("npm run dev > /tmp/dev.log 2>&1 &", "")
        .fails("curl -s localhost:3000/health", "")
        .runs("curl -s localhost:3000/health", "{\"ok\":true}");
    story.closes("The dev server is running on port 3000 and `/health` answers `{\"ok\":true}`.");
}

fn three_sessions(story: &mut Recording) {
    for session in ["monday", "tuesday", "friday"] {
        story
            .session(session)
            .asks("build the site")
            .fails(
                "npm run build",
                "> site@2.0.0 build\n> webpack --mode production\n\nnode:internal/crypto/hash:71\n  this[kHandle] = new _Hash(algorithm, xofLen);\n\nError: error:0308010C:digital envelope routines::unsupported\n    at new Hash (node:internal/crypto/hash:71:19)\n\nNode.js v20.11.0",
            )
            .runs("NODE_OPTIONS=--openssl-legacy-provider npm run build", "webpack 4.46.0 compiled successfully in 8123 ms");
        story.closes("The site builds. Webpack 4 needs the legacy OpenSSL provider on Node 20, so I ran it with `NODE_OPTIONS=--openssl-legacy-provider`.");
    }
}

fn compaction(story: &mut Recording) {
    story
        .asks("Build webhook delivery: a queue, signing, and retries with backoff.")
        .plans(&[("Queue table", true), ("Signing", false), ("Retries", false)])
        .creates("internal/webhook/queue.go", "package webhook\n\nfunc Enqueue(e Event) error { return nil }\n")
        .creates("internal/webhook/sign.go", "package webhook\n\nfunc Sign(body []byte, key []byte) string { return \"\" }\n")
        .compacts()
        .creates("internal/webhook/retry.go", "package webhook\n\nimport \"time\"\n\nfunc Backoff(attempt int) time.Duration { return time.Second << attempt }\n")
        .plans(&[("Queue table", true), ("Signing", true), ("Retries", true)])
        .runs("go test ./...", "ok  \texample.com/relay/internal/webhook\t0.412s");
    story.closes("Webhook delivery is complete: events are queued in Postgres, signed with HMAC-SHA256 and retried up to eight times with exponential backoff.");
}
