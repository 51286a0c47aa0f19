// @ts-check
// The key beside the chart: the drawn layers and their amounts at the crosshair, or at the peak.

/** How long the pointer must rest before the rows out of view are filled, in milliseconds. */
const REST = 100;

/** @typedef {{ row: HTMLElement, bytes: HTMLElement, share: HTMLElement, bar: HTMLElement, layer: Layer, width: string, lit: boolean }} KeyRow */

class Readout {
  /**
   * @param {Store} store
   * @param {Chart} chart
   */
  constructor(store, chart) {
    this.store = store;
    this.chart = chart;
    this.head = byId("instant");
    this.figures = byId("figures");
    this.list = byId("layers");
    /** @type {KeyRow[]} */
    this.rows = [];
    /** The visible rows. Only these follow the pointer; the others are filled when it rests. */
    this.seen = /** @type {Set<Element>} */ (new Set());
    this.waiting = 0;
    this.sight = new IntersectionObserver((entries) => this.see(entries), { root: this.list, rootMargin: "60px 0px" });
    /** The state the key was last filled from. If only the highlighted band changes, the numbers stay. */
    this.filled = /** @type {any[]} */ ([]);
    this.rebuild();
    chart.watch(() => this.fill());
  }

  get model() {
    return this.store.model;
  }

  rebuild() {
    const { model, store, chart } = this;
    const { only } = store.view;
    this.rows = [...chart.layers].reverse().map((layer) => {
      const row = element("li", "", "layer");
      const button = element("button", "", "pick");
      const swatch = element("span", "", "swatch");
      swatch.style.background = model.colour(layer.band);
      const name = nameElement(model.keyName(layer.band));
      const mark = layer.band >= 0 ? suspectMark(model, layer.band) : null;
      if (mark) name.prepend(mark);
      const bytes = element("span", "", "bytes");
      const share = element("span", "", "share");
      const bar = element("span", "", "bar");
      bar.style.background = model.colour(layer.band);
      button.append(swatch, name, bytes, share, bar);
      button.title = `${model.name(layer.band)}\nclick: this band alone; shift-click: add or remove it`;
      button.setAttribute("aria-pressed", String(only.includes(layer.band)));
      button.addEventListener("click", (event) => pick(store, layer.band, event.shiftKey));
      row.append(button);
      row.addEventListener("pointerenter", () => chart.emphasise(layer.band));
      row.addEventListener("pointerleave", () => chart.emphasise(null));
      button.addEventListener("focus", () => chart.emphasise(layer.band));
      button.addEventListener("blur", () => chart.emphasise(null));
      row.dataset.band = String(layer.band);
      row.classList.toggle("other", layer.band === OTHER);
      return { row, bytes, share, bar, layer, width: "", lit: false };
    });
    const focused = this.focus();
    this.sight.disconnect();
    this.seen.clear();
    this.list.replaceChildren(...this.rows.map(({ row }) => row));
    for (const { row } of this.rows) this.sight.observe(row);
    this.buttons();
    this.fill();
    this.complete();
    this.refocus(focused);
  }

  /** The focused element of the key: a band or a button. */
  focus() {
    const active = document.activeElement;
    if (!(active instanceof HTMLElement)) return null;
    if (this.list.contains(active)) return { band: active.closest("li")?.dataset.band, id: "" };
    return byId("open").contains(active) ? { band: undefined, id: active.id } : null;
  }

  /**
   * Restores the focus after the key was rebuilt.
   * @param {{ band: string | undefined, id: string } | null} focused
   */
  refocus(focused) {
    if (!focused) return;
    const band = [...this.list.children].find((row) => /** @type {HTMLElement} */ (row).dataset.band === focused.band);
    const button = band?.querySelector("button") ?? document.getElementById(focused.id) ?? byId("open").querySelector("button") ?? this.list.querySelector("button");
    button?.focus({ preventScroll: true });
  }

