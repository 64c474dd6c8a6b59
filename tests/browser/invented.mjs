// Plays an invented project through the real hooks at invented times, and takes the pictures of the documentation from the real viewer.
//
//   node tests/browser/invented.mjs FOLDER       run by scripts/screenshots

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { World, binary } from "./real.mjs";
import { launch, open, settled } from "./setting.mjs";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const NOW = Date.now();

/** Returns a source with a function changed in it: what an agent's edit leaves. */
const source = (name, body) => `"""Part of the harbour billing service."""\n\n\ndef ${name}:\n    ${body}\n`;

// Days ago, prompt, edits [file, before, after], a command with what it prints when it fails, the fix in words, the agent's closing words.
const SESSIONS = [
  [41, "The invoice list is slow past page 50. Find out why and fix it.", [["billing/invoices.py", "list_invoices(page)", "return query().offset(page * 50)", "return query().after(page.key).limit(50)"]], "pytest tests/test_invoices.py", null, "The invoice list pages by key now. Page 200 takes as long as page 1."],
  [39, "From now on we store money as integer minor units, never as floats. Change the totals.", [["billing/totals.py", "total(lines)", "return sum(line.amount * 1.19 for line in lines)", "return sum(line.minor_units for line in lines)"]], "pytest tests/test_totals.py", "E       AssertionError: assert 1999.9999999999998 == 2000", "Totals are sums of integer minor units. The drift of a cent is gone."],
  [36, "Add a test for pressing confirm twice, then fix the double charge.", [["billing/payments.py", "confirm(order)", "return charge(order, key=new_key())", "return charge(order, key=order.form_key)"]], "pytest tests/test_payments.py", "E       AssertionError: charged twice for order 17", "Pressing confirm twice charges once: the key is made when the form is drawn."],
  [33, "Why do sessions from last spring still open?", [], "grep -rn expire jobs/", null, "Login checks only the signature; `jobs/expire.py` removes sessions older than 30 days at night. I changed nothing."],
  [29, "Move the retry policy out of the client. Never retry a POST.", [["billing/retry.py", "with_backoff(call)", "return call()", "return call() if call.is_idempotent else once(call)"], ["billing/client.py", "send(request)", "return retry(request)", "return with_backoff(request)"]], "pytest tests/test_client.py", null, "The retry policy has its own module and retries idempotent requests only."],
  [26, "The weekly report is a day off for people in Lisbon.", [["jobs/report.py", "week_of(day)", "return day.isocalendar().week", "return day.astimezone(zone).isocalendar().week"]], "pytest tests/test_report.py", "E       AssertionError: 2026-W44 != 2026-W43", "Weeks are cut in the reader's zone now."],
  [22, "Tests must never sleep. Wait for the condition instead.", [["tests/eventually.py", "eventually(condition)", "time.sleep(2)", "return poll(condition, for_seconds=5)"]], "pytest tests", null, "`eventually` polls the condition; no test sleeps any more."],
  [19, "Let customers download their invoices as CSV.", [["billing/export.py", "export_csv(invoices)", "raise NotImplementedError", "return '\\n'.join(row(invoice) for invoice in invoices)"]], "pytest tests/test_export.py", "E       sqlite3.OperationalError: no such column: invoices.region", "Invoices can be exported as CSV. The tests needed `alembic upgrade head` first."],
  [15, "We decided to keep feature flags in one TOML file, because a flag service was one more thing to be down.", [["billing/flags.py", "load_flags(path)", "return service.flags()", "return tomllib.loads(path.read_text())"]], "pytest tests/test_flags.py", null, "Flags are read from one TOML file at start."],
  [12, "The webhook handler times out under load.", [["billing/webhooks.py", "handle(event)", "settle(event)", "queue.put(event)"]], "pytest tests/test_webhooks.py", "E       TimeoutError: handler took 31.2 s", "The handler only queues; a worker settles the event."],
  [8, "Show VAT per line on the invoice.", [["billing/templates.py", "render(invoice)", "return page(invoice)", "return page(invoice, vat=by_line(invoice))"]], "pytest tests/test_templates.py", null, "Each line shows its VAT."],
  [6, "A refund is always its own document and never changes the invoice. Add refunds.", [["billing/refunds.py", "refund(invoice, lines)", "raise NotImplementedError", "return Refund(invoice=invoice.id, lines=lines)"]], "pytest tests/test_refunds.py", "E       TypeError: unsupported operand type(s) for -: 'Money' and 'float'", "Refunds are documents of their own, in minor units."],
  [4, "Always run alembic upgrade head before the tests after a pull.", [], "alembic upgrade head", null, "The database is at head; all tests pass."],
  [3, "Rate limit the public API to 100 requests a minute for each key.", [["billing/limits.py", "allow(key)", "return True", "return bucket(key).take()"]], "pytest tests/test_limits.py", null, "The public API allows 100 requests a minute for each key."],
  [2, "The CSV export forgets the currency.", [["billing/export.py", "export_csv(invoices)", "return '\\n'.join(row(invoice) for invoice in invoices)", "return '\\n'.join(row(invoice, invoice.currency) for invoice in invoices)"]], "pytest tests/test_export.py", "E       AssertionError: 'EUR' not in '17,2000'", "The export has a currency column. Next: the same for refunds."],
  [0.15, "Page the refund list by key, as we do for invoices.", [["billing/refunds.py", "list_refunds(key)", "return query().offset(0)", "return query().after(key).limit(50)"], ["billing/paging.py", "after(key)", "return key", "return Bound.after(key)"]], "pytest tests/test_refunds.py", "E       AssertionError: 2 rows missing between pages", "Refunds page by key, like invoices. Next steps: remove `offset` from the API; ask Mira about the old export."],
];

