// @ts-check
// The chart on its canvas: bands, lines, markers, axes. The crosshair has its own canvas, so
// following the pointer does not redraw any band.

import { byteTicks, fullRange, percentTicks, timeTicks } from "./axes.js";
import { clipped, contextOf, fill, fit, line, mixed, pen, sizeOf, stroke } from "./canvas.js";
import { drawOver, makeBubble } from "./crosshair.js";
import { DenseGrid, denseEdges, placesOf } from "./dense.js";
import { Widget, byId } from "./dom.js";
import { lastFull } from "./figures.js";
import { barIn, layersOf, sumOf, traceArea, traceEdge, within } from "./layers.js";
import { isLive } from "./live.js";
import { drawLows, drawMarkers, headOf } from "./markers.js";
import { CENTRE, OTHER, ROLE_OTHER } from "./model.js";
import { highest, highestBetween, lowerBound } from "./numbers.js";
import { same } from "./state.js";
import { bytesText, percentText } from "./words.js";
/** @import { Tick } from "./axes.js" */
/** @import { Box } from "./canvas.js" */
/** @import { Span } from "./dense.js" */
/** @import { Layer } from "./layers.js" */
/** @import { HeapSeries } from "./model.js" */
/** @import { Store } from "./state.js" */

/** The height of the labels of the axis, above the handles. */
const FOOT = 26;
/** How much of the background is mixed into what is behind the suspects. */
const PALE = 0.65;
/** How many times as long as usual a gap between samples is, its least width in pixels, and how many samples show what is usual. */
const GAP = 10;
const GAP_WIDTH = 14;
/** The least width of what is between two gaps. */
const LEAST_PIECE = 4;
const USUAL = 8;
/** A run is drawn on its own scale, too, where that of the other is as many times higher. */
const INSET = 10;
const NO_SAMPLES = "no samples";
const THEME_ROLES = ["background", "text", "muted", "grid", "axis", "total", "heap", "marker", "other", "undrawn", "accent", "problem"];

export class Chart extends Widget {
  /**
   * @param {Store} store
   * @param {{ plot: HTMLElement, base: HTMLCanvasElement, over: HTMLCanvasElement, bubble: HTMLElement, strip: HTMLCanvasElement | null }} parts
   */
  constructor(store, { plot, base, over, bubble, strip }) {
    super(store);
    this.plot = plot;
    this.base = base;
    this.over = over;
    this.bubble = bubble;
    makeBubble(bubble);
    this.hasStrip = strip !== null;
    this.strip = strip ?? document.createElement("canvas");
    /** In a comparison, the chart of the other run. */
    this.twin = /** @type {Chart | null} */ (null);
    /** The sample under the pointer; if `null`, the pinned sample is used. */
    this.hovered = /** @type {number | null} */ (null);
    /** The band highlighted while the others are dimmed. */
    this.emphasis = /** @type {number | null} */ (null);
    /** @type {Box} */
    this.box = { left: 0, top: 24, width: 100, height: 100 };
    this.topValue = 1;
    /** @type {Record<string, string>} */
    this.theme = {};
    this.themeKey = "";
    /** @type {(() => void)[]} */
    this.watchers = [];
    /** @type {[number, number]} */
    this.full = [0, 1];
    this.frozen = false;
    this.blank = false;
    /** The overview's plot area, a cached drawing of its bands, and the state they were drawn from. */
    this.stripBox = this.box;
    this.stripKept = /** @type {HTMLCanvasElement | null} */ (null);
    this.stripKey = /** @type {any[] | null} */ (null);
    this.pending = 0;
    this.bandsChanged = false;
    /** The sum of the bands that are shown alone. */
    this.alone = /** @type {Float64Array | null} */ (null);
    /** The units that the left margin was chosen for. */
    this.units = "";
    /** @type {Layer[]} */
    this.layers = [];
    /** The columns that the bands are drawn in; `null` if every sample is drawn. */
    this.grid = /** @type {DenseGrid | null} */ (null);
    /** The upper edges of the layers as drawn, by column or by sample. */
    this.edges = /** @type {ArrayLike<number>[]} */ ([]);
    /** The shaded parts, in pixels. @type {[number, number][]} */
    this.gaps = [];
    /** Called after the chart is drawn: what is on its axes follows. @type {(() => void)[]} */
    this.drawn = [];
    store.on(["data", "only", "open", "undrawn", "view", "by", "centre"], () => {
      this.rebuild();
      this.soon(true);
    });
    store.on(["part"], () => {
      this.drawStrip();
      this.soon(false);
    });
    store.on(["range", "at", "lines", "messages", "units", "shared"], () => this.soon(true));
    store.on(["theme"], () => {
      // Before the tree takes its colours from here.
      this.readTheme();
      this.soon(true);
    });
    this.rebuild();
    this.readTheme();
    new ResizeObserver(() => this.resize()).observe(this.plot);
  }

