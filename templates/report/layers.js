// @ts-check
// The stacked layers and their edges: computed once for each choice of bands, then thinned to pixels.

import { OTHER, UNDRAWN } from "./model.js";
import { addTo, lowerBound } from "./numbers.js";
/** @import { Model } from "./model.js" */
/** @import { View } from "./state.js" */

/** @typedef {ReturnType<typeof layer>} Layer */

export const OPENED_AT_ONCE = 12;

/**
 * Gives an element beside a name the dashes of its line, if it has any.
 * @param {HTMLElement} box @param {Model} model @param {string} kind
 */
export function dashed(box, model, kind) {
  const line = model.heap.find((line) => line.kind === kind);
  const [on, off] = line?.dash ?? [];
  const lengths = line ? { on, period: on + off, thick: Math.round(line.width) } : {};
  for (const [name, length] of Object.entries(lengths)) box.style.setProperty(`--${name}`, `${length}px`);
  return box;
}

/** The layers of a view, bottom first. @param {Model} model @param {View} view @returns {Layer[]} */
export function layersOf(model, view) {
  const layers = view.only.length > 0 ? isolated(model, view.only) : stacked(model, view);
  let below = new Float64Array(model.samples);
  for (const layer of layers) {
    const top = new Float64Array(model.samples);
    for (let i = 0; i < top.length; i++) {
      if (view.view === "lines") top[i] = layer.values[i];
      else if (view.view === "percent") top[i] = below[i] + (model.total[i] > 0 ? (100 * layer.values[i]) / model.total[i] : 0);
      else top[i] = below[i] + layer.values[i];
    }
    layer.top = top;
    below = top;
  }
  return layers;
}

/** The bytes of all layers together, in each sample. @param {Layer[]} layers @param {number} samples */
export function sumOf(layers, samples) {
  const sum = new Float64Array(samples);
  for (const { values } of layers) addTo(sum, values);
  return sum;
}

/**
 * A band, OTHER or UNDRAWN with its bytes in each sample, and its upper edge in the stack, in bytes or percent.
 * @param {Model} model @param {number} band
 */
function layer(model, band, values = model.curve(band)) {
  return { band, values, top: values, exact: model.isExact(band) };
}

/** @param {Model} model @param {number[]} bands */
function isolated(model, bands) {
  const weight = (/** @type {number} */ band) => (band < 0 ? -1 : model.totals[band]);
  const place = (/** @type {number} */ band) => model.choice.kept.indexOf(band);
  const order = [...bands].sort((a, b) => place(a) - place(b) || weight(a) - weight(b));
  return order.map((band) => layer(model, band));
}

/** @param {Model} model @param {View} view */
function stacked(model, view) {
  const layers = [];
  if (model.choice.other) {
    const opened = model.choice.others.slice(0, view.open).reverse();
    const rest = Float64Array.from(model.choice.other);
    for (const band of opened) addTo(rest, model.curve(band), -1);
    const left = rest.map((bytes) => Math.max(0, bytes));
    if (opened.length < model.choice.others.length) layers.push(layer(model, OTHER, left));
    layers.push(...opened.map((band) => layer(model, band)));
  }
  layers.push(...model.choice.kept.map((band) => layer(model, band)));
  if (view.undrawn) layers.push(layer(model, UNDRAWN));
  return layers;
}

/**
 * The bar of a single sample: left, top, width, height. At an end of the box, it is to one side of its place.
 * @param {{ left: number, width: number }} box @param {number} place @param {number} top @param {number} bottom
 * @param {number} [most] half its width, as in the picture if nothing else is said
 */
export function barIn({ left, width }, place, top, bottom, most = 32) {
  const half = Math.min(most, width / 2);
  const isInSight = left <= place && place <= left + width;
  const middle = isInSight ? Math.min(left + width - half, Math.max(left + half, place)) : place;
  return [middle - half, top, 2 * half, bottom - top];
}

/**
 * The points that touch a part of the axis, including one beyond each end. Only those between the given ones take part.
 * @param {Float64Array} times @param {number} from @param {number} to @param {[number, number]} points
 * @returns {[number, number]}
 */
export function within(times, from, to, [least, most] = [0, times.length - 1]) {
  const first = Math.max(least, Math.min(most, lowerBound(times, from)) - 1);
  return [first, Math.max(first, Math.min(most, lowerBound(times, to)))];
}

/**
 * The samples or columns that are drawn, from one to another, and their places in pixels.
 * @typedef {{ from: number, to: number, x: (sample: number) => number, y: (value: number) => number }} Places
 */

/**
 * The samples of an edge that are drawn. Of those in one column of pixels only the lowest and the highest are,
 * in their order, so no peak is lost and no column has more than two points.
 * @param {ArrayLike<number>} values @param {Places} places
 */
function thinned(values, { from, to, x }) {
  const isThin = to - from <= 2 * (x(to) - x(from));
  const samples = [];
  for (let i = from; i <= to; ) {
    const end = isThin ? -Infinity : Math.floor(x(i)) + 1;
    let [low, high] = [i, i];
    while (++i <= to && x(i) < end) {
      if (values[i] < values[low]) low = i;
      else if (values[i] > values[high]) high = i;
    }
    samples.push(Math.min(low, high));
    if (low !== high) samples.push(Math.max(low, high));
  }
  return isThin ? samples : [...samples, to];
}

/**
 * Begins a path along an edge.
 * @param {CanvasRenderingContext2D} context @param {ArrayLike<number>} values @param {Places} places
 */
export function traceEdge(context, values, places) {
  context.beginPath();
  for (const i of thinned(values, places)) context.lineTo(places.x(i), places.y(values[i]));
}

/**
 * Begins a path around the area under an edge, down to another one or to zero.
 * @param {CanvasRenderingContext2D} context @param {ArrayLike<number>} values @param {Places} places
 * @param {ArrayLike<number> | null} [below]
 */
export function traceArea(context, values, places, below = null) {
  traceEdge(context, values, places);
  const back = below ? thinned(below, places).reverse() : [places.to, places.from];
  for (const i of back) context.lineTo(places.x(i), places.y(below ? below[i] : 0));
  context.closePath();
}
