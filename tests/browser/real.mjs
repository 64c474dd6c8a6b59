// The viewer on the real worker: a store filled by import and by hooks, signed in by a link, changed from both sides.

import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { HERE, equal, holds, open, settled } from "./setting.mjs";

const ROOT = path.resolve(HERE, "../..");

/** The program under test: BACKSTORY_BIN, or what was built last. */
export function binary() {
  const target = path.resolve(ROOT, process.env.CARGO_TARGET_DIR || "target");
  const built = ["release", "debug"].map((profile) => path.join(target, profile, "backstory")).filter(existsSync);
  return process.env.BACKSTORY_BIN ? path.resolve(process.env.BACKSTORY_BIN) : built.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];
}

/** A machine of its own: a home, a project, a worker. */
export class World {
  constructor() {
    this.root = mkdtempSync(path.join(tmpdir(), "viewer-"));
    this.project = path.join(this.root, "lantern");
    mkdirSync(this.project);
    const at = (name) => path.join(this.root, name);
    this.environment = { PATH: process.env.PATH, HOME: this.root, XDG_CONFIG_HOME: at("config"), XDG_DATA_HOME: at("data"), XDG_RUNTIME_DIR: at("run"), BACKSTORY_HOME: at("store") };
    mkdirSync(at("run"), { mode: 0o700 });
  }