  /** Whether the chart of the other run is below this one, with the same axis of time. */
  get isUpper() {
    return this.twin !== null && this.model === this.store.models[0];
  }

  rebuild() {
    this.full = fullRange(this.model);
    this.layers = layersOf(this.model, this.store.view);
    this.alone = this.store.view.only.length > 0 ? sumOf(this.layers, this.model.samples) : null;
  }

  /** @returns {[number, number]} */
  range() {
    return this.store.view.range ?? this.full;
  }

  /** The sample at the crosshair, if it is in the shown part. */
  at() {
    const at = this.hovered ?? this.store.view.at;
    if (at === null) return null;
    const [first, last] = this.model.samplesIn(this.store.view.range);
    return first <= at && at <= last ? at : null;
  }

  /** The sample used when there is no crosshair: the highest one of what is shown. */
  peakInSight() {
    const { model } = this;
    if (model.samples === 0) return model.peakSample;
    return highest(this.alone ?? model.total, ...model.samplesIn(this.store.view.range));
  }

  /** The sample that is measured without a crosshair: the peak, or while the program runs the newest. */
  rest() {
    return isLive() ? this.model.samplesIn(this.store.view.range)[1] : this.peakInSight();
  }

  /**
   * The first and last sample of the marked part, whose gains are shown as long as no instant is. Where something is
   * accused, it is all of the run that is not empty.
   * @returns {[number, number] | null}
   */
  gained() {
    const { part } = this.store.view;
    const { model } = this;
    if ((!part && !(model.isAccused && this.isWhole)) || this.at() !== null || model.samples === 0) return null;
    if (part) return model.samplesIn(part);
    return [model.total.findIndex((bytes) => bytes > 0), this.end()];
  }

  /** Whether all that there is is shown, of a run that is over. */
  get isWhole() {
    const { range, only, part } = this.store.view;
    return range === null && part === null && only.length === 0 && !isLive();
  }

  /** The sample of the figures at the end: the last one before the exit, or else the last one that is not empty. */
  end() {
    return this.model.beforeExit ?? lastFull(this.model, 0, this.model.samples - 1);
  }

  /** Why there is nothing to see. */
  emptyWords() {
    return isLive() ? "waiting for the first sample" : "no heap samples: the program ran without a heap profile (+RTS -h…)";
  }

  /** Where {@link rest} is, in words. */
  restWords() {
    const { only, range } = this.store.view;
    if (isLive()) return this.rest() === this.model.samples - 1 ? "Now" : "At the end of what is shown";
    if (only.length > 0) return only.length === 1 ? "At its peak" : "At their peak";
    return range ? "Peak of the shown part" : "At the peak";
  }

  /**
   * Registers a function to call whenever the crosshair moves or another band is highlighted.
   * @param {() => void} act
   */
  watch(act) {
    this.watchers.push(act);
  }

  /** @param {number | null} sample */
  hover(sample) {
    if (sample === this.hovered) return;
    this.hovered = sample;
    this.soon(false);
  }

  /** @param {number | null} band a band inside OTHER highlights OTHER */
  emphasise(band) {
    const isDrawn = (/** @type {number} */ band) => this.layers.some((layer) => layer.band === band);
    if (band !== null && !isDrawn(band)) {
      band = this.model.choice.role[band] === ROLE_OTHER && isDrawn(OTHER) ? OTHER : null;
    }
    if (band === this.emphasis) return;
    this.emphasis = band;
    this.soon(false);
  }

  /** Nothing is under the pointer any more. */
  leave() {
    this.hover(null);
    this.emphasise(null);
  }

