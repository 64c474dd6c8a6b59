// A hundred thousand memories: the list stays small in the page, whatever is scrolled.

import { equal, holds, open, serve, visit } from "./setting.mjs";

const MOST_ROWS = 900;

export async function a_hundred_thousand_memories_stay_few_elements(browser) {
  const server = await serve("--memories", "100000");
  const page = await open(browser, server.origin);
  const requests = [];
  page.on("request", (request) => request.url().includes("/api/memories") && requests.push(request.url()));
  try {
    await visit(page, "#/timeline");
    await page.waitForSelector(".row");
    await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
    equal(requests.length, 1, "pages fetched before anything is scrolled");
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
