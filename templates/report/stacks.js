// @ts-check
// Weighted stacks, and the trees that they form.

import { countText, timeText } from "./words.js";
/** @import { Model } from "./model.js" */
/** @import { Calls } from "./parts.js" */

/**
 * @typedef {object} Cell a frame at its position in the tree
 * @property {number} frame -1 for the root
 * @property {number} bytes of it and everything below
 * @property {number} own of itself only
 * @property {boolean} exact
 * @property {boolean} suspect whether it makes what is accused
 * @property {Map<number, Cell>} below
 * @property {Cell | null} above
 */

/** @param {number} frame @param {Cell | null} above @returns {Cell} */
export function cell(frame, above) {
  return { frame, bytes: 0, own: 0, exact: true, suspect: false, below: new Map(), above };
}

/**
 * The data of a tree: the bytes of each band; not a number for bands without a curve.
 * @typedef {object} Weighing
 * @property {(band: number) => number} bytes
 * @property {boolean} isWhole whether it knows bands without a curve
 * @property {string} words
 */

/** @typedef {{ path: number[], bytes: number, exact: boolean, suspect: boolean }} WeighedStack innermost first */

/** The stacks of the bands. @param {Model} model @param {Weighing} weighing @returns {Iterable<WeighedStack>} */
export function* bandStacks(model, weighing) {
  const { parts } = model;
  for (let band = 0; band < model.bands; band++) {
    const bytes = weighing.bytes(band);
    if (!(bytes > 0)) continue;
    const path = [];
    for (let node = parts.of[band] ?? 0; node > 0; node = parts.parent[node - 1]) path.push(parts.frame[node - 1]);
    yield { path, bytes, exact: true, suspect: model.suspects.has(band) };
  }
}

/** The stacks of the call tree. @param {Calls} calls @param {number[]} own @returns {Iterable<WeighedStack>} */
export function* callStacks(calls, own) {
  for (let at = 0; at < own.length; at++) {
    if (own[at] === 0) continue;
    const path = [];
    for (let node = at + 1; node > 0; node = calls.parent[node - 1]) path.push(calls.frame[node - 1]);
    yield { path, bytes: own[at], exact: calls.words === "", suspect: false };
  }
}

/**
 * The tree of some stacks. Towards callees it starts at MAIN; towards callers it starts with the
 * innermost cost centres, with their callers below.
 * @param {Iterable<WeighedStack>} stacks @param {string} direction
 */
export function stackTree(stacks, direction) {
  const root = cell(-1, null);
  for (const { path, bytes, exact, suspect } of stacks) {
    const maker = path[0];
    if (direction === "callees") path.reverse();
    const end = grow(root, path, bytes, exact);
    end.own += bytes;
    const own = direction === "callees" ? end : root.below.get(maker);
    if (own && suspect) own.suspect = true;
  }
  return root;
}

/** @param {Cell} at @param {number} bytes @param {boolean} exact */
export function add(at, bytes, exact) {
  at.bytes += bytes;
  at.exact &&= exact;
}

/**
 * Adds amounts along a path, and returns its end.
 * @param {Cell} at @param {number[]} path @param {number} bytes @param {boolean} exact
 */
export function grow(at, path, bytes, exact) {
  add(at, bytes, exact);
  for (const frame of path) {
    let next = at.below.get(frame);
    if (!next) {
      next = cell(frame, at);
      at.below.set(frame, next);
    }
    at = next;
    add(at, bytes, exact);
  }
  return at;
}

/** @param {Cell} at */
export function biggestFirst(at) {
  return [...at.below.values()].sort((a, b) => b.bytes - a.bytes || a.frame - b.frame);
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
