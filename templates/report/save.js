// @ts-check
// Saves what is shown: the picture on the canvas with its title, and the curves as CSV.

import { FONT, contextOf, fitted } from "./canvas.js";
import { csvField, harmless } from "./columns.js";
import { element } from "./dom.js";
/** @import { Chart } from "./chart.js" */
/** @import { Model } from "./model.js" */

/** The height of the lines above the chart, in pixels of the page. */
const HEAD = 50;

/** @param {Chart} chart */
export async function savePicture({ base, over, model, theme }) {
  const scale = base.width / base.clientWidth;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [base.width, base.height + Math.round(HEAD * scale)];
  const context = contextOf(canvas);
  context.scale(scale, scale);
  context.fillStyle = theme.background;
  context.fillRect(0, 0, canvas.width, canvas.height);
  const line = (/** @type {string} */ words, /** @type {string} */ font, /** @type {string} */ colour, /** @type {number} */ y) => {
    context.font = `${font} ${FONT}`;
    context.fillStyle = colour;
    context.fillText(fitted(context, words, base.clientWidth - 24), 12, y);
  };
  line(model.facts.title, "bold 15px", theme.text, 21);
  line(model.facts.facts.join(" · "), "12px", theme.muted, 40);
  for (const layer of [base, over]) context.drawImage(layer, 0, HEAD, base.clientWidth, base.clientHeight);
  const blob = await new Promise((/** @type {(blob: Blob | null) => void} */ done) => canvas.toBlob(done, "image/png"));
  if (blob) download(model, blob, "png");
}

/** Saves the shown curves in the shown part of the run as CSV, in the form of `-o prog.csv`. @param {Chart} chart */
export function saveCurves({ model, store, layers }) {
  const [first, last] = model.samplesIn(store.view.range);
  const shown = [...layers].reverse();
  const rows = [[model.clock ? "time_ns" : "sample", ...shown.map(({ band }) => harmless(model.name(band)))].map(csvField)];
  for (let i = first; i <= last && model.samples > 0; i++) rows.push([model.clock ? model.clock[i] : model.times[i], ...shown.map(({ values }) => Math.round(values[i]))].map(csvField));
  download(model, new Blob(rows.map((row) => `${row.join(",")}\r\n`), { type: "text/csv" }), "csv");
}

/** @param {Model} model @param {Blob} blob @param {string} format */
function download(model, blob, format) {
  const link = /** @type {HTMLAnchorElement} */ (element("a"));
  link.href = URL.createObjectURL(blob);
  const { run, file, job } = model.facts;
  const name = (run || file || (job ?? "heap").split(" ")[0]).replace(/\.(gz|zst)$/, "").replace(/\.(hp|eventlog)$/, "").replace(/[^\p{L}\p{N}_.-]+/gu, "-").slice(0, 80);
  link.download = `${name}.${format}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
