// @ts-check
// Numbers in words, in the same forms as src/base/units.rs, so that the page and the pictures agree.

/** @import { Model } from "./model.js" */

/** @typedef {"binary" | "si"} Units */

export const SECOND = 1e9;
export const DAY = 86400 * SECOND;

export const UNIT_NAMES = {
  binary: ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"],
  si: ["B", "kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"],
};

/** @param {number} value */
export function threeDigits(value) {
  const decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  const text = value.toFixed(decimals);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** @param {number} value a whole number */
export function grouped(value) {
  return String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** An amount of memory, which may be below zero. @param {number} bytes @param {Units} units @returns {string} */
export function bytesText(bytes, units) {
  if (bytes < 0) return `−${bytesText(-bytes, units)}`;
  const base = units === "binary" ? 1024 : 1000;
  const names = UNIT_NAMES[units];
  if (bytes < base) return `${bytes === Math.round(bytes) ? bytes : threeDigits(bytes)} B`;
  let value = bytes / base;
  let unit = 1;
  while (value >= base - 0.5 && unit + 1 < names.length) {
    value /= base;
    unit += 1;
  }
  return `${threeDigits(value)} ${names[unit]}`;
}

/**
 * Words of the library, and between them what is written in the reader's units: amounts, parts of a unit (half of the
 * second is 512 KiB or 500 kB), and names.
 * @typedef {{ say: (string | { bytes: number } | { part: number, power: number } | { name: string })[] }} Sentence
 */

/**
 * A sentence as a text. @param {Sentence} sentence @param {Units} units
 * @param {(text: string) => string} [plain] how words are written
 * @param {(text: string) => string} [quoted] how names are written
 */
export function sentenceText({ say }, units, plain = String, quoted = String) {
  const base = units === "binary" ? 1024 : 1000;
  const text = (/** @type {Sentence["say"][0]} */ span) => {
    if (typeof span === "string") return plain(span);
    if ("name" in span) return quoted(span.name);
    return bytesText("bytes" in span ? span.bytes : Math.round(span.part * base ** span.power), units);
  };
  return say.map(text).join("");
}

/** A change of an amount of memory, with its sign. @param {number} bytes @param {Units} units */
export function signedBytes(bytes, units) {
  return bytes > 0 ? `+${bytesText(bytes, units)}` : bytesText(bytes, units);
}

/** @param {number} rate bytes a second, or a sample @param {Model} model @param {Units} units */
export function rateText(rate, model, units) {
  if (rate === 0) return "0";
  // Rounded to bytes, a slow growth would be zero.
  const size = Math.abs(rate);
  const text = size < 1 ? bytesText(Number(size.toPrecision(3)), "binary") : bytesText(size, units);
  const per = !model.hasTimes ? "/sample" : model.facts.clock === "mutator" ? "/s of CPU" : "/s";
  return `${rate > 0 ? "+" : "−"}${text}${per}`;
}

/** @param {number} part @param {number} whole */
export function percentText(part, whole) {
  if (Number.isNaN(part)) return "–";
  if (!(whole > 0)) return "0 %";
  const share = (100 * part) / whole;
  if (part === 0 || part === whole) return `${share.toFixed(0)} %`;
  if (share < 0.01) return "< 0.01 %";
  if (share < 1) return `${share.toFixed(2)} %`;
  if (share < 99.95) return `${share.toFixed(1)} %`;
  return share > 100 ? "100 %" : "> 99.9 %";
}

/** A time with three digits, for people to read. @param {number} nanos */
export function timeText(nanos) {
  const seconds = Math.abs(nanos) / 1e9;
  const sign = nanos < 0 ? "−" : "";
  if (seconds === 0) return "0 s";
  if (seconds < 1e-6) return `${sign}${Math.abs(nanos)} ns`;
  if (seconds < 999.5e-6) return `${sign}${threeDigits(seconds * 1e6)} µs`;
  if (seconds < 0.9995) return `${sign}${threeDigits(seconds * 1e3)} ms`;
  if (seconds < 119.5) return `${sign}${threeDigits(seconds)} s`;
  const pair = (/** @type {number} */ all, /** @type {string} */ big, /** @type {string} */ small) =>
    `${sign}${Math.floor(all / 60)} ${big}${all % 60 === 0 ? "" : ` ${all % 60} ${small}`}`;
  return seconds < 3570
    ? pair(Math.round(seconds), "min", "s")
    : pair(Math.round(seconds / 60), "h", "min");
}

/**
 * When a run began: days since 1970, and nanoseconds of that day in UTC.
 * @typedef {[number, number]} Started
 */

/** The day of a time of a run in UTC, 2026-11-20. @param {Started} started @param {number} nanos */
export function dayText([day, start], nanos) {
  const date = new Date((day + Math.floor((start + nanos) / DAY)) * 86400000);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, 10);
}

/**
 * The time of day of a time of a run in UTC, with the digits in which times that are `step` apart differ.
 * @param {Started} started @param {number} nanos @param {number} step
 */
export function clockText([, start], nanos, step) {
  const ofDay = (((start + nanos) % DAY) + DAY) % DAY;
  const seconds = new Date(Math.floor(ofDay / SECOND) * 1000).toISOString().slice(11, 19);
  if (step % SECOND === 0) return seconds.slice(0, step % (60 * SECOND) === 0 ? 5 : 8);
  const digits = [1, 2, 3, 4, 5, 6, 7, 8].find((digits) => step % 10 ** (9 - digits) === 0) ?? 9;
  return `${seconds}.${String(Math.floor(ofDay % SECOND)).padStart(9, "0").slice(0, digits)}`;
}

/** The time of a sample as the axis has it. @param {Model} model @param {number} sample */
export function instantText(model, sample) {
  const { started } = model.facts;
  return model.timed && started ? `${clockText(started, model.times[sample], SECOND / 10)} UTC` : model.when(sample);
}

/** @param {number} n @param {string} thing */
export function countText(n, thing) {
  return `${grouped(n)} ${thing}${n === 1 ? "" : "s"}`;
}
