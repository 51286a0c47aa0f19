// @ts-check
// Each band by itself: a grid of small charts of the listed bands, in the order of the table, over the part of the
// run that is shown. A stack hides what is small, or in OTHER; here a small leak has the shape of a big one.

import { contextOf, pen } from "./canvas.js";
import { Widget, byId, element, nameElement, part, setName, setText, wrap } from "./dom.js";
import { amountText } from "./columns.js";
import { List } from "./list.js";
import { highestBetween } from "./numbers.js";
import { pick } from "./state.js";
import { drawSpark } from "./table.js";
import { suspectMark } from "./verdict.js";
import { countText } from "./words.js";
/** @import { Chart } from "./chart.js" */
/** @import { Store } from "./state.js" */
/** @import { Table } from "./table.js" */

/** The least and the usual width of a small chart, and its least and greatest height with its name, in pixels. */
const WIDTHS = [170, 340];
const HEIGHTS = [92, 170];
/** How many stand below the chart, where there is room. */
const FIRST = 6;
/** The room of an amount beside a name. */
const AMOUNT = 70;
/** The height of all but the curve. */
const BESIDES = 32;

export class Each extends Widget {
  /** @param {Store} store @param {Chart} chart @param {Table} table */
  constructor(store, chart, table) {
    super(store);
    this.chart = chart;
    this.table = table;
    /** Those of the listed bands that have curves. @type {number[]} */
    this.bands = [];
    this.across = 1;
    this.focused = 0;
    this.top = 0;
    this.box = byId("each");
    this.roomy = matchMedia("(min-width: 1001px) and (min-height: 900px)");
    this.roomy.addEventListener("change", () => this.rebuild());
    this.list = new List(byId("each-rows"), HEIGHTS[0], () => element("div", "", "each-row"), (row, i) => this.fillRow(row, i));
    this.list.box.addEventListener("keydown", (event) => this.key(event));
    store.on(["data", "figures", "view", "range", "by", "units", "theme", "sort", "down", "query", "within", "shared", "only"], () => this.rebuild());
    chart.watch(() => this.follow());
    new ResizeObserver(() => this.rebuild()).observe(this.list.box);
    this.rebuild();
  }

  get isAlone() {
    return this.store.view.view === "each" && this.model.samples > 0;
  }

  rebuild() {
    const { model, table, store } = this;
    const isBrief = !this.isAlone && this.roomy.matches && this.chart.twin === null && model.samples > 1;
    this.box.hidden = !this.isAlone && !isBrief;
    this.box.classList.toggle("brief", isBrief);
    this.chart.plot.hidden = this.isAlone;
    byId("each-words").hidden = isBrief;
    if (this.box.hidden) return;
    this.bands = table.order.filter((band) => model.canDraw(band)).slice(0, isBrief ? FIRST : Infinity);
    // As wide and high as all of them fit; more than fit are small.
    const { list } = this;
    const { clientWidth: width, clientHeight: height } = list.box;
    const most = Math.max(1, Math.floor(width / WIDTHS[0]));
    const rows = () => Math.max(1, Math.ceil(this.bands.length / this.across));
    this.across = isBrief ? FIRST : Math.max(1, Math.ceil(width / WIDTHS[1]));
    while (this.across < most && rows() * HEIGHTS[0] > height) this.across++;
    list.height = Math.min(HEIGHTS[1], Math.max(HEIGHTS[0], Math.floor(height / rows())));
    list.box.style.setProperty("--across", String(this.across));
    list.box.style.setProperty("--cell", `${list.height}px`);
    const [first, last] = this.chart.shownSamples();
    this.top = store.isShared ? Math.max(0, ...this.bands.map((band) => highestBetween(model.curve(band), first, last))) : 0;
    this.focused = Math.min(this.focused, Math.max(0, this.bands.length - 1));
    list.resize(rows());
    const without = table.order.length - this.bands.length;
    const scale = store.isShared ? "all on one scale" : "each up to its own peak";
    const lack = without > 0 ? `; ${countText(without, "smaller one")} without a curve in this page` : "";
    const [from, to] = model.samplesIn(store.view.range).map((sample) => model.when(sample));
    setText(byId("each-words"), `${countText(this.bands.length, "band")} in the order of the table, from ${from} to ${to}, ${scale}${lack}`);
  }

