// @ts-check
// The columns of the table, their sort keys (which include those of --sort), and the text of their
// cells.

import { bytesText, percentText, rateText, signedBytes } from "./words.js";
/** @import { Model } from "./model.js" */
/** @import { View } from "./state.js" */
/** @import { Units } from "./words.js" */

/**
 * @typedef {object} Column
 * @property {string} key
 * @property {string} title
 * @property {string} says its meaning, in one line
 * @property {string} name of the column in CSV
 * @property {(model: Model, band: number) => number | string} value what rows are sorted by
 * @property {(model: Model, band: number, view: View) => string} text
 * @property {boolean} down whether its first click sorts descending
 * @property {"amount" | "growth" | number} width in pixels, or the width of numbers of that kind
 * @property {"always" | "usual" | "extra"} shown
 * @property {(model: Model, view: View) => boolean} has whether a profile has it
 */

/** @type {Column[]} */
export const COLUMNS = [
  column("name", { title: "Band", says: "what holds the memory", down: false, width: 0, shown: "always", text: (m, b) => m.name(b), value: (m, b) => m.name(b) }),
  column("change", {
    title: "B − A", says: "by how much it changed from A to B", name: "change_bytes", width: "amount", shown: "always",
    has: (_, view) => view.at !== null && view.b !== null,
    value: (m, b) => changeOf(m, b), text: (m, b, v) => changeText(m, b, v.units),
  }),
  column("growth", { title: "Growth", says: "how fast it grows: the median of all slopes between its samples; of a part, what it gained from the first sample to the last", name: "growth", width: "growth", shown: "always", value: growthKey, text: (m, b, v) => slopeText(m, b, v.units) }),
  column("interval", {
    title: "95 % interval", says: "the range that contains the growth, if the noise is independent; a wide range says little", name: "growth_from", width: 168, shown: "extra",
    value: (m, b) => m.figures.lows[b], text: (m, b, v) => intervalText(m, b, v.units),
  }),
  column("peak", { title: "Peak", says: "the most it ever held, and when", name: "peak_bytes", width: "amount", shown: "always", value: (m, b) => m.figures.peaks[b], text: (m, b, v) => amountText(m, b, m.figures.peaks[b], v.units) }),
  column("when", { title: "When", says: "when it first held its peak", name: "peak_at", down: false, width: 92, shown: "usual", value: (m, b) => m.figures.peakAt[b], text: (m, b) => whenText(m, m.figures.peakAt[b]) }),
  column("mean", { title: "Mean", says: "its average over time", name: "mean_bytes", width: "amount", shown: "usual", value: (m, b) => m.figures.means[b], text: (m, b, v) => `${Number.isNaN(m.figures.lows[b]) ? "≈ " : ""}${amountText(m, b, m.figures.means[b], v.units)}` }),
  column("last", { title: "Last", says: "its bytes in the last sample that is not empty", name: "last_bytes", width: "amount", shown: "usual", value: (m, b) => m.figures.lasts[b], text: (m, b, v) => amountText(m, b, m.figures.lasts[b], v.units) }),
  column("total", { title: "Share", says: "its share of the mean heap", name: "total_bytes", width: 66, shown: "usual", value: (m, b) => m.figures.totals[b], text: (m, b) => percentText(m.figures.means[b], m.figures.grandMean) }),
  column("deviation", { title: "Deviation", says: "how much it varies: hp2ps's standard deviation", name: "deviation_bytes", width: "amount", shown: "extra", value: (m, b) => m.figures.deviations[b], text: (m, b, v) => amountText(m, b, m.figures.deviations[b], v.units) }),
  column("climb", {
    title: "Rose", says: "when it rose first, with the heap", name: "climbed_from", width: 136, shown: "extra", has: (m) => m.climbs.size > 0,
    value: (m, b) => { const climb = m.climbs.get(b); return climb ? climb[1] - climb[0] : -1; }, text: climbText,
  }),
  column("module", { title: "Module", says: "the module of its innermost part", down: false, width: 150, shown: "extra", has: (m) => m.parts.frames.some(({ module }) => module !== ""), value: (m, b) => m.parts.first(b)?.module ?? "", text: (m, b) => m.parts.first(b)?.module ?? "" }),
  column("package", { title: "Package", says: "the package of that module", down: false, width: 110, shown: "extra", has: (m) => m.parts.frames.some((frame) => frame.package !== ""), value: (m, b) => m.parts.first(b)?.package ?? "", text: (m, b) => m.parts.first(b)?.package ?? "" }),
  column("type", { title: "Type", says: "the type of its closures", down: false, width: 130, shown: "extra", has: (m) => m.infoTables.size > 0, value: (m, b) => m.infoTables.get(b)?.type ?? "", text: (m, b) => m.infoTables.get(b)?.type ?? "" }),
  column("place", { title: "Place", says: "where it is made in the source", down: false, width: 170, shown: "extra", has: (m) => m.parts.frames.some(({ place }) => place !== ""), value: (m, b) => m.parts.first(b)?.place ?? "", text: (m, b) => m.parts.first(b)?.place ?? "" }),
];