  /** Highlights a band while the pointer is over an element. @param {HTMLElement} made @param {() => number} band */
  emphasiseAt(made, band) {
    made.onpointerenter = () => this.emphasise(band());
    made.onpointerleave = () => this.emphasise(null);
  }

  /** Requests one redraw before the next frame. @param {boolean} bands whether the bands have changed */
  soon(bands) {
    this.bandsChanged ||= bands;
    this.pending ||= requestAnimationFrame(() => this.drawNow());
  }

  drawNow() {
    if (!this.pending) return;
    cancelAnimationFrame(this.pending);
    this.pending = 0;
    if (this.bandsChanged) this.draw();
    this.bandsChanged = false;
    drawOver(this);
    for (const act of this.watchers) act();
  }

  resize() {
    const { width, height } = this.plot.getBoundingClientRect();
    // While printing, the paper decides the layout; while each band has its own chart, this one is hidden.
    if (!this.frozen && width > 0) this.resizeTo(width, height);
  }

  /** @param {number} width @param {number} height */
  resizeTo(width, height) {
    fit(this.base, width, height);
    fit(this.over, width, height);
    fit(this.strip, width, this.strip.clientHeight || 46);
    // Clearing an empty canvas puts a mask into Chromium's PDFs that hides everything under it.
    this.blank = true;
    this.draw();
    drawOver(this);
    this.blank = false;
    for (const act of this.watchers) act();
  }

  /** @param {HTMLCanvasElement} canvas */
  cleared(canvas) {
    const context = contextOf(canvas);
    const { width, height } = sizeOf(canvas);
    if (!this.blank) context.clearRect(0, 0, width, height);
    return { context, width, height };
  }

  /** Reads the theme's colours if the theme has changed; each `getComputedStyle` costs time. */
  readTheme() {
    const asked = ["(prefers-color-scheme: dark)", "(forced-colors: active)", "print"].map((query) => matchMedia(query).matches);
    const key = [document.documentElement.dataset.theme, ...asked].join(" ");
    if (key === this.themeKey) return;
    this.themeKey = key;
    const probe = byId("probe");
    for (const role of THEME_ROLES) {
      probe.style.color = `var(--${role})`;
      this.theme[role] = getComputedStyle(probe).color;
    }
  }

  /** @param {number} band */
  paint(band) {
    const full = band >= 0 || band === CENTRE ? this.model.colour(band) : band === OTHER ? this.theme.other : this.theme.undrawn;
    return this.isPale(band) ? mixed(full, this.theme.background, PALE) : full;
  }

  /** Whether a band is behind the suspects, until the reader chooses what is drawn. @param {number} band */
  isPale(band) {
    const { model, view } = this.store;
    return model.facts.suspects_lead && !model.facts.compared && view.view === "stacked" && view.by === "" && view.only.length === 0 && this.emphasis !== band && !model.suspects.has(band);
  }

  /** Whether the total is drawn as a line: only if it differs from the top of the stack. */
  showsTotal() {
    const { view, only, undrawn } = this.store.view;
    return view === "stacked" && only.length === 0 && !undrawn && this.model.undrawn.some((bytes) => bytes > 0);
  }

  heapLines() {
    const { view, lines } = this.store.view;
    return view === "percent" ? [] : this.model.heap.filter(({ kind, values }) => lines.includes(kind) && values.length > 0);
  }

  /** The samples that touch the shown range, including one beyond each end. @returns {[number, number]} */
  shownSamples() {
    return within(this.model.times, ...this.range(), this.model.censuses);
  }

  top() {
    const { twin } = this;
    return twin && this.store.isShared && this.store.view.view !== "percent" ? Math.max(this.ownTop(), twin.ownTop()) : this.ownTop();
  }

  ownTop() {
    const { view } = this.store.view;
    if (this.model.samples === 0) return 1;
    if (view === "percent") return this.store.view.only.length > 0 ? this.highestEdge() * 1.04 || 1 : 100;
    const asked = this.model.facts.scale.top;
    // Of two runs, the ends that were given are those of both.
    const isOne = this.model.reach === null || (this.store.isShared && this.store.view.range === null);
    if (asked !== null && this.store.view.only.length === 0 && isOne) return asked;
    let most = this.highestEdge();
    const [from, to] = this.range();
    if (this.showsTotal()) most = Math.max(most, highestBetween(this.model.total, ...this.shownSamples()));
    // Isolated bands use the full height of the plot, however high the heap is.
    for (const line of this.store.view.only.length > 0 ? [] : this.heapLines()) {
      const { times, values } = line;
      most = Math.max(most, highestBetween(values, ...within(times, from, to)));
    }
    return Math.max(1, most * 1.04);
  }

