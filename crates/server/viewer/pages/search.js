// Search: hits while one types, each with its score explained and the words of the query marked.

import * as api from "../api.js";
import { choice, day, filterBar } from "../components/filters.js";
import { saysMore, spans, termsOf } from "../components/prose.js";
import { scoreBar, scoreReasons, scoreSum } from "../components/score.js";
import { emptyState, errorState } from "../components/states.js";
import { kindTag, label } from "../components/tag.js";
import { fill, h } from "../dom.js";
import { link, rename } from "../router.js";
import { shortDay, span, time } from "../times.js";
import { KINDS, count } from "../words.js";

const PAUSE_MS = 40;
const LIMIT = 20;
// Of what only lies nearest to a question, so many are shown.
const NEAREST = 3;

/** Draws the page. */
export async function show({ root, query, signal, place }) {
  const summary = h("p", { class: "search-summary", role: "status" });
  const list = h("div", { class: "hits" });
  const field = h("input", { class: "field search-field", type: "search", placeholder: "Ask in your own words", "aria-label": "Search memories", autocomplete: "off", spellcheck: "false", value: query.q, "aria-keyshortcuts": "/" });
  const ask = asker(summary, list, signal);
  let pause;
  field.addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(() => {
      query = { ...query, q: field.value };
      rename("search", query);
      ask(query);
    }, PAUSE_MS);
  });
  fill(root,
    h("div", { class: "page-head" }, h("h1", { class: "hidden" }, "Search"), h("div", { class: "search-line" }, field, h("kbd", { "aria-hidden": "true" }, "/")), filters(query)),
    summary, list);
  place();
  field.focus({ preventScroll: true });
  await ask(query);
}

function filters(query) {
  return filterBar(["kind", "since", "until", "file"], query,
    choice("kind", "Kind", [["", "All kinds"], ...KINDS.map((kind) => [kind, kind])], query.kind),
    day("since", "From", query.since),
    day("until", "To", query.until));
}

/** Makes a function that asks, and gives up the question before when a new one comes. */
function asker(summary, list, signal) {
  let current = new AbortController();
  signal.addEventListener("abort", () => current.abort());
  return async (query) => {
    current.abort();
    current = new AbortController();
    const { signal: mine } = current;
    if (!query.q?.trim()) {
      fill(summary);
      return fill(list, invitation());
    }
    try {
      const { q, project, kind, file } = query;
      const answer = await api.search({ q, project, kind, file, ...span(query), limit: query.more ?? LIMIT }, mine);
      if (mine.aborted) return;
      const found = answer.fits === false ? { ...answer, hits: answer.hits.slice(0, NEAREST) } : answer;
      fill(summary, summarise(found));
      fill(list, found.hits.length ? [answer.fits === false && farOff(), hits(found.hits, query)] : nothing());
    } catch (error) {
      if (error.name !== "AbortError") fill(list, errorState(error));
    }
  };
}

const invitation = () => emptyState("What do you want to know?",
  "Words and meaning both count, so “how do we deploy” finds the pipeline. Times work too: “what broke last week”. The same from a terminal:", "backstory search \"what broke last week\"");

const farOff = () => h("p", { class: "notice" }, "Nothing fits: no memory says this. These are the nearest in meaning, and likely about something else.");

const nothing = () => emptyState("Nothing was found", "Fewer or other words may find it; the filters above may leave it out. What you know and your agent does not, store it:", "backstory remember \"…\"");

/** What the worker made of the question. */
function summarise({ hits: found, ms, strategy, read_as: readAs = [], when }) {
  const parts = [`${count(found.length, "hit")}${ms === undefined ? "" : ` in ${ms < 10 ? Number(ms).toFixed(1) : Math.round(ms)} ms`}`, `by ${strategy}`];
  for (const { word, known } of readAs) parts.push(`“${word}” read as “${known}”`);
  if (when) parts.push(`“${when.said}” is ${[when.since, when.until].filter(Boolean).map(shortDay).join(" – ")}`);
  return parts.join(" · ");
}

function hits(found, query) {
  const terms = termsOf(query.q);
  const list = h("ol", { class: "hit-list" }, found.map((hit) => hitItem(hit, terms, query)));
  const more = found.length >= Number(query.more ?? LIMIT) && found.length < 200;
  return [list, more && h("p", { class: "more" }, h("a", { class: "button", href: link("search", { ...query, more: Math.min(200, found.length * 3) }) }, "More hits"))];
}

function hitItem(hit, terms, query) {
  const sum = h("div", { class: "hit-sum", hidden: true }, h("p", { class: "hit-reasons" }, scoreReasons(hit.explain)), hit.explain && scoreSum(hit));
  // A snippet that only says the title again takes a line for nothing.
  const says = saysMore(hit.title, hit.snippet);
  const button = h("button", { class: "hit-why", "aria-expanded": "false", "aria-keyshortcuts": "x", title: "Explain the score (x)" }, hit.score.toFixed(2));
  button.addEventListener("click", () => {
    sum.hidden = !sum.hidden;
    button.setAttribute("aria-expanded", String(!sum.hidden));
  });
  return h("li", { class: `hit ${hit.superseded_by ? "row-superseded" : ""}`, "data-memory": hit.id },
    h("div", { class: "hit-score" }, button, scoreBar(hit)),
    h("div", { class: "hit-body" },
      h("div", { class: "hit-head" }, kindTag(hit.kind), h("a", { class: "row-title", href: link("memory", hit.id, { q: query.q }), "data-row": true }, spans(hit.title, terms))),
      says && h("p", { class: "hit-snippet" }, spans(hit.snippet, terms)),
      sum),
    h("p", { class: "hit-meta" }, hit.pinned && label("pinned"), hit.standing === "proposed" && label("proposed", "warn"), hit.superseded_by && label(`superseded by #${hit.superseded_by}`), h("span", { class: "row-project" }, hit.project), time(hit.created_at, "ago"), h("span", { class: "row-number" }, `#${hit.id}`)));
}
