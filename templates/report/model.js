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

    this.names = exact.texts("name");
    [this.nameLength, this.namesCut] = exact.numbers("name.cut");
    /** How many bands there are. */
    this.bands = this.names.length;
    this.totals = exact.amounts("total.of");
    this.peaks = exact.amounts("peak");
    this.peakAt = exact.numbers("peak.at");
    this.lasts = exact.amounts("last");
    this.atPeak = exact.has("at.peak") ? exact.amounts("at.peak") : null;
    this.grand = exact.numbers("grand")[0];
    const exponents = exact.bytes("slope.exponent");
    this.slopes = exact.signeds("slope").map((digits, i) => digits * 10 ** (exponents[i] - 64));
    this.rSquared = exact.bytes("r.squared");

    this.kept = Array.from(exact.numbers("kept"));
    this.others = Array.from(exact.numbers("other")).sort((a, b) => this.totals[b] - this.totals[a]);
    this.role = new Uint8Array(this.bands);
    for (const band of this.kept) this.role[band] = ROLE_KEPT;
    for (const band of this.others) this.role[band] = ROLE_OTHER;
    this.traces = [];
    for (let band = 0; band < this.bands; band++) {
      if (this.role[band] === ROLE_TRACE) this.traces.push(band);
    }
    this.traces.sort((a, b) => this.totals[b] - this.totals[a]);
    this.other = exact.has("other.curve") ? exact.cursor("other.curve").series(this.samples) : null;

    /** @type {Map<number, Float64Array>} */
    this.curves = new Map();
    const cursor = exact.cursor("curve");
    for (const band of exact.numbers("curve.band")) {
      this.curves.set(band, cursor.series(this.samples));
    }
    this.readThinned(thinned);
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
    this.readStacks(exact);
    this.readInfoTables(exact);
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
    this.thinned = { stretches, points, levels, bytes, rows };
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
    const known = this.curves.get(band) ?? this.rough?.get(band);
    if (known) return known;
    const { values, places } = this.means(band);
    const curve = new Float64Array(this.samples);
    for (let i = 0, right = 0; i < this.samples; i++) {
      while (right < places.length && places[right] < i) right++;
      const left = Math.max(0, right - 1);
      const to = Math.min(right, places.length - 1);
      const span = places[to] - places[left];
      const share = span > 0 ? (i - places[left]) / span : 0;
      curve[i] = values[left] + (values[to] - values[left]) * share;
    }
    if (this.samples > 0) curve[this.peakAt[band]] = this.peaks[band];
    this.rough ??= new Map();
    this.rough.set(band, curve);
    return curve;
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
    if (band === UNDRAWN) return this.facts.excluded > 0 ? "trace elements, excluded" : "trace elements";
    return this.names[band] === "" ? "(no name)" : this.names[band];
  }

  /** @param {number} band */
  mean(band) {
    return this.samples > 0 ? this.totals[band] / this.samples : 0;
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
    this.stacks = null;
    if (!columns.has("stack.of")) {
      this.stacks = this.facts.breakdown === "cost-centre" ? this.stacksOfNames() : null;
      return;
    }
    const labels = columns.texts("centre.label");
    const modules = columns.texts("centre.module");
    const places = columns.texts("centre.place");
    const centres = labels.map((label, i) => ({ label, module: modules[i], place: places[i] }));
    this.stacks = {
      centres,
      parent: columns.numbers("stack.parent"),
      centre: columns.numbers("stack.centre"),
      of: columns.numbers("stack.of"),
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
    this.infoTables = new Map();
    const fields = ["name", "kind", "type", "label", "module", "place"];
    const texts = fields.map((field) => columns.texts(`info.${field}`));
    columns.numbers("info.band").forEach((band, i) => {
      this.infoTables.set(band, Object.fromEntries(fields.map((field, f) => [field, texts[f][i]])));
    });
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