  highestEdge([first, last] = this.shownSamples()) {
    const edges = this.store.view.view === "lines" ? this.layers : this.layers.slice(-1);
    return Math.max(0, ...edges.map((layer) => highestBetween(layer.top, first, last)));
  }

  /** @param {number} x a place on the axis */
  xOf(x) {
    const [from, to] = this.range();
    return this.box.left + ((x - from) / (to - from)) * this.box.width;
  }

  /** @param {number} value */
  yOf(value) {
    const { top, height } = this.box;
    return top + height - (value / this.topValue) * height;
  }

  /** @param {number} pixel */
  placeOf(pixel) {
    const [from, to] = this.range();
    return from + ((pixel - this.box.left) / this.box.width) * (to - from);
  }

  draw() {
    const started = performance.now();
    this.readTheme();
    const { context, width, height } = this.cleared(this.base);
    this.paintOn(context, width, height);
    this.drawStrip();
    for (const act of this.drawn) act();
    this.plot.dataset.box = Object.values(this.box).join(" ");
    this.plot.dataset.range = this.range().join(" ");
    this.plot.dataset.columns = String(this.grid?.most ?? 0);
    this.plot.dataset.gaps = String(this.gaps.length);
    this.plot.dataset.top = String(this.topValue);
    this.plot.dataset.drawMs = (performance.now() - started).toFixed(1);
  }

  /**
   * Draws the chart into a context of this width and height.
   * @param {CanvasRenderingContext2D} context @param {number} width @param {number} height
   */
  paintOn(context, width, height) {
    pen(context, this.theme.muted, "12px", "center");
    const view = this.store.view;
    const narrow = width < 480;
    this.topValue = this.top();
    const most = Math.max(2, Math.min(10, Math.floor((height - 56) / 48)));
    const yTicks = view.view === "percent" ? percentTicks(view.only.length === 0 ? 100 : this.topValue, most) : byteTicks(this.topValue, most, view.units);
    // The left margin does not shrink with the labels: otherwise the plot would move during a drag.
    const labels = ["0.25 MiB", ...yTicks.map((tick) => tick.label)];
    const widest = Math.max(...labels.map((label) => context.measureText(label).width));
    const left = Math.max(Math.ceil(widest) + 12, this.units === view.units ? this.box.left : 0);
    this.units = view.units;
    const head = headOf(this);
    this.box = { left, top: head, width: Math.max(10, width - left - 14), height: Math.max(10, height - head - FOOT) };
    const isEmpty = this.model.samples === 0;
    // Without samples, the panels have the axis of time.
    if (!isEmpty || this.model.activity.pauses.start.length > 0) this.drawGrid(context, isEmpty ? [] : yTicks, narrow);
    if (isEmpty) {
      pen(context, this.theme.muted, "12px", "center");
      return context.fillText(this.emptyWords(), left + this.box.width / 2, head + this.box.height / 2);
    }
    clipped(context, this.box, () => {
      this.drawAccused(context);
      this.drawBands(context, this.layers, this.box, this.range(), this.topValue, true);
      this.drawLines(context);
    });
    drawMarkers(this, context);
    if (this.needsInset) this.drawInset(context);
  }

  /** Whether little is seen of this run on the scale of the other. */
  get needsInset() {
    return this.twin !== null && this.store.isShared && this.store.view.view !== "percent" && INSET * this.highestEdge() < this.topValue;
  }

