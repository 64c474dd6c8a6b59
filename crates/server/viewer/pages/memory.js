// Memory: one of them, whole: what it says, what it said before, what it hangs on, where it was injected and whether that helped.

import * as api from "../api.js";
import { textDialog } from "../components/dialog.js";
import { askToForget, isForgetting } from "../components/forgetting.js";
import { graphOf, relationGraph } from "../components/relation_graph.js";
import { prose, saysMore, spans, termsOf } from "../components/prose.js";
import { memoryList } from "../components/row.js";
import { freshnessLabel, kindTag, label, usedLabel } from "../components/tag.js";
import { toast } from "../components/toast.js";
import { fill, h } from "../dom.js";
import { go, link } from "../router.js";
import { time } from "../times.js";
import { KINDS, count, momentName, percent, plain, whoSaid } from "../words.js";

const AROUND = 4;
const SHOWN_INJECTIONS = 12;

/** Draws the page. */
export async function show({ root, parts: [id], query, signal }) {
  const beside = (ask) => ask.catch(() => null);
  const load = () => Promise.all([api.memory(id, signal), beside(api.relations(id, signal)), beside(api.timeline({ id, before: AROUND, after: AROUND }, signal))]);
  const redraw = async () => draw(root, await load(), query, redraw);
  await redraw();
}

function draw(root, [memory, relations, around], query, redraw) {
  fill(root,
    h("div", { class: "memory-head" },
      h("p", { class: "crumbs" }, kindTag(memory.kind), `#${memory.id}`, time(memory.created_at), memory.pinned && label("pinned"), memory.standing !== "confirmed" && label(memory.standing, memory.standing === "proposed" ? "warn" : ""), isForgetting(memory.id) && label("being forgotten", "bad")),
      h("h1", null, spans(memory.title)),
      memory.superseded_by && h("p", { class: "notice" }, "Superseded: ", h("a", { href: link("memory", memory.superseded_by) }, `#${memory.superseded_by}`), " says how it is now."),
      memory.standing === "proposed" && h("p", { class: "notice" }, `Proposed: ${memory.why}. Search finds it; no session is given it unasked until you confirm it.`),
      memory.intact === false && h("p", { class: "notice notice-bad" }, "Its text does not agree with its checksum: it was changed outside Backstory. ", h("code", null, "backstory doctor"), " says more."),
      actions(root, memory, redraw)),
    h("div", { class: "columns" },
      h("div", { class: "column-main" }, text(memory, query), codeIt(memory), related(memory, relations), injections(memory), history(memory), nearby(memory, around)),
      h("aside", { class: "column-side", "aria-label": "About this memory" }, facts(memory))));
}

function actions(root, memory, redraw) {
  const button = (name, key, click, className = "") => h("button", { class: `button ${className}`, "aria-keyshortcuts": key, on: { click } }, name, h("kbd", { "aria-hidden": "true" }, key));
  return h("div", { class: "actions" },
    memory.standing !== "confirmed" && !memory.superseded_by && button("Confirm", "y", () => judge(memory, api.confirm, "Confirmed: sessions may be given it", redraw)),
    memory.standing !== "retired" && button("Retire", "n", () => judge(memory, api.retire, "Retired: it stays as history", redraw)),
    button("Edit", "e", () => edit(root, memory, redraw)),
    button(memory.pinned ? "Unpin" : "Pin", "p", () => pin(memory, redraw)),
    button("Supersede", "s", () => supersede(memory)),
    button("Forget", "f", () => forget(memory, redraw), "button-quiet-bad"));
}

async function judge(memory, ask, done, redraw) {
  try {
    await ask(memory.id);
    await redraw();
    toast(done);
  } catch (error) {
    toast(error.message, { tone: "bad" });
  }
}

async function pin(memory, redraw) {
  try {
    await api.pin(memory.id, !memory.pinned);
    await redraw();
    toast(memory.pinned ? "Unpinned" : "Pinned: sessions of its project start with it");
  } catch (error) {
    toast(error.message, { tone: "bad" });
  }
}

async function supersede(memory) {
  const successor = await textDialog(`Supersede #${memory.id}`, {
    teaching: "Say how it is now. The old one stays in the history and leaves what is injected.",
    yes: "Supersede",
    send: (text) => api.supersede(memory.id, text),
  });
  if (successor?.id) go("memory", successor.id);
}

async function forget(memory, redraw) {
  if (isForgetting(memory.id)) return;
  if (await askToForget(memory, redraw)) redraw();
}

