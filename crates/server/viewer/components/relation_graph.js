// What a memory hangs together with, as a picture: older on the left, newer on the right. The same stands beside it as a list.

import { h, svg } from "../dom.js";
import { link } from "../router.js";
import { shortDay } from "../times.js";

// Three columns fit beside the facts of a page 1280 px wide.
const BOX = { width: 180, height: 58, across: 70, down: 16 };
const OUT = { supersedes: "supersedes", contradicts: "contradicts", derived_from: "derived from", relates: "relates to" };
const OLDER = new Set(["supersedes", "derived_from"]);

/** Draws the relations of a memory: `nodes` are `{ key, title, sub, href, kind }`, the first the one it is about; `edges` `{ from, to, name }`, from newer to older. */
export function relationGraph({ nodes, edges }) {
  const columns = place(nodes, edges);
  const [width, height] = [columns.length * (BOX.width + BOX.across) - BOX.across + 2, Math.max(...columns.map((column) => column.length)) * (BOX.height + BOX.down) - BOX.down + 2];
  const at = new Map();
  columns.forEach((column, x) => column.forEach((node, y) => {
    const free = height - 2 - (column.length * (BOX.height + BOX.down) - BOX.down);
    at.set(node.key, { x: 1 + x * (BOX.width + BOX.across), y: 1 + free / 2 + y * (BOX.height + BOX.down) });
  }));
  return h("div", { class: "scroll-x graph", tabindex: 0, role: "region", "aria-label": "Relations" },
    svg("svg", { class: "graph-drawing", width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Older on the left, newer on the right" },
      edges.map((edge) => line(edge, at)), nodes.map((node, index) => box(node, at.get(node.key), index === 0))));
}

/** Puts each node a column left or right of the one that led to it. */
function place(nodes, edges) {
  const level = new Map([[nodes[0].key, 0]]);
  for (const key of level.keys()) {
    for (const { from, to, isEqual } of edges) {
      const step = isEqual ? 0 : 1;
      if (from === key && !level.has(to)) level.set(to, level.get(key) - step);
      if (to === key && !level.has(from)) level.set(from, level.get(key) + step);
    }
  }
  const levels = [...new Set(level.values())].sort((a, b) => a - b);
  return levels.map((wanted) => nodes.filter((node) => (level.get(node.key) ?? 0) === wanted));
}

function line({ from, to, name }, at) {
  const [a, b] = [at.get(to), at.get(from)];
  if (!a || !b) return null;
  const middle = BOX.height / 2;
  if (a.x === b.x) {
    // Around what stands between them: a line behind a box would end there for the eye.
    const bow = a.x - 0.42 * BOX.across;
    return svg("g", null, svg("path", { class: "graph-line graph-equal", d: `M${a.x} ${a.y + middle}C${bow} ${a.y + middle} ${bow} ${b.y + middle} ${b.x} ${b.y + middle}` }), svg("title", null, name));
  }
  const [left, right] = a.x < b.x ? [a, b] : [b, a];
  const [x1, y1, x2, y2] = [left.x + BOX.width, left.y + middle, right.x, right.y + middle];
  const bend = (x1 + x2) / 2;
  return svg("g", null,
    svg("path", { class: "graph-line", d: `M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}` }),
    svg("text", { class: "graph-name", x: bend, y: (y1 + y2) / 2 - 5, "text-anchor": "middle" }, name));
}

function box(node, { x, y }, isHere) {
  const room = 22;
  const title = node.title.length > room ? `${node.title.slice(0, room - 1)}…` : node.title;
  const content = [
    svg("title", null, `${node.sub}: ${node.title}`),
    svg("rect", { class: `graph-box ${isHere ? "graph-here" : ""}`, x, y, width: BOX.width, height: BOX.height, rx: 7 }),
    svg("text", { class: "graph-sub", x: x + 12, y: y + 21 }, node.sub),
    svg("text", { class: "graph-title", x: x + 12, y: y + 42 }, title)];
  const className = `graph-node ${node.kind ? `kind-${node.kind}` : ""}`;
  return node.href && !isHere ? svg("a", { class: className, href: node.href }, content) : svg("g", { class: className }, content);
}

/** The nodes and edges of a memory: its links, what fixed it, the session it came from. */
export function graphOf(memory, { memories = [], links = [] }) {
  const heads = memories.length ? memories : [memory];
  const nodes = heads.map((head) => ({ key: head.id, kind: head.kind, title: head.title, sub: `${head.kind} #${head.id} · ${shortDay(head.created_at)}`, href: link("memory", head.id) }));
  const edges = links.map(({ from, relation, to }) => ({ from, to, name: OUT[relation] ?? relation, isEqual: !OLDER.has(relation) }));
  if (memory.session) {
    nodes.push({ key: "session", title: `session ${memory.session}`, sub: "where it was learnt", href: link("session", memory.session) });
    edges.push({ from: memory.id, to: "session", name: "derived from" });
  }
  const fix = fixOf(memory.details);
  if (fix) {
    nodes.push({ key: "fix", title: fix, sub: "what fixed it" });
    edges.push({ from: "fix", to: memory.id, name: "fixed by" });
  }
  return { nodes, edges };
}

/** What fixed a failure, in a few words. */
function fixOf(details) {
  const { fix } = details ?? {};
  if (!fix) return details?.has_passed_since ? "it passed later" : null;
  const steps = [...(fix.commands ?? []), ...(fix.files ?? []).map((file) => file.path ?? file)];
  return steps.length ? String(steps[0]) : "a change";
}
