// Project: what is known of it, where its work stands, what of its code changed, and what injecting into it costs and brings.

import * as api from "../api.js";
import { barChart } from "../components/chart.js";
import { prose, spans } from "../components/prose.js";
import { memoryList } from "../components/row.js";
import { label } from "../components/tag.js";
import { fill, h } from "../dom.js";
import { link } from "../router.js";
import { since, time, utcDay } from "../times.js";
import { count, grouped, percent } from "../words.js";

const MOST_DAYS = 90;
const LEAST_DAYS = 30;
const TONES = { new: "good", modified: null, deleted: "bad" };

/** Draws the page. */
export async function show({ root, parts: [id], signal }) {
  const details = await api.project(id, signal);
  const { project } = details;
  fill(root,
    h("div", { class: "memory-head" },
      h("p", { class: "crumbs" }, h("a", { href: link("projects") }, "Projects"), project.roots?.[0] && h("code", null, project.roots[0])),
      h("h1", null, project.name),
      h("p", { class: "lead" }, [count(project.memories, "memory", "memories"), count(project.sessions, "session"), project.last_active_at && `last active ${since(project.last_active_at)}`].filter(Boolean).join(" · ")),
      h("p", null, h("a", { href: link("timeline", { project: project.id }) }, "Timeline"), h("span", { class: "dot" }), h("a", { href: link("search", { project: project.id }) }, "Search in it"), h("span", { class: "dot" }), h("a", { href: link("sessions", { project: project.id }) }, "Sessions"), h("span", { class: "dot" }), h("a", { href: link("map", { project: project.id }) }, "Map"), h("span", { class: "dot" }), h("a", { href: link("preview", { project: project.id }) }, "What would be injected now?"))),
    h("div", { class: "charts" }, activity(details.activity ?? []), tokens(details.injected ?? []), usedRate(details)),
    h("div", { class: "columns" },
      h("div", { class: "column-main" },
        section("Where the work stands", handoff(details.handoff)),
        section("What is known", details.knowledge?.length ? memoryList(details.knowledge, { as: "day", withProject: false }) : h("p", { class: "quiet-text" }, "No rules, decisions or facts yet: they come with what is said and corrected in sessions."))),
      h("div", { class: "column-side column-code" }, section("Code changed lately", changes(details.code_changes ?? [])))));
}

const section = (title, ...content) => h("section", { class: "section" }, h("h2", null, title), content);

/** A list of the last days since there is something, those without anything included. */
function lastDays(rows, read) {
  const byDay = new Map(rows.map((row) => [row.day, row]));
  const busy = rows.filter((row) => read(row).value > 0).map((row) => Date.parse(row.day));
  const first = Math.min(Date.now(), ...busy.filter(Number.isFinite));
  const days = Math.max(LEAST_DAYS, Math.min(MOST_DAYS, Math.floor((Date.now() - first) / 86_400_000) + 1));
  return Array.from({ length: days }, (_, index) => {
    const day = new Date(Date.now() - (days - 1 - index) * 86_400_000).toISOString().slice(0, 10);
    return { label: utcDay(day), ...read(byDay.get(day) ?? {}) };
  });
}

const ends = (bars) => ({ from: bars[0].label, to: "today" });

function activity(rows) {
  const bars = lastDays(rows, (row) => ({ value: row.memories ?? 0 }));
  const sum = bars.reduce((total, bar) => total + bar.value, 0);
  return barChart({ title: "Memories a day", summary: `${grouped(sum)} in ${bars.length} days`, bars, ...ends(bars), middle: "memories" });
}

function tokens(rows) {
  const bars = lastDays(rows, (row) => ({ value: row.tokens ?? 0 }));
  const sum = bars.reduce((total, bar) => total + bar.value, 0);
  return barChart({ title: "Tokens injected", summary: `${grouped(sum)} in ${bars.length} days`, bars, ...ends(bars), middle: "tokens" });
}

function usedRate(details) {
  const bars = lastDays(details.injected ?? [], (row) => ({ value: row.injected ?? 0, over: row.used ?? 0, overName: "used" }));
  return barChart({ title: "Injected, and used", summary: details.used_rate === null || details.used_rate === undefined ? "nothing injected yet" : `${percent(details.used_rate)} used`, bars, ...ends(bars), middle: "memories" });
}

function handoff(memory) {
  if (!memory) return h("p", { class: "quiet-text" }, "No handoff. One is written when a session ends, or by hand: ", h("code", null, "backstory handoff \"…\""));
  return h("article", { class: "card" }, h("p", { class: "crumbs" }, h("a", { href: link("memory", memory.id) }, `#${memory.id}`), time(memory.created_at)), h("h3", null, spans(memory.title)), prose(memory.body));
}

function changes(list) {
  if (!list.length) return h("p", { class: "quiet-text" }, "None recorded: symbols appear when an agent edits a file.");
  return h("ul", { class: "changes" }, list.map((change) => h("li", { title: change.signature },
    label(change.change, TONES[change.change]), h("code", null, change.symbol), h("span", { class: "quiet-text" }, change.file ?? change.path), time(change.at, "ago", "step-time"))));
}
