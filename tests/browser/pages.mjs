// What the newer pages do: overview and its card, rules, previews, the map, relations, durations and diffs, several rows at once.

import { withPage } from "./behaviour.mjs";
import { equal, holds, settled, visit } from "./setting.mjs";

const text = (page, selector) => page.locator(selector).first().innerText();
const count = (page, selector) => page.locator(selector).count();

export const overview_is_home_and_leads_on = withPage(async (page) => {
  await visit(page, "#/");
  for (const heading of ["Learnt this week", "Open work", "Rules", "Injected, and used", "Hooks"]) await page.getByRole("heading", { name: heading, exact: true }).waitFor();
  const today = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" }).format(new Date());
  holds((await page.locator(".heatmap-drawing .heat").last().locator("title").textContent()).includes(today), "the last square is the reader's today");
  holds((await page.locator(".heatmap-drawing").getAttribute("aria-label")).includes("memories"), "the calendar has words");
  holds((await text(page, ".glance")).includes("failing"), "a failing host is seen");
  await page.locator(".figure", { hasText: "wait for your word" }).getByRole("link").click();
  await page.getByRole("heading", { name: "Review" }).waitFor();
});

export const the_calendar_counts_the_readers_days = withPage(async (page) => {
  const request = page.waitForRequest("**/api/overview?*");
  await visit(page, "#/overview");
  equal(new URL((await request).url()).searchParams.get("utc_offset"), "330", "the offset of the reader");
}, { timezoneId: "Asia/Kolkata" });

export const card_holds_numbers_only_and_is_saved = withPage(async (page) => {
  await visit(page, "#/overview");
  await page.getByRole("button", { name: "Share a card" }).click();
  const label = await page.locator(".share-card").getAttribute("aria-label");
  holds(/^Card: [\d,]+ memories, \d+ learnt this week, \d+ rules kept, (\d+ %|–) of what was injected was used$/.test(label), label);
  const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save as PNG" }).click()]);
  equal(saved.suggestedFilename(), "backstory-week.png", "the name of the picture");
});

export const a_rule_is_added_and_retired_with_undo = withPage(async (page) => {
  await visit(page, "#/rules");
  const rules = await count(page, ".rule");
  await page.keyboard.press("a");
  await page.getByLabel("The rule").fill("Never page by <b>offset</b>");
  await page.getByRole("dialog").getByRole("button", { name: "Add" }).click();
  await page.locator(".rule", { hasText: "Never page by <b>offset</b>" }).waitFor();
  equal(await count(page, ".rule"), rules + 1, "rules");
  await page.locator(".rule", { hasText: "Never page by" }).getByRole("button").click();
  await page.waitForFunction((wanted) => document.querySelectorAll(".rule").length === wanted, rules);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.waitForFunction((wanted) => document.querySelectorAll(".rule").length === wanted, rules + 1);
});

export const preview_follows_the_words_and_the_budget = withPage(async (page) => {
  await visit(page, "#/preview");
  await page.locator(".saw-memory").first().waitFor();
  const before = await count(page, ".saw-memory");
  await page.getByLabel("Budget in tokens").fill("150");
  await page.waitForFunction((were) => document.querySelectorAll(".saw-memory").length < were, before);
  await page.waitForURL(/budget=150/);
  await page.getByRole("button", { name: "As configured" }).click();
  await page.waitForFunction((were) => document.querySelectorAll(".saw-memory").length === were, before);
  await page.getByLabel("Moment").selectOption("command");
  await page.getByText("Type what is about to happen").waitFor();
  const request = page.waitForRequest(/command=cargo/);
  await page.getByLabel("Command").fill("cargo test");
  equal(new URL((await request).url()).searchParams.get("prompt"), null, "a prompt beside a command");
  await page.locator(".saw-memory").first().waitFor();
});

