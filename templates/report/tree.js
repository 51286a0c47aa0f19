// @ts-check
// Live bytes by cost centre as a tree and as an icicle: at one instant, what a part of the run gained, and the mean over
// it.

import { CALLERS, aroundCentre, aroundTree, centreList, isAround } from "./centres.js";
import { Widget, byId, element, makeSearch, makeSegments, part, patternIn } from "./dom.js";
import { Icicle } from "./icicle.js";
import { List } from "./list.js";
import { CENTRE } from "./model.js";
import { centreName, frameLabel } from "./parts.js";
import { bandStacks, biggestFirst, callStacks, hasStacks, hasTree, pathOf, stackTree, ticksText, treeWeight } from "./stacks.js";
import { markOf, placeAlone } from "./verdict.js";
import { bytesText, countText, percentText } from "./words.js";
/** @import { Chart } from "./chart.js" */
/** @import { Cell, WeighedStack, Weighing } from "./stacks.js" */
/** @import { Store } from "./state.js" */

export class Tree extends Widget {
  /** @param {Store} store @param {Chart} chart */
  constructor(store, chart) {
    super(store);
    this.chart = chart;
    /** Whether it counts all bands, also those without a curve. */
    this.isWhole = true;
    this.words = "";
    /** Whether the rows are cost centres to choose from. */
    this.isList = false;
    /** @type {(amount: number) => string} */
    this.text = String;
    /** Open nodes as paths, so that they stay open when the instant changes. */
    this.open = new Set([""]);
    /** @type {{ cell: Cell, depth: number }[]} */
    this.rows = [];
    this.box = byId("tree-rows");
    this.list = new List(this.box, 26, () => this.makeRow(), (row, i) => this.fillRow(row, i));
    this.icicle = new Icicle(this);
    this.box.addEventListener("keydown", (event) => this.key(event));
    makeSegments(store, "directions", "direction");
    makeSegments(store, "overs", "over");
    this.search = makeSearch(store, "tree-search", "find", { Enter: () => this.nextMatch() });
    this.pattern = /** @type {RegExp | null} */ (null);
    this.box.addEventListener("dblclick", (event) => {
      const row = /** @type {HTMLElement} */ (event.target).closest(".tree-row");
      if (row instanceof HTMLElement) this.choose(this.rows[Number(row.dataset.index)].cell);
    });
    byId("all-centres").addEventListener("click", () => store.set({ centre: "", ...(store.view.only.includes(CENTRE) ? { only: [] } : {}) }));
    store.show(["data", "figures", "only", "at", "part", "direction", "centre", "tab", "units", "theme", "over", "find"], () => this.rebuild());
  }

  /** The data that the tree is built from. @returns {Weighing} */
  weighing() {
    const { model, store, chart } = this;
    const { at, over, part } = store.view;
    const isWhole = model.curves.size === model.bands;
    if (over === "shown") {
      const [first, last] = model.samplesIn(store.part);
      return { bytes: (band) => model.meanBetween(band, first, last), isWhole, words: `Mean of ${model.span(store.part)}` };
    }
    if (part && at === null) {
      const [first, last] = model.samplesIn(part);
      return { bytes: (band) => model.valueAt(band, last) - model.valueAt(band, first), isWhole, words: `Gained from ${model.span(part)}, and still there` };
    }
    if (chart.gained()) return { bytes: (band) => (model.suspects.has(band) ? model.wholeFigures.grew[band] : 0), isWhole: true, words: "What is accused grew" };
    const sample = at ?? chart.rest();
    const atPeak = sample === model.peakSample ? model.atPeak : null;
    const time = model.when(sample);
    return {
      bytes: atPeak ? (band) => atPeak[band] : (band) => model.valueAt(band, sample),
      isWhole: isWhole || atPeak !== null,
      words: at !== null ? `At ${time}` : `${chart.restWords()}, ${time}`,
    };
  }