/** Turns head and text into a form. */
function edit(root, memory, redraw) {
  const title = h("input", { class: "field", value: memory.title, maxlength: 80, required: true });
  const body = h("textarea", { class: "field", rows: Math.min(24, memory.body.split("\n").length + 4), required: memory.body !== "" });
  body.value = memory.body;
  const kind = h("select", { class: "field" }, KINDS.map((name) => h("option", { value: name, selected: name === memory.kind }, name)));
  const importance = h("select", { class: "field" }, [5, 4, 3, 2, 1].map((number) => h("option", { value: number, selected: number === memory.importance }, `${number} of 5`)));
  const files = h("textarea", { class: "field preview-mono", rows: Math.max(2, (memory.files ?? []).length), spellcheck: "false" });
  files.value = (memory.files ?? []).join("\n");
  const problem = h("p", { class: "problem", role: "alert" });
  const save = async (event) => {
    event.preventDefault();
    const named = files.value.split("\n").map((line) => line.trim()).filter(Boolean);
    // Only what was changed is sent: who corrects a number does not vouch for the text.
    const changes = {
      ...(title.value !== memory.title && { title: title.value }),
      ...(body.value !== memory.body && { body: body.value }),
      ...(kind.value !== memory.kind && { kind: kind.value }),
      ...(Number(importance.value) !== memory.importance && { importance: Number(importance.value) }),
      ...(named.join("\n") !== (memory.files ?? []).join("\n") && { files: named }),
    };
    if (!Object.keys(changes).length) return redraw();
    try {
      await api.revise(memory.id, changes);
      await redraw();
      toast("Saved; what it said before is in its history");
    } catch (error) {
      fill(problem, error.message, error.hint ? `. ${error.hint}` : "");
    }
  };
  const cancel = (event) => event.key === "Escape" && redraw();
  const form = h("form", { class: "edit", on: { submit: save, keydown: cancel } },
    h("h1", null, `Edit #${memory.id}`),
    h("label", null, h("span", { class: "filter-name" }, "Title"), title),
    h("label", null, h("span", { class: "filter-name" }, "Text"), body),
    h("div", { class: "edit-pair" }, h("label", null, h("span", { class: "filter-name" }, "Kind"), kind), h("label", null, h("span", { class: "filter-name" }, "Importance"), importance)),
    h("label", null, h("span", { class: "filter-name" }, "Files it is about, one a line"), files),
    problem,
    h("div", { class: "dialog-actions" }, h("button", { class: "button", type: "button", on: { click: redraw } }, "Cancel"), h("button", { class: "button button-main" }, "Save")));
  fill(root, form);
  title.focus();
}

const section = (title, ...content) => h("section", { class: "section" }, h("h2", null, title), content);

function text(memory, query) {
  // The text of a failure ends with its facts: once is enough.
  const lines = new Set(memory.body.split("\n").map((line) => line.trim()));
  const facts = (memory.facts ?? []).filter((fact) => !lines.has(fact.trim()));
  return [
    saysMore(memory.title, memory.body) ? prose(memory.body, termsOf(query.q ?? "")) : h("p", { class: "quiet-text" }, "The title says it all."),
    facts.length > 0 && h("ul", { class: "fact-list" }, facts.map((fact) => h("li", null, spans(fact)))),
  ];
}

function codeIt(memory) {
  const anchors = memory.anchors ?? [];
  const anchored = new Set(anchors.map((anchor) => anchor.file));
  const plain = (memory.files ?? []).filter((file) => !anchored.has(file));
  if (!anchors.length && !plain.length) return null;
  return section("Code it speaks of", h("ul", { class: "code-list" },
    anchors.map((anchor) => h("li", null, h("code", null, anchor.file, anchor.symbol && h("b", null, ` ${anchor.symbol}`)), anchor.freshness && freshnessLabel(anchor.freshness))),
    plain.map((file) => h("li", null, h("code", null, file)))));
}

function related(memory, relations) {
  const graph = graphOf(memory, relations ?? {});
  if (graph.nodes.length < 2) return null;
  const words = { supersedes: ["supersedes", "superseded by"], contradicts: ["contradicts", "contradicted by"], derived_from: ["derived from", "source of"], relates: ["relates to", "relates to"] };
  const links = (memory.links ?? []).map(({ from, relation, to }) => {
    const outward = from === memory.id;
    const other = outward ? to : from;
    const [out, back] = words[relation] ?? [relation, `${relation} of`];
    const head = relations?.memories.find((each) => each.id === other);
    return h("li", null, outward ? out : back, " ", h("a", { href: link("memory", other) }, `#${other}`), head && [" ", spans(head.title)]);
  });
  return section("Relations", relationGraph(graph), links.length > 0 && h("ul", { class: "link-list" }, links));
}

