// @ts-check
// The activity of the run-time system, under the chart and on its axis: pauses, productivity,
// memory held and live, allocation. A panel without data in the log is left out.

import { FONT, canvasOf, closeArea, contextOf, fit, line, mixed } from "./canvas.js";
import { Widget, byId } from "./dom.js";
import { traceEdge } from "./layers.js";
import { lowerBound } from "./numbers.js";
import { bytesText, countText, percentText, threeDigits, timeText } from "./words.js";
/** @import { Chart } from "./chart.js" */
/** @import { HeapSeries, Model } from "./model.js" */
/** @import { Store } from "./state.js" */

const PANEL_HEIGHT = 64;

export class Panels extends Widget {
  /** @param {Store} store @param {Chart} chart */
  constructor(store, chart) {
    super(store);
    this.chart = chart;
    this.box = /** @type {HTMLDetailsElement} */ (byId("panels"));
    this.canvas = canvasOf("panels-canvas");
    /** What follows the pointer, over the panels. */
    this.over = canvasOf("panels-over");
    /** The panels as they were drawn last. @type {ReturnType<Panels["list"]>} */
    this.panels = [];
    this.box.addEventListener("toggle", () => this.draw());
    this.canvas.addEventListener("pointermove", ({ offsetX }) => {
      if (this.model.samples > 0) chart.hover(this.model.nearest(chart.placeOf(offsetX)));
    });
    this.canvas.addEventListener("pointerleave", () => chart.hover(null));
    chart.watch(() => this.drawOver());
    chart.onDraw = () => this.draw();
    store.on(["data", "units"], () => this.fill());
    this.fill();
  }

  list() {
    const { activity, heap, facts } = this.model;
    const { units } = this.store.view;
    const bytes = (/** @type {number} */ value) => bytesText(value, units);
    /** @type {{ title: string, most: number, label: (value: number) => string, draw: (context: CanvasRenderingContext2D, y: (value: number) => number, bottom: number) => void, at: (place: number) => string }[]} */
    const panels = [];
    const inStep = (/** @type {Model["activity"]["allocation"]} */ { from, to, values }, /** @type {number} */ place) => {
      const i = lowerBound(from, place, true) - 1;
      return i >= 0 && place < to[i] ? values[i] : null;
    };
    const words = (/** @type {number | null} */ value, /** @type {(value: number) => string} */ text) => (value === null ? "" : text(value));
    if (activity.pauses.start.length > 0) {
      const most = highestOf(activity.pauses.length);
      panels.push({ title: "pauses of collections", most, label: timeText, draw: (context, y, bottom) => this.bars(context, y, bottom), at: (place) => words(this.pauseAt(place), timeText) });
      panels.push({ title: "productivity", most: 1e6, label: (value) => percentText(value, 1e6), draw: (context, y) => this.steps(context, activity.productivity, y), at: (place) => words(inStep(activity.productivity, place), (value) => percentText(value, 1e6)) });
    }
    const { size, live } = heap;
    if (facts.runtime.memory && size.values.length > 0 && live.values.length > 0) {
      const most = Math.max(highestOf(size.values), highestOf(live.values));
      panels.push({ title: "memory held (line) against live (filled)", most, label: bytes, draw: (context, y, bottom) => this.held(context, size, live, y, bottom), at: (place) => [size, live].map(({ times, values }) => words(values[lowerBound(times, place, true) - 1] ?? null, bytes)).filter(Boolean).join(" against ") });
    }
    if (activity.allocation.values.length > 0) {
      panels.push({ title: "allocation in a second of the program", most: highestOf(activity.allocation.values), label: bytes, draw: (context, y) => this.steps(context, activity.allocation, y), at: (place) => words(inStep(activity.allocation, place), bytes) });
    }
    return panels;
  }

  fill() {
    const { runtime } = this.model.facts;
    const { units } = this.store.view;
    this.box.hidden = this.list().length === 0;
    this.box.open ||= this.model.samples === 0;
    const words = [];
    const { gc, memory, allocation, nonmoving } = runtime;
    if (gc) words.push(`${countText(gc.collections, "collection")}, ${timeText(gc.pause_ns)} paused (longest ${timeText(gc.longest_ns)})`, `${threeDigits(gc.productivity_percent)} % productive`);
    if (memory?.held_peak) words.push(`held ${bytesText(memory.held_peak, units)}${memory.held_by_live ? `, ${threeDigits(memory.held_by_live)} × live` : ""}`);
    if (allocation) words.push(`allocated ${bytesText(allocation.bytes, units)}`);
    if (nonmoving) words.push(`${countText(nonmoving.sweeps, "non-moving cycle")}, ${timeText(nonmoving.marking_ns)} marking`);
    byId("panels-words").textContent = words.join("; ");
    this.draw();
  }

  /** The longest pause under the crosshair, which is as wide as a few pixels. @param {number} place */
  pauseAt(place) {
    const { start, length } = this.model.activity.pauses;
    const reach = Math.abs(this.chart.placeOf(3) - this.chart.placeOf(0));
    let longest = null;
    for (let i = lowerBound(start, place - reach); i < start.length && start[i] <= place + reach; i++) longest = Math.max(longest ?? 0, length[i]);
    return longest;
  }

