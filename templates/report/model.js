// @ts-check
// What the page knows about the profile. Nothing here changes after it is read.

/** In place of a band's number: the layers that stand for several bands. */
const OTHER = -1;
const UNDRAWN = -2;

/** Where a band stands in the default chart. */
const ROLE_TRACE = 0;
const ROLE_OTHER = 1;
const ROLE_KEPT = 2;

/** @typedef {{ times: Float64Array, values: Float64Array }} HeapSeries */

class Model {
  /**
   * @param {Columns} exact
   * @param {Columns} thinned
   */
  constructor(exact, thinned) {
    /** @type {any} */
    this.facts = JSON.parse(new TextDecoder().decode(exact.bytes("facts")));
    const facts = this.facts;
    /** How many samples there are. */
    this.samples = facts.samples;
    /** Whether samples have times; else their numbers stand in for them. */
    this.timed = facts.clock !== "sample";
    const times = exact.times("times");
    this.times = this.timed ? times : times.map((_, i) => facts.first_sample + i);
    this.total = exact.cursor("total").series(this.samples);
    this.peakSample = highest(this.total);
    /** @type {string[] | null} */
    this.allLinks = null;

    this.names = exact.texts("name");
    const [nameLength, namesCut] = exact.numbers("name.cut");
    this.nameLength = nameLength;
    this.namesCut = namesCut;
    /** How many bands there are. */
    this.bands = this.names.length;
    this.totals = exact.amounts("total.of");
    this.peaks = exact.amounts("peak");
    this.peakAt = exact.numbers("peak.at");
    this.lasts = exact.amounts("last");
    this.atPeak = exact.has("at.peak") ? exact.amounts("at.peak") : null;
    this.grand = exact.numbers("grand")[0];
    const exponents = exact.bytes("slope.exponent");
    const slopes = exact.signeds("slope").map((digits, i) => digits * 10 ** (exponents[i] - 64));
    const fits = Float64Array.from(exact.bytes("r.squared"), (percent) => percent / 100);
    /** The figures of all samples, which src/report/figures.rs has computed. */
    this.wholeFigures = {
      first: 0,
      last: this.samples - 1,
      peaks: this.peaks,
      peakAt: this.peakAt,
      lasts: this.lasts,
      totals: this.totals,
      slopes,
      fits,
      grand: this.grand,
    };
    /** The figures of the shown part of the run. */
    this.figures = this.wholeFigures;

    this.kept = Array.from(exact.numbers("kept"));
    /** Of each band, ROLE_TRACE, ROLE_OTHER or ROLE_KEPT. */
    this.role = exact.bytes("in.other").slice();
    for (const band of this.kept) this.role[band] = ROLE_KEPT;
    const withRole = (/** @type {number} */ role) => {
      const found = [];
      for (let band = 0; band < this.bands; band++) if (this.role[band] === role) found.push(band);
      return found.sort((a, b) => this.totals[b] - this.totals[a]);
    };
    this.others = withRole(ROLE_OTHER);
    this.traces = withRole(ROLE_TRACE);
    this.other = exact.has("other.curve") ? exact.cursor("other.curve").series(this.samples) : null;

    /** @type {Map<number, Float64Array>} */
    this.curves = new Map();
    const cursor = exact.cursor("curve");
    for (const band of exact.numbers("curve.band")) {
      this.curves.set(band, cursor.series(this.samples));
    }
    this.thinned = this.readThinned(thinned);
    /** Curves that were drawn through the points of thinned ones.
     * @type {Map<number, Float64Array>} */
    this.rough = new Map();
    this.undrawn = this.restOf(this.kept, this.other);

    const heap = (/** @type {string} */ name) => {
      const at = exact.times(`heap.${name}.time`);
      return { times: at, values: exact.cursor(`heap.${name}`).series(at.length) };
    };
    /** @type {Record<string, HeapSeries>} */
    this.heap = { size: heap("size"), live: heap("live"), blocks: heap("blocks") };
    const kinds = exact.numbers("marker.kind");
    const texts = exact.texts("marker.text");
    this.markers = Array.from(exact.times("marker.time"), (time, i) => ({
      time,
      message: kinds[i] === 1,
      text: texts[i],
    }));
    this.stacks = this.readStacks(exact);
    this.infoTables = this.readInfoTables(exact);
    /** @type {Map<number, string>} */
    this.colours = new Map(this.kept.map((band, i) => [band, facts.colours[i]]));
    this.meant = new Map(facts.named);
  }

