// Forgetting is final in the store, so it is confirmed, and then done only after a while in which it can be taken back.

import * as api from "../api.js";
import { confirmDialog } from "./dialog.js";
import { toast } from "./toast.js";

const UNDO_MS = 6000;
const pending = new Map();
const forgotten = new Set();

/** Whether a memory is about to be forgotten. */
export const isForgetting = (id) => pending.has(id);

/** Whether a memory was forgotten since the page was opened: lists at hand may still hold it. */
export const isForgotten = (id) => forgotten.has(id);

/** Asks, and forgets after the undo window. Returns whether it was confirmed; `undone` is called when it is taken back. */
export async function askToForget(memory, undone) {
  const text = `“${memory.title}” leaves the store, its index and its vectors, and stays out when it is seen again. You can undo this for ${UNDO_MS / 1000} seconds.`;
  if (!(await confirmDialog(`Forget #${memory.id}?`, text, "Forget"))) return false;
  const timer = setTimeout(() => finish(memory.id), UNDO_MS);
  const gone = toast(`Forgetting #${memory.id}`, { action: "Undo", act: () => undo(memory.id, undone), ms: UNDO_MS });
  pending.set(memory.id, { timer, gone });
  mark(memory.id);
  return true;
}

function undo(id, undone) {
  clearTimeout(pending.get(id)?.timer);
  pending.delete(id);
  mark(id);
  toast(`Kept #${id}`);
  undone?.();
}

async function finish(id) {
  try {
    const { remains_in: remains = [], mentioned_in: said = [] } = (await api.forget(id)) ?? {};
    forgotten.add(id);
    const left = [remains.length && `It still stands in ${remains.join(", ")}.`, said.length && `Its title is also in ${said.map((other) => `#${other}`).join(", ")}.`];
    toast([`Forgot #${id}.`, ...left.filter(Boolean)].join(" "), { ms: left.some(Boolean) ? 12_000 : undefined });
    for (const row of document.querySelectorAll(`[data-memory="${id}"]`)) row.remove();
  } catch (error) {
    toast(`#${id} was not forgotten: ${error.message}`, { tone: "bad" });
  } finally {
    pending.delete(id);
    mark(id);
  }
}

function mark(id) {
  for (const row of document.querySelectorAll(`[data-memory="${id}"]`)) row.classList.toggle("row-forgetting", pending.has(id));
}

// Who closes the page has confirmed already: what is pending is done, not dropped.
addEventListener("pagehide", () => {
  for (const [id, { timer }] of pending) {
    clearTimeout(timer);
    api.forget(id, true).catch(() => {});
  }
  pending.clear();
});