export const map_leads_from_folders_to_the_memories_of_a_file = withPage(async (page) => {
  await visit(page, "#/map?project=1");
  await page.locator(".map-cell[data-path='src']").click({ position: { x: 20, y: 12 } });
  await page.waitForURL(/in=src/);
  await settled(page);
  await page.locator(".map-cell[data-path='src/paging.rs']").click();
  await page.waitForURL(/file=src/);
  await settled(page);
  await page.getByRole("heading", { name: "src/paging.rs" }).waitFor();
  holds((await count(page, ".rows .row")) > 0, "its memories are listed");
  await page.getByLabel("Size by").selectOption("failures");
  await page.waitForURL(/by=failures/);
  await settled(page);
  const [cells, rows] = [await count(page, ".map-cell"), await count(page, ".table tbody tr")];
  holds(cells > 0 && rows >= 4, "the picture and the table say the same");
});

export const relations_are_drawn_and_lead_on = withPage(async (page) => {
  await visit(page, "#/memory/637");
  await page.locator("a.graph-node[href='#/memory/628']").waitFor();
  const at = async (key) => (await page.locator(`.graph-node:has-text("${key}") .graph-box`).first().boundingBox()).x;
  holds((await at("#628")) < (await at("#637")), "what is older stands on the left");
  equal(await page.locator(".graph").evaluate((graph) => graph.scrollWidth > graph.clientWidth), false, "the drawing is wider than its column");
  await page.locator("a.graph-node[href='#/memory/628']").press("Enter");
  await page.waitForURL(/memory\/628/);
});

export const steps_say_how_long_they_took_and_what_they_changed = withPage(async (page) => {
  await visit(page, "#/session/44");
  await page.locator(".session-line").waitFor();
  const step = page.locator(".step:has(.line-count)").first();
  equal(await step.locator(".step-bar").count(), 1, "its bar in time");
  holds(/^\d+ (s|min)/.test(await step.locator(".step-took").innerText()), "its duration");
  await step.locator("summary").click();
  const [removed, added] = [await step.locator(".code .line-removed").count(), await step.locator(".code .line-added").count()];
  equal(`+${added} −${removed}`, (await step.locator(".line-count").allInnerTexts()).join(" "), "lines of the change");
});

export const several_rows_are_chosen_and_merged = withPage(async (page) => {
  await visit(page, "#/timeline");
  await page.keyboard.press("j");
  await page.keyboard.press("v");
  await page.keyboard.press("j");
  await page.keyboard.press("v");
  holds((await text(page, ".selection-bar")).includes("2 memories"), "how many are chosen");
  await page.getByRole("button", { name: "Merge …" }).click();
  await page.getByRole("dialog").getByLabel("Title").fill("Both in one");
  const sent = page.waitForRequest("**/api/memories/merge");
  await page.getByRole("dialog").getByRole("button", { name: "Merge" }).click();
  equal((await sent).postDataJSON().ids.length, 2, "memories merged");
  await page.waitForFunction(() => document.querySelector("h1")?.textContent === "Both in one");
});

export const several_rows_are_pinned_at_once = withPage(async (page) => {
  await visit(page, "#/timeline");
  await page.getByRole("button", { name: "Select" }).click();
  for (const row of [0, 1, 2]) await page.locator(".row-check").nth(row).check();
  const pins = [];
  page.on("request", (request) => request.url().endsWith("/pin") && pins.push(request.url()));
  await page.getByRole("button", { name: "Pin", exact: true }).click();
  await page.locator(".toast", { hasText: "3 memories pinned" }).waitFor();
  equal(pins.length, 3, "requests");
  equal(await page.locator(".selection-bar").isVisible(), false, "the bar, once it is done");
});

export const search_says_when_nothing_fits = withPage(async (page) => {
  await visit(page, "#/search?q=quokka");
  await page.getByText("Nothing fits: no memory says this.").waitFor();
  equal(await count(page, ".hit"), 3, "the nearest");
  equal(await count(page, ".hit-snippet"), 0, "snippets that only repeat the title");
  holds(Number(await page.locator(".score-own").first().getAttribute("width")) < 10, "the bar of a bad hit is short, though it is the best one");
});

export const only_what_was_changed_is_sent = withPage(async (page) => {
  await visit(page, "#/memory/600");
  await page.keyboard.press("e");
  await page.getByLabel("Importance").selectOption("5");
  await page.getByLabel("Kind").selectOption("rule");
  const sent = page.waitForRequest((request) => request.method() === "PATCH");
  await page.getByRole("button", { name: "Save" }).click();
  equal(JSON.stringify((await sent).postDataJSON()), '{"kind":"rule","importance":5}', "the change");
});
