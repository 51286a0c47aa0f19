// @ts-check
// The table of all bands.

const ROW_HEIGHT = 30;

/**
 * @typedef {object} Column
 * @property {string} key
 * @property {string} title
 * @property {string} says what it means, in one line
 * @property {string} name of the column in CSV
 * @property {(model: Model, band: number) => number | string} value
 * @property {(model: Model, band: number, units: Units) => string} text
 * @property {boolean} down whether its first click sorts descending
 */

/** @type {Column[]} */
const COLUMNS = [
  column("name", "Band", "what holds the memory", "name", (m, b) => m.name(b), (m, b) => m.name(b), false),
  column("peak", "Peak", "the most it ever held, and when", "peak_bytes", (m, b) => m.figures.peaks[b], (m, b, u) => amountText(m, b, m.figures.peaks[b], u)),
  column("when", "When", "when it first held its peak", "peak_at", (m, b) => m.figures.peakAt[b], (m, b) => whenText(m, m.figures.peakAt[b]), false),
  column("mean", "Mean", "its average over all samples", "mean_bytes", (m, b) => m.mean(b), (m, b, u) => amountText(m, b, m.mean(b), u)),
  column("last", "Last", "what it holds in the last sample", "last_bytes", (m, b) => m.figures.lasts[b], (m, b, u) => amountText(m, b, m.figures.lasts[b], u)),
  column("total", "Share", "its share of all bytes in all samples", "total_bytes", (m, b) => m.figures.totals[b], (m, b) => percentText(m.figures.totals[b], m.figures.grand)),
  column("growth", "Growth", "slope of the straight line through its samples", "slope", (m, b) => m.figures.slopes[b], (m, b, u) => slopeText(m, b, u)),
  column("fit", "R²", "how well that line fits: 1 is a steady climb; fewer than ten samples cannot tell", "r_squared", (m, b) => m.figures.fits[b], (m, b) => (m.figures.last - m.figures.first < 9 ? "–" : m.figures.fits[b].toFixed(2))),
];

const GROUPS = [
  { key: "all", title: "all bands" },
  { key: "drawn", title: "drawn" },
  { key: "other", title: "in OTHER" },
  { key: "trace", title: "trace elements" },
];

/**
 * @param {string} key
 * @param {string} title
 * @param {string} says
 * @param {string} name
 * @param {Column["value"]} value
 * @param {Column["text"]} text
 * @param {boolean} [down]
 * @returns {Column}
 */
function column(key, title, says, name, value, text, down = true) {
  return { key, title, says, name, value, text, down };
}

/**
 * @param {Model} model
 * @param {number} band
 * @param {Units} units
 */
function slopeText(model, band, units) {
  const slope = model.figures.slopes[band];
  if (slope === 0) return "0";
  const sign = slope > 0 ? "+" : "−";
  const size = Math.abs(slope);
  // In whole bytes a slow growth would be none.
  const text = size < 1 ? bytesText(Number(size.toPrecision(3)), "binary") : bytesText(size, units);
  return `${sign}${text}${model.timed ? "/s" : "/sample"}`;
}

/**
 * When a sample was taken, for a narrow column.
 * @param {Model} model
 * @param {number} sample
 */
function whenText(model, sample) {
  return model.timed ? model.when(sample) : `#${model.times[sample]}`;
}

/**
 * @param {Model} model
 * @param {number} band
 * @param {number} bytes
 * @param {Units} units
 */
function amountText(model, band, bytes, units) {
  return `${model.isAbout(band) ? "≈ " : ""}${bytesText(Math.round(bytes), units)}`;
}

