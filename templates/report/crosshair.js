// @ts-check
// What follows the pointer, on a canvas over the chart: crosshair, highlighted band and bubble.

import { clipped, fill, line, stroke } from "./canvas.js";
import { byId, element, nameElement, part, setName, setText } from "./dom.js";
import { barIn, traceArea, traceEdge } from "./layers.js";
import { MOST_MARKERS, markersAt } from "./markers.js";
import { bytesText, instantText } from "./words.js";
/** @import { Chart } from "./chart.js" */

/** Draws what follows the pointer, over the bands. @param {Chart} chart */
export function drawOver(chart) {
  const { context } = chart.cleared(chart.over);
  const { left, width: plotWidth } = chart.box;
  drawEmphasis(chart, context);
  drawPart(chart, context);
  const at = chart.at();
  if (chart.hasStrip) markStrip(chart, at);
  const x = at === null ? NaN : chart.xOf(chart.model.times[at]);
  const visible = x >= left - 0.5 && x <= left + plotWidth + 0.5;
  chart.bubble.hidden = !visible;
  if (at === null || !visible) return;
  drawCrosshair(chart, context, at, x);
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
 * @param {Chart} chart @param {CanvasRenderingContext2D} context @param {number} at @param {number} x
 */
function drawCrosshair(chart, context, at, x) {
  const { top, height } = chart.box;
  line(context, chart.theme.text, [Math.round(x) + 0.5, top, Math.round(x) + 0.5, top + height]);
  const lines = chart.store.view.view === "lines";
  const dots = lines || chart.emphasis !== null ? chart.layers : chart.layers.slice(-1);
  for (const layer of dots) {
    if (chart.emphasis !== null && layer.band !== chart.emphasis) continue;
    const y = Math.max(top, chart.yOf(layer.top[at]));
    context.beginPath();
    context.arc(x, y, 3.5, 0, 2 * Math.PI);
    fill(context, lines || chart.emphasis !== null ? chart.paint(layer.band) : chart.theme.text);
    stroke(context, chart.theme.background, 1.5);
  }
}

/** The marked part: all else is behind a veil. @param {Chart} chart @param {CanvasRenderingContext2D} context */
function drawPart(chart, context) {
  const { part } = chart.store.view;
  if (!part) return;
  const { left, top, width, height } = chart.box;
  const [from, to] = part.map((end) => Math.min(left + width, Math.max(left, chart.xOf(end))));
  fill(context, chart.theme.background, 0.6, [left, top, from - left, height]);
  fill(context, chart.theme.background, 0.6, [to, top, left + width - to, height]);
  for (const x of [from, to]) line(context, chart.theme.accent, [Math.round(x) + 0.5, top, Math.round(x) + 0.5, top + height], 1.5);
}

/**
 * One layer over the dimmed others. No other band is redrawn while the pointer moves.
 * @param {Chart} chart @param {CanvasRenderingContext2D} context
 */
function drawEmphasis(chart, context) {
  const index = chart.layers.findIndex((layer) => layer.band === chart.emphasis);
  if (index < 0 || chart.model.samples === 0) return;
  const { box, edges } = chart;
  const { times, single } = chart.model;
  const layer = chart.layers[index];
  const paint = chart.paint(layer.band);
  const isLines = chart.store.view.view === "lines";
  const edge = edges[index] ?? layer.top;
  const below = index > 0 && !isLines ? edges[index - 1] : null;
  clipped(context, box, () => {
    fill(context, chart.theme.background, 0.72, [box.left, box.top, box.width, box.height]);
    if (single !== null) {
      const [top, bottom] = [edge[single], below?.[single] ?? 0].map((value) => chart.yOf(value));
      fill(context, paint, 1, barIn(box, chart.xOf(times[single]), top, bottom));
    } else if (isLines) {
      traceEdge(context, edge, chart.places());
      stroke(context, paint, 2.6);
    } else {
      traceArea(context, edge, chart.places(), below);
      fill(context, paint);
    }
  });
}

/** The lines of a bubble, made once: making and styling them takes longer than changing them. @param {HTMLElement} bubble */
export function makeBubble(bubble) {
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
