// Injections: every block of text a host received, newest first, with its bill and what of it was used.

import * as api from "../api.js";
import { meter } from "../components/chart.js";
import { Feed } from "../components/feed.js";
import { choice, filterBar } from "../components/filters.js";
import { emptyState } from "../components/states.js";
import { fill, h } from "../dom.js";
import { follow } from "../live.js";
import { link } from "../router.js";
import { dayKey, dayName, time } from "../times.js";
import { MOMENTS, count, grouped, hostName, millis, momentName } from "../words.js";

/** Draws the page. */
export async function show({ root, query, signal, place }) {
  const filter = { project: query.project, session: query.session, moment: query.moment };
  const load = async (before) => {
    const { injections, next } = await api.injections({ ...filter, before, limit: 100 }, signal);
    return { items: injections, next };
  };
  const feed = new Feed({ signal, load, draw: drawPage, empty });
  fill(root,
    h("div", { class: "page-head" }, h("h1", null, "Injections"),
      filterBar(["moment", "session"], query, choice("moment", "Moment", [["", "All moments"], ...Object.entries(MOMENTS)], query.moment))),
    feed.element);
  place();
  await feed.more();
  follow(["injection"], async () => feed.renew(await load()), signal);
}

const empty = () => emptyState("Nothing was injected yet", "When a session starts or a prompt asks for something your memories know, the injected text appears here, word for word. What a session in a folder would get now:", "backstory context");

function drawPage(injections, previous) {
  const drawn = [];
  for (const injection of injections) {
    if (!previous || dayKey(previous.at) !== dayKey(injection.at)) drawn.push(h("h2", { class: "day" }, dayName(injection.at)), h("ol", { class: "rows" }));
    if (!drawn.length) drawn.push(h("ol", { class: "rows" }));
    drawn.at(-1).append(row(injection));
    previous = injection;
  }
  return drawn;
}

function row(injection) {
  return h("li", { class: "row row-injection" },
    time(injection.at, "clock", "row-time"),
    h("a", { class: "row-title", href: link("injection", injection.id), "data-row": true }, momentName(injection.moment)),
    h("span", { class: "row-host" }, [injection.host && hostName(injection.host), injection.project_name ?? injection.project].filter(Boolean).join(" · ")),
    h("span", { class: "row-bill", title: `${grouped(injection.tokens)} of ${grouped(injection.budget)} tokens` }, meter(injection.tokens, injection.budget), h("span", null, `${grouped(injection.tokens)} tokens`)),
    h("span", { class: `row-used ${injection.used > 0 ? "row-helped" : ""}` }, `${injection.used} of ${count(injection.injected, "memory", "memories")} used`),
    h("span", { class: "row-number" }, millis(injection.build_ms)));
}
