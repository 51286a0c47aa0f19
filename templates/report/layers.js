// @ts-check
// The stacked layers and their edges: computed once for each choice of bands, then thinned to pixels.

import { OTHER, UNDRAWN } from "./model.js";
import { lowerBound } from "./numbers.js";
/** @import { Model } from "./model.js" */
/** @import { View } from "./state.js" */

/**
 * @typedef {object} Layer
 * @property {number} band a band's number, OTHER or UNDRAWN
 * @property {Float64Array} values bytes in each sample
 * @property {Float64Array} top the upper edge in the stack, in bytes or percent
 * @property {boolean} exact
 */

export const OPENED_AT_ONCE = 12;

export const HEAP_LINES = [
  { kind: "size", name: "heap size", dash: [10, 3], width: 1.3 },
  { kind: "blocks", name: "blocks size", dash: [4, 3], width: 1.3 },
  { kind: "live", name: "live bytes", dash: [1.5, 2.5], width: 1.7 },
  { kind: "resident", name: "resident memory", dash: [6, 2], width: 1.7 },
];

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
  for (const { values } of layers) for (let i = 0; i < samples; i++) sum[i] += values[i];
  return sum;
}

/** @param {Model} model @param {number} band @param {Float64Array} [values] @returns {Layer} */
function layer(model, band, values) {
  const curve = values ?? model.curve(band);
  return { band, values: curve, top: curve, exact: model.isExact(band) };
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
    for (const band of opened) {
      const curve = model.curve(band);
      for (let i = 0; i < rest.length; i++) rest[i] = Math.max(0, rest[i] - curve[i]);
    }
    if (opened.length < model.choice.others.length) layers.push(layer(model, OTHER, rest));
    layers.push(...opened.map((band) => layer(model, band)));
  }
  layers.push(...model.choice.kept.map((band) => layer(model, band)));
  if (view.undrawn) layers.push(layer(model, UNDRAWN));
  return layers;
}

/**
 * Follows an edge drawn by {@link traceEdge} backwards, and closes the area between the two.
 * @param {CanvasRenderingContext2D} context
 * @param {ArrayLike<number>} values
 * @param {number} from
 * @param {number} to the last sample
 * @param {(sample: number) => number} x
 * @param {(value: number) => number} y
 */
export function traceEdgeBack(context, values, from, to, x, y) {
  /** @type {[number, number][]} */
  const points = [];
  const add = (/** @type {number} */ px, /** @type {number} */ py) => points.push([px, py]);
  const record = /** @type {any} */ ({ moveTo: add, lineTo: add });
  traceEdge(record, values, from, to, x, y, true);
  for (const [px, py] of points.reverse()) context.lineTo(px, py);
  context.closePath();
}

/**
 * The points that touch a part of the axis, including one beyond each end.
 * @param {Float64Array} times @param {number} from @param {number} to @returns {[number, number]}
 */
export function within(times, from, to) {
  const first = Math.max(0, Math.min(times.length - 1, lowerBound(times, from)) - 1);
  return [first, Math.max(first, Math.min(times.length - 1, lowerBound(times, to)))];
}

/**
 * The highest value between two samples.
 * @param {Float64Array} values @param {number} from @param {number} to the last one
 */
export function highestBetween(values, from, to) {
  let most = 0;
  for (let i = from; i <= to; i++) if (values[i] > most) most = values[i];
  return most;
}

/**
 * Draws along an edge. Of the samples in one column of pixels only the lowest and the highest are
 * drawn, in their order, so no peak is lost and no column has more than two points.
 * @param {CanvasRenderingContext2D} context
 * @param {ArrayLike<number>} values
 * @param {number} from
 * @param {number} to the last sample
 * @param {(sample: number) => number} x
 * @param {(value: number) => number} y
 * @param {boolean} moves whether to start a new line
 */
export function traceEdge(context, values, from, to, x, y, moves) {
  const point = (/** @type {number} */ i) => {
    if (moves) context.moveTo(x(i), y(values[i]));
    else context.lineTo(x(i), y(values[i]));
    moves = false;
  };
  const width = x(to) - x(from);
  if (to - from <= 2 * width) {
    for (let i = from; i <= to; i++) point(i);
    return;
  }
  for (let i = from; i <= to; ) {
    const end = Math.floor(x(i)) + 1;
    let [low, high] = [i, i];
    while (++i <= to && x(i) < end) {
      if (values[i] < values[low]) low = i;
      else if (values[i] > values[high]) high = i;
    }
    point(Math.min(low, high));
    if (low !== high) point(Math.max(low, high));
  }
  point(to);
}
