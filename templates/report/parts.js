// @ts-check
// The parts of bands, as read by the library: frames, stacks of frames, and the groups that bands
// form by their parts.

import { summed } from "./numbers.js";
/** @import { Model } from "./model.js" */

/** @typedef {{ name: string, module: string, package: string, place: string }} Frame */

export class Parts {
  /**
   * @param {Data["parts"]} parts
   * @param {"stack" | "set" | "one"} kind what the frames of a band are
   */
  constructor({ names: labels, modules, packages, places, parent, frame, of }, kind) {
    this.kind = kind;
    /** @type {Frame[]} */
    this.frames = labels.map((name, i) => ({ name, module: modules[i], package: packages[i], place: places[i] }));
    /** For each node its parent, counted from 1; 0 is the root. */
    this.parent = summed(parent);
    this.frame = summed(frame);
    /** For each band its innermost node, counted from 1. */
    this.of = summed(of);
  }

  get hasStacks() {
    return this.kind === "stack" && this.parent.length > 0;
  }

  /** The frames of a band: innermost first for a stack, in file order for a set. @param {number} band */
  framesOf(band) {
    const frames = [];
    for (let node = this.of[band] ?? 0; node > 0; node = this.parent[node - 1]) frames.push(this.frames[this.frame[node - 1]]);
    return this.kind === "set" ? frames.reverse() : frames;
  }

  /** The frame that a band is named after; `null` if it is not known. @param {number} band @returns {Frame | null} */
  first(band) {
    if (this.kind === "set") return this.framesOf(band)[0] ?? null;
    const node = this.of[band] ?? 0;
    return node > 0 ? this.frames[this.frame[node - 1]] : null;
  }
}

/**
 * The name that identifies a cost centre in groups and addresses, as --focus and --group have it.
 * @param {Frame} frame
 */
export function centreName({ name, module }) {
  return module === "" ? name : `${module}.${name}`;
}

/** The name of a frame in a tree. @param {Frame} frame */
export function frameLabel(frame) {
  return frame.name === "CAF" ? centreName(frame) : frame.name;
}

/** The bands whose stacks contain a cost centre. @param {Parts} parts @param {string} centre @returns {number[]} */
export function bandsWith(parts, centre) {
  if (centre === "" || !parts.hasStacks) return [];
  const wanted = parts.frames.map((frame) => centreName(frame) === centre);
  // Callers stand before their callees.
  const has = new Uint8Array(parts.parent.length + 1);
  parts.parent.forEach((parent, i) => (has[i + 1] = Number(wanted[parts.frame[i]] || has[parent] === 1)));
  return Array.from(parts.of.keys()).filter((band) => has[parts.of[band]] === 1);
}

/** A cost centre as a layer of the chart. @param {Parts} parts @param {string} name */
export function centreOf(parts, name) {
  const frame = parts.frames.find((frame) => centreName(frame) === name);
  return { name, label: frame ? frameLabel(frame) : "", bands: bandsWith(parts, name) };
}

/** @typedef {NonNullable<ReturnType<typeof readCalls>>} Calls */

/**
 * The call tree of a time profile (src/report/call_data.rs). Nodes are counted from 1; 0 is the root.
 * @param {Data["calls"]} calls @param {Parts} parts supplies the frames
 */
export function readCalls(calls, parts) {
  if (!calls) return null;
  const { names, modules, places, parent, frame } = calls;
  const first = parts.frames.length;
  names.forEach((name, i) => parts.frames.push({ name, module: modules[i], package: "", place: places[i] }));
  return { ...calls, parent: summed(parent), frame: summed(frame).map((frame) => first + frame) };
}

/** The info tables of bands, by band. @param {Data["info_tables"]} tables */
export function readInfoTables({ bands, names, kinds, types }) {
  return new Map(bands.map((band, i) => [band, { name: names[i], kind: kinds[i], type: types[i] }]));
}

/**
 * The name of a band, and the facts about its first frame and its info table.
 * @param {Model} model @param {number} band
 */
export function wordsOf(model, band) {
  const table = model.infoTables.get(band);
  const frame = model.parts.first(band);
  const more = [...(frame ? [frame.name, frame.module, frame.package, frame.place] : []), ...(table ? Object.values(table) : [])];
  return [...new Set([model.names[band], model.called(band), ...more.filter(Boolean)])].join("\n");
}

/** The groupings of bands, where a profile has the data; the rules are those of src/slice/grouping.rs. */
export const GROUPINGS = [
  { key: "package", title: "package" },
  { key: "module", title: "module" },
  { key: "centre", title: "cost centre" },
  { key: "type", title: "type" },
];

/**
 * The group of a band; `null` if the band remains a row of its own.
 * @param {Model} model
 * @param {string} by a key of {@link GROUPINGS}
 * @returns {(band: number) => string | null}
 */
export function groupRule(model, by) {
  const known = (/** @type {string | undefined} */ text) => (text ? text : null);
  const { parts } = model;
  return (band) => {
    const frame = parts.first(band);
    if (by === "package") return known(frame?.package);
    if (by === "module") return known(frame?.module);
    if (by === "type") return known(model.infoTables.get(band)?.type);
    if (parts.kind !== "stack") return null;
    if (!frame) return "MAIN";
    return centreName(frame);
  };
}

/** The groupings that merge any bands of a profile. @param {Model} model */
export function usefulGroupings(model) {
  return GROUPINGS.filter(({ key }) => {
    const names = model.plain.rows.map(groupRule(model, key)).filter((name) => name !== null);
    return names.length > new Set(names).size;
  });
}

/**
 * Bands that share a part, shown as one.
 * @typedef {object} Group
 * @property {string} name
 * @property {number[]} members those that are in the page
 * @property {Float64Array | null} others of its bands the curves that are not in the page, added up, if the page has that
 */

/**
 * The groups that are drawn and listed. As many groups are drawn as there were drawn bands, the
 * biggest first; the others form OTHER.
 * @param {Model} model @param {string} by
 */
export function groupsBy(model, by) {
  const rule = groupRule(model, by);
  const known = model.groups[/** @type {"module"} */ (by)] ?? [];
  /** @type {Map<string, Group>} */
  const found = new Map();
  for (const { name, others } of known) found.set(name, { name, members: [], others: others && summed(others) });
  const named = model.plain.rows.map(rule);
  named.forEach((name, band) => {
    if (name === null) return;
    if (!found.has(name)) found.set(name, { name, members: [], others: null });
    found.get(name)?.members.push(band);
  });
  const groups = [...found.values()];
  const others = model.plain.rows.filter((band) => named[band] === null);
  return { groups, rows: [...groups.map((_, number) => model.bands + number), ...others] };
}

/** The grouping and the name of the group whose bands are listed. @param {string} within */
export function split(within) {
  const at = within.indexOf(":");
  return at < 0 ? ["", ""] : [within.slice(0, at), within.slice(at + 1)];
}

/**
 * The regular expression of a query, or what is wrong with it. A query without capitals ignores case.
 * @param {string} query @returns {{ pattern: RegExp | null, wrong: string }}
 */
export function patternOf(query) {
  if (query === "") return { pattern: null, wrong: "" };
  const any = /[A-Z]/.test(query) ? "" : "i";
  let wrong = "";
  // The `u` flag forbids needless escapes, so try again without it.
  for (const flags of [`u${any}`, any]) {
    try {
      return { pattern: new RegExp(query, flags), wrong: "" };
    } catch (error) {
      wrong = String(error instanceof Error ? error.message : error);
    }
  }
  return { pattern: null, wrong };
}
