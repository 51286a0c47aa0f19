// @ts-check
// The markers on the chart: lines, and the labels that have room.

/** The least room for the label of a marker, in pixels. */
const LEAST_LABEL = 56;

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

/**
 * @param {Chart} chart
 * @param {CanvasRenderingContext2D} context
 */
function drawMarkers(chart, context) {
  const { left, top, width, height } = chart.box;
  const shown = chart.shownMarkers();
  const named = shown.filter((marker) => !marker.message);
  context.font = `11px ${FONT}`;
  context.textBaseline = "alphabetic";
  context.textAlign = "left";
  for (const marker of shown) {
    const x = Math.round(chart.xOf(marker.time)) + 0.5;
    context.strokeStyle = marker.message ? mixed(chart.theme.marker, chart.theme.background, 0.6) : chart.theme.marker;
    context.lineWidth = 1;
    context.setLineDash([3, 3]);
    line(context, x, top - (marker.message ? 0 : 6), x, top + height);
    context.setLineDash([]);
  }
  context.fillStyle = chart.theme.muted;
  const front = sharedFront(named.map((marker) => marker.text));
  let taken = -Infinity;
  /** @type {string[]} */
  const labels = [];
  for (const [i, marker] of named.entries()) {
    const x = chart.xOf(marker.time);
    if (x < taken) continue;
    // Those whose label would be too short to read leave their room to this one.
    const rest = named.slice(i + 1).map((other) => chart.xOf(other.time));
    const next = rest.find((other) => other - x >= LEAST_LABEL) ?? left + width + 12;
    // What all labels begin with is said once.
    const words = labels.length > 0 ? marker.text.slice(front) : marker.text;
    const text = fitted(context, words, next - x - 10);
    if (text !== words && (next - x < LEAST_LABEL || text.length < 7)) continue;
    context.fillText(text, x + 3, top - 9);
    labels.push(text);
    taken = Math.max(next - 1, x + context.measureText(text).width + 6);
  }
  chart.plot.dataset.labels = labels.join("|");
  context.font = `12px ${FONT}`;
}

/**
 * The markers since the previous sample, and those next to this sample on the screen; includes
 * messages if they are drawn.
 * @param {Chart} chart
 * @param {number} sample
 */
function markersAt(chart, sample) {
  const { times } = chart.model;
  const x = chart.xOf(times[sample]);
  const since = sample > 0 ? times[sample - 1] : -Infinity;
  const isHere = (/** @type {Model["markers"][0]} */ { time }) =>
    (since < time && time <= times[sample]) || Math.abs(chart.xOf(time) - x) <= 4;
  return chart.shownMarkers().filter(isHere).slice(0, MOST_MARKERS);
}
