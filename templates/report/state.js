// @ts-check
// The reader's choices. They are kept in the URL's fragment, so a link shows the same view.

import { fullRange } from "./axes.js";
import { COLUMNS } from "./columns.js";
import { GROUPINGS, centreName, split } from "./parts.js";
import { hasTree, onlyCalls } from "./stacks.js";
/** @import { Model } from "./model.js" */
/** @import { Units } from "./words.js" */

/** A part of the axis, or nothing. @typedef {[number, number] | null} Part */
/** @typedef {ReturnType<typeof defaultView>} View */

/** The choices that a page starts with. @param {Model} model */
export function defaultView(model) {
  const { tree, ...facts } = model.facts;
  const isTree = onlyCalls(model) || (hasTree(model) && tree.weight !== null);
  return {
    view: /** @type {"stacked" | "lines" | "percent" | "each"} */ (facts.view),
    range: /** @type {Part} */ (null), // the shown part; all of it when null
    at: /** @type {number | null} */ (null), // the pinned sample
    part: /** @type {Part} */ (null), // the marked part: what it gained is shown
    by: "", // what bands are grouped by
    within: "", // the group whose bands are listed: its grouping, a colon, its name
    only: /** @type {number[]} */ ([]), // the isolated bands; all drawn ones when empty
    selected: /** @type {number | null} */ (null), // the band of the details
    open: 0, // how many bands of OTHER have layers of their own
    undrawn: false, // whether trace elements and excluded bands are drawn, as one layer
    lines: facts.lines, // which heap lines are drawn
    shared: /** @type {boolean | null} */ (null), // whether charts beside each other have one scale; null for the usual
    panels: false, // whether what the run-time system did is drawn under the chart
    messages: facts.messages, // whether messages are drawn as markers are
    sort: "suspicion", // a column of the table
    down: true,
    query: "", // the search for names
    tab: facts.compared ? "compared" : isTree ? "tree" : "bands",
    direction: "callees", // or around one cost centre
    centre: "", // the cost centre in the middle, as Module.name; all are listed when empty
    over: tree.weight === "time" || tree.weight === "alloc" ? tree.weight : "instant", // the data of the tree
    find: "", // the search in the tree
    run: 0, // which of several runs is shown
    units: /** @type {Units} */ (facts.units),
    theme: facts.theme ?? "auto",
  };
}

/** What a view listens to: a choice, `data` when it is replaced, `figures` when they are of another part.
 * @typedef {keyof View | "data" | "figures"} Key */

export const TABS = ["compared", "bands", "why", "messages", "tree", "run"];

/** The words that a choice can have in the address. @type {Record<string, string[]>} */
const WORDS = {
  view: ["stacked", "lines", "percent", "each"],
  over: ["instant", "shown", "time", "alloc"],
  sort: ["suspicion", ...COLUMNS.map(({ key }) => key)],
  tab: TABS,
  direction: ["callers", "callees", "around"],
  units: ["binary", "si"],
  theme: ["auto", "light", "dark"],
};

/** The most bands that a link isolates, because each of them is drawn. */
const MOST_ISOLATED = 200;

export class Store {
  /** @param {Model[]} models */
  constructor(models) {
    /** The runs of the page, and the one that is shown. */
    this.models = models;
    // Of two that are compared, what still grows is in the one after.
    const run = models.length === 2 && models[1].facts.compared && models[1].isAccused ? 1 : 0;
    this.model = models[run];
    /** @type {View & Record<string, any>} */
    this.defaults = { ...defaultView(this.model), run };
    /** @type {View & Record<string, any>} */
    this.view = { ...this.defaults };
    /** @type {{ keys: string[], act: () => void }[]} */
    this.listeners = [];
    /** @type {Set<string>} */
    this.changed = new Set();
    this.timer = 0;
    /** The place in the history that the address was last written for, and when it changed. */
    this.written = this.place();
    this.writtenAt = -Infinity;
    /** The fragments before each step of the reader, and the choices of the last one. @type {string[]} */
    this.past = [];
    this.step = { keys: "", at: -Infinity };
    /** Called after all listeners, in the same frame. */
    this.afterwards = /** @type {(() => void) | null} */ (null);
    this.measuring = 0;
    this.on(["data", "by"], () => {
      clearTimeout(this.measuring);
      this.model.show(this.part);
    });
    this.on(["range", "part"], () => {
      // While the axis moves only the chart is updated.
      clearTimeout(this.measuring);
      this.measuring = setTimeout(() => this.measure(this.model.showing(this.part)), this.view.part ? 0 : 120);
    });
  }

