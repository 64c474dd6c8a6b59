// The small labels: a memory's kind, its number, what became of it. Distinguished by their word; the colour only helps.

import { h } from "../dom.js";
import { plain } from "../words.js";

/** The kind of a memory. */
export function kindTag(kind) {
  return h("span", { class: `kind kind-${kind}` }, kind);
}

/** A quiet label; `tone` is good, warn, bad or nothing. */
export function label(text, tone, title) {
  return h("span", { class: `label ${tone ? `label-${tone}` : ""}`, title }, text);
}

const FRESHNESS = {
  fresh: ["fresh", "good", "the code stands as it did"],
  changed: ["changed since", "warn", "the code was changed after this was written"],
  gone: ["gone", "bad", "the code is not there any more"],
};

/** Whether the code a memory speaks of still stands. */
export function freshnessLabel(freshness) {
  const [text, tone, title] = FRESHNESS[freshness] ?? [freshness];
  return label(text, tone, title);
}

/** Whether what was injected was used. */
export function usedLabel(usedAt, usedHow) {
  return usedAt ? label(usedHow ? plain(usedHow) : "used", "good") : h("span", { class: "quiet-text" }, "not used");
}
