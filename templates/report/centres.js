// @ts-check
// One cost centre in the middle: the stacks that contain it, its callers above and its callees below.
// In a recursion the outermost call counts, so that no stack is counted twice.

import { CENTRE } from "./model.js";
import { bandsWith, centreName } from "./parts.js";
import { add, cell, grow } from "./stacks.js";
/** @import { Model } from "./model.js" */
/** @import { Frame } from "./parts.js" */
/** @import { Cell, WeighedStack } from "./stacks.js" */
/** @import { View } from "./state.js" */

/** The frame that stands for all callers. */
export const CALLERS = -2;

/**
 * The changes of a view that put a cost centre in the middle, with its curve in the chart.
 * @param {Model} model @param {string} centre @returns {Partial<View>}
 */
export function aroundCentre(model, centre) {
  return { by: "", within: "", centre, direction: "around", tab: "tree", only: bandsWith(model.parts, centre).length > 0 ? [CENTRE] : [] };
}

/**
 * All cost centres, each with the bytes of the stacks that contain it.
 * @param {Iterable<WeighedStack>} stacks @param {Frame[]} frames
 */
export function centreList(stacks, frames) {
  const root = cell(-1, null);
  const names = frames.map(centreName);
  /** @type {Map<string, Cell>} */
  const known = new Map();
  for (const { path, bytes, exact } of stacks) {
    add(root, bytes, exact);
    const seen = new Set();
    path.forEach((frame, i) => {
      let at = known.get(names[frame]);
      if (!at) {
        at = cell(frame, root);
        known.set(names[frame], at);
        root.below.set(frame, at);
      }
      if (i === 0) at.own += bytes;
      if (!seen.has(at)) add(at, bytes, exact);
      seen.add(at);
    });
  }
  return root;
}

/**
 * The stacks that contain a cost centre: below the root stand its callers, and itself with its callees.
 * @param {Iterable<WeighedStack>} stacks @param {Frame[]} frames @param {string} centre
 */
export function aroundTree(stacks, frames, centre) {
  const root = cell(-1, null);
  const callers = cell(CALLERS, root);
  root.below.set(CALLERS, callers);
  const isCentre = frames.map((frame) => centreName(frame) === centre);
  const callees = cell(isCentre.indexOf(true), root);
  root.below.set(callees.frame, callees);
  for (const { path, bytes, exact } of stacks) {
    const middle = path.findLastIndex((frame) => isCentre[frame]);
    if (middle < 0) continue;
    add(root, bytes, exact);
    grow(callers, path.slice(middle + 1), bytes, exact);
    grow(callees, path.slice(0, middle).reverse(), bytes, exact).own += bytes;
  }
  return root;
}

/** Whether a tree has a cost centre in the middle. @param {Cell} root */
export function isAround(root) {
  return root.below.has(CALLERS);
}
