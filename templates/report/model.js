// @ts-check
// The data of one run. After loading, only the grouping and the figures of the shown part change.

import { areAlike } from "./canvas.js";
import { FIGURES, emptyFigures, leaveOut, measure, partOf } from "./figures.js";
import { addTo, between, highest, lowerBound, mean, middleOf, nameHash, summed } from "./numbers.js";
import { Parts, centreOf, groupsBy, readCalls, readInfoTables, wordsOf } from "./parts.js";
import { timeText } from "./words.js";
/** @import { Figures } from "./figures.js" */
/** @import { Group } from "./parts.js" */

/** Numbers used in place of a band's, for the layers that contain several bands. */
export const OTHER = -1;
export const UNDRAWN = -2;
/** The bands whose stacks contain the chosen cost centre. */
export const CENTRE = -3;

/** Whether and how a band is drawn in the default chart. */
export const ROLE_TRACE = 0;
export const ROLE_OTHER = 1;
export const ROLE_KEPT = 2;

/** How many bands are measured in one step, which takes a few milliseconds. */
const BANDS_IN_A_STEP = 1000;
/** With fewer samples than this, growth cannot be judged. */
const FEWEST_FOR_GROWTH = 5;

/** @typedef {{ times: Float64Array, values: Float64Array }} HeapSeries */
/** @typedef {HeapSeries & { kind: string, name: string, dash: number[], width: number }} HeapLine */

/**
 * The rows that are drawn and listed: bands, or groups of them.
 * @typedef {object} Choice
 * @property {string} by what they are grouped by; nothing when empty
 * @property {Group[]} groups their numbers continue those of the bands
 * @property {number[]} rows all of the bands or groups
 * @property {number[]} kept those with a layer of their own, bottom first
 * @property {number[]} others those in OTHER, biggest first
 * @property {number[]} traces those that are not drawn
 * @property {Float64Array | null} other the curve of OTHER
 * @property {Uint8Array} role of each, by its number
 * @property {Figures} figures of the whole run
 */

