// @ts-check
// What follows the pointer, on a canvas over the chart: crosshair, highlighted band and bubble.

import { FONT, closeArea, line } from "./canvas.js";
import { byId, element, nameElement, part, setName, setText } from "./dom.js";
import { drawLabels } from "./labels.js";
import { traceEdge, traceEdgeBack } from "./layers.js";
import { MOST_MARKERS, markersAt } from "./markers.js";
import { bytesText, instantText } from "./words.js";
/** @import { Chart } from "./chart.js" */

/** Draws what follows the pointer, over the bands. @param {Chart} chart */
export function drawOver(chart) {
  const { context } = chart.cleared(chart.over);
  const { left, top, height: plotHeight, width: plotWidth } = chart.box;
  if (chart.dragged) {
    const [a, b] = [Math.min(...chart.dragged), Math.max(...chart.dragged)];
    context.globalAlpha = 0.16;
    context.fillStyle = chart.theme.accent;
    context.fillRect(a, top, b - a, plotHeight);
    context.globalAlpha = 1;
    context.strokeStyle = chart.theme.accent;
    line(context, a + 0.5, top, a + 0.5, top + plotHeight);
    line(context, b - 0.5, top, b - 0.5, top + plotHeight);
  }
  drawEmphasis(chart, context);
  drawPins(chart, context);
  const at = chart.at();
  if (chart.hasStrip) markStrip(chart, at);
  const x = at === null ? NaN : chart.xOf(chart.model.times[at]);
  const visible = x >= left - 0.5 && x <= left + plotWidth + 0.5;
  chart.bubble.hidden = !visible || chart.dragged !== null;
  if (at === null || !visible) return;
  drawCrosshair(chart, context, at);
  fillBubble(chart, at, x);
}

/** The crosshair through the overview, which is not redrawn for it. @param {Chart} chart @param {number | null} at */
function markStrip(chart, at) {
  const mark = byId("strip-mark");
  mark.hidden = at === null;
  if (at === null) return;
  const [low, high] = chart.full;
  const { left, width } = chart.stripBox;
  mark.style.transform = `translateX(${(left + ((chart.model.times[at] - low) / (high - low)) * width).toFixed(1)}px)`;
}

/**
 * The line at a sample, and dots where it crosses the layers.
 * @param {Chart} chart @param {CanvasRenderingContext2D} context @param {number} at
 */
function drawCrosshair(chart, context, at) {
  const { left, top, height: plotHeight, width: plotWidth } = chart.box;
  const x = chart.xOf(chart.model.times[at]);
  if (x < left - 0.5 || x > left + plotWidth + 0.5) return;
  context.strokeStyle = chart.theme.text;
  context.lineWidth = 1;
  line(context, Math.round(x) + 0.5, top, Math.round(x) + 0.5, top + plotHeight);
  const lines = chart.store.view.view === "lines";
  const dots = lines || chart.emphasis !== null ? chart.layers : chart.layers.slice(-1);
  for (const layer of dots) {
    if (chart.emphasis !== null && layer.band !== chart.emphasis) continue;
    const y = Math.max(top, chart.yOf(layer.top[at]));
    context.beginPath();
    context.arc(x, y, 3.5, 0, 2 * Math.PI);
    context.fillStyle = lines || chart.emphasis !== null ? chart.paint(layer.band) : chart.theme.text;
    context.fill();
    context.strokeStyle = chart.theme.background;
    context.lineWidth = 1.5;
    context.stroke();
  }
}

/**
 * A and B: two instants, or two parts of the run. A single instant is drawn as the crosshair.
 * @param {Chart} chart @param {CanvasRenderingContext2D} context
 */
