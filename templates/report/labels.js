// @ts-check
// The names of bands on the bands themselves: as far to the right as a band is high enough for its name.

import { fitted, inkOn, pen } from "./canvas.js";
import { changeMark } from "./compared.js";
import { barIn } from "./layers.js";
import { suspectMark } from "./verdict.js";
import { bytesText } from "./words.js";
/** @import { Chart } from "./chart.js" */

/** The height of a name, that of a band in which it has air, and the least room for it across, in pixels. */
const HEIGHT = 14;
const AIRY = 33;
const LEAST = 40;
/** The most of the plot's width that a name takes, and the pixels that it may always take. */
const MOST = 0.3;
const ALWAYS = 110;
/** How far apart the places are that are tried, in pixels. */
const STEP = 10;

/**
 * @param {Chart} chart @param {CanvasRenderingContext2D} context
 * @param {number | null} lit the highlighted band: the colours of all others are faded
 */
export function drawLabels(chart, context, lit) {
  const { box, layers, edges, model } = chart;
  if (layers.length === 0) return;
  pen(context, chart.theme.text, "12px", "right", "middle");
  const { from: first, to: last, x } = chart.places();
  // The heights of the edges at places that are a few pixels apart.
  const [start, , span] = model.single === null ? [x(first), 0, x(last) - x(first)] : barIn(box, x(model.single), 0, 0);
  const right = Math.min(box.left + box.width, start + span) - 4;
  const count = Math.max(0, Math.floor((right - Math.max(box.left, start)) / STEP));
  /** @type {number[]} */
  const samples = [];
  for (let i = 0, at = last; i <= count; i++) {
    while (at > first && x(at) > right - i * STEP) at--;
    samples.push(model.single ?? at);
  }
  const isInGap = samples.map((_, i) => chart.gaps.some(([from, to]) => from < right - (i - 1) * STEP && right - i * STEP < to));
  const heights = edges.map((edge) => samples.map((at, i) => {
    const next = model.single ?? Math.min(last, at + 1);
    const [left, span] = [x(at), x(next) - x(at)];
    const share = span > 0 ? Math.min(1, Math.max(0, (right - i * STEP - left) / span)) : 0;
    return chart.yOf(edge[at] + (edge[next] - edge[at]) * share);
  }));
  const { view } = chart.store;
  const isLines = view.view === "lines";
  /** The lines of text that are taken, in a chart of lines. @type {number[]} */
  const taken = [];
  layers.forEach((layer, index) => {
    const { band } = layer;
    const sign = band < 0 ? "" : suspectMark(model, band) ? "↗ " : (changeMark(model, band, view.units)?.textContent ?? "");
    const names = [Math.max(ALWAYS, box.width * MOST), box.width * MOST].map((most) => {
      const room = most - context.measureText(sign).width;
      const name = model.keyName(band, (name) => context.measureText(name).width <= room);
      return sign + fitted(context, name, room, model.keepsEnds);
    });
    // What leads says what it grew by, where there is room.
    const isLeading = model.facts.suspects_lead && view.by === "" && model.suspects.has(band) && model.wholeFigures.grew[band] > 0;
    const gain = isLeading ? names.map((name) => `${name} +${bytesText(model.wholeFigures.grew[band], view.units)}`) : [];
    const paint = chart.paint(band);
    if (isLines) {
      const [name] = [...gain, ...names];
      const width = context.measureText(name).width + 8;
      const at = Math.min(box.top + box.height - 8, Math.max(box.top + 8, heights[index][0] - 8));
      if (taken.some((other) => Math.abs(other - at) < HEIGHT) || width < LEAST / 4) return;
      taken.push(at);
      context.lineWidth = 3;
      context.strokeStyle = chart.theme.background;
      context.strokeText(name, right, at);
      context.fillStyle = chart.theme.text;
      return context.fillText(name, right, at);
    }
    const below = index > 0 ? heights[index - 1] : null;
    // With air around it if there is some.
    for (const [name, least] of [...gain, ...names].flatMap((name) => [AIRY, HEIGHT].map((least) => /** @type {[string, number]} */ ([name, least])))) {
      const reach = Math.ceil((context.measureText(name).width + 8) / STEP);
      for (let from = 0; from + reach < samples.length; from++) {
        let [low, high] = [-Infinity, Infinity];
        for (let i = from; i <= from + reach; i++) {
          low = Math.max(low, heights[index][i], box.top);
          high = Math.min(high, below ? below[i] : box.top + box.height);
          if (isInGap[i]) low = Infinity;
          if (high - low < least) break;
        }
        if (high - low < least) continue;
        context.fillStyle = lit === null || lit === band ? inkOn(paint) : chart.theme.muted;
        context.fillText(name, right - from * STEP, (low + high) / 2 + 0.5);
        return;
      }
    }
  });
}