export class Model {
  /** @param {Data} data */
  constructor({ facts, run, bands, curves, other, groups, parts, info_tables, calls }) {
    this.facts = facts;
    this.samples = facts.samples;
    /** The first and the last sample that are drawn: a .hp begins and ends with an empty one, which is no census. */
    this.censuses = /** @type {[number, number]} */ (facts.censuses);
    const times = summed(run.times);
    // Samples that all have the same time would be drawn on top of one another.
    const apart = times.length < 2 || times[0] !== times[times.length - 1];
    /** Whether the axis shows time; otherwise it shows sample numbers. */
    this.timed = facts.clock !== "sample" && facts.x !== "sample" && apart;
    this.axisWords = this.timed ? facts.axis : "sample number";
    /** Whether samples have times at all. */
    this.hasTimes = facts.clock !== "sample";
    /** The times of the samples, whatever the axis shows. */
    this.clock = this.hasTimes ? times : null;
    const numbers = () => times.map((_, i) => facts.first_sample + i);
    this.times = this.timed ? times : numbers();
    this.total = summed(run.total);
    this.peakSample = highest(this.total);
    /** The only sample with data, which has no width; `null` if there are more. */
    this.single = this.total.filter((bytes) => bytes > 0).length === 1 ? this.peakSample : null;
    /** @type {string[] | null} */
    this.allLinks = null;
    /** @type {string[]} */
    this.allWords = [];

    this.names = bands.names;
    /** Whether names are cut at their beginning. The first cost centre of a stack is the one that tells most. */
    this.keepsEnds = facts.parts !== "stack";
    /** Short, distinct names of the drawn bands, each shorter than the one before. */
    this.keyNames = new Map(bands.kept.map((band, i) => [band, bands.key_names[i]]));
    /** The usual time between samples: see {@link Chart.drawGaps}. */
    this.step = this.timed ? middleOf(this.times.slice(1).map((time, i) => time - this.times[i]).filter((step) => step > 0)) : Infinity;
    this.cut = bands.cut;
    this.bands = this.names.length;
    this.atPeak = bands.at_peak;
    this.parts = new Parts(parts, /** @type {Parts["kind"]} */ (facts.parts));
    this.calls = readCalls(calls, this.parts);
    this.infoTables = readInfoTables(info_tables);
    /** What packages and modules have besides the curves of bands. */
    this.groups = groups;

    this.curves = new Map(curves.map(({ band, values }) => [band, summed(values)]));
    /** The curves of groups.
     * @type {Map<number, Float64Array>} */
    this.made = new Map();
    /** The bands as chosen by the library. */
    this.plain = this.readChoice(bands, other);
    /** The rows that are drawn and listed now. */
    this.choice = this.plain;
    this.undrawn = this.restOf(this.plain.kept, this.plain.other);
    this.figures = this.plain.figures;

    const placed = (/** @type {number[]} */ times) => summed(times).map((time) => this.placeOfTime(time));
    /** The heap series, also those without values. @type {HeapLine[]} */
    this.heap = run.heap.map((line) => ({ ...line, times: placed(line.times), values: summed(line.values) }));
    this.markers = run.markers.map(({ time, message, text }) => ({ time: this.placeOfTime(time), nanos: time, message, text }));
    const steps = (/** @type {Data["run"]["allocation"]} */ { from, to, values }) => ({ from: placed(from), to: placed(to), values: summed(values) });
    /** The data of the panels under the chart. */
    this.activity = {
      pauses: { ...run.pauses, start: placed(run.pauses.start) },
      productivity: steps(run.productivity),
      allocation: steps(run.allocation),
    };
    /** The bands that the verdict names, with their position in it.
     * @type {Map<number, number>} */
    this.suspects = new Map((facts.verdict?.marked ?? []).map((band, i) => [band, i]));
    /** The heap figure that is accused with what it grew by, and the sample up to which the suspects grew, if the program ended then. */
    const [outside, grew] = /** @type {[string | null, number]} */ (facts.verdict?.outside ?? [null, 0]);
    this.outside = outside;
    this.outsideGrew = grew;
    this.isAccused = this.suspects.size > 0 || this.outside !== null;
    this.beforeExit = facts.verdict?.before_exit ?? null;
    /** The first and last sample of the rise of each band that rose.
     * @type {Map<number, [number, number]>} */
    this.climbs = new Map();
    bands.rose_to.forEach((to, band) => {
      if (to > 0) this.climbs.set(band, [bands.rose_from[band], to]);
    });
    /** Whether it is known that bands gained something. */
    this.bandsGrew = this.samples >= FEWEST_FOR_GROWTH && bands.grew.some((bytes) => bytes > 0);
    this.suspicion = bands.suspicion;
    /** For each band the place of its meaning in the glossary, from 1; 0 if its name is the program's own. */
    this.meanings = bands.meanings;
    this.glossary = bands.glossary;
    /** @type {Map<number, string>} */
    this.colours = new Map(bands.kept.map((band, i) => [band, facts.colours[i]]));
    /** @type {Map<number, string>} */
    this.groupColours = new Map();
    this.meant = new Map(/** @type {[string, string][]} */ (facts.named));
    /** In a comparison, how far the other run reaches on this axis. */
    this.reach = /** @type {number | null} */ (null);
    /** The chosen cost centre, and the bands whose stacks contain it. */
    this.centre = centreOf(this.parts, "");
  }

  /**
   * The place of a time on the axis: the time itself, or a place between the numbers of two samples.
   * @param {number} time
   */
  placeOfTime(time) {
    return this.timed || !this.clock ? time : between(this.times, this.clock, time);
  }

