// Overview: the store at a glance. What happened, what was learnt this week, which rules hold, where work waits, whether the hooks run.

import * as api from "../api.js";
import { barChart } from "../components/chart.js";
import { heatmap, weeksOf } from "../components/heatmap.js";
import { prose, spans } from "../components/prose.js";
import { memoryList } from "../components/row.js";
import { cardFigures, showCard } from "../components/share_card.js";
import { emptyState } from "../components/states.js";
import { kindTag, label } from "../components/tag.js";
import { fill, h, redraw, svg } from "../dom.js";
import { follow } from "../live.js";
import { link } from "../router.js";
import { shortDay, since, time } from "../times.js";
import { count, grouped, hostName, millis, percent } from "../words.js";

const REST_MS = 3000;
const MONTH_DAYS = 30;
const SHOWN_RULES = 5;
const SHOWN_LEARNT = 6;

/** Draws the page. */
export async function show({ root, query, signal }) {
  const scope = { project: query.project };
  const parts = h("div", { class: "overview" });
  const share = h("button", { class: "button" }, "Share a card");
  let drawn = null;
  share.addEventListener("click", () => drawn && showCard(cardFigures(drawn)));
  const draw = async () => {
    const [overview, rules, hooks, stats] = await Promise.all([api.overview(scope, signal), api.rules(scope, signal), api.hooks(signal), api.stats(signal)]);
    drawn = figuresOf(overview, stats, query);
    share.hidden = isEmpty(stats);
    if (isEmpty(stats)) return fill(parts, nothing());
    redraw(parts, [[drawn, figures], [overview.days, year], [{ overview, rules: rules.rules, hooks, scope, days: overview.days }, columns]], ([data, drawPart]) => drawPart(data));
  };
  fill(root, h("div", { class: "page-head" }, h("h1", null, "Overview"), share), parts);
  await draw();
  follow(["memory", "injection", "event"], draw, signal, REST_MS);
}

const isEmpty = (stats) => stats.memories + stats.sessions === 0;

const nothing = () => emptyState("Nothing is remembered yet", "Memories are distilled from what your agents do. Connect the hosts of this machine, and bring in what they did before:", "backstory setup");

function lastMonth(days) {
  return weeksOf(days, 6).filter(({ isAhead }) => !isAhead).slice(-MONTH_DAYS);
}

function figuresOf(overview, stats, { project }) {
  const month = lastMonth(overview.days).map(({ row }) => row);
  const sum = (key) => month.reduce((total, row) => total + (row[key] ?? 0), 0);
  const mine = stats.by_project?.find((each) => String(each.id) === String(project) || each.name === project);
  const learnt = overview.week_by_kind.reduce((total, row) => total + row.memories, 0);
  return { memories: project ? (mine?.memories ?? 0) : stats.memories, learnt, rules: overview.rules, waiting: overview.waiting, usedRate: sum("injected") ? sum("used") / sum("injected") : null, tokens: sum("tokens"), days: overview.days, project };
}

function figures({ memories, learnt, rules, waiting, usedRate, tokens, project }) {
  const figure = (value, name, href) => h("div", { class: "figure" }, h("dd", null, href ? h("a", { href }, value) : value), h("dt", null, name));
  return h("dl", { class: "figures overview-figures" },
    figure(grouped(memories), "memories", link("timeline", { project })),
    figure(grouped(learnt), "new this week"),
    figure(grouped(rules), rules === 1 ? "rule" : "rules", link("rules", { project })),
    figure(grouped(waiting), waiting === 1 ? "waits for your word" : "wait for your word", link("review", { project })),
    figure(percent(usedRate), "of what was injected was used, 30 days", link("injections", { project })),
    figure(grouped(tokens), "tokens injected, 30 days"));
}

const section = (title, more, ...content) => h("section", { class: "section" }, h("div", { class: "section-head" }, h("h2", null, title), more), content);
const quiet = (...text) => h("p", { class: "quiet-text" }, text);

function year(days) {
  return h("section", { class: "section" }, h("h2", { class: "hidden" }, "Activity"), heatmap(days));
}