  /** This run on its own scale, inside its chart, as in the picture of two runs. @param {CanvasRenderingContext2D} context */
  drawInset(context) {
    const { left, top, width, height } = this.box;
    const most = this.highestEdge() || 1;
    const box = { left: left + width / 2, top: top + 20, width: width / 2 - 10, height: height * 0.6 };
    fill(context, this.theme.background, 1, [box.left - 6, top, box.width + 12, box.height + 26]);
    this.drawBands(context, this.layers, box, this.range(), most, false);
    line(context, this.theme.axis, [box.left, box.top + box.height + 0.5, box.left + box.width, box.top + box.height + 0.5]);
    pen(context, this.theme.text, "12px");
    const upTo = `up to ${bytesText(most, this.store.view.units)}`;
    const words = `its own scale: ${upTo}, ${percentText(most, this.topValue)} of the other`;
    context.fillText(context.measureText(words).width < box.width ? words : upTo, box.left, top + 14);
  }

  /** @param {CanvasRenderingContext2D} context @param {Tick[]} yTicks @param {boolean} narrow */
  drawGrid(context, yTicks, narrow) {
    const { left, top, width, height } = this.box;
    const [from, to] = this.range();
    const bottom = top + height;
    const { grid, muted, axis } = this.theme;
    pen(context, muted, "12px", "right", "middle");
    for (const tick of yTicks) {
      const y = Math.round(this.yOf(tick.at)) + 0.5;
      if (y < top - 1) continue;
      line(context, grid, [left, y, left + width, y]);
      context.fillText(tick.label, left - 8, y);
    }
    pen(context, muted, "12px", "center", "top");
    const ticks = timeTicks(from, to, Math.floor(width / (narrow ? 72 : 96)), this.model.timed, this.model.facts.started);
    // The title stands among the labels, in place of those that it would touch.
    const title = this.isUpper ? "" : this.model.axisWords;
    const end = left + width - (title === "" ? 0 : context.measureText(title).width + 12);
    for (const tick of ticks) {
      const x = Math.round(this.xOf(tick.at)) + 0.5;
      line(context, grid, [x, top, x, bottom + 4]);
      if (x + context.measureText(tick.label).width / 2 < end + 12) context.fillText(tick.label, x, bottom + 5);
    }
    line(context, axis, [left, bottom + 0.5, left + width, bottom + 0.5]);
    pen(context, muted, "12px", "right", "top");
    context.fillText(title, left + width, bottom + 5);
    pen(context, muted, "12px", "right");
    const heap = this.store.view.only.length === 0 && this.heapLines().length > 0 ? "memory" : "live heap";
    context.fillText(this.store.view.view === "percent" ? "share" : heap, left - 8, top - 10);
  }

  /** Where the bands are drawn. */
  places() {
    return placesOf(this.grid, this.model.times, this.shownSamples(), (x) => this.xOf(x), (value) => this.yOf(value));
  }

  /**
   * Painted from the top layer down, each area to the baseline, so no gaps show between neighbours.
   * @param {CanvasRenderingContext2D} context
   * @param {Layer[]} layers
   * @param {Box} box
   * @param {[number, number]} range
   * @param {number} top
   * @param {boolean} separated
   */
  drawBands(context, layers, box, range, top, separated) {
    const { times, censuses, single, total } = this.model;
    const { view } = this.store.view;
    const [first, last] = within(times, ...range, censuses);
    const scale = box.width / (range[1] - range[0]);
    const across = (/** @type {number} */ place) => box.left + (place - range[0]) * scale;
    const y = (/** @type {number} */ value) => box.top + box.height - (value / top) * box.height;
    const grid = single === null ? this.gridOf({ times, first, last, range }, box.width) : null;
    const edges = grid ? denseEdges(grid, layers, view, total) : layers.map((layer) => layer.top);
    if (separated) Object.assign(this, { grid, edges });
    const places = placesOf(grid, times, [first, last], across, y);
    // With samples close together, separating lines would hide the bands.
    const parted = separated && !grid && layers.length <= 80 && (last - first) * 3 < box.width;
    // What is not drawn is between the stack and the line of all bands.
    if (separated && !grid && single === null && this.showsTotal()) {
      traceArea(context, total, places);
      fill(context, this.theme.undrawn);
    }
    for (let index = layers.length - 1; index >= 0; index--) {
      const paint = this.paint(layers[index].band);
      const edge = edges[index];
      if (single !== null) fill(context, paint, 1, barIn(box, across(times[single]), y(edge[single]), y(0)));
      else if (view === "lines") {
        traceEdge(context, edge, places);
        context.lineJoin = "round";
        stroke(context, paint, separated ? 1.6 : 0.8);
      } else {
        traceArea(context, edge, places);
        fill(context, paint);
        if (parted) traceEdge(context, edge, places);
        if (parted) stroke(context, this.theme.background);
      }
    }
    if (grid && view === "stacked" && layers.length > 0) this.drawHighest(context, grid, layers, across, y);
  }

