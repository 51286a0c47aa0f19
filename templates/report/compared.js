// @ts-check
// The comparison of two runs: the change of the figures and of each band. All of it comes from the
// library; the page only writes it in the reader's units.

class Compared {
  /**
   * @param {Store} store
   * @param {Runs} runs
   */
  constructor(store, runs) {
    this.store = store;
    this.runs = runs;
    this.fill();
  }

  fill() {
    const { model, view } = this.store;
    const { compared } = model.facts;
    byId("compared").hidden = !compared;
    if (!compared) return;
    const head = element("p", "", "verdict-head");
    head.append(element("strong", capital(compared.headline)), element("span", `${compared.names[0]} → ${compared.names[1]}`, "faint"));
    byId("compared").replaceChildren(head);
    const amount = {
      bytes: (/** @type {number} */ value) => bytesText(Math.round(value), view.units),
      rate: (/** @type {number} */ value) => (value === 0 ? "0" : rateText(value, model, view.units)),
      seconds: (/** @type {number} */ value) => timeText(value * 1e9),
      number: grouped,
      percent: (/** @type {number} */ value) => percentText(value, 100),
    };
    const figures = compared.figures.map((/** @type {any} */ row) => {
      const text = amount[/** @type {"bytes"} */ (row.unit)];
      return rowOf(element("span", row.name), [text(row.before), text(row.after), row.change]);
    });
    figures.push(rowOf(element("span", "verdict"), [...compared.verdicts, ""]));
    byId("compared-figures").replaceChildren(...figures);
    byId("compared-bands").replaceChildren(...compared.bands.map((/** @type {any} */ row, /** @type {number} */ i) => this.band(row, i)));
    byId("compared-remarks").textContent = `${compared.remarks.join("; ")}.`;
  }

  /**
   * @param {any} row
   * @param {number} index
   */
  band(row, index) {
    const { model, view } = this.store;
    const button = element("button", "", "pick");
    const swatch = element("span", "", "swatch");
    if (row.bands.length > 0) swatch.style.background = model.colour(row.bands[0]);
    else swatch.classList.add("absent");
    button.append(swatch, nameElement(row.label));
    button.title = `${row.label}\n${row.bands.length > 0 ? "show it alone" : "show it alone in the other run"}`;
    const isAlone = row.bands.length > 0 && same(view.only, row.bands);
    button.setAttribute("aria-pressed", String(isAlone));
    button.addEventListener("click", () => this.pick(index, isAlone));
    const text = (/** @type {number | null} */ bytes) => (bytes === null ? "" : bytesText(Math.round(bytes), view.units));
    const change = Math.round((row.after ?? 0) - (row.before ?? 0));
    return rowOf(button, [text(row.before), text(row.after), signedBytes(change, view.units)], row.became);
  }

  /**
   * Shows a band alone, in the run that has it; a second click shows all bands again.
   * @param {number} index
   * @param {boolean} isAlone
   */
  pick(index, isAlone) {
    const { store, runs } = this;
    const bandsIn = (/** @type {Model} */ model) => model.facts.compared.bands[index].bands;
    if (bandsIn(store.model).length === 0) runs.show(store.models.findIndex((model) => bandsIn(model).length > 0));
    const only = bandsIn(store.model);
    store.set({ by: "", within: "" });
    store.set({ only: isAlone ? [] : only, ...(only.length > 0 ? { selected: only[0] } : {}) });
  }
}

/**
 * A row of a table: its head, amounts, and words at its end.
 * @param {HTMLElement} head
 * @param {string[]} amounts
 * @param {string} [words]
 */
function rowOf(head, amounts, words) {
  const row = element("tr");
  const first = element("th");
  first.setAttribute("scope", "row");
  first.append(head);
  row.append(first, ...amounts.map((text) => element("td", text, "amount")));
  if (words !== undefined) row.append(element("td", words));
  return row;
}
