// A hundred thousand memories: the list stays small in the page, whatever is scrolled.

import { equal, holds, open, serve, visit } from "./setting.mjs";

const MOST_ROWS = 900;

export async function a_hundred_thousand_memories_stay_few_elements(browser) {
  const server = await serve("--memories", "100000");
  const page = await open(browser, server.origin);
  const asked = [];
  page.on("request", (request) => request.url().includes("/api/memories") && asked.push(request.url()));
  try {
    await visit(page, "#/timeline");
    await page.waitForSelector(".row");
    await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
    equal(asked.length, 1, "pages asked for before anything is scrolled");
    let most = 0;
    for (let step = 0; step < 40; step += 1) {
      const pages = await page.locator(".feed-page").count();
      await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
      await page.waitForFunction((before) => document.querySelectorAll(".feed-page").length > before, pages);
      most = Math.max(most, await page.locator(".row").count());
    }
    holds((await page.locator(".feed-page").count()) > 40, "pages were fetched");
    holds(most <= MOST_ROWS, `${most} rows were drawn at once`);
    await page.evaluate(() => scrollTo(0, 0));
    await page.waitForFunction(() => document.querySelector(".feed-page .row"));
    const spread = await page.evaluate(() => [...document.querySelectorAll(".feed-page")].filter((each) => each.childElementCount).length);
    holds(spread < 12, `${spread} pages are drawn at the top`);
    equal(page.wrongs.join("\n"), "", "what went wrong in the page");
  } finally {
    await page.context().close();
    server.stop();
  }
}

/** Prints how long the first rows take from the moment the address is entered; measured, not asserted. */
export async function first_rows_of_a_hundred_thousand(browser) {
  const server = await serve("--memories", "100000");
  try {
    console.log(`       first rows after ${await firstRows(browser, server.origin)} ms (median of ${VISITS} fresh visits, the fixture's server included)`);
  } finally {
    server.stop();
  }
}

const VISITS = 7;

/** The median time until a row is painted, each visit with an empty cache. */
async function firstRows(browser, origin) {
  const times = [];
  for (let visits = 0; visits < VISITS; visits += 1) {
    const page = await open(browser, origin);
    await page.addInitScript(() => {
      const look = () => (document.querySelector(".row") ? (globalThis.firstRow = performance.now()) : requestAnimationFrame(look));
      requestAnimationFrame(look);
    });
    await page.goto(`${origin}/#/timeline`);
    times.push(await page.waitForFunction(() => globalThis.firstRow).then((time) => time.jsonValue()));
    await page.context().close();
  }
  return Math.round(times.sort((a, b) => a - b)[Math.floor(VISITS / 2)]);
}