  /** @param {Data["bands"]} bands @param {number[] | null} other @returns {Choice} */
  readChoice(bands, other) {
    const figures = emptyFigures(this.bands, 0, this.samples - 1);
    for (const key of FIGURES) figures[key].set(bands[key]);
    figures.peakAt.set(bands.peak_at);
    [figures.grand, figures.grandMean] = bands.grand;
    const { totals } = figures;
    // Those without a curve are in OTHER; all that are neither drawn nor in it are trace elements.
    const kept = bands.kept.filter((band) => this.curves.has(band));
    const role = Uint8Array.from(bands.in_other);
    for (const band of bands.kept) role[band] = this.curves.has(band) ? ROLE_KEPT : ROLE_OTHER;
    const rows = Array.from({ length: this.bands }, (_, band) => band);
    const withRole = (/** @type {number} */ wanted) => rows.filter((band) => role[band] === wanted).sort((a, b) => totals[b] - totals[a]);
    return { by: "", groups: [], rows, kept, others: withRole(ROLE_OTHER), traces: withRole(ROLE_TRACE), other: other && summed(other), role, figures };
  }

  /** Figures for the complete run, indexed by the numbers of bands and groups. */
  get wholeFigures() {
    return this.choice.figures;
  }

  get totals() {
    return this.choice.figures.totals;
  }

  /** How many of OTHER can have layers of their own: the biggest, up to the first without a curve. */
  get openable() {
    const end = this.choice.others.findIndex((band) => !this.canDraw(band));
    return end < 0 ? this.choice.others.length : end;
  }

  /** Shows bands in groups, or each on its own. @param {string} by */
  group(by) {
    if (by === this.choice.by) return;
    for (const number of [...this.made.keys()]) if (number >= this.bands) this.made.delete(number);
    this.groupColours = new Map();
    this.choice = by === "" ? this.plain : this.groupedChoice(by);
    this.figures = this.choice.figures;
    this.allLinks = null;
    this.undrawn = this.restOf(this.choice.kept, this.choice.other);
  }

  /** @param {string} by @returns {Choice} */
  groupedChoice(by) {
    const { groups, rows } = groupsBy(this, by);
    const plain = this.plain;
    const count = this.bands + groups.length;
    const figures = { ...emptyFigures(count, 0, this.samples - 1), grand: plain.figures.grand, grandMean: plain.figures.grandMean };
    for (const key of /** @type {const} */ ([...FIGURES, "peakAt"])) figures[key].set(plain.figures[key]);
    // Sums of exact figures are exact; the other figures are measured on the group's curve, and all if that is exact.
    const part = partOf(this, 0, this.samples - 1);
    const choice = { ...plain, by, groups, rows, figures };
    this.choice = choice;
    const sum = (/** @type {Float64Array} */ column, /** @type {number[]} */ members) => members.reduce((all, band) => all + column[band], 0);
    groups.forEach(({ members, others }, i) => {
      const number = this.bands + i;
      if (this.samples > 0) measure(figures, part, number, this.curve(number));
      const summed = others ? [] : [figures.totals, figures.lasts, figures.means];
      for (const column of summed) column[number] = sum(column, members);
      if (!others || this.climbs.size > 0) figures.grew[number] = sum(figures.grew, members);
    });
    const isTrace = (/** @type {number} */ number) => this.facts.excluded > 0 && this.membersOf(number).every((band) => plain.role[band] === ROLE_TRACE);
    const drawn = rows.filter((number) => !isTrace(number)).sort((a, b) => figures.totals[b] - figures.totals[a]);
    const most = Math.max(8, plain.kept.length);
    choice.kept = drawn.slice(0, drawn.length <= most + 1 ? most + 1 : most).reverse();
    choice.others = drawn.slice(choice.kept.length);
    choice.traces = rows.filter(isTrace);
    choice.role = new Uint8Array(count);
    for (const number of choice.others) choice.role[number] = ROLE_OTHER;
    for (const number of choice.kept) choice.role[number] = ROLE_KEPT;
    choice.other = choice.others.length > 0 ? this.otherOf(choice) : null;
    this.groupColours = this.coloured(choice.kept);
    return choice;
  }

