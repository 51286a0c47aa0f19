// @ts-check
// The table of all bands.

import { contextOf, fill, fit, pen, stroke } from "./canvas.js";
import { COLUMNS, csvOf, suspicion } from "./columns.js";
import { Widget, byId, copyText, element, keep, makeSearch, nameElement, part, patternIn, say, setText } from "./dom.js";
import { barIn, traceArea, traceEdge, within } from "./layers.js";
import { List } from "./list.js";
import { ROLE_KEPT } from "./model.js";
import { highestBetween } from "./numbers.js";
import { groupRule, split, usefulGroupings } from "./parts.js";
import { pick, same } from "./state.js";
import { suspectMark } from "./verdict.js";
import { countText, grouped } from "./words.js";
/** @import { Chart } from "./chart.js" */
/** @import { Column } from "./columns.js" */
/** @import { Choice, Model } from "./model.js" */
/** @import { Store } from "./state.js" */

/** Half the width of the bar of a single sample in a small curve. */
const HALF_BAR = 6;
/** The width of the mark before a name. */
const MARK = 22;
/** The height of a row, also in the style: for a mouse, and for fingers. */
const ROW_HEIGHTS = [26, 40];

export class Table extends Widget {
  /** @param {Store} store @param {Chart} chart */
  constructor(store, chart) {
    super(store);
    this.chart = chart;
    const keys = {
      Enter: () => this.showMatches(),
      Escape: () => store.set({ query: "" }),
      ArrowDown: () => this.list.focus(0),
    };
    this.search = makeSearch(store, "search", "query", keys);
    this.grid = byId("grid");
    this.list = new List(byId("rows"), ROW_HEIGHTS[0], () => this.makeRow(), (row, i) => this.fillRow(row, i));
    this.order = /** @type {number[]} */ ([]);
    /** All rows in the filter, in order, and what that depends on. */
    this.sorted = /** @type {number[]} */ ([]);
    this.sortedBy = /** @type {any[]} */ ([]);
    this.focusedName = "";
    /** The data that the small curves were drawn from. @type {WeakMap<HTMLCanvasElement, Choice>} */
    this.drawnOf = new WeakMap();
    this.columns = COLUMNS;
    this.narrow = matchMedia("(max-width: 560px)");
    this.narrow.addEventListener("change", () => this.rebuild());
    /** The choices that decided the order of the rows when they were last listed. */
    this.listedBy = "";
    this.printed = false;
    /** What measures names, and the room for one, in pixels. */
    this.pen = contextOf(/** @type {HTMLCanvasElement} */ (element("canvas")));
    this.nameRoom = Infinity;
    // The first keystroke would otherwise collect the words of all bands.
    this.search.addEventListener("focus", () => this.model.choice.rows.forEach((row) => this.model.words(row)));
    byId("show-matches").addEventListener("click", () => this.showMatches());
    byId("copy-csv").addEventListener("click", () => copyText(csvOf(this.model, store.view, this.order), `${countText(this.order.length, "row")} copied`));
    const by = /** @type {HTMLSelectElement} */ (byId("by"));
    by.addEventListener("change", () => store.set({ by: by.value, within: "" }));
    byId("leave-group").addEventListener("click", () => {
      const [grouping] = split(store.view.within);
      store.set({ within: "", only: [] });
      store.set({ by: grouping });
    });
    this.grid.addEventListener("keydown", (event) => this.key(event));
    store.on(["data", "by"], () => this.offer());
    store.on(["data", "figures", "by", "units", "sort", "down", "query", "within"], () => this.rebuild());
    // Details take room from the columns.
    store.on(["only", "selected"], () => {
      this.shape();
      this.list.fill();
    });
    new ResizeObserver(() => {
      if (store.view.selected === null) return;
      this.shape();
      this.list.fill();
    }).observe(/** @type {Element} */ (this.grid.parentElement));
    this.offer();
    this.rebuild();
  }

  offer() {
    const groupings = usefulGroupings(this.model).map(({ key, title }) => ({ key, title: `by ${title}` }));
    offerOptions("by", [{ key: "", title: "each band" }, ...groupings]);
    /** @type {HTMLSelectElement} */ (byId("by")).value = this.store.view.by;
    byId("by").hidden = byId("by").childElementCount < 2;
  }

