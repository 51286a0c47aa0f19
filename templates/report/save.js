// @ts-check
// Saves what is shown: the picture that the page began with, and the curves as CSV.

import { csvField, harmless } from "./columns.js";
import { download, element } from "./dom.js";
/** @import { Chart } from "./chart.js" */
/** @import { Model } from "./model.js" */

/** Saves the picture that the page began with: what `-o prog.svg` draws. @param {Model} model @param {string} href */
export function savePicture(model, href) {
  element("a", "", "", { href, download: fileName(model, "svg") }).click();
}

/** Saves the shown curves in the shown part of the run as CSV, in the form of `-o prog.csv`. @param {Chart} chart */
export function saveCurves({ model, store, layers }) {
  const [first, last] = model.samplesIn(store.view.range);
  const shown = [...layers].reverse();
  const rows = [[model.clock ? "time_ns" : "sample", ...shown.map(({ band }) => harmless(model.name(band)))].map(csvField)];
  for (let i = first; i <= last && model.samples > 0; i++) rows.push([model.clock ? model.clock[i] : model.times[i], ...shown.map(({ values }) => Math.round(values[i]))].map(csvField));
  download(fileName(model, "csv"), new Blob(rows.map((row) => `${row.join(",")}\r\n`), { type: "text/csv" }));
}

/** @param {Model} model @param {string} format */
function fileName({ facts: { run, file, job } }, format) {
  const name = (run || file || (job ?? "heap").split(" ")[0]).replace(/\.(gz|zst)$/, "").replace(/\.(hp|eventlog)$/, "");
  return `${name.replace(/[^\p{L}\p{N}_.-]+/gu, "-").slice(0, 80)}.${format}`;
}