  rebuild() {
    const { model, store } = this;
    if (!hasTree(model) || byId("panel-tree").hidden) return;
    const { direction, units, find, over } = store.view;
    this.pattern = patternIn(this.search, find).pattern;
    const { calls } = model;
    const weight = treeWeight(model, over);
    // The amounts of a time profile are ticks.
    this.text = weight === "time" ? (ticks) => ticksText(ticks, calls?.tick_ns ?? null) : (bytes) => bytesText(bytes, units);
    /** @type {() => Iterable<WeighedStack>} */
    let stacks;
    if (calls && weight !== "live") {
      stacks = () => callStacks(calls, weight === "time" ? calls.time : calls.alloc);
      const run = weight === "time" && calls.ticks === "part" ? "this part of the run" : "the whole run";
      this.words = `${weight === "time" ? "Time" : "Allocation"} of ${run}${calls.words === "" ? "" : `, ${calls.words}`}`;
    } else {
      const weighing = this.weighing();
      stacks = () => bandStacks(model, weighing);
      this.isWhole = weighing.isWhole;
      this.words = weighing.words;
    }
    const { frames } = model.parts;
    const centre = direction === "around" && frames.some((frame) => centreName(frame) === store.view.centre) ? store.view.centre : "";
    this.isList = direction === "around" && centre === "";
    if (direction !== "around") this.root = stackTree(stacks(), direction);
    else if (centre === "") this.root = centreList(stacks(), frames);
    else {
      this.root = aroundTree(stacks(), frames, centre);
      let all = 0;
      for (const { bytes } of stacks()) all += bytes;
      this.words += `, in stacks with ${centre} (${percentText(this.root.bytes, all)} of all)`;
      for (const side of this.root.below.values()) this.open.add(pathOf(side));
    }
    byId("all-centres").hidden = centre === "";
    byId("icicle-box").hidden = this.isList;
    byId("tree-head").textContent = weight === "time" ? "Time" : "Bytes";
    // At first the tree is open down to where it branches.
    if (this.open.size === 1 && direction !== "around") {
      let step = this.root;
      for (let i = 0; i < 40 && step.below.size > 0; i++) {
        this.open.add(pathOf(step));
        step = biggestFirst(step)[0];
        if (step.bytes < this.root.bytes * 0.5) break;
      }
    }
    for (const button of byId("overs").querySelectorAll("button")) {
      const kind = button.dataset.over ?? "";
      const isLive = ["instant", "shown"].includes(kind);
      button.hidden = isLive ? !hasStacks(model) : !calls?.weights.includes(kind);
      button.setAttribute("aria-pressed", String(isLive ? weight === "live" && kind === (over === "shown" ? over : "instant") : kind === weight));
    }
    byId("tree-when").textContent = `${this.words}: ${this.amount(this.root)}`;
    byId("tree-note").textContent = this.note();
    this.flatten();
    this.icicle.show(this.root);
  }

  /** Notes on how to read the tree, and the result of a search. */
  note() {
    const { model, root } = this;
    if (this.pattern && root) {
      let found = 0;
      const walk = (/** @type {Cell} */ at) => {
        if (this.isMatch(at)) found += at.bytes;
        else for (const below of at.below.values()) walk(below);
      };
      walk(root);
      return `${percentText(found, root.bytes)} of it is in the matches: ${this.text(found)}. Enter goes to the next match.`;
    }
    const { depth } = model.facts.left_out;
    const texts = [];
    if (this.isList) texts.push("Click a cost centre to see its callers, its callees and its curve. The amounts are those of all stacks that contain it.");
    else if (root && isAround(root)) texts.push("Its callers stand above it, its callees below. Click a bar to put that cost centre in the middle.");
    else texts.push("Click a bar to make it fill the width, or double-click it to put its cost centre in the middle.");
    const { calls } = model;
    const { at, over, part, range } = this.store.view;
    const weight = treeWeight(model, over);
    const isLive = weight === "live";
    if (isLive && over !== "shown" && part && at === null) texts.push("At least this much came in and is still there: a stack counts by what it holds more at the end of the part than at its beginning.");
    if (!isLive && calls && calls.folded > 0) texts.push(`${countText(calls.folded, "small stack")} are counted with their callers.`);
    if (isLive && model.facts.source === "hp") texts.push("A .hp may cut names; the event log of the same run has modules and places.");
    if (!isLive && (range ?? part) !== null) {
      const isTimed = weight === "time" && calls?.ticks !== "untimed";
      const why = isTimed ? "--from and --to write a page with the time of a part" : "the input has no times for it";
      texts.push(`It does not depend on the part shown: ${why}.`);
    }
    if (isLive && !this.isWhole) {
      const lacking = model.bands - model.curves.size;
      texts.push(`${countText(lacking, "small stack")} without a curve in this page ${lacking === 1 ? "is" : "are"} not counted.`);
    }
    if (isLive && depth !== null) texts.push(`Stacks deeper than ${depth} frames are shown without their middle.`);
    return texts.join(" ");
  }

  /** @param {Cell} at */
  isMatch(at) {
    const { pattern } = this;
    if (pattern === null || at.frame < 0) return false;
    const frame = this.model.parts.frames[at.frame];
    const name = this.nameOf(at);
    // Also as Module.name, like --focus.
    return [name, centreName(frame), ...Object.values(frame)].some((text) => pattern.test(text));
  }

  /** Opens the tree at the next match, in the order of the tree. */
  nextMatch() {
    if (!this.root || !this.pattern) return;
    /** @type {Cell[]} */
    const order = [];
    const walk = (/** @type {Cell} */ at) => {
      order.push(at);
      for (const below of biggestFirst(at)) walk(below);
    };
    walk(this.root);
    const now = order.indexOf(this.rows[this.list.focused]?.cell);
    const after = [...order.slice(now + 1), ...order.slice(0, now + 1)];
    const found = after.find((at) => this.isMatch(at));
    if (!found) return;
    for (let step = found.above; step; step = step.above) this.open.add(pathOf(step));
    this.flatten();
    this.list.focused = this.rows.findIndex(({ cell: at }) => at === found);
    this.list.reveal(this.list.focused);
    this.icicle.light(found);
  }