  /** Of how many bands the biggest are in the page, in words; empty if all are. */
  get all() {
    const { choice, facts } = this.model;
    const [missing] = facts.left_out.bands;
    return choice.by === "" && missing > 0 ? ` biggest of ${grouped(this.model.bands + missing)}` : "";
  }

  shape() {
    const { model, store } = this;
    const { sort } = store.view;
    const phone = ["name", COLUMNS[1].has(model, store.view) ? "growth" : "peak", "last"];
    const isShown = (/** @type {Column} */ { key, has }) => has(model, store.view) && (!this.narrow.matches || this.printed || phone.includes(key) || key === sort);
    const columns = COLUMNS.filter(isShown);
    const small = this.printed || this.narrow.matches;
    // Figures of some bands of a group have a sign in front, which takes room.
    const amount = (this.printed ? 58 : this.narrow.matches ? 80 : 76) + (!small && model.choice.by !== "" ? 14 : 0);
    const trend = small ? [] : [96];
    const least = this.narrow.matches ? 0 : 140;
    const widthOf = (/** @type {Column} */ { width }) => (typeof width === "number" ? width : amount);
    const fixed = () => [14, ...columns.slice(1).map(widthOf), ...trend];
    // Including gaps and a scroll bar. Whatever a row has beyond this width is not visible.
    const whole = () => fixed().reduce((a, b) => a + b, 0) + least + 10 * (fixed().length + 1) + 24;
    // Beside the details, less important ones leave before the others are cut.
    const room = store.view.selected === null || this.printed ? Infinity : this.grid.parentElement?.clientWidth ?? Infinity;
    for (const spare of ["shape", "total", "mean"]) {
      const at = columns.findIndex(({ key }) => key === spare && key !== sort);
      if (at > 0 && whole() > room) columns.splice(at, 1);
    }
    this.columns = columns;
    const all = whole();
    this.grid.style.setProperty("--columns", `14px minmax(${least}px, 1fr) ${fixed().slice(1).map((width) => `${width}px`).join(" ")}`);
    this.grid.style.minWidth = this.printed || this.narrow.matches ? "0" : `${all}px`;
    this.grid.classList.toggle("no-trend", trend.length === 0);
    this.fillHead();
    this.nameRoom = byId("head").children[1].clientWidth;
    pen(this.pen, "", getComputedStyle(this.grid).fontSize);
  }

  /** The listed bands or groups without a search, sorted. Sorting many takes longer than the rest of a keystroke. */
  sortedMembers() {
    const { model } = this;
    const { sort, down, within } = this.store.view;
    const by = [model, model.choice, model.figures, sort, down, within];
    if (same(by, this.sortedBy)) return this.sorted;
    this.sortedBy = by;
    const value = COLUMNS.find(({ key }) => key === sort)?.value ?? suspicion;
    const [grouping, name] = split(within);
    const rule = groupRule(model, grouping);
    const members = within === "" ? model.choice.rows : model.plain.rows.filter((band) => rule(band) === name);
    const { totals } = model;
    // Unknown values come last in either order.
    const lowest = down ? -Infinity : Infinity;
    const sign = down ? -1 : 1;
    /** @type {{ band: number, key: any }[]} */
    const keyed = members.map((band) => {
      const key = value(model, band);
      return { band, key: Number.isNaN(key) ? lowest : key };
    });
    keyed.sort((a, b) => (a.key < b.key ? -sign : a.key > b.key ? sign : totals[b.band] - totals[a.band] || a.band - b.band));
    this.sorted = keyed.map(({ band }) => band);
    return this.sorted;
  }

  /** The cells of a row by their keys: its colour, the columns, and its curve. */
  get cells() {
    return ["colour", ...this.columns.map(({ key }) => key), "trend"];
  }

