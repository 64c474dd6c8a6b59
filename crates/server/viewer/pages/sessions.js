// Sessions: the conversations of all hosts, the one with the newest event first; each leads to its replay.

import * as api from "../api.js";
import { Feed } from "../components/feed.js";
import { spans } from "../components/prose.js";
import { emptyState } from "../components/states.js";
import { label } from "../components/tag.js";
import { fill, h } from "../dom.js";
import { follow } from "../live.js";
import { link } from "../router.js";
import { clock, dayKey, dayName, lasted, time } from "../times.js";
import { count, hostName } from "../words.js";

const REST_MS = 1000;

/** Draws the page. */
export async function show({ root, query, signal, place }) {
  const load = async (before) => {
    const { sessions, next } = await api.sessions({ project: query.project, before, limit: 50 }, signal);
    return { items: sessions, next };
  };
  const feed = new Feed({ signal, load, draw: drawPage, empty: () => emptyState("No sessions yet", "A session appears here when a connected host starts one. Connect the hosts of this machine with", "backstory setup") });
  fill(root, h("div", { class: "page-head" }, h("h1", null, "Sessions")), feed.element);
  place();
  await feed.more();
  // A session changes its place and its figures with every event.
  follow(["event"], async () => feed.renew(await load()), signal, REST_MS);
}

function drawPage(sessions, previous) {
  const drawn = [];
  for (const session of sessions) {
    if (!previous || dayKey(previous.last_event_at) !== dayKey(session.last_event_at)) drawn.push(h("h2", { class: "day" }, dayName(session.last_event_at)), h("ol", { class: "rows" }));
    if (drawn.length === 0) drawn.push(h("ol", { class: "rows" }));
    drawn.at(-1).append(row(session));
    previous = session;
  }
  return drawn;
}

function row(session) {
  return h("li", { class: "row row-session" },
    time(session.last_event_at, "clock", "row-time"),
    h("span", { class: "row-host" }, hostName(session.host)),
    h("a", { class: "row-title", href: link("session", session.id), "data-row": true }, spans(session.title || session.prompt || `Session ${session.id}`)),
    h("span", { class: "row-meta" },
      !session.ended_at && label("open", "good", `last event at ${clock(session.last_event_at)}`),
      h("span", null, lasted(session.started_at, session.ended_at ?? session.last_event_at).replace(/^0 s$/, "")),
      h("span", null, count(session.memories, "memory", "memories")),
      h("span", { class: "row-project", title: `session ${session.id}` }, session.project)));
}
