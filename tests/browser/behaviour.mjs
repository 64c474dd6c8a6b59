// What the pages do: each one, live changes, search, edit, pin, supersede, forget and undo, keys, signing in, errors, empty stores.

import { equal, holds, open, serve, settled, steer, visit } from "./setting.mjs";

/** Gives a test a fixture of its own and a page, and fails it when something happened that never may. */
export const withPage = (test, options) => async (browser) => {
  const server = await serve();
  const page = await open(browser, server.origin, options);
  try {
    await test(page);
    equal(page.wrongs.join("\n"), "", "what went wrong in the page");
  } finally {
    await page.context().close();
    server.stop();
  }
};

const text = (page, selector) => page.locator(selector).first().innerText();
const count = (page, selector) => page.locator(selector).count();

export const timeline_groups_by_day_and_session = withPage(async (page) => {
  await visit(page, "#/timeline");
  equal(await text(page, "main h1"), "Timeline", "the heading");
  holds((await count(page, ".day")) >= 2, "there are days");
  holds((await count(page, ".session-head a[href^='#/session/']")) >= 2, "sessions lead to their replay");
  holds((await count(page, ".row [data-row]")) >= 50, "there are rows");
});

export const timeline_filters_live_in_the_address = withPage(async (page) => {
  await visit(page, "#/timeline");
  await page.getByLabel("Kind").selectOption("decision");
  await page.waitForURL(/kind=decision/);
  await settled(page);
  await page.waitForFunction(() => [...document.querySelectorAll(".row .kind")].every((kind) => kind.textContent === "decision"));
  holds((await count(page, ".row")) > 5, "decisions are shown");
  const day = await page.locator(".row time").nth(3).getAttribute("datetime").then((at) => at.slice(0, 10));
  for (const [bound, name] of [["From", "since"], ["To", "until"]]) {
    await page.getByLabel(bound).fill(day);
    await page.waitForURL(new RegExp(`${name}=${day}`));
    await settled(page);
  }
  const days = await page.locator(".row time").evaluateAll((times) => times.map((time) => time.dateTime.slice(0, 10)));
  equal([...new Set(days)].join(), day, "the days of a span of one");
  await page.getByRole("link", { name: "Clear filters" }).click();
  await page.waitForFunction(() => new Set([...document.querySelectorAll(".row .kind")].map((kind) => kind.textContent)).size > 3);
});

export const timeline_shows_memories_as_they_are_written = withPage(async (page) => {
  await visit(page, "#/timeline");
  await page.waitForSelector(".live-state[data-state=live]");
  await steer(page, "write", { title: "Written while you look" });
  await page.waitForFunction(() => document.querySelector(".row .row-title")?.textContent === "Written while you look");
  await page.waitForFunction(() => document.querySelector("[aria-live=polite]").textContent.includes("Written while you look"));
  await page.mouse.wheel(0, 3000);
  await page.waitForFunction(() => scrollY > 1000);
  const before = await page.evaluate(() => scrollY);
  await steer(page, "write", { title: "Another, further up" });
  await page.waitForSelector(".fresh:not([hidden])");
  equal(await text(page, ".fresh"), "1 new memory above", "the button");
  holds((await page.evaluate(() => scrollY)) >= before, "what is read does not jump");
  await page.locator(".fresh").click();
  await page.waitForFunction(() => scrollY === 0 && document.querySelector(".fresh").hidden);
});

export const memories_written_during_a_fetch_are_not_lost = withPage(async (page) => {
  await visit(page, "#/timeline");
  await page.waitForSelector(".live-state[data-state=live]");
  const held = [];
  await page.route("**/api/memories?*", async (route) => {
    const answer = await route.fetch();
    if (!held.length) await new Promise((resolve) => held.push(resolve));
    await route.fulfill({ response: answer });
  });
  const fetching = page.waitForRequest("**/api/memories?*");
  await steer(page, "write", { title: "The first" });
  await fetching;
  for (let tries = 0; tries < 1000 && !held.length; tries += 1) await page.evaluate(() => new Promise(requestAnimationFrame));
  await steer(page, "write", { title: "The second, meanwhile" });
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  held.forEach((go) => go());
  await page.locator(".row-title", { hasText: "The second, meanwhile" }).waitFor();
});