/** One event of the host, at a time. */
function hook(world, at, session, event) {
  const payload = JSON.stringify({ session_id: session, cwd: world.project, ...event });
  const environment = { ...world.environment, BACKSTORY_NOW_MS: String(Math.round(at)) };
  return execFileSync(binary(), ["hook", "--host", "claude-code"], { cwd: world.project, env: environment, input: payload, encoding: "utf8" });
}

/** Plays a session as an agent works: it reads, edits, runs the tests, repairs, runs them again. */
function play(world, [ago, prompt, edits, command, error, closing], number) {
  const session = `invented-${number}`;
  let at = NOW - ago * DAY;
  const step = (event, seconds) => hook(world, (at += seconds * 1000), session, event);
  const tool = (name, input, response, seconds) => {
    step({ hook_event_name: "PreToolUse", tool_name: name, tool_use_id: `${number}-${at}`, tool_input: input }, seconds);
    return step({ hook_event_name: "PostToolUse", tool_name: name, tool_use_id: `${number}-${at}`, tool_input: input, tool_response: response }, 1);
  };
  step({ hook_event_name: "SessionStart", source: "startup" }, 0);
  step({ hook_event_name: "UserPromptSubmit", prompt }, 20);
  const fails = () => step({ hook_event_name: "PostToolUseFailure", tool_name: "Bash", tool_use_id: `${number}-f`, tool_input: { command }, error: `Exit code 1\n${error}\n1 failed, 11 passed in 1.42s`, is_interrupt: false }, 12);
  if (error) fails();
  for (const [name, signature, before, after] of edits) {
    const file = path.join(world.project, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, source(signature, before));
    tool("Read", { file_path: file }, { file: { filePath: file, content: source(signature, before) } }, 6);
    writeFileSync(file, source(signature, after));
    tool("Edit", { file_path: file, old_string: `    ${before}`, new_string: `    ${after}` }, { filePath: file, oldString: `    ${before}`, newString: `    ${after}`, structuredPatch: [] }, 25);
  }
  tool("Bash", { command }, { stdout: "12 passed in 1.31s", stderr: "", interrupted: false }, 14);
  step({ hook_event_name: "Stop", last_assistant_message: closing }, 15);
  step({ hook_event_name: "SessionEnd", reason: "exit" }, 30);
}

/** What the year before left: imported, as from another machine. */
function before() {
  const [verbs, things] = [["Add", "Fix", "Speed up", "Rename", "Document", "Test"], ["the price list", "customer search", "the login form", "invoice numbering", "the nightly job", "the tax table", "mail templates", "the audit log"]];
  const lines = [];
  for (let ago = 350; ago > 45; ago -= 1) {
    if ((ago * 7) % 11 < 4 || [0, 6].includes(new Date(NOW - ago * DAY).getUTCDay())) continue;
    for (let nth = 0; nth <= (ago * 13) % 5; nth += 1) {
      const [verb, thing] = [verbs[(ago + nth) % 6], things[(ago * 3 + nth) % 8]];
      lines.push({ kind: verb === "Fix" ? "bugfix" : verb === "Add" ? "feature" : "change", title: `${verb} ${thing}, part ${ago}${"abcde"[nth]}`, body: `Done in spring: ${thing}.`, created_at: new Date(NOW - ago * DAY + nth * 60 * MINUTE).toISOString() });
    }
  }
  return lines.map((line) => JSON.stringify(line)).join("\n");
}

const PICTURES = [
  ["overview", "#/overview", ["dark"]],
  ["session", null, ["light"]],
  ["map", "#/map", ["light"]],
];

async function pictures(world, folder) {
  await world.serve();
  const browser = await launch();
  for (const colorScheme of ["dark", "light"]) {
    const link = world.backstory("view", "--print").split("\n").at(-1);
    const page = await open(browser, new URL(link).origin, { viewport: { width: 1280, height: 800 }, colorScheme });
    await page.goto(link);
    await settled(page);
    // The session at the start of which the picture is taken has nothing in it yet.
    const newest = await page.evaluate(async () => (await (await fetch("/api/sessions")).json()).sessions.find((each) => each.memories > 0 && each.prompt).id);
    for (const [name, hash, schemes] of PICTURES) {
      if (!schemes.includes(colorScheme)) continue;
      const place = hash ?? `#/session/${newest}`;
      await page.evaluate((next) => (location.hash = next), place);
      await page.waitForSelector(`main[data-shown="${place}"]`);
      await settled(page);
      await page.evaluate(() => document.activeElement.blur());
      if (name === "session") await page.locator(".step:has(.line-count) summary").first().click();
      await page.screenshot({ path: path.join(folder, `viewer-${name}-${colorScheme}.png`) });
    }
    await page.context().close();
  }
  await browser.close();
}

const [folder] = process.argv.slice(2);
const world = new World();
try {
  mkdirSync(folder, { recursive: true });
  world.backstoryWithInput(before(), "import", "-", "--no-vectors");
  SESSIONS.forEach((session, number) => play(world, session, number));
  const shown = hook(world, NOW, "invented-now", { hook_event_name: "SessionStart", source: "startup" });
  writeFileSync(path.join(folder, "session-start.json"), shown);
  await pictures(world, folder);
} finally {
  world.end();
}
