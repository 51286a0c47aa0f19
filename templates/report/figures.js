// @ts-check
// The figures of a part of the run; the counterpart of src/analysis (figures.rs, robust.rs,
// verdict.rs), which computes those of the complete run. A test checks that the two agree.

import { lowerBound, mean } from "./numbers.js";

/**
 * @typedef {object} Figures
 * @property {number} first the first sample that counts
 * @property {number} last the last one
 * @property {Float64Array} peaks
 * @property {ArrayLike<number> & { [index: number]: number }} peakAt
 * @property {Float64Array} lasts
 * @property {Float64Array} means over time
 * @property {Float64Array} totals
 * @property {Float64Array} slopes bytes a second, or a sample where samples have no times
 * @property {Float64Array} lows the lower end of a 95 % interval of the slope
 * @property {Float64Array} highs
 * @property {Float64Array} deviations
 * @property {number} grand the total of everything
 * @property {number} grandMean the means of everything together
 */

/** How many stretches of samples a slope is computed from. */
const STRETCHES = 24;
/** With fewer samples than this, growth cannot be judged. */
export const FEWEST_FOR_GROWTH = 5;

/**
 * @param {number} rows
 * @param {number} first
 * @param {number} last
 * @returns {Figures}
 */
export function emptyFigures(rows, first, last) {
  const column = () => new Float64Array(rows);
  return {
    first, last, peaks: column(), peakAt: column(), lasts: column(), means: column(), totals: column(),
    slopes: column(), lows: column(), highs: column(), deviations: column(), grand: 0, grandMean: 0,
  };
}

/**
 * The part of the run that figures are computed for, with everything that is the same for all bands.
 * @param {ArrayLike<number>} axis seconds, or sample numbers, of all samples
 * @param {ArrayLike<number>} total
 * @param {number} first
 * @param {number} last
 * @param {boolean} timed
 */
export function partOf(axis, total, first, last, timed) {
  const seconds = Array.prototype.slice.call(axis, first, last + 1);
  const heights = Array.prototype.slice.call(total, first, last + 1);
  let full = heights.length - 1;
  while (full > 0 && !(heights[full] > 0)) full--;
  const judged = judgedSamples(seconds, heights);
  const stretches = Math.min(STRETCHES, judged);
  const edge = (/** @type {number} */ i) => Math.ceil((i * judged) / Math.max(1, stretches));
  const edges = Array.from({ length: stretches + 1 }, (_, i) => edge(i));
  const times = Array.from({ length: stretches }, (_, i) => mean(seconds, edges[i], edges[i + 1]));
  return { first, last, full: first + full, weights: weightsOf(seconds, timed), edges, times };
}

/**
 * The share of each sample in a mean over time.
 * @param {number[]} axis
 * @param {boolean} timed
 */
function weightsOf(axis, timed) {
  const n = axis.length;
  const span = n < 2 ? 0 : axis[n - 1] - axis[0];
  if (span <= 0 || !timed) return new Float64Array(n).fill(1 / Math.max(1, n));
  return Float64Array.from(axis, (_, i) => (axis[Math.min(i + 1, n - 1)] - axis[Math.max(0, i - 1)]) / (2 * span));
}

/**
 * How many samples are judged: memory given back at the very end does not count.
 * @param {number[]} times
 * @param {number[]} total
 */
function judgedSamples(times, total) {
  const peak = total.reduce((a, b) => Math.max(a, b), 0);
  let n = total.length;
  while (n > 3 && total[n - 1] < 0.01 * peak) n--;
  if (n === 0) return 0;
  const found = total.indexOf(peak);
  const highest = found >= 0 && found < n ? found : n - 1;
  const late = times[0] + 0.85 * (times[n - 1] - times[0]);
  return times[highest] >= late && total[n - 1] < 0.8 * peak ? highest + 1 : n;
}

/**
 * Measures a band for which every sample is known.
 * @param {Figures} figures
 * @param {ReturnType<typeof partOf>} part
 * @param {number} band
 * @param {Float64Array} values of the complete run
 */
