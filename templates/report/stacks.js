// @ts-check
// Weighted stacks, and the trees that they form.

import { countText, timeText } from "./words.js";
/** @import { Model } from "./model.js" */
/** @import { Calls } from "./parts.js" */
/** @import { View } from "./state.js" */

/**
 * @typedef {object} Cell a frame at its position in the tree
 * @property {number} frame -1 for the root
 * @property {number} bytes of it and everything below; in a difference, the later bytes minus the earlier ones
 * @property {number} before of it and everything below, on the earlier side of a difference; 0 otherwise
 * @property {number} own of itself only
 * @property {boolean} exact
 * @property {Map<number, Cell>} below
 * @property {Cell | null} above
 */

/** @param {number} frame @param {Cell | null} above @returns {Cell} */
export function cell(frame, above) {
  return { frame, bytes: 0, before: 0, own: 0, exact: true, below: new Map(), above };
}

/**
 * The data of a tree: the bytes of each band, and in a comparison also the bytes before; not a number for bands without a curve.
 * @typedef {object} Weighing
 * @property {(band: number) => number} now
 * @property {((band: number) => number) | null} before
 * @property {boolean} isWhole whether it knows bands without a curve
 * @property {string} words
 */

/** @typedef {{ path: number[], now: number, before: number, exact: boolean }} WeighedStack innermost first */

/** The stacks of the bands. @param {Model} model @param {Weighing} weighing @returns {Iterable<WeighedStack>} */
export function* bandStacks(model, weighing) {
  const { parts } = model;
  for (let band = 0; band < model.bands; band++) {
    const now = weighing.now(band);
    const before = weighing.before ? weighing.before(band) : 0;
    if (!(now > 0) && !(before > 0)) continue;
    const path = [];
    for (let node = parts.of[band] ?? 0; node > 0; node = parts.parent[node - 1]) path.push(parts.frame[node - 1]);
    yield { path, now, before, exact: true };
  }
}

/** The stacks of the call tree. @param {Calls} calls @param {number[]} own @returns {Iterable<WeighedStack>} */
export function* callStacks(calls, own) {
  for (let at = 0; at < own.length; at++) {
    if (own[at] === 0) continue;
    const path = [];
    for (let node = at + 1; node > 0; node = calls.parent[node - 1]) path.push(calls.frame[node - 1]);
    yield { path, now: own[at], before: 0, exact: calls.words === "" };
  }
}

/**
 * The tree of some stacks. Towards callees it starts at MAIN; towards callers it starts with the
 * innermost cost centres, with their callers below.
 * @param {Iterable<WeighedStack>} stacks @param {string} direction
 */
export function stackTree(stacks, direction) {
  const root = cell(-1, null);
  for (const { path, now, before, exact } of stacks) {
    if (direction === "callees") path.reverse();
    grow(root, path, now, before, exact).own += now - before;
  }
  return root;
}

/** @param {Cell} at @param {number} bytes @param {number} before @param {boolean} exact */
export function add(at, bytes, before, exact) {
  at.bytes += bytes;
  at.before += before;
  at.exact &&= exact;
}

/**
 * Adds amounts along a path, and returns its end.
 * @param {Cell} at @param {number[]} path @param {number} now @param {number} before @param {boolean} exact
 */
export function grow(at, path, now, before, exact) {
  add(at, now, before, exact);
  for (const frame of path) {
    let next = at.below.get(frame);
    if (!next) {
      next = cell(frame, at);
      at.below.set(frame, next);
    }
    at = next;
    add(at, now, before, exact);
  }
  return at;
}

/** The width of a frame, in a difference that of the bigger side. @param {Cell} at */
export function weightOf(at) {
  return Math.max(at.bytes, at.before);
}

/** @param {Cell} at */
export function biggestFirst(at) {
  return [...at.below.values()].sort((a, b) => weightOf(b) - weightOf(a) || a.frame - b.frame);
}

/** @param {Cell} at */
export function pathOf(at) {
  const path = [];
  for (let step = at; step.above; step = step.above) path.push(step.frame);
  return path.join(" ");
}

/** Whether the run has stacks of live bytes. @param {Model} model */
export function hasStacks(model) {
  return model.samples > 0 && model.parts.hasStacks;
}

/** Whether the run has anything to show as a tree. @param {Model} model */
export function hasTree(model) {
  return hasStacks(model) || model.calls !== null;
}

/** Whether this is a time profile, without heap samples. @param {Model} model */
export function onlyCalls(model) {
  return model.samples === 0 && model.calls !== null;
}

/**
 * The weight of the tree: the chosen one, if the run has it.
 * @param {Model} model @param {string} over @returns {"live" | "time" | "alloc"}
 */
export function treeWeight(model, over) {
  const weights = model.calls?.weights ?? [];
  if (weights.includes(over)) return /** @type {"time"} */ (over);
  return hasStacks(model) ? "live" : /** @type {"time"} */ (weights[0]);
}

/** @param {number} ticks @param {number | null} tick how long one is, in nanoseconds */
export function ticksText(ticks, tick) {
  return tick === null ? countText(ticks, "tick") : timeText(ticks * tick);
}

/**
 * The changes of a view that show what came in during a part of the run and is still there at its end: the
 * bands by what they gained, and their tree.
 * @param {Model} model @param {{ range: [number, number] | null, tab: string }} part @returns {Partial<View>}
 */
export function gainedIn(model, { range, tab }) {
  const [first, last] = model.samplesIn(range);
  // A part with one sample is compared with the sample before.
  const at = first < last ? first : Math.max(0, last - 1);
  return { a: model.instant(at), b: model.instant(Math.max(at + 1, last)), sort: "change", down: true, group: "gained", over: "gained", tab: tab === "tree" && hasTree(model) ? "tree" : "bands" };
}