  /**
   * Colours of a stack of groups: each its own, unless the one below it has nearly the same; then the next one that differs.
   * @param {number[]} kept from the bottom
   */
  coloured(kept) {
    const { by_hash: choice } = this.facts;
    /** @type {Map<number, string>} */
    const colours = new Map();
    let below = "";
    for (const number of kept) {
      const own = this.colour(number);
      const start = choice.indexOf(own) + 1;
      const others = choice.map((_, i) => choice[(start + i) % choice.length]);
      below = [own, ...others].find((colour) => !areAlike(colour, below)) ?? own;
      colours.set(number, below);
    }
    return colours;
  }

  /**
   * Gives bands the colours that they have in another run, which is drawn beside this one; who had one of these takes the
   * one that is free. Who is drawn only here has its colour there, too.
   * @param {Model} other
   */
  colourAs(other) {
    for (const [there, colour] of other.colours) {
      const band = this.linked(other.link(there));
      if (band === null) continue;
      const own = this.colours.get(band);
      if (own !== undefined) for (const [another, its] of this.colours) if (its === colour) this.colours.set(another, own);
      this.colours.set(band, colour);
    }
    for (const [band, colour] of this.colours) {
      const there = other.linked(this.link(band));
      if (there !== null && !other.colours.has(there)) other.colours.set(there, colour);
    }
  }

  /** The total without trace elements, excluded bands and the groups that are kept. @param {Choice} choice */
  otherOf({ kept, traces }) {
    const { plain } = this;
    // Excluded bands are part of the total but of no row.
    const excluded = this.facts.excluded > 0 ? this.restOf([...plain.kept, ...plain.traces], plain.other) : null;
    return this.restOf([...kept, ...traces], excluded);
  }

  /** Chooses a cost centre. @param {string} name */
  choose(name) {
    if (name === this.centre.name) return;
    this.centre = centreOf(this.parts, name);
    this.made.delete(CENTRE);
  }

  /** The bands that a number refers to. @param {number} number */
  membersOf(number) {
    if (number === CENTRE) return this.centre.bands;
    return number >= this.bands ? this.choice.groups[number - this.bands].members : [number];
  }

  /**
   * Whether the page has the curve of a band, of OTHER and the like, or of all bands of a group.
   * @param {number} band
   */
  isExact(band) {
    if (this.othersOf(band)) return true;
    if (band >= this.bands || band === CENTRE) return this.membersOf(band).every((member) => this.curves.has(member));
    return band < 0 || this.curves.has(band);
  }

  /** Whether a band can be drawn: of a group, at least one band. @param {number} band */
  canDraw(band) {
    return this.isExact(band) || this.membersOf(band).some((member) => this.curves.has(member));
  }

  /** What a group has besides the curves of its bands, if the page has that. @param {number} number */
  othersOf(number) {
    return number >= this.bands ? this.choice.groups[number - this.bands].others : null;
  }

  /**
   * A band's residency in each sample. A group's curve is the sum of its bands as far as they have curves.
   * @param {number} band @returns {Float64Array}
   */
  curve(band) {
    if (band === OTHER) return this.choice.other ?? new Float64Array(this.samples);
    if (band === UNDRAWN) return this.undrawn;
    const known = this.curves.get(band) ?? this.made.get(band);
    if (known) return known;
    const curve = Float64Array.from(this.othersOf(band) ?? new Float64Array(this.samples));
    for (const member of this.membersOf(band)) addTo(curve, this.curves.get(member) ?? []);
    this.made.set(band, curve);
    return curve;
  }

  /** One value of a band's curve; not a number if it has none. @param {number} band @param {number} sample */
  valueAt(band, sample) {
    return this.canDraw(band) ? this.curve(band)[sample] : NaN;
  }

