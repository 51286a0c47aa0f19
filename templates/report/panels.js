// @ts-check
// The activity of the run-time system, under the chart and on its axis: pauses, productivity,
// memory held and live, allocation. A panel without data in the log is left out.

import { canvasOf, clipped, contextOf, fill, fit, line, mixed, pen, stroke } from "./canvas.js";
import { placesOf } from "./dense.js";
import { Widget, byId } from "./dom.js";
import { traceArea, traceEdge } from "./layers.js";
import { highestBetween, lowerBound } from "./numbers.js";
import { bytesText, percentText, timeText } from "./words.js";
/** @import { Chart } from "./chart.js" */
/** @import { HeapSeries, Model } from "./model.js" */
/** @import { Store } from "./state.js" */

const PANEL_HEIGHT = 64;

export class Panels extends Widget {
  /** @param {Store} store @param {Chart} chart */
  constructor(store, chart) {
    super(store);
    this.chart = chart;
    this.box = byId("panels");
    this.canvas = canvasOf("panels-canvas");
    /** What follows the pointer, over the panels. */
    this.over = canvasOf("panels-over");
    /** The panels as they were drawn last. @type {ReturnType<Panels["list"]>} */
    this.panels = [];
    this.canvas.addEventListener("pointermove", ({ offsetX }) => {
      if (this.model.samples > 0) chart.hover(this.model.nearest(chart.placeOf(offsetX)));
    });
    this.canvas.addEventListener("pointerleave", () => chart.hover(null));
    chart.watch(() => this.drawOver());
    chart.drawn.push(() => this.draw());
    store.show(["data", "units", "panels"], () => this.draw());
  }

  list() {
    const { activity, heap } = this.model;
    const { units } = this.store.view;
    const bytes = (/** @type {number} */ value) => bytesText(value, units);
    /** @type {{ title: string, most: number, label: (value: number) => string, draw: (context: CanvasRenderingContext2D, y: (value: number) => number) => void, at: (place: number) => string }[]} */
    const panels = [];
    const inStep = (/** @type {Model["activity"]["allocation"]} */ { from, to, values }, /** @type {number} */ place) => {
      const i = lowerBound(from, place, true) - 1;
      return i >= 0 && place < to[i] ? values[i] : null;
    };
    const words = (/** @type {number | null} */ value, /** @type {(value: number) => string} */ text) => (value === null ? "" : text(value));
    if (activity.pauses.start.length > 0) {
      const most = highestBetween(activity.pauses.length);
      panels.push({ title: "pauses of collections", most, label: timeText, draw: (context, y) => this.bars(context, y), at: (place) => words(this.pauseAt(place), timeText) });
      panels.push({ title: "productivity", most: 1e6, label: (value) => percentText(value, 1e6), draw: (context, y) => this.steps(context, activity.productivity, y), at: (place) => words(inStep(activity.productivity, place), (value) => percentText(value, 1e6)) });
    }
    const [size, live] = ["size", "live"].map((kind) => heap.find((line) => line.kind === kind));
    if (size && live && size.values.length > 0 && live.values.length > 0) {
      const most = Math.max(highestBetween(size.values), highestBetween(live.values));
      panels.push({ title: "memory held (line) against live (filled)", most, label: bytes, draw: (context, y) => this.held(context, size, live, y), at: (place) => [size, live].map(({ times, values }) => words(values[lowerBound(times, place, true) - 1] ?? null, bytes)).filter(Boolean).join(" against ") });
    }
    if (activity.allocation.values.length > 0) {
      panels.push({ title: "allocation in a second of the program", most: highestBetween(activity.allocation.values), label: bytes, draw: (context, y) => this.steps(context, activity.allocation, y), at: (place) => words(inStep(activity.allocation, place), bytes) });
    }
    return panels;
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
    if (this.box.hidden) return;
    const { chart, model } = this;
    const { context } = chart.cleared(this.over);
    const at = chart.at();
    const { left, width } = chart.box;
    const x = at === null ? NaN : Math.round(chart.xOf(model.times[at])) + 0.5;
    if (at === null || !(x >= left && x <= left + width + 1)) return;
    pen(context, chart.theme.text, "bold 11px", "right");
    const said = this.panels.map(({ title, at: valueAt }, i) => {
      const top = i * (PANEL_HEIGHT + 20) + 18;
      line(context, chart.theme.text, [x, top, x, top + PANEL_HEIGHT]);
      const words = valueAt(model.times[at]);
      context.fillText(words, left + width, top - 5);
      return `${title}: ${words}`;
    });
    this.over.dataset.values = said.join("; ");
  }

  draw() {
    const panels = (this.panels = this.list());
    // Without samples, they are all that there is to see.
    this.box.hidden = panels.length === 0 || !(this.store.view.panels || this.model.samples === 0);
    if (this.box.hidden) return;
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
      pen(context, theme.muted, "11px");
      context.fillText(title, left, top - 5);
      pen(context, theme.muted, "11px", "right");
      context.fillText(label(most), left - 6, y(most) + 8);
      line(context, theme.grid, [left, Math.round(y(most)) + 0.5, left + width, Math.round(y(most)) + 0.5]);
      line(context, theme.axis, [left, bottom + 0.5, left + width, bottom + 0.5]);
      clipped(context, { left, top: top - 2, width, height: PANEL_HEIGHT + 3 }, () => draw(context, y));
    });
    this.drawOver();
  }

  /**
   * A bar for each pause; old generations have their own colour.
   * @param {CanvasRenderingContext2D} context @param {(value: number) => number} y
   */
  bars(context, y) {
    const { start, length, generation } = this.model.activity.pauses;
    const { chart } = this;
    for (let i = 0; i < start.length; i++) {
      const colour = generation[i] > 0 ? chart.theme.accent : chart.theme.marker;
      fill(context, colour, 1, [chart.xOf(start[i]) - 0.5, y(length[i]), 1.5, y(0) - y(length[i])]);
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
    stroke(context, chart.theme.heap, 1.3);
  }

  /**
   * One series as a line over another, filled one.
   * @param {CanvasRenderingContext2D} context @param {HeapSeries} above @param {HeapSeries} below
   * @param {(value: number) => number} y
   */
  held(context, above, below, y) {
    const { heap, background } = this.chart.theme;
    const across = (/** @type {number} */ place) => this.chart.xOf(place);
    const places = (/** @type {HeapSeries} */ { times }) => placesOf(null, times, [0, times.length - 1], across, y);
    traceArea(context, below.values, places(below));
    fill(context, mixed(heap, background, 0.6));
    traceEdge(context, above.values, places(above));
    stroke(context, heap, 1.3);
  }
}