  fillHead() {
    const make = (/** @type {string} */ key) => {
      const cell = element("span", "", `cell ${key}`, { role: "columnheader" });
      const column = COLUMNS.find((one) => one.key === key);
      if (key === "colour") cell.append(element("span", "colour", "sr"));
      if (key === "trend") cell.append("Trend");
      if (key === "trend") cell.title = "its curve over the whole run, up to its own peak";
      if (!column) return cell;
      cell.dataset.key = key;
      const onclick = () => {
        const { sort, down } = this.store.view;
        // The third click returns to the usual order.
        if (sort === key && down !== column.down) this.store.set({ sort: "suspicion", down: true });
        else this.store.set({ sort: key, down: sort === key ? !down : column.down });
      };
      cell.append(element("button", "", "", { title: column.says, onclick }));
      return cell;
    };
    const { sort, down } = this.store.view;
    keep(byId("head"), this.cells, (key) => key, make, (cell, key) => {
      const column = COLUMNS.find((one) => one.key === key);
      if (column) setText(/** @type {Element} */ (cell.firstElementChild), column.title(this.model));
      if (column) cell.setAttribute("aria-sort", key === sort ? (down ? "descending" : "ascending") : "none");
    });
  }

  /** Lists the rows that match the filter and the search, sorted. */
  rebuild() {
    const { model, store } = this;
    const { query, sort, down, within } = store.view;
    this.shape();
    this.list.height = ROW_HEIGHTS[Number(this.narrow.matches)];
    byId("leave-group").hidden = within === "";
    byId("leave-group").textContent = `× ${split(within)[1]}`;
    const { pattern, wrong } = patternIn(this.search, query);
    const members = this.sortedMembers();
    const listed = pattern ? members.filter((band) => pattern.test(model.words(band))) : members;
    this.order = listed;
    const thing = model.choice.by === "" ? "band" : "row";
    const of = within === "" && this.all !== "" ? `the ${grouped(members.length)}${this.all} bands` : countText(members.length, thing);
    const count = listed.length === members.length ? of : `${grouped(listed.length)} of ${of}`;
    const { first, last } = model.figures;
    const which = model.figures === model.wholeFigures ? "" : `; figures of ${model.when(first)} to ${model.when(last)}`;
    const order = sort === "suspicion" ? (model.figures === model.wholeFigures ? ", by suspicion" : ", by what they gained") : "";
    byId("count").textContent = wrong === "" ? count + order + which : wrong;
    byId("show-matches").hidden = pattern === null || listed.length === 0;
    this.grid.setAttribute("aria-rowcount", String(listed.length + 1));
    // The focus follows its band.
    const inRows = this.list.box.contains(document.activeElement);
    const followed = inRows ? listed.findIndex((band) => model.name(band) === this.focusedName) : -1;
    if (followed >= 0) this.list.focused = followed;
    // If only the figures have changed, the list keeps its position.
    const listedBy = JSON.stringify([query, sort, down, within, store.view.by, store.view.run]);
    if (listedBy !== this.listedBy) this.list.box.scrollTop = 0;
    this.listedBy = listedBy;
    this.list.resize(listed.length);
    if (inRows) this.list.focus(this.list.focused);
    byId("empty").hidden = listed.length > 0;
  }

  makeRow() {
    const band = () => this.order[Number(row.dataset.index)];
    const onclick = (/** @type {MouseEvent} */ { shiftKey }) => {
      this.list.focused = Number(row.dataset.index);
      pick(this.store, band(), shiftKey);
    };
    const row = element("div", "", "row", { role: "row", onclick });
    row.addEventListener("focus", () => (this.focusedName = this.model.name(band())));
    this.chart.emphasiseAt(row, band);
    return row;
  }

  /** @param {string} key */
  makeCell(key) {
    const cell = element("span", "", `cell ${key}`, { role: "gridcell" });
    if (key === "colour") cell.append(element("span", "", "swatch"));
    if (key === "trend") cell.append(element("canvas"));
    return cell;
  }

