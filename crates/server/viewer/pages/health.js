// Health: whether the hooks run and how fast, what the store holds, and what optional model work costs.

import * as api from "../api.js";
import { barChart } from "../components/chart.js";
import { emptyState } from "../components/states.js";
import { label } from "../components/tag.js";
import { fill, h, redraw } from "../dom.js";
import { follow } from "../live.js";
import { time } from "../times.js";
import { count, grouped, hostName, millis, percent, plain, size } from "../words.js";

const SHOWN_RECEIPTS = 20;

const REST_MS = 2000;

/** Draws the page. */
export async function show({ root, signal }) {
  const parts = h("div");
  const draw = async () => {
    const [status, hooks] = await Promise.all([api.status(signal), api.hooks(signal)]);
    redraw(parts, partsOf(status, hooks), ([data, drawPart]) => drawPart(data));
  };
  fill(root, h("div", { class: "page-head" }, h("h1", null, "Health")), parts);
  await draw();
  follow(["event", "memory", "injection"], draw, signal, REST_MS);
}

/** The parts of the page: the data of each, and how it is drawn. */
function partsOf(status, { hosts: callers = [], latency: events = [], receipts: runs = status.hooks ?? [] }) {
  return [
    [problemsOf(status), problems],
    [figuresOf(status), figures],
    [callers, (data) => section("Hosts", hosts(data))],
    [events, (data) => section("How long hooks take", latency(data))],
    [runs.slice(0, SHOWN_RECEIPTS), (data) => section("Last hook runs", receipts(data))],
    [status, (data) => h("div", { class: "halves" }, section("Injected, and used", injectedBySection(data.injected ?? [])), section("The store", store(data)), section("Background writer", writerFacts(data.writer)))],
  ];
}

const section = (title, ...content) => h("section", { class: "section" }, h("h2", null, title), content);
const quiet = (...text) => h("p", { class: "quiet-text" }, text);

function problemsOf(status) {
  return [
    !status.writable && `The store can only be read: ${status.problem ?? "no reason is known"}.`,
    status.spooled > 0 && `${count(status.spooled, "event")} wait in the spool and are taken in when the store can be written.`,
    status.quarantined?.length > 0 && `Damaged files were set aside: ${status.quarantined.join(", ")}.`,
    status.vectors_waiting > 0 && `${count(status.vectors_waiting, "memory has", "memories have")} no vectors yet, so they are found by words only; maintenance makes them.`,
  ].filter(Boolean);
}

const problems = (found) => h("div", { class: "notices" }, found.map((text) => h("p", { class: "notice" }, text)));

function figuresOf(status) {
  const { memories, sessions, events, injections, bytes, rss_bytes: rss } = status;
  const counts = [[memories, "memories"], [sessions, "sessions"], [events, "events kept"], [injections, "injections"]];
  return [...counts.map(([number, name]) => [grouped(number), name]), [size(bytes), "on disk"], ...(rss ? [[size(rss), "memory of the worker"]] : [])];
}

const figures = (found) => h("dl", { class: "figures" }, found.map(([value, name]) => h("div", { class: "figure" }, h("dd", null, value), h("dt", null, name))));

function hosts(list) {
  if (!list.length) return emptyState("No host has called yet", "Connect the hosts of this machine; `backstory doctor` then proves that each hook delivers.", "backstory setup");
  return table(["Host", "Last event", "Runs", ""], list.map((host) => [
    hostName(host.host), host.last_at ? time(host.last_at, "since") : "never", number(grouped(host.runs)),
    host.failing ? label(typeof host.failing === "number" ? `${host.failing} failing` : "failing", "bad") : label("delivers", "good")]), [2]);
}

