// @ts-check
// The phases of the run from marker to marker, and its messages.

import { rowOf } from "./compared.js";
import { Widget, byId, element, keep, part, patternIn, setText } from "./dom.js";
import { List } from "./list.js";
import { lowerBound } from "./numbers.js";
import { showAlone } from "./state.js";
import { bytesText, countText, grouped, rateText, timeText } from "./words.js";
/** @import { Model } from "./model.js" */
/** @import { Pointer } from "./pointer.js" */
/** @import { Store } from "./state.js" */

export class Phases extends Widget {
  /** @param {Store} store @param {Pointer} pointer */
  constructor(store, pointer) {
    super(store);
    this.pointer = pointer;
    this.search = /** @type {HTMLInputElement} */ (byId("message-search"));
    /** @type {Model["markers"]} */
    this.found = [];
    this.phases = this.model.facts.phases;
    this.list = new List(byId("message-rows"), 28, () => this.makeRow(), (row, i) => this.fillRow(row, i));
    this.search.addEventListener("input", () => this.listMessages());
    store.show(["data", "units"], () => this.fill());
  }

  fill() {
    const phases = (this.phases = this.model.facts.phases);
    const numbers = phases.map((_, i) => i);
    keep(byId("phase-rows"), numbers, (i) => i, (i) => this.makePhase(i), (row, i) => this.fillPhase(row, i));
    byId("phase-table").hidden = phases.length === 0;
    byId("messages-box").hidden = this.model.markers.length === 0;
    this.listMessages();
  }

  /**
   * The part of the axis of a phase; `null` if it has no length.
   * @param {number} index @returns {[number, number] | null}
   */
  partOf(index) {
    const { model } = this;
    const { from, to } = this.phases[index];
    const [low, high] = [from, to].map((time) => model.placeOfTime(time));
    return high > low ? [low, high] : null;
  }

  /** @param {number} index */
  makePhase(index) {
    const { store } = this;
    const onclick = () => {
      const part = this.partOf(index);
      if (part) store.set({ part, at: null });
    };
    const button = element("button", "", "pick", { title: "mark this part of the run: what it gained is shown", onclick });
    const row = rowOf(button, Array(5).fill(""), "");
    const show = () => showAlone(store, this.phases[index].gained?.[0] ?? 0, this.partOf(index));
    const gainer = element("button", "", "pick gainer", { onclick: show });
    row.lastElementChild?.append(gainer, element("span", "", "gained"), element("span", "", "came faint"));
    return row;
  }

  /** @param {HTMLTableRowElement} row @param {number} index */
  fillPhase(row, index) {
    const { model, store } = this;
    const { units } = store.view;
    const phase = this.phases[index];
    setText(/** @type {Element} */ (row.querySelector("button")), phase.label ?? "(before the first marker)");
    const measured = phase.samples === 0 ? ["no sample", "", ""] : [bytesText(phase.mean, units), bytesText(phase.peak, units), rateText(phase.growth, model, units)];
    const amounts = [timeText(phase.from), timeText(phase.to), ...measured];
    row.querySelectorAll(".amount").forEach((cell, i) => setText(cell, amounts[i]));
    const pick = part(row, "gainer");
    const [band, label, gained] = phase.gained ?? [null, "", 0];
    pick.hidden = band === null;
    setText(pick, band === null ? "" : model.called(band));
    setText(part(row, "gained"), band === null ? label : "");
    setText(part(row, "came"), phase.gained ? ` +${bytesText(gained, units)}` : "");
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
