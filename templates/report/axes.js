// @ts-check
// Tick positions on the axes, with labels as in src/draw/time_axis.rs and value_axis.rs.

import { DAY, SECOND, UNIT_NAMES, clockText, dayText } from "./words.js";
/** @import { Model } from "./model.js" */
/** @import { Started, Units } from "./words.js" */

/** @typedef {{ at: number, label: string }} Tick */

const CLOCK_STEPS = [10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 10800, 21600, 43200];
/** @type {[string, number][]} */
const TIME_UNITS = [
  ["d", DAY],
  ["h", 3600 * SECOND],
  ["min", 60 * SECOND],
  ["s", SECOND],
  ["ms", 1e6],
  ["µs", 1e3],
  ["ns", 1],
];

/**
 * @param {number} low
 * @param {number} high
 * @param {number} most the greatest number of ticks
 * @param {boolean} timed
 * @param {Started | undefined} started if the axis shows clock time
 */
export function timeTicks(low, high, most, timed, started) {
  const step = timeStep((high - low) / Math.max(1, most), timed);
  if (started) return clockTicks(low, high, step, started);
  const reach = Math.max(Math.abs(low), Math.abs(high));
  const [name, unit] = timed ? timeUnit(reach, step) : ["", 1];
  return multiples(low, high, step, (at) => {
    const text = String(Number((at / unit).toFixed(9))).replace("-", "−");
    return at === 0 ? "0" : timed ? `${text} ${name}` : text;
  });
}

/**
 * Ticks at the multiples of a step.
 * @param {number} low @param {number} high @param {number} step @param {(at: number) => string} label
 * @param {number} [start] what they are counted from is so much before zero
 * @returns {Tick[]}
 */
function multiples(low, high, step, label, start = 0) {
  const first = Math.ceil((low + start) / step);
  const count = Math.min(100, Math.floor((high + start) / step) - first + 1);
  const places = Array.from({ length: Math.max(0, count) }, (_, i) => (first + i) * step - start);
  return places.map((at) => ({ at, label: label(at) }));
}

/**
 * Ticks at round times of the day.
 * @param {number} low @param {number} high @param {number} step @param {Started} started
 */
function clockTicks(low, high, step, started) {
  const days = step > DAY ? started[0] % (step / DAY) : 0;
  const isMidnight = (/** @type {number} */ at) => (started[1] + at) % DAY === 0;
  const label = (/** @type {number} */ at) => (isMidnight(at) ? dayText(started, at) : clockText(started, at, step));
  return multiples(low, high, step, label, started[1] + days * DAY);
}

/** @param {number} least @param {boolean} timed */
function timeStep(least, timed) {
  const clock = timed && least > 5 * SECOND ? CLOCK_STEPS.map((step) => step * SECOND) : [];
  const found = clock.find((step) => step >= least);
  if (found) return found;
  const unit = timed && least > 43200 * SECOND ? 86400 * SECOND : 1;
  return Math.max(roundUp(least / unit) * unit, 1);
}

/** The next larger number of the form 1, 2 or 5 times a power of ten. @param {number} least */
function roundUp(least) {
  const ten = 10 ** Math.floor(Math.log10(Math.max(least, 1e-12)));
  return ten * ([1, 2, 5].find((digit) => digit * ten >= least * 0.9999999) ?? 10);
}

/** @param {number} reach @param {number} step @returns {[string, number]} */
function timeUnit(reach, step) {
  const fits = (/** @type {[string, number]} */ [name, unit]) => {
    const enough = name === "s" ? unit / 10 : unit > SECOND ? 2 * unit : name === "ns" ? 0 : unit;
    return reach >= enough && (unit <= SECOND || (step * 10) % unit === 0);
  };
  return TIME_UNITS.find(fits) ?? ["ns", 1];
}

/** @param {number} top @param {number} most @param {Units} units */
export function byteTicks(top, most, units) {
  const base = units === "binary" ? 1024 : 1000;
  const names = UNIT_NAMES[units];
  const power = Math.min(names.length - 1, Math.max(0, Math.floor(Math.log(Math.max(top, 1)) / Math.log(base) + 1e-9)));
  const unit = base ** power;
  const parts = [0.25, 0.5].map((part) => part * unit).filter((part) => part >= 1);
  const step = parts.find((part) => top / part <= most) ?? Math.max(1, roundUp(top / unit / most)) * unit;
  return multiples(0, top, step, (at) => (at === 0 ? "0" : `${Number((at / unit).toFixed(2))} ${names[power]}`));
}

/** @param {number} top @param {number} most */
export function percentTicks(top, most) {
  const step = top === 100 ? ([20, 25, 50].find((step) => 100 / step <= most) ?? 100) : Math.max(1, roundUp(top / most));
  return multiples(0, top, step, (at) => `${at} %`);
}

/**
 * The two ends of the axis. It starts at zero if the first sample is near zero, and extends to markers
 * just past the last sample.
 * @param {Model} model @returns {[number, number]}
 */
export function fullRange(model) {
  const { times, samples, censuses } = model;
  // Without samples there are only the panels.
  const { pauses, productivity } = model.activity;
  if (samples === 0) return pauses.start.length > 0 ? [0, Math.max(1, ...productivity.to, pauses.start[pauses.start.length - 1])] : [0, 1];
  const [first, last] = [times[model.timed ? 0 : censuses[0]], times[censuses[1]]];
  const { scale } = model.facts;
  if (!model.timed) return first === last ? [first - 1, first + 1] : [first, Math.max(first + 1, scale.samples ?? last)];
  // A single sample gets an axis on which its time can be read.
  if (first === last) return [first - Math.max(1, Math.abs(first) / 2), first + Math.max(1, Math.abs(first) / 2)];
  const near = model.markers.filter((marker) => marker.time <= last + (last - first) / 16);
  const low = scale.from ?? (first > 0 && first * 8 <= last ? 0 : first);
  const end = Math.max(last, model.reach ?? last);
  const high = scale.to ?? near.reduce((high, marker) => Math.max(high, marker.time), end);
  return high > low ? [low, high] : [first - 1, first + 1];
}