  /** The columns of samples; `null` if there is room for every sample. @param {Span} span @param {number} width */
  gridOf(span, width) {
    return DenseGrid.of(span, width, !this.model.timed);
  }

  /**
   * Draws a hairline of the highest total of each column.
   * @param {CanvasRenderingContext2D} context
   * @param {DenseGrid} grid
   * @param {Layer[]} layers
   * @param {(place: number) => number} across
   * @param {(value: number) => number} y
   */
  drawHighest(context, grid, layers, across, y) {
    const highest = grid.highest(this.store.view.only.length > 0 ? layers[layers.length - 1].top : this.model.total);
    context.beginPath();
    for (const [column, high] of [...highest].sort(([a], [b]) => a - b)) context.lineTo(across(grid.low + (column + 0.5) * grid.width), y(high));
    stroke(context, this.theme.muted, 0.7);
  }

  /** Where a line over the bands is drawn, and its values there. @param {HeapSeries} line */
  placesOfLine({ times, values }) {
    const range = this.range();
    const [first, last] = within(times, ...range);
    const grid = last > first ? this.gridOf({ times, first, last, range }, this.box.width) : null;
    const places = placesOf(grid, times, [first, last], (place) => this.xOf(place), (value) => this.yOf(value));
    return { places, values: grid ? grid.means(values) : values };
  }

  /** What is accused, if no band contains it: an area behind the bands. @param {CanvasRenderingContext2D} context */
  drawAccused(context) {
    for (const line of this.heapLines().filter(({ kind }) => kind === this.model.outside)) {
      const { places, values } = this.placesOfLine(line);
      traceArea(context, values, places);
      fill(context, mixed(this.theme.problem, this.theme.background, PALE));
    }
  }

  /**
   * Shades the parts without samples that the pictures shade, too (src/chart/columns.rs): nothing is known of them. What
   * is between two of them becomes wide enough to be seen.
   * @param {CanvasRenderingContext2D} context
   */
  drawGaps(context) {
    const { box, model, theme } = this;
    const [first, last] = this.shownSamples();
    this.gaps = [];
    if (model.samples < USUAL) return;
    pen(context, theme.muted, "11px", "center");
    for (let i = first; i < last; i++) {
      const [from, to] = [this.xOf(model.times[i]) + 1, this.xOf(model.times[i + 1]) - 1];
      if (model.times[i + 1] - model.times[i] <= GAP * model.step || to - from < GAP_WIDTH) continue;
      this.gaps.push([from, to]);
    }
    let end = this.xOf(model.times[first]);
    this.gaps.forEach((gap, i) => {
      const lack = Math.max(0, LEAST_PIECE - (gap[0] - end)) / 2;
      gap[0] += lack;
      if (i > 0) this.gaps[i - 1][1] -= lack;
      end = gap[1];
    });
    for (const [from, to] of this.gaps) {
      fill(context, mixed(theme.grid, theme.background, 0.4), 1, [from, box.top, to - from, box.height]);
      context.fillStyle = theme.muted;
      if (context.measureText(NO_SAMPLES).width < to - from) context.fillText(NO_SAMPLES, (from + to) / 2, box.top + 14);
    }
  }

  /** @param {CanvasRenderingContext2D} context */
  drawLines(context) {
    context.lineJoin = "round";
    drawLows(this, context);
    // In columns, the line of the highest already shows the total.
    if (this.showsTotal() && !this.grid && this.model.single === null) {
      traceEdge(context, this.model.total, this.places());
      stroke(context, this.theme.total);
    }
    this.drawGaps(context);
    for (const line of this.heapLines()) {
      const isAccused = line.kind === this.model.outside;
      const width = isAccused ? 2 : line.width;
      const { places, values } = this.placesOfLine(line);
      traceEdge(context, values, places);
      stroke(context, this.theme.background, width + 1.6);
      context.setLineDash(isAccused ? [] : line.dash);
      stroke(context, isAccused ? this.theme.problem : this.theme.heap, width);
      context.setLineDash([]);
    }
  }

