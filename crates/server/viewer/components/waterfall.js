// Steps in time: when each was done, and how long after the one before. Hooks report a step when it is done, so its length includes the agent's thinking.

import { h, svg } from "../dom.js";
import { clock, lasted } from "../times.js";

/** The begin and end of each step of a turn, and of the whole. */
export function stepsInTime(turn) {
  let before = new Date(turn.at).getTime();
  const begun = before;
  const steps = (turn.events ?? []).map((event) => {
    const at = Math.max(before, new Date(event.at).getTime() || before);
    const step = { from: before, to: at };
    before = at;
    return step;
  });
  return { begun, ended: Math.max(before, begun + 1000), steps };
}

/** The bar of a step within its turn. */
export function stepBar({ from, to }, { begun, ended }) {
  const scale = 100 / (ended - begun);
  const width = Math.max(1.2, (to - from) * scale);
  return svg("svg", { class: "step-bar", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "score-track", y: 2.5, width: 100, height: 1 }),
    svg("rect", { class: "score-own", x: Math.min(100 - width, (from - begun) * scale).toFixed(2), width: width.toFixed(2), height: 6, rx: 1 }));
}

/** A session as a line of time: a block a turn, as long as work went on, with its hours below. */
export function sessionLine(turns, started, ended) {
  const spans = turns.map(stepsInTime);
  const first = new Date(started).getTime();
  const last = Math.max(new Date(ended).getTime(), ...spans.map((span) => span.ended));
  if (!(last - first > 60_000) || turns.length < 2) return null;
  const scale = 1000 / (last - first);
  let number = 0;
  const blocks = spans.map((span, at) => {
    const turn = turns[at];
    if (turn.prompt) number += 1;
    const failed = span.steps.filter((_, step) => turn.events[step].what === "failed").map(({ to }) => svg("rect", { class: "line-failure", x: Math.min(996, (to - first) * scale - 2).toFixed(1), y: 0, width: 4, height: 28 }));
    const width = Math.max(4, (span.ended - span.begun) * scale);
    const name = `${turn.prompt ? `Turn ${number}` : "Before the first prompt"}: ${clock(span.begun)}, ${lasted(span.begun, span.ended)}, ${turn.events?.length ?? 0} steps`;
    return svg("g", { class: "bar" }, svg("rect", { class: "line-block", x: Math.min(1000 - width, (span.begun - first) * scale).toFixed(1), y: 4, width: width.toFixed(1), height: 20, rx: 2 }), failed, svg("title", null, name));
  });
  return h("figure", { class: "session-line" },
    svg("svg", { class: "session-line-drawing", viewBox: "0 0 1000 28", preserveAspectRatio: "none", role: "img", "aria-label": `${turns.length} turns between ${clock(first)} and ${clock(last)}` },
      svg("rect", { class: "score-track", y: 13, width: 1000, height: 2 }), blocks),
    h("div", { class: "chart-axis", "aria-hidden": "true" }, h("span", null, clock(first)), h("span", null, "turns in time; red lines: something failed"), h("span", null, clock(last))));
}
