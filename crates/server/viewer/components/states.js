// What a page says while it has nothing to show: it loads, it is empty, or something went wrong. Each says what to do next.

import { h } from "../dom.js";

/** Text with its `commands` set apart. */
export function withCommands(text) {
  return String(text).split("`").map((part, index) => (index % 2 ? h("code", null, part) : part));
}

/** Nothing here, and how that changes. */
export function emptyState(title, teaching, command) {
  return h("div", { class: "state" },
    h("p", { class: "state-title" }, title),
    h("p", { class: "state-text" }, withCommands(teaching)),
    command && h("pre", { class: "state-command" }, h("code", null, command)));
}

/** An error, in words. */
export function errorState(error, again) {
  const signedOut = error.status === 401;
  const title = signedOut ? "This browser is not signed in" : error.message;
  const text = signedOut ? "The worker shows your memories only to whoever opens a link it prints, and each link works once. A new one comes from" : (error.hint ?? "");
  return h("div", { class: "state state-error", role: "alert" },
    h("p", { class: "state-title" }, title),
    text && h("p", { class: "state-text" }, withCommands(text)),
    signedOut && h("pre", { class: "state-command" }, h("code", null, "backstory view")),
    again && !signedOut && h("p", null, h("button", { class: "button", on: { click: again } }, "Try again")));
}

/** Something is on its way; shown only when it takes a moment. */
export function loadingState() {
  return h("div", { class: "state-loading", role: "status" }, h("span", { class: "hidden" }, "Loading"),
    Array.from({ length: 6 }, () => h("span", { class: "bone", "aria-hidden": "true" })));
}
