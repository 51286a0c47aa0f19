// @ts-check
// Pointer, wheel and keys on the chart and the overview.

import { Widget, say } from "./dom.js";
import { markersAt } from "./markers.js";
import { lowerBound } from "./numbers.js";
import { partWithin, pick } from "./state.js";
import { bytesText, signedBytes } from "./words.js";
/** @import { Chart } from "./chart.js" */
/** @import { Model } from "./model.js" */
/** @import { Store, View } from "./state.js" */

export class Pointer extends Widget {
  /** @param {Store} store @param {Chart} chart */
  constructor(store, chart) {
    super(store);
    this.chart = chart;
    /** @type {Map<number, PointerEvent>} */
    this.down = new Map();
    /** Where a press began, and what was shown then. */
    this.start = /** @type {{ x: number, range: [number, number], spread: number, held: number, moved: boolean, marks: boolean } | null} */ (null);
    /** What is dragged in the overview. */
    this.grip = /** @type {{ what: string, place: number, from: number, to: number } | null} */ (null);
    const { plot, strip } = chart;
    plot.addEventListener("pointerdown", (event) => this.press(event));
    plot.addEventListener("pointermove", (event) => this.move(event));
    plot.addEventListener("pointerup", (event) => this.release(event));
    plot.addEventListener("pointercancel", (event) => this.cancel(event));
    plot.addEventListener("pointerleave", (event) => {
      if (event.pointerType !== "touch") this.leave();
    });
    plot.addEventListener("dblclick", () => store.set({ range: null, part: null, at: null }));
    /** When the page was last scrolled. */
    this.scrolled = -Infinity;
    addEventListener("scroll", () => (this.scrolled = performance.now()), { passive: true });
    plot.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    plot.addEventListener("keydown", (event) => this.key(event));
    strip.addEventListener("pointerdown", (event) => this.pressStrip(event));
    strip.addEventListener("pointermove", (event) => this.moveStrip(event));
    strip.addEventListener("pointerup", () => {
      if (this.grip) say(gainedWords(chart));
      this.grip = null;
    });
    strip.addEventListener("dblclick", () => store.set({ range: null, part: null }));
  }

  /** Shows a part of the axis. @param {number} from @param {number} to */
  show(from, to) {
    this.store.set({ range: partWithin(this.model, from, to) });
  }

  /** @param {number} factor below 1 to see more detail @param {number} around a place that does not move */
  zoom(factor, around) {
    const [from, to] = this.chart.range();
    this.show(around - (around - from) * factor, around + (to - around) * factor);
  }

  /** @param {number} share of what is shown */
  pan(share) {
    const [from, to] = this.chart.range();
    this.show(from + (to - from) * share, to + (to - from) * share);
  }

  /** Marks a part of the run, from one place of the axis to another: what it gained is shown. @param {number} from @param {number} to */
  mark(from, to) {
    const { store } = this;
    this.chart.hover(null);
    store.set({ part: partWithin(this.model, Math.min(from, to), Math.max(from, to)), ...(store.view.at === null ? {} : { at: null }) });
  }

