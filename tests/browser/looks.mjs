// How the pages look and whether everybody can use them: accessibility, narrow and wide screens, screenshots to look at.

import { mkdirSync } from "node:fs";
import path from "node:path";
import { AXE, OUT, equal, open, serve, visit } from "./setting.mjs";

const PAGES = {
  overview: "#/overview",
  timeline: "#/timeline",
  rules: "#/rules",
  preview: "#/preview?moment=prompt&text=how+do+we+page",
  map: "#/map",
  file: "#/map?project=1&in=src&file=src%2Fpaging.rs&by=failures",
  review: "#/review",
  proposed: "#/memory/620",
  search: "#/search?q=paging+invoices",
  memory: "#/memory/636",
  sessions: "#/sessions",
  session: "#/session/44",
  injections: "#/injections",
  injection: "#/injection/60",
  projects: "#/projects",
  project: "#/project/1",
  health: "#/health",
};
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

async function everyPage(browser, options, look) {
  const server = await serve();
  const page = await open(browser, server.origin, options);
  try {
    for (const [name, hash] of Object.entries(PAGES)) {
      await visit(page, hash);
      await look(page, name);
    }
    equal(page.wrongs.join("\n"), "", "what went wrong in the page");
  } finally {
    await page.context().close();
    server.stop();
  }
}

const isAccessible = (options) => (browser) =>
  everyPage(browser, options, async (page, name) => {
    // The policy of the page forbids foreign scripts; the driver's own are let in by evaluating them.
    await page.evaluate((await import("node:fs")).readFileSync(AXE, "utf8"));
    const found = await page.evaluate((tags) => axe.run(document, { runOnly: tags }), RULES);
    const listed = found.violations.map((each) => `${name}: ${each.id} (${each.nodes.length}×) ${each.nodes[0].target.join(" ")}`);
    equal(listed.join("\n"), "", "violations");
  });

export const every_page_is_accessible_in_light = isAccessible({ colorScheme: "light" });
export const every_page_is_accessible_in_dark = isAccessible({ colorScheme: "dark" });
export const every_page_is_accessible_at_400_px = isAccessible({ viewport: { width: 400, height: 860 } });

const fits = (width, height) => (browser) =>
  everyPage(browser, { viewport: { width, height } }, async (page, name) => {
    equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, `${name} is wider than ${width} px`);
  });

export const every_page_fits_320_px = fits(320, 640);
export const every_page_fits_400_px = fits(400, 860);
export const every_page_fits_a_4k_screen = fits(3840, 2160);

export async function screenshots_of_every_page(browser) {
  const folder = path.join(OUT, "screenshots");
  mkdirSync(folder, { recursive: true });
  for (const [width, height, schemes] of [[1280, 900, ["light", "dark"]], [400, 860, ["light", "dark"]], [1440, 900, ["light"]], [3840, 2160, ["light"]]]) {
    for (const colorScheme of schemes) {
      await everyPage(browser, { viewport: { width, height }, colorScheme }, (page, name) => page.screenshot({ path: path.join(folder, `${name}-${width}-${colorScheme}.png`) }));
    }
  }
}