  /** Draws the chart's crosshair through the panels, with their values. */
  drawOver() {
    if (!this.box.open || this.box.hidden) return;
    const { chart, model } = this;
    const { context } = chart.cleared(this.over);
    const at = chart.at();
    const { left, width } = chart.box;
    const x = at === null ? NaN : Math.round(chart.xOf(model.times[at])) + 0.5;
    if (at === null || !(x >= left && x <= left + width + 1)) return;
    context.strokeStyle = chart.theme.text;
    context.lineWidth = 1;
    context.font = `bold 11px ${FONT}`;
    context.textAlign = "right";
    context.fillStyle = chart.theme.text;
    const said = this.panels.map(({ title, at: valueAt }, i) => {
      const top = i * (PANEL_HEIGHT + 20) + 18;
      line(context, x, top, x, top + PANEL_HEIGHT);
      const words = valueAt(model.times[at]);
      context.fillText(words, left + width, top - 5);
      return `${title}: ${words}`;
    });
    this.over.dataset.values = said.join("; ");
  }

  draw() {
    if (!this.box.open || this.box.hidden) return;
    const panels = (this.panels = this.list());
    const { left, width } = this.chart.box;
    const whole = this.canvas.clientWidth || left + width + 14;
    const height = panels.length * (PANEL_HEIGHT + 20) + 4;
    this.canvas.style.height = `${height}px`;
    fit(this.canvas, whole, height);
    fit(this.over, whole, height);
    this.over.style.height = `${height}px`;
    const context = contextOf(this.canvas);
    const { theme } = this.chart;
    panels.forEach(({ title, most, label, draw }, i) => {
      const top = i * (PANEL_HEIGHT + 20) + 18;
      const bottom = top + PANEL_HEIGHT;
      const y = (/** @type {number} */ value) => bottom - (most > 0 ? value / (1.05 * most) : 0) * PANEL_HEIGHT;
      context.font = `11px ${FONT}`;
      context.textBaseline = "alphabetic";
      context.fillStyle = theme.muted;
      context.textAlign = "left";
      context.fillText(title, left, top - 5);
      context.textAlign = "right";
      context.fillText(label(most), left - 6, y(most) + 8);
      context.strokeStyle = theme.grid;
      context.lineWidth = 1;
      line(context, left, Math.round(y(most)) + 0.5, left + width, Math.round(y(most)) + 0.5);
      context.strokeStyle = theme.axis;
      line(context, left, bottom + 0.5, left + width, bottom + 0.5);
      context.save();
      context.beginPath();
      context.rect(left, top - 2, width, PANEL_HEIGHT + 3);
      context.clip();
      draw(context, y, bottom);
      context.restore();
    });
    this.drawOver();
  }

  /**
   * A bar for each pause; old generations have their own colour.
   * @param {CanvasRenderingContext2D} context @param {(value: number) => number} y @param {number} bottom
   */
  bars(context, y, bottom) {
    const { start, length, generation } = this.model.activity.pauses;
    const { chart } = this;
    for (let i = 0; i < start.length; i++) {
      context.fillStyle = generation[i] > 0 ? chart.theme.accent : chart.theme.marker;
      context.fillRect(chart.xOf(start[i]) - 0.5, y(length[i]), 1.5, bottom - y(length[i]));
    }
  }

  /** @param {CanvasRenderingContext2D} context @param {Model["activity"]["allocation"]} steps @param {(value: number) => number} y */
  steps(context, { from, to, values }, y) {
    const { chart } = this;
    context.beginPath();
    for (let i = 0; i < values.length; i++) {
      const height = y(values[i]);
      if (i === 0 || from[i] > to[i - 1]) context.moveTo(chart.xOf(from[i]), height);
      else context.lineTo(chart.xOf(from[i]), height);
      context.lineTo(chart.xOf(to[i]), height);
    }
    context.strokeStyle = chart.theme.heap;
    context.lineWidth = 1.3;
    context.stroke();
  }

  /**
   * One series as a line over another, filled one.
   * @param {CanvasRenderingContext2D} context
   * @param {HeapSeries} above
   * @param {HeapSeries} below
   * @param {(value: number) => number} y
   * @param {number} bottom
   */
  held(context, above, below, y, bottom) {
    const { chart } = this;
    const trace = (/** @type {HeapSeries} */ { times, values }) => {
      context.beginPath();
      traceEdge(context, values, 0, values.length - 1, (i) => chart.xOf(times[i]), y, true);
    };
    trace(below);
    closeArea(context, chart.xOf(below.times[0]), chart.xOf(below.times[below.times.length - 1]), bottom);
    context.fillStyle = mixed(chart.theme.heap, chart.theme.background, 0.6);
    context.fill();
    trace(above);
    context.strokeStyle = chart.theme.heap;
    context.lineWidth = 1.3;
    context.stroke();
  }
}

/** @param {ArrayLike<number>} values */
function highestOf(values) {
  let most = 0;
  for (let i = 0; i < values.length; i++) most = Math.max(most, values[i]);
  return most;
}
