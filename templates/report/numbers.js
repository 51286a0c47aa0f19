// @ts-check
// Searching in sorted columns of numbers, means, and the hash of a name.

/**
 * Interpolates linearly between points; constant before the first and after the last.
 * @param {Float64Array} values @param {Float64Array} places ascending @param {number} place
 */
export function between(values, places, place) {
  const right = Math.min(lowerBound(places, place), places.length - 1);
  const left = Math.max(0, right - 1);
  const span = places[right] - places[left];
  const share = span > 0 ? Math.min(1, Math.max(0, (place - places[left]) / span)) : 0;
  return values[left] + (values[right] - values[left]) * share;
}

/**
 * The first of the highest values in a part of them.
 * @param {ArrayLike<number>} values @param {number} [from] @param {number} [to] its last one
 */
export function highest(values, from = 0, to = values.length - 1) {
  let best = from;
  for (let i = from + 1; i <= to; i++) if (values[i] > values[best]) best = i;
  return best;
}

/**
 * The highest value itself; 0 if there is none above.
 * @param {ArrayLike<number>} values @param {number} [from] @param {number} [to]
 */
export function highestBetween(values, from = 0, to = values.length - 1) {
  return Math.max(0, values[highest(values, from, to)] ?? 0);
}

/**
 * Adds values to others, or takes them away.
 * @param {Float64Array} sum @param {ArrayLike<number>} values @param {1 | -1} [sign]
 */
export function addTo(sum, values, sign = 1) {
  for (let i = 0; i < values.length; i++) sum[i] += sign * values[i];
}

/**
 * The first index whose value is not below `x`, or above it.
 * @param {ArrayLike<number>} values ascending @param {number} x @param {boolean} [isAbove]
 */
export function lowerBound(values, x, isAbove = false) {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < x || (isAbove && values[middle] === x)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The hash that decides the colour of a name, as in src/draw/colour/mod.rs. @param {string} name */
export function nameHash(name) {
  const mask = (1n << 64n) - 1n;
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(name)) {
    hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & mask;
  }
  hash = ((hash ^ (hash >> 33n)) * 0xff51afd7ed558ccdn) & mask;
  hash = ((hash ^ (hash >> 33n)) * 0xc4ceb9fe1a85ec53n) & mask;
  return hash ^ (hash >> 33n);
}

/**
 * The mean of some values; 0 if there are no values.
 * @param {ArrayLike<number>} values @param {number} from @param {number} to the end of the range, not included
 */
export function mean(values, from, to) {
  let sum = 0;
  for (let i = from; i < to; i++) sum += values[i];
  return sum / Math.max(1, to - from);
}

/** The middle one of some values in order. @param {Float64Array} values */
export function middleOf(values) {
  return values.sort()[values.length >> 1] ?? Infinity;
}

/** @typedef {(number | number[])[]} Steps */

/**
 * The numbers that a list stands for: their unit, and their differences in it, or how many of these are 0
 * (src/report/numbers.rs).
 * @param {Steps} list
 */
export function summed([unit, ...steps]) {
  const count = (/** @type {Steps[0]} */ step) => (typeof step === "number" ? 1 : step[0]);
  const values = new Float64Array(steps.reduce((/** @type {number} */ sum, step) => sum + count(step), 0));
  let [at, value] = [0, 0];
  for (const step of steps) {
    if (typeof step === "number") value += step;
    values.fill(Number(unit) * value, at, (at += count(step)));
  }
  return values;
}