export const new_memories_do_not_take_the_focus = withPage(async (page) => {
  await visit(page, "#/timeline");
  await page.waitForSelector(".live-state[data-state=live]");
  await page.keyboard.press("j");
  const title = await page.evaluate(() => document.activeElement.textContent);
  await steer(page, "write", { title: "Written while you read" });
  await page.locator(".row-title", { hasText: "Written while you read" }).waitFor();
  equal(await page.evaluate(() => document.activeElement.textContent), title, "the row that has the focus");
});

/** Looks away from a page, or at it again. */
const look = (page, hidden) =>
  page.evaluate((value) => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => value });
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);

export const more_new_memories_than_a_page_holds_leave_no_gap = withPage(async (page) => {
  await visit(page, "#/timeline");
  await page.waitForSelector(".live-state[data-state=live]");
  await look(page, true);
  const titles = Array.from({ length: 120 }, (_, number) => `Number ${number} of many`);
  for (const title of titles) await steer(page, "write", { title });
  await look(page, false);
  await page.locator(".row-title", { hasText: titles.at(-1) }).waitFor();
  const shown = await page.locator(".row-title", { hasText: "of many" }).allInnerTexts();
  equal(shown.join(), titles.reverse().join(), "the rows written meanwhile");
});

export const a_page_nobody_sees_keeps_no_connection_and_catches_up = withPage(async (page) => {
  await visit(page, "#/timeline");
  await page.waitForSelector(".live-state[data-state=live]");
  await look(page, true);
  await steer(page, "write", { title: "Written behind your back" });
  const shown = () => page.locator(".row-title", { hasText: "Written behind your back" });
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  equal(await shown().count(), 0, "new rows while nobody looks");
  await look(page, false);
  await shown().waitFor();
});

export const timeline_is_as_it_was_on_the_way_back = withPage(async (page) => {
  await visit(page, "#/timeline");
  await page.mouse.wheel(0, 2000);
  await page.waitForFunction(() => document.querySelectorAll(".feed-page").length >= 2);
  await page.mouse.wheel(0, 2000);
  await page.waitForFunction(() => scrollY > 2000);
  const row = page.locator(".row-title").nth(60);
  await row.scrollIntoViewIfNeeded();
  const [was, title] = [await page.evaluate(() => scrollY), await row.innerText()];
  await row.click();
  await page.waitForFunction((wanted) => document.querySelector("main h1")?.textContent === wanted, title);
  await page.goBack();
  await page.waitForFunction((wanted) => Math.abs(scrollY - wanted) < 4, was);
  await page.waitForFunction((wanted) => [...document.querySelectorAll(".row-title")].some((each) => each.textContent === wanted), title);
});

export const search_answers_while_one_types = withPage(async (page) => {
  await visit(page, "#/search");
  await page.getByLabel("Search memories").pressSequentially("keyset paging", { delay: 15 });
  await page.waitForSelector(".hit mark");
  holds(/\d+ hits? in [\d.]+ ms · by words and meaning/.test(await text(page, ".search-summary")), "it says what it did");
  holds(page.url().includes("q=keyset+paging"), "the question is in the address");
  await page.locator(".hit-why").first().click();
  holds((await text(page, ".hit-sum")).includes("score"), "the sum is shown");
  equal(await page.locator(".hit-why").first().getAttribute("aria-expanded"), "true", "aria-expanded");
});