  /** The buttons that open or close layers and show bands again. */
  buttons() {
    const { model, store } = this;
    const { only, open, undrawn, at, b } = store.view;
    /** @type {HTMLElement[]} */
    const buttons = [];
    const add = (/** @type {string} */ text, /** @type {string} */ id, /** @type {Partial<View>} */ patch) => {
      const button = element("button", text, "small");
      button.id = id;
      button.addEventListener("click", () => store.set(patch));
      buttons.push(button);
    };
    if (at !== null && b !== null) add("Stop comparing", "compare-end", { b: null });
    if (only.length > 0) add("Show all bands", "show-all", { only: [] });
    else {
      const left = model.others.length - open;
      const next = Math.min(left, OPENED_AT_ONCE);
      if (left > 0) add(open === 0 ? `Open OTHER (${countText(left, "band")})` : `${next} more of OTHER (${grouped(left)} left)`, "open-other", { open: open + next });
      if (open > 0) add("Close OTHER", "close-other", { open: 0 });
      if (model.undrawn.some((bytes) => bytes > 0)) {
        const traces = model.choice.by === "" ? model.facts.counts[2] : model.traces.length;
        const counts = [
          ...(traces > 0 ? [countText(traces, "trace element")] : []),
          ...(model.facts.excluded > 0 ? [countText(model.facts.excluded, "excluded band")] : []),
        ];
        add(undrawn ? `Hide ${model.undrawnName()}` : `Draw ${counts.join(", ")}`, "draw-trace", { undrawn: !undrawn });
      }
    }
    byId("open").replaceChildren(...buttons);
  }

  /**
   * Writes the heading: what the amounts refer to.
   * @param {string} what
   * @param {string} more
   */
  headed(what, more) {
    const { head } = this;
    if (head.childElementCount !== 2) head.replaceChildren(element("strong"), element("span", "", "faint"));
    setText(head.children[0], what);
    setText(head.children[1], more);
  }

  /**
   * Fills the rows that scroll into view.
   * @param {IntersectionObserverEntry[]} entries
   */
  see(entries) {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) this.seen.add(target);
      else this.seen.delete(target);
    }
    if (this.waiting) this.fillRows((row) => this.seen.has(row));
  }

  /** Also fills the rows that are out of view. */
  complete() {
    clearTimeout(this.waiting);
    this.waiting = 0;
    this.list.removeAttribute("aria-busy");
    if (this.filled.length > 0) this.fillRows((row) => !this.seen.has(row));
  }

  /**
   * Writes the amounts of layers at the shown sample.
   * @param {(row: HTMLElement) => boolean} isWanted
   */
  fillRows(isWanted) {
    const { model } = this;
    const { units } = this.store.view;
    const sample = Number(this.figures.dataset.sample);
    const total = model.total[sample];
    for (const key of this.rows) {
      const { row, bytes, share, layer } = key;
      if (!isWanted(row)) continue;
      const value = layer.values[sample];
      setText(bytes, `${layer.exact ? "" : "≈ "}${bytesText(value, units)}`);
      if (bytes.dataset.bytes !== String(value)) bytes.dataset.bytes = String(value);
      setText(share, percentText(value, total));
      setBar(key, total > 0 ? value / total : 0);
      row.classList.toggle("nothing", value === 0);
    }
  }

  /** Highlights the row of the layer that is highlighted in the chart. */
  light() {
    for (const key of this.rows) {
      const lit = this.chart.emphasis === key.layer.band;
      if (key.lit !== lit) key.row.classList.toggle("lit", lit);
      key.lit = lit;
    }
  }

  fill() {
    const { model, store, chart } = this;
    if (model.samples === 0) {
      this.head.textContent = "no samples";
      return;
    }
    const { units } = store.view;
    if (store.view.at !== null && store.view.b !== null) {
      this.filled = [];
      this.fillChange(store.view.at, store.view.b);
      return;
    }
    this.light();
    const at = chart.at();
    const sample = at ?? chart.peakInSight();
    const wanted = [model, this.rows, at, sample, units, store.view.range];
    if (same(this.filled, wanted)) return;
    const wasChange = this.filled.length === 0;
    this.filled = wanted;
    const time = model.timed ? timeText(model.times[sample]) : `sample ${model.times[sample]}`;
    const number = model.facts.first_sample + sample;
    this.headed(at === null ? `${store.view.range ? "Peak of the shown part" : "At the peak"}, ${time}` : time, model.timed ? ` sample ${grouped(number)}` : "");
    const rows = [["total", "all bands", model.total[sample], ""]];
    for (const line of HEAP_LINES) {
      const value = model.heapAt(line.kind, sample);
      if (value !== null) rows.push([line.kind, line.name, value, line.kind]);
    }
    const figures = /** @type {NodeListOf<HTMLElement>} */ (this.figures.querySelectorAll("dd"));
    if (wasChange || figures.length !== rows.length || rows.some(([kind], i) => figures[i].dataset.figure !== kind)) {
      this.figures.replaceChildren(
        ...rows.flatMap(([kind, name, , dash]) => {
          const figure = element("dd");
          figure.dataset.figure = String(kind);
          return [element("dt", String(name), dash ? `dash ${dash}` : "solid"), figure];
        }),
      );
    }
    this.figures.querySelectorAll("dd").forEach((figure, i) => {
      const value = Number(rows[i][2]);
      setText(figure, bytesText(value, units));
      if (figure.dataset.bytes === String(value)) return;
      figure.title = `${grouped(value)} bytes`;
      figure.dataset.bytes = String(value);
    });
    this.figures.dataset.sample = String(sample);
    this.fillRows((row) => this.seen.has(row));
    if (this.waiting) clearTimeout(this.waiting);
    else this.list.setAttribute("aria-busy", "true");
    this.waiting = setTimeout(() => this.complete(), REST);
    this.describePlot(sample, sampleWords(model, store.view, chart, sample));
  }

  /**
   * Fills the key with the changes from one instant to another.
   * @param {number} from
   * @param {number} to
   */
  fillChange(from, to) {
    const { model, store, chart } = this;
    const { units } = store.view;
    this.headed(`A ${model.when(from)} → B ${model.when(to)}`, to < from ? " B is before A" : "");
    /** @type {[string, string, number | null, number | null][]} */
    const rows = [["total", "all bands", model.total[from], model.total[to]]];
    for (const line of HEAP_LINES) rows.push([line.kind, line.name, model.heapAt(line.kind, from), model.heapAt(line.kind, to)]);
    this.figures.replaceChildren(
      ...rows.flatMap(([kind, name, before, after]) => {
        if (before === null || after === null) return [];
        const figure = element("dd", signedBytes(after - before, units));
        figure.title = `${bytesText(before, units)} → ${bytesText(after, units)}`;
        figure.dataset.figure = kind;
        figure.dataset.bytes = String(after - before);
        return [element("dt", name, kind === "total" ? "solid" : `dash ${kind}`), figure];
      }),
    );
    const changes = this.rows.map(({ layer }) => layer.values[to] - layer.values[from]);
    const most = Math.max(1, ...changes.map(Math.abs));
    this.complete();
    this.light();
    this.rows.forEach((key, i) => {
      const { row, bytes, share, layer } = key;
      bytes.textContent = `${layer.exact ? "" : "≈ "}${signedBytes(changes[i], units)}`;
      bytes.dataset.bytes = String(changes[i]);
      share.textContent = layer.values[from] > 0 ? `× ${threeDigits(layer.values[to] / layer.values[from])}` : changes[i] > 0 ? "new" : "";
      setBar(key, Math.abs(changes[i]) / most);
      row.classList.toggle("nothing", changes[i] === 0);
    });
    this.describePlot(from, changeWords(chart));
  }

  /**
   * Sets the values of the plot that a screen reader reads.
   * @param {number} sample
   * @param {string} words
   */
  describePlot(sample, words) {
    const { model } = this;
    const { plot } = this.chart;
    plot.setAttribute("aria-valuemax", String(model.samples));
    plot.setAttribute("aria-valuenow", String(sample + 1));
    plot.setAttribute("aria-valuetext", words);
  }
}

