// Builds elements. The only door between data and the page: a string becomes a text node, never markup, and a link leads
// to a page of this viewer or nowhere.

const SVG = "http://www.w3.org/2000/svg";

/** Makes an element: h("a", { class: "x", href: "#/…", on: { click } }, "text", child). */
export function h(tag, attributes, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** Makes an SVG element. */
export function svg(tag, attributes, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

/** Replaces what an element holds; null, false and nested lists are fine. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((child) => child || child === 0));
  return element;
}

/**
 * Draws each thing as a child, and again only those that are not as they were: the others keep their focus, their scrolling and what
 * is folded open. `draw(thing, before)` receives the element it replaces.
 */
export function redraw(element, things, draw) {
  things.forEach((thing, at) => {
    const source = JSON.stringify(thing);
    const before = element.children[at];
    if (before?.source === source) return;
    const after = Object.assign(draw(thing, before), { source });
    if (before) replace(before, after);
    else element.append(after);
  });
  while (element.children.length > things.length) element.lastElementChild.remove();
  return element;
}

/** Puts an element in the place of another that says the same in newer words; the focus stays where it was. */
function replace(before, after) {
  const stops = (element) => [...element.querySelectorAll("a, button, summary, [tabindex]")];
  const at = stops(before).indexOf(document.activeElement);
  before.replaceWith(after);
  if (at >= 0) stops(after)[at]?.focus({ preventScroll: true });
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else if (value !== null && value !== undefined && value !== false) {
      put(element, name, value === true ? "" : String(value));
    }
  }
  return fill(element, ...children);
}

function put(element, name, value) {
  if (name === "style" || name.startsWith("on")) throw new Error(`${name} is not set as an attribute`);
  if (name === "href" && !value.startsWith("#/")) throw new Error("links lead to pages of the viewer only");
  element.setAttribute(name, value);
}