/** With fewer samples than this, growth cannot be judged. */
const FEWEST_FOR_GROWTH = 5;

export const GROUPS = [
  { key: "all", title: "all bands" },
  { key: "suspects", title: "suspects" },
  { key: "gained", title: "gained from A to B" },
  { key: "drawn", title: "drawn" },
  { key: "other", title: "in OTHER" },
  { key: "trace", title: "trace elements" },
];

/**
 * @param {string} key
 * @param {Omit<Column, "key" | "name" | "down" | "has"> & Partial<Column>} rest
 * @returns {Column}
 */
function column(key, rest) {
  return { key, name: key, down: true, has: () => true, ...rest };
}

/**
 * Suspects come first, in the order of the verdict, because even a small band may be the leak; then what
 * rose and stopped, and what holds at least a hundredth of the heap by its growth. The rest follows by
 * its mean: the fastest growing band of a few bytes is no answer.
 * @param {Model} model
 * @param {number} band
 */
function growthKey(model, band) {
  const slope = model.figures.slopes[band];
  if (!isWhole(model)) return slope;
  const places = model.membersOf(band).map((member) => model.suspects.get(member) ?? Infinity);
  const place = Math.min(...places);
  if (place < Infinity) return Number.MAX_VALUE / (2 + place);
  const climb = [...model.climbs.keys()].findIndex((climbed) => model.membersOf(band).includes(climbed));
  if (climb >= 0) return Number.MAX_VALUE / (1000 + climb);
  const { means, grandMean } = model.figures;
  // Among equal keys, the bigger one comes first.
  return means[band] * 100 >= grandMean ? slope : -Number.MAX_VALUE / 2;
}

/** Whether any band has an interval of its growth: otherwise the column would be empty. @param {Model} model */
export function hasIntervals(model) {
  const { lows, highs } = model.figures;
  return isWhole(model) && model.choice.rows.some((band) => lows[band] !== 0 && !Number.isNaN(lows[band]) || highs[band] > 0);
}

/**
 * @param {Model} model
 * @param {number} band
 */
export function changeOf(model, band) {
  const [from, to] = model.compared ?? [0, 0];
  return model.valueAt(band, to) - model.valueAt(band, from);
}

/**
 * @param {Model} model
 * @param {number} band
 * @param {Units} units
 */
export function changeText(model, band, units) {
  const change = changeOf(model, band);
  return Number.isNaN(change) ? "–" : `${model.isExact(band) ? "" : "≈ "}${signedBytes(Math.round(change), units)}`;
}

/** Whether the figures are those of the complete run. @param {Model} model */
function isWhole(model) {
  return model.figures === model.wholeFigures;
}

