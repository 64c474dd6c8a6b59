// What an edit changed, what a command printed: in columns, lines marked by their sign first and a colour second.

import { h } from "../dom.js";

const CHANGES = new Set(["edited", "made"]);
const WRONG = /^(error|failed|failure|panic|traceback|fatal|E {2,})|\b(error(\[\w+\])?:|FAILED|panicked at|Exception:)/i;

/** The detail of a step. */
export function detailOf(what, text, isCut) {
  const lines = String(text).replace(/\n$/, "").split("\n");
  const mark = CHANGES.has(what) ? changeOf : what === "failed" ? wrongOf : () => "";
  return h("pre", { class: "code", tabindex: 0 }, lines.map((line, at) => h("span", { class: `code-line ${mark(line)}` }, at < lines.length - 1 || isCut ? `${line}\n` : line)), isCut && h("span", { class: "code-line quiet-text" }, "… cut"));
}

/** How many lines came and went. */
export function changeCounts(text) {
  const lines = String(text ?? "").split("\n").map(changeOf);
  return { added: lines.filter((line) => line === "line-added").length, removed: lines.filter((line) => line === "line-removed").length };
}

const changeOf = (line) => (/^\+( |$)/.test(line) ? "line-added" : /^-( |$)/.test(line) ? "line-removed" : "");
const wrongOf = (line) => (WRONG.test(line) ? "line-wrong" : "");
