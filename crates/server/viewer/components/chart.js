// Bar charts, drawn as SVG. The bars carry tooltips; the figure's caption says the same for who cannot see them.

import { h, svg } from "../dom.js";
import { grouped } from "../words.js";

/** A chart: bars of `{ label, value, over? }`, `over` being the part of the value drawn in the accent. */
export function barChart({ title, summary, bars, from, middle, to, unit = "" }) {
  const most = Math.max(1, ...bars.map((bar) => bar.value));
  const drawing = svg("svg", { class: "chart-drawing", viewBox: `0 0 ${Math.max(1, bars.length) * 10} 100`, preserveAspectRatio: "none", role: "img", "aria-label": `${title}. ${summary}` },
    bars.map((bar, index) => drawn(bar, index, most, unit)));
  return h("figure", { class: "chart" },
    h("figcaption", { class: "chart-head" }, h("span", { class: "chart-title" }, title), h("span", { class: "chart-summary" }, summary)),
    h("div", { class: "chart-plot" },
      h("div", { class: "chart-scale", "aria-hidden": "true" }, h("span", null, grouped(most)), h("span", null, "0")),
      drawing,
      h("div", { class: "chart-axis", "aria-hidden": "true" }, h("span", null, from), h("span", null, middle ?? unit.trim()), h("span", null, to))));
}

function drawn(bar, index, most, unit) {
  const height = (value) => (value > 0 ? Math.max(1.5, (value / most) * 100) : 0);
  const rect = (value, className) => svg("rect", { class: className, x: index * 10 + 1, y: (100 - height(value)).toFixed(2), width: 8, height: height(value).toFixed(2) });
  const tip = `${bar.label}: ${grouped(bar.value)}${unit}${bar.over === undefined ? "" : `, of which ${grouped(bar.over)} ${bar.overName ?? ""}`}`;
  return svg("g", { class: "bar" },
    svg("rect", { class: "bar-ground", x: index * 10, y: 0, width: 10, height: 100 }),
    rect(bar.value, bar.over === undefined ? "bar-value" : "bar-quiet"),
    bar.over !== undefined && rect(bar.over, "bar-value"),
    svg("title", null, tip));
}

/** A thin meter: how much of a whole is taken. */
export function meter(value, whole) {
  const share = whole > 0 ? Math.min(100, (value / whole) * 100) : 0;
  return svg("svg", { class: "meter", viewBox: "0 0 100 4", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "score-track", width: 100, height: 4 }),
    svg("rect", { class: "score-own", width: share.toFixed(2), height: 4 }));
}
