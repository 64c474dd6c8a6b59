// Rules: what the user wants done or never done, as every session of the project is given it first.

import * as api from "../api.js";
import { openDialog } from "../components/dialog.js";
import { prose, saysMore, spans } from "../components/prose.js";
import { emptyState } from "../components/states.js";
import { label } from "../components/tag.js";
import { toast } from "../components/toast.js";
import { fill, h } from "../dom.js";
import { follow } from "../live.js";
import { link } from "../router.js";
import { time } from "../times.js";
import { count } from "../words.js";

/** Draws the page. */
export async function show({ root, query, signal }) {
  const list = h("div");
  const draw = async () => {
    const { rules } = await api.rules({ project: query.project }, signal);
    fill(list, rules.length ? groups(rules, draw) : nothing());
  };
  fill(root,
    h("div", { class: "page-head" }, h("h1", null, "Rules"),
      h("button", { class: "button button-main", "aria-keyshortcuts": "a", on: { click: () => add(query, draw) } }, "Add a rule", h("kbd", { "aria-hidden": "true" }, "a"))),
    h("p", { class: "quiet-text lead-line" }, "Your own words. Every session of the project starts with them, and is reminded of one where it matters; they never fade."),
    list);
  await draw();
  follow(["memory"], draw, signal);
}

const nothing = () => emptyState("No rules yet", "Say “from now on …”, “always …” or “never …” to your agent, and it is kept as a rule in your words. Or write one, here or in a terminal:", "backstory rules add \"Use pytest-style asserts\"");

function groups(rules, draw) {
  const everywhere = rules.filter((rule) => rule.scope === "user");
  const byProject = new Map();
  for (const rule of rules.filter((each) => each.scope !== "user")) byProject.set(rule.project, [...(byProject.get(rule.project) ?? []), rule]);
  return [[everywhere, "In every project"], ...[...byProject].map(([name, some]) => [some, name])]
    .filter(([some]) => some.length)
    .map(([some, name]) => h("section", { class: "section" }, h("h2", null, name, " ", h("span", { class: "quiet-text" }, count(some.length, "rule"))), h("ol", { class: "rule-list" }, some.map((rule) => card(rule, draw)))));
}

function card(rule, draw) {
  return h("li", { class: "rule" },
    h("h3", null, h("a", { class: "review-title", href: link("memory", rule.id), "data-row": true }, spans(rule.title))),
    saysMore(rule.title, rule.body) && prose(rule.body),
    h("p", { class: "crumbs" }, `#${rule.id}`, time(rule.created_at, "since"), rule.pinned && label("pinned"), rule.provenance !== "user" && label(`from ${rule.provenance}`, "warn")),
    h("button", { class: "button", "aria-label": `Retire rule #${rule.id}`, on: { click: () => retire(rule, draw) } }, "Retire"));
}

async function retire(rule, draw) {
  try {
    await api.retire(rule.id);
    await draw();
    toast(`#${rule.id} is retired`, { action: "Undo", act: () => api.confirm(rule.id).then(draw), ms: 6000 });
  } catch (error) {
    toast(error.message, { tone: "bad" });
  }
}

/** Asks for a rule, and where it holds. */
async function add(query, draw) {
  const { projects } = await api.projects();
  if (!projects.length) return toast("No project is known yet: it comes with the first session", { tone: "bad" });
  const written = await openDialog("Add a rule", (close) => {
    const text = h("textarea", { class: "field", rows: 3, required: true, "aria-label": "The rule", placeholder: "Money is stored as integer minor units, never as floats", autofocus: true });
    const where = h("select", { class: "field", "aria-label": "Where it holds" }, projects.map((each) => h("option", { value: each.id, selected: String(each.id) === String(query.project ?? "") }, each.name)), h("option", { value: "" }, "In every project"));
    const problem = h("p", { class: "problem", role: "alert" });
    const submit = async (event) => {
      event.preventDefault();
      try {
        close(await api.remember({ text: text.value, kind: "rule", project: Number(where.value || projects[0].id), ...(where.value ? {} : { scope: "user" }) }));
      } catch (error) {
        fill(problem, error.message, error.hint ? `. ${error.hint}` : "");
      }
    };
    return h("form", { on: { submit } }, h("p", null, "One sentence an agent can follow, with its reason if there is one."), text,
      h("label", null, h("span", { class: "filter-name" }, "Holds in"), where), problem,
      h("div", { class: "dialog-actions" }, h("button", { class: "button", type: "button", on: { click: () => close() } }, "Cancel"), h("button", { class: "button button-main" }, "Add")));
  });
  if (!written?.id) return;
  await draw();
  toast(`Rule #${written.id} holds from now on`);
}