  /** @param {HTMLElement} row @param {number} index */
  fillRow(row, index) {
    const { model, store, chart } = this;
    const bands = this.bands.slice(index * this.across, (index + 1) * this.across);
    while (row.childElementCount < bands.length) row.append(this.makeCell());
    const width = Math.floor(this.list.box.clientWidth / this.across) - 18;
    const writing = contextOf(chart.base);
    pen(writing, "", "12px");
    [...row.children].forEach((child, i) => {
      const cell = /** @type {HTMLElement} */ (child);
      const band = bands[i];
      cell.hidden = band === undefined;
      if (band === undefined) return;
      cell.dataset.band = String(band);
      cell.tabIndex = index * this.across + i === this.focused ? 0 : -1;
      cell.title = `${model.name(band)}\nclick: select it; shift-click: add or remove it`;
      cell.setAttribute("aria-pressed", String(store.view.only.includes(band)));
      const mark = suspectMark(model, band) ? "↗ " : "";
      const fits = (/** @type {string} */ name) => writing.measureText(mark + name).width < width - AMOUNT;
      setName(part(cell, "name"), mark + model.keyName(band, fits));
      drawSpark(/** @type {HTMLCanvasElement} */ (part(cell, "curve")), model, band, width, this.list.height - BESIDES, chart.range(), this.top);
    });
    this.follow();
  }

  makeCell() {
    const { store, chart } = this;
    const band = () => Number(cell.dataset.band);
    const onclick = (/** @type {MouseEvent} */ { shiftKey }) => {
      this.focused = this.bands.indexOf(band());
      pick(store, band(), shiftKey);
    };
    const onpointermove = (/** @type {MouseEvent} */ { clientX }) => {
      const { left, width } = part(cell, "curve").getBoundingClientRect();
      const [from, to] = chart.range();
      chart.hover(this.model.nearest(from + ((clientX - left) / width) * (to - from)));
      chart.emphasise(band());
    };
    const head = wrap("span", "each-head", nameElement(""), element("span", "", "amount"));
    const handlers = { onclick, onpointermove, onpointerleave: () => chart.leave() };
    const cell = element("button", "", "each-band", handlers, head);
    cell.append(element("canvas", "", "curve"), element("i", "", "instant"));
    return cell;
  }

  /** The crosshair through all small charts, with the amounts there; without it, the peaks. */
  follow() {
    if (this.box.hidden) return;
    const { model, chart } = this;
    const { units } = this.store.view;
    const at = chart.at();
    const [from, to] = chart.range();
    const share = at === null ? 0 : (model.times[at] - from) / (to - from);
    for (const cell of /** @type {NodeListOf<HTMLElement>} */ (this.list.box.querySelectorAll(".each-band:not([hidden])"))) {
      const band = Number(cell.dataset.band);
      const bytes = at === null ? model.figures.peaks[band] : model.valueAt(band, at);
      setText(part(cell, "amount"), amountText(model, band, bytes, units));
      const mark = part(cell, "instant");
      mark.hidden = at === null;
      mark.style.left = `${8 + share * (cell.clientWidth - 16)}px`;
    }
  }

  /** Arrows move between the small charts, which are one stop of the Tab key. @param {KeyboardEvent} event */
  key(event) {
    const moves = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: this.across, ArrowUp: -this.across, Home: -Infinity, End: Infinity };
    const by = moves[/** @type {"Home"} */ (event.key)];
    if (by === undefined) return;
    this.focused = Math.min(this.bands.length - 1, Math.max(0, this.focused + by));
    this.list.reveal(Math.floor(this.focused / this.across));
    /** @type {HTMLElement | null} */ (this.list.box.querySelector('.each-band[tabindex="0"]'))?.focus({ preventScroll: true });
    event.preventDefault();
  }
}