  /**
   * The mean of a band over the samples from one to another, all with the same weight.
   * @param {number} band @param {number} first @param {number} last
   */
  meanBetween(band, first, last) {
    return this.canDraw(band) ? mean(this.curve(band), first, last + 1) : NaN;
  }

  /** The total minus some bands and another series. @param {number[]} bands @param {Float64Array | null} series */
  restOf(bands, series) {
    const rest = Float64Array.from(this.total);
    for (const band of bands) addTo(rest, this.curve(band), -1);
    addTo(rest, series ?? [], -1);
    return rest.map((value) => Math.max(0, value));
  }

  /** @param {number} band */
  name(band) {
    if (band === OTHER) return "OTHER";
    if (band === UNDRAWN) return this.undrawnName();
    if (band === CENTRE) return `stacks with ${this.centre.label}`;
    if (band >= this.bands) return this.choice.groups[band - this.bands].name;
    return this.names[band] === "" ? "(no name)" : this.names[band];
  }

  /** What a band is called where there is room, as in pictures: see `ladder` in src/chart/short_names.rs. @param {number} band */
  called(band) {
    const { is_renumbered, names } = this.facts.breakdown;
    const name = this.name(band);
    if (is_renumbered || names === "stacks") return name.replace(/^\(\d+\)/, "");
    if (names === "numbers") return /^[0-9]+$/.test(name) ? `era ${name}` : name;
    if (names !== "texts" || band < 0 || band >= this.bands) return name;
    const frame = this.parts.first(band);
    const own = frame?.package ? name.slice(name.indexOf(`:${frame.module}.`) + 1) : name;
    return own === ":" || own === "GHC.Types.:" ? "(:)" : own;
  }

  /**
   * The name of a band where space is short: the first that has room, or else the shortest.
   * @param {number} band @param {(name: string) => boolean} [fits]
   */
  keyName(band, fits = () => true) {
    const names = this.keyNames.get(band) ?? [this.called(band)];
    return names.find(fits) ?? names[names.length - 1];
  }

  /**
   * A band in an address, identified by its name so that the link finds the band in another run's page.
   * @param {number | null} band
   */
  link(band) {
    if (band === null) return "";
    if (band < 0) return { [OTHER]: "other", [UNDRAWN]: "undrawn", [CENTRE]: "centre" }[band] ?? "";
    return this.links()[band];
  }

  /** The band that an address refers to; `null` if it is not here. @param {string} link @returns {number | null} */
  linked(link) {
    if (link === "other") return OTHER;
    if (link === "undrawn") return UNDRAWN;
    if (link === "centre") return this.centre.bands.length > 0 ? CENTRE : null;
    const band = this.links().indexOf(link);
    return band < 0 ? null : band;
  }

  /** A hash of each band's name without the parts that change between runs; among equal names, bigger bands come first. */
  links() {
    if (this.allLinks) return this.allLinks;
    /** @type {Map<string, number>} */
    const taken = new Map();
    /** @type {string[]} */
    const links = [];
    const order = Array.from(this.totals.keys()).sort((a, b) => this.totals[b] - this.totals[a] || a - b);
    for (const band of order) {
      // The number before a stack or set belongs to one run only.
      const name = band >= this.bands ? `group ${this.name(band)}` : this.names[band].replace(/^\(\d+\)/, "");
      const hash = nameHash(name).toString(36);
      const count = taken.get(hash) ?? 0;
      taken.set(hash, count + 1);
      links[band] = count === 0 ? hash : `${hash}.${count}`;
    }
    this.allLinks = links;
    return links;
  }

  undrawnName() {
    if (this.facts.excluded === 0) return "trace elements";
    return this.choice.traces.length === 0 ? "excluded bands" : "trace elements, excluded bands";
  }

  /**
   * All text that a search looks at: the name, and the facts about its frames and info table.
   * @param {number} band
   */
  words(band) {
    if (band >= this.bands) return this.name(band);
    return (this.allWords[band] ??= wordsOf(this, band));
  }

