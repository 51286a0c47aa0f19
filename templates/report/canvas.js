// @ts-check
// Drawing helpers: canvases, lines, colours, text cut to fit.

import { byId } from "./dom.js";

/** @typedef {{ left: number, top: number, width: number, height: number }} Box */

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", Verdana, sans-serif';

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

/**
 * How texts are written from now on.
 * @param {CanvasRenderingContext2D} context @param {string} colour @param {string} [font] its size
 * @param {CanvasTextAlign} [align] @param {CanvasTextBaseline} [baseline]
 */
export function pen(context, colour, font = "12px", align = "left", baseline = "alphabetic") {
  Object.assign(context, { fillStyle: colour, font: `${font} ${FONT}`, textAlign: align, textBaseline: baseline });
}

/** Draws the path as a line. @param {CanvasRenderingContext2D} context @param {string} colour @param {number} [width] */
export function stroke(context, colour, width = 1) {
  Object.assign(context, { strokeStyle: colour, lineWidth: width });
  context.stroke();
}

/**
 * A straight line between two points.
 * @param {CanvasRenderingContext2D} context @param {string} colour @param {number[]} ends @param {number} [width]
 */
export function line(context, colour, [x1, y1, x2, y2], width) {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  stroke(context, colour, width);
}

/**
 * Fills the path, or a box.
 * @param {CanvasRenderingContext2D} context @param {string} colour @param {number} [alpha]
 * @param {number[]} [box] left, top, width, height
 */
export function fill(context, colour, alpha = 1, box) {
  Object.assign(context, { fillStyle: colour, globalAlpha: alpha });
  if (box) context.fillRect(box[0], box[1], box[2], box[3]);
  else context.fill();
  context.globalAlpha = 1;
}

/** Draws inside a box only. @param {CanvasRenderingContext2D} context @param {Box} box @param {() => void} draw */
export function clipped(context, { left, top, width, height }, draw) {
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  draw();
  context.restore();
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

/** A text cut to fit into a width in pixels. @param {CanvasRenderingContext2D} context @param {string} text @param {number} width */
export function fitted(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  const all = Array.from(text);
  const cut = (/** @type {number} */ kept) => [...all.slice(0, kept), "…"].join("");
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(cut(middle)).width <= width) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? "" : cut(low);
}
