// @ts-check
// The key beside the chart: the drawn layers and their amounts at the crosshair, or at the peak.

import { changeMark } from "./compared.js";
import { contextOf, pen } from "./canvas.js";
import { Widget, byId, element, keep, moveByArrows, nameElement, part, setName, setText, wrap } from "./dom.js";
import { OPENED_AT_ONCE, dashed } from "./layers.js";
import { isLive } from "./live.js";
import { endWords, suspicion } from "./columns.js";
import { OTHER } from "./model.js";
import { mean } from "./numbers.js";
import { usefulGroupings } from "./parts.js";
import { gainedWords, sampleWords } from "./pointer.js";
import { pick, same } from "./state.js";
import { suspectMark } from "./verdict.js";
import { bytesText, countText, grouped, instantText, percentText, signedBytes } from "./words.js";
/** @import { Chart } from "./chart.js" */
/** @import { Layer } from "./layers.js" */
/** @import { Store, View } from "./state.js" */

/** How long the pointer must rest before the rows are sorted, in milliseconds. */
const REST = 100;

/** @typedef {{ row: HTMLElement, bytes: HTMLElement, share: HTMLElement, bar: HTMLElement, layer: Layer, width: string, lit: boolean }} KeyRow */

export class Readout extends Widget {
  /** @param {Store} store @param {Chart} chart */
  constructor(store, chart) {
    super(store);
    this.chart = chart;
    this.head = byId("instant");
    this.figures = byId("figures");
    this.list = byId("layers");
    /** @type {KeyRow[]} */
    this.rows = [];
    this.waiting = 0;
    /** Whether bands without bytes at the shown sample are listed, too. */
    this.unfolded = false;
    byId("fold").addEventListener("click", () => {
      this.unfolded = !this.unfolded;
      this.sort();
    });
    // The rows are one stop of the Tab key.
    moveByArrows(this.list, ["ArrowUp", "ArrowDown"], (next, last) => ([last.tabIndex, next.tabIndex] = [-1, 0]));
    /** What the buttons below the key choose, by their ids. @type {Record<string, Partial<View>>} */
    this.patches = {};
    /** The state the key was last filled from. If only the highlighted band changes, the numbers stay. */
    this.filled = /** @type {any[]} */ ([]);
    store.on(["data", "only", "open", "undrawn", "view", "by", "centre", "theme"], () => this.rebuild());
    store.on(["at", "part"], () => {
      this.buttons();
      this.fill();
    });
    store.on(["units"], () => this.fill());
    this.rebuild();
    new ResizeObserver(() => this.name()).observe(this.list);
    chart.watch(() => this.fill());
  }

  rebuild() {
    const { model, store, chart } = this;
    const { only } = store.view;
    byId("stage").classList.toggle("accused", model.isAccused);
    const layers = [...chart.layers].reverse();
    const places = new Map(layers.map(({ band }, i) => [band, i]));
    keep(this.list, layers, ({ band }) => (band < 0 ? band : model.name(band)), () => this.makeRow(), (/** @type {HTMLElement} */ row, { band }) => {
      const [button, name] = [part(row, "pick"), part(row, "name")];
      part(row, "swatch").style.background = part(row, "bar").style.background = this.chart.paint(band);
      row.classList.toggle("pale", this.chart.isPale(band));
      const mark = band >= 0 ? suspectMark(model, band) : null;
      const changed = band >= 0 ? changeMark(model, band, store.view.units) : null;
      for (const old of name.querySelectorAll(".mark, .changed")) old.remove();
      name.prepend(...[mark, changed].filter((one) => one !== null));
      button.title = `${model.name(band)}\nclick: this band alone; shift-click: add or remove it`;
      button.setAttribute("aria-pressed", String(only.includes(band)));
      row.dataset.band = String(band);
      row.dataset.place = String(places.get(band));
      row.classList.toggle("other", band === OTHER);
    });
    const made = /** @type {HTMLElement[]} */ ([...this.list.children]);
    this.rows = layers.map((layer, i) => {
      const row = /** @type {HTMLElement} */ (made.find(({ dataset }) => dataset.place === String(i)));
      const [bytes, share, bar] = ["bytes", "share", "bar"].map((name) => part(row, name));
      return { row, bytes, share, bar, layer, width: bar.style.width, lit: row.classList.contains("lit") };
    });
    this.buttons();
    this.fill();
    this.sort();
  }

