// @ts-check
// Saves what is shown: the view with its title, headline and key as a picture, and the curves as CSV.

import { contextOf, fill, fitted, pen } from "./canvas.js";
import { csvField, harmless } from "./columns.js";
import { byId, download, part } from "./dom.js";
/** @import { Chart } from "./chart.js" */
/** @import { Model } from "./model.js" */

/** Lengths of the picture, in pixels of the page: its edge, a line of text, and the width of a key beside the chart. */
const EDGE = 12;
const LINE = 20;
const KEY = 280;
/** A narrower chart has its key below. */
const LEAST_BESIDE = 560;

/** @typedef {{ name: string, amount: string, colour: string }} KeyLine */

/**
 * The picture for an issue: all that somebody needs who does not have the page. Of a comparison it has both charts.
 * @param {Chart} chart
 */
export async function savePicture(chart) {
  const { base, model, theme, twin } = chart;
  const canvas = document.createElement("canvas");
  const context = contextOf(canvas);
  const isWide = base.clientWidth >= LEAST_BESIDE;
  const width = base.clientWidth + (isWide ? KEY : 0);
  const head = headLines(context, width - 2 * EDGE);
  const charts = twin ? (chart.isUpper ? [chart, twin] : [twin, chart]) : [chart];
  const nameHeight = twin ? LINE : 0;
  const top = head.length * LINE + EDGE;
  const chartsHeight = charts.reduce((sum, { base }) => sum + base.clientHeight + nameHeight, 0);
  const key = keyLines(chart, isWide ? Math.floor(chartsHeight / LINE) : Infinity);
  const scale = base.width / base.clientWidth;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round((top + chartsHeight + (isWide ? 0 : key.length * LINE) + EDGE) * scale);
  context.scale(scale, scale);
  fill(context, theme.background, 1, [0, 0, width, canvas.height / scale]);
  head.forEach(({ words, font, isFaint }, i) => {
    pen(context, isFaint ? theme.muted : theme.text, font, "left", "middle");
    context.fillText(words, EDGE, EDGE / 2 + (i + 0.5) * LINE);
  });
  let y = top;
  for (const one of charts) {
    pen(context, theme.text, "bold 12px", "left", "middle");
    if (twin) context.fillText(byId(`${one.plot.id}-name`).textContent ?? "", EDGE, y + LINE / 2);
    for (const layer of [one.base, one.over]) context.drawImage(layer, 0, y + nameHeight, one.base.clientWidth, one.base.clientHeight);
    y += one.base.clientHeight + nameHeight;
  }
  const [left, room] = isWide ? [base.clientWidth + EDGE, KEY - 2 * EDGE] : [EDGE, width - 2 * EDGE];
  key.forEach(({ name, amount, colour }, i) => {
    const middle = (isWide ? top : y) + (i + 0.5) * LINE;
    if (colour !== "") fill(context, colour, 1, [left, middle - 6, 12, 12]);
    pen(context, theme.text, "12px", "right", "middle");
    context.fillText(amount, left + room, middle);
    pen(context, theme.text, "12px", "left", "middle");
    context.fillText(fitted(context, name, room - 28 - context.measureText(amount).width, chart.model.keepsEnds), left + 20, middle);
  });
  const blob = await new Promise((/** @type {(blob: Blob | null) => void} */ done) => canvas.toBlob(done, "image/png"));
  if (blob) download(fileName(model, "png"), blob);
}

/** The title, the facts under it and the headlines, in lines that fit. @param {CanvasRenderingContext2D} context @param {number} width */
function headLines(context, width) {
  const lines = /** @type {{ words: string, font: string, isFaint: boolean }[]} */ ([]);
  const add = (/** @type {string} */ text, /** @type {string} */ font, isFaint = false) => {
    pen(context, "", font);
    let words = "";
    for (const word of text.split(" ")) {
      if (words !== "" && context.measureText(`${words} ${word}`).width > width) {
        lines.push({ words, font, isFaint });
        words = word;
      } else words = words === "" ? word : `${words} ${word}`;
    }
    if (words !== "") lines.push({ words: fitted(context, words, width), font, isFaint });
  };
  const title = byId("title");
  if (!title.hidden) add(title.textContent ?? "", "bold 15px");
  add(Array.from(byId("subtitle").children, ({ textContent }) => textContent).join(" · "), "12px", true);
  for (const box of ["compared", "verdict"].map(byId)) {
    const [words, more] = Array.from(box.children, ({ textContent }) => textContent ?? "");
    if (!box.hidden) add(`${words}${words.endsWith(".") ? "" : ":"} ${more}`, "14px");
  }
  return lines;
}

/** The key as it is shown beside the chart, in at most so many lines. @param {Chart} chart @param {number} most @returns {KeyLine[]} */
function keyLines(chart, most) {
  const text = (/** @type {Element | null} */ box) => box?.textContent ?? "";
  const lines = [{ name: text(byId("instant")), amount: "", colour: "" }];
  for (const term of byId("figures").querySelectorAll("dt")) lines.push({ name: text(term), amount: text(term.nextElementSibling), colour: "" });
  for (const row of /** @type {HTMLElement[]} */ ([...byId("layers").children])) {
    lines.push({ name: text(row.querySelector("bdi")), amount: text(part(row, "bytes")), colour: chart.paint(Number(row.dataset.band)) });
  }
  const left = lines.length - most + 1;
  return left > 1 ? [...lines.slice(0, most - 1), { name: `and ${left} more`, amount: "", colour: "" }] : lines;
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
