// Hears from the worker what is new (server-sent events) and tells the pages that listen.

const AGAIN_AFTER_MS = 5000;
const listeners = new Set();
let state = "connecting";
let stream = null;

/**
 * Opens the stream; it mends itself for as long as the page is looked at. A browser gives a server six connections for all its tabs
 * together, so one that nobody sees keeps none, and catches up when it is seen again.
 */
export function connect() {
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  if (!document.hidden) open();
}

function open() {
  if (stream) return;
  stream = new EventSource("/api/events");
  stream.addEventListener("open", () => become("live"));
  for (const kind of ["memory", "event", "injection"]) {
    stream.addEventListener(kind, (message) => tell({ kind, id: idOf(message.data) }));
  }
  stream.addEventListener("error", () => {
    become("waiting");
    if (stream?.readyState !== EventSource.CLOSED) return;
    close();
    setTimeout(() => document.hidden || open(), AGAIN_AFTER_MS);
  });
}

function close() {
  stream?.close();
  stream = null;
}

/** Calls `heard` with each `{ kind, id }`; the kind is memory, event, injection or state (live, waiting). */
export function listen(heard, signal) {
  listeners.add(heard);
  signal?.addEventListener("abort", () => listeners.delete(heard));
}

/** Returns connecting, live or waiting. */
export const liveState = () => state;

function become(next) {
  state = next;
  tell({ kind: "state", id: null });
}

function tell(news) {
  for (const heard of listeners) heard(news);
}

function idOf(data) {
  try {
    return JSON.parse(data).id;
  } catch {
    return null;
  }
}
