// @ts-check
// The phases of the run from marker to marker, and its messages.

class Phases {
  /**
   * @param {Store} store
   * @param {Pointer} pointer
   */
  constructor(store, pointer) {
    this.store = store;
    this.pointer = pointer;
    this.search = /** @type {HTMLInputElement} */ (byId("message-search"));
    /** @type {Model["markers"]} */
    this.found = [];
    this.list = new List(byId("message-rows"), 28, () => this.makeRow(), (row, i) => this.fillRow(row, i));
    this.search.addEventListener("input", () => this.listMessages());
    this.fill();
  }

  get model() {
    return this.store.model;
  }

  fill() {
    const { model, store } = this;
    const { units } = store.view;
    const rows = model.facts.phases.map((/** @type {any} */ phase) => {
      const row = element("tr");
      const cell = (/** @type {string} */ text, className = "amount") => row.append(element("td", text, className));
      const name = element("th");
      name.setAttribute("scope", "row");
      const button = element("button", phase.label ?? "(before the first marker)", "pick");
      button.title = "show this part of the run";
      const [from, to] = [phase.from, phase.to].map((time) => model.placeOfTime(time));
      button.addEventListener("click", () => {
        if (to > from) store.set({ range: [from, to] });
      });
      name.append(button);
      row.append(name);
      cell(timeText(phase.from));
      cell(timeText(phase.to));
      cell(bytesText(phase.mean, units));
      cell(bytesText(phase.peak, units));
      cell(rateText(phase.growth, model, units));
      const gainer = element("td");
      if (phase.gained) {
        const [band, label, bytes] = phase.gained;
        const pickIt = element("button", label, "pick");
        pickIt.addEventListener("click", () => {
          store.set({ by: "", within: "" });
          store.set({ only: [band], selected: band, range: to > from ? [from, to] : null });
        });
        gainer.append(band === null ? element("span", label) : pickIt, element("span", ` +${bytesText(bytes, units)}`, "faint"));
      }
      row.append(gainer);
      return row;
    });
    byId("phase-rows").replaceChildren(...rows);
    byId("phase-table").hidden = rows.length === 0;
    byId("messages-box").hidden = model.markers.length === 0;
    this.listMessages();
  }

  listMessages() {
    const { pattern, wrong } = patternOf(this.search.value);
    this.search.setAttribute("aria-invalid", String(wrong !== ""));
    const { markers } = this.model;
    this.found = pattern ? markers.filter(({ text }) => pattern.test(text)) : markers;
    byId("message-count").textContent = wrong || `${grouped(this.found.length)} of ${countText(markers.length, "marker")} and messages`;
    this.list.resize(this.found.length);
  }

  makeRow() {
    const row = element("button", "", "message-row");
    row.append(element("span", "", "when"), element("span", "", "what"), element("span", "", "text"));
    row.addEventListener("click", () => {
      const marker = this.found[Number(row.dataset.index)];
      const { model } = this;
      if (model.samples > 0) this.pointer.moveTo(Math.min(model.samples - 1, lowerBound(model.times, marker.time)));
    });
    return row;
  }

  /**
   * @param {HTMLElement} row
   * @param {number} index
   */
  fillRow(row, index) {
    const marker = this.found[index];
    const [when, what, text] = row.children;
    when.textContent = timeText(marker.nanos);
    what.textContent = marker.message ? "message" : "marker";
    text.textContent = marker.text;
    row.title = marker.text;
  }

  /** Whether there is anything to list. */
  get isNeeded() {
    return this.model.markers.length > 0;
  }
}
