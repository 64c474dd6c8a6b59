// Asks the worker. One function a route, so that pages never build an address; refusals are `Refused`, with words to show.

/** An answer that says no, or no answer at all. */
export class Refused extends Error {
  constructor(status, code, message, hint) {
    super(message);
    Object.assign(this, { status, code, hint });
  }
}

let written = 0;

/** How many times this page wrote something: what was kept from before may have changed then. */
export const writes = () => written;

const path = (...parts) => `/api/${parts.map(encodeURIComponent).join("/")}`;

export const login = (key) => ask("POST", path("login"), { body: { key } });
export const status = (signal) => ask("GET", path("status"), { signal });
export const stats = (signal) => ask("GET", path("stats"), { signal });
export const hooks = (signal) => ask("GET", path("hooks"), { signal });

export const overview = (query, signal) => ask("GET", path("overview"), { query: { ...query, utc_offset: -new Date().getTimezoneOffset() }, signal });
export const projects = (signal) => ask("GET", path("projects"), { signal });
export const project = (id, signal) => ask("GET", path("projects", id), { signal });

export const files = (id, signal) => ask("GET", path("projects", id, "files"), { signal });

export const memories = (query, signal) => ask("GET", path("memories"), { query, signal });
export const memory = (id, signal) => ask("GET", path("memories", id), { signal });
export const relations = (id, signal) => ask("GET", path("memories", id, "relations"), { signal });
export const remember = (body) => ask("POST", path("memories"), { body });
export const merge = (body) => ask("POST", path("memories", "merge"), { body });
export const revise = (id, body) => ask("PATCH", path("memories", id), { body });
export const pin = (id, pinned) => ask("POST", path("memories", id, "pin"), { body: { pinned } });
export const confirm = (id) => ask("POST", path("memories", id, "confirm"), { body: {} });
export const retire = (id) => ask("POST", path("memories", id, "retire"), { body: {} });
export const supersede = (id, text) => ask("POST", path("memories", id, "supersede"), { body: { text } });
export const forget = (id, closing) => ask("DELETE", path("memories", id), { body: {}, keepalive: closing });

export const rules = (query, signal) => ask("GET", path("rules"), { query, signal });
export const review = (query, signal) => ask("GET", path("review"), { query, signal });
export const search = (query, signal) => ask("GET", path("search"), { query: { ...query, explain: 1 }, signal });
export const timeline = (query, signal) => ask("GET", path("timeline"), { query, signal });
export const sessions = (query, signal) => ask("GET", path("sessions"), { query, signal });
export const session = (id, signal) => ask("GET", path("sessions", id), { signal });
export const injections = (query, signal) => ask("GET", path("injections"), { query, signal });
export const injection = (id, signal) => ask("GET", path("injections", id), { signal });
export const preview = (query, signal) => ask("GET", path("context"), { query, signal });

async function ask(method, address, { query, body, signal, keepalive }) {
  const parameters = new URLSearchParams(Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null && value !== ""));
  const options = { method, signal, keepalive, credentials: "same-origin", headers: { accept: "application/json" } };
  if (body) {
    options.body = JSON.stringify(body);
    options.headers["content-type"] = "application/json";
  }
  const answer = await fetch(parameters.size ? `${address}?${parameters}` : address, options).catch(unreachable);
  const reply = await answer.json().catch(() => null);
  if (!answer.ok) throw refusal(answer.status, reply);
  if (method !== "GET") written += 1;
  return reply;
}

function unreachable(cause) {
  if (cause.name === "AbortError") throw cause;
  throw new Refused(0, "unreachable", "The worker does not answer", "It ends by itself after a while without visitors. Run `backstory view` to start it again.");
}

function refusal(status, reply) {
  const error = reply?.error;
  const inTheWay = error?.existing_id ? `Memory #${error.existing_id} stands in the way.` : null;
  if (error) return new Refused(status, error.code, error.message, error.hint ?? inTheWay);
  return new Refused(status, "unknown", `The worker answered with ${status}`, "Its log says more: `backstory status` names the folder.");
}
