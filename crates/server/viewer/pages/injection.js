// Injection: word for word what the agent saw, what each line cost, why it was there, and whether it was used.

import * as api from "../api.js";
import { meter } from "../components/chart.js";
import { spans } from "../components/prose.js";
import { saw } from "../components/saw.js";
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
    h("section", { class: "section" }, h("h2", null, "What the agent saw"), seen(injection, memories)),
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

function seen(injection, memories) {
  if (injection.text === null || injection.text === undefined) return emptyState("The text is not kept any more", "Texts of old injections are dropped; the bill below stays.");
  return saw(injection.text, memories);
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
