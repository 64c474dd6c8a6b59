// The viewer's start: signs in, draws the shell, and shows the page an address asks for.

import * as api from "./api.js";
import { errorState, loadingState } from "./components/states.js";
import { placeToasts } from "./components/toast.js";
import { fill, h } from "./dom.js";
import { listenToKeys } from "./keys.js";
import { connect } from "./live.js";
import { address, rename } from "./router.js";
import { drawShell, fillScope, markPlace } from "./shell.js";

const PAGES = {
  overview: () => import("./pages/overview.js"),
  rules: () => import("./pages/rules.js"),
  preview: () => import("./pages/preview.js"),
  map: () => import("./pages/map.js"),
  timeline: () => import("./pages/timeline.js"),
  review: () => import("./pages/review.js"),
  search: () => import("./pages/search.js"),
  memory: () => import("./pages/memory.js"),
  sessions: () => import("./pages/sessions.js"),
  session: () => import("./pages/session.js"),
  injections: () => import("./pages/injections.js"),
  injection: () => import("./pages/injection.js"),
  projects: () => import("./pages/projects.js"),
  project: () => import("./pages/project.js"),
  health: () => import("./pages/health.js"),
};

// Most pages answer within this; a skeleton that flashes is worse than none.
const PATIENCE_MS = 150;

let currentPage = new AbortController();
let shownPlace = null;

async function start() {
  // Before anything is drawn: the first drawing takes many times as long, and the next request would wait for it.
  const refused = await signIn();
  const main = drawShell(document.body);
  placeToasts(document.body);
  listenToKeys();
  // Lists that remember where the reader was put it back themselves, once their rows are there.
  history.scrollRestoration = "manual";
  // A link to sign in, followed in a tab that shows this already, only changes the address.
  addEventListener("hashchange", () => (location.hash.startsWith("#key=") ? location.reload() : show(main)));
  if (refused) {
    fill(main, errorState(refused));
    return arrive(main, "signed out");
  }
  connect();
  await show(main);
}

/** Exchanges a one-time key in the address for a cookie. Returns why that is refused, if it is. */
async function signIn() {
  const key = location.hash.match(/^#key=(.+)$/)?.[1];
  if (!key) return null;
  history.replaceState(null, "", "#/overview");
  try {
    await api.login(decodeURIComponent(key));
    return null;
  } catch (error) {
    // A link works once. Who follows it again is signed in already, from the first time.
    return api.status().then(() => null, () => error);
  }
}

async function show(main) {
  if (!location.hash.startsWith("#/")) rename("overview");
  currentPage.abort();
  currentPage = new AbortController();
  delete main.dataset.shown;
  const { signal } = currentPage;
  const { parts, query } = address();
  const [place = "overview", ...rest] = parts;
  markPlace(place, query);
  const root = h("div", { class: `page page-${Object.hasOwn(PAGES, place) ? place : "none"}` });
  const slow = setTimeout(() => fill(main, loadingState()), PATIENCE_MS);
  try {
    if (!Object.hasOwn(PAGES, place)) throw new api.Refused(404, "no_page", "There is no such page", "The pages are named on the left, and `?` shows the keys that lead there.");
    const page = await PAGES[place]();
    await page.show({ root, parts: rest, query, signal, place: () => placed(main, root, signal) });
    if (!root.isConnected) placed(main, root, signal);
  } catch (error) {
    if (!signal.aborted) fill(main, errorState(error, () => show(main)));
  } finally {
    clearTimeout(slow);
    if (!signal.aborted) fillScope(place, query);
  }
  if (!signal.aborted) arrive(main, parts.join("/"));
}

/** Puts a page's root on the page, for pages that draw before they are done. */
function placed(main, root, signal) {
  if (!signal.aborted) fill(main, root);
}

/** Names the page and, where it is another one, moves reader and focus to its head. */
function arrive(main, here) {
  const heading = main.querySelector("h1");
  document.title = heading ? `${heading.textContent} · Backstory` : "Backstory";
  if (shownPlace !== null && shownPlace !== here && !main.contains(document.activeElement)) {
    heading?.setAttribute("tabindex", "-1");
    heading?.focus({ preventScroll: true });
  }
  if (shownPlace !== here && !main.querySelector("[data-kept-scroll]")) scrollTo(0, 0);
  shownPlace = here;
  main.dataset.shown = location.hash;
}

start();