  /** Runs a command as the user does: at a terminal. Node has none to give, so python opens one. */
  backstory(...args) {
    const inTerminal = "import os, pty, sys; ours, theirs = pty.openpty(); os.set_inheritable(ours, True); os.dup2(theirs, 0); os.execv(sys.argv[1], sys.argv[1:])";
    return execFileSync("python3", ["-c", inTerminal, binary(), ...args], { cwd: this.project, env: this.environment, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  }

  backstoryWithInput(input, ...args) {
    return execFileSync(binary(), args, { cwd: this.project, env: this.environment, input, encoding: "utf8", stdio: ["pipe", "pipe", "pipe"] }).trim();
  }

  /** Plays the payloads of one turn that ends with a failure, a fix and a closing message. */
  playSession(session, prompt, closing) {
    const file = path.join(this.project, "paging.py");
    const events = [
      { hook_event_name: "SessionStart", source: "startup" },
      { hook_event_name: "UserPromptSubmit", prompt },
      { hook_event_name: "PostToolUse", tool_name: "Edit", tool_use_id: "1", tool_input: { file_path: file, old_string: "offset", new_string: "after" }, tool_response: { filePath: file } },
      { hook_event_name: "PostToolUse", tool_name: "Bash", tool_use_id: "2", tool_input: { command: "pytest -q" }, tool_response: { stdout: "3 passed", stderr: "", interrupted: false } },
      { hook_event_name: "Stop", last_assistant_message: closing },
      { hook_event_name: "SessionEnd", reason: "exit" },
    ];
    for (const event of events) {
      const payload = JSON.stringify({ session_id: session, cwd: this.project, ...event });
      execFileSync(binary(), ["hook", "--host", "claude-code"], { cwd: this.project, env: this.environment, input: payload });
    }
  }

  async serve() {
    this.worker = spawn(binary(), ["serve"], { cwd: this.project, env: this.environment, stdio: ["ignore", "pipe", "inherit"] });
    await new Promise((resolve, reject) => (this.worker.stdout.once("data", resolve), this.worker.once("exit", () => reject(new Error("the worker ended")))));
    return this.backstory("view", "--print").split("\n").at(-1);
  }

  end() {
    this.worker?.kill();
    rmSync(this.root, { recursive: true, force: true });
  }
}

export async function the_real_worker_shows_what_hooks_and_commands_wrote(browser) {
  if (!binary()) return console.log("       SKIPPED: there is no backstory to test; build one, or name one in BACKSTORY_BIN");
  const world = new World();
  try {
    world.backstory("remember", "Store money as integer minor units, because totals of long invoices drifted", "--kind", "decision");
    world.playSession("first", "We never use offsets: page by key. Fix the invoice list.", "The invoice list now pages by key, and page 200 takes as long as page 1.");
    world.playSession("second", "Does the order list page by key too?", "Orders page by key since spring; nothing had to change.");
    const link = await world.serve();
    const page = await open(browser, new URL(link).origin);
    await page.goto(link);
    await settled(page);
    holds(!page.url().includes("key="), "the key left the address");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.getByRole("link", { name: "Timeline" }).first().click();
    const rows = page.locator(".row-title");
    await rows.filter({ hasText: "Store money as integer minor units" }).waitFor();

    world.backstory("remember", "Ask Mira before the export format changes");
    await rows.filter({ hasText: "Ask Mira before the export format changes" }).waitFor();

    await page.keyboard.press("/");
    await page.getByLabel("Search memories").fill("how is money stored");
    await page.locator(".hit .row-title", { hasText: "Store money" }).first().click();
    await page.getByRole("heading", { name: "Store money" }).waitFor();
    await page.keyboard.press("e");
    await page.getByLabel("Text").fill("Amounts are whole cents.");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "History" }).waitFor();
    const id = page.url().match(/memory\/(\d+)/)[1];
    equal(JSON.parse(world.backstory("show", id, "--json")).memories[0].body, "Amounts are whole cents.", "what the command line says of it");
    await page.keyboard.press("p");
    await page.getByRole("button", { name: "Unpin" }).waitFor();

    await everyPlace(page);
    await page.clock.install();
    await go(page, `#/memory/${id}`);
    await page.getByRole("button", { name: "Forget" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Forget" }).click();
    await page.locator(".toast", { hasText: `Forgetting #${id}` }).waitFor();
    await page.clock.runFor(6100);
    await page.locator(".toast", { hasText: `Forgot #${id}` }).waitFor();
    equal(JSON.parse(tried(() => world.backstory("show", id, "--json"))).missing.join(), id, "what is missing afterwards");
    equal(page.wrongs.join("\n"), "", "what went wrong in the page");
    await page.context().close();
  } finally {
    world.end();
  }
}

const MANY = 100_000;
const VISITS = 7;

/** Prints how long the first rows take from the moment the link of `view` is followed, each time in a fresh browser; measured, not asserted. */
export async function first_rows_of_a_hundred_thousand(browser) {
  if (!binary()) return console.log("       SKIPPED: there is no backstory to measure");
  const world = new World();
  try {
    const lines = Array.from({ length: MANY }, (_, number) => JSON.stringify({ kind: "learning", title: `Berth ${number} is free at noon`, body: `The pilot of tide ${number % 977} said so.` }));
    world.backstoryWithInput(lines.join("\n"), "import", "-", "--no-vectors");
    await world.serve();
    const times = [];
    for (let visits = 0; visits < VISITS; visits += 1) times.push(await firstRow(browser, world.backstory("view", "--print").split("\n").at(-1)));
    console.log(`       first rows of ${MANY} after ${Math.round(times.sort((a, b) => a - b)[Math.floor(VISITS / 2)])} ms (median of ${VISITS} visits)`);
  } finally {
    world.end();
  }
}

/** How long a visit takes until a row is painted, signing in included. */
async function firstRow(browser, link) {
  const page = await open(browser, new URL(link).origin);
  await page.addInitScript(() => {
    const look = () => (document.querySelector(".row") ? (globalThis.firstRow = performance.now()) : requestAnimationFrame(look));
    requestAnimationFrame(look);
  });
  await page.goto(link);
  const time = await page.waitForFunction(() => globalThis.firstRow).then((shown) => shown.jsonValue());
  await page.context().close();
  return time;
}

/** Looks at the pages that hooks filled. */
async function everyPlace(page) {
  await go(page, "#/sessions");
  equal(await page.locator(".row-title").count(), 2, "sessions");
  await page.locator(".row-title").first().click();
  await page.locator(".prompt", { hasText: "order list page by key" }).waitFor();
  await page.getByText("Orders page by key since spring").first().waitFor();
  await go(page, "#/injections");
  await page.locator(".row-title").first().click();
  await page.locator(".saw-text", { hasText: "not instructions" }).waitFor();
  holds((await page.locator(".saw-memory").count()) > 0, "lines of an injection are marked by their kind");
  await go(page, "#/projects");
  await page.locator(".row-title", { hasText: "lantern" }).click();
  await page.getByRole("heading", { name: "What is known" }).waitFor();
  await go(page, "#/overview");
  holds((await page.locator(".heat:not(.heat-0)").count()) > 4, "today is marked in the calendar, beside its scale");
  await go(page, "#/map");
  await page.locator(".map-cell", { hasText: "paging.py" }).waitFor();
  await go(page, "#/preview?moment=session_start");
  await page.locator(".saw-memory").first().waitFor();
  await go(page, "#/rules");
  await page.getByRole("button", { name: "Add a rule" }).click();
  await page.getByLabel("The rule").fill("Never page by offset");
  await page.getByRole("dialog").getByRole("button", { name: "Add" }).click();
  await page.locator(".rule", { hasText: "Never page by offset" }).waitFor();
  await page.locator(".rule", { hasText: "Never page by offset" }).getByRole("button").click();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.locator(".rule", { hasText: "Never page by offset" }).waitFor();
  await go(page, "#/health");
  await page.getByRole("cell", { name: "Claude Code" }).first().waitFor();
  await page.getByText("delivers").first().waitFor();
}

async function go(page, hash) {
  await page.evaluate((next) => (location.hash = next), hash);
  await page.waitForSelector(`main[data-shown="${hash}"]`);
}

/** What a command printed, also when it says no. */
function tried(run) {
  try {
    return run();
  } catch (error) {
    return error.stdout;
  }
}
