// @ts-check
// Saves the view as SVG or PNG, both drawn by the chart's own code, with title and key.

import { FONT, contextOf, fitted, fittedName } from "./canvas.js";
import { csvField, harmless } from "./columns.js";
import { drawCrosshair, drawPins } from "./crosshair.js";
import { element } from "./dom.js";
import { bytesText, signedBytes } from "./words.js";
/** @import { Chart } from "./chart.js" */
/** @import { Model } from "./model.js" */

const PICTURE = { width: 1100, height: 560, key: 280, top: 54 };

/** The part of a canvas context that the chart uses, writing SVG. */
class SvgContext {
  constructor() {
    /** @type {string[]} */
    this.items = [];
    this.path = "";
    this.fillStyle = "#000";
    this.strokeStyle = "#000";
    this.lineWidth = 1;
    this.lineJoin = "miter";
    this.globalAlpha = 1;
    this.font = `12px ${FONT}`;
    this.textAlign = "left";
    this.textBaseline = "alphabetic";
    /** @type {number[]} */
    this.dash = [];
    this.clips = 0;
    this.open = 0;
    /** @type {number[]} */
    this.saved = [];
    this.measuring = contextOf(document.createElement("canvas"));
  }

  beginPath() {
    this.path = "";
  }

  /** @param {number} x @param {number} y */
  moveTo(x, y) {
    this.path += `M${short(x)} ${short(y)}`;
  }

  /** @param {number} x @param {number} y */
  lineTo(x, y) {
    this.path += `${this.path === "" ? "M" : "L"}${short(x)} ${short(y)}`;
  }

  closePath() {
    this.path += "Z";
  }

