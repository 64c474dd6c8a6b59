// What stands around every page: the way to the pages, the project that is looked at, the theme, whether changes arrive.

import * as api from "./api.js";
import { fill, h, svg } from "./dom.js";
import { showHelp } from "./keys.js";
import { listen, liveState } from "./live.js";
import { address, link, withQuery } from "./router.js";
import { chosen, choose } from "./state.js";

/** The pages of the bar: address, name, key, and the places that belong to it. */
export const PLACES = [
  ["overview", "Overview", "o", ["overview"]],
  ["timeline", "Timeline", "t", ["timeline", "memory"]],
  ["rules", "Rules", "l", ["rules"]],
  ["review", "Review", "r", ["review"]],
  ["search", "Search", "s", ["search"]],
  ["sessions", "Sessions", "e", ["sessions", "session"]],
  ["injections", "Injections", "i", ["injections", "injection"]],
  ["preview", "Injected now", "n", ["preview"]],
  ["map", "Map", "m", ["map"]],
  ["projects", "Projects", "p", ["projects", "project"]],
  ["health", "Health", "h", ["health"]],
];

// The pages a project narrows down; from the others, choosing one leads to its own page.
const SCOPED = ["overview", "timeline", "rules", "review", "search", "sessions", "injections", "preview", "map"];

const ICONS = {
  overview: "M4 4h7v9H4zM13 4h7v5h-7zM13 11h7v9h-7zM4 15h7v5H4z",
  rules: "M6 4h12v16l-6-4l-6 4z",
  preview: "M12 4a8 8 0 1 0 0 16a8 8 0 0 0 0-16M12 8v4l3 2",
  map: "M4 4h10v16H4zM14 4h6v8h-6zM14 12h6v8h-6z",
  timeline: "M5 4v16M5 8h6M5 14h10M5 19h4",
  review: "M4 12l5 5L20 6",
  search: "M10.5 4a6.5 6.5 0 1 0 0 13a6.5 6.5 0 0 0 0-13M15.5 15.5L20 20",
  sessions: "M4 5h16v10H9l-5 4z",
  injections: "M4 12h9M9 7l5 5l-5 5M18 4v16",
  projects: "M4 7h6l2 2h8v10H4z",
  health: "M3 12h4l3-7l4 14l3-7h4",
};

const bar = h("ul", { class: "nav-list" });
const scope = h("select", { class: "field field-small", "aria-label": "Project", on: { change: changeScope } }, h("option", { value: "" }, "All projects"));
const liveMark = h("span", { class: "live-state" });

/** Draws the shell and returns the place for pages. */
export function drawShell(body) {
  const main = h("main", { id: "main", class: "main", tabindex: "-1" });
  const skip = h("button", { class: "skip", on: { click: () => main.focus() } }, "Skip to content");
  fill(body, skip,
    h("header", { class: "side" },
      h("a", { class: "brand", href: link("overview") }, mark(), h("span", null, "Backstory")),
      h("label", { class: "scope" }, h("span", { class: "filter-name" }, "Project"), scope),
      h("nav", { class: "nav", "aria-label": "Pages" }, bar),
      h("div", { class: "side-foot" }, liveMark, themeSwitch(), h("button", { class: "quiet", on: { click: showHelp }, "aria-keyshortcuts": "?" }, "Keys", h("kbd", null, "?")))),
    main);
  listen(({ kind }) => (kind === "state" ? showLiveState() : (known = null)));
  showLiveState();
  return main;
}

/** Marks where the reader is, and keeps the chosen project in the links. */
export function markPlace(place, query) {
  const project = query.project ?? "";
  fill(bar, PLACES.map(([name, title, key, places]) => {
    const here = places.includes(place);
    const target = SCOPED.includes(name) && project ? link(name, { project }) : link(name);
    return h("li", null, h("a", { class: "nav-link", href: target, "aria-current": here ? "page" : null, "aria-keyshortcuts": `g ${key}` }, icon(name), h("span", null, title)));
  }));
  // Where the bar is wider than the screen.
  bar.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

let known = null;

/** Lists the projects there are, the one that is looked at chosen. Fetched once the page is there: it is what the reader came for. */
export async function fillScope(place, query) {
  const project = place === "project" ? (address().parts[1] ?? "") : (query.project ?? "");
  known ??= api.projects().then((reply) => reply.projects, () => ((known = null), []));
  const projects = await known;
  fill(scope, h("option", { value: "" }, "All projects"), projects.map((each) => h("option", { value: each.id }, each.name)));
  scope.value = project;
}

function changeScope() {
  const [place] = address().parts;
  if (SCOPED.includes(place)) location.hash = withQuery({ project: scope.value });
  else location.hash = scope.value ? link("project", scope.value) : link("projects");
}

const THEMES = { auto: "Auto", light: "Light", dark: "Dark" };

function themeSwitch() {
  const button = h("button", { class: "quiet", on: { click: turn } });
  function turn() {
    const names = Object.keys(THEMES);
    choose("theme", names[(names.indexOf(chosen("theme", "auto")) + 1) % names.length]);
    draw();
  }
  function draw() {
    const theme = chosen("theme", "auto");
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    fill(button, "Theme", h("span", { class: "quiet-value" }, THEMES[theme] ?? "Auto"));
  }
  draw();
  return button;
}

const LIVE_STATES = { live: "Live", connecting: "Connecting", waiting: "Not connected" };

function showLiveState() {
  liveMark.dataset.state = liveState();
  fill(liveMark, h("span", { class: "live-dot", "aria-hidden": "true" }), LIVE_STATES[liveState()]);
}

function icon(name) {
  return svg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
}

function mark() {
  const line = (y, width) => svg("rect", { x: 4, y, width, height: 3, rx: 1.5 });
  return svg("svg", { class: "brand-mark", viewBox: "0 0 24 24", "aria-hidden": "true" }, line(4, 16), line(10.5, 11), line(17, 6));
}
