// @ts-check
// A list of any length of which only the visible rows exist.

import { element } from "./dom.js";

export class List {
  /**
   * @param {HTMLElement} box the scrolling element
   * @param {number} height of a row in pixels
   * @param {() => HTMLElement} make an empty row
   * @param {(row: any, index: number) => void} fill
   */
  constructor(box, height, make, fill) {
    this.box = box;
    this.height = height;
    this.make = make;
    this.fillRow = fill;
    this.count = 0;
    /** The row that the Tab key stops at. */
    this.focused = 0;
    this.room = element("div", "", "room", { role: "presentation" });
    box.append(this.room);
    /** @type {HTMLElement[]} */
    this.rows = [];
    this.pending = 0;
    /** How many rows exist whether visible or not; 0 for the visible ones only. */
    this.whole = 0;
    box.addEventListener("scroll", () => {
      this.pending ||= requestAnimationFrame(() => this.fill());
    });
    new ResizeObserver(() => this.fill()).observe(box);
  }

  /** @param {number} count */
  resize(count) {
    this.count = count;
    this.focused = Math.min(this.focused, Math.max(0, count - 1));
    this.room.style.height = `${count * this.height}px`;
    // A short list is no higher than its rows.
    this.box.style.setProperty("--content", `${count * this.height}px`);
    this.fill();
  }

  fill() {
    this.pending = 0;
    const { box, height } = this;
    const extra = 4;
    const all = this.whole;
    const seen = all > 0 ? all : Math.ceil(box.clientHeight / height) + 2 * extra;
    const first = all > 0 ? 0 : Math.max(0, Math.floor(box.scrollTop / height) - extra);
    const last = Math.min(this.count, first + seen);
    while (this.rows.length < last - first) {
      const row = this.make();
      this.rows.push(row);
      this.room.append(row);
    }
    this.rows.forEach((row, i) => {
      const index = first + i;
      row.hidden = index >= last;
      if (row.hidden) return;
      row.style.top = `${index * height}px`;
      row.dataset.index = String(index);
      this.fillRow(row, index);
    });
  }

  /** @param {number} index */
  reveal(index) {
    const { box, height } = this;
    const top = index * height;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + height > box.scrollTop + box.clientHeight) box.scrollTop = top + height - box.clientHeight;
    this.fill();
  }

  /** Gives the focus to a row, or to the nearest that there is. @param {number} index */
  focus(index) {
    if (this.count === 0) return;
    this.focused = Math.min(this.count - 1, Math.max(0, index));
    this.reveal(this.focused);
    this.rows.find((row) => !row.hidden && row.dataset.index === String(this.focused))?.focus({ preventScroll: true });
  }

  /** Moves the focus by a key, if it is one that moves. @param {string} key */
  move(key) {
    const page = Math.max(1, Math.floor(this.box.clientHeight / this.height) - 1);
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (!(key in moves)) return false;
    this.focus(this.focused + moves[/** @type {"Home"} */ (key)]);
    return true;
  }

  /**
   * Creates this many rows whether visible or not, for printing; 0 returns to visible rows only.
   * @param {number} count
   */
  showWhole(count) {
    this.whole = Math.min(count, this.count);
    this.room.style.height = `${(this.whole > 0 ? this.whole : this.count) * this.height}px`;
    this.fill();
  }
}