  /** Gives each row the longest name that it has room for. */
  name() {
    const { model } = this;
    const context = contextOf(this.chart.base);
    pen(context, this.chart.theme.text, "13px");
    const rooms = this.rows.map(({ row }) => {
      const name = part(row, "name");
      return name.clientWidth - (name.querySelector(".mark, .changed")?.getBoundingClientRect().width ?? 0) - 3;
    });
    this.rows.forEach(({ row, layer: { band } }, i) => {
      const name = part(row, "name");
      const shown = model.keyName(band, (text) => context.measureText(text).width <= rooms[i]);
      setName(name, shown);
      // A screen reader reads the whole name.
      const isCut = shown !== model.name(band);
      name.ariaHidden = isCut ? "true" : null;
      setText(part(row, "full"), isCut ? model.name(band) : "");
    });
  }

  makeRow() {
    const band = () => Number(row.dataset.band);
    const onclick = (/** @type {MouseEvent} */ { shiftKey }) => pick(this.store, band(), shiftKey);
    const [swatch, ...others] = ["swatch", "full sr", "bytes", "share", "bar"].map((name) => element("span", "", name));
    const handlers = { onclick, onfocus: () => this.chart.emphasise(band()), onblur: () => this.chart.emphasise(null) };
    const row = wrap("li", "layer", element("button", "", "pick", handlers, swatch, nameElement(""), ...others));
    this.chart.emphasiseAt(row, band);
    return row;
  }

  /** The buttons that open or close layers and show bands again. */
  buttons() {
    const { model, store } = this;
    const { only, open, undrawn, part } = store.view;
    /** @type {{ text: string, id: string, patch: Partial<View> }[]} */
    const buttons = [];
    const add = (/** @type {string} */ text, /** @type {string} */ id, /** @type {Partial<View>} */ patch) => buttons.push({ text, id, patch });
    if (part !== null) add("Show the whole run", "part-end", { part: null });
    if (only.length > 0) add("Show all bands", "show-all", { only: [] });
    else {
      const left = model.openable - open;
      const next = Math.min(left, OPENED_AT_ONCE);
      const inOther = model.choice.by === "" ? model.facts.counts[1] : model.choice.others.length;
      const ofOther = left < inOther ? `${grouped(left)} of ${grouped(inOther)}` : countText(left, "band");
      // Of very many small bands, groups say more.
      const { other } = model.plain;
      const isMost = other !== null && model.choice.by === "" && 2 * mean(other, 0, model.samples) * model.samples > model.plain.figures.grand;
      const groupings = isMost ? usefulGroupings(model) : [];
      const grouping = groupings.find(({ key }) => key === "module") ?? groupings.find(({ key }) => key === "package");
      if (grouping) add(`Group by ${grouping.title}`, "by-group", { by: grouping.key });
      if (left > 0) add(open === 0 ? `Split OTHER (${ofOther})` : `${next} more of OTHER (${grouped(left)} left)`, "open-other", { open: open + next });
      if (open > 0) add("Close OTHER", "close-other", { open: 0 });
      if (model.undrawn.some((bytes) => bytes > 0)) {
        const traces = model.choice.by === "" ? model.facts.counts[2] : model.choice.traces.length;
        const counts = [
          ...(traces > 0 ? [countText(traces, "trace element")] : []),
          ...(model.facts.excluded > 0 ? [countText(model.facts.excluded, "excluded band")] : []),
        ];
        add(undrawn ? `Hide ${model.undrawnName()}` : `Show ${counts.join(", ")}`, "draw-trace", { undrawn: !undrawn });
      }
    }
    const make = (/** @type {{ id: string }} */ { id }) =>
      element("button", "", "small", { id, onclick: () => store.set(this.patches[id]) });
    this.patches = Object.fromEntries(buttons.map(({ id, patch }) => [id, patch]));
    keep(byId("open"), buttons, ({ id }) => id, make, (button, { text }) => setText(button, text));
  }

