// A text as an agent saw it, line by line: what each line cost, and which memory it is.

import { h } from "../dom.js";
import { link } from "../router.js";

/** The text, line by line: its cost on the left, what became of it on the right. */
export function saw(text, memories) {
  const texts = text.split("\n");
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