export const search_gives_up_the_question_before = withPage(async (page) => {
  const release = [];
  await page.route("**/api/search?*", async (route) => {
    if (route.request().url().includes("q=mo&")) await new Promise((resolve) => release.push(resolve));
    await route.continue().catch(() => {});
  });
  await visit(page, "#/search");
  const field = page.getByLabel("Search memories");
  await field.fill("mo");
  await page.waitForRequest(/q=mo&/);
  await field.fill("paging");
  await page.waitForSelector(".hit");
  const shown = await page.locator(".hits").innerText();
  release.forEach((go) => go());
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  equal(await page.locator(".hits").innerText(), shown, "an old answer does not replace a newer one");
});

export const memory_is_shown_whole = withPage(async (page) => {
  await visit(page, "#/memory/637");
  for (const heading of ["Code it speaks of", "Relations", "Where it was injected", "Around it"]) await page.getByRole("heading", { name: heading }).waitFor();
  holds((await count(page, ".table tbody tr a[href^='#/injection/']")) > 0, "injected rows lead to injections");
  await visit(page, "#/memory/636");
  await page.getByRole("heading", { name: "History" }).waitFor();
});

export const memory_is_edited_and_keeps_what_it_said = withPage(async (page) => {
  await visit(page, "#/memory/600");
  const before = await text(page, "h1");
  await page.keyboard.press("e");
  const taken = await page.evaluate(async () => (await (await fetch("/api/memories/599")).json()).title);
  await page.getByLabel("Title").fill(taken);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("memory #599 says the same. Supersede one of them.").waitFor();
  await page.getByLabel("Title").fill("Said better");
  await page.getByLabel("Text").fill("With <b>markup</b> that stays text.");
  await page.getByRole("button", { name: "Save" }).click();
  await page.waitForFunction(() => document.querySelector("h1")?.textContent === "Said better");
  equal(await text(page, ".prose p"), "With <b>markup</b> that stays text.", "the text");
  holds((await text(page, ".history")).includes(before), "the history holds the old title");
});

export const review_takes_one_key_for_each_memory = withPage(async (page) => {
  await visit(page, "#/timeline");
  await page.keyboard.press("g");
  await page.keyboard.press("r");
  await page.getByRole("heading", { name: "Review" }).waitFor();
  const ids = await page.locator(".review-title").evaluateAll((links) => links.map((link) => link.hash.split("/")[2]));
  holds(ids.length >= 5, "several wait");
  holds((await text(page, ".review-item")).includes("it asks for an action, and you did not say it"), "the reason is said in plain words");
  const verdicts = [];
  page.on("request", (request) => request.method() === "POST" && verdicts.push(new URL(request.url()).pathname));
  await page.keyboard.press("y");
  await page.locator(".toast", { hasText: `#${ids[0]} is confirmed` }).waitFor();
  await page.keyboard.press("s");
  await page.waitForFunction((left) => document.querySelectorAll(".review-item").length === left, ids.length - 2);
  await page.keyboard.press("n");
  await page.locator(".toast", { hasText: `#${ids[2]} is retired` }).waitFor();
  equal(verdicts.join(), `/api/memories/${ids[0]}/confirm,/api/memories/${ids[2]}/retire`, "what the worker got");
  for (let left = ids.length - 3; left > 0; left -= 1) await page.getByRole("button", { name: /^Later/ }).first().click();
  await page.getByText("Nothing waits for your word").waitFor();
  await visit(page, "#/review");
  equal(await page.locator(".review-title").first().evaluate((link) => link.hash.split("/")[2]), ids[1], "what was put off waits again");
});

export const proposed_memory_is_confirmed_on_its_page = withPage(async (page) => {
  await visit(page, "#/review");
  const id = await page.locator(".review-title").first().evaluate((link) => link.hash.split("/")[2]);
  await visit(page, `#/memory/${id}`);
  await page.locator(".notice", { hasText: "Proposed: it asks for an action" }).waitFor();
  await page.keyboard.press("y");
  await page.getByText("confirmed: you said so").waitFor();
  equal(await count(page, "main button[aria-keyshortcuts=y]"), 0, "buttons to confirm it again");
  await page.keyboard.press("n");
  await page.locator(".crumbs", { hasText: "retired" }).waitFor();
});

