// @ts-check
// The key beside the chart: the drawn layers and their amounts at the crosshair, or at the peak.

import { changeMark } from "./compared.js";
import { contextOf, line, pen } from "./canvas.js";
import { Widget, byId, element, keep, moveByArrows, nameElement, part, setName, setText, wrap } from "./dom.js";
import { OPENED_AT_ONCE, dashed } from "./layers.js";
import { isLive } from "./live.js";
import { endWords } from "./columns.js";
import { OTHER } from "./model.js";
import { highestBetween, mean } from "./numbers.js";
import { usefulGroupings } from "./parts.js";
import { gainedWords, sampleWords } from "./pointer.js";
import { pick, same } from "./state.js";
import { suspectMark } from "./verdict.js";
import { bytesText, countText, grouped, instantText, percentText, signedBytes } from "./words.js";
/** @import { Chart } from "./chart.js" */
/** @import { Layer } from "./layers.js" */
/** @import { Store, View } from "./state.js" */

/** The room for all of a row but its name, for the heads of the amounts, and the most of the chart's width that the key takes. */
const ROW_BESIDES = 178;
const NARROWEST = 240;
const WIDEST = 0.3;

/** @typedef {{ row: HTMLElement, bytes: HTMLElement, share: HTMLElement, layer: Layer, lit: boolean }} KeyRow */

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
    chart.drawn.push(() => this.arrange());
    chart.watch(() => this.fill());
  }

  rebuild() {
    const { model, store, chart } = this;
    const { only } = store.view;
    const layers = [...chart.layers].reverse();
    keep(this.list, layers, ({ band }) => (band < 0 ? band : model.name(band)), () => this.makeRow(), (/** @type {HTMLElement} */ row, { band }) => {
      const [button, name] = [part(row, "pick"), part(row, "name")];
      part(row, "swatch").style.background = this.chart.paint(band);
      row.classList.toggle("pale", this.chart.isPale(band));
      const mark = band >= 0 ? suspectMark(model, band) : null;
      const changed = band >= 0 ? changeMark(model, band, store.view.units) : null;
      for (const old of name.querySelectorAll(".mark, .changed")) old.remove();
      name.prepend(...[mark, changed].filter((one) => one !== null));
      button.title = `${model.name(band)}\nclick: this band alone; shift-click: add or remove it`;
      button.setAttribute("aria-pressed", String(only.includes(band)));
      row.dataset.band = String(band);
      row.classList.toggle("other", band === OTHER);
    });
    this.rows = layers.map((layer, i) => {
      const row = /** @type {HTMLElement} */ (this.list.children[i]);
      return { row, bytes: part(row, "bytes"), share: part(row, "share"), layer, lit: row.classList.contains("lit") };
    });
    this.rows.forEach(({ row }, i) => (part(row, "pick").tabIndex = i === 0 ? 0 : -1));
    this.buttons();
    this.fill();
    this.widen();
    this.name();
  }

  /** What measures the names. */
  pen() {
    const context = contextOf(this.chart.base);
    pen(context, this.chart.theme.text, "13px");
    return context;
  }

  /** Makes the key as wide as its longest name needs. */
  widen() {
    const context = this.pen();
    const widest = Math.max(0, ...this.rows.map(({ layer: { band } }) => context.measureText(this.model.keyName(band)).width));
    const stage = byId("stage");
    const most = Math.max(NARROWEST, WIDEST * stage.clientWidth);
    stage.style.setProperty("--key", `${Math.ceil(Math.min(most, Math.max(NARROWEST, ROW_BESIDES + widest)))}px`);
  }

  /**
   * Puts each row as near to the middle of its band at the end as its neighbours allow, with a line to it; without room,
   * and below the chart, one after the other.
   */
  arrange() {
    const { chart, list, rows } = this;
    const { top: above, right, height } = chart.plot.getBoundingClientRect();
    const place = list.getBoundingClientRect();
    const below = byId("open").offsetHeight;
    const isBeside = place.left >= right && chart.twin === null && this.model.samples > 0;
    const row = rows[0]?.row.offsetHeight ?? 0;
    const end = Math.min(chart.shownSamples()[1], chart.end());
    const isLines = this.store.view.view === "lines";
    const middles = rows.map(({ layer }, i) => chart.yOf((layer.top[end] + (isLines ? layer.top[end] : rows[i + 1]?.layer.top[end] ?? 0)) / 2));
    const tops = isBeside ? spread(middles.map((y) => y - row / 2 - (place.top - above)), row, height - (place.top - above) - (below === 0 ? 0 : below + 9)) : [];
    const { left, width } = chart.box;
    const context = contextOf(chart.base);
    const isSpread = tops.length > 0 && tops[tops.length - 1] + row <= height;
    rows.forEach(({ row: { style }, layer: { band, values } }, i) => {
      const before = i === 0 ? 0 : tops[i - 1] + row;
      const margin = isSpread ? `${Math.round(tops[i]) - Math.round(before)}px` : "";
      if (style.marginTop !== margin) style.marginTop = margin;
      if (isSpread && !chart.frozen && values[end] > 0) line(context, chart.paint(band), [left + width + 2, middles[i], left + width + 14, tops[i] + row / 2 + (place.top - above)]);
    });
  }

  /** Gives each row the longest name that it has room for. */
  name() {
    const { model } = this;
    const context = this.pen();
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
    const [swatch, ...others] = ["swatch", "full sr", "bytes", "share"].map((name) => element("span", "", name));
    const handlers = { onclick, onfocus: () => this.chart.emphasise(band()), onblur: () => this.chart.emphasise(null) };
    const row = wrap("li", "layer", element("button", "", "pick", handlers, swatch, nameElement(""), ...others));
    this.chart.emphasiseAt(row, band);
    return row;
  }

  /** The buttons that open or close layers and show bands again. */
  buttons() {
    const { model, store } = this;
    const { only, open, part } = store.view;
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

  /** Writes an amount of a layer as a text, and its share. @param {KeyRow} key @param {number} value @param {string} text @param {string} share */
  fillRow(key, value, text, share) {
    const { row, bytes } = key;
    setText(bytes, text);
    if (bytes.dataset.bytes !== String(value)) bytes.dataset.bytes = String(value);
    setText(key.share, share);
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
    if (at === null && chart.isWhole) return this.fillWhole(sample);
    const time = instantText(model, sample);
    /** @type {[string, string, number][]} */
    const rows = [["total", "all bands", model.total[sample]]];
    if (chart.alone && chart.layers.length > 1) rows.push(["shown", "shown bands", chart.alone[sample]]);
    for (const line of model.heap) {
      if (line.values.length > 0) rows.push([line.kind, line.name, model.heapAt(line, sample) ?? NaN]);
    }
    const what = at === null ? `${chart.restWords()}, ${time}` : time;
    // The rows below stay where they are.
    this.headed(what, [["heads", "", "", "", 0, "share"], ...rows.map(([kind, name, bytes]) => {
      // Before its first value, a line keeps its place.
      const [text, title] = Number.isNaN(bytes) ? ["–", "not known yet"] : [bytesText(bytes, units), `${grouped(bytes)} bytes`];
      return /** @type {[string, string, string, string, number, string]} */ ([kind, name, text, title, bytes, ""]);
    })]);
    this.figures.dataset.sample = String(sample);
    const total = model.total[sample];
    for (const key of this.rows) {
      const { values, exact } = key.layer;
      const value = values[sample];
      const text = `${exact ? "" : "≥ "}${bytesText(value, units)}`;
      this.fillRow(key, value, text, percentText(value, total));
    }
    this.describePlot(sample, sampleWords(model, store.view, chart, sample));
  }

  /** Fills the key as that of the picture: the most that each ever held, and what it has at the end. @param {number} peak */
  fillWhole(peak) {
    const { model, store, chart } = this;
    const { units } = store.view;
    const end = chart.end();
    /** @type {[string, string, number, number][]} */
    const lines = [["total", "all bands", model.total[peak], model.total[end]]];
    for (const { kind, name, values } of model.heap) if (values.length > 0) lines.push([kind, name, highestBetween(values), values[values.length - 1]]);
    this.headed("", [["heads", "", "peak", "", 0, endWords(model, true).toLowerCase()], ...lines.map(([kind, name, most, last]) =>
      /** @type {[string, string, string, string, number, string]} */ ([kind, name, bytesText(most, units), `${grouped(most)} bytes`, most, bytesText(last, units)]))]);
    for (const key of this.rows) {
      const { values, exact } = key.layer;
      const most = highestBetween(values);
      this.fillRow(key, most, `${exact ? "" : "≥ "}${bytesText(most, units)}`, values[end] === 0 ? "" : bytesText(values[end], units));
    }
    this.describePlot(peak, sampleWords(model, store.view, chart, peak));
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
    const words = part ? `Gained from ${model.span(part)}` : `Grew, ${model.beforeExit === null ? "to the end" : "to the exit"} at ${model.when(last)}`;
    const gain = part ? "gained" : "grew";
    this.headed(words, [["heads", "", gain, "", 0, endWords(model, part === null).toLowerCase()], ...known.map(([kind, name, before, after]) => {
      const [then, there] = [before, after].map((bytes) => bytesText(bytes, units));
      // What is accused gained what the headline says.
      const gained = part === null && kind === model.outside ? model.outsideGrew : after - before;
      return /** @type {[string, string, string, string, number, string]} */ ([kind, name, signedBytes(gained, units), `${then} → ${there}`, gained, there]);
    })]);
    for (const key of this.rows) {
      const { exact, values } = key.layer;
      const gain = this.gain(key.layer, [first, last]);
      const isKnown = !Number.isNaN(gain);
      this.fillRow(key, isKnown ? gain : values[last], isKnown ? `${exact ? "" : "≈ "}${signedBytes(gain, units)}` : "", bytesText(values[last], units));
    }
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

/**
 * Where rows of one height begin, in their order: each as near to its place as the others and the room allow.
 * @param {number[]} wanted @param {number} height @param {number} room
 */
function spread(wanted, height, room) {
  /** Rows that touch, with the mean of where their first one would be. @type {{ mean: number, count: number }[]} */
  const blocks = [];
  wanted.forEach((place, i) => {
    let block = { mean: place - i * height, count: 1 };
    for (let last = blocks.at(-1); last && last.mean > block.mean; last = blocks.at(-1)) {
      blocks.pop();
      const count = last.count + block.count;
      block = { mean: (last.mean * last.count + block.mean * block.count) / count, count };
    }
    blocks.push(block);
  });
  const most = Math.max(0, room - wanted.length * height);
  const firsts = blocks.flatMap(({ mean, count }) => Array.from({ length: count }, () => Math.min(most, Math.max(0, mean))));
  return firsts.map((first, i) => first + i * height);
}