  /** @param {MouseEvent} event */
  position(event) {
    const { left, top } = this.chart.plot.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button !== 0) return;
    this.down.set(event.pointerId, event);
    this.chart.plot.setPointerCapture(event.pointerId);
    const [x] = this.position(event);
    this.start = { x, range: this.chart.range(), spread: 0, held: 0, moved: false, marks: false };
  }

  spread() {
    const [a, b] = [...this.down.values()];
    return b ? Math.max(20, Math.abs(a.clientX - b.clientX)) : 0;
  }

  /** @param {PointerEvent} event */
  move(event) {
    const [x, y] = this.position(event);
    const { chart, start } = this;
    if (this.down.has(event.pointerId)) this.down.set(event.pointerId, event);
    if (start && this.down.size === 2) this.pinch();
    else if (start && this.down.size === 1) {
      start.moved ||= Math.abs(x - start.x) > 4;
      if (!start.moved) return;
      if (event.pointerType === "touch") this.follow(x, y);
      else {
        const { left, width } = chart.box;
        const inside = (/** @type {number} */ at) => chart.placeOf(Math.min(left + width, Math.max(left, at)));
        start.marks = true;
        this.mark(inside(start.x), inside(x));
      }
    } else this.follow(x, y);
  }

  /** @param {number} x @param {number} y */
  follow(x, y) {
    const { chart, model } = this;
    if (model.samples === 0) return;
    chart.hover(model.nearest(chart.placeOf(x)));
    chart.emphasise(chart.layerAt(x, y));
  }

  /** Two fingers: the range between them stays between them. */
  pinch() {
    const { chart, start } = this;
    if (!start) return;
    const spread = this.spread();
    const between = this.between();
    if (start.spread === 0) {
      Object.assign(start, { spread, range: chart.range(), held: chart.placeOf(between) });
    } else {
      const [from, to] = start.range;
      const span = (to - from) * (start.spread / spread);
      const left = start.held - ((between - chart.box.left) / chart.box.width) * span;
      this.show(left, left + span);
    }
    start.moved = true;
  }

  /** The middle between two fingers, in pixels of the plot. */
  between() {
    const all = [...this.down.values()];
    return all.reduce((sum, event) => sum + this.position(event)[0], 0) / Math.max(1, all.length);
  }

  /** @param {PointerEvent} event */
  release(event) {
    const { chart, start } = this;
    this.down.delete(event.pointerId);
    const [x, y] = this.position(event);
    if (start?.marks) say(gainedWords(chart));
    else if (start && !start.moved && this.model.samples > 0) {
      this.follow(x, y);
      const at = this.model.nearest(chart.placeOf(x));
      const band = chart.emphasis;
      this.store.set({ at: this.store.view.at === at ? null : at, ...(band !== null && band >= 0 ? { selected: band } : {}) });
      chart.plot.focus({ preventScroll: true });
    }
    if (this.down.size === 0) this.start = null;
    // A tapped sample is pinned; one that a finger was drawn to stays in sight after lifting it.
    if (event.pointerType === "touch" && start && !start.moved) chart.hover(null);
    if (event.pointerType === "touch") chart.emphasise(null);
  }

  /** @param {PointerEvent} event */
  cancel(event) {
    this.down.delete(event.pointerId);
    this.start = null;
    this.leave();
  }

  leave() {
    if (this.down.size === 0) this.chart.leave();
  }

  /**
   * The wheel scrolls the page. It zooms with Ctrl (which a touchpad's pinch also reports), or if the
   * chart has the focus.
   * @param {WheelEvent} event
   */
  wheel(event) {
    const { chart } = this;
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
    const meant = event.ctrlKey || event.metaKey || document.activeElement === chart.plot;
    const pans = sideways && this.store.view.range !== null;
    if (!pans && (!meant || sideways)) return;
    // If everything is shown already, zooming out has no effect: let the page scroll.
    if (!this.store.view.range && event.deltaY > 0 && !event.ctrlKey) return;
    // A page that is already scrolling keeps scrolling when the chart comes under the pointer.
    if (!event.ctrlKey && performance.now() - this.scrolled < 250) return;
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 16 : 1;
    if (sideways) this.pan(((event.deltaX || event.deltaY) * unit) / chart.box.width);
    else {
      const [x] = this.position(event);
      this.zoom(Math.exp(Math.max(-120, Math.min(120, event.deltaY * unit)) / 320), chart.placeOf(x));
    }
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.model.samples === 0) return;
    const { chart, model, store } = this;
    const [first, last] = model.censuses;
    const at = chart.at() ?? chart.rest();
    const [from, to] = chart.range();
    const around = Math.min(to, Math.max(from, model.times[at]));
    const step = event.shiftKey ? 10 : 1;
    const moved = {
      ArrowLeft: at - step,
      ArrowRight: at + step,
      PageUp: at - Math.ceil(model.samples / 20),
      PageDown: at + Math.ceil(model.samples / 20),
      Home: first,
      End: last,
      p: chart.peakInSight(),
      m: this.nextMarker(at, 1),
      M: this.nextMarker(at, -1),
    }[event.key];
    if (moved !== undefined) this.moveTo(Math.min(last, Math.max(first, moved)));
    else if (event.key === "+" || event.key === "=") this.zoom(0.5, around);
    else if (event.key === "-") this.zoom(2, around);
    else if (event.key === "0") store.set({ range: null });
    else if (event.key === "ArrowUp" || event.key === "ArrowDown") this.stepLayer(event.key === "ArrowUp" ? 1 : -1, at);
    else if (event.key === "Enter" && chart.emphasis !== null) pick(store, chart.emphasis, false);
    else if (event.key === "[" || event.key === "]") {
      const [low, high] = store.part ?? [from, model.times[chart.end()]];
      if (event.key === "[") this.mark(around, Math.max(around, high));
      else this.mark(Math.min(around, low), around);
      say(gainedWords(chart));
    } else if (event.key === "z") store.set({ range: store.view.part ?? store.view.range });
    else return chart.emphasise(event.key === "Escape" ? null : chart.emphasis);
    event.preventDefault();
  }

  /** @param {number} sample */
  moveTo(sample) {
    const { chart, model, store } = this;
    chart.hovered = null;
    store.set({ at: sample });
    const x = model.times[sample];
    const [from, to] = chart.range();
    if (x < from || x > to) this.show(x - (to - from) / 2, x + (to - from) / 2);
    const markers = markersAt(chart, sample).map((marker) => marker.text);
    say([...markers, sampleWords(model, store.view, chart, sample)].join(": "));
  }

  /** @param {number} by @param {number} at */
  stepLayer(by, at) {
    const { chart } = this;
    const now = chart.layers.findIndex((layer) => layer.band === chart.emphasis);
    const next = now < 0 ? (by > 0 ? 0 : chart.layers.length - 1) : now + by;
    const layer = chart.layers[Math.min(chart.layers.length - 1, Math.max(0, next))];
    if (!layer) return;
    chart.emphasise(layer.band);
    say(`${this.model.called(layer.band)}: ${bytesText(layer.values[at], this.store.view.units)}`);
  }

  /** The sample at or after the next marker. @param {number} at @param {number} direction */
  nextMarker(at, direction) {
    const { model } = this;
    const places = model.markers
      .filter((marker) => !marker.message)
      .map((marker) => Math.min(model.samples - 1, lowerBound(model.times, marker.time)));
    return direction > 0 ? places.find((place) => place > at) : places.reverse().find((place) => place < at);
  }

  /** The place on the axis of a point of the strip. @param {PointerEvent} event */
  placeInStrip(event) {
    const { full: [low, high], stripBox: { left, width } } = this.chart;
    return Math.min(high, Math.max(low, low + ((event.offsetX - left) / width) * (high - low)));
  }

  /** @param {PointerEvent} event */
  pressStrip(event) {
    const { chart, store } = this;
    if (this.model.samples === 0) return;
    chart.strip.setPointerCapture(event.pointerId);
    const place = this.placeInStrip(event);
    const [from, to] = store.part ?? chart.full;
    const near = (10 / chart.stripBox.width) * (chart.full[1] - chart.full[0]);
    const [before, after] = [Math.abs(place - from), Math.abs(place - to)];
    const isInside = store.part !== null && place > from && place < to;
    const what = Math.min(before, after) < near ? (before < after ? "from" : "to") : isInside ? "both" : "new";
    // Where nothing is marked yet, a part ends where the figures at the end are: the exit has freed what is to be seen.
    this.grip = { what, place, from, to: store.part ? to : this.model.times[chart.end()] };
  }

  /** Handles mark a part of the run; what is between them moves that part or, if none is marked, the axis. @param {PointerEvent} event */
  moveStrip(event) {
    const { grip, store } = this;
    if (!grip) return;
    const place = this.placeInStrip(event);
    const [from, to] = [grip.from + place - grip.place, grip.to + place - grip.place];
    if (grip.what === "both" && store.view.part === null) this.show(from, to);
    else if (grip.what === "both") this.mark(from, to);
    else this.mark(grip.what === "from" ? grip.to : grip.what === "to" ? grip.from : grip.place, place);
  }
}

