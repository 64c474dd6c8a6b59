// What the reader chose on this machine (theme, single keys), kept in local storage, and what is under way in this tab.

const PREFIX = "backstory.";
const watchers = new Map();
const values = new Map();

/** Returns a choice, or what stands for it while none was made. */
export function chosen(key, otherwise) {
  if (values.has(key)) return values.get(key);
  try {
    const stored = localStorage.getItem(PREFIX + key);
    if (stored !== null) values.set(key, JSON.parse(stored));
  } catch {
    // No storage here: choices last as long as the tab.
  }
  return values.has(key) ? values.get(key) : otherwise;
}

/** Keeps a choice and notifies its watchers. */
export function choose(key, value) {
  values.set(key, value);
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // As above.
  }
  for (const watcher of watchers.get(key) ?? []) watcher(value);
}

/** Calls `watcher` at each new choice, until the signal is aborted. */
export function watch(key, watcher, signal) {
  if (!watchers.has(key)) watchers.set(key, new Set());
  watchers.get(key).add(watcher);
  signal?.addEventListener("abort", () => watchers.get(key).delete(watcher));
}
