// Session: a replay, turn by turn: the prompt, what was injected, what was done, what was said at the end, what was learnt.

import * as api from "../api.js";
import { changeCounts, detailOf } from "../components/diff.js";
import { prose, spans } from "../components/prose.js";
import { memoryList } from "../components/row.js";
import { emptyState } from "../components/states.js";
import { label } from "../components/tag.js";
import { sessionLine, stepBar, stepsInTime } from "../components/waterfall.js";
import { fill, h, redraw } from "../dom.js";
import { follow } from "../live.js";
import { link } from "../router.js";
import { lasted, time } from "../times.js";
import { count, hostName, momentName } from "../words.js";

// Turns with more steps than this start folded.
const FEW_STEPS = 8;
const COUNTED_STEPS = ["failed", "edited", "made", "ran"];

const REST_MS = 1000;

/** Draws the page. */
export async function show({ root, parts: [id], signal }) {
  const head = h("div", { class: "memory-head" });
  const list = h("ol", { class: "turns" });
  const nothing = emptyState("Nothing is left of this session", "Raw events are kept for 30 days; memories stay. `backstory config` changes how long.");
  const draw = ({ session, turns, rejected }) => {
    redraw(head, [about(session, turns)], aboutIt);
    redraw(list, numbered(turns), drawTurn);
    fill(root, head, turns.length ? list : nothing, turnedDown(rejected ?? []));
  };
  draw(await api.session(id, signal));
  follow(["event", "memory", "injection"], async () => draw(await api.session(id, signal)), signal, REST_MS);
}

/** What the head of the page shows. */
function about(session, turns) {
  const figures = [
    count(turns.filter((turn) => turn.prompt).length, "turn"), count(session.events, "event"), count(session.memories, "memory", "memories"),
    lasted(session.started_at, ended(session))];
  return { session, turns, lead: figures.filter((part) => part !== "0 s").join(" · ") };
}

function aboutIt({ session, turns, lead }) {
  return h("div", null,
    h("p", { class: "crumbs" }, h("span", null, hostName(session.host)), session.project, time(session.started_at), !session.ended_at && label("open", "good")),
    h("h1", null, session.title ? spans(session.title) : (session.prompt ? spans(session.prompt) : `Session ${session.id}`)),
    h("p", { class: "lead" }, lead),
    h("p", null, h("a", { href: link("timeline", { session: session.id }) }, "Its memories"), h("span", { class: "dot" }), h("a", { href: link("injections", { session: session.id }) }, "What was injected")),
    sessionLine(turns, session.started_at, ended(session)));
}

const ended = (session) => session.ended_at ?? session.last_event_at;

/** Numbers the turns that have a prompt; what came before the first is no turn. */
function numbered(turns) {
  let number = 0;
  return turns.map((turn) => ({ turn, number: turn.prompt ? (number += 1) : null }));
}

/** Draws a turn; one that goes on while it is looked at keeps open what was open. */
function drawTurn({ turn, number }, before) {
  const drawn = h("li", null, h("article", { class: "turn", "aria-label": number ? `Turn ${number}` : "Before the first prompt" },
    h("div", { class: "turn-mark" }, number && h("span", { class: "turn-number" }, number), time(turn.at, "clock"), turn.events?.length > 0 && h("span", { class: "turn-took", title: "from the prompt to the last step" }, lasted(turn.at, turn.events.at(-1).at))),
    h("div", { class: "turn-body" },
      turn.prompt ? h("blockquote", { class: "prompt" }, prose(turn.prompt)) : h("p", { class: "quiet-text" }, "Before the first prompt"),
      injected(turn.injections ?? []),
      steps(turn),
      turn.closing && h("section", { class: "turn-part" }, h("h2", { class: "part-name" }, "The agent's closing words"), prose(turn.closing)),
      turn.memories?.length > 0 && h("section", { class: "turn-part" }, h("h2", { class: "part-name" }, "Learnt"), memoryList(turn.memories, { withProject: false })))));
  if (before) keepOpen(before, drawn);
  return drawn;
}

