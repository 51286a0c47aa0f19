// @ts-check
// Several runs in one page, with a tab for each. Switching keeps the current view as far as the other
// run allows; runs with markers of the same text are aligned at them.

import { byId, element, moveByArrows } from "./dom.js";
import { between } from "./numbers.js";
/** @import { Model } from "./model.js" */
/** @import { Store } from "./state.js" */

export class Runs {
  /** @param {Store} store */
  constructor(store) {
    this.store = store;
    const { models } = store;
    const box = byId("runs");
    box.hidden = models.length < 2;
    const buttons = models.map(({ facts: { run, title } }, i) =>
      element("button", run || title, "", { title, onclick: () => this.show(i) }));
    box.replaceChildren(...buttons);
    moveByArrows(box, ["ArrowLeft", "ArrowRight"], (next) => next.click());
    // The run also changes by the address: Back, or a link.
    store.show(["data"], () => buttons.forEach((button, i) => (button.ariaPressed = String(store.models[i] === store.model))));
  }

  /** @param {number} run */
  show(run) {
    const { store } = this;
    const [old, next] = [store.model, store.models[run]];
    if (old === next) return;
    const { range, part, at } = store.view;
    // The two charts of a comparison have one axis.
    const across = old.reach !== null && next.reach !== null ? (/** @type {number} */ x) => x : alignment(old, next);
    const moved = (/** @type {[number, number] | null} */ part) => {
      if (!part) return null;
      const [from, to] = part.map(across);
      return to > from ? /** @type {[number, number]} */ ([from, to]) : null;
    };
    const sample = (/** @type {number | null} */ at) => (at === null || next.samples === 0 ? null : next.nearest(across(old.times[at])));
    store.take(next, { range: moved(range), part: moved(part), at: sample(at), run });
  }
}

/**
 * Maps the axis of one run to that of another: linearly between markers that have the same text,
 * matched in order. Without such markers it maps the full runs onto each other if their clocks
 * differ, and changes nothing if they agree.
 * @param {Model} from @param {Model} to @returns {(x: number) => number}
 */
export function alignment(from, to) {
  if (from.samples === 0 || to.samples === 0) return (x) => x;
  const ends = (/** @type {Model} */ model) => [model.times[0], model.times[model.samples - 1]];
  const [[low, high], [otherLow, otherHigh]] = [ends(from), ends(to)];
  const shared = sharedMarkers(from, to);
  const alike = from.timed && to.timed && from.facts.clock === to.facts.clock;
  if (shared.length === 0 && alike) return (x) => x;
  const inside = shared.filter(([a, b]) => a > low && a < high && b > otherLow && b < otherHigh);
  const knots = [[low, otherLow], ...inside, [high, otherHigh]];
  const [xs, ys] = [0, 1].map((side) => Float64Array.from(knots, (knot) => knot[side]));
  return (x) => between(ys, xs, x);
}

/** The positions of markers with the same text in two runs, both ascending. @param {Model} a @param {Model} b */
function sharedMarkers(a, b) {
  const places = (/** @type {Model} */ model) => {
    /** @type {Map<string, number>} */
    const first = new Map();
    for (const { text, time, message } of model.markers) if (!message && !first.has(text)) first.set(text, time);
    return first;
  };
  const other = places(b);
  /** @type {[number, number][]} */
  const shared = [];
  for (const [text, time] of places(a)) {
    const place = other.get(text);
    const last = shared.at(-1);
    if (place !== undefined && (!last || (time > last[0] && place > last[1]))) shared.push([time, place]);
  }
  return shared;
}