/**
 * @param {Model} model
 * @param {number} band
 * @param {Units} units
 */
export function slopeText(model, band, units) {
  const { slopes } = model.figures;
  if (Number.isNaN(slopes[band])) return "–";
  if (!isWhole(model)) return `${model.isExact(band) ? "" : "≈ "}${signedBytes(Math.round(slopes[band]), units)}`;
  if (model.samples < FEWEST_FOR_GROWTH) return "–";
  return rateText(slopes[band], model, units);
}

/**
 * The ends of the interval; empty if there are too few samples.
 * @param {Model} model
 * @param {number} band
 * @param {Units} units
 */
export function intervalText(model, band, units) {
  const { lows, highs } = model.figures;
  if (!isWhole(model) || model.samples < FEWEST_FOR_GROWTH || Number.isNaN(lows[band]) || (lows[band] === 0 && highs[band] === 0)) return "–";
  const end = (/** @type {number} */ rate) => rateText(rate, model, units).replace(/\/\w+$/, "").replace("+", "");
  return `${end(lows[band])} to ${end(highs[band])}`;
}

/**
 * @param {Model} model
 * @param {number} band
 */
export function climbText(model, band) {
  const climb = model.climbs.get(band);
  if (!climb) return "";
  const [from, to] = climb.map((sample) => whenText(model, sample));
  return climb[1] === model.samples - 1 && model.suspects.has(band) ? `${from} to the end` : `${from} to ${to}`;
}

/**
 * When a sample was taken, for a narrow column.
 * @param {Model} model
 * @param {number} sample
 */
function whenText(model, sample) {
  return model.timed ? model.when(sample) : `#${model.times[sample]}`;
}

/**
 * @param {Model} model
 * @param {number} band
 * @param {number} bytes
 * @param {Units} units
 */
export function amountText(model, band, bytes, units) {
  if (Number.isNaN(bytes)) return "–";
  return `${model.atLeast(band)}${bytesText(Math.round(bytes), units)}`;
}

/** @param {string | number} value */
export function csvField(value) {
  return /[",\r\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value);
}

/**
 * A name that begins like a formula gets a quote in front, as in `-o prog.csv`.
 * @param {string | number} value
 */
export function harmless(value) {
  return typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
}

/**
 * The rows of a table as CSV (RFC 4180); amounts in bytes, times in seconds or sample numbers.
 * @param {Model} model
 * @param {View} view
 * @param {number[]} rows
 */
export function csvOf(model, view, rows) {
  const known = (/** @type {number | string} */ value) => (typeof value === "number" && Number.isNaN(value) ? "" : value);
  const time = (/** @type {number | undefined} */ sample) => (sample === undefined ? "" : model.times[sample] / (model.timed ? 1e9 : 1));
  const { figures } = model;
  /** @type {[string, (band: number) => string | number][]} */
  const columns = COLUMNS.filter(({ has }) => has(model, view)).flatMap((one) => {
    if (one.key === "when") return [[one.name, (band) => time(figures.peakAt[band])]];
    if (one.key === "growth") return [[isWhole(model) ? one.name : "gained_bytes", (band) => figures.slopes[band]]];
    if (one.key === "interval" && !isWhole(model)) return [];
    if (one.key === "interval") return [[one.name, (band) => figures.lows[band]], ["growth_to", (band) => figures.highs[band]]];
    if (one.key === "climb") return [[one.name, (band) => time(model.climbs.get(band)?.[0])], ["climbed_to", (band) => time(model.climbs.get(band)?.[1])]];
    return [[one.name, (band) => harmless(one.value(model, band))]];
  });
  columns.push(["drawn_as", (band) => ["trace", "other", "band"][model.role[band]]]);
  const lines = [columns.map(([name]) => name), ...rows.map((band) => columns.map(([, value]) => known(value(band))))];
  return lines.map((line) => `${line.map(csvField).join(",")}\r\n`).join("");
}
