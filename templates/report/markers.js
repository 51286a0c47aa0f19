// @ts-check
// What is marked over the chart: markers, as lines and the labels that have room, and brackets over rises.

import { fill, fitted, line, mixed, pen, stroke } from "./canvas.js";
import { byId, setText } from "./dom.js";
import { sentenceText } from "./words.js";
/** @import { Chart } from "./chart.js" */
/** @import { Model } from "./model.js" */

/** The lines of labels above the plot, and the room that the first and the others may take from the next, in pixels. */
const LABEL_LINES = [9, 20];
const FIRST_LABEL = 160;
const LEAST_LABEL = 84;
export const MOST_MARKERS = 4;
/** The height above the plot without labels, what labels add to it, and what brackets under labels add to that. */
const HEAD_ROOM = 21;
const LABELS_ROOM = 8;
const RAISED = 8;

/** A bracket as it is drawn, in pixels of the plot. @typedef {{ from: number, to: number, start: number, end: number }} Bracket */

/**
 * How many characters all of some texts begin with, up to the end of a word; 0 for a single text.
 * @param {string[]} texts
 */
function sharedFront(texts) {
  const [first = "", ...others] = texts;
  if (others.length === 0) return 0;
  let shared = 0;
  while (shared < first.length && others.every((text) => text[shared] === first[shared])) shared++;
  return first.slice(0, shared).lastIndexOf(" ") + 1;
}

/** The markers within the shown range. @param {Chart} chart */
function shownMarkers(chart) {
  const [from, to] = chart.range();
  const { messages } = chart.store.view;
  return chart.model.markers.filter((m) => (messages || !m.message) && from <= m.time && m.time <= to);
}

/** How far labels are moved up, for the words of brackets. @param {Chart} chart */
function raised({ model }) {
  const { brackets = [] } = model.facts.verdict ?? {};
  return brackets.length > 0 && model.markers.some(({ message }) => !message) ? RAISED : 0;
}

/** The height above the plot. @param {Chart} chart */
export function headOf(chart) {
  return HEAD_ROOM + (chart.model.markers.some(({ message }) => !message) ? LABELS_ROOM : 0) + raised(chart);
}

/** @param {Chart} chart @param {CanvasRenderingContext2D} context */
export function drawMarkers(chart, context) {
  const { left, width, height, top: foot } = chart.box;
  const top = foot - raised(chart);
  const shown = shownMarkers(chart);
  const named = shown.filter((marker) => !marker.message);
  context.setLineDash([3, 3]);
  for (const marker of shown) {
    const x = Math.round(chart.xOf(marker.time)) + 0.5;
    const colour = marker.message ? mixed(chart.theme.marker, chart.theme.background, 0.6) : chart.theme.marker;
    line(context, colour, [x, marker.message ? foot : top - 6, x, foot + height]);
  }
  context.setLineDash([]);
  pen(context, chart.theme.muted, "11px");
  const front = sharedFront(named.map((marker) => marker.text));
  // Two lines of labels, the nearer one first.
  const taken = LABEL_LINES.map(() => -Infinity);
  for (const [i, marker] of named.entries()) {
    const x = chart.xOf(marker.time);
    const line = taken.findIndex((end) => x >= end);
    if (line < 0) continue;
    // What all labels begin with is said once.
    const isFirst = taken[0] === -Infinity;
    const words = isFirst ? marker.text : marker.text.slice(front);
    const right = left + width + 12;
    const [, second = right] = named.slice(i + 1).map((other) => chart.xOf(other.time));
    // The next label has the other line.
    const room = Math.max(isFirst ? FIRST_LABEL : LEAST_LABEL, second - x - 10);
    const text = fitted(context, words, Math.min(room, right - x));
    const before = x - context.measureText(words).width - 3;
    // Where a label would be cut, it stands before its marker if there is room.
    const isBefore = text !== words && before >= Math.max(left, taken[line]);
    if (!isBefore && text !== words && text.length < 7) continue;
    context.fillText(isBefore ? words : text, isBefore ? before : x + 3, top - LABEL_LINES[line]);
    taken[line] = isBefore ? x + 4 : x + context.measureText(text).width + 8;
  }
}

/** The bracket at a place of the plot. @param {Chart} chart @param {number} x @param {number} y */
export function bracketAt(chart, x, y) {
  if (y > chart.box.top + 4 || chart.model.samples === 0) return null;
  return chart.brackets.find(({ start, end }) => start <= x && x <= end) ?? null;
}

/**
 * A bracket over each rise that the picture brackets, with its words: without room for them it is not drawn.
 * @param {Chart} chart @param {CanvasRenderingContext2D} context
 */
