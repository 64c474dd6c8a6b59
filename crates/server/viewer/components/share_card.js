// A picture of the week to show to others. It holds numbers only: no title, no name, no word of any memory.

import { h } from "../dom.js";
import { grouped, percent } from "../words.js";
import { openDialog } from "./dialog.js";
import { levels, weeksOf } from "./heatmap.js";
import { toast } from "./toast.js";

const [WIDTH, HEIGHT] = [1200, 630];
const WEEKS = 40;
// The picture looks the same for everybody, whatever theme its maker reads in.
const INK = { paper: "#161615", ink: "#ebe8e2", quiet: "#a5a095", accent: "#6cc5b2", heat: ["#262623", "#1f4a42", "#2f7365", "#4a9f8d", "#6cc5b2"] };

/** Shows the card, and keeps or copies it. */
export function showCard(figures) {
  const canvas = h("canvas", { class: "share-card", width: WIDTH, height: HEIGHT, role: "img", "aria-label": `Card: ${figures.items.map(([value, name]) => `${value} ${name}`).join(", ")}` });
  paint(canvas.getContext("2d"), figures);
  return openDialog("A card to share", (close) => [
    canvas,
    h("p", { class: "quiet-text" }, "Numbers only: no title, no project and no word of a memory is in it. It is drawn here and sent nowhere."),
    h("div", { class: "dialog-actions" },
      h("button", { class: "button", on: { click: () => close() } }, "Close"),
      h("button", { class: "button", on: { click: () => copy(canvas) } }, "Copy image"),
      h("button", { class: "button button-main", autofocus: true, on: { click: () => keep(canvas) } }, "Save as PNG"))], "dialog-wide");
}

/** The numbers of the card. */
export function cardFigures({ memories, learnt, rules, usedRate, days }) {
  return { days, items: [[grouped(memories), "memories"], [grouped(learnt), "learnt this week"], [grouped(rules), "rules kept"], [percent(usedRate), "of what was injected was used"]] };
}

function paint(context, { days, items }) {
  context.fillStyle = INK.paper;
  context.fillRect(0, 0, WIDTH, HEIGHT);
  context.fillStyle = INK.accent;
  for (const [y, width] of [[66, 44], [84, 30], [102, 16]]) bar(context, 72, y, width, 9);
  say(context, "Backstory", 134, 106, 42, INK.ink, 700);
  say(context, "what my coding agents remember", 72, 168, 30, INK.quiet, 400);
  const cells = weeksOf(days, WEEKS);
  const value = (row) => (row.memories ?? 0) + (row.sessions ?? 0);
  const level = levels(cells.map(({ row }) => value(row)));
  cells.forEach(({ isAhead, row }, index) => {
    if (isAhead) return;
    context.fillStyle = INK.heat[level(value(row))];
    bar(context, 72 + Math.floor(index / 7) * 26.4, 214 + (index % 7) * 26.4, 22, 22);
  });
  const step = (WIDTH - 144) / items.length;
  items.forEach(([figure, name], at) => {
    say(context, figure, 72 + at * step, 508, 58, INK.ink, 700);
    wrapped(name).forEach((line, row) => say(context, line, 72 + at * step, 548 + row * 30, 24, INK.quiet, 400));
  });
}

function wrapped(name) {
  const words = name.split(" ");
  return name.length <= 18 ? [name] : [words.slice(0, 3).join(" "), words.slice(3).join(" ")];
}

function say(context, text, x, y, size, colour, weight) {
  context.fillStyle = colour;
  context.font = `${weight} ${size}px ui-sans-serif, system-ui, "Liberation Sans", sans-serif`;
  context.fillText(text, x, y);
}

function bar(context, x, y, width, height) {
  context.beginPath();
  context.roundRect(x, y, width, height, 4);
  context.fill();
}

const pictureOf = (canvas) => new Promise((resolve) => canvas.toBlob(resolve, "image/png"));

async function keep(canvas) {
  const address = URL.createObjectURL(await pictureOf(canvas));
  // Not made by `h`: this link leads to no page, it saves what was drawn here.
  const link = document.createElement("a");
  link.download = "backstory-week.png";
  link.href = address;
  link.click();
  URL.revokeObjectURL(address);
}

async function copy(canvas) {
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": pictureOf(canvas) })]);
    toast("Copied as an image");
  } catch {
    toast("This browser does not copy images; save it instead", { tone: "bad" });
  }
}
