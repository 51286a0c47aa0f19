// @ts-check
// The key beside the chart: what is drawn, and what it weighs at the crosshair, or at the peak.

class Readout {
  /**
   * @param {Model} model
   * @param {Store} store
   * @param {Chart} chart
   */
  constructor(model, store, chart) {
    this.model = model;
    this.store = store;
    this.chart = chart;
    this.head = byId("instant");
    this.figures = byId("figures");
    this.list = byId("layers");
    /** @type {{ row: HTMLElement, bytes: HTMLElement, share: HTMLElement, bar: HTMLElement, layer: Layer }[]} */
    this.rows = [];
    this.rebuild();
    chart.watch(() => this.fill());
  }

  rebuild() {
    const { model, store, chart } = this;
    const { only } = store.view;
    this.rows = [...chart.layers].reverse().map((layer) => {
      const row = element("li", "", "layer");
      const button = element("button", "", "pick");
      const swatch = element("span", "", "swatch");
      swatch.style.background = model.colour(layer.band);
      const name = nameElement(model.name(layer.band));
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
      return { row, bytes, share, bar, layer };
    });
    const focused = this.focus();
    this.list.replaceChildren(...this.rows.map(({ row }) => row));
    this.buttons();
    this.fill();
    this.refocus(focused);
  }

  /** What of the key has the keyboard's focus: a band or a button. */
  focus() {
    const active = document.activeElement;
    if (!(active instanceof HTMLElement)) return null;
    if (this.list.contains(active)) return { band: active.closest("li")?.dataset.band, id: "" };
    return byId("open").contains(active) ? { band: undefined, id: active.id } : null;
  }

  /**
   * Keeps the focus where it was although the key was made anew.
   * @param {{ band: string | undefined, id: string } | null} focused
   */
  refocus(focused) {
    if (!focused) return;
    const band = [...this.list.children].find((row) => /** @type {HTMLElement} */ (row).dataset.band === focused.band);
    const button = band?.querySelector("button") ?? document.getElementById(focused.id) ?? byId("open").querySelector("button") ?? this.list.querySelector("button");
    button?.focus({ preventScroll: true });
  }

  /** What can be opened, closed, or shown again. */
  buttons() {
    const { model, store } = this;
    const { only, open, undrawn } = store.view;
    /** @type {HTMLElement[]} */
    const buttons = [];
    const add = (/** @type {string} */ text, /** @type {string} */ id, /** @type {Partial<View>} */ patch) => {
      const button = element("button", text, "small");
      button.id = id;
      button.addEventListener("click", () => store.set(patch));
      buttons.push(button);
    };
    if (only.length > 0) add("Show all bands", "show-all", { only: [] });
    else {
      const left = model.others.length - open;
      const next = Math.min(left, OPENED_AT_ONCE);
      if (left > 0) add(open === 0 ? `Open OTHER (${countText(left, "band")})` : `${next} more of OTHER (${grouped(left)} left)`, "open-other", { open: open + next });
      if (open > 0) add("Close OTHER", "close-other", { open: 0 });
      if (model.undrawn.some((bytes) => bytes > 0)) {
        const counts = [
          ...(model.traces.length > 0 ? [countText(model.traces.length, "trace element")] : []),
          ...(model.facts.excluded > 0 ? [countText(model.facts.excluded, "excluded band")] : []),
        ];
        add(undrawn ? `Hide ${model.undrawnName()}` : `Draw ${counts.join(", ")}`, "draw-trace", { undrawn: !undrawn });
      }
    }
    byId("open").replaceChildren(...buttons);
  }

  fill() {
    const { model, store, chart } = this;
    if (model.samples === 0) {
      this.head.textContent = "no samples";
      return;
    }
    const { units } = store.view;
    const at = chart.at();
    const sample = at ?? chart.peakInSight();
    const time = model.timed ? exactTime(model.times[sample]) : `sample ${model.times[sample]}`;
    const number = model.facts.first_sample + sample;
    this.head.replaceChildren(
      element("strong", at === null ? `${store.view.range ? "Peak in sight" : "At the peak"}, ${time}` : time),
      element("span", model.timed ? ` sample ${grouped(number)}` : "", "faint"),
    );
    const rows = [["total", "all bands", model.total[sample], ""]];
    for (const line of HEAP_LINES) {
      const value = model.heapAt(line.kind, sample);
      if (value !== null) rows.push([line.kind, line.name, value, line.kind]);
    }
    this.figures.replaceChildren(
      ...rows.flatMap(([kind, name, value, dash]) => {
        const figure = element("dd", bytesText(Number(value), units));
        figure.title = `${grouped(Number(value))} bytes`;
        figure.dataset.figure = String(kind);
        figure.dataset.bytes = String(value);
        return [element("dt", String(name), dash ? `dash ${dash}` : "solid"), figure];
      }),
    );
    this.figures.dataset.sample = String(sample);
    for (const { row, bytes, share, bar, layer } of this.rows) {
      const value = layer.values[sample];
      bytes.textContent = `${layer.exact ? "" : "≈ "}${bytesText(value, units)}`;
      bytes.dataset.bytes = String(value);
      share.textContent = percentText(value, model.total[sample]);
      bar.style.width = `${model.total[sample] > 0 ? Math.min(100, (100 * value) / model.total[sample]) : 0}%`;
      row.classList.toggle("lit", chart.emphasis === layer.band);
      row.classList.toggle("nothing", value === 0);
    }
    const { plot } = chart;
    plot.setAttribute("aria-valuemax", String(model.samples));
    plot.setAttribute("aria-valuenow", String(sample + 1));
    plot.setAttribute("aria-valuetext", sampleWords(model, store.view, chart, sample));
  }
}

/**
 * A name that loses its middle where there is no room for it: its end tells bands apart.
 * @param {string} name
 */
function nameElement(name) {
  const box = element("span", "", "name");
  // By characters: a half of one would show as a box.
  const all = Array.from(name);
  const cut = all.length < 16 ? all.length : all.length - 10;
  box.append(element("span", all.slice(0, cut).join(""), "front"), element("span", all.slice(cut).join(""), "end"));
  return box;
}

/**
 * Isolates a band, or adds it to the isolated ones; picked again, it is let go.
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
