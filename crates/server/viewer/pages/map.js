// Map: a project's folders and files, as large as what is known or was done there, and as red as what failed. A file leads to its memories.

import * as api from "../api.js";
import { choice } from "../components/filters.js";
import { memoryList } from "../components/row.js";
import { emptyState } from "../components/states.js";
import { treemap } from "../components/treemap.js";
import { fill, h, svg } from "../dom.js";
import { link, withQuery } from "../router.js";
import { time } from "../times.js";
import { count, grouped } from "../words.js";

const BY = { memories: "Memories", edits: "Edits", failures: "Failures" };
const LISTED = 40;
const HEIGHT_SHARE = 0.46;
// A folder this large shows what it holds.
const OPEN_FROM = { width: 90, height: 70 };
const HEAD = 40;

/** Draws the page. */
export async function show({ root, query, signal, place }) {
  const { projects } = await api.projects(signal);
  const project = projects.find((each) => String(each.id) === query.project) ?? projects[0];
  const by = Object.hasOwn(BY, query.by) ? query.by : "memories";
  const head = h("div", { class: "page-head" }, h("h1", null, "Map"), h("div", { class: "filters" },
    projects.length > 0 && choice("project", "Project", projects.map((each) => [String(each.id), each.name]), String(project?.id)),
    choice("by", "Size by", Object.entries(BY), by)));
  if (!project) return fill(root, head, emptyState("No project yet", "The map shows where a project's memories, edits and failures are. It comes with the first session.", "backstory setup"));
  const { files } = await api.files(project.id, signal);
  const folder = query.in ?? "";
  const chosen = query.file ? files.find((file) => file.path === query.file) : null;
  const shown = h("div", { class: "map" });
  fill(root, head, crumbs(project, query, folder), shown, table(files, folder, by), chosen && fileFacts(chosen));
  place();
  const draw = () => fill(shown, picture(files, folder, by, shown.clientWidth, query));
  draw();
  const sized = new ResizeObserver(draw);
  sized.observe(shown);
  signal.addEventListener("abort", () => sized.disconnect());
  if (query.file) root.append(await memoriesOf(project, query.file, signal));
}

/** What a folder holds, one level deep: a file as it is, a folder as the sum of its files; a folder of one folder is taken with it. */
function level(files, folder) {
  const prefix = folder ? `${folder}/` : "";
  const groups = new Map();
  for (const file of files.filter((each) => each.path.startsWith(prefix))) {
    // Of a file outside of the project the first slash is part of its first folder: without a name that would hold itself.
    const rest = file.path.slice(prefix.length);
    const [name] = rest.match(/^\/*[^/]*/);
    const group = groups.get(name) ?? { name, path: prefix + name, isFolder: rest.length > name.length, files: [] };
    group.files.push(file);
    groups.set(name, group);
  }
  return [...groups.values()].map((group) => joined(group, files));
}

function joined(group, files) {
  if (group.isFolder) {
    const inside = level(group.files, group.path);
    if (inside.length === 1 && inside[0].isFolder) return { ...inside[0], name: `${group.name}/${inside[0].name}` };
  }
  const sum = (key) => group.files.reduce((total, file) => total + file[key], 0);
  return { ...group, memories: sum("memories"), edits: sum("edits"), failures: sum("failures") };
}

const words = (item) => `${count(item.memories, "memory", "memories")}, ${count(item.edits, "edit")}, ${count(item.failures, "failure")}`;
const target = (item) => withQuery(item.isFolder ? { in: item.path, file: "" } : { file: item.path });

function picture(files, folder, by, width, query) {
  const items = level(files, folder).map((item) => ({ ...item, value: item[by] }));
  const most = Math.max(1, ...items.map((item) => item.failures));
  if (!items.some((item) => item.value > 0)) {
    return emptyState(files.length ? `No ${by} here` : "Nothing is known about files yet", files.length ? "Choose another measure above, or another folder." : "Files appear when an agent edits them, or a memory speaks of them.");
  }
  const height = Math.round(Math.max(280, Math.min(720, width * HEIGHT_SHARE)));
  const cells = treemap(items, width, height);
  return svg("svg", { class: "map-drawing", width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `Map of ${folder || "the project"} by ${by}` },
    cells.map((cell) => drawn(cell, most, query)),
    cells.map((cell) => inside(cell, files, by, most, query)));
}

