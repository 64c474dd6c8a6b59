// What every browser test stands on: a browser, a fixture server, and a page that reports what must never happen.

import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import path from "node:path";

export const HERE = path.dirname(fileURLToPath(import.meta.url));
export const OUT = path.resolve(HERE, "../../target/browser");
const require = createRequire(path.join(OUT, "package.json"));
const { chromium } = require("playwright-core");
export const AXE = require.resolve("axe-core/axe.min.js");

/** Starts the fixture server; it ends when this process does. */
export async function serve(...options) {
  const child = spawn("python3", [path.join(HERE, "fixture.py"), ...options], { stdio: ["pipe", "pipe", "inherit"] });
  for await (const line of createInterface({ input: child.stdout })) {
    const port = line.match(/^ready (\d+)$/)?.[1];
    if (port) return { origin: `http://127.0.0.1:${port}`, stop: () => child.stdin.end() };
  }
  throw new Error("the fixture server did not start");
}

/** Starts the browser. */
export function launch() {
  return chromium.launch({ executablePath: process.env.BACKSTORY_CHROMIUM, args: ["--no-sandbox"] });
}

/** Opens a page that keeps a list of everything that must not happen: dialogs, errors, requests elsewhere, refused policies. */
export async function open(browser, origin, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  page.wrongs = [];
  page.on("dialog", (dialog) => (page.wrongs.push(`dialog: ${dialog.message()}`), dialog.dismiss()));
  page.on("pageerror", (error) => page.wrongs.push(`error: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && !message.text().startsWith("Failed to load resource") && page.wrongs.push(`console: ${message.text()}`));
  page.on("request", (request) => !request.url().startsWith(`${origin}/`) && request.url() !== "about:blank" && page.wrongs.push(`request: ${request.url().slice(0, 120)}`));
  page.origin = origin;
  return page;
}

/** Goes to an address of the viewer, as a fresh visit. */
export async function visit(page, hash) {
  await page.goto("about:blank");
  await page.goto(`${page.origin}/${hash}`);
  await settled(page);
}

/** Waits until the page of the address is drawn, and nothing of it is on its way. */
export async function settled(page) {
  await page.waitForFunction(() => {
    // The address changes before its page is drawn; until then the page before still says that it is shown.
    const path = (hash) => hash?.split("?")[0];
    return path(document.querySelector("main")?.dataset.shown) === path(location.hash) && !document.querySelector(".state-loading");
  });
}

/** Steers the fixture server. */
export async function steer(page, route, body = {}) {
  const answer = await fetch(`${page.origin}/test/${route}`, { method: "POST", body: JSON.stringify(body) });
  return answer.json();
}

export function equal(found, wanted, what) {
  if (found !== wanted) throw new Error(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
}

export function holds(condition, what) {
  if (!condition) throw new Error(what);
}
