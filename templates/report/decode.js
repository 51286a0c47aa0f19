// @ts-check
// Decodes the bytes of an island into columns of numbers; the counterpart of src/report/columns.rs,
// which describes the layout.

/** @typedef {Map<string, Uint8Array>} Sections */

export function takeIslands() {
  return Array.from(document.querySelectorAll("script.island"), (element) => {
    element.remove();
    return (element.textContent ?? "").trim();
  });
}

/** The columns of an island. @param {string} text @returns {Promise<Columns>} */
export async function columnsOf(text) {
  return new Columns(sectionsOf(await inflated(text)));
}

/** @param {Uint8Array} bytes */
function sectionsOf(bytes) {
  const cursor = new Cursor(bytes);
  const words = new TextDecoder();
  /** @type {Sections} */
  const sections = new Map();
  while (cursor.at < bytes.length) {
    const name = words.decode(cursor.take(cursor.unsigned()));
    sections.set(name, cursor.take(cursor.unsigned()));
  }
  return sections;
}

class Cursor {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  /** @param {number} length */
  take(length) {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  unsigned() {
    let byte = this.bytes[this.at++];
    if (byte < 128) return byte;
    // Not bit operations: they stop at 31 bits.
    let value = byte & 127;
    let scale = 128;
    do {
      byte = this.bytes[this.at++];
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte > 127);
    return value;
  }

  signed() {
    const folded = this.unsigned();
    return folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
  }

  /** A series of `count` numbers. @param {number} count */
  series(count) {
    const values = new Float64Array(count);
    const unit = this.unsigned();
    for (let i = 0, value = 0; i < count; i++) {
      value += this.signed();
      values[i] = value * unit;
    }
    return values;
  }
}

export class Columns {
  /** @param {Sections} sections */
  constructor(sections) {
    this.sections = sections;
  }

  /** @param {string} name */
  has(name) {
    return this.sections.has(name);
  }

  /** @param {string} name */
  bytes(name) {
    return this.sections.get(name) ?? new Uint8Array();
  }

  /** @param {string} name */
  cursor(name) {
    return new Cursor(this.bytes(name));
  }

  /** @param {string} name */
  numbers(name) {
    const cursor = this.cursor(name);
    const values = [];
    while (cursor.at < cursor.bytes.length) values.push(cursor.unsigned());
    return Float64Array.from(values);
  }

  /** A column of amounts that share a unit. @param {string} name */
  amounts(name) {
    const [unit = 1, ...values] = this.numbers(name);
    return Float64Array.from(values, (value) => value * unit);
  }

  /** @param {string} name */
  signeds(name) {
    const cursor = this.cursor(name);
    const values = [];
    while (cursor.at < cursor.bytes.length) values.push(cursor.signed());
    return Float64Array.from(values);
  }

  /** @param {string} name */
  times(name) {
    const steps = this.signeds(name);
    for (let i = 0, step = 0, time = 0; i < steps.length; i++) {
      step += steps[i];
      time += step;
      steps[i] = time;
    }
    return steps;
  }

  /** @param {string} name */
  texts(name) {
    const shared = this.numbers(`${name}.shared`);
    const rests = new TextDecoder().decode(this.bytes(`${name}.rest`)).split("\n");
    let before = "";
    return Array.from(shared, (count, i) => {
      // Rust counts characters by code points.
      const head = isPlain(before) ? before.slice(0, count) : [...before].slice(0, count).join("");
      before = head + rests[i];
      return before;
    });
  }
}

/** @param {string} text */
function isPlain(text) {
  return !/[\ud800-\udfff]/.test(text);
}

/** @typedef {{ from: Float64Array, to: Float64Array, values: Float64Array }} Steps */

/**
 * The data of the panels under the chart, on the axis.
 * @param {Columns} exact @param {(time: number) => number} place
 */
export function readActivity(exact, place) {
  const times = (/** @type {string} */ name) => exact.times(name).map(place);
  const steps = (/** @type {string} */ name) => {
    const from = times(`${name}.from`);
    return { from, to: times(`${name}.to`), values: exact.cursor(name).series(from.length) };
  };
  return {
    pauses: { start: times("gc.start"), length: exact.numbers("gc.length"), generation: exact.numbers("gc.generation") },
    productivity: steps("productivity"),
    allocation: steps("allocation"),
  };
}