function injections(memory) {
  const rows = memory.injected ?? [];
  if (!rows.length) return section("Where it was injected", h("p", { class: "quiet-text" }, "It was injected into no session yet. It is, when a prompt asks for it, or at a start once it is pinned."));
  const used = rows.filter((row) => row.used_at).length;
  return section("Where it was injected",
    h("p", { class: "quiet-text" }, `Injected ${count(rows.length, "time")}, used ${used} (${percent(used / rows.length)}).`),
    h("div", { class: "scroll-x", tabindex: 0, role: "region", "aria-label": "Where it was injected" }, h("table", { class: "table" },
      h("thead", null, h("tr", null, ["When", "Moment", "Used", "Rank", "Tokens", "Why"].map((name) => h("th", { scope: "col", class: ["Rank", "Tokens"].includes(name) ? "number" : "" }, name)))),
      h("tbody", null, rows.slice(0, SHOWN_INJECTIONS).map((row) => h("tr", null,
        h("td", null, row.injection ? h("a", { href: link("injection", row.injection) }, time(row.at)) : time(row.at)),
        h("td", { title: `section: ${plain(row.section)}` }, momentName(row.moment)), h("td", null, usedLabel(row.used_at, row.used_how)),
        h("td", { class: "number" }, row.rank), h("td", { class: "number" }, row.tokens), h("td", { class: "reasons" }, (row.reasons ?? []).join(" · "))))))),
    rows.length > SHOWN_INJECTIONS && h("p", { class: "quiet-text" }, `and ${count(rows.length - SHOWN_INJECTIONS, "time")} before`));
}

function history(memory) {
  if (!memory.revisions?.length) return null;
  return section("History", h("ol", { class: "history" }, memory.revisions.map((revision) => h("li", null,
    h("details", null,
      h("summary", null, h("span", null, spans(revision.title)), h("span", { class: "quiet-text" }, "until ", time(revision.until))),
      prose(revision.body))))));
}

function nearby(memory, around) {
  const others = (around?.memories ?? []).filter((other) => other.id !== memory.id);
  return others.length > 0 && section("Around it", memoryList(others.reverse(), { as: "day", withProject: false }));
}

/** How a memory stands, and why, in plain words. */
function standingOf(memory) {
  if (memory.superseded_by) return "superseded";
  return memory.why ? `${memory.standing}: ${memory.why}` : memory.standing;
}

function facts(memory) {
  const fact = (name, ...value) => value.some((part) => part || part === 0) && h("div", null, h("dt", null, name), h("dd", null, value));
  return h("dl", { class: "facts" },
    fact("Project", memory.project_id ? h("a", { href: link("project", memory.project_id) }, memory.project) : (memory.project_name ?? memory.project)),
    fact("Session", memory.session && h("a", { href: link("session", memory.session) }, `session ${memory.session}`)),
    fact("Whose word", whoSaid(memory.provenance)),
    fact("Standing", standingOf(memory)),
    fact("Confidence", percent(memory.confidence)),
    fact("Importance", `${memory.importance} of 5`),
    fact("Seen", count(memory.times_seen, "time")),
    fact("Used", memory.times_used ? `${count(memory.times_used, "time")}` : "never", memory.last_used_at && [", last ", time(memory.last_used_at, "since")]),
    fact("Shown", memory.shown !== undefined && memory.shown !== null && typeof memory.shown !== "object" && count(memory.shown, "time")),
    fact("Costs", count(memory.tokens, "token")),
    fact("Scope", memory.scope === "user" ? "all your projects" : "its project"),
    fact("Category", memory.category),
    fact("Holds", memory.valid_from && ["from ", time(memory.valid_from, "day")], memory.valid_to && [" until ", time(memory.valid_to, "day")]),
    fact("Changed", memory.updated_at !== memory.created_at && time(memory.updated_at)),
    fact("Evidence", memory.evidence?.length > 0 && count(memory.evidence.length, "event")),
    fact("Concepts", memory.concepts?.length > 0 && memory.concepts.join(", ")));
}
