// Why a hit is one, as a bar and as a sum: (words and meaning + boosts) × factors = score.

import { h, svg } from "../dom.js";

const round = (value, digits = 2) => Number(value ?? 0).toFixed(digits);

/** A bar as long as the score is high, its boosts apart from what words and meaning gave: the best of a few bad hits looks bad. */
export function scoreBar(hit) {
  const { fused = 0, relevance = 0 } = hit.explain ?? {};
  const whole = Math.max(0, Math.min(100, hit.score * 100));
  const own = relevance > 0 ? whole * Math.min(1, fused / relevance) : whole;
  return svg("svg", { class: "score-bar", viewBox: "0 0 100 4", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "score-track", width: 100, height: 4 }),
    svg("rect", { class: "score-boost", width: whole.toFixed(2), height: 4 }),
    svg("rect", { class: "score-own", width: own.toFixed(2), height: 4 }));
}

/** The strongest reasons in a few words. */
export function scoreReasons(explain) {
  if (!explain) return "";
  const arms = [explain.words > 0 && `words ${round(explain.words, 1)}`, explain.meaning !== null && `meaning ${round(explain.meaning)}`];
  const boosts = explain.boosts.map((boost) => `+${round(boost.value)} ${boost.name}`);
  const factors = explain.factors.filter((factor) => Math.abs(factor.value - 1) >= 0.02).map((factor) => `×${round(factor.value)} ${factor.name}`);
  return [...arms.filter(Boolean), ...boosts, ...factors].join(" · ");
}

/** The whole sum, line by line. */
export function scoreSum(hit) {
  const { explain } = hit;
  const meaning = explain.meaning === null ? "none" : round(explain.meaning);
  const line = (sign, value, name) => h("tr", null, h("td", null, sign), h("td", { class: "number" }, value), h("th", { scope: "row" }, name));
  return h("table", { class: "sum" },
    h("caption", { class: "hidden" }, "How the score came about"),
    h("tbody", null,
      line("", round(explain.fused, 3), `words ${round(explain.words)} (BM25) and meaning ${meaning} (cosine) in one`),
      explain.boosts.map((boost) => line("+", round(boost.value, 3), boost.name)),
      explain.factors.map((factor) => line("×", round(factor.value, 3), factor.name)),
      line("=", round(hit.score, 3), "score")),
    explain.older_than && h("tfoot", null, h("tr", null, h("td", { colspan: 3 }, `Older than #${explain.older_than}, which speaks of the same.`))));
}
