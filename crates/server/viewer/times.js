// Times as people read them, always with the exact one behind (`datetime` and a tooltip).

import { h } from "./dom.js";

const DAY_MS = 86_400_000;
const format = (options) => new Intl.DateTimeFormat("en-GB", options);
const CLOCK = format({ hour: "2-digit", minute: "2-digit" });
const DAY = format({ weekday: "long", day: "numeric", month: "long" });
const DAY_AND_YEAR = format({ weekday: "long", day: "numeric", month: "long", year: "numeric" });
const SHORT_DAY = format({ day: "numeric", month: "short" });
const UTC_DAY = format({ day: "numeric", month: "short", timeZone: "UTC" });
const WHOLE = format({ day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });

/** Returns the local day of a time as a key that sorts: 2026-11-16. */
export function dayKey(at) {
  const date = new Date(at);
  return `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}-${String(date.getDate()).padStart(2, "0")}`;
}

/** Returns the span of days chosen by a reader, both included, as the worker understands it: from a time up to another. */
export function span({ since, until }) {
  const midnight = (day, later) => {
    const [year, month, date] = String(day).split("-").map(Number);
    const at = new Date(year, month - 1, date + later);
    return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
  };
  return { since: since && midnight(since, 0), until: until && midnight(until, 1) };
}

/** Names a day: Today, Yesterday, Thursday 12 November. */
export function dayName(at, now = new Date()) {
  const date = new Date(at);
  if (dayKey(date) === dayKey(now)) return "Today";
  if (dayKey(date) === dayKey(new Date(now.getTime() - DAY_MS))) return "Yesterday";
  return (date.getFullYear() === now.getFullYear() ? DAY : DAY_AND_YEAR).format(date);
}

/** Says how long ago: now, 5 min, 3 h, 4 d, 7 wk. */
export function ago(at, now = Date.now()) {
  const minutes = Math.max(0, Math.round((now - new Date(at).getTime()) / 60_000));
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 24 * 60) return `${Math.round(minutes / 60)} h`;
  const days = Math.round(minutes / (24 * 60));
  return days < 28 ? `${days} d` : days < 365 ? `${Math.round(days / 7)} wk` : `${Math.round(days / 365)} y`;
}

/** The same as a phrase: just now, 5 min ago. */
export const since = (at) => (ago(at) === "now" ? "just now" : `${ago(at)} ago`);

/** Says how long something took: 40 s, 12 min, 2 h 5 min. */
export function lasted(from, to) {
  const seconds = Math.max(0, Math.round((new Date(to) - new Date(from)) / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export const clock = (at) => CLOCK.format(new Date(at));
export const shortDay = (at) => SHORT_DAY.format(new Date(at));
/** Names a day that the worker counted by (2026-11-16): the same one wherever the reader is. */
export const utcDay = (day) => UTC_DAY.format(new Date(day));
export const whole = (at) => WHOLE.format(new Date(at));

const SHOWN = { clock, ago: (at) => ago(at), since, whole, day: shortDay };

/** Makes a time element; `as` is clock, ago, since, whole or day. */
export function time(at, as = "whole", className) {
  if (!at || Number.isNaN(new Date(at).getTime())) return h("span", { class: className }, "–");
  return h("time", { datetime: at, title: whole(at), class: className }, SHOWN[as](at));
}