  /**
   * Works through the steps without blocking the chart, then tells that there are new figures.
   * @param {Generator<void, void>} steps
   */
  measure(steps) {
    const until = performance.now() + 8;
    while (performance.now() < until) if (steps.next().done) return this.tell("figures");
    this.measuring = setTimeout(() => this.measure(steps), 0);
  }

  /**
   * Runs `act` once before the next frame after one of the keys has changed. Each view names the keys
   * that it shows, and acts in the order in which the views were made.
   * @param {Key[]} keys @param {() => void} act
   */
  on(keys, act) {
    this.listeners.push({ keys, act });
  }

  /** Acts now, and then as {@link on} says. @param {Key[]} keys @param {() => void} act */
  show(keys, act) {
    this.on(keys, act);
    act();
  }

  /** The part of the run that figures are about: the marked one, or the shown one. */
  get part() {
    return this.view.part ?? this.view.range;
  }

  /** Whether charts beside each other have one scale: two runs have, as in their picture. */
  get isShared() {
    return this.view.shared ?? (this.view.view !== "each" && this.model.reach !== null);
  }

  /** @param {Key} key */
  tell(key) {
    if (this.changed.size === 0) requestAnimationFrame(() => this.notify());
    this.changed.add(key);
  }

  /** @param {Partial<View>} patch */
  set(patch) {
    this.remember(patch);
    this.change(patch);
  }

  /** Keeps what is shown, for {@link undo}; one continuous movement is one step. @param {Partial<View>} patch */
  remember(patch) {
    const [keys, at] = [Object.keys(patch).join(" "), performance.now()];
    const gap = at - this.step.at;
    const fragment = gap > 500 || (gap > 20 && keys !== this.step.keys) ? this.fragment() : undefined;
    if (fragment !== undefined && fragment !== this.past.at(-1)) this.past.push(fragment);
    this.step = { keys, at };
  }

  /** @param {Partial<View>} patch */
  change(patch) {
    // Numbers of groups have no meaning in another grouping.
    if (patch.by !== undefined && patch.by !== this.view.by) {
      this.model.group(patch.by);
      patch = { only: [], open: 0, selected: null, ...patch };
    }
    if (patch.centre !== undefined) this.model.choose(patch.centre);
    if (patch.only) patch = { ...patch, only: patch.only.filter((band) => this.model.canDraw(band)) };
    for (let [key, value] of Object.entries(patch)) {
      if ((key === "range" || key === "part") && value !== null) value = readable(this.model, /** @type {[number, number]} */ (value));
      if (same(this.view[key], value)) continue;
      this.view[key] = value;
      this.tell(/** @type {Key} */ (key));
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.write(), 120);
  }

  notify() {
    const changed = this.changed;
    this.changed = new Set();
    for (const { keys, act } of this.listeners) if (keys.some((key) => changed.has(key))) act();
    this.afterwards?.();
  }

  /**
   * Replaces the data, by a later state or another run, and keeps the view as far as possible: the
   * same bands, and the same part of the axis if the data covers it.
   * @param {Model} model @param {Partial<View>} [patch] choices to change at the same time
   */
  take(model, patch = {}) {
    const { view } = this;
    if (patch.run !== undefined) this.remember(patch);
    const links = view.only.map((band) => this.model.link(band));
    const selected = this.model.link(view.selected);
    const pinned = view.at === null ? null : this.model.times[view.at];
    // The two charts of a comparison have one axis.
    const same = this.model.timed === model.timed && (model.reach !== null || this.model.facts.clock === model.facts.clock);
    this.model = model;
    model.group(view.by);
    model.choose(view.centre);
    const inside = (/** @type {[number, number] | null} */ range) =>
      same && range !== null && model.samples > 0 && range[0] < model.times[model.samples - 1] && range[1] > model.times[0] ? range : null;
    const bands = links.map((link) => model.linked(link)).filter((band) => band !== null);
    this.tell("data");
    this.change({
      only: bands,
      selected: selected === "" ? null : model.linked(selected),
      open: Math.min(view.open, model.openable),
      range: inside(view.range),
      part: inside(view.part),
      at: same && pinned !== null && model.samples > 0 ? model.nearest(pinned) : null,
      ...patch,
    });
  }

