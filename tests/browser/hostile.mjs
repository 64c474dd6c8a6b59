// Hostile texts in every field of every answer: no dialog, no script, no request elsewhere, no element made of data.

import { readFileSync } from "node:fs";
import path from "node:path";
import { World, binary } from "./real.mjs";
import { HERE, equal, holds, open, serve, settled, steer, visit } from "./setting.mjs";

// A few of our own; BACKSTORY_XSS_LINES names a file with many more.
const LINES = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(2)>",
  "<svg/onload=alert(3)>",
  "\"><iframe srcdoc=\"<script>parent.alert(4)</script>\">",
  "javascript:alert(5)",
  "[click](javascript:alert(6))",
  "<a href=\"javascript:alert(7)\" autofocus onfocus=alert(7)>x</a>",
  "</title><script src=//example.invalid/8.js></script>",
  "<style>@import url(//example.invalid/9.css)</style>",
  "{{constructor.constructor('alert(10)')()}} ${alert(10)}",
  "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(11)>",
  "' onmouseover='alert(12)' x='",
  "\u202e<b>right to left</b>\u0000\u001b[31mred",
  "data:text/html,<script>alert(14)</script>",
  "<link rel=stylesheet href=//example.invalid/15.css><meta http-equiv=refresh content='0;url=//example.invalid'>",
  "__proto__",
  "constructor",
];

// What data must never become. The shell and the pages have none of these but the head's own.
const MADE_OF_DATA = "main :is(script, img, iframe, object, embed, style, link, base, form:not(.edit), video, audio, math, meta, [style]:not(.feed-page), [onerror], [onload], [onfocus], [onmouseover])";

const FOREIGN_LINKS = "main a:not([href^='#/'])";

const lines = () => (process.env.BACKSTORY_XSS_LINES ? readFileSync(process.env.BACKSTORY_XSS_LINES, "utf8").split("\n").filter(Boolean) : []);

// A few days are enough: each page is drawn once with each line in every text of every answer.
const DAYS = { memories: 24, days: 9 };

/** Every page there is, with something of these days on it. */
async function places(page) {
  const ids = await page.evaluate(async () => {
    const newest = async (list) => (await (await fetch(`/api/${list}`)).json())[list][0].id;
    const { files } = await (await fetch("/api/projects/1/files")).json();
    return { session: await newest("sessions"), injection: await newest("injections"), file: encodeURIComponent(files[0].path) };
  });
  return ["overview", "rules", "preview?moment=session_start", `map?project=1&file=${ids.file}`, "timeline", "search?q=x", "memory/17", "sessions", `session/${ids.session}`, "injections", `injection/${ids.injection}`, "projects", "project/1", "health", "review"];
}

// So many pages share the lines.
const LANES = 4;

// Of the many, so many stand in one text, end to end: a page drawn for each alone would take a quarter of an hour. What acts only as a whole,
// as an address does, and what would hide the rest, stays alone.
const TOGETHER = 4;
const ALONE = /^\s*[\w-]+:|<!--|<(style|script|title|textarea|xmp|noscript|plaintext)\b(?!.*<\/)/i;

function together(many) {
  const others = many.filter((line) => !ALONE.test(line));
  const groups = others.flatMap((_, at) => (at % TOGETHER === 0 ? [others.slice(at, at + TOGETHER).join(" ")] : []));
  return [...many.filter((line) => ALONE.test(line)), ...groups];
}

export async function hostile_lines_stay_text_in_every_field(browser) {
  const all = [...LINES, ...lines()];
  const groups = [...LINES, ...together(lines())];
  const lanes = Array.from({ length: LANES }, (_, lane) => groups.filter((_, number) => number % LANES === lane));
  const looked = await Promise.all(lanes.map((some) => look(browser, some)));
  const [pages, texts] = ["pages", "texts"].map((what) => looked.reduce((sum, lane) => sum + lane[what], 0));
  console.log(`bar S11: ${all.length} lines in ${groups.length} texts, ${pages} pages, shown ${texts} times: 0 dialogs, 0 scripts, 0 requests elsewhere`);
}