  /** A whole circle, the only arc that the chart draws. @param {number} x @param {number} y @param {number} radius */
  arc(x, y, radius) {
    const half = `a${radius} ${radius} 0 0 1 `;
    this.path += `M${short(x - radius)} ${short(y)}${half}${2 * radius} 0${half}${-2 * radius} 0`;
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  rect(x, y, width, height) {
    this.path += `M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}Z`;
  }

  fill() {
    this.add(`<path d="${this.path}" fill="${this.fillStyle}"${this.opacity()}/>`);
  }

  stroke() {
    const dash = this.dash.length > 0 ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    this.add(`<path d="${this.path}" fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}" stroke-linejoin="${this.lineJoin}"${dash}${this.opacity()}/>`);
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  fillRect(x, y, width, height) {
    this.add(`<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" fill="${this.fillStyle}"${this.opacity()}/>`);
  }

  /** @param {string} text @param {number} x @param {number} y */
  fillText(text, x, y) {
    const anchor = { right: "end", center: "middle" }[this.textAlign] ?? "start";
    const size = Number(/(\d+)px/.exec(this.font)?.[1] ?? 12);
    const drop = { middle: 0.35, top: 0.9, bottom: -0.2 }[this.textBaseline] ?? 0;
    const weight = this.font.startsWith("bold") ? ' font-weight="bold"' : "";
    this.add(`<text x="${short(x)}" y="${short(y + drop * size)}" font-size="${size}" text-anchor="${anchor}" fill="${this.fillStyle}"${weight}${this.opacity()}>${escaped(text)}</text>`);
  }

  /** @param {string} text */
  measureText(text) {
    this.measuring.font = this.font;
    return this.measuring.measureText(text);
  }

  /** @param {number[]} dash */
  setLineDash(dash) {
    this.dash = dash;
  }

  save() {
    this.saved.push(this.open);
  }

  clip() {
    this.clips += 1;
    this.items.push(`<clipPath id="clip${this.clips}"><path d="${this.path}"/></clipPath><g clip-path="url(#clip${this.clips})">`);
    this.open += 1;
  }

  restore() {
    const until = this.saved.pop() ?? 0;
    for (; this.open > until; this.open--) this.items.push("</g>");
  }

  opacity() {
    return this.globalAlpha === 1 ? "" : ` opacity="${this.globalAlpha}"`;
  }

  /** @param {string} item */
  add(item) {
    this.items.push(item);
  }

  /** The picture as the text of an SVG file. */
  text() {
    const { width, height } = PICTURE;
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family='${FONT}'>\n${this.items.join("\n")}\n</svg>\n`;
  }
}

/** @param {number} x */
function short(x) {
  return String(Math.round(x * 100) / 100);
}

/** @param {string} text */
function escaped(text) {
  return text.replace(/[&<>"]/g, (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[letter] ?? "");
}

/**
 * Draws the view: title, chart, and the key at the pinned sample or the peak.
 * @param {Chart} chart
 * @param {any} context
 */
function paintPicture(chart, context) {
  const { width, height, key, top } = PICTURE;
  const { model, store, theme } = chart;
  context.fillStyle = theme.background;
  context.fillRect(0, 0, width, height);
  const text = (/** @type {string} */ words, /** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ room) => context.fillText(fitted(context, words, room), x, y);
  context.textBaseline = "alphabetic";
  context.textAlign = "left";
  context.fillStyle = theme.text;
  context.font = `bold 15px ${FONT}`;
  text(model.facts.title, 14, 24, width - 28);
  context.font = `12px ${FONT}`;
  context.fillStyle = theme.muted;
  text(model.facts.facts.join(" · "), 14, 43, width - 28);
  chart.paintOn(context, width - key, height - top, top);
  const { at, b, units } = store.view;
  drawPins(chart, context);
  if (b === null && at !== null) drawCrosshair(chart, context, at);
  const sample = at ?? chart.rest();
  const change = at !== null && b !== null ? b : null;
  const amount = (/** @type {ArrayLike<number>} */ values) => (change === null ? bytesText(values[sample], units) : signedBytes(values[change] - values[sample], units));
  const left = width - key + 8;
  let y = top + 18;
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
  context.font = `12px ${FONT}`;
  context.fillStyle = theme.muted;
  if (model.samples > 0) text(change === null ? `at ${model.when(sample)}` : `A ${model.when(sample)} → B ${model.when(change)}`, left, y, key - 110);
  context.textAlign = "right";
  if (model.samples > 0) context.fillText(`${amount(model.total)} in all`, width - 14, y);
  context.textAlign = "left";
  const rows = Math.floor((height - y - 16) / 19);
  for (const layer of [...chart.layers].reverse().slice(0, rows)) {
    y += 19;
    context.fillStyle = chart.paint(layer.band);
    context.fillRect(left, y - 10, 11, 11);
    context.fillStyle = theme.text;
    context.textAlign = "right";
    context.fillText(model.samples > 0 ? amount(layer.values) : "", width - 14, y);
    context.textAlign = "left";
    context.fillText(fittedName(context, model.keyName(layer.band), key - 120), left + 17, y);
  }
}

/**
 * Saves the view as a file.
 * @param {Chart} chart
 * @param {"svg" | "png"} format
 */
export async function savePicture(chart, format) {
  const { width, height } = PICTURE;
  /** @type {Blob | null} */
  let blob = null;
  if (format === "svg") {
    const context = new SvgContext();
    paintPicture(chart, context);
    blob = new Blob([context.text()], { type: "image/svg+xml" });
  } else {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [2 * width, 2 * height];
    const context = contextOf(canvas);
    context.scale(2, 2);
    paintPicture(chart, context);
    blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  }
  // The picture was laid out in its own size: lay the chart out for the screen again.
  chart.draw();
  if (blob) download(chart.model, blob, format);
}

/**
 * Saves the shown curves in the shown part of the run as CSV, in the form of `-o prog.csv`.
 * @param {Chart} chart
 */
export function saveCurves({ model, store, layers }) {
  const [first, last] = model.samplesIn(store.view.range);
  const shown = [...layers].reverse();
  const rows = [[model.clock ? "time_ns" : "sample", ...shown.map(({ band }) => harmless(model.name(band)))].map(csvField)];
  for (let i = first; i <= last && model.samples > 0; i++) rows.push([model.clock ? model.clock[i] : model.times[i], ...shown.map(({ values }) => Math.round(values[i]))].map(csvField));
  download(model, new Blob(rows.map((row) => `${row.join(",")}\r\n`), { type: "text/csv" }), "csv");
}

/**
 * @param {Model} model
 * @param {Blob} blob
 * @param {string} format
 */
function download(model, blob, format) {
  const link = /** @type {HTMLAnchorElement} */ (element("a"));
  link.href = URL.createObjectURL(blob);
  const name = (model.facts.run || "heap").replace(/\.(gz|zst)$/, "").replace(/\.(hp|eventlog)$/, "").replace(/[^\w.-]+/g, "-");
  link.download = `${name}.${format}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
