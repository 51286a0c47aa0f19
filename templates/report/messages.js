// @ts-check
// The markers and messages of a run.

import { Widget, byId, element, part, patternIn } from "./dom.js";
import { List } from "./list.js";
import { lowerBound } from "./numbers.js";
import { countText, grouped, timeText } from "./words.js";
/** @import { Model } from "./model.js" */
/** @import { Pointer } from "./pointer.js" */
/** @import { Store } from "./state.js" */

export class Messages extends Widget {
  /** @param {Store} store @param {Pointer} pointer */
  constructor(store, pointer) {
    super(store);
    this.pointer = pointer;
    this.search = /** @type {HTMLInputElement} */ (byId("message-search"));
    /** @type {Model["markers"]} */
    this.found = [];
    this.list = new List(byId("message-rows"), 28, () => this.makeRow(), (row, i) => this.fillRow(row, i));
    this.search.addEventListener("input", () => this.listMessages());
    store.show(["data"], () => this.listMessages());
  }

  listMessages() {
    const { pattern, wrong } = patternIn(this.search, this.search.value);
    const { markers } = this.model;
    this.found = pattern ? markers.filter(({ text }) => pattern.test(text)) : markers;
    byId("message-count").textContent = wrong || `${grouped(this.found.length)} of ${countText(markers.length, "marker")} and messages`;
    this.list.resize(this.found.length);
  }

  makeRow() {
    const onclick = () => {
      const marker = this.found[Number(row.dataset.index)];
      const { model } = this;
      if (model.samples > 0) this.pointer.moveTo(Math.min(model.samples - 1, lowerBound(model.times, marker.time)));
    };
    const cells = ["when", "what", "text"].map((name) => element("span", "", name));
    const row = element("button", "", "message-row", { onclick }, ...cells);
    return row;
  }

  /** @param {HTMLElement} row @param {number} index */
  fillRow(row, index) {
    const marker = this.found[index];
    part(row, "when").textContent = timeText(marker.nanos);
    part(row, "what").textContent = marker.message ? "message" : "marker";
    part(row, "text").textContent = marker.text;
    row.title = marker.text;
  }
}
