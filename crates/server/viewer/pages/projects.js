// Projects: the bodies of work there are memories of, the busiest lately first.

import * as api from "../api.js";
import { emptyState } from "../components/states.js";
import { fill, h } from "../dom.js";
import { link } from "../router.js";
import { time } from "../times.js";
import { count } from "../words.js";

/** Draws the page. */
export async function show({ root, signal }) {
  const { projects } = await api.projects(signal);
  const latest = [...projects].sort((a, b) => String(b.last_active_at ?? "").localeCompare(String(a.last_active_at ?? "")));
  fill(root,
    h("div", { class: "page-head" }, h("h1", null, "Projects")),
    latest.length ? h("ol", { class: "rows" }, latest.map(row)) : emptyState("No projects yet", "A project is known by its repository. It appears with the first session or memory in it; to begin by hand, in its folder:", "backstory remember \"…\""));
}

function row(project) {
  return h("li", { class: "row row-project-line" },
    h("a", { class: "row-title", href: link("project", project.id), "data-row": true }, project.name),
    h("span", { class: "row-root" }, project.roots?.[0] ?? ""),
    h("span", { class: "row-meta" },
      h("span", null, count(project.memories, "memory", "memories")),
      h("span", null, count(project.sessions, "session")),
      project.last_active_at && time(project.last_active_at, "since")));
}
