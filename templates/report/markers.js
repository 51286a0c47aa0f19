// @ts-check
// What is marked over the chart: markers, as ticks and the labels that have room, and the line of lows.

import { fitted, line, mixed, pen, stroke } from "./canvas.js";
/** @import { Chart } from "./chart.js" */
/** @import { Model } from "./model.js" */

/** The lines of labels above the plot, and the room that the first and the others may take from the next, in pixels. */
const LABEL_LINES = [9, 20];
const FIRST_LABEL = 160;
const LEAST_LABEL = 84;
export const MOST_MARKERS = 4;
/** The height above the plot without labels, and what labels add to it. */
const HEAD_ROOM = 21;
const LABELS_ROOM = 8;

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

/** The height above the plot. @param {Chart} chart */
export function headOf(chart) {
  return HEAD_ROOM + (chart.model.markers.some(({ message }) => !message) ? LABELS_ROOM : 0);
}

/** @param {Chart} chart @param {CanvasRenderingContext2D} context */
export function drawMarkers(chart, context) {
  const { left, width, height, top } = chart.box;
  const shown = shownMarkers(chart);
  const named = shown.filter((marker) => !marker.message);
  for (const { time, message } of shown) {
    const x = Math.round(chart.xOf(time)) + 0.5;
    if (message) line(context, mixed(chart.theme.marker, chart.theme.background, 0.6), [x, top, x, top + height]);
    else line(context, chart.theme.marker, [x, top - 18, x, top]);
  }
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

/**
 * A line through the lows of a sawtooth that rise.
 * @param {Chart} chart @param {CanvasRenderingContext2D} context
 */
export function drawLows(chart, context) {
  const { view, only } = chart.store.view;
  const { lows = [] } = chart.model.facts.verdict ?? {};
  if (lows.length < 2 || view === "percent" || only.length > 0) return;
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
