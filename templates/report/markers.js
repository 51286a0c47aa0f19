// @ts-check
// The markers on the chart: lines, and the labels that have room.

import { fill, fitted, line, mixed, pen } from "./canvas.js";
import { between } from "./numbers.js";
import { signedBytes } from "./words.js";
/** @import { Chart } from "./chart.js" */
/** @import { Ghost } from "./compared.js" */
/** @import { Model } from "./model.js" */

/** The lines of labels above the plot, and the room that the first and the others may take from the next, in pixels. */
const LABEL_LINES = [9, 22];
const FIRST_LABEL = 160;
const LEAST_LABEL = 84;
export const MOST_MARKERS = 4;
const MOST_BRACKETS = 5;

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

/** @param {Chart} chart @param {CanvasRenderingContext2D} context */
export function drawMarkers(chart, context) {
  const { left, top, width, height } = chart.box;
  const shown = shownMarkers(chart);
  const named = shown.filter((marker) => !marker.message);
  context.setLineDash([3, 3]);
  for (const marker of shown) {
    const x = Math.round(chart.xOf(marker.time)) + 0.5;
    const colour = marker.message ? mixed(chart.theme.marker, chart.theme.background, 0.6) : chart.theme.marker;
    line(context, colour, [x, top - (marker.message ? 0 : 6), x, top + height]);
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

/** The movements that have brackets, the biggest of those in sight, each with its ends in pixels of the plot. @param {Chart} chart */
function bracketed(chart) {
  const movements = chart.model.facts.verdict?.movements ?? [];
  const { left, width } = chart.box;
  const size = (/** @type {typeof movements[0]} */ { from_bytes: before, to_bytes: after }) => Math.abs(after - before);
  const shown = movements.flatMap((movement) => {
    const ends = [movement.from, movement.to].map((sample) => chart.xOf(chart.model.times[sample]));
    const [start, end] = [Math.max(left, ends[0]), Math.min(left + width, ends[1])];
    // One over all of the run says nothing.
    const isShown = movement.kind !== "level" && end - start >= 4 && (movements.length > 1 || end - start <= 0.95 * width);
    return isShown ? [{ ...movement, ends, start, end }] : [];
  });
  return shown.sort((a, b) => size(b) - size(a)).slice(0, MOST_BRACKETS);
}

/** The movement whose bracket is at a place of the plot. @param {Chart} chart @param {number} x @param {number} y */
export function movementAt(chart, x, y) {
  if (y > chart.box.top + 4 || chart.model.samples === 0) return null;
  return bracketed(chart).find(({ start, end }) => start <= x && x <= end) ?? null;
}

/**
 * A bracket over each movement of the heap, with its words where no marker has a label and they fit.
 * @param {Chart} chart @param {CanvasRenderingContext2D} context
 */
export function drawMovements(chart, context) {
  const { top } = chart.box;
  const { units } = chart.store.view;
  const hasLabels = shownMarkers(chart).some((marker) => !marker.message);
  pen(context, chart.theme.muted, "11px", "center");
  const brackets = bracketed(chart);
  chart.plot.dataset.brackets = String(brackets.length);
  for (const { ends, start, end, from_bytes: before, to_bytes: after, bands } of brackets) {
    const first = bands.find(([band]) => chart.layers.some((layer) => layer.band === band));
    const colour = first ? chart.paint(Number(first[0])) : chart.theme.muted;
    line(context, colour, [start + 1, top - 2, end - 1, top - 2], 2);
    if (start === ends[0]) line(context, colour, [start + 2, top - 2, start + 2, top + 4], 2);
    if (end === ends[1]) line(context, colour, [end - 2, top - 2, end - 2, top + 4], 2);
    const amount = signedBytes(after - before, units);
    const words = [bands.length > 0 ? `${amount}, most in ${bands[0][1]}` : amount, amount].find((text) => context.measureText(text).width < end - start - 6);
    if (words && !hasLabels) context.fillText(words, (start + end) / 2, top - 7);
  }
}

/**
 * The name of the other run, above the end of its line or where that leaves the plot.
 * @param {Chart} chart @param {CanvasRenderingContext2D} context @param {Ghost} ghost
 */
export function drawGhostName(chart, context, { times, values, name, end }) {
  const { left, width, top } = chart.box;
  const [from, to] = chart.range();
  if (end <= from || times[0] >= to) return;
  const place = Math.min(end, to);
  const y = chart.yOf(between(values, times, place));
  pen(context, chart.theme.accent, "bold 11px", "right");
  const words = fitted(context, name, width / 2);
  const long = context.measureText(words).width;
  const right = Math.max(left + long, chart.xOf(place)) - 4;
  const up = y - top > 24 ? y - 9 : y + 24;
  fill(context, chart.theme.background, 0.85, [right - long - 3, up - 11, long + 6, 15]);
  context.fillStyle = chart.theme.accent;
  context.fillText(words, right, up);
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
