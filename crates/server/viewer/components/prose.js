// Texts of memories, as text: paragraphs and code apart, the words of the query marked. Nothing in them becomes a link.

import { h } from "../dom.js";

const FENCE = /^```/;

/** A body: paragraphs, and code between fences as it stands. */
export function prose(text, terms = []) {
  const blocks = [];
  let code = null;
  let lines = [];
  const flush = () => {
    if (lines.some((line) => line.trim())) blocks.push(h("p", null, spans(lines.join("\n").trim(), terms)));
    lines = [];
  };
  for (const line of String(text ?? "").split("\n")) {
    if (FENCE.test(line)) {
      if (code) blocks.push(codeBlock(code));
      else flush();
      code = code ? null : [];
    } else if (code) code.push(line);
    else if (line.trim() === "") flush();
    else lines.push(line);
  }
  if (code) blocks.push(codeBlock(code));
  flush();
  return h("div", { class: "prose" }, blocks);
}

/** Whether a body says more than its title does: signs and capitals are no more. */
export function saysMore(title, body) {
  const letters = (text) => String(text ?? "").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
  return letters(body) !== "" && letters(body) !== letters(title);
}

const codeBlock = (lines) => h("pre", { class: "code", tabindex: 0 }, h("code", null, lines.join("\n")));

/** The parts of a line: `code` between backticks apart, the terms marked. */
export function spans(text, terms = []) {
  const parts = String(text).split(/`([^`\n]+)`/);
  return parts.map((part, index) => (index % 2 ? h("code", null, marked(part, terms)) : marked(part, terms)));
}

/** Splits a text into strings and marks. */
export function marked(text, terms) {
  const sought = terms.filter((term) => term.length > 1).map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (!sought.length) return [text];
  const pattern = new RegExp(`((?:${sought.join("|")})[\\p{L}\\p{N}]*)`, "giu");
  return String(text).split(pattern).map((part, index) => (index % 2 ? h("mark", null, part) : part));
}

/** The words of a question worth marking. */
export function termsOf(question) {
  const words = question.toLowerCase().match(/[\p{L}\p{N}_.:/-]{2,}/gu) ?? [];
  return [...new Set(words.flatMap((word) => [word, stem(word)]))].filter((word) => !STOP_WORDS.has(word)).sort((a, b) => b.length - a.length);
}

const stem = (word) => (word.length > 5 ? word.replace(/(ing|ions?|ed|es|s)$/, "") : word);

const STOP_WORDS = new Set("a an and are as at be by do does did for from how in is it of on or that the this to was we what when where which who why with".split(" "));
