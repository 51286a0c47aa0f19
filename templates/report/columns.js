// @ts-check
// The columns of the table, their sort keys, and the text of their cells.

import { bytesText, percentText, signedBytes } from "./words.js";
/** @import { Model } from "./model.js" */
/** @import { View } from "./state.js" */
/** @import { Units } from "./words.js" */

/**
 * @typedef {object} Column
 * @property {string} key
 * @property {(model: Model) => string} title
 * @property {string} says its meaning, in one line
 * @property {string} name of the column in CSV
 * @property {(model: Model, band: number) => number | string} value what rows are sorted by
 * @property {(model: Model, band: number, view: View) => string} text
 * @property {boolean} down whether its first click sorts descending
 * @property {"amount" | number} width in pixels, or the width of numbers of that kind
 * @property {(model: Model, view: View) => boolean} has whether a profile has it
 */

/** @type {Column[]} */
export const COLUMNS = [
  column("name", { title: "Band", says: "what holds the memory", down: false, width: 0, text: (m, b) => m.called(b), value: (m, b) => m.called(b) }),
  column("growth", { title: "Grew", says: "what it gained when it rose; of a part, from the first sample to the last", name: "grew_bytes", width: "amount", has: (m) => m.bandsGrew || !isWhole(m), value: (m, b) => m.figures.grew[b], text: (m, b, v) => grewText(m, b, v.units) }),
  column("last", { title: endWords, says: "its bytes in the last sample that is not empty, or before the program ended and freed what grew", name: "last_bytes", width: "amount", value: (m, b) => m.figures.lasts[b], text: (m, b, v) => amountText(m, b, m.figures.lasts[b], v.units) }),
  column("peak", { title: "Peak", says: "the most it ever held", name: "peak_bytes", width: "amount", value: (m, b) => m.figures.peaks[b], text: (m, b, v) => amountText(m, b, m.figures.peaks[b], v.units) }),
  column("mean", { title: "Mean", says: "its average over time", name: "mean_bytes", width: "amount", value: (m, b) => m.figures.means[b], text: (m, b, v) => amountText(m, b, m.figures.means[b], v.units) }),
  column("total", { title: "Share", says: "its share of the mean heap", name: "total_bytes", width: 66, value: (m, b) => m.figures.totals[b], text: (m, b) => percentText(m.figures.means[b], m.figures.grandMean) }),
  column("shape", { title: "What it did", says: "when it rose with the heap or held its peak, and what became of it", name: "did", down: false, width: 210, value: (m, b) => m.climbs.get(b)?.[0] ?? m.wholeFigures.peakAt[b], text: shapeText }),
];

/**
 * @param {string} key
 * @param {Omit<Column, "key" | "title" | "name" | "down" | "has"> & Partial<Omit<Column, "title">> & { title: string | ((model: Model) => string) }} rest
 * @returns {Column}
 */
function column(key, { title, ...rest }) {
  return { key, name: key, down: true, has: () => true, title: typeof title === "string" ? () => title : title, ...rest };
}

/**
 * The key of the usual order, that of the account: what is accused, then what rises to the end, then other rises; the
 * others follow by size. Of a part of the run: by what it gained.
 * @param {Model} model @param {number} band
 */
export function suspicion(model, band) {
  return isWhole(model) ? Math.max(0, ...model.membersOf(band).map((member) => model.suspicion[member])) : model.figures.grew[band];
}

/** Which sample the figures "at the end" are of. @param {Model} model @param {boolean} [whole] whether it is that of the complete run */
export function endWords(model, whole = isWhole(model)) {
  return whole && model.beforeExit !== null ? "Before exit" : "At the end";
}

/** Whether the figures are those of the complete run. @param {Model} model */
function isWhole(model) {
  return model.figures === model.wholeFigures;
}

/** @param {Model} model @param {number} band @param {Units} units */
export function grewText(model, band, units) {
  const { grew } = model.figures;
  if (Number.isNaN(grew[band])) return "–";
  if (isWhole(model) && !(model.bandsGrew && grew[band] > 0)) return "";
  return `${model.isExact(band) || isWhole(model) ? "" : "≈ "}${signedBytes(Math.round(grew[band]), units)}`;
}

/** What a band did in the whole run, in words. @param {Model} model @param {number} band */
export function shapeText(model, band) {
  const { peaks, peakAt, lasts, means } = model.wholeFigures;
  const climb = model.climbs.get(band);
  const isSuspect = model.membersOf(band).some((member) => model.suspects.has(member));
  if (isSuspect && model.beforeExit !== null) return `grew until ${whenText(model, model.beforeExit)}, the end`;
  if (isSuspect) return climb && climb[0] > 0 ? `grows since ${whenText(model, climb[0])}` : "grows since the start";
  if (!(peaks[band] > 0) || model.samples < 2) return "";
  const share = lasts[band] / peaks[band];
  if (!climb && share >= 0.9 && means[band] >= 0.9 * peaks[band]) return "level";
  const end = lasts[band] === 0 ? "freed" : share < 0.25 ? "mostly freed" : share < 0.9 ? "partly freed" : "still there";
  return `${climb ? `rose until ${whenText(model, climb[1])}` : `peak at ${whenText(model, peakAt[band])}`}, ${end}`;
}

/** When a sample was taken, for a narrow column. @param {Model} model @param {number} sample */
function whenText(model, sample) {
  return model.timed ? model.when(sample) : `#${model.times[sample]}`;
}

/** @param {Model} model @param {number} band @param {number} bytes @param {Units} units */
export function amountText(model, band, bytes, units) {
  if (Number.isNaN(bytes)) return "–";
  return `${model.atLeast(band)}${bytesText(Math.round(bytes), units)}`;
}

/** @param {string | number} value */
export function csvField(value) {
  return /[",\r\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value);
}

/** A name that begins like a formula gets a quote in front, as in `-o prog.csv`. @param {string | number} value */
export function harmless(value) {
  return typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
}

/**
 * The rows of a table as CSV (RFC 4180); amounts in bytes, times in seconds or sample numbers.
 * @param {Model} model @param {View} view @param {number[]} rows
 */
export function csvOf(model, view, rows) {
  const known = (/** @type {number | string} */ value) => (typeof value === "number" && Number.isNaN(value) ? "" : value);
  const time = (/** @type {number | undefined} */ sample) => (sample === undefined ? "" : model.times[sample] / (model.timed ? 1e9 : 1));
  const { figures } = model;
  /** @type {[string, (band: number) => string | number][]} */
  const columns = COLUMNS.filter(({ has }) => has(model, view)).flatMap((one) => {
    if (one.key === "peak") return [[one.name, (band) => figures.peaks[band]], ["peak_at", (band) => time(figures.peakAt[band])]];
    if (one.key === "name") return [[one.name, (band) => harmless(model.name(band))]];
    if (one.key === "shape") return [[one.name, (band) => shapeText(model, band)]];
    return [[one.name, (band) => harmless(one.value(model, band))]];
  });
  columns.push(["drawn_as", (band) => ["trace", "other", "band"][model.choice.role[band]]]);
  const lines = [columns.map(([name]) => name), ...rows.map((band) => columns.map(([, value]) => known(value(band))))];
  return lines.map((line) => `${line.map(csvField).join(",")}\r\n`).join("");
}