  /**
   * Writes what the amounts refer to, and those of the lines over the bands: each its kind, name and amount as a text,
   * in full and in bytes, and what is beside it.
   * @param {string} what @param {[string, string, string, string, number, string][]} lines
   */
  headed(what, lines) {
    setText(this.head, what);
    const make = (/** @type {typeof lines[0]} */ [kind]) => wrap("div", "", dashed(element("dt", "", kind), this.model, kind), element("dd"), element("dd", "", "share"));
    keep(this.figures, lines, ([kind]) => kind, make, ({ children: [term, figure, beside] }, [kind, name, text, title, bytes, more]) => {
      setText(term, name);
      setText(figure, text);
      setText(beside, more);
      term.classList.toggle("accused", kind === this.model.outside);
      if (figure.title === title) return;
      Object.assign(figure.dataset, { figure: kind, bytes });
      figure.title = title;
    });
  }

  /** The biggest at the shown instant first, when the pointer rests; those without bytes are folded away. */
  sort() {
    const { chart, list, model } = this;
    clearTimeout(this.waiting);
    this.waiting = 0;
    list.removeAttribute("aria-busy");
    this.name();
    if (model.samples === 0 || list.contains(document.activeElement)) return;
    const sample = chart.at() ?? chart.rest();
    const gained = chart.gained();
    const size = (/** @type {KeyRow} */ { layer }) => (layer.band === OTHER ? -1 : gained ? Math.abs(this.gain(layer, gained)) || values(layer, gained[1]) : values(layer, sample));
    const values = (/** @type {Layer} */ layer, /** @type {number} */ at) => layer.values[at];
    // Of the whole run, in the order of the table.
    const suspect = (/** @type {KeyRow} */ { layer: { band } }) => (gained && this.store.view.part === null && band >= 0 ? suspicion(model, band) : 0);
    const order = [...this.rows].sort((p, q) => suspect(q) - suspect(p) || size(q) - size(p));
    if (order.some(({ row }, i) => list.children[i] !== row)) list.append(...order.map(({ row }) => row));
    order.forEach(({ row }, i) => (part(row, "pick").tabIndex = i === 0 ? 0 : -1));
    const empty = list.querySelectorAll(".nothing:not(.other)").length;
    list.classList.toggle("folded", !this.unfolded && empty > 1);
    const fold = byId("fold");
    fold.hidden = empty < 2;
    setText(fold, this.unfolded ? "Hide the others" : `${grouped(empty)} more, ${this.store.view.part !== null ? "as before" : "empty here"}`);
  }

  /**
   * Writes an amount of a layer as a text, its share, and the length of its bar, in steps large enough to be seen.
   * @param {KeyRow} key @param {number} value @param {string} text @param {string} share @param {number} part of the row
   */
  fillRow(key, value, text, share, part) {
    const { row, bytes, bar } = key;
    setText(bytes, text);
    if (bytes.dataset.bytes !== String(value)) bytes.dataset.bytes = String(value);
    setText(key.share, share);
    const width = `${Math.round(400 * Math.min(1, part)) / 4}%`;
    if (key.width !== width) bar.style.width = width;
    key.width = width;
    row.classList.toggle("nothing", value === 0);
  }

  light() {
    for (const key of this.rows) {
      const lit = this.chart.emphasis === key.layer.band;
      if (key.lit !== lit) key.row.classList.toggle("lit", lit);
      key.lit = lit;
    }
  }

