// @ts-check
// One cost centre in the middle: the stacks that contain it, its callers above and its callees below.
// In a recursion the outermost call counts, so that no stack is counted twice.

/** The frame that stands for all callers. */
const CALLERS = -2;

/**
 * The name that identifies a cost centre in groups and addresses, as --focus and --group have it.
 * @param {Frame} frame
 */
function centreName({ name, module }) {
  return module === "" ? name : `${module}.${name}`;
}

/**
 * The bands whose stacks contain a cost centre.
 * @param {Parts} parts
 * @param {string} centre
 * @returns {number[]}
 */
function bandsWith(parts, centre) {
  if (centre === "" || !parts.hasStacks) return [];
  const wanted = parts.frames.map((frame) => centreName(frame) === centre);
  // Callers stand before their callees.
  const has = new Uint8Array(parts.parent.length + 1);
  parts.parent.forEach((parent, i) => (has[i + 1] = Number(wanted[parts.frame[i]] || has[parent] === 1)));
  return parts.of.flatMap((node, band) => (has[node] === 1 ? [band] : []));
}

/**
 * A cost centre as a layer of the chart.
 * @param {Parts} parts
 * @param {string} name
 */
function centreOf(parts, name) {
  const frame = parts.frames.find((frame) => centreName(frame) === name);
  return { name, label: frame ? frameLabel(frame) : "", bands: bandsWith(parts, name) };
}

/** The name of a frame in a tree. @param {Frame} frame */
function frameLabel(frame) {
  return frame.name === "CAF" ? centreName(frame) : frame.name;
}

/**
 * The changes of a view that put a cost centre in the middle, with its curve in the chart.
 * @param {Model} model
 * @param {string} centre
 * @returns {Partial<View>}
 */
function aroundCentre(model, centre) {
  return { by: "", within: "", centre, direction: "around", tab: "tree", only: bandsWith(model.parts, centre).length > 0 ? [CENTRE] : [] };
}

/**
 * All cost centres, each with the bytes of the stacks that contain it.
 * @param {Iterable<WeighedStack>} stacks
 * @param {Frame[]} frames
 */
function centreList(stacks, frames) {
  const root = cell(-1, null);
  const names = frames.map(centreName);
  /** @type {Map<string, Cell>} */
  const known = new Map();
  for (const { path, now, before, exact } of stacks) {
    add(root, now, before, exact);
    const seen = new Set();
    path.forEach((frame, i) => {
      let at = known.get(names[frame]);
      if (!at) {
        at = cell(frame, root);
        known.set(names[frame], at);
        root.below.set(frame, at);
      }
      if (i === 0) at.own += now - before;
      if (!seen.has(at)) add(at, now, before, exact);
      seen.add(at);
    });
  }
  return root;
}

/**
 * The stacks that contain a cost centre: below the root stand its callers, and itself with its callees.
 * @param {Iterable<WeighedStack>} stacks
 * @param {Frame[]} frames
 * @param {string} centre
 */
function aroundTree(stacks, frames, centre) {
  const root = cell(-1, null);
  const callers = cell(CALLERS, root);
  root.below.set(CALLERS, callers);
  const isCentre = frames.map((frame) => centreName(frame) === centre);
  const callees = cell(isCentre.indexOf(true), root);
  root.below.set(callees.frame, callees);
  for (const { path, now, before, exact } of stacks) {
    const middle = path.findLastIndex((frame) => isCentre[frame]);
    if (middle < 0) continue;
    add(root, now, before, exact);
    grow(callers, path.slice(middle + 1), now, before, exact);
    grow(callees, path.slice(0, middle).reverse(), now, before, exact).own += now - before;
  }
  return root;
}

/**
 * Adds amounts along a path, and returns its end.
 * @param {Cell} at
 * @param {number[]} path
 * @param {number} now
 * @param {number} before
 * @param {boolean} exact
 */
function grow(at, path, now, before, exact) {
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

/** Whether a tree has a cost centre in the middle. @param {Cell} root */
function isAround(root) {
  return root.below.has(CALLERS);
}
