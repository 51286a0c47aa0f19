// @ts-check
// Figures of what the library has not seen: a part of the run, and groups of bands. Sums and extremes only, as
// `BandFigures` of src/analysis/figures.rs has them. What a band grew by is judged by the library alone, over the complete
// run; of a part, the page says what it gained from its first sample to its last.

import { highest } from "./numbers.js";
/** @import { Model } from "./model.js" */

/** @typedef {ReturnType<typeof emptyFigures>} Figures */

/** The columns of a figure for each band. */
export const FIGURES = /** @type {const} */ (["peaks", "lasts", "means", "totals", "grew"]);

/**
 * Columns by the numbers of bands and groups, of the samples from the first to the last.
 * @param {number} rows @param {number} first @param {number} last
 */
export function emptyFigures(rows, first, last) {
  const column = () => new Float64Array(rows);
  return {
    first, last, peaks: column(), peakAt: column(), lasts: column(), means: column(), totals: column(),
    grew: column(), grand: 0, grandMean: 0,
  };
}

/** The last sample of a part with anything in it: a .hp ends with an empty one. @param {Model} model @param {number} first @param {number} last */
export function lastFull(model, first, last) {
  let full = last;
  while (full > first && !(model.total[full] > 0)) full--;
  return full;
}

/**
 * What is the same for all bands of a part: its last sample that is not empty, and the share of each sample in a mean over time.
 * @param {Model} model @param {number} first @param {number} last
 */
export function partOf(model, first, last) {
  const axis = model.clock ?? model.times;
  const full = lastFull(model, first, last);
  const [count, span] = [last - first + 1, axis[last] - axis[first]];
  const weight = (/** @type {number} */ i) => (axis[Math.min(i + 1, last)] - axis[Math.max(i - 1, first)]) / (2 * span);
  const weights = Float64Array.from({ length: count }, (_, i) => (model.hasTimes && span > 0 ? weight(first + i) : 1 / count));
  return { first, last, full, weights };
}

/**
 * Measures a band by its curve over the complete run.
 * @param {Figures} figures @param {ReturnType<typeof partOf>} part @param {number} band @param {Float64Array} values
 */
export function measure(figures, { first, last, full, weights }, band, values) {
  const best = highest(values, first, last);
  let [sum, weighted] = [0, 0];
  for (let i = first; i <= last; i++) {
    sum += values[i];
    weighted += values[i] * weights[i - first];
  }
  figures.peaks[band] = values[best];
  figures.peakAt[band] = best;
  figures.lasts[band] = values[full];
  figures.means[band] = weighted;
  figures.totals[band] = sum;
  figures.grew[band] = values[full] - values[first];
}

/** Says of a band without a curve that its figures are unknown. @param {Figures} figures @param {number} band */
export function leaveOut(figures, band) {
  for (const key of FIGURES) figures[key][band] = NaN;
}