  /**
   * The strip under the chart: two handles that mark a part of the run, on a line, or on an overview of the complete run
   * if the chart shows only a part of it.
   */
  drawStrip() {
    const { part, range } = this.store.view;
    const strip = byId("strip");
    if (!this.hasStrip) return;
    strip.hidden = this.model.samples < 2 || this.store.view.view === "each";
    if (strip.hidden) return;
    strip.classList.toggle("overview", range !== null);
    const { clientWidth, clientHeight } = this.strip;
    if (clientHeight !== Math.round(sizeOf(this.strip).height)) fit(this.strip, clientWidth, clientHeight);
    const { context, width, height } = this.cleared(this.strip);
    const { left, width: plotWidth } = this.box;
    const box = { left, top: 3, width: plotWidth, height: height - 6 };
    this.stripBox = box;
    const placeOf = (/** @type {number} */ x) => box.left + ((x - this.full[0]) / (this.full[1] - this.full[0])) * box.width;
    const { accent, axis, background, grid } = this.theme;
    if (range) {
      this.wholeRun(context, width, height);
      const [from, to] = range.map(placeOf);
      fill(context, background, 0.72, [box.left, 0, from - box.left, height]);
      fill(context, background, 0.72, [to, 0, box.left + box.width - to, height]);
      context.beginPath();
      context.rect(from + 0.5, 0.5, Math.max(2, to - from - 1), height - 1);
      stroke(context, axis);
    } else fill(context, grid, 1, [box.left, height / 2 - 2, box.width, 4]);
    const [from, to] = (part ?? this.range()).map(placeOf);
    const colour = part ? accent : axis;
    fill(context, colour, 0.5, [from, height / 2 - 2, to - from, 4]);
    for (const x of [from, to]) fill(context, colour, 1, [x - 4, height / 2 - 7, 8, 14]);
  }

  /**
   * The bands of the complete run, cached while only the shown part changes.
   * @param {CanvasRenderingContext2D} context @param {number} width @param {number} height
   */
  wholeRun(context, width, height) {
    const { theme, layers, stripBox: box, store } = this;
    const ratio = context.getTransform().a;
    const key = [layers, store.view.view, theme.background, box.left, box.width, width, ratio];
    if (!same(this.stripKey ?? [], key)) {
      this.stripKey = key;
      const kept = (this.stripKept ??= document.createElement("canvas"));
      fit(kept, width, height);
      const strip = contextOf(kept);
      const most = this.highestEdge([0, this.model.samples - 1]) || 1e-9;
      // Forced colours have no pale grey.
      const isForced = matchMedia("(forced-colors: active)").matches;
      const behind = isForced ? theme.background : mixed(theme.grid, theme.background, 0.5);
      fill(strip, behind, 1, [box.left, 0, box.width, height]);
      this.drawBands(strip, layers, box, this.full, most * 1.02, false);
    }
    if (this.stripKept) context.drawImage(this.stripKept, 0, 0, width, height);
  }

  /** The layer at a point of the plot. @param {number} x @param {number} y */
  layerAt(x, y) {
    if (this.model.samples === 0) return null;
    const sample = this.model.single ?? this.model.nearest(this.placeOf(x));
    const { top, height } = this.box;
    const value = ((top + height - y) / height) * this.topValue;
    if (value < 0) return null;
    // Look up what is actually drawn there: a column or a sample.
    const { grid, edges } = this;
    const column = grid ? Math.min(grid.shown.length - 1, Math.max(0, lowerBound(grid.shown, Math.floor((this.placeOf(x) - grid.low) / grid.width)))) : sample;
    const edgeOf = (/** @type {Layer} */ layer) => edges[this.layers.indexOf(layer)]?.[column] ?? layer.top[sample];
    if (this.store.view.view !== "lines") {
      return this.layers.find((layer) => edgeOf(layer) >= value)?.band ?? null;
    }
    const distance = (/** @type {Layer} */ layer) => Math.abs(edgeOf(layer) - value);
    const nearest = this.layers.reduce((a, b) => (distance(b) < distance(a) ? b : a), this.layers[0]);
    return nearest && (distance(nearest) / this.topValue) * height < 24 ? nearest.band : null;
  }
}
