// A year of days as squares, a week a column. The squares carry tooltips; the caption says the same for who cannot see them.

import { h, svg } from "../dom.js";
import { count, grouped } from "../words.js";

const DAY_MS = 86_400_000;
const CELL = 13;
const LEFT = 30;
const TOP = 16;
const NARROW = "(max-width: 820px)";
const MONTH = new Intl.DateTimeFormat("en-GB", { month: "short", timeZone: "UTC" });
const LONG_DAY = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
const WEEKDAYS = ["Mon", "", "Wed", "", "Fri", "", ""];

/** The level of a value, 0 to 4, among the others: a busy day of a quiet year is as dark as one of a busy year. */
export function levels(values) {
  const busy = values.filter((value) => value > 0).sort((a, b) => a - b);
  const at = (share) => busy[Math.floor((busy.length - 1) * share)] ?? 0;
  const steps = [at(0.25), at(0.6), at(0.88)];
  return (value) => (value > 0 ? 1 + steps.filter((step) => value > step).length : 0);
}

/** The days up to today as whole weeks: `{ date, row }`, Monday first. The worker counted by the reader's days, so they are plain dates. */
export function weeksOf(days, weeks, now = new Date()) {
  const byDay = new Map(days.map((row) => [row.day, row]));
  const today = Date.UTC(now.getFullYear(), now.getMonth(), now.getDate());
  const weekday = (new Date(today).getUTCDay() + 6) % 7;
  const first = today - (weekday + (weeks - 1) * 7) * DAY_MS;
  return Array.from({ length: weeks * 7 }, (_, index) => {
    const date = new Date(first + index * DAY_MS);
    return { date, isAhead: date.getTime() > today, row: byDay.get(date.toISOString().slice(0, 10)) ?? {} };
  });
}

/** The calendar of a year, of half a year where the screen is narrow. */
export function heatmap(days) {
  const weeks = matchMedia(NARROW).matches ? 25 : 53;
  const cells = weeksOf(days, weeks);
  const value = (row) => (row.memories ?? 0) + (row.sessions ?? 0);
  const level = levels(cells.map(({ row }) => value(row)));
  const width = LEFT + weeks * CELL;
  const active = cells.filter(({ row }) => value(row) > 0).length;
  const memories = cells.reduce((sum, { row }) => sum + (row.memories ?? 0), 0);
  const sessions = cells.reduce((sum, { row }) => sum + (row.sessions ?? 0), 0);
  // What was superseded since counts too, so this is no number of memories.
  const summary = `${count(memories, "memory", "memories")} written in ${count(sessions, "session")} on ${count(active, "day")}`;
  return h("figure", { class: "heatmap" },
    svg("svg", { class: "heatmap-drawing", viewBox: `0 0 ${width} ${TOP + 7 * CELL}`, role: "img", "aria-label": `Activity in ${weeks} weeks: ${summary}` },
      WEEKDAYS.map((name, row) => name && svg("text", { class: "axis-text", x: 0, y: TOP + row * CELL + 9.5 }, name)),
      cells.map(({ date }, index) => index % 7 === 0 && date.getUTCDate() <= 7 && svg("text", { class: "axis-text", x: LEFT + (index / 7) * CELL, y: 10 }, MONTH.format(date))),
      cells.map(({ date, isAhead, row }, index) => !isAhead && svg("rect", { class: `heat heat-${level(value(row))}`, x: LEFT + Math.floor(index / 7) * CELL, y: TOP + (index % 7) * CELL, width: CELL - 2, height: CELL - 2, rx: 2 },
        svg("title", null, `${LONG_DAY.format(date)}: ${grouped(row.memories ?? 0)} memories, ${grouped(row.sessions ?? 0)} sessions`)))),
    h("figcaption", { class: "heatmap-caption" }, h("span", null, summary), legend()));
}

function legend() {
  return h("span", { class: "heatmap-legend", "aria-hidden": "true" }, "less",
    svg("svg", { class: "heatmap-scale", viewBox: `0 0 ${5 * CELL} 11` }, [0, 1, 2, 3, 4].map((level) => svg("rect", { class: `heat heat-${level}`, x: level * CELL, y: 0, width: 11, height: 11, rx: 2 }))), "more");
}