  /** @param {Columns} columns */
  readThinned(columns) {
    const [stretches = 0, points = 0, levels = 1] = columns.numbers("thin.head");
    const bytes = columns.bytes("thin");
    /** @type {Map<number, number>} */
    const rows = new Map();
    for (let band = 0; band < this.bands; band++) {
      if (!this.curves.has(band)) rows.set(band, rows.size);
    }
    return { stretches, points, levels, bytes, rows };
  }

  /**
   * The means of a thinned curve, and the middle of the samples of each.
   * @param {number} band
   */
  means(band) {
    const { stretches, points, levels, bytes, rows } = this.thinned;
    const from = (rows.get(band) ?? 0) * points;
    const values = new Float64Array(points);
    const places = new Float64Array(points);
    const first = (/** @type {number} */ stretch) => Math.ceil((stretch * this.samples) / stretches);
    for (let i = 0, level = 0; i < points; i++) {
      level = (level + bytes[from + i]) & 255;
      values[i] = (level / levels) * this.peaks[band];
      const start = first(Math.floor((i * stretches) / points));
      const end = first(Math.floor(((i + 1) * stretches) / points));
      places[i] = (start + end - 1) / 2;
    }
    return { values, places };
  }

  /** @param {number} band */
  isExact(band) {
    return band < 0 || this.curves.has(band);
  }

  /**
   * A band's residency in each sample: exact, or drawn through the means of its thinned curve and
   * its exact peak.
   * @param {number} band
   * @returns {Float64Array}
   */
  curve(band) {
    if (band === OTHER) return this.other ?? new Float64Array(this.samples);
    if (band === UNDRAWN) return this.undrawn;
    const known = this.curves.get(band) ?? this.rough.get(band);
    if (known) return known;
    const { values, places } = this.means(band);
    const curve = new Float64Array(this.samples);
    for (let i = 0; i < this.samples; i++) curve[i] = between(values, places, i);
    if (this.samples > 0) curve[this.peakAt[band]] = this.peaks[band];
    this.rough.set(band, curve);
    return curve;
  }

  /**
   * One value of a band's curve.
   * @param {number} band
   * @param {number} sample
   */
  valueAt(band, sample) {
    const known = this.curves.get(band) ?? this.rough.get(band);
    if (known) return known[sample];
    if (sample === this.peakAt[band]) return this.peaks[band];
    const { values, places } = this.means(band);
    return between(values, places, sample);
  }

  /**
   * What is left of the total without some bands and a further series.
   * @param {number[]} bands
   * @param {Float64Array | null} series
   */
  restOf(bands, series) {
    const rest = Float64Array.from(this.total);
    const curves = bands.map((band) => this.curve(band));
    if (series) curves.push(series);
    for (const curve of curves) for (let i = 0; i < rest.length; i++) rest[i] -= curve[i];
    return rest.map((value) => Math.max(0, value));
  }

  /** @param {number} band */
  name(band) {
    if (band === OTHER) return "OTHER";
    if (band === UNDRAWN) return this.undrawnName();
    return this.names[band] === "" ? "(no name)" : this.names[band];
  }

  /**
   * A band in an address: by its name, so that the link finds the band in the page of another run.
   * @param {number | null} band
   */
  link(band) {
    if (band === null) return "";
    if (band < 0) return band === OTHER ? "other" : "undrawn";
    return this.links()[band];
  }

  /**
   * The band that an address means; `null` when there is none.
   * @param {string} link
   * @returns {number | null}
   */
  linked(link) {
    if (link === "other") return OTHER;
    if (link === "undrawn") return UNDRAWN;
    const band = this.links().indexOf(link);
    return band < 0 ? null : band;
  }

  /** Of each band a hash of its name without what changes from run to run; of several with one name the bigger come first. */
  links() {
    if (this.allLinks) return this.allLinks;
    /** @type {Map<string, number>} */
    const taken = new Map();
    /** @type {string[]} */
    const links = new Array(this.bands);
    const order = Array.from({ length: this.bands }, (_, band) => band).sort((a, b) => this.totals[b] - this.totals[a] || a - b);
    for (const band of order) {
      const name = this.names[band].replace(/^\(\d+\)/, "");
      const hash = nameHash(name).toString(36);
      const count = taken.get(hash) ?? 0;
      taken.set(hash, count + 1);
      links[band] = count === 0 ? hash : `${hash}.${count}`;
    }
    this.allLinks = links;
    return links;
  }