/** What the marked part gained, or what is shown instead, in words. @param {Chart} chart */
export function gainedWords(chart) {
  const { model, store, layers } = chart;
  const { part, units } = store.view;
  if (model.samples === 0) return "";
  const [first, last] = chart.gained() ?? model.samplesIn(part);
  const gain = (/** @type {ArrayLike<number>} */ values) => values[last] - values[first];
  const biggest = [...layers].sort((p, q) => Math.abs(gain(q.values)) - Math.abs(gain(p.values))).slice(0, 3);
  const bands = biggest.map((layer) => `${model.called(layer.band)} ${signedBytes(gain(layer.values), units)}`);
  return `gained from ${model.when(first)} to ${model.when(last)}: ${signedBytes(gain(model.total), units)}; ${bands.join(", ")}`;
}

/**
 * A description of a sample for screen readers.
 * @param {Model} model @param {View} view @param {Chart} chart @param {number} sample
 */
export function sampleWords(model, view, chart, sample) {
  const biggest = [...chart.layers].sort((a, b) => b.values[sample] - a.values[sample]).slice(0, 3);
  const bands = biggest.map((layer) => `${model.called(layer.band)} ${bytesText(layer.values[sample], view.units)}`);
  return `${model.when(sample)}: ${bytesText(model.total[sample], view.units)} in all; ${bands.join(", ")}`;
}