function drawPins(chart, context) {
  const { a, b } = chart.store.view;
  const { left, top, width, height } = chart.box;
  context.font = `bold 11px ${FONT}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const [letter, ends] of /** @type {[string, number[] | null][]} */ ([["A", a], ["B", b]])) {
    const places = (ends ?? []).map((end) => Math.round(chart.xOf(end)) + 0.5);
    const [from, to] = [Math.max(left, Math.min(...places)), Math.min(left + width + 1, Math.max(...places))];
    if (!(from <= to)) continue;
    context.fillStyle = context.strokeStyle = chart.theme.accent;
    context.globalAlpha = 0.16;
    context.fillRect(from, top, to - from, height);
    context.globalAlpha = 1;
    context.lineWidth = 1.5;
    for (const x of places) if (x >= left && x <= left + width + 1) line(context, x, top, x, top + height);
    const middle = (from + to) / 2;
    context.fillRect(middle - 8, top + height - 17, 16, 16);
    context.fillStyle = chart.theme.background;
    context.fillText(letter, middle, top + height - 8);
  }
}

/**
 * One layer over the dimmed others. No other band is redrawn while the pointer moves.
 * @param {Chart} chart @param {CanvasRenderingContext2D} context
 */
function drawEmphasis(chart, context) {
  const index = chart.layers.findIndex((layer) => layer.band === chart.emphasis);
  if (index < 0 || chart.model.samples === 0) return;
  const { left, top, width, height } = chart.box;
  const { times, samples } = chart.model;
  const { grid, edges } = chart;
  const [first, last] = grid ? [0, grid.shown.length - 1] : chart.shownSamples();
  const bottom = top + height;
  const x = (/** @type {number} */ i) => chart.xOf(grid ? grid.place(i) : times[i]);
  const y = (/** @type {number} */ value) => chart.yOf(value);
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  context.globalAlpha = 0.72;
  context.fillStyle = chart.theme.background;
  context.fillRect(left, top, width, height);
  context.globalAlpha = 1;
  const layer = chart.layers[index];
  const edge = edges[index] ?? layer.top;
  const below = index > 0 && chart.store.view.view !== "lines" ? edges[index - 1] : null;
  context.beginPath();
  if (samples === 1) {
    const floor = below ? y(below[0]) : bottom;
    context.rect(chart.xOf(times[0]) - 12, y(edge[0]), 24, floor - y(edge[0]));
  } else traceEdge(context, edge, first, last, x, y, true);
  if (chart.store.view.view === "lines" && samples > 1) {
    context.strokeStyle = chart.paint(layer.band);
    context.lineWidth = 2.6;
    context.stroke();
  } else {
    if (samples > 1 && below) traceEdgeBack(context, below, first, last, x, y);
    else if (samples > 1) closeArea(context, x(first), x(last), bottom);
    context.fillStyle = chart.paint(layer.band);
    context.fill();
  }
  drawLabels(chart, context, layer.band);
  context.restore();
}

/**
 * The lines of the bubble, created once: creating and styling them takes longer than changing them.
 * @param {HTMLElement} bubble
 */
function fillOnce(bubble) {
  if (bubble.childElementCount > 0) return;
  const name = nameElement("");
  name.append(element("span", "", "amount"));
  const markers = Array.from({ length: MOST_MARKERS }, () => element("span", "", "marker"));
  bubble.append(element("b", "", "time"), element("span", "", "total"), name, ...markers);
}

/** @param {Chart} chart @param {number} at @param {number} x */
function fillBubble(chart, at, x) {
  const { units } = chart.store.view;
  const { model, bubble } = chart;
  const time = instantText(model, at);
  const layer = chart.layers.find((layer) => layer.band === chart.emphasis);
  const markers = markersAt(chart, at);
  fillOnce(bubble);
  const name = part(bubble, "name");
  setText(part(bubble, "time"), time);
  const shown = chart.alone ? `${bytesText(chart.alone[at], units)} of ` : "";
  setText(part(bubble, "total"), `${shown}${bytesText(model.total[at], units)} in all`);
  name.hidden = !layer;
  if (layer) {
    // If a name has to be cut, its amount must stay visible.
    setName(name, model.name(layer.band));
    setText(part(name, "amount"), `: ${layer.exact ? "" : "≥ "}${bytesText(layer.values[at], units)}`);
  }
  for (const [i, line] of /** @type {HTMLElement[]} */ ([...bubble.getElementsByClassName("marker")]).entries()) {
    line.hidden = i >= markers.length;
    setText(line, markers[i]?.text ?? "");
  }
  const { left, top, width } = chart.box;
  // On the side with more room. Measuring the bubble would force a layout in every frame.
  const isLeft = x > left + width / 2;
  bubble.style.transform = isLeft ? `translate(calc(${x - 10}px - 100%), ${top + 6}px)` : `translate(${x + 10}px, ${top + 6}px)`;
}
