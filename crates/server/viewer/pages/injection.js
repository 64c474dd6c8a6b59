// Injection: word for word what the agent saw, what each line cost, why it was there, and whether it was used.

import * as api from "../api.js";
import { meter } from "../components/chart.js";
import { spans } from "../components/prose.js";
import { emptyState } from "../components/states.js";
import { kindTag, label, usedLabel } from "../components/tag.js";
import { fill, h } from "../dom.js";
import { link } from "../router.js";
import { time } from "../times.js";
import { count, grouped, hostName, millis, momentName, plain, size } from "../words.js";

const HEADS = { session_start: "Injected at session start", prompt: "Injected with a prompt", tool: "Injected beside a tool call", compaction: "Injected at compaction" };

/** Draws the page. */
export async function show({ root, parts: [id], signal }) {
  const injection = await api.injection(id, signal);
  const memories = injection.memories ?? [];
  fill(root,
    h("div", { class: "memory-head" },
      h("p", { class: "crumbs" }, time(injection.at), injection.host && h("span", null, hostName(injection.host)), injection.project_name ?? injection.project, injection.session && h("a", { href: link("session", injection.session) }, `session ${injection.session}`)),
      h("h1", null, HEADS[injection.moment] ?? `Injected: ${momentName(injection.moment)}`),
      figures(injection, memories)),
    h("section", { class: "section" }, h("h2", null, "What the agent saw"), saw(injection, memories)),
    h("section", { class: "section" }, h("h2", null, "The bill"), bill(injection, memories)));
}

function figures(injection, memories) {
  const used = memories.filter((memory) => memory.used_at).length;
  const figure = (value, name, extra) => h("div", { class: "figure" }, h("dd", null, value), h("dt", null, name), extra);
  return h("dl", { class: "figures" },
    figure(grouped(injection.tokens), `of ${grouped(injection.budget)} tokens`, meter(injection.tokens, injection.budget)),
    figure(`${used} of ${memories.length}`, "memories used"),
    figure(millis(injection.build_ms), "to build"),
    figure(size(injection.bytes), "of text"));
}

/** The text, line by line: its cost on the left, what became of it on the right. */
function saw(injection, memories) {
  if (injection.text === null || injection.text === undefined) return emptyState("The text is not kept any more", "Texts of old injections are dropped; the bill below stays.");
  const texts = injection.text.split("\n");
  const memoryOfLine = linesOf(texts, memories);
  const lines = texts.map((line, at) => {
    const memory = memoryOfLine.get(at);
    return h("div", { class: `saw-line ${memory ? "saw-memory" : ""} ${memory?.used_at ? "saw-used" : ""}` },
      h("span", { class: "saw-cost" }, memory ? memory.tokens : ""),
      h("span", { class: "saw-text" }, line || "\u00a0"),
      h("span", { class: "saw-which" }, memory && h("a", { href: link("memory", memory.id), "data-row": true }, `#${memory.id}`)));
  });
  return h("div", { class: "saw", role: "region", "aria-label": "The text, line by line", tabindex: 0 }, lines);
}

// What stands above the lines of a section.
const HEADINGS = { rules: "Rules of the user", pinned: "Pinned", handoff: "Where the work stands", traps: "Traps and facts", decisions: "Decisions", work: "Recent work" };

/** Finds the line of each memory: the best pairs first, each line and each memory once. */
function linesOf(texts, memories) {
  const pairs = [];
  let heading = "";
  texts.forEach((line, at) => {
    if (line.startsWith("## ")) heading = line.slice(3);
    for (const memory of memories) {
      const fits = fit(line, memory, heading);
      if (fits > 0) pairs.push({ at, memory, fits });
    }
  });
  const found = new Map();
  const placed = new Set();
  for (const { at, memory } of pairs.sort((a, b) => b.fits - a.fits)) {
    if (found.has(at) || placed.has(memory)) continue;
    found.set(at, memory);
    placed.add(memory);
  }
  return found;
}

/** How well a line fits a memory: it names its number, or says its title, best as an item of its section. */
function fit(line, memory, heading) {
  if (new RegExp(`(^|[^\\w#])#${Number(memory.id)}(\\D|$)`).test(line)) return 8;
  const title = String(memory.title ?? "");
  const isItem = line.startsWith("- ") && !line.startsWith("- [now]");
  const isHome = heading === HEADINGS[memory.section];
  // A handoff or a summary may be shown by its body alone: then any item of its section is better than none.
  if (title.length < 4 || !line.includes(title.slice(0, 32))) return isItem && isHome ? 0.5 : 0;
  return 1 + (line.endsWith(title) ? 1 : 0) + (isItem ? 1 : 0) + (isHome ? 4 : 0);
}

function bill(injection, memories) {
  const lines = memories.reduce((sum, memory) => sum + memory.tokens, 0);
  const skipped = injection.sections_skipped ?? [];
  return [
    h("div", { class: "scroll-x", tabindex: 0, role: "region", "aria-label": "The bill" }, h("table", { class: "table" },
      h("thead", null, h("tr", null, ["#", "Memory", "Section", "Score", "Tokens", "Why", "Used"].map((name) => h("th", { scope: "col", class: ["Score", "Tokens"].includes(name) ? "number" : "" }, name)))),
      h("tbody", null, memories.map(billLine)),
      h("tfoot", null,
        h("tr", null, h("td", null), h("td", { colspan: 3 }, "The frame: fence, headings, how to get more"), h("td", { class: "number" }, grouped(Math.max(0, injection.tokens - lines))), h("td", { colspan: 2 })),
        h("tr", { class: "total" }, h("td", null), h("td", { colspan: 3 }, "Together"), h("td", { class: "number" }, grouped(injection.tokens)), h("td", { colspan: 2 }, `of ${grouped(injection.budget)}`))))),
    h("p", { class: "quiet-text" }, "Sections: ", (injection.sections ?? []).map(plain).join(", ") || "none", skipped.length > 0 && [". Skipped: ", skipped.map((layer) => label(plain(layer), "warn"))]),
    memories.length === 0 && h("p", { class: "quiet-text" }, `${count(0, "memory", "memories")}: only the state of the work was injected.`)];
}

function billLine(memory) {
  return h("tr", null,
    h("td", { class: "number" }, memory.rank),
    h("td", { class: "table-title" }, kindTag(memory.kind), " ", h("a", { href: link("memory", memory.id) }, spans(memory.title))),
    h("td", null, plain(memory.section)),
    h("td", { class: "number" }, Number(memory.score ?? 0).toFixed(2)),
    h("td", { class: "number" }, memory.tokens),
    h("td", { class: "reasons" }, (memory.reasons ?? []).join(" · ")),
    h("td", null, usedLabel(memory.used_at, memory.used_how)));
}
