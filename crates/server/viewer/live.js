// Receives what is new from the worker (server-sent events) and passes it to the pages that listen.

const AGAIN_AFTER_MS = 5000;
const listeners = new Set();
let state = "connecting";
let stream = null;
let wasAway = false;

/**
 * Opens the stream; it mends itself for as long as the page is looked at. A browser gives a server six connections for all its tabs
 * together, so one that nobody sees keeps none, and catches up when it is seen again.
 */
export function connect() {
  document.addEventListener("visibilitychange", () => (document.hidden ? leave() : open()));
  if (!document.hidden) open();
}

function open() {
  if (stream) return;
  stream = new EventSource("/api/events");
  stream.addEventListener("open", () => {
    become("live");
    // Pages are drawn while the first connection is made; what was written during a later gap, they have missed.
    if (wasAway) notify({ kind: "back", id: null });
    wasAway = false;
  });
  for (const kind of ["memory", "event", "injection"]) {
    stream.addEventListener(kind, (message) => notify({ kind, id: idOf(message.data) }));
  }
  stream.addEventListener("error", () => {
    become("waiting");
    wasAway = true;
    if (stream?.readyState !== EventSource.CLOSED) return;
    close();
    setTimeout(() => document.hidden || open(), AGAIN_AFTER_MS);
  });
}

function leave() {
  wasAway = true;
  close();
}

function close() {
  stream?.close();
  stream = null;
}

/** Calls `listener` with each `{ kind, id }`; the kind is memory, event, injection, back (after a gap) or state (live, waiting). */
export function listen(listener, signal) {
  listeners.add(listener);
  signal?.addEventListener("abort", () => listeners.delete(listener));
}

/**
 * Keeps a page as it is now: `catchUp` is called when something of these kinds was written, one call at a time and one more for what
 * came meanwhile, with a pause of `restMs` between two. Returns the function that each change calls.
 */
export function follow(kinds, catchUp, signal, restMs = 0) {
  let isBusy = false;
  let hasMore = false;
  const run = async () => {
    hasMore = isBusy;
    if (isBusy) return;
    isBusy = true;
    do {
      hasMore = false;
      // Where it fails, the next change or the next visit catches up.
      await Promise.resolve(catchUp()).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, restMs));
    } while (hasMore && !signal.aborted);
    isBusy = false;
  };
  listen(({ kind }) => (kind === "back" || kinds.includes(kind)) && run(), signal);
  return run;
}

/** Returns connecting, live or waiting. */
export const liveState = () => state;

function become(next) {
  state = next;
  notify({ kind: "state", id: null });
}

function notify(change) {
  for (const listener of listeners) listener(change);
}

function idOf(data) {
  try {
    return JSON.parse(data).id;
  } catch {
    return null;
  }
}
