// @ts-check
// Everything that is known about the selected band.

/** In the order of their numbers, as of GHC 9.0 to 9.10. */
const CLOSURE_KINDS =
  "INVALID_OBJECT CONSTR CONSTR_1_0 CONSTR_0_1 CONSTR_2_0 CONSTR_1_1 CONSTR_0_2 CONSTR_NOCAF FUN FUN_1_0 FUN_0_1 FUN_2_0 FUN_1_1 FUN_0_2 FUN_STATIC THUNK THUNK_1_0 THUNK_0_1 THUNK_2_0 THUNK_1_1 THUNK_0_2 THUNK_STATIC THUNK_SELECTOR BCO AP PAP AP_STACK IND IND_STATIC".split(" ");

const PHASES = {
  VOID: "created and never used",
  LAG: "created, and not used yet",
  USE: "between its first and last use",
  INHERENT_USE: "always counted as in use, such as big arrays",
  DRAG: "used for the last time, and still alive",
};

class Details {
  /**
   * @param {Model} model
   * @param {Store} store
   * @param {(text: string) => void} say
   */
  constructor(model, store, say) {
    this.model = model;
    this.store = store;
    this.say = say;
    this.box = byId("details");
    this.fill();
  }

  fill() {
    const { model, store, box } = this;
    const { selected, units, only } = store.view;
    if (selected === null) {
      box.replaceChildren(element("h2", "Details"), element("p", "Choose a band in the chart, the key or the table.", "faint"));
      return;
    }
    const band = selected;
    const title = element("h2", "", "band-name");
    const swatch = element("span", "", "swatch");
    swatch.style.background = model.colour(band);
    title.append(swatch, element("span", model.name(band)));
    const curve = document.createElement("canvas");
    curve.className = "big-spark";
    curve.setAttribute("aria-hidden", "true");
    const facts = element("dl", "", "facts");
    const fact = (/** @type {string} */ name, /** @type {string} */ text, /** @type {string} */ title = "") => {
      const value = element("dd", text);
      if (title) value.title = title;
      facts.append(element("dt", name), value);
    };
    const exact = (/** @type {number} */ bytes) => (model.isAbout(band) ? "" : `${grouped(bytes)} bytes`);
    const { figures } = model;
    const part = figures !== model.wholeFigures;
    if (part) fact("part", `${model.when(figures.first)} to ${model.when(figures.last)}`);
    fact("peak", `${amountText(model, band, figures.peaks[band], units)} at ${model.when(figures.peakAt[band])}`, exact(figures.peaks[band]));
    fact("mean", amountText(model, band, model.mean(band), units));
    fact("last", amountText(model, band, figures.lasts[band], units), exact(figures.lasts[band]));
    fact("share", `${percentText(figures.totals[band], figures.grand)} of all bytes in ${part ? "these" : "all"} samples`);
    fact("growth", `${slopeText(model, band, units)}, R² ${figures.fits[band].toFixed(2)}`);
    fact("drawn", ["no, it is a trace element", "as part of OTHER", "as a layer of its own"][model.role[band]]);
    const buttons = element("p", "", "buttons");
    const alone = element("button", only.length === 1 && only[0] === band ? "Show all bands" : "Show alone", "small");
    alone.addEventListener("click", () => pick(store, band, false));
    const copy = element("button", "Copy name", "small");
    copy.addEventListener("click", () => copyText(model.name(band), "name copied", this.say));
    buttons.append(alone, copy);
    const parts = [title, curve, facts, buttons, ...this.provenance(band)];
    if (!model.isExact(band)) {
      parts.push(element("p", `Its curve is thinned to ${countText(model.thinned.points, "mean")} and its exact peak, to keep this page small; ${part ? "the figures of a part are read off it." : "the figures are exact."}`, "faint"));
    }
    box.replaceChildren(...parts);
    const width = Math.max(120, box.clientWidth - 32);
    curve.style.width = `${width}px`;
    drawSpark(curve, model, band, width, 56);
  }

  /**
   * What is known beyond the name.
   * @param {number} band
   */
  provenance(band) {
    const { model } = this;
    const kind = model.facts.breakdown;
    if (model.stacks && kind === "cost-centre") return this.stack(band);
    if (model.infoTables.has(band)) return this.infoTable(band);
    if (kind === "retainer") return this.retainers(band);
    const phase = PHASES[/** @type {"VOID"} */ (model.names[band])];
    if (kind === "biography" && phase) return [element("p", `These closures were ${phase}.`)];
    if (kind === "era") return [element("p", `Closures that were created in era ${model.names[band]}.`)];
    return [];
  }

  /** @param {number} band */
  stack(band) {
    const stacks = this.model.stacks;
    if (!stacks) return [];
    const list = element("ol", "", "stack");
    for (let node = stacks.of[band]; node > 0; node = stacks.parent[node - 1]) {
      const { label, module, place } = stacks.centres[stacks.centre[node - 1]];
      const item = element("li");
      item.append(element("code", label), element("span", [module, place].filter(Boolean).join(" · "), "faint place"));
      list.append(item);
    }
    if (list.childElementCount === 0) list.append(element("li", "MAIN"));
    return [element("h3", "Cost-centre stack, innermost first"), list];
  }

  /** @param {number} band */
  infoTable(band) {
    const table = this.model.infoTables.get(band);
    if (!table) return [];
    const facts = element("dl", "", "facts");
    const number = Number(table.kind);
    const kind = table.kind === "" ? "" : `${CLOSURE_KINDS[number] ?? "kind"} (${table.kind})`;
    const rows = [
      ["type", table.type],
      ["closure", kind],
      ["label", table.label],
      ["module", table.module],
      ["place", table.place === ":" ? "" : table.place],
      ["table", table.name],
    ];
    for (const [name, text] of rows) if (text !== "") facts.append(element("dt", name), element("dd", text));
    return [element("h3", "Info table"), facts];
  }

  /** @param {number} band */
  retainers(band) {
    const name = this.model.names[band];
    if (name === "MANY") return [element("p", "More retainers than the limit (+RTS -R) allows.")];
    const list = element("ul", "", "stack");
    const names = name.replace(/^\(\d+\)/, "").replace(/\.\.\.$/, "").split(",");
    for (const part of names) if (part !== "") list.append(element("li", part));
    const cut = name.endsWith("...") ? [element("p", "The name is cut; the .prof file has the whole set, and +RTS -L200 writes longer names.", "faint")] : [];
    return [element("h3", names.length > 1 ? "Retained by each of" : "Retained by"), list, ...cut];
  }
}