export function measureExact(figures, part, band, values) {
  const { first, last, weights, edges, times } = part;
  const count = last - first + 1;
  let [best, sum, weighted] = [first, 0, 0];
  for (let i = first; i <= last; i++) {
    const value = values[i];
    sum += value;
    weighted += value * weights[i - first];
    if (value > values[best]) best = i;
  }
  let squares = 0;
  for (let i = first; i <= last; i++) if (values[i] !== 0) squares += (values[i] - sum / count) ** 2;
  figures.peaks[band] = values[best];
  figures.peakAt[band] = best;
  figures.lasts[band] = values[part.full];
  figures.means[band] = weighted;
  figures.totals[band] = sum;
  figures.deviations[band] = count > 1 ? Math.sqrt(squares / (count - 1)) : 0;
  const means = times.map((_, i) => mean(values, first + edges[i], first + edges[i + 1]));
  takeSlope(figures, band, times, means);
}

/**
 * Measures a band from its thinned curve.
 * @param {Figures} figures
 * @param {ReturnType<typeof partOf>} part
 * @param {number} band
 * @param {{ values: Float64Array, places: Float64Array }} curve means, and the sample of each
 * @param {(sample: number) => number} seconds
 */
export function measureThinned(figures, part, band, { values, places }, seconds) {
  const { first, last } = part;
  let from = lowerBound(places, first);
  let to = lowerBound(places, last + 1) - 1;
  // A part that falls between two points uses the nearer one.
  if (to < from) from = to = Math.max(0, Math.min(from, values.length - 1));
  let best = from;
  for (let i = from; i <= to; i++) if (values[i] > values[best]) best = i;
  const middle = mean(values, from, to + 1);
  const step = Math.ceil((to - from + 1) / STRETCHES);
  const times = [];
  const means = [];
  for (let i = from; i <= to; i += step) {
    const end = Math.min(to + 1, i + step);
    times.push(seconds(mean(places, i, end)));
    means.push(mean(values, i, end));
  }
  let squares = 0;
  for (let i = from; i <= to; i++) squares += (values[i] - middle) ** 2;
  figures.peaks[band] = values[best] ?? 0;
  figures.peakAt[band] = Math.round(places[best] ?? first);
  figures.lasts[band] = values[to] ?? 0;
  figures.means[band] = middle;
  figures.totals[band] = middle * (last - first + 1);
  figures.deviations[band] = to > from ? Math.sqrt(squares / (to - from)) : 0;
  takeSlope(figures, band, times, means);
}

/**
 * @param {Figures} figures
 * @param {number} band
 * @param {number[]} times
 * @param {number[]} values
 */
function takeSlope(figures, band, times, values) {
  const { middle, low, high } = slopeOf(times, values);
  figures.slopes[band] = middle;
  figures.lows[band] = low;
  figures.highs[band] = high;
}

/**
 * The median of the slopes between all pairs of points, with a 95 % interval.
 * @param {number[]} times
 * @param {number[]} values
 */
function slopeOf(times, values) {
  const n = times.length;
  const slopes = new Float64Array((n * (n - 1)) / 2);
  let pairs = 0;
  for (let j = 1; j < n; j++) {
    for (let i = 0; i < j; i++) {
      const distance = times[j] - times[i];
      if (distance > 0) slopes[pairs++] = (values[j] - values[i]) / distance;
    }
  }
  if (pairs === 0) return { middle: 0, low: 0, high: 0 };
  const sorted = slopes.subarray(0, pairs).sort();
  const spread = 1.96 * Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18);
  const at = (/** @type {number} */ rank) => sorted[Math.min(pairs - 1, Math.max(0, Math.round(rank)))];
  const upper = sorted[pairs >> 1];
  const middle = pairs % 2 === 1 ? upper : sorted[(pairs >> 1) - 1] + (upper - sorted[(pairs >> 1) - 1]) / 2;
  return { middle, low: at((pairs - spread) / 2), high: at((pairs + spread) / 2) };
}
