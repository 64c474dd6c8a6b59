// What would be injected now: any moment, tried out with a prompt, a command, a file and a budget. Nothing of it is recorded.

import * as api from "../api.js";
import { meter } from "../components/chart.js";
import { choice } from "../components/filters.js";
import { spans } from "../components/prose.js";
import { saw } from "../components/saw.js";
import { emptyState, errorState } from "../components/states.js";
import { kindTag } from "../components/tag.js";
import { fill, h } from "../dom.js";
import { link, rename } from "../router.js";
import { grouped, millis, plain, size } from "../words.js";

const PAUSE_MS = 120;

// Each moment: its name, the parameter its text is, what to ask for, and as much as its slider goes up to.
const MOMENTS = {
  session_start: { name: "Session start", most: 4000 },
  prompt: { name: "Prompt", field: "prompt", ask: "What you would type: how do we store money?", most: 1500 },
  command: { name: "Command", field: "command", ask: "A command about to run: cargo test -p export", most: 400 },
  edit: { name: "Edit", field: "file", ask: "A file about to be changed: src/export.rs", most: 400 },
  compaction: { name: "Compaction", most: 2000 },
};
const NOTHING = {
  session_start: "This project has no rule, handoff, decision or recent work yet.",
  prompt: "No confirmed memory is relevant enough to this prompt, so the agent is not bothered.",
  command: "No rule and no trap is about this command, and it has not failed before.",
  edit: "No rule and no trap is about this file.",
  compaction: "There is nothing that must survive a compaction.",
};

/** Draws the page. */
export async function show({ root, query, signal, place }) {
  const { projects } = await api.projects(signal);
  const head = h("div", { class: "page-head" }, h("h1", null, "What would be injected now?"));
  if (!projects.length) return fill(root, head, emptyState("No project yet", "A project is known with its first session or memory. Then this page shows what a session in it is given.", "backstory setup"));
  const moment = Object.hasOwn(MOMENTS, query.moment) ? query.moment : "session_start";
  const state = { ...query, moment, project: query.project ?? String(projects[0].id) };
  const result = h("div", { class: "preview-result", "aria-live": "polite" });
  const ask = asker(state, result, signal);
  fill(root, head,
    h("p", { class: "quiet-text lead-line" }, "A preview: nothing is recorded, and no memory counts as shown."),
    h("div", { class: "filters" },
      choice("project", "Project", projects.map((each) => [String(each.id), each.name]), state.project),
      choice("moment", "Moment", Object.entries(MOMENTS).map(([key, { name }]) => [key, name]), moment)),
    input(state, ask), slider(state, ask), result);
  place();
  root.querySelector(".preview-text")?.focus({ preventScroll: true });
  await ask();
}

/** Writes into the address what is asked, so that it can be kept. */
function note(state) {
  rename("preview", { project: state.project, moment: state.moment, text: state.text, budget: state.budget });
}

function input(state, ask) {
  const { field, ask: placeholder } = MOMENTS[state.moment];
  if (!field) return null;
  const text = h("input", { class: `field preview-text ${field === "prompt" ? "" : "preview-mono"}`, value: state.text, placeholder, "aria-label": MOMENTS[state.moment].name, autocomplete: "off", spellcheck: "false" });
  text.addEventListener("input", () => {
    state.text = text.value;
    note(state);
    ask(PAUSE_MS);
  });
  return text;
}

function slider(state, ask) {
  const { most } = MOMENTS[state.moment];
  const said = h("output", { class: "preview-budget" });
  const range = h("input", { type: "range", class: "preview-range", min: 0, max: most, step: most > 1000 ? 50 : 10, "aria-label": "Budget in tokens", value: state.budget ?? 0 });
  const reset = h("button", { class: "button", hidden: state.budget === undefined }, "As configured");
  const say = () => fill(said, `${grouped(range.value)} tokens`);
  range.addEventListener("input", () => {
    state.budget = range.value;
    reset.hidden = false;
    say();
    note(state);
    ask(PAUSE_MS);
  });
  reset.addEventListener("click", () => {
    delete state.budget;
    reset.hidden = true;
    note(state);
    ask();
  });
  // The settings of the project say what the budget is; the answer brings it.
  state.knowBudget = (budget) => {
    if (state.budget === undefined) range.value = budget;
    say();
  };
  say();
  return h("label", { class: "preview-slider" }, h("span", { class: "filter-name" }, "Budget"), range, said, reset);
}

/** Makes a function that asks after a pause, and gives up the question before. */
function asker(state, result, signal) {
  let current = new AbortController();
  let pause;
  signal.addEventListener("abort", () => (clearTimeout(pause), current.abort()));
  const now = async () => {
    current.abort();
    current = new AbortController();
    const { signal: mine } = current;
    const { field } = MOMENTS[state.moment];
    if (field && !state.text?.trim()) return fill(result, emptyState("Type what is about to happen", MOMENTS[state.moment].ask));
    try {
      const about = field ? { [field]: state.text } : { moment: state.moment };
      const preview = await api.preview({ project: state.project, budget: state.budget, ...about }, mine);
      if (mine.aborted) return;
      state.knowBudget(preview.budget);
      fill(result, preview.context.trim() ? shown(preview) : emptyState("Nothing would be injected", preview.budget === 0 ? "The budget is 0." : NOTHING[state.moment]));
    } catch (error) {
      if (error.name !== "AbortError") fill(result, errorState(error));
    }
  };
  return (wait = 0) => {
    clearTimeout(pause);
    if (!wait) return now();
    pause = setTimeout(now, wait);
  };
}

function shown(preview) {
  const heads = new Map(preview.heads.map((head) => [head.id, head]));
  const memories = preview.memories.map((memory) => ({ ...memory, ...heads.get(memory.id), score: memory.score, tokens: memory.tokens }));
  const figure = (value, name, extra) => h("div", { class: "figure" }, h("dd", null, value), h("dt", null, name), extra);
  return [
    h("dl", { class: "figures" },
      figure(grouped(preview.tokens), `of ${grouped(preview.budget)} tokens`, meter(preview.tokens, preview.budget)),
      figure(grouped(memories.length), memories.length === 1 ? "memory" : "memories"),
      figure(millis(preview.build_ms), "to build"),
      figure(size(preview.bytes), "of text")),
    h("section", { class: "section" }, h("h2", null, "What the agent would see"), saw(preview.context, memories)),
    memories.length > 0 && h("section", { class: "section" }, h("h2", null, "Why each line is there"), reasons(memories)),
    preview.sections_skipped.length > 0 && h("p", { class: "quiet-text" }, `Left out for lack of budget or time: ${preview.sections_skipped.map(plain).join(", ")}.`)];
}

function reasons(memories) {
  return h("div", { class: "scroll-x", tabindex: 0, role: "region", "aria-label": "Why each line is there" }, h("table", { class: "table" },
    h("thead", null, h("tr", null, ["Memory", "Section", "Tokens", "Why"].map((name) => h("th", { scope: "col", class: name === "Tokens" ? "number" : "" }, name)))),
    h("tbody", null, memories.map((memory) => h("tr", null,
      h("td", { class: "table-title" }, kindTag(memory.kind ?? "note"), " ", h("a", { href: link("memory", memory.id) }, spans(memory.title ?? `#${memory.id}`))),
      h("td", null, plain(memory.section)), h("td", { class: "number" }, memory.tokens), h("td", { class: "reasons" }, memory.reasons.join(" · ")))))));
}