  /** What the layer of all that is not drawn consists of. */
  undrawnName() {
    if (this.facts.excluded === 0) return "trace elements";
    return this.traces.length === 0 ? "excluded bands" : "trace elements, excluded bands";
  }

  /**
   * All that a search looks at: the name, and what is known of an info table (kind, type, place).
   * @param {number} band
   */
  words(band) {
    const table = this.infoTables.get(band);
    return table ? `${this.names[band]}\n${Object.values(table).join("\n")}` : this.names[band];
  }

  /** @param {number} band */
  mean(band) {
    const { first, last, totals } = this.figures;
    return last >= first ? totals[band] / (last - first + 1) : 0;
  }

  /**
   * Computes the figures of a part of the run, from exact curves and, where a band has none, from
   * its thinned one.
   * @param {[number, number] | null} range
   */
  show(range) {
    this.figures = this.wholeFigures;
    if (range === null || this.samples === 0) return;
    const first = Math.min(this.samples - 1, lowerBound(this.times, range[0]));
    const last = Math.max(first, lowerBound(this.times, range[1] + 1) - 1);
    const column = () => new Float64Array(this.bands);
    const figures = { first, last, peaks: column(), peakAt: column(), lasts: column(), totals: column(), slopes: column(), fits: column(), grand: 0 };
    for (let i = first; i <= last; i++) figures.grand += this.total[i];
    const all = Array.from({ length: this.samples }, (_, i) => i);
    for (let band = 0; band < this.bands; band++) {
      if (this.isExact(band)) this.measure(figures, band, this.curve(band), all);
      else {
        const { values, places } = this.means(band);
        this.measure(figures, band, values, places);
      }
    }
    this.figures = figures;
  }

  /**
   * @param {Model["wholeFigures"]} figures
   * @param {number} band
   * @param {Float64Array} values
   * @param {ArrayLike<number>} places the sample of each value
   */
  measure(figures, band, values, places) {
    let from = lowerBound(places, figures.first);
    let to = lowerBound(places, figures.last + 1) - 1;
    // A part between two points has the nearer one.
    if (to < from) from = to = Math.min(from, values.length - 1);
    const count = to - from + 1;
    const time = (/** @type {number} */ i) => this.times[Math.round(places[i])] / (this.timed ? 1e9 : 1);
    let [sum, times, best] = [0, 0, from];
    for (let i = from; i <= to; i++) {
      sum += values[i];
      times += time(i);
      if (values[i] > values[best]) best = i;
    }
    const [meanValue, meanTime] = [sum / count, times / count];
    let [sxx, sxy, syy] = [0, 0, 0];
    for (let i = from; i <= to; i++) {
      const [x, y] = [time(i) - meanTime, values[i] - meanValue];
      sxx += x * x;
      sxy += x * y;
      syy += y * y;
    }
    const peakSample = this.peakAt[band];
    const hasPeak = peakSample >= figures.first && peakSample <= figures.last;
    figures.peaks[band] = hasPeak ? this.peaks[band] : values[best];
    figures.peakAt[band] = hasPeak ? peakSample : Math.round(places[best]);
    figures.lasts[band] = values[to];
    figures.totals[band] = meanValue * (figures.last - figures.first + 1);
    const flat = sxx <= 0 || syy <= 1e-9 * meanValue * meanValue * count;
    figures.slopes[band] = flat ? 0 : sxy / sxx;
    figures.fits[band] = flat ? 0 : Math.min(1, (sxy * sxy) / (sxx * syy));
  }

  /** Whether the figures of a band are read off its thinned curve. @param {number} band */
  isAbout(band) {
    return this.figures !== this.wholeFigures && !this.isExact(band);
  }

  /**
   * The colour that the pictures give the band, or would.
   * @param {number} band
   * @returns {string}
   */
  colour(band) {
    if (band < 0) return band === OTHER ? "var(--other)" : "var(--undrawn)";
    let colour = this.colours.get(band) ?? this.meant.get(this.names[band]);
    if (!colour) {
      const choice = this.facts.by_hash;
      colour = choice[Number(nameHash(this.names[band]) % BigInt(choice.length))];
      this.colours.set(band, colour);
    }
    return colour;
  }

