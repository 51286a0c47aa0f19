// @ts-check
// Sums and extremes of a part of the run. Growth over time is judged by the library alone, over the complete run;
// of a part, the page says what it gained from its first sample to its last.

/**
 * @typedef {object} Figures
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
  return { first, last, full: first + full, weights: weightsOf(seconds, timed) };
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
 * Measures a band by its curve.
 * @param {Figures} figures
 * @param {ReturnType<typeof partOf>} part
 * @param {number} band
 * @param {Float64Array} values of the complete run
 */
export function measure(figures, part, band, values) {
  const { first, last, weights } = part;
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
  figures.slopes[band] = values[part.full] - values[first];
}

/**
 * Says of a band without a curve that its figures are unknown.
 * @param {Figures} figures
 * @param {number} band
 */
export function leaveOut({ peaks, lasts, means, totals, slopes, deviations }, band) {
  for (const column of [peaks, lasts, means, totals, slopes, deviations]) column[band] = NaN;
}