function latency(list) {
  if (!list.length) return quiet("No runs to measure yet.");
  // The same span for all, as far as any of them reaches, so that they can be compared.
  const steps = 1 + Math.max(...list.flatMap((event) => event.histogram.map((step, index) => (step.runs > 0 ? index : 0))));
  return h("div", { class: "charts" }, list.map((event) => {
    const bars = event.histogram.slice(0, Math.max(steps, 5)).map((step, index, all) => ({ label: step.up_to_ms === null ? `over ${all[index - 1]?.up_to_ms ?? 0} ms` : `up to ${step.up_to_ms} ms`, value: step.runs }));
    return barChart({ title: event.event, summary: `p50 ${millis(event.p50_ms)} · p95 ${millis(event.p95_ms)}`, bars, from: "0 ms", middle: count(event.runs, "run"), to: bars.at(-1)?.label.replace("up to ", "") ?? "", unit: " runs" });
  }));
}

function receipts(list) {
  if (!list.length) return quiet("None yet.");
  return table(["When", "Host", "Event", "Took", "In", "Out", "Outcome"], list.map((run) => [
    time(run.at), hostName(run.host), run.event, number(millis(run.ms)), number(size(run.bytes_in)), number(size(run.bytes_out)), outcome(run.outcome)]), [3, 4, 5]);
}

/** What became of a run: kept, or skipped on purpose, or something to look at. */
function outcome(text) {
  return label(text, /^kept\b/.test(text) ? "good" : text.startsWith("skipped") ? null : "warn");
}

function injectedBySection(list) {
  if (!list.length) return quiet("Nothing was injected yet.");
  return table(["Section", "Kind", "Injected", "Used", "Share"], list.map((row) => [plain(row.section), row.kind, number(grouped(row.injected)), number(grouped(row.used)), number(percent(row.injected ? row.used / row.injected : null))]), [2, 3, 4]);
}

function store(status) {
  const fact = (name, ...value) => h("div", null, h("dt", null, name), h("dd", null, value));
  return h("dl", { class: "facts" },
    fact("Home", h("code", null, status.home)),
    fact("Schema", status.schema),
    fact("Superseded", grouped(status.superseded)),
    fact("Forgotten", grouped(status.forgotten)),
    fact("Newest backup", status.newest_backup ? (typeof status.newest_backup === "string" && !Number.isNaN(Date.parse(status.newest_backup)) ? time(status.newest_backup) : String(status.newest_backup)) : "none"),
    fact("Last event", status.last_event_at ? time(status.last_event_at) : "none"),
    status.version_of_worker && fact("Worker", `${status.version_of_worker}, up ${Math.max(1, Math.round((status.uptime_s ?? 0) / 60))} min`));
}

function writerFacts(writer) {
  if (!writer) return quiet("No model is configured, and none is needed: memories are distilled by rules.");
  const { last_day: day } = writer;
  const facts = [["Provider", writer.provider], ["Calls in 24 hours", grouped(day.calls)], ["Tokens read", grouped(day.tokens_in)], ["Tokens written", grouped(day.tokens_out)],
    ...(day.dollars === null ? [] : [["Cost", `$${day.dollars.toFixed(2)}`]]), ["Notes kept", grouped(day.kept)], ["Notes rejected", grouped(day.rejected)],
    ["Sessions waiting", grouped(writer.waiting)], ["Given up", grouped(writer.dead)], ["Rests until", writer.rests_until ? time(writer.rests_until) : "does not rest"]];
  return h("dl", { class: "facts" }, facts
    .map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value))));
}

const number = (value) => ({ number: value });

function table(names, rows, numeric = []) {
  const cell = (value) => (value && Object.hasOwn(value, "number") ? h("td", { class: "number" }, value.number) : h("td", null, value));
  return h("div", { class: "scroll-x", tabindex: 0, role: "region", "aria-label": names.filter(Boolean).join(", ") }, h("table", { class: "table" },
    h("thead", null, h("tr", null, names.map((name, index) => h("th", { scope: "col", class: numeric.includes(index) ? "number" : "" }, name || h("span", { class: "hidden" }, "State"))))),
    h("tbody", null, rows.map((row) => h("tr", null, row.map(cell))))));
}