/** Looks at every page with each of the lines, and fails when one of them does anything. */
async function look(browser, some) {
  const server = await serve();
  const page = await open(browser, server.origin);
  const looked = { pages: 0, texts: 0 };
  try {
    await page.addInitScript(noteWhatRuns);
    await visit(page, "#/health");
    for (const [number, line] of some.entries()) {
      await steer(page, "refill", { ...DAYS, hostile: [line] });
      for (const place of await places(page)) {
        // A number in the address, so that no list is the one from before.
        const hash = `#/${place}${place.includes("?") ? "&" : "?"}n=${number}`;
        await page.evaluate((next) => (location.hash = next), hash);
        await page.waitForSelector(`main[data-shown="${hash}"]`);
        await settled(page);
        const found = await page.evaluate(lookAround, { line, made: MADE_OF_DATA, foreign: FOREIGN_LINKS });
        equal(JSON.stringify([found.errors, found.made, found.foreign]), "[0,0,0]", `errors, elements made of data and links elsewhere on ${hash} with ${line}`);
        holds(found.shown > 0 || line.trim() === "", `${hash} does not show ${JSON.stringify(line)}`);
        looked.pages += 1;
        looked.texts += found.shown;
      }
    }
    equal(JSON.stringify(await page.evaluate(() => globalThis.executed)), "[]", "scripts that ran");
    equal(page.wrongs.join("\n"), "", "dialogs, errors and requests elsewhere");
    return looked;
  } finally {
    await page.context().close();
    server.stop();
  }
}

/** The same through the real door: what the worker answers is what importing, hooks and redaction made of the lines. */
export async function hostile_lines_stay_text_on_the_real_worker(browser) {
  if (!binary()) return console.log("       SKIPPED: there is no backstory to test");
  const world = new World();
  const all = [...LINES, ...lines()];
  try {
    const memory = (line) => JSON.stringify({ kind: "learning", title: line, body: line, facts: [line], concepts: [line], files: [line] });
    world.backstoryWithInput(all.map(memory).join("\n"), "import", "-", "--no-vectors");
    LINES.forEach((line, number) => world.playSession(`${number}${line}`, `Look at ${line} please`, `The page shows ${line} as it is, and ${line} again.`));
    const link = await world.serve();
    const page = await open(browser, new URL(link).origin);
    await page.addInitScript(noteWhatRuns);
    await page.goto(link);
    await settled(page);
    const ids = await page.evaluate(async () => {
      const all = async (list) => (await (await fetch(`/api/${list}?limit=100`)).json())[list].map(({ id }) => id);
      return { memory: await all("memories"), session: await all("sessions"), injection: await all("injections") };
    });
    const single = Object.entries(ids).flatMap(([place, each]) => each.slice(0, 40).map((id) => `${place}/${id}`));
    for (const place of ["overview", "rules", "preview", "map", "timeline", "search?q=alert%20script%20page", "sessions", "injections", "projects", "project/1", "health", ...single]) {
      await page.evaluate((next) => (location.hash = next), `#/${place}`);
      await page.waitForSelector(`main[data-shown="#/${place}"]`);
      await settled(page);
      const found = await page.evaluate(lookAround, { line: "alert", made: MADE_OF_DATA, foreign: FOREIGN_LINKS });
      equal(JSON.stringify([found.errors, found.made, found.foreign]), "[0,0,0]", `errors, elements made of data and links elsewhere on #/${place}`);
    }
    equal(JSON.stringify(await page.evaluate(() => globalThis.executed)), "[]", "scripts that ran");
    equal(page.wrongs.join("\n"), "", "dialogs, errors and requests elsewhere");
    await page.context().close();
  } finally {
    world.end();
  }
}

/** Runs in the page before all else: notes what must never run. */
function noteWhatRuns() {
  globalThis.executed = [];
  for (const name of ["alert", "confirm", "prompt", "open"]) globalThis[name] = (...args) => globalThis.executed.push([name, ...args]);
}

/** Runs in the page: opens what is folded, and counts what must not be there, and the texts that hold the line. */
function lookAround({ line, made, foreign }) {
  document.querySelectorAll("details").forEach((each) => (each.open = true));
  document.querySelectorAll(".hit-why").forEach((each) => each.click());
  const count = (selector) => document.querySelectorAll(selector).length;
  // Code and marks take a text apart; spaces and backticks are not part of it then.
  const plain = (text) => text.replace(/[`\s]+/g, "");
  const shown = plain(document.querySelector("main").textContent).split(plain(line)).length - 1;
  return { errors: count(".state-error"), made: count(made), foreign: count(foreign), shown };
}

export async function no_sink_for_markup_stands_in_the_sources() {
  const { readdirSync } = await import("node:fs");
  const root = path.resolve(HERE, "../../crates/server/viewer");
  const files = readdirSync(root, { recursive: true }).filter((name) => name.endsWith(".js"));
  holds(files.length > 20, "the sources were found");
  const sinks = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|srcdoc|\beval\(|new Function|setAttribute\(["']style|https?:\/\//;
  const found = files.filter((name) => sinks.test(readFileSync(path.join(root, name), "utf8").replace("http://www.w3.org/2000/svg", "")));
  equal(found.join(", "), "", "files with a sink or a foreign address");
}