class Table {
  /**
   * @param {Model} model
   * @param {Store} store
   * @param {Chart} chart
   * @param {(text: string) => void} say
   */
  constructor(model, store, chart, say) {
    this.model = model;
    this.store = store;
    this.chart = chart;
    this.say = say;
    this.search = /** @type {HTMLInputElement} */ (byId("search"));
    this.grid = byId("grid");
    this.list = new List(byId("rows"), ROW_HEIGHT, () => this.makeRow(), (row, i) => this.fillRow(row, i));
    /** The bands that are listed, in their order. */
    this.order = /** @type {number[]} */ ([]);
    /** The row that the keyboard is at. */
    this.focused = 0;
    this.makeHead();
    this.search.addEventListener("input", () => store.set({ query: this.search.value }));
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.showMatches();
      if (event.key === "Escape") store.set({ query: "" });
      if (event.key === "ArrowDown") this.focus(0);
    });
    byId("show-matches").addEventListener("click", () => this.showMatches());
    byId("copy-csv").addEventListener("click", () => copyText(this.csv(), `${countText(this.order.length, "row")} copied`, say));
    const group = /** @type {HTMLSelectElement} */ (byId("group"));
    group.addEventListener("change", () => store.set({ group: group.value }));
    this.grid.addEventListener("keydown", (event) => this.key(event));
    this.renew();
  }

  /** The model has other data. */
  renew() {
    const options = GROUPS.flatMap(({ key, title }) => {
      const count = this.members(key).length;
      if (count === 0 && key !== "all") return [];
      const option = /** @type {HTMLOptionElement} */ (element("option", `${title} (${grouped(count)})`));
      option.value = key;
      return [option];
    });
    const group = byId("group");
    const words = options.map((option) => option.textContent).join("\n");
    // One that is open would close.
    if (words !== [...group.children].map((option) => option.textContent).join("\n")) group.replaceChildren(...options);
    this.rebuild();
  }

  /**
   * @param {string} group
   * @returns {number[]}
   */
  members(group) {
    const { model } = this;
    if (group === "drawn") return model.kept;
    if (group === "other") return model.others;
    if (group === "trace") return model.traces;
    return Array.from({ length: model.bands }, (_, band) => band);
  }

  makeHead() {
    const cells = [element("span", "", "cell colour")];
    for (const { key, title, says, down } of COLUMNS) {
      const cell = element("span", "", `cell ${key}`);
      cell.setAttribute("role", "columnheader");
      cell.dataset.key = key;
      const button = element("button", title);
      button.title = says;
      button.addEventListener("click", () => {
        const { sort, down: now } = this.store.view;
        this.store.set({ sort: key, down: sort === key ? !now : down });
      });
      cell.append(button);
      cells.push(cell);
    }
    const trend = element("span", "Trend", "cell trend");
    trend.setAttribute("role", "columnheader");
    trend.title = "its curve over the whole run, up to its own peak";
    cells.push(trend);
    byId("head").replaceChildren(...cells);
  }

  /** Lists what the group and the search leave, in order. */
  rebuild() {
    const { model, store, search } = this;
    const { query, group, sort, down } = store.view;
    if (search.value !== query) search.value = query;
    /** @type {HTMLSelectElement} */ (byId("group")).value = group;
    const { pattern, wrong } = patternOf(query);
    search.setAttribute("aria-invalid", String(wrong !== ""));
    const members = this.members(group);
    const listed = pattern ? members.filter((band) => pattern.test(model.words(band))) : members.slice();
    const { value } = COLUMNS.find(({ key }) => key === sort) ?? COLUMNS[5];
    const keys = new Map(listed.map((band) => [band, value(model, band)]));
    const compare = (/** @type {any} */ a, /** @type {any} */ b) => (a < b ? -1 : a > b ? 1 : 0);
    listed.sort((a, b) => (down ? -1 : 1) * compare(keys.get(a), keys.get(b)) || model.totals[b] - model.totals[a] || a - b);
    this.order = listed;
    const count = listed.length === members.length ? countText(members.length, "band") : `${grouped(listed.length)} of ${countText(members.length, "band")}`;
    const { first, last } = model.figures;
    const part = model.figures === model.wholeFigures ? "" : `; figures of ${model.when(first)} to ${model.when(last)}`;
    byId("count").textContent = wrong === "" ? count + part : wrong;
    byId("show-matches").hidden = pattern === null || listed.length === 0;
    this.grid.setAttribute("aria-rowcount", String(listed.length + 1));
    for (const cell of byId("head").querySelectorAll("[data-key]")) {
      const mine = /** @type {HTMLElement} */ (cell).dataset.key === sort;
      cell.setAttribute("aria-sort", mine ? (down ? "descending" : "ascending") : "none");
    }
    this.focused = Math.min(this.focused, Math.max(0, listed.length - 1));
    this.list.box.scrollTop = 0;
    this.widen();
    this.list.resize(listed.length);
    byId("empty").hidden = listed.length > 0;
  }

  /** Gives long amounts room: of a number that lost its end nobody can tell the size. */
  widen() {
    const { model, store } = this;
    this.grid.classList.toggle("long-amounts", store.view.units === "bytes");
    this.grid.classList.toggle("by-sample", !model.timed);
  }

  makeRow() {
    const row = element("div", "", "row");
    row.setAttribute("role", "row");
    const swatch = element("span", "", "cell colour");
    swatch.append(element("span", "", "swatch"));
    row.append(swatch);
    for (const { key } of COLUMNS) {
      const cell = element("span", "", `cell ${key}`);
      cell.setAttribute("role", "gridcell");
      row.append(cell);
    }
    const trend = element("span", "", "cell trend");
    trend.append(document.createElement("canvas"));
    row.append(trend);
    row.addEventListener("click", (event) => {
      this.focused = Number(row.dataset.index);
      pick(this.store, this.order[this.focused], event.shiftKey);
    });
    row.addEventListener("pointerenter", () => this.chart.emphasise(this.order[Number(row.dataset.index)]));
    row.addEventListener("pointerleave", () => this.chart.emphasise(null));
    return row;
  }

  /**
   * @param {HTMLElement} row
   * @param {number} index
   */
  fillRow(row, index) {
    const { model, store } = this;
    const band = this.order[index];
    const { only, selected, units } = store.view;
    row.dataset.band = String(band);
    row.setAttribute("aria-rowindex", String(index + 2));
    row.setAttribute("aria-selected", String(only.includes(band)));
    row.classList.toggle("picked", only.includes(band));
    row.classList.toggle("selected", selected === band);
    row.tabIndex = index === this.focused ? 0 : -1;
    const [swatch, ...cells] = row.children;
    const square = /** @type {HTMLElement} */ (swatch.firstElementChild);
    square.style.background = model.colour(band);
    square.classList.toggle("hollow", model.role[band] !== ROLE_KEPT);
    COLUMNS.forEach((column, i) => {
      const text = column.text(model, band, units);
      if (column.key === "name") cells[i].replaceChildren(...nameElement(text).childNodes);
      else cells[i].textContent = text;
    });
    const place = ["trace element: not drawn", "in OTHER", "drawn"][model.role[band]];
    /** @type {HTMLElement} */ (cells[0]).title = `${model.name(band)}\n${place}`;
    const canvas = /** @type {HTMLCanvasElement} */ (row.lastElementChild?.firstElementChild);
    if (canvas.dataset.band !== String(band)) {
      canvas.dataset.band = String(band);
      drawSpark(canvas, model, band, 96, 20);
    }
  }

  /** @param {number} index */
  focus(index) {
    if (this.order.length === 0) return;
    this.focused = Math.min(this.order.length - 1, Math.max(0, index));
    this.list.reveal(this.focused);
    this.list.rowAt(this.focused)?.focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const onRow = /** @type {HTMLElement} */ (event.target).classList.contains("row");
    const page = Math.max(1, Math.floor(this.list.box.clientHeight / ROW_HEIGHT) - 1);
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (onRow && event.key in moves) this.focus(this.focused + moves[/** @type {"Home"} */ (event.key)]);
    else if (onRow && (event.key === "Enter" || event.key === " ")) {
      pick(this.store, this.order[this.focused], event.shiftKey || event.key === " ");
    } else return;
    event.preventDefault();
  }

  /** Draws the biggest of the bands that the search found. */
  showMatches() {
    const found = [...this.order].sort((a, b) => this.model.totals[b] - this.model.totals[a]).slice(0, 24);
    if (this.store.view.query === "" || found.length === 0) return;
    this.store.set({ only: found });
    this.say(`${countText(found.length, "band")} drawn`);
  }

  /** The listed rows as CSV (RFC 4180); amounts in bytes, times in seconds or sample numbers. */
  csv() {
    const { model } = this;
    const quote = (/** @type {string | number} */ value) =>
      /[",\r\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value);
    // A name that begins like a formula gets a quote in front, as in `-o prog.csv`.
    const harmless = (/** @type {string | number} */ value) => (typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : value);
    const cell = (/** @type {Column} */ column, /** @type {number} */ band) => {
      if (column.key !== "when") return harmless(column.value(model, band));
      return model.times[model.figures.peakAt[band]] / (model.timed ? 1e9 : 1);
    };
    const head = [...COLUMNS.map(({ name }) => name), "drawn_as"].join(",");
    const rows = this.order.map((band) => {
      const place = ["trace", "other", "band"][model.role[band]];
      return [...COLUMNS.map((column) => cell(column, band)), place].map(quote).join(",");
    });
    return `${[head, ...rows].join("\r\n")}\r\n`;
  }
}

