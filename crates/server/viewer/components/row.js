// One memory in a list. The link covers the row, so that pointer and keyboard meet the same thing.

import { h } from "../dom.js";
import { link } from "../router.js";
import { time } from "../times.js";
import { count } from "../words.js";
import { isForgetting, isForgotten } from "./forgetting.js";
import { spans } from "./prose.js";
import { kindTag, label } from "./tag.js";

/** A memory's row; `as` says how its time is shown, `withProject` whether its project is. */
export function memoryRow(memory, { as = "clock", withProject = true, selectable = false } = {}) {
  const classes = ["row", memory.superseded_by && "row-superseded", isForgetting(memory.id) && "row-forgetting"];
  return h("li", { class: classes.filter(Boolean).join(" "), "data-memory": memory.id },
    selectable && h("input", { type: "checkbox", class: "row-check", "aria-label": `Choose #${memory.id}`, "aria-keyshortcuts": "v", "data-id": memory.id, "data-title": memory.title }),
    time(memory.created_at, as, "row-time"),
    kindTag(memory.kind),
    h("a", { class: "row-title", href: link("memory", memory.id), "data-row": true }, spans(memory.title)),
    h("span", { class: "row-meta" },
      memory.pinned && label("pinned"),
      memory.standing === "proposed" && label("proposed", "warn", "no session is given it unasked until you confirm it"),
      memory.superseded_by && label(`superseded by #${memory.superseded_by}`),
      ["web", "repository"].includes(memory.provenance) && label("from outside", "warn", "read from a source that is not yours"),
      withProject && h("span", { class: "row-project" }, memory.project_name ?? memory.project),
      h("span", { class: "row-number", title: `${count(memory.tokens, "token")} to read` }, `#${memory.id}`)));
}

/** A list of rows. */
export function memoryList(memories, options) {
  return h("ol", { class: "rows" }, memories.filter((memory) => !isForgotten(memory.id)).map((memory) => memoryRow(memory, options)));
}