  fragment() {
    const words = new URLSearchParams();
    const { model } = this;
    // By its time, because another run has other samples there.
    const text = (/** @type {number} */ place) => (model.timed ? `${place / 1e9}s` : String(place));
    for (const [key, value] of Object.entries(this.view)) {
      if (same(value, this.defaults[key])) continue;
      if (value === null) continue;
      if (key === "only") words.set(key, value.map((/** @type {number} */ band) => this.model.link(band)).join(" "));
      else if (key === "selected") words.set(key, this.model.link(value));
      else if (key === "at") words.set(key, text(shortened([model.times[value]], ([at]) => model.nearest(at) === value)[0]));
      else if (key === "range" || key === "part") words.set(key, value.map(text).join("-"));
      else words.set(key, Array.isArray(value) ? value.join(" ") : String(value));
    }
    return words.toString();
  }

  /** The state that the Back button restores: what is shown, but not how it is listed. */
  place() {
    const { view, range, part, only, open, undrawn, tab, by, within, run, centre } = this.view;
    return JSON.stringify([view, range, part, only, open, undrawn, tab, by, within, run, centre]);
  }

  write() {
    const fragment = this.fragment();
    if (fragment === location.hash.slice(1)) return;
    // Assigning an empty fragment would leave a `#` in the address.
    const address = fragment === "" ? location.href.replace(/#.*/s, "") : `#${fragment}`;
    const place = this.place();
    // One continuous movement is one step in the history.
    const moved = place !== this.written;
    if (moved && performance.now() - this.writtenAt > 800) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
    if (moved) this.writtenAt = performance.now();
    this.written = place;
  }

  /** Undoes what was done last, whatever it was; without that, shows the page as it begins. */
  undo() {
    const now = this.fragment();
    let fragment = this.past.pop() ?? "";
    while (fragment === now && this.past.length > 0) fragment = this.past.pop() ?? "";
    this.read(fragment);
  }

  /** Reads a fragment, which may contain anything; whatever makes no sense is ignored. @param {string} fragment */
  read(fragment) {
    const words = new URLSearchParams(fragment);
    const run = this.models[Number(words.get("run") ?? this.defaults.run)] ?? this.models[this.defaults.run];
    if (run !== this.model) {
      this.model = run;
      this.tell("data");
    }
    const model = run;
    const isGrouping = (/** @type {string} */ by) => GROUPINGS.some(({ key }) => key === by);
    const by = (words.get("by") ?? "").slice(0, 500);
    model.group(isGrouping(by) ? by : "");
    const centre = (words.get("centre") ?? "").slice(0, 500);
    model.choose(model.parts.frames.some((frame) => centreName(frame) === centre) ? centre : "");
    const numbers = (/** @type {string} */ text) =>
      text.split(" ").filter((word) => word !== "").map(Number).filter(Number.isFinite);
    const linked = (/** @type {string} */ text) => {
      const words = text.split(" ").filter((word) => word !== "").slice(0, MOST_ISOLATED);
      const bands = words.map((word) => model.linked(word)).filter((band) => band !== null);
      return [...new Set(bands)];
    };
    const [low, high] = fullRange(model);
    // Old links have nanoseconds with a blank between them.
    const part = (/** @type {string} */ text) => {
      const [, first, unit, second] = /^(-?[\d.]+)(s?)-(-?[\d.]+)\2$/.exec(text) ?? [];
      const [from, to] = first === undefined ? numbers(text) : [first, second].map((end) => (unit ? Math.round(Number(end) * 1e9) : Number(end)));
      return from < to && to > low && from < high ? partWithin(model, Math.max(low, from), Math.min(high, to)) : undefined;
    };
    const sample = (/** @type {string} */ text) => {
      const [, number, second] = /^(-?\d+(?:\.\d+)?(?:e-?\d+)?)(s?)$/.exec(text) ?? [];
      const place = second ? Number(number) * 1e9 : Number(number);
      return place >= low && place <= high && (second === "s") === model.timed ? model.nearest(place) : undefined;
    };
    /** @type {Record<string, (text: string) => any>} */
    const readers = {
      run: () => this.models.indexOf(model),
      range: part,
      part,
      at: sample,
      by: () => model.choice.by,
      within: (text) => (isGrouping(split(text)[0]) ? text.slice(0, 500) : undefined),
      centre: () => model.centre.name,
      find: (text) => text.slice(0, 500),
      only: linked,
      selected: (text) => linked(text).find((band) => band >= 0),
      open: (text) => Math.max(0, Math.min(model.openable, Math.floor(Number(text)) || 0)),
      lines: (text) => text.split(" ").filter((word) => model.heap.some((line) => line.kind === word)),
      query: (text) => text.slice(0, 500),
    };
    /** @type {any} */
    const view = { ...this.defaults };
    for (const key of ["undrawn", "shared", "messages", "panels", "down"]) readers[key] = (text) => text === "true";
    for (const [key, known] of Object.entries(WORDS)) readers[key] = (text) => (known.includes(text) ? text : undefined);
    for (const [key, text] of words) {
      const value = Object.hasOwn(readers, key) ? readers[key](text) : undefined;
      if (value !== undefined) view[key] = value;
    }
    this.change(view);
    // The state that came from the address needs no history entry of its own.
    this.written = this.place();
  }
}

/**
 * Places on the axis with as few digits as something allows.
 * @param {number[]} places @param {(short: number[]) => boolean} isSame
 */
function shortened(places, isSame) {
  for (let step = 1e15; step >= 1; step /= 10) {
    const short = places.map((place) => Math.round(place / step) * step);
    if (isSame(short)) return short;
  }
  return places;
}

/** A part of the axis as a link can say it: it has the same samples, and no end is a pixel away. @param {Model} model @param {[number, number]} part */
function readable(model, part) {
  const samples = model.samplesIn(part);
  const near = (part[1] - part[0]) / 2000;
  const isNear = (/** @type {number[]} */ ends) => !model.timed || ends.every((end, i) => Math.abs(end - part[i]) <= near);
  return shortened(part, (ends) => isNear(ends) && same(model.samplesIn(/** @type {[number, number]} */ (ends)), samples));
}

/** @param {any} a @param {any} b */
export function same(a, b) {
  return Array.isArray(a) && Array.isArray(b)
    ? a.length === b.length && a.every((value, i) => value === b[i])
    : a === b;
}

/**
 * A part of the axis, inside its ends and no narrower than a quarter of the distance between samples;
 * `null` if it is the whole run.
 * @param {Model} model @param {number} from @param {number} to @returns {[number, number] | null}
 */
export function partWithin(model, from, to) {
  const [low, high] = fullRange(model);
  const least = (high - low) / Math.max(20, model.samples * 4);
  const span = Math.min(high - low, Math.max(least, to - from));
  const middle = (from + to) / 2;
  const start = Math.min(high - span, Math.max(low, to - from < least ? middle - span / 2 : from));
  return span >= (high - low) * 0.999 ? null : [start, start + span];
}

/**
 * Shows a band alone, with its details, and marks a part of the run; `null`: none.
 * @param {Store} store @param {number} band @param {[number, number] | null} part
 */
export function showAlone(store, band, part) {
  // Bands have other numbers as long as they are grouped.
  store.set({ by: "", within: "" });
  store.set({ only: [band], selected: band, part, at: null });
}

/**
 * Isolates a band, or adds it to the isolated ones; picking it again removes it.
 * @param {Store} store @param {number} band @param {boolean} more
 */
export function pick(store, band, more) {
  const { only } = store.view;
  const chosen = only.includes(band);
  const rest = only.filter((other) => other !== band);
  const next = more ? (chosen ? rest : [...only, band]) : chosen && only.length === 1 ? [] : [band];
  store.set({ only: next, ...(band >= 0 ? { selected: band } : {}) });
}
