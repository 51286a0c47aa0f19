// @ts-check
// Columns, for samples that are closer together than pixels. The rules are those of
// src/chart/columns.rs: each column shows every layer's mean, weighted by time, and the range of the
// total, so that no peak is lost.

import { highestBetween } from "./numbers.js";
/** @import { Layer, Places } from "./layers.js" */

const COLUMN_WIDTH = 4;
/** With fewer samples than this, each one is drawn. */
const FEW_SAMPLES = 100;
/** Samples count as dense from this many per column on. */
const DENSE_FROM = 2;

/**
 * A sample's part in a column, with the weights of this sample and the next.
 * @typedef {object} Part
 * @property {number} column
 * @property {number} sample
 * @property {number} own
 * @property {number} next
 */

/**
 * Some samples with their times, and what is shown of the axis.
 * @typedef {{ times: ArrayLike<number>, first: number, last: number, range: [number, number] }} Span
 */

export class DenseGrid {
  /**
   * The columns of some samples in a width of pixels; `null` if they are not dense.
   * @param {Span} span @param {number} width
   * @param {boolean} equal whether every sample weighs the same
   */
  static of(span, width, equal) {
    const count = Math.max(1, Math.ceil(width / COLUMN_WIDTH));
    return DenseGrid.isDense(span, count) ? new DenseGrid(span, count, equal) : null;
  }

  /** Whether samples are closer together than columns. @param {Span} span @param {number} count of columns */
  static isDense({ times, first, last, range }, count) {
    const [from, to] = [Math.max(range[0], times[first]), Math.min(range[1], times[last])];
    const spanned = Math.max(1, (count * (to - from)) / (range[1] - range[0]));
    const samples = last - first + 1;
    return samples >= FEW_SAMPLES && samples >= DENSE_FROM * spanned;
  }

  /** @param {Span} span @param {number} count @param {boolean} equal */
  constructor({ times, first, last, range }, count, equal) {
    this.first = first;
    /** @type {number} */
    this.width = (range[1] - range[0]) / count;
    /** @type {number} */
    this.low = range[0];
    /** The column of each sample, from `first` on. */
    this.columns = new Int32Array(last - first + 1);
    /** @type {Part[]} */
    this.parts = [];
    const weights = new Float64Array(count);
    const fullest = new Int32Array(count);
    const columnOf = (/** @type {number} */ time) =>
      Math.min(count - 1, Math.max(0, Math.floor((time - this.low) / this.width)));
    const add = (/** @type {number} */ column, /** @type {number} */ sample, /** @type {number} */ own, /** @type {number} */ next) => {
      this.parts.push({ column, sample, own, next });
      weights[column] += own + next;
    };
    for (let i = first; i <= last; i++) {
      const column = columnOf(times[i]);
      this.columns[i - first] = column;
      fullest[column] += 1;
      if (equal) {
        add(column, i, 1, 0);
        continue;
      }
      if (i === last) continue;
      const [start, end] = [times[i], times[i + 1]];
      for (let at = column; at <= columnOf(end) && end > start; at++) {
        const from = Math.max(start, this.low + at * this.width);
        const to = Math.min(end, this.low + (at + 1) * this.width);
        if (to <= from) continue;
        // The mean of a straight line is its value in the middle.
        const share = ((from + to) / 2 - start) / (end - start);
        add(at, i, (to - from) * (1 - share), (to - from) * share);
      }
    }
    this.weights = weights;
    /** How many samples the fullest column contains. */
    this.most = highestBetween(fullest);
    /** The columns that contain something, from left to right. */
    this.shown = Array.from(weights.keys()).filter((column) => weights[column] > 0);
  }

  /** The place of a shown column on the axis. @param {number} i */
  place(i) {
    return this.low + (this.shown[i] + 0.5) * this.width;
  }

  /** The mean of some values in each shown column. @param {ArrayLike<number>} values by sample */
  means(values) {
    const sums = new Float64Array(this.weights.length);
    for (const { column, sample, own, next } of this.parts) {
      sums[column] += own * values[sample] + (next > 0 ? next * values[sample + 1] : 0);
    }
    return Float64Array.from(this.shown, (column) => sums[column] / this.weights[column]);
  }

  /** The highest of some values in each column that has a sample. @param {ArrayLike<number>} values by sample */
  highest(values) {
    /** @type {Map<number, number>} */
    const highest = new Map();
    this.columns.forEach((column, i) => highest.set(column, Math.max(highest.get(column) ?? 0, values[this.first + i])));
    return highest;
  }
}

/**
 * Where columns are drawn, or samples from one to another.
 * @param {DenseGrid | null} grid @param {ArrayLike<number>} times @param {[number, number]} samples
 * @param {(place: number) => number} across @param {(value: number) => number} y @returns {Places}
 */
export function placesOf(grid, times, [from, to], across, y) {
  if (grid) return { from: 0, to: grid.shown.length - 1, x: (i) => across(grid.place(i)), y };
  return { from, to, x: (i) => across(times[i]), y };
}

/**
 * The upper edges of layers in columns, bottom first: means of bytes, or shares of the means.
 * @param {DenseGrid} grid @param {Layer[]} layers @param {string} view @param {ArrayLike<number>} total
 */
export function denseEdges(grid, layers, view, total) {
  const whole = view === "percent" ? grid.means(total) : null;
  let below = new Float64Array(grid.shown.length);
  return layers.map((layer) => {
    const means = grid.means(layer.values);
    if (view === "lines") return means;
    const edge = means.map((mean, i) => below[i] + (whole === null ? mean : whole[i] > 0 ? (100 * mean) / whole[i] : 0));
    below = edge;
    return edge;
  });
}