/**
 * Changes the length of a row's bar, in steps large enough to be seen.
 * @param {KeyRow} key
 * @param {number} part of the row
 */
function setBar(key, part) {
  const width = `${Math.round(400 * Math.min(1, part)) / 4}%`;
  if (key.width !== width) key.bar.style.width = width;
  key.width = width;
}

/**
 * A name that is cut in its middle where space is short: its end distinguishes it from others.
 * @param {string} name
 */
function nameElement(name) {
  const box = element("span", "", "name");
  const [front, end] = nameEnds(name);
  box.append(element("span", front, "front"), element("span", end, "end"));
  return box;
}

/**
 * The part of a name that may be cut, and its end.
 * @param {string} name
 */
function nameEnds(name) {
  // By characters, because half of a surrogate pair would be drawn as a box.
  const all = Array.from(name);
  const cut = all.length < 16 ? all.length : all.length - 10;
  return [all.slice(0, cut).join(""), all.slice(cut).join("")];
}

/**
 * Isolates a band, or adds it to the isolated ones; picking it again removes it.
 * @param {Store} store
 * @param {number} band
 * @param {boolean} more
 */
function pick(store, band, more) {
  const { only } = store.view;
  const chosen = only.includes(band);
  const rest = only.filter((other) => other !== band);
  const next = more ? (chosen ? rest : [...only, band]) : chosen && only.length === 1 ? [] : [band];
  store.set({ only: next, ...(band >= 0 ? { selected: band } : {}) });
}