export function drawBrackets(chart, context) {
  const { left, top, width } = chart.box;
  const { model, theme } = chart;
  const right = left + width;
  pen(context, theme.muted, "11px", "center");
  const wide = (/** @type {string} */ text) => context.measureText(text).width;
  const placed = (model.facts.verdict?.brackets ?? []).map((bracket) => {
    const [first, last] = [bracket.from, bracket.to].map((time) => chart.xOf(model.placeOfTime(time)));
    const texts = bracket.words.map((sentence) => sentenceText(sentence, chart.store.view.units));
    const [start, end] = [Math.max(left, first), Math.min(right, last)];
    // Others leave it as much as its shortest words with a name need.
    const half = wide(texts[Math.max(0, texts.length - 2)]) / 2;
    const around = [Math.min(start, (start + end) / 2 - half), Math.max(end, (start + end) / 2 + half)];
    return { ...bracket, texts, first, last, start, end, around };
  });
  const shown = placed.filter(({ start, end }) => end - start >= 1);
  let written = left;
  chart.brackets = [];
  for (const [at, { from, to, band, texts, first, last, start, end }] of shown.entries()) {
    // Words may be beside their bracket, up to the next one.
    const others = shown.filter((_, other) => other !== at);
    const low = Math.max(written, ...others.filter((other) => other.end <= start).map(({ around }) => around[1] + 6));
    const high = Math.min(right, ...others.filter((other) => other.start >= end).map(({ around }) => around[0] - 6));
    const fitting = texts.find((text) => wide(text) <= high - low);
    const text = fitting ?? texts[texts.length - 1];
    const half = wide(text) / 2;
    const middle = Math.min((fitting ? high : right) - half, Math.max(low + half, (start + end) / 2));
    if (middle - half < written || middle + half > right + 1) continue;
    written = middle + half + 6;
    chart.brackets.push({ from, to, start, end });
    const colour = band !== null && chart.layers.some((layer) => layer.band === band) ? model.colour(band) : model.outside !== null ? theme.problem : theme.muted;
    line(context, colour, [start, top - 2, end, top - 2], 2);
    // It is dotted where there are no samples.
    for (const [from, to] of chart.gaps) {
      const dots = [Math.max(from, start), top - 2, Math.min(to, end), top - 2];
      if (dots[0] >= dots[2]) continue;
      line(context, theme.background, dots, 2);
      context.setLineDash([1, 4]);
      line(context, colour, dots, 2);
      context.setLineDash([]);
    }
    for (const [x, inside] of [[first, 1], [last, -1]]) if (left <= x && x <= right) line(context, colour, [x + inside, top - 2, x + inside, top + 4], 2);
    // Over the line of a marker, and under its label.
    fill(context, theme.background, 1, [middle - half - 2, top - 14, 2 * half + 4, 11]);
    context.fillStyle = theme.muted;
    context.fillText(text, middle, top - 6);
  }
  chart.plot.dataset.brackets = String(chart.brackets.length);
  // For a screen reader, also those without room for their words.
  const told = shown.map(({ from, to, texts }) => `${texts[0]}, from ${model.span([model.placeOfTime(from), model.placeOfTime(to)])}`);
  setText(byId(`${chart.plot.id}-rises`), told.length > 0 ? `Rises marked over the chart: ${told.join("; ")}.` : "");
}

/**
 * A line through the lows of a sawtooth that rise; columns of least totals draw them themselves.
 * @param {Chart} chart @param {CanvasRenderingContext2D} context
 */
export function drawLows(chart, context) {
  const { view, only } = chart.store.view;
  const { lows = [] } = chart.model.facts.verdict ?? {};
  if (lows.length < 2 || view === "percent" || only.length > 0 || (chart.grid !== null && chart.model.facts.columns === "floor")) return;
  context.beginPath();
  for (const [time, bytes] of lows) context.lineTo(chart.xOf(chart.model.placeOfTime(time)), chart.yOf(bytes));
  stroke(context, chart.theme.background, 3.5);
  stroke(context, chart.theme.text, 1.5);
}

/**
 * The markers since the previous sample, and those next to this sample on the screen; includes
 * messages if they are drawn.
 * @param {Chart} chart @param {number} sample
 */
export function markersAt(chart, sample) {
  const { times } = chart.model;
  const x = chart.xOf(times[sample]);
  const since = sample > 0 ? times[sample - 1] : -Infinity;
  const isHere = (/** @type {Model["markers"][0]} */ { time }) =>
    (since < time && time <= times[sample]) || Math.abs(chart.xOf(time) - x) <= 4;
  return shownMarkers(chart).filter(isHere).slice(0, MOST_MARKERS);
}
