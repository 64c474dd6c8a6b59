// Timeline: every memory, newest first, grouped by day and session; new ones appear as they are written.

import * as api from "../api.js";
import { Feed } from "../components/feed.js";
import { choice, day, filterBar } from "../components/filters.js";
import { memoryList } from "../components/row.js";
import { selection } from "../components/selection.js";
import { emptyState } from "../components/states.js";
import { announce } from "../components/toast.js";
import { fill, h } from "../dom.js";
import { follow } from "../live.js";
import { link } from "../router.js";
import { clock, dayKey, dayName, span } from "../times.js";
import { KINDS, count, hostName } from "../words.js";

const PAGE = 50;
const AT_TOP_PX = 120;
let kept = null;

/** Draws the page. */
export async function show({ root, query, signal, place }) {
  const key = JSON.stringify(query);
  const filter = { project: query.project, kind: query.kind, session: query.session, ...span(query) };
  const back = kept?.key === key && kept.writes === api.writes() ? kept.feed : null;
  const feed = new Feed({ signal, kept: back, empty: () => nothing(filter), draw: drawPage, load: (before) => load({ ...filter, before, limit: PAGE }, signal) });
  const fresh = h("button", { class: "fresh", hidden: true, on: { click: () => scrollTo({ top: 0 }) } });
  // What became of rows chosen together is shown by a fresh list.
  const { button, bar } = selection(root, signal, async () => feed.renew(await load({ ...filter, limit: PAGE }, signal)));
  fill(root,
    h("div", { class: "page-head" }, h("h1", null, "Timeline"), filters(query, button)),
    fresh, feed.element, bar);
  place();
  if (back) restoreScroll(root, back.scrollY);
  else await feed.more();
  const catchUp = keepUp(feed, filter, fresh, signal);
  if (back) catchUp();
  // Before the address changes what is drawn, so that the way back finds it as it was.
  signal.addEventListener("abort", () => (kept = { key, writes: api.writes(), feed: feed.keep() }));
}

async function load(filter, signal) {
  const { memories, next } = await api.memories(filter, signal);
  return { items: memories, next };
}

function filters(query, ...more) {
  return filterBar(["kind", "since", "until", "session"], query,
    choice("kind", "Kind", [["", "All kinds"], ...KINDS.map((kind) => [kind, kind])], query.kind),
    day("since", "From", query.since),
    day("until", "To", query.until), more);
}

function nothing(filter) {
  const filtered = Object.values(filter).some(Boolean);
  return filtered
    ? emptyState("Nothing fits these filters", "Clear them, or search: a question finds what a filter misses.")
    : emptyState("No memories yet", "They are distilled from what your agents do. Connect the hosts of this machine and bring in what they did before:", "backstory setup");
}

/** Draws rows under headings of day and session, going on from the row before. */
function drawPage(items, previous) {
  const drawn = [];
  let group = [];
  const close = () => {
    if (group.length) drawn.push(memoryList(group, { withProject: !group[0].session, selectable: true }));
    group = [];
  };
  for (const memory of items) {
    const newDay = !previous || dayKey(previous.created_at) !== dayKey(memory.created_at);
    const newSession = newDay || (previous.session ?? null) !== (memory.session ?? null);
    if (newSession) close();
    if (newDay) drawn.push(h("h2", { class: "day" }, dayName(memory.created_at)));
    if (newSession) drawn.push(sessionHead(memory, items));
    group.push(memory);
    previous = memory;
  }
  close();
  return drawn;
}

function sessionHead(memory, items) {
  if (!memory.session) return h("h3", { class: "session-head" }, h("span", null, "Written by hand or imported"));
  const others = items.filter((other) => other.session === memory.session && dayKey(other.created_at) === dayKey(memory.created_at));
  const [from, to] = [clock(others.at(-1).created_at), clock(memory.created_at)];
  return h("h3", { class: "session-head" },
    h("a", { href: link("session", memory.session) }, `Session ${memory.session}`),
    memory.host && h("span", null, hostName(memory.host)),
    h("span", null, memory.project_name),
    h("span", null, from === to ? from : `${from} – ${to}`),
    h("span", null, count(others.length, "memory", "memories")));
}

/** Adds what is written meanwhile: at once at the top, behind a button further down. */
function keepUp(feed, filter, fresh, signal) {
  let unseen = 0;
  const catchUp = async () => {
    if (filter.until) return;
    const items = await newer(feed.first, filter, signal);
    if (!items.length) return;
    feed.prepend(items);
    announce(items.length === 1 ? `New memory: ${items[0].title}` : `${count(items.length, "new memory", "new memories")}`);
    unseen = scrollY > AT_TOP_PX ? unseen + items.length : 0;
    showFresh();
  };
  const showFresh = () => {
    fresh.hidden = unseen === 0;
    fresh.textContent = `${count(unseen, "new memory", "new memories")} above`;
  };
  addEventListener("scroll", () => scrollY <= AT_TOP_PX && unseen && ((unseen = 0), showFresh()), { signal, passive: true });
  return follow(["memory"], catchUp, signal);
}

/** Returns what stands above the newest row at hand, however many pages that are; of an empty list, its first page. */
async function newer(newest, filter, signal) {
  const isAbove = (memory) => memory.created_at > newest.created_at || (memory.created_at === newest.created_at && memory.id > newest.id);
  const found = [];
  for (let before; before !== null; ) {
    const { items, next } = await load({ ...filter, before, limit: PAGE }, signal);
    if (!newest) return items;
    const above = items.filter(isAbove);
    found.push(...above);
    before = above.length === items.length ? (next ?? null) : null;
  }
  return found;
}

function restoreScroll(root, y) {
  root.setAttribute("data-kept-scroll", "");
  scrollTo(0, y);
}