  /** The bytes of a frame. @param {Cell} at */
  amount(at) {
    return `${at.exact ? "" : "≈ "}${this.text(Math.round(at.bytes))}`;
  }

  flatten() {
    this.rows = [];
    const walk = (/** @type {Cell} */ at, /** @type {number} */ depth) => {
      for (const below of biggestFirst(at)) {
        this.rows.push({ cell: below, depth });
        if (this.open.has(pathOf(below))) walk(below, depth + 1);
      }
    };
    if (this.root) walk(this.root, 0);
    this.list.resize(this.rows.length);
  }

  /** @param {Cell} at */
  nameOf(at) {
    const frame = this.model.parts.frames[at.frame];
    if (!frame) return at.frame === CALLERS ? "called by" : "all";
    return frameLabel(frame);
  }

  /** @param {Cell} at */
  titleOf(at) {
    const frame = this.model.parts.frames[at.frame];
    const lines = [this.nameOf(at), [frame?.module, frame?.place].filter(Boolean).join(" · ")];
    lines.push(`${this.amount(at)} (${percentText(at.bytes, this.root?.bytes ?? 0)}), own ${this.text(Math.round(at.own))}`);
    return lines.filter(Boolean).join("\n");
  }

  /** @param {Cell} at */
  colourOf(at) {
    if (at.frame < 0) return this.chart.theme.grid;
    return this.model.colourOfName(this.nameOf(at));
  }

  makeRow() {
    const onclick = (/** @type {MouseEvent} */ { target }) => {
      if (target instanceof HTMLAnchorElement) return;
      this.list.focused = Number(row.dataset.index);
      this.act(this.rows[this.list.focused].cell);
    };
    const cells = ["bytes", "share", "own", "twist", "name", "place"].map((name) => element("span", "", name));
    const row = element("div", "", "tree-row", { role: "treeitem", onclick }, ...cells);
    return row;
  }

  /** @param {HTMLElement} row @param {number} index */
  fillRow(row, index) {
    const { cell: at, depth } = this.rows[index];
    const twist = part(row, "twist");
    const isOpen = this.open.has(pathOf(at));
    part(row, "bytes").textContent = this.amount(at);
    part(row, "share").textContent = percentText(at.bytes, this.root?.bytes ?? 0);
    part(row, "own").textContent = at.own > 0 ? this.text(Math.round(at.own)) : "";
    row.classList.toggle("match", this.isMatch(at));
    twist.textContent = at.below.size === 0 ? "" : isOpen ? "▾" : "▸";
    twist.style.marginLeft = `${Math.min(depth, 24) * 14}px`;
    part(row, "name").replaceChildren(...(at.suspect ? [markOf(this.model)] : []), this.nameOf(at));
    const frame = this.model.parts.frames[at.frame];
    part(row, "place").replaceChildren(frame?.module ?? "", ...(frame?.place ? [" ", placeAlone(this.model, frame.place)] : []));
    row.title = `${this.titleOf(at)}${at.frame < 0 ? "" : this.isList ? "\nclick: its callers and callees" : "\ndouble-click, or s: its callers and callees"}`;
    row.setAttribute("aria-level", String(depth + 1));
    if (at.below.size > 0) row.setAttribute("aria-expanded", String(isOpen));
    else row.removeAttribute("aria-expanded");
    row.tabIndex = index === this.list.focused ? 0 : -1;
  }

  /** Puts a cost centre in the middle. @param {Cell} at */
  choose(at) {
    const frame = this.model.parts.frames[at.frame];
    if (frame) this.store.set(aroundCentre(this.model, centreName(frame)));
  }

  /** What a click on a row does. @param {Cell} at */
  act(at) {
    if (this.isList) this.choose(at);
    else this.toggle(at);
  }

  /** @param {Cell} at */
  toggle(at) {
    const path = pathOf(at);
    if (this.open.has(path)) this.open.delete(path);
    else if (at.below.size > 0) this.open.add(path);
    this.flatten();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { list } = this;
    const at = this.rows[list.focused]?.cell;
    if (!at) return;
    const isOpen = this.open.has(pathOf(at));
    if (event.key === "ArrowLeft" && !isOpen) list.focused = this.rows.findIndex((row) => row.cell === at.above);
    else if (event.key === (isOpen ? "ArrowLeft" : "ArrowRight")) this.toggle(at);
    else if (event.key === "Enter" || event.key === " ") this.act(at);
    else if (event.key === "s") this.choose(at);
    else if (!list.move(event.key)) return;
    event.preventDefault();
    list.focus(list.focused);
  }
}