/**
 * The regular expression of a query, or what is wrong with it. Without capitals it matches any.
 * @param {string} query
 * @returns {{ pattern: RegExp | null, wrong: string }}
 */
function patternOf(query) {
  if (query === "") return { pattern: null, wrong: "" };
  const any = /[A-Z]/.test(query) ? "" : "i";
  let wrong = "";
  // What is needless to escape must not be escaped where characters are Unicode's.
  for (const flags of [`u${any}`, any]) {
    try {
      return { pattern: new RegExp(query, flags), wrong: "" };
    } catch (error) {
      wrong = String(error instanceof Error ? error.message : error);
    }
  }
  return { pattern: null, wrong };
}

/**
 * A small curve over the whole run, up to the band's own peak.
 * @param {HTMLCanvasElement} canvas
 * @param {Model} model
 * @param {number} band
 * @param {number} width
 * @param {number} height
 */
function drawSpark(canvas, model, band, width, height) {
  fit(canvas, width, height);
  const context = contextOf(canvas);
  const peak = model.peaks[band];
  if (model.samples < 2 || peak === 0) return;
  const exact = model.isExact(band);
  const { values, places } = exact ? { values: model.curve(band), places: null } : model.means(band);
  const first = model.times[0];
  const span = model.times[model.samples - 1] - first;
  const place = (/** @type {number} */ i) => (places ? model.times[Math.round(places[i])] : model.times[i]);
  const x = (/** @type {number} */ i) => ((place(i) - first) / (span || 1)) * width;
  const y = (/** @type {number} */ value) => height - 1 - (value / peak) * (height - 3);
  context.beginPath();
  traceEdge(context, values, 0, values.length - 1, x, y, true);
  const edge = model.colour(band);
  context.strokeStyle = edge;
  context.lineWidth = 1.2;
  context.stroke();
  context.lineTo(width, height);
  context.lineTo(0, height);
  context.globalAlpha = 0.25;
  context.fillStyle = edge;
  context.fill();
  context.globalAlpha = 1;
}

/**
 * @param {string} text
 * @param {string} done what is said then
 * @param {(text: string) => void} say
 */
async function copyText(text, done, say) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Pages from a disk may not have a clipboard.
    const area = /** @type {HTMLTextAreaElement} */ (element("textarea", text, "sr"));
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  say(done);
}
