// Hostile texts in every field of every answer: no dialog, no script, no request elsewhere, no element made of data.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { HERE, equal, holds, open, serve, settled, visit } from "./setting.mjs";

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

export async function hostile_lines_stay_text_in_every_field(browser) {
  const folder = mkdtempSync(path.join(tmpdir(), "hostile-"));
  const all = [...LINES, ...lines()];
  writeFileSync(path.join(folder, "lines"), all.join("\n"));
  const server = await serve("--hostile", path.join(folder, "lines"), "--memories", String(Math.max(640, all.length * 2)));
  const page = await open(browser, server.origin);
  try {
    await page.addInitScript(() => {
      globalThis.executed = [];
      for (const name of ["alert", "confirm", "prompt", "open"]) globalThis[name] = (...told) => globalThis.executed.push([name, ...told]);
    });
    let looked = 0;
    const look = async (hash) => {
      await settled(page);
      await page.evaluate(() => document.querySelectorAll("details").forEach((each) => (each.open = true)));
      await page.evaluate(() => document.querySelectorAll(".hit-why").forEach((each) => each.click()));
      equal(await page.locator(".state-error").count(), 0, `errors on ${hash}`);
      equal(await page.locator(MADE_OF_DATA).count(), 0, `elements made of data on ${hash}`);
      equal(await page.locator(FOREIGN_LINKS).count(), 0, `links elsewhere on ${hash}`);
      looked += 1;
    };
    for (const place of ["timeline", "search?q=x", "sessions", "injections", "projects", "project/1", "project/2", "project/3", "health"]) {
      await visit(page, `#/${place}`);
      await look(place);
    }
    // Each line once as the text that a page of its own is about.
    for (const [place, most] of [["memory", all.length], ["session", 40], ["injection", 120]]) {
      for (let number = 1; number <= most; number += 1) {
        const hash = `#/${place}/${number}`;
        await page.evaluate((next) => (location.hash = next), hash);
        await page.waitForSelector(`main[data-shown="${hash}"]`);
        await look(hash);
      }
    }
    holds(looked > LINES.length, "pages were looked at");
    const executed = await page.evaluate(() => globalThis.executed);
    equal(JSON.stringify(executed), "[]", "scripts that ran");
    equal(page.wrongs.join("\n"), "", "dialogs, errors and requests elsewhere");
    console.log(`       ${all.length} lines, ${looked} pages`);
  } finally {
    await page.context().close();
    server.stop();
    rmSync(folder, { recursive: true });
  }
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
