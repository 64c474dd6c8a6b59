// A modal question, on the browser's own dialog: it traps focus and closes with Escape.

import { fill, h } from "../dom.js";

/** Opens a dialog; `build(close)` makes its content. Resolves with the argument of `close`, or undefined. */
export function openDialog(title, build, className = "") {
  return new Promise((resolve) => {
    const dialog = h("dialog", { class: `dialog ${className}`, "aria-labelledby": "dialog-title" });
    const close = (answer) => {
      dialog.close();
      resolve(answer);
    };
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(undefined);
    });
    dialog.addEventListener("click", (event) => event.target === dialog && close());
    fill(dialog, h("div", { class: "dialog-inside" }, h("h2", { id: "dialog-title" }, title), build(close)));
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Asks before something is done. */
export function confirmDialog(title, text, yes) {
  return openDialog(title, (close) => [
    h("p", null, text),
    h("div", { class: "dialog-actions" },
      h("button", { class: "button", on: { click: () => close(false) } }, "Cancel"),
      h("button", { class: "button button-bad", autofocus: true, on: { click: () => close(true) } }, yes))]);
}

/** Asks for a text; `send(text)` may refuse, and its words are then shown. */
export function textDialog(title, { teaching, value = "", yes, send }) {
  return openDialog(title, (close) => {
    const text = h("textarea", { class: "field", rows: 5, required: true, "aria-label": title, autofocus: true });
    text.value = value;
    const problem = h("p", { class: "problem", role: "alert" });
    const submit = async (event) => {
      event.preventDefault();
      try {
        close(await send(text.value));
      } catch (error) {
        fill(problem, error.message, error.hint ? `. ${error.hint}` : "");
      }
    };
    return h("form", { on: { submit } }, h("p", null, teaching), text, problem,
      h("div", { class: "dialog-actions" },
        h("button", { class: "button", type: "button", on: { click: () => close() } }, "Cancel"),
        h("button", { class: "button button-main" }, yes)));
  });
}
