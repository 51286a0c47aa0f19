// @ts-check
// The comparison of two runs: the change of the figures and of each band. All of it comes from the
// library; the page only writes it in the reader's units.

import { Widget, byId, capital, element, fitting, keep, markElement, nameElement, part, setText, wrap } from "./dom.js";
import { same } from "./state.js";
import { bytesText, sentenceText, signedBytes } from "./words.js";
/** @import { Model } from "./model.js" */
/** @import { Runs } from "./runs.js" */
/** @import { Store } from "./state.js" */
/** @import { Units } from "./words.js" */

export class Compared extends Widget {
  /** @param {Store} store @param {Runs} runs */
  constructor(store, runs) {
    super(store);
    this.runs = runs;
    const [headline, figures] = [element("strong"), element("span")];
    byId("compared").replaceChildren(headline, figures);
    this.headline = headline;
    this.show = fitting(figures);
    store.show(["data", "units", "only"], () => this.fill());
  }

  fill() {
    const { model, view } = this.store;
    const { compared } = model.facts;
    byId("compared").hidden = !compared;
    if (!compared) return;
    const told = compared.figures.map(({ name, before, after, change }) => {
      const amounts = [before, after].map((amount) => sentenceText(amount, view.units));
      return { name, amounts: [...amounts, change.replace(/^-/, "−")] };
    });
    const first = told.filter(({ name }) => ["peak", "growth", "duration"].includes(name));
    const words = first.map(({ name, amounts: [before, after, change] }) => `${name} ${before} → ${after}${change ? ` (${change})` : ""}`);
    setText(this.headline, `${sentenceText(compared.headline, view.units)}.`);
    this.show(words.map((_, i) => capital(words.slice(0, words.length - i).join(" · "))));
    const figures = told.map(({ name, amounts }) => rowOf(element("span", name), amounts));
    figures.push(rowOf(element("span", "verdict"), [...compared.verdicts.map((side) => sentenceText(side, view.units)), ""]));
    byId("compared-figures").replaceChildren(...figures);
    const numbers = compared.bands.map((_, i) => i);
    keep(byId("compared-bands"), numbers, (i) => i, (i) => this.makeBand(i), (row, i) => this.fillBand(row, i));
    byId("compared-remarks").textContent = `${compared.remarks.join("; ")}.`;
  }

  /** The bands of the comparison, from the side of the shown run. */
  get rows() {
    return this.model.facts.compared?.bands ?? [];
  }

  /** @param {number} index */
  makeBand(index) {
    const { label, became } = this.rows[index];
    const onclick = () => this.pick(index, button.ariaPressed === "true");
    const button = element("button", "", "pick", { onclick }, element("span", "", "swatch"), nameElement(label));
    return rowOf(button, ["", "", ""], became);
  }

  /** @param {HTMLTableRowElement} made @param {number} index */
  fillBand(made, index) {
    const { model, view } = this.store;
    const row = this.rows[index];
    const button = /** @type {HTMLElement} */ (made.querySelector("button"));
    const swatch = part(button, "swatch");
    const isHere = row.bands.length > 0;
    swatch.style.background = isHere ? model.colour(row.bands[0]) : "";
    swatch.classList.toggle("absent", !isHere);
    button.title = `${row.label}\n${isHere ? "show it alone" : "show it alone in the other run"}`;
    button.setAttribute("aria-pressed", String(isHere && same(view.only, row.bands)));
    const text = (/** @type {number | null} */ bytes) => (bytes === null ? "" : bytesText(Math.round(bytes), view.units));
    const change = Math.round((row.after ?? 0) - (row.before ?? 0));
    const amounts = [text(row.before), text(row.after), signedBytes(change, view.units)];
    made.querySelectorAll(".amount").forEach((cell, i) => setText(cell, amounts[i]));
  }

  /**
   * Shows a band alone, in the run that has it; a second click shows all bands again.
   * @param {number} index @param {boolean} isAlone
   */
  pick(index, isAlone) {
    const { store, runs } = this;
    if (this.rows[index].bands.length === 0) runs.show(1 - store.models.indexOf(store.model));
    const only = this.rows[index].bands;
    store.set({ by: "", within: "" });
    store.set({ only: isAlone ? [] : only, ...(only.length > 0 ? { selected: only[0] } : {}) });
  }
}

/**
 * The mark of a band whose mean has changed from the run before to the one after; `null` if it did not
 * change by a hundredth of the heap.
 * @param {Model} model @param {number} band @param {Units} units
 */
export function changeMark(model, band, units) {
  const row = model.facts.compared?.bands.find((row) => row.bands.includes(band));
  const change = row ? (row.after ?? 0) - (row.before ?? 0) : 0;
  if (Math.abs(change) < model.total[model.peakSample] / 100) return null;
  const [sign, words] = change > 0 ? ["▲", "more after"] : ["▼", "less after"];
  const title = `${signedBytes(Math.round(change), units)} from before to after, on average`;
  return markElement(sign, "changed", words, title);
}

/**
 * A row of a table: its head, amounts, and words at its end.
 * @param {HTMLElement} head @param {string[]} amounts @param {string} [words]
 */
export function rowOf(head, amounts, words) {
  const cells = amounts.map((text) => element("td", text, "amount"));
  if (words !== undefined) cells.push(element("td", words));
  return wrap("tr", "", element("th", "", "", { scope: "row" }, head), ...cells);
}
