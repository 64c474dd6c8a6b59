// The bar of filters above a list. Each choice is part of the address, so that a view can be kept and shared.

import { h } from "../dom.js";
import { withQuery } from "../router.js";

const set = (name) => (event) => (location.hash = withQuery({ [name]: event.target.value }));

/** A choice among values: `options` is a list of `[value, text]`. */
export function choice(name, title, options, value) {
  const select = h("select", { class: "field field-small", "aria-label": title, on: { change: set(name) } },
    options.map(([key, text]) => h("option", { value: key, selected: String(key) === String(value ?? "") }, text)));
  return h("label", { class: "filter" }, h("span", { class: "filter-name" }, title), select);
}

/** A day. */
export function day(name, title, value) {
  return h("label", { class: "filter" }, h("span", { class: "filter-name" }, title),
    h("input", { class: "field field-small", type: "date", value, on: { change: set(name) } }));
}

/** The bar; a way back to everything where something is chosen. */
export function filterBar(names, query, ...filters) {
  const isFiltered = names.some((name) => query[name]);
  const clear = Object.fromEntries(names.map((name) => [name, ""]));
  return h("div", { class: "filters", role: "group", "aria-label": "Filters" }, filters,
    isFiltered && h("a", { class: "filter-clear", href: withQuery(clear) }, "Clear filters"));
}