/** What a large folder holds, within it. */
function inside({ item, x, y, width, height }, files, by, most, query) {
  if (!item.isFolder || width < OPEN_FROM.width || height < OPEN_FROM.height) return null;
  const items = level(item.files, item.path).map((each) => ({ ...each, value: each[by] }));
  const cells = treemap(items, width - 12, height - HEAD - 6);
  return svg("g", { class: "map-inner" }, cells.map((cell) => drawn({ ...cell, x: cell.x + x + 6, y: cell.y + y + HEAD }, most, query)));
}

function drawn({ item, x, y, width, height }, most, query) {
  const heat = item.failures ? Math.min(3, Math.ceil((item.failures / most) * 3)) : 0;
  const room = Math.floor((width - 14) / 7.4);
  const name = room >= 3 && height >= 24 ? cut(item.isFolder ? `${item.name}/` : item.name, room) : "";
  const described = `${item.path}${item.isFolder ? "/" : ""}: ${words(item)}`;
  const isChosen = query.file === item.path;
  return svg("a", { class: `map-cell ${isChosen ? "map-chosen" : ""}`, href: target(item), "data-path": item.path, "aria-label": name ? null : described },
    svg("title", null, described),
    svg("rect", { class: `map-rect ${item.isFolder ? "map-folder" : ""} fail-${heat}`, x: (x + 1).toFixed(1), y: (y + 1).toFixed(1), width: Math.max(0, width - 2).toFixed(1), height: Math.max(0, height - 2).toFixed(1), rx: 3 }),
    name && svg("text", { class: "map-name", x: (x + 8).toFixed(1), y: (y + 18).toFixed(1) }, name),
    name && height >= 42 && svg("text", { class: "map-count", x: (x + 8).toFixed(1), y: (y + 34).toFixed(1) }, cut(grouped(item.value), room)));
}

const cut = (text, room) => (text.length <= room ? text : `${text.slice(0, Math.max(1, room - 1))}…`);

function crumbs(project, query, folder) {
  const parts = folder ? folder.split("/") : [];
  return h("p", { class: "crumbs map-crumbs" },
    h("a", { href: withQuery({ in: "", file: "" }) }, project.name),
    parts.map((part, at) => h("a", { href: withQuery({ in: parts.slice(0, at + 1).join("/"), file: "" }) }, part)),
    h("span", { class: "map-legend" }, "Failures: ", ["none", "few", "some", "most"].map((name, heat) => h("span", { class: "map-key" }, svg("svg", { class: "map-swatch", viewBox: "0 0 10 10", "aria-hidden": "true" }, svg("rect", { class: `map-rect fail-${heat}`, width: 10, height: 10, rx: 2 })), name))));
}

/** The same as a table: for who cannot see areas, and for exact numbers. */
function table(files, folder, by) {
  const items = level(files, folder).sort((a, b) => b[by] - a[by] || b.memories - a.memories);
  if (!items.length) return null;
  return h("div", { class: "scroll-x section", tabindex: 0, role: "region", "aria-label": "Files" }, h("table", { class: "table" },
    h("thead", null, h("tr", null, ["Name", "Memories", "Edits", "Failures"].map((name) => h("th", { scope: "col", class: name === "Name" ? "" : "number" }, name)))),
    h("tbody", null, items.slice(0, LISTED).map((item) => h("tr", null,
      h("td", null, h("a", { class: "map-file", href: target(item), "data-row": true }, h("code", null, item.isFolder ? `${item.name}/` : item.name))),
      ["memories", "edits", "failures"].map((key) => h("td", { class: "number" }, grouped(item[key]))))))),
    items.length > LISTED && h("p", { class: "quiet-text" }, `and ${count(items.length - LISTED, "other")}`));
}

function fileFacts(file) {
  return h("section", { class: "section", "aria-live": "polite" }, h("h2", null, h("code", null, file.path)), h("p", { class: "quiet-text" }, words(file), ", last ", time(file.last_at, "since")));
}

async function memoriesOf(project, file, signal) {
  const { memories } = await api.memories({ project: project.id, file, limit: 30 }, signal);
  return memories.length ? memoryList(memories, { as: "day", withProject: false })
    : h("p", { class: "quiet-text" }, "No memory is anchored in this file. ", h("a", { href: link("search", { q: file.split("/").at(-1), project: project.id }) }, "Search for its name"));
}