function columns({ overview, rules, hooks, scope, days }) {
  return h("div", { class: "columns overview-columns" },
    h("div", { class: "column-main" },
      section("Learnt this week", h("a", { href: link("timeline", scope) }, "Timeline"), kinds(overview.week_by_kind),
        overview.learnt.length ? memoryList(overview.learnt.slice(0, SHOWN_LEARNT), { as: "day" }) : quiet("No rule, decision, fact or failure in the last seven days."),
        restOfWeek(overview)),
      section("Open work", null, overview.open_work.length ? h("div", { class: "cards" }, overview.open_work.map(handoff)) : quiet("No session of the last three weeks left something open."))),
    h("div", { class: "column-side" },
      section("Rules", h("a", { href: link("rules", scope) }, "All"), ruleList(rules)),
      section("Injected, and used", null, usedChart(days)),
      section("Hooks", h("a", { href: link("health") }, "Health"), hosts(hooks))));
}

/** Says how much of the week is not in the list: the work itself, and what there is no room for. */
function restOfWeek({ learnt, week_by_kind: kindRows }) {
  const rest = kindRows.reduce((sum, row) => sum + row.memories, 0) - Math.min(learnt.length, SHOWN_LEARNT);
  return learnt.length > 0 && rest > 0 && quiet(`and ${grouped(rest)} more, with the work itself, in the timeline`);
}

/** What came this week by kind, as one bar of parts and its legend. */
function kinds(rows) {
  const sum = rows.reduce((total, row) => total + row.memories, 0);
  if (!sum) return null;
  let at = 0;
  const parts = rows.map((row) => {
    const width = (row.memories / sum) * 100;
    at += width;
    return svg("g", { class: `kind-${row.kind}` }, svg("rect", { class: "kind-part", x: (at - width).toFixed(2), width: Math.max(0.4, width - 0.3).toFixed(2), height: 8 }), svg("title", null, `${row.kind}: ${row.memories}`));
  });
  return h("div", { class: "kind-share" },
    svg("svg", { class: "kind-bar", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" }, parts),
    h("ul", { class: "kind-legend" }, rows.map((row) => h("li", null, kindTag(row.kind), " ", grouped(row.memories)))));
}

function handoff(memory) {
  return h("article", { class: "card" },
    h("p", { class: "crumbs" }, h("span", { class: "row-project" }, memory.project), time(memory.updated_at ?? memory.created_at, "since"), h("a", { href: link("memory", memory.id) }, `#${memory.id}`)),
    h("h3", null, spans(memory.title)),
    h("div", { class: "clipped" }, prose(memory.body)));
}

function ruleList(rules) {
  if (!rules.length) return quiet("None yet. Say “always …” or “never …” to your agent, or write one on the rules page.");
  return [h("ul", { class: "plain-list" }, rules.slice(0, SHOWN_RULES).map((rule) => h("li", null, h("a", { href: link("memory", rule.id) }, spans(rule.title))))),
    rules.length > SHOWN_RULES && quiet(`and ${grouped(rules.length - SHOWN_RULES)} more`)];
}

function usedChart(days) {
  const bars = lastMonth(days).map(({ date, row }) => ({ label: shortDay(date), value: row.injected ?? 0, over: row.used ?? 0, overName: "used" }));
  const [injected, used] = ["value", "over"].map((key) => bars.reduce((sum, bar) => sum + bar[key], 0));
  return barChart({ title: "Memories a day", summary: injected ? `${grouped(used)} of ${grouped(injected)} used` : "nothing injected yet", bars, from: bars[0].label, middle: "memories", to: "today" });
}

function hosts({ hosts: list = [], latency = [] }) {
  if (!list.length) return quiet("No host has called yet: ", h("code", null, "backstory setup"), " connects them.");
  const slowest = [...latency].sort((a, b) => b.p95_ms - a.p95_ms)[0];
  return [
    h("ul", { class: "glance" }, list.map((host) => h("li", null, h("span", null, hostName(host.host)), host.failing ? label("failing", "bad") : label("delivers", "good"), h("span", { class: "quiet-text" }, host.last_at ? since(host.last_at) : "never")))),
    slowest && quiet(`Slowest hook: ${slowest.event}, ${millis(slowest.p95_ms)} in 95 of 100 runs; ${count(list.reduce((sum, host) => sum + host.runs, 0), "run")} looked at.`)];
}