  fill() {
    const { model, store, chart } = this;
    if (model.samples === 0) return this.headed(isLive() ? "waiting for the first sample" : "no samples", []);
    const { units } = store.view;
    const gained = chart.gained();
    if (gained) return this.fillGained(gained);
    this.light();
    const at = chart.at();
    const sample = at ?? chart.rest();
    const wanted = [model, this.rows, at, sample, units, chart.restWords()];
    if (same(this.filled, wanted)) return;
    this.filled = wanted;
    const time = instantText(model, sample);
    /** @type {[string, string, number][]} */
    const rows = [["total", "all bands", model.total[sample]]];
    if (chart.alone && chart.layers.length > 1) rows.push(["shown", "shown bands", chart.alone[sample]]);
    for (const line of model.heap) {
      if (line.values.length > 0) rows.push([line.kind, line.name, model.heapAt(line, sample) ?? NaN]);
    }
    const what = at === null ? `${chart.restWords()}, ${time}` : time;
    this.headed(what, rows.map(([kind, name, bytes]) => {
      // Before its first value, a line keeps its place.
      const [text, title] = Number.isNaN(bytes) ? ["–", "not known yet"] : [bytesText(bytes, units), `${grouped(bytes)} bytes`];
      return [kind, name, text, title, bytes, ""];
    }));
    this.figures.dataset.sample = String(sample);
    const total = model.total[sample];
    for (const key of this.rows) {
      const { values, exact } = key.layer;
      const value = values[sample];
      const text = `${exact ? "" : "≥ "}${bytesText(value, units)}`;
      this.fillRow(key, value, text, percentText(value, total), total > 0 ? value / total : 0);
    }
    clearTimeout(this.waiting);
    this.list.setAttribute("aria-busy", "true");
    this.waiting = setTimeout(() => this.sort(), REST);
    this.describePlot(sample, sampleWords(model, store.view, chart, sample));
  }

  /**
   * What a layer gained from one sample to another. Of the whole run, what the account says of what it marks; what others
   * gained when they rose is not what they have at the end, and is in the table.
   * @param {Layer} layer @param {[number, number]} samples
   */
  gain({ band, values }, [first, last]) {
    const { model } = this;
    if (this.store.view.part !== null) return values[last] - values[first];
    return model.membersOf(band).some((member) => model.suspects.has(member)) ? model.wholeFigures.grew[band] : NaN;
  }

  /** Fills the key with what the layers gained from one sample to another. @param {[number, number]} samples */
  fillGained([first, last]) {
    const { model, store, chart } = this;
    const { part, units } = store.view;
    this.light();
    const wanted = [model, this.rows, first, last, part === null, units];
    if (same(this.filled, wanted)) return;
    this.filled = wanted;
    /** @type {[string, string, number, number][]} */
    const lines = [["total", "all bands", model.total[first], model.total[last]]];
    for (const line of model.heap) if (line.values.length > 0) lines.push([line.kind, line.name, model.heapAt(line, first) ?? line.values[0], model.heapAt(line, last) ?? NaN]);
    const known = lines.filter(([, , before, after]) => !Number.isNaN(before + after));
    const words = part ? `Gained from ${model.span(part)}` : `Grew, ${model.grewTo === null ? "to the end" : "to the exit"} at ${model.when(last)}`;
    const gain = part ? "gained" : "grew";
    this.headed(words, [["heads", "", gain, "", 0, endWords(model, part === null).toLowerCase()], ...known.map(([kind, name, before, after]) => {
      const [then, there] = [before, after].map((bytes) => bytesText(bytes, units));
      // What is accused gained what the headline says.
      const gained = part === null && kind === model.outside ? model.outsideGrew : after - before;
      return /** @type {[string, string, string, string, number, string]} */ ([kind, name, signedBytes(gained, units), `${then} → ${there}`, gained, there]);
    })]);
    const gains = this.rows.map(({ layer }) => this.gain(layer, [first, last]));
    const most = Math.max(1, ...gains.map((gain) => Math.abs(gain || 0)));
    this.rows.forEach((key, i) => {
      const { exact, values } = key.layer;
      const there = bytesText(values[last], units);
      if (Number.isNaN(gains[i])) return this.fillRow(key, values[last], "", there, 0);
      const text = `${exact ? "" : "≈ "}${signedBytes(gains[i], units)}`;
      this.fillRow(key, gains[i], text, there, Math.abs(gains[i]) / most);
    });
    this.sort();
    this.describePlot(last, gainedWords(chart));
  }

  /** Sets the values of the plot that a screen reader reads. @param {number} sample @param {string} words */
  describePlot(sample, words) {
    const { model } = this;
    const { plot } = this.chart;
    plot.setAttribute("aria-valuemax", String(model.samples));
    plot.setAttribute("aria-valuenow", String(sample + 1));
    plot.setAttribute("aria-valuetext", words);
  }
}