export const memory_is_pinned_and_superseded = withPage(async (page) => {
  await visit(page, "#/memory/601");
  await page.keyboard.press("p");
  await page.getByRole("button", { name: "Unpin" }).waitFor();
  await page.getByRole("button", { name: "Supersede" }).click();
  await page.getByRole("dialog").getByRole("textbox").fill("How it is now");
  await page.getByRole("dialog").getByRole("button", { name: "Supersede" }).click();
  await page.waitForFunction(() => document.querySelector("h1")?.textContent === "How it is now");
  await visit(page, "#/memory/601");
  await page.getByText("says how it is now").waitFor();
});

export const forgetting_is_confirmed_and_can_be_undone = withPage(async (page) => {
  await page.clock.install();
  await visit(page, "#/memory/602");
  const deleted = [];
  page.on("request", (request) => request.method() === "DELETE" && deleted.push(request.url()));
  await page.keyboard.press("f");
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  equal(await count(page, ".toast"), 0, "nothing happens when it is not wanted");
  await page.getByRole("button", { name: "Forget" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Forget" }).click();
  await page.getByText("being forgotten").waitFor();
  await page.clock.runFor(5000);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.locator(".toast", { hasText: "Kept #602" }).waitFor();
  await page.clock.runFor(20_000);
  equal(deleted.length, 0, "requests to forget after an undo");
  await page.getByRole("button", { name: "Forget" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Forget" }).click();
  await page.locator(".toast", { hasText: "Forgetting #602" }).waitFor();
  await page.clock.runFor(6100);
  await page.locator(".toast", { hasText: "Forgot #602" }).waitFor();
  equal(deleted.length, 1, "requests to forget");
  await visit(page, "#/memory/602");
  await page.getByText("There is no memory #602").waitFor();
});

export const forgetting_is_done_when_the_page_is_left = withPage(async (page) => {
  await visit(page, "#/memory/603");
  await page.keyboard.press("f");
  await page.getByRole("dialog").getByRole("button", { name: "Forget" }).click();
  await page.locator(".toast", { hasText: "Forgetting #603" }).waitFor();
  await page.goto("about:blank");
  const isThere = async () => (await fetch(`${page.origin}/api/memories/603`)).status === 200;
  for (let tries = 0; tries < 200 && (await isThere()); tries += 1);
  equal(await isThere(), false, "whether it is still there");
});

export const session_is_replayed_turn_by_turn = withPage(async (page) => {
  await visit(page, "#/sessions");
  await page.locator(".row-title").first().click();
  await page.waitForSelector(".turn");
  for (const part of ["Injected", "Done", "The agent's closing words", "Learnt"]) await page.getByRole("heading", { name: part, exact: true }).first().waitFor();
  await page.locator(".fold > summary").first().click();
  await page.locator(".fold[open] .step").first().waitFor();
});

export const session_goes_on_while_one_looks = withPage(async (page) => {
  await visit(page, "#/session/44");
  await page.waitForSelector(".live-state[data-state=live]");
  await page.locator(".fold > summary").first().click();
  const last = page.locator(".turn").last();
  await last.locator(".step summary").first().click();
  const events = Number((await text(page, ".lead")).match(/(\d+) events/)[1]);
  for (let number = 1; number <= 6; number += 1) await steer(page, "work", { session: 44, text: `cargo test --test step_${number}` });
  await last.locator(".step-text", { hasText: "step_6" }).waitFor();
  await page.waitForFunction((wanted) => document.querySelector(".lead").textContent.includes(wanted), `${events + 6} events`);
  equal(await page.locator(".fold").first().evaluate((fold) => fold.open), true, "what was folded open in a turn that did not change");
  equal(await last.locator(".step details").first().evaluate((step) => step.open), true, "what was open in the turn that goes on");
  equal(await last.locator(".fold").evaluate((fold) => fold.open), true, "steps that were in sight, now that they are many");
});

export const sessions_come_up_as_they_go_on = withPage(async (page) => {
  await visit(page, "#/sessions");
  await page.waitForSelector(".live-state[data-state=live]");
  const rows = await count(page, ".row");
  await steer(page, "work", { session: 20, text: "cargo test" });
  await page.waitForFunction(() => document.querySelector(".row-title").getAttribute("href") === "#/session/20");
  equal(await count(page, ".row"), rows, "rows");
  equal(await count(page, "[href='#/session/20']"), 1, "rows of the session that came up");
});

export const health_counts_on_while_one_looks = withPage(async (page) => {
  await visit(page, "#/health");
  await page.waitForSelector(".live-state[data-state=live]");
  const events = (await text(page, ".figure:nth-child(3) dd")).replace(",", "");
  await page.locator("section", { hasText: "Hosts" }).first().evaluate((section) => (section.marked = true));
  await steer(page, "work", { session: 44, text: "cargo test" });
  await page.waitForFunction((wanted) => document.querySelector(".figure:nth-child(3) dd").textContent.replace(",", "") === wanted, String(Number(events) + 1));
  equal(await page.locator("section", { hasText: "Hosts" }).first().evaluate((section) => section.marked), true, "what did not change stays");
});

export const days_are_the_same_wherever_one_reads = withPage(async (page) => {
  await visit(page, "#/project/1");
  const title = await page.locator(".chart-drawing .bar:last-child title").first().textContent();
  const today = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" }).format(new Date());
  equal(title.split(":")[0], today, "the last day of a chart");
}, { timezoneId: "Pacific/Pago_Pago" });

export const code_in_a_title_is_set_apart = withPage(async (page) => {
  await visit(page, "#/timeline");
  equal(await text(page, ".row-title code"), "database is locked", "code in a row");
  await page.locator(".row-title", { has: page.locator("code") }).first().click();
  await page.locator("h1 code", { hasText: "database is locked" }).waitFor();
});

export const injection_shows_the_words_and_the_bill = withPage(async (page) => {
  await visit(page, "#/injections?moment=prompt");
  await page.locator(".row-title").first().click();
  await page.waitForSelector(".saw");
  const injection = await page.evaluate(async () => (await fetch(`/api/injections/${location.hash.match(/\d+/)[0]}`)).json());
  const lines = await page.locator(".saw-text").allInnerTexts();
  equal(lines.map((line) => line.replace(/^\u00a0$/, "")).join("\n"), injection.text, "the text, word for word");
  equal(await count(page, ".saw-memory"), injection.memories.length, "lines with a bill");
  const costs = (await page.locator(".saw-cost").allInnerTexts()).map(Number).reduce((sum, cost) => sum + cost, 0);
  equal(costs, injection.memories.reduce((sum, memory) => sum + memory.tokens, 0), "the sum of the lines");
  equal(await count(page, ".saw-used"), injection.memories.filter((memory) => memory.used_at).length, "lines that were used");
  await visit(page, "#/injection/2");
  await page.getByText("The text is not kept any more").waitFor();
});

export const project_shows_where_the_work_stands = withPage(async (page) => {
  await visit(page, "#/projects");
  await page.locator(".row-title").first().click();
  for (const heading of ["Where the work stands", "What is known", "Code changed lately"]) await page.getByRole("heading", { name: heading }).waitFor();
  equal(await count(page, ".chart"), 3, "charts");
  holds((await page.locator(".chart svg").first().getAttribute("aria-label")).includes("Memories a day"), "charts have words");
});

export const health_shows_hosts_and_latency = withPage(async (page) => {
  await visit(page, "#/health");
  for (const heading of ["Hosts", "How long hooks take", "Last hook runs", "The store", "Background writer"]) await page.getByRole("heading", { name: heading }).waitFor();
  holds((await text(page, "main")).includes("failing"), "a failing host is seen");
  equal(await page.locator(".label", { hasText: "skipped: " }).count(), 1, "a run that was skipped");
  equal(await page.locator(".label-warn", { hasText: "skipped: " }).count(), 0, "skipped runs shown as warnings");
});

export const keys_lead_everywhere = withPage(async (page) => {
  await visit(page, "#/timeline");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  const title = await page.evaluate(() => document.activeElement.textContent);
  equal(await page.locator(".row-title").nth(1).innerText(), title, "the second row has the focus");
  await page.keyboard.press("k");
  await page.keyboard.press("Enter");
  await page.waitForURL(/#\/memory\/\d+/);
  await settled(page);
  for (const [keys, place] of [["go", "overview"], ["gl", "rules"], ["gn", "preview"], ["gm", "map"], ["gs", "search"], ["gt", "timeline"], ["ge", "sessions"], ["gi", "injections"], ["gp", "projects"], ["gh", "health"]]) {
    await page.evaluate(() => document.activeElement.blur());
    for (const key of keys) await page.keyboard.press(key);
    await page.waitForURL(new RegExp(`#/${place}`));
    await settled(page);
  }
  await page.keyboard.press("/");
  await page.waitForURL(/#\/search/);
  await page.waitForFunction(() => document.activeElement?.type === "search");
  await page.keyboard.type("paging j k ?");
  equal(await page.getByLabel("Search memories").inputValue(), "paging j k ?", "keys are letters while one writes");
  await page.getByLabel("Search memories").fill("paging");
  await page.waitForSelector(".hit");
  await page.keyboard.press("ArrowDown");
  equal(await page.evaluate(() => document.activeElement.matches(".hit .row-title")), true, "the arrow leads to the first hit");
  await page.keyboard.press("x");
  await page.waitForSelector(".hit-sum:not([hidden])");
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await page.getByLabel("Single keys act").uncheck();
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  equal(await count(page, "dialog[open]"), 0, "dialogs once single keys are off");
});

export const theme_can_be_chosen_and_stays = withPage(async (page) => {
  await visit(page, "#/health");
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.getByRole("button", { name: /Theme/ }).click();
  await page.getByRole("button", { name: /Theme/ }).click();
  const dark = await ground();
  holds(light !== dark, "dark is another ground");
  await page.reload();
  await settled(page);
  equal(await ground(), dark, "the theme after a reload");
}, { colorScheme: "light" });

export const a_link_signs_in_once_and_is_not_kept = withPage(async (page) => {
  await steer(page, "sign-out");
  await visit(page, "#/timeline");
  await page.getByText("This browser is not signed in").waitFor();
  await page.getByText("backstory view").waitFor();
  await visit(page, "#key=once");
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await page.waitForSelector(".row");
  holds(!page.url().includes("key="), "the key left the address");
  // Followed again it signs nobody in, and needs not.
  await visit(page, "#key=used");
  await page.waitForSelector(".row");
  await steer(page, "sign-out");
  await visit(page, "#key=used");
  await page.getByText("This browser is not signed in").waitFor();
  // A fresh link pasted into that very tab.
  await page.evaluate(() => (location.hash = "#key=once"));
  await page.waitForSelector(".row");
});

export const an_empty_store_teaches = withPage(async (page) => {
  await steer(page, "empty");
  for (const [place, command] of [["overview", "backstory setup"], ["rules", "backstory rules add"], ["preview", "backstory setup"], ["map", "backstory setup"], ["timeline", "backstory setup"], ["search", "backstory search"], ["sessions", "backstory setup"], ["injections", "backstory context"], ["projects", "backstory remember"], ["health", "backstory setup"]]) {
    await visit(page, `#/${place}`);
    holds((await text(page, "main")).includes(command), `${place} names ${command}`);
  }
});

export const errors_say_what_to_do = withPage(async (page) => {
  await visit(page, "#/memory/99999");
  await page.getByText("There is no memory #99999").waitFor();
  await visit(page, "#/nowhere");
  await page.getByText("There is no such page").waitFor();
  await page.route("**/api/sessions*", (route) => route.abort());
  await visit(page, "#/sessions");
  await page.getByText("The worker does not answer").waitFor();
  await page.unroute("**/api/sessions*");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.waitForSelector(".row");
});
