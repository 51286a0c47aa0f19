// @ts-check
// Figures of what the library has not seen: a part of the run, and groups of bands. Sums and extremes only, as
// `BandFigures` of src/analysis/figures.rs has them. Growth is judged by the library alone, over the complete run;
// of a part, the page says what it gained from its first sample to its last.

/** @import { Model } from "./model.js" */

/**
 * @typedef {object} Figures columns by the numbers of bands and groups
 * @property {number} first the first sample that counts
 * @property {number} last the last one
 * @property {Float64Array} peaks
 * @property {ArrayLike<number> & { [index: number]: number }} peakAt
 * @property {Float64Array} lasts
 * @property {Float64Array} means over time
 * @property {Float64Array} totals
 * @property {Float64Array} slopes bytes a second, or a sample where samples have no times; of a part, the bytes that it gained
 * @property {Float64Array} lows the lower end of a 95 % interval of the slope
 * @property {Float64Array} highs
 * @property {Float64Array} deviations
 * @property {number} grand the total of everything
 * @property {number} grandMean the means of everything together
 */

/** @param {number} rows @param {number} first @param {number} last @returns {Figures} */
export function emptyFigures(rows, first, last) {
  const column = () => new Float64Array(rows);
  return {
    first, last, peaks: column(), peakAt: column(), lasts: column(), means: column(), totals: column(),
    slopes: column(), lows: column(), highs: column(), deviations: column(), grand: 0, grandMean: 0,
  };
}

/**
 * What is the same for all bands of a part: its last sample that is not empty, and the share of each sample in a mean over time.
 * @param {Model} model @param {number} first @param {number} last
 */
export function partOf(model, first, last) {
  const axis = model.clock ?? model.times;
  let full = last;
  while (full > first && !(model.total[full] > 0)) full--;
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
  const count = last - first + 1;
  let [best, sum, weighted, squares] = [first, 0, 0, 0];
  for (let i = first; i <= last; i++) {
    sum += values[i];
    weighted += values[i] * weights[i - first];
    if (values[i] > values[best]) best = i;
  }
  for (let i = first; i <= last; i++) if (values[i] !== 0) squares += (values[i] - sum / count) ** 2;
  figures.peaks[band] = values[best];
  figures.peakAt[band] = best;
  figures.lasts[band] = values[full];
  figures.means[band] = weighted;
  figures.totals[band] = sum;
  figures.deviations[band] = count > 1 ? Math.sqrt(squares / (count - 1)) : 0;
  figures.slopes[band] = values[full] - values[first];
}

/** Says of a band without a curve that its figures are unknown. @param {Figures} figures @param {number} band */
export function leaveOut({ peaks, lasts, means, totals, slopes, deviations }, band) {
  for (const column of [peaks, lasts, means, totals, slopes, deviations]) column[band] = NaN;
}
