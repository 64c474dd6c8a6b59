// Short messages at the edge of the page, and the polite voice for who does not see them.

import { h } from "../dom.js";

const SHOWN_MS = 5000;
const corner = h("div", { class: "toasts", role: "region", "aria-label": "Messages" });
const voice = h("div", { class: "hidden", role: "status", "aria-live": "polite" });

/** Puts the corner and the voice on the page. */
export function placeToasts(body) {
  body.append(corner, voice);
}

/** Says something to screen readers without showing it. */
export function announce(text) {
  voice.textContent = text;
}

/** Shows a message; with `action` and `act` it has a button. Returns a function that takes it away. */
export function toast(text, { action, act, ms = SHOWN_MS, tone } = {}) {
  const gone = () => {
    clearTimeout(timer);
    element.remove();
  };
  const button = action && h("button", { class: "toast-action", on: { click: () => (gone(), act()) } }, action);
  const element = h("div", { class: `toast ${tone ? `toast-${tone}` : ""} ${action ? "toast-timed" : ""}` }, h("span", null, text), button);
  const timer = setTimeout(gone, ms);
  corner.append(element);
  announce(action ? `${text}. ${action} is possible for ${Math.round(ms / 1000)} seconds.` : text);
  return gone;
}