  /** @param {Columns} columns */
  readStacks(columns) {
    if (!columns.has("stack.of")) {
      return this.facts.breakdown === "cost-centre" ? this.stacksOfNames() : null;
    }
    const labels = columns.texts("centre.label");
    const modules = columns.texts("centre.module");
    const places = columns.texts("centre.place");
    const centres = labels.map((label, i) => ({ label, module: modules[i], place: places[i] }));
    const numbers = (/** @type {string} */ name) => Array.from(columns.numbers(name));
    return {
      centres,
      parent: numbers("stack.parent"),
      centre: numbers("stack.centre"),
      of: numbers("stack.of"),
      guessed: false,
    };
  }

  /** A `.hp` has only the text of a stack: a number, then names joined by slashes. */
  stacksOfNames() {
    /** @type {Map<string, number>} */
    const known = new Map();
    /** @type {Map<string, number>} */
    const nodes = new Map();
    /** @type {number[]} */ const parent = [];
    /** @type {number[]} */ const centre = [];
    const of = this.names.map((name) => {
      let node = 0;
      for (const label of name.replace(/^\(\d+\)/, "").split("/").reverse()) {
        if (!known.has(label)) known.set(label, known.size);
        const id = known.get(label) ?? 0;
        const key = `${node} ${id}`;
        if (!nodes.has(key)) {
          nodes.set(key, nodes.size + 1);
          parent.push(node);
          centre.push(id);
        }
        node = nodes.get(key) ?? 0;
      }
      return node;
    });
    const centres = [...known.keys()].map((label) => ({ label, module: "", place: "" }));
    return { centres, parent, centre, of, guessed: true };
  }

  /** @param {Columns} columns */
  readInfoTables(columns) {
    /** @type {Map<number, Record<string, string>>} */
    const tables = new Map();
    const fields = ["name", "kind", "type", "label", "module", "place"];
    const texts = fields.map((field) => columns.texts(`info.${field}`));
    columns.numbers("info.band").forEach((band, i) => {
      tables.set(band, Object.fromEntries(fields.map((field, f) => [field, texts[f][i]])));
    });
    return tables;
  }

  /**
   * The sample nearest to a place on the axis.
   * @param {number} x
   */
  nearest(x) {
    const right = lowerBound(this.times, x);
    if (right === 0) return 0;
    if (right === this.samples) return this.samples - 1;
    return x - this.times[right - 1] < this.times[right] - x ? right - 1 : right;
  }

  /**
   * What a heap series says at a sample: its latest value; `null` before the first.
   * @param {string} kind
   * @param {number} sample
   */
  heapAt(kind, sample) {
    const { times, values } = this.heap[kind];
    const after = lowerBound(times, this.times[sample] + 1);
    return after === 0 ? null : values[after - 1];
  }

  /**
   * When a sample was taken, in words.
   * @param {number} sample
   */
  when(sample) {
    return this.timed ? timeText(this.times[sample]) : `sample ${this.times[sample]}`;
  }
}

/**
 * On the way from point to point; level before the first and after the last.
 * @param {Float64Array} values
 * @param {Float64Array} places ascending
 * @param {number} place
 */
function between(values, places, place) {
  const right = Math.min(lowerBound(places, place), places.length - 1);
  const left = Math.max(0, right - 1);
  const span = places[right] - places[left];
  const share = span > 0 ? Math.min(1, Math.max(0, (place - places[left]) / span)) : 0;
  return values[left] + (values[right] - values[left]) * share;
}

/** @param {Float64Array} values */
function highest(values) {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}

/**
 * The first place whose value is not below `x`.
 * @param {ArrayLike<number>} values ascending
 * @param {number} x
 */
function lowerBound(values, x) {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The hash that gives a name its colour: that of src/scene/colour.rs.
 * @param {string} name
 */
function nameHash(name) {
  const mask = (1n << 64n) - 1n;
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(name)) {
    hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & mask;
  }
  hash = ((hash ^ (hash >> 33n)) * 0xff51afd7ed558ccdn) & mask;
  hash = ((hash ^ (hash >> 33n)) * 0xc4ceb9fe1a85ec53n) & mask;
  return hash ^ (hash >> 33n);
}