function keepOpen(before, drawn) {
  const fold = drawn.querySelector(".fold");
  // Steps that were in sight stay in sight when they become too many.
  if (fold) fold.open = before.querySelector(".fold")?.open ?? before.querySelector(".steps") !== null;
  const [were, are] = [before, drawn].map((element) => [...element.querySelectorAll(".step")]);
  were.forEach((step, at) => step.querySelector("details[open]") && are[at]?.querySelector("details")?.setAttribute("open", ""));
}

/** What became no memory, or only a proposed one, and why. */
function turnedDown(rejected) {
  if (!rejected.length) return null;
  return h("section", { class: "turn-part" }, h("h2", { class: "part-name" }, "Turned down"),
    h("details", { class: "fold" }, h("summary", null, count(rejected.length, "note")),
      h("ul", null, rejected.map(({ title, explanation, detail, writer, memory }) => h("li", null,
        memory ? h("a", { href: link("memory", memory) }, title) : title, " ",
        label(memory ? "proposed" : writer),
        h("p", { class: "quiet-text" }, detail ? `${explanation}: ${detail}` : explanation))))));
}

function injected(injections) {
  if (!injections.length) return null;
  return h("section", { class: "turn-part" }, h("h2", { class: "part-name" }, "Injected"),
    h("ul", { class: "injection-list" }, injections.map((injection) => h("li", null,
      h("a", { href: link("injection", injection.id), "data-row": true }, momentName(injection.moment)),
      h("span", { class: "quiet-text" }, `${count(injection.injected, "memory", "memories")} in ${count(injection.tokens, "token")}`),
      injection.used > 0 ? label(`${injection.used} used`, "good") : h("span", { class: "quiet-text" }, "none used")))));
}

function steps(turn) {
  const events = turn.events ?? [];
  if (!events.length) return null;
  const inTime = stepsInTime(turn);
  const few = events.length <= FEW_STEPS;
  const list = h("ol", { class: "steps" }, events.map((event, at) => step(event, inTime.steps[at], inTime)));
  return h("section", { class: "turn-part" }, h("h2", { class: "part-name" }, "Done"),
    few ? list : h("details", { class: "fold" }, h("summary", null, stepCounts(events)), list));
}

/** "31 steps: 4 edited, 3 ran, 1 failed, 23 others". */
function stepCounts(events) {
  const counts = COUNTED_STEPS.map((what) => [what, events.filter((event) => (event.what ?? event.kind) === what).length]).filter(([, number]) => number);
  const others = events.length - counts.reduce((sum, [, number]) => sum + number, 0);
  const parts = counts.map(([what, number]) => `${number} ${what}`);
  return `${count(events.length, "step")}: ${[...parts, others && `${others} other`].filter(Boolean).join(", ")}`;
}

function step(event, span, turn) {
  const what = event.what ?? event.kind;
  const { added, removed } = ["edited", "made"].includes(what) ? changeCounts(event.detail) : {};
  const took = lasted(span.from, span.to);
  const line = [
    h("span", { class: `step-what ${what === "failed" ? "step-bad" : ""}` }, what),
    h("code", { class: "step-text" }, event.text || event.tool || ""),
    h("span", { class: "step-more" },
      event.subagent && label(event.subagent, null, "a subagent did it"),
      added > 0 && h("span", { class: "line-count line-added" }, `+${added}`),
      removed > 0 && h("span", { class: "line-count line-removed" }, `−${removed}`)),
    stepBar(span, turn),
    h("span", { class: "step-took", title: "since the step before; thinking included" }, took),
    time(event.at, "clock", "step-time")];
  return h("li", { class: "step" }, event.detail
    ? h("details", null, h("summary", { class: "step-line" }, line), detailOf(what, event.detail, event.truncated))
    : h("div", { class: "step-line" }, line));
}
