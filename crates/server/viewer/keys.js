// The keyboard: single keys for everything a reader does often. They can be turned off, and never act while somebody writes.

import { openDialog } from "./components/dialog.js";
import { h } from "./dom.js";
import { go, address, link } from "./router.js";
import { chosen, choose } from "./state.js";

const PLACES = { o: "overview", l: "rules", n: "preview", m: "map", t: "timeline", r: "review", s: "search", e: "sessions", i: "injections", p: "projects", h: "health" };
const TOGETHER_MS = 1200;

const HELP = [
  ["/", "Search"],
  ["j  k", "Next, previous row"],
  ["Enter", "Open the row"],
  ["x", "Explain the hit"],
  ["v", "Choose the row"],
  ["g o", "Overview"],
  ["g t", "Timeline"],
  ["g l", "Rules"],
  ["g r", "Review"],
  ["g s", "Search"],
  ["g e", "Sessions"],
  ["g i", "Injections"],
  ["g n", "Injected now"],
  ["g m", "Map"],
  ["g p", "Projects"],
  ["g h", "Health"],
  ["a", "Add a rule, on their page"],
  ["y  n", "Confirm, retire the memory"],
  ["e", "Edit it"],
  ["p", "Pin or unpin it"],
  ["s", "Supersede it; in the review, later"],
  ["f", "Forget it"],
  ["u", "Back"],
  ["?", "These keys"],
];

let wentAt = -Infinity;

/** Starts to listen. */
export function listenToKeys() {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || document.querySelector("dialog[open]")) return;
    if (isWriting(event.target)) return leaveWriting(event);
    if (!chosen("keys", true)) return;
    if (act(event.key)) event.preventDefault();
  });
}

/** Shows the keys. */
export function showHelp() {
  openDialog("Keys", (close) => [
    h("dl", { class: "keys" }, HELP.map(([keys, text]) => h("div", null, h("dt", null, keys.split(/ +/).map((key) => h("kbd", null, key))), h("dd", null, text)))),
    h("label", { class: "check" }, switchBox(), "Single keys act"),
    h("div", { class: "dialog-actions" }, h("button", { class: "button button-main", autofocus: true, on: { click: () => close() } }, "Close"))]);
}

function switchBox() {
  return h("input", { type: "checkbox", checked: chosen("keys", true), on: { change: (event) => choose("keys", event.target.checked) } });
}

const isWriting = (target) => target.matches?.("input:not([type=checkbox], [type=range]), textarea, select");

function leaveWriting(event) {
  if (event.key === "Escape") event.target.blur();
  if (event.target.type === "search" && ["ArrowDown", "Enter"].includes(event.key) && step(1)) event.preventDefault();
}

function act(key) {
  if (performance.now() - wentAt < TOGETHER_MS) {
    wentAt = -Infinity;
    return Object.hasOwn(PLACES, key) && (go(PLACES[key], scoped()), true);
  }
  switch (key) {
    case "g": wentAt = performance.now(); return true;
    case "/": return toSearch();
    case "j": return step(1);
    case "k": return step(-1);
    case "u": history.back(); return true;
    case "?": showHelp(); return true;
    default: return press(key);
  }
}

function scoped() {
  const { project } = address().query;
  return project ? { project } : {};
}

function toSearch() {
  const field = document.querySelector("input[type=search]");
  if (field) field.select();
  else location.hash = link("search", scoped());
  return true;
}

/** Moves the focus among rows; with none focused, to the first one in view. */
function step(by) {
  const rows = [...document.querySelectorAll("[data-row]")];
  const at = rows.indexOf(document.activeElement);
  const seen = rows.findIndex((row) => row.getBoundingClientRect().top >= 0);
  const next = rows[at < 0 ? Math.max(0, seen) : at + by];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "nearest" });
  return Boolean(next);
}

/** Presses the button of this page that a key stands for; the focused row's own first. */
function press(key) {
  if (!/^[a-z]$/.test(key)) return false;
  const selector = `[aria-keyshortcuts="${key}"]`;
  const button = document.activeElement?.closest("li, article")?.querySelector(selector) ?? document.querySelector(`main ${selector}`);
  button?.click();
  return Boolean(button);
}
