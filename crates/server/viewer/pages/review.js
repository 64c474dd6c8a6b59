// Review: what waits for the user's word, newest first; one key each.

import * as api from "../api.js";
import { prose, saysMore, spans } from "../components/prose.js";
import { emptyState } from "../components/states.js";
import { kindTag } from "../components/tag.js";
import { announce, toast } from "../components/toast.js";
import { fill, h } from "../dom.js";
import { link } from "../router.js";
import { time } from "../times.js";
import { count, whoSaid } from "../words.js";

/** Draws the page. */
export async function show({ root, query, signal }) {
  const { memories } = await api.review({ project: query.project }, signal);
  const list = h("ol", { class: "review-list" });
  const left = h("p", { class: "quiet-text" });
  const redraw = () => {
    const waiting = list.children.length;
    fill(left, waiting ? `${count(waiting, "memory", "memories")} of the last week. Until you confirm one, search finds it, and no session is given it unasked.` : "");
    if (!waiting) fill(list, h("li", null, nothing()));
  };
  list.append(...memories.map((memory) => card(memory, redraw)));
  redraw();
  fill(root, h("div", { class: "page-head" }, h("h1", null, "Review")), left, list);
}

const nothing = () => emptyState("Nothing waits for your word", "What an agent, a repository or a web page says appears here when it asks for something or nothing proves it. Older ones are listed by", "backstory review --since 12w");

function card(memory, redraw) {
  const button = (name, key, click, className = "") => h("button", { class: `button ${className}`, "aria-keyshortcuts": key, on: { click } }, name, h("kbd", { "aria-hidden": "true" }, key));
  const judge = (ask, done) => async () => {
    try {
      await ask(memory.id);
      leave();
      toast(`#${memory.id} ${done}`);
    } catch (error) {
      toast(error.message, { tone: "bad" });
    }
  };
  const skip = () => (leave(), announce(`#${memory.id} waits`));
  const item = h("li", { class: "review-item" },
    h("p", { class: "crumbs" }, kindTag(memory.kind), `#${memory.id}`, time(memory.created_at), h("span", { class: "row-project" }, memory.project)),
    h("h2", null, h("a", { class: "review-title", href: link("memory", memory.id), "data-row": true }, spans(memory.title))),
    saysMore(memory.title, memory.body) && prose(memory.body),
    h("p", { class: "quiet-text" }, `Whose word: ${whoSaid(memory.provenance)}. It waits, because ${memory.why}.`),
    h("div", { class: "actions" },
      button("Confirm", "y", judge(api.confirm, "is confirmed: sessions may be given it"), "button-main"),
      button("Retire", "n", judge(api.retire, "is retired: it stays as history")),
      button("Later", "s", skip)));
  // The next one takes its place under the reader's hands.
  function leave() {
    const next = item.nextElementSibling ?? item.previousElementSibling;
    item.remove();
    redraw();
    next?.querySelector("[data-row]")?.focus({ preventScroll: true });
    next?.scrollIntoView({ block: "nearest" });
  }
  return item;
}
