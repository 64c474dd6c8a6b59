// An endless list: pages by keyset, fetched as the reader comes near, and drawn only around what is seen. A page out of sight
// keeps its height and its data and gives up its elements, so that a hundred thousand rows cost no more than a few hundred.

import { fill, h } from "../dom.js";
import { errorState, loadingState } from "./states.js";

const NEAR = "800px";

/** Makes a feed. `load(before)` answers `{ items, next }`; `draw(items, previous)` returns elements for a page. */
export class Feed {
  constructor({ load, draw, empty, signal, kept }) {
    Object.assign(this, { load, draw, empty, signal });
    this.pages = [];
    this.next = undefined;
    this.list = h("div", { class: "feed-pages" });
    this.end = h("div", { class: "feed-end" });
    this.element = h("div", { class: "feed" }, this.list, this.end);
    this.sight = new IntersectionObserver((entries) => entries.forEach((entry) => this.seen(entry)), { rootMargin: NEAR });
    this.sight.observe(this.end);
    signal.addEventListener("abort", () => this.sight.disconnect());
    if (kept) this.restore(kept);
    else fill(this.end, loadingState());
  }

  /** What another feed can start from, with every row and height in place. */
  keep() {
    const pages = this.pages.map(({ items, element }) => ({ items, height: element.offsetHeight }));
    return { pages, next: this.next, scrollY };
  }

  /** The items at hand, newest first. */
  get first() {
    return this.pages[0]?.items[0];
  }

  /** Puts items above all others; they join the first page while that one is small. */
  prepend(items) {
    const small = this.pages[0]?.fresh && this.pages[0].items.length < 50;
    if (small) this.pages[0].items.unshift(...items);
    else this.pages.unshift(this.page(items, { fresh: true, first: true }));
    if (this.next === null) fill(this.end);
    for (const page of this.pages.slice(0, 2)) this.redraw(page);
  }

  /** Puts a newer first page in the place of the one at hand; what it pushes out goes on below, and nothing stands twice. */
  renew({ items, next }) {
    const [first, second, ...others] = this.pages;
    if (!first) return items.length && this.prepend(items);
    if (JSON.stringify(first.items) === JSON.stringify(items)) return;
    const ids = new Set(items.map((item) => item.id));
    const isElsewhere = (item) => !ids.has(item.id);
    if (second) second.items = [...first.items, ...second.items].filter(isElsewhere);
    else this.next = next ?? null;
    for (const page of others) page.items = page.items.filter(isElsewhere);
    first.items = items;
    for (const page of this.pages.filter((each) => each.drawn)) this.redraw(page);
  }

  restore({ pages, next }) {
    this.next = next;
    for (const { items, height } of pages) {
      const page = this.page(items);
      page.element.style.height = `${height}px`;
      this.pages.push(page);
    }
    if (next === null && !pages.length) fill(this.end, this.empty());
  }

  page(items, { fresh = false, first = false } = {}) {
    const page = { items, fresh, drawn: false, element: h("div", { class: "feed-page" }) };
    page.element.page = page;
    if (first) this.list.prepend(page.element);
    else this.list.append(page.element);
    this.sight.observe(page.element);
    return page;
  }

  seen({ target, isIntersecting, boundingClientRect }) {
    if (target === this.end) return isIntersecting && this.more();
    const { page } = target;
    if (isIntersecting && !page.drawn) this.redraw(page);
    else if (!isIntersecting && page.drawn && !target.contains(document.activeElement)) this.clear(page, boundingClientRect.height);
  }

  redraw(page) {
    const before = this.pages[this.pages.indexOf(page) - 1];
    const focused = page.element.contains(document.activeElement) && document.activeElement.getAttribute("href");
    fill(page.element, this.draw(page.items, before?.items.at(-1)));
    if (focused) page.element.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
    page.element.style.height = "";
    page.drawn = true;
  }

  /** Gives up a page's elements. The height is the observer's: asking the element would lay out the page anew. */
  clear(page, height) {
    page.element.style.height = `${height}px`;
    page.element.replaceChildren();
    page.drawn = false;
  }

  /** Fetches the next page, once at a time, and goes on while the end is in sight. */
  async more() {
    if (this.busy || this.next === null) return;
    this.busy = true;
    try {
      const { items, next } = await this.load(this.next);
      this.next = next ?? null;
      if (items.length) {
        const page = this.page(items);
        this.pages.push(page);
        this.redraw(page);
      }
      fill(this.end, this.next === null && (this.pages.length ? h("p", { class: "feed-done" }, "That is all.") : this.empty()));
      // The observer speaks only when something changes: watch anew, so that a short page is followed by the next.
      this.sight.unobserve(this.end);
      this.sight.observe(this.end);
    } catch (error) {
      if (error.name !== "AbortError") fill(this.end, errorState(error, () => this.more()));
    } finally {
      this.busy = false;
    }
  }
}
