// @ts-check
// Drawing helpers: canvases, lines, colours, text cut to fit.

import { byId } from "./dom.js";

export const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", Verdana, sans-serif';

/** @param {string} id */
export function canvasOf(id) {
  return /** @type {HTMLCanvasElement} */ (byId(id));
}

/** @param {HTMLCanvasElement} canvas */
export function contextOf(canvas) {
  return /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
}

/**
 * Sets a canvas's resolution to that of the screen.
 * @param {HTMLCanvasElement} canvas @param {number} width @param {number} height
 */
export function fit(canvas, width, height) {
  const ratio = Math.min(3, devicePixelRatio || 1);
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  contextOf(canvas).setTransform(ratio, 0, 0, ratio, 0, 0);
}

/** @param {HTMLCanvasElement} canvas */
export function sizeOf(canvas) {
  const ratio = contextOf(canvas).getTransform().a;
  return { width: canvas.width / ratio, height: canvas.height / ratio };
}

/** @param {CanvasRenderingContext2D} context @param {number} left @param {number} right @param {number} bottom */
export function closeArea(context, left, right, bottom) {
  context.lineTo(right, bottom);
  context.lineTo(left, bottom);
  context.closePath();
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {number} x1
 * @param {number} y1
 * @param {number} x2
 * @param {number} y2
 */
export function line(context, x1, y1, x2, y2) {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}

/** A mix of two colours. @param {string} from @param {string} to @param {number} share */
export function mixed(from, to, share) {
  const [a, b] = [channels(from), channels(to)];
  return `rgb(${a.map((value, i) => Math.round(value + (b[i] - value) * share)).join(",")})`;
}

/** @param {string} colour `#rrggbb` or `rgb(r, g, b)` */
function channels(colour) {
  const hex = /^#(..)(..)(..)$/.exec(colour);
  if (hex) return hex.slice(1).map((pair) => parseInt(pair, 16));
  return (colour.match(/[\d.]+/g) ?? ["0", "0", "0"]).slice(0, 3).map(Number);
}

/** Whether two neighbours in these colours would be taken for one. @param {string} one @param {string} other */
export function areAlike(one, other) {
  const [a, b] = [channels(one), channels(other)];
  return a.reduce((sum, value, i) => sum + [2, 4, 3][i] * (value - b[i]) ** 2, 0) < 110 ** 2;
}

/** Black or white, whichever reads better on a colour. @param {string} colour */
export function inkOn(colour) {
  const [r, g, b] = channels(colour).map((value) => (value / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.2 ? "#14181d" : "#ffffff";
}

/**
 * A name cut in its middle to fit into a width in pixels: its end distinguishes it from others.
 * @param {CanvasRenderingContext2D} context @param {string} name @param {number} width
 */
export function fittedName(context, name, width) {
  if (context.measureText(name).width <= width) return name;
  const all = Array.from(name);
  const cut = (/** @type {number} */ kept) => `${all.slice(0, Math.ceil(kept / 2)).join("")}…${all.slice(all.length - Math.floor(kept / 2)).join("")}`;
  let kept = all.length - 1;
  while (kept > 2 && context.measureText(cut(kept)).width > width) kept--;
  return cut(kept);
}

/**
 * A text cut at its end to fit into a width in pixels.
 * @param {CanvasRenderingContext2D} context @param {string} text @param {number} width
 */
export function fitted(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(`${text.slice(0, middle)}…`).width <= width) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? "" : `${text.slice(0, low)}…`;
}