  /** @param {HTMLElement} row @param {number} index */
  fillRow(row, index) {
    const { model, store } = this;
    const band = this.order[index];
    const { only, selected } = store.view;
    row.dataset.band = String(band);
    row.setAttribute("aria-rowindex", String(index + 2));
    row.setAttribute("aria-selected", String(only.includes(band)));
    row.classList.toggle("picked", only.includes(band));
    row.classList.toggle("selected", selected === band);
    row.tabIndex = index === this.list.focused ? 0 : -1;
    const shape = this.cells.join(" ");
    if (row.dataset.cells !== shape) keep(row, this.cells, (key) => key, (key) => this.makeCell(key), () => {});
    row.dataset.cells = shape;
    const square = part(row, "swatch");
    square.style.background = model.colour(band);
    square.classList.toggle("hollow", model.choice.role[band] !== ROLE_KEPT);
    for (const column of this.columns) {
      const text = column.text(model, band, store.view);
      const cell = part(row, column.key);
      if (column.key === "name") {
        const mark = suspectMark(model, band);
        const room = this.nameRoom - (mark ? MARK : 0);
        const fits = (/** @type {string} */ name) => this.pen.measureText(name).width <= room;
        cell.replaceChildren(...(mark ? [mark] : []), ...nameElement(fits(text) ? text : model.keyName(band, fits)).childNodes);
      } else setText(cell, text);
      if (column.key === "shape") cell.title = text;
    }
    const place = ["trace element: not drawn", "in OTHER", "drawn"][model.choice.role[band]];
    part(row, "name").title = `${model.name(band)}\n${place}`;
    const canvas = /** @type {HTMLCanvasElement} */ (part(row, "trend").firstChild);
    if (canvas.dataset.band !== String(band) || this.drawnOf.get(canvas) !== model.choice) {
      canvas.dataset.band = String(band);
      this.drawnOf.set(canvas, model.choice);
      drawSpark(canvas, model, band, 96, 20);
    }
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (!(/** @type {HTMLElement} */ (event.target).classList.contains("row"))) return;
    const band = this.order[this.list.focused];
    if (event.key === "Enter" || event.key === " ") pick(this.store, band, event.shiftKey || event.key === " ");
    else if (!this.list.move(event.key)) return;
    event.preventDefault();
  }

  showMatches() {
    const found = this.order.filter((band) => this.model.canDraw(band)).sort((a, b) => this.model.totals[b] - this.model.totals[a]).slice(0, 24);
    if (this.store.view.query === "" || found.length === 0) return;
    this.store.set({ only: found });
    say(`${countText(found.length, "band")} drawn`);
  }
}

/**
 * Fills a menu. Its options stay where they are the same: replacing them would close an open menu.
 * @param {string} id @param {{ key: string, title: string }[]} options
 */
function offerOptions(id, options) {
  keep(byId(id), options, ({ key }) => key, () => element("option"), (option, { key, title }) => {
    option.value = key;
    setText(option, title);
  });
}

/**
 * A small curve, up to the band's own peak and over the complete run if nothing else is said.
 * @param {HTMLCanvasElement} canvas @param {Model} model @param {number} band @param {number} width @param {number} height
 * @param {[number, number]} [range] @param {number} [top]
 */
export function drawSpark(canvas, model, band, width, height, range = [model.times[0], model.times[model.censuses[1]]], top = 0) {
  fit(canvas, width, height);
  canvas.style.width = `${width}px`;
  const context = contextOf(canvas);
  if (model.samples === 0 || model.wholeFigures.peaks[band] === 0) return;
  if (!model.canDraw(band)) {
    pen(context, getComputedStyle(canvas).color, "11px");
    context.fillText("no curve", 0, height - 6);
    return;
  }
  const values = model.curve(band);
  const [from, to] = within(model.times, ...range, model.censuses);
  const most = top || Math.max(1, highestBetween(values, from, to));
  const x = (/** @type {number} */ i) => ((model.times[i] - range[0]) / (range[1] - range[0] || 1)) * width;
  const y = (/** @type {number} */ value) => height - 1 - (value / most) * (height - 3);
  const colour = model.colour(band);
  if (model.single !== null) {
    // A bar, as in the chart.
    const place = range[1] > range[0] ? x(model.single) : width / 2;
    return fill(context, colour, 1, barIn({ left: 0, width }, place, y(values[model.single]), y(0), HALF_BAR));
  }
  traceArea(context, values, { from, to, x, y });
  fill(context, colour, 0.25);
  traceEdge(context, values, { from, to, x, y });
  stroke(context, colour, 1.2);
}
