// Several rows at once: chosen by their boxes or `v`, then confirmed, retired, pinned, merged or forgotten together.

import * as api from "../api.js";
import { fill, h } from "../dom.js";
import { go } from "../router.js";
import { count } from "../words.js";
import { confirmDialog, openDialog } from "./dialog.js";
import { toast } from "./toast.js";

/** Makes a list selectable. Returns the button that begins and ends choosing; rows need `selectable` of `memoryRow`. */
export function selection(root, signal, done) {
  const bar = h("div", { class: "selection-bar", role: "region", "aria-label": "Chosen memories", hidden: true });
  const button = h("button", { class: "button", "aria-pressed": "false", on: { click: () => turn(!root.classList.contains("selecting")) } }, "Select");
  const chosen = new Map();
  const boxes = () => [...root.querySelectorAll(".row-check")];
  const turn = (on) => {
    root.classList.toggle("selecting", on);
    button.setAttribute("aria-pressed", String(on));
    if (!on) chosen.clear();
    if (!on) for (const box of boxes()) box.checked = false;
    draw();
  };
  const draw = () => {
    bar.hidden = !root.classList.contains("selecting");
    if (bar.hidden) return;
    const act = (name, run, className = "") => h("button", { class: `button ${className}`, disabled: chosen.size === 0, on: { click: run } }, name);
    fill(bar, h("strong", null, count(chosen.size, "memory", "memories")),
      act("Confirm", each("confirmed", (id) => api.confirm(id))),
      act("Retire", each("retired", (id) => api.retire(id))),
      act("Pin", each("pinned", (id) => api.pin(id, true))),
      h("button", { class: "button", disabled: chosen.size < 2, on: { click: merge } }, "Merge …"),
      act("Forget …", forget, "button-quiet-bad"),
      h("button", { class: "button", on: { click: () => turn(false) } }, "Done"));
  };
  const each = (what, ask) => async () => {
    const failed = [];
    for (const id of chosen.keys()) await ask(id).catch((error) => failed.push(`#${id}: ${error.message}`));
    const worked = chosen.size - failed.length;
    toast(failed.length ? `${count(worked, "memory", "memories")} ${what}; ${failed[0]}` : `${count(worked, "memory", "memories")} ${what}`, { tone: failed.length ? "bad" : undefined });
    turn(false);
    await done();
  };
  const forget = async () => {
    const some = chosen.size;
    if (await confirmDialog(`Forget ${count(some, "memory", "memories")}?`, "They leave the store, its index and its vectors, and stay out when they are seen again. This cannot be undone.", "Forget")) await each("forgotten", (id) => api.forget(id))();
  };
  const merge = async () => {
    const written = await mergeDialog([...chosen.keys()]);
    if (!written?.id) return;
    toast(`#${written.id} stands in the place of ${count(chosen.size, "memory", "memories")}`);
    turn(false);
    go("memory", written.id);
  };
  root.addEventListener("change", (event) => {
    if (!event.target.matches?.(".row-check")) return;
    const { id, title } = event.target.dataset;
    if (event.target.checked) chosen.set(Number(id), title);
    else chosen.delete(Number(id));
    if (!root.classList.contains("selecting")) turn(true);
    draw();
  });
  // A page of the feed that comes into sight again is drawn anew.
  const marked = new MutationObserver(() => boxes().forEach((box) => (box.checked = chosen.has(Number(box.dataset.id)))));
  marked.observe(root, { childList: true, subtree: true });
  signal.addEventListener("abort", () => marked.disconnect());
  return { button, bar };
}

/** Asks what stands in the place of several memories, with their words at hand. */
async function mergeDialog(ids) {
  const memories = await Promise.all(ids.map((id) => api.memory(id)));
  return openDialog(`Merge ${count(ids.length, "memory", "memories")}`, (close) => {
    const title = h("input", { class: "field", required: true, maxlength: 80, value: memories[0].title, autofocus: true });
    const text = h("textarea", { class: "field", rows: 10, required: true });
    const bodies = memories.map((memory) => memory.body.trim() || memory.title).filter((body, at, all) => all.indexOf(body) === at);
    text.value = bodies.join("\n\n");
    const problem = h("p", { class: "problem", role: "alert" });
    const submit = async (event) => {
      event.preventDefault();
      try {
        close(await api.merge({ ids, title: title.value, text: text.value, kind: memories[0].kind }));
      } catch (error) {
        fill(problem, error.message, error.hint ? `. ${error.hint}` : "");
      }
    };
    return h("form", { on: { submit } }, h("p", null, `One memory takes the place of ${ids.map((id) => `#${id}`).join(", ")}; they stay as history.`),
      h("label", null, h("span", { class: "filter-name" }, "Title"), title), h("label", null, h("span", { class: "filter-name" }, "Text"), text), problem,
      h("div", { class: "dialog-actions" }, h("button", { class: "button", type: "button", on: { click: () => close() } }, "Cancel"), h("button", { class: "button button-main" }, "Merge")));
  }, "dialog-wide");
}