  /**
   * The first and last sample of a part of the axis; at least one sample.
   * @param {[number, number] | null} range
   * @returns {[number, number]}
   */
  samplesIn(range) {
    if (range === null || this.samples === 0) return [0, this.samples - 1];
    const first = Math.min(this.samples - 1, lowerBound(this.times, range[0]));
    return [first, Math.max(first, lowerBound(this.times, range[1], true) - 1)];
  }

  /**
   * Computes the figures of a part of the run; those of bands without a curve are unknown.
   * @param {[number, number] | null} range
   */
  show(range) {
    for (const steps = this.showing(range); !steps.next().done; );
  }

  /**
   * The same in steps, because many bands take long. The old figures stay until it is finished.
   * @param {[number, number] | null} range @returns {Generator<void, void>}
   */
  *showing(range) {
    if (range === null || this.samples === 0) {
      this.figures = this.wholeFigures;
      return;
    }
    const { choice } = this;
    let done = 0;
    const [first, last] = this.samplesIn(range);
    const figures = emptyFigures(this.totals.length, first, last);
    const part = partOf(this, first, last);
    for (let i = first; i <= last; i++) {
      figures.grand += this.total[i];
      figures.grandMean += this.total[i] * part.weights[i - first];
    }
    for (const band of choice.rows) {
      if (this.canDraw(band)) measure(figures, part, band, this.curve(band));
      else leaveOut(figures, band);
      // The peak of the run is known without a curve.
      const { peaks, peakAt } = this.wholeFigures;
      if (peakAt[band] >= first && peakAt[band] <= last) [figures.peaks[band], figures.peakAt[band]] = [peaks[band], peakAt[band]];
      if (++done % BANDS_IN_A_STEP === 0) yield;
    }
    // If the grouping has changed in the meantime, these figures do not apply.
    if (choice === this.choice) this.figures = figures;
  }

  /** A sign before the figures of a group of which only some bands have curves. @param {number} band */
  atLeast(band) {
    return (band >= this.bands || band === CENTRE) && !this.isExact(band) ? "≥ " : "";
  }

  /** The colour that the band has, or would have, in the pictures. @param {number} band @returns {string} */
  colour(band) {
    if (band === CENTRE) return this.colourOfName(this.centre.label);
    if (band < 0) return band === OTHER ? "var(--other)" : "var(--undrawn)";
    const name = band >= this.bands ? this.name(band) : this.names[band];
    let colour = this.groupColours.get(band) ?? (band >= this.bands ? undefined : this.colours.get(band)) ?? this.meant.get(name);
    if (!colour) {
      colour = this.colourOfName(name);
      if (band < this.bands) this.colours.set(band, colour);
    }
    return colour;
  }

  /** @param {string} name @returns {string} */
  colourOfName(name) {
    const choice = this.facts.by_hash;
    return choice[Number(nameHash(name) % BigInt(choice.length))];
  }

  /** The census nearest to a place on the axis. @param {number} x */
  nearest(x) {
    const [first, last] = this.censuses;
    const right = lowerBound(this.times, x);
    if (right <= first) return first;
    if (right > last) return last;
    return x - this.times[right - 1] < this.times[right] - x ? right - 1 : right;
  }

  /**
   * The latest value of a heap series at a sample; `null` before the first.
   * @param {HeapLine} line @param {number} sample
   */
  heapAt({ times, values }, sample) {
    const after = lowerBound(times, this.times[sample] + 1);
    return after === 0 ? null : values[after - 1];
  }

  /** From when to when a part is, in words. @param {[number, number] | null} part */
  span(part) {
    return this.samplesIn(part).map((sample) => this.when(sample)).join(" to ");
  }

  /** The time of a sample, in words. @param {number} sample */
  when(sample) {
    return this.timed ? timeText(this.times[sample]) : `sample ${this.times[sample]}`;
  }
}
