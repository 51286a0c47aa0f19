// @ts-check
// Live bytes by cost centre at one instant, as a tree and as an icicle.

/**
 * @typedef {object} Cell a cost centre in its place of the tree
 * @property {number} centre -1 for the root
 * @property {number} bytes of it and all below
 * @property {number} own of itself
 * @property {boolean} exact
 * @property {Map<number, Cell>} below
 * @property {Cell | null} above
 */

/**
 * @param {number} centre
 * @param {Cell | null} above
 * @returns {Cell}
 */
function cell(centre, above) {
  return { centre, bytes: 0, own: 0, exact: true, below: new Map(), above };
}

/**
 * The tree of all stacks. From the callers it begins at MAIN; from the callees, with the innermost
 * cost centres, and what called them is below.
 * @param {Model} model
 * @param {number} sample
 * @param {string} direction
 */
function stackTree(model, sample, direction) {
  const root = cell(-1, null);
  const { stacks } = model;
  if (!stacks) return root;
  const atPeak = sample === model.peakSample ? model.atPeak : null;
  for (let band = 0; band < model.bands; band++) {
    const exact = Boolean(atPeak) || model.isExact(band);
    const bytes = atPeak ? atPeak[band] : model.valueAt(band, sample);
    if (!(bytes > 0)) continue;
    const path = [];
    for (let node = stacks.of[band]; node > 0; node = stacks.parent[node - 1]) path.push(stacks.centre[node - 1]);
    if (direction === "callees") path.reverse();
    let at = root;
    add(at, bytes, exact);
    for (const centre of path) {
      let next = at.below.get(centre);
      if (!next) {
        next = cell(centre, at);
        at.below.set(centre, next);
      }
      at = next;
      add(at, bytes, exact);
    }
    at.own += bytes;
  }
  return root;
}

/**
 * @param {Cell} at
 * @param {number} bytes
 * @param {boolean} exact
 */
function add(at, bytes, exact) {
  at.bytes += bytes;
  at.exact &&= exact;
}

/** @param {Cell} at */
function biggestFirst(at) {
  return [...at.below.values()].sort((a, b) => b.bytes - a.bytes || a.centre - b.centre);
}

/** @param {Cell} at */
function pathOf(at) {
  const path = [];
  for (let step = at; step.above; step = step.above) path.push(step.centre);
  return path.join(" ");
}

class Tree {
  /**
   * @param {Model} model
   * @param {Store} store
   * @param {Chart} chart
   */
  constructor(model, store, chart) {
    this.model = model;
    this.store = store;
    this.chart = chart;
    /** Paths that are open: what they say stays open when the instant changes. */
    this.open = new Set([""]);
    this.focused = 0;
    /** @type {{ cell: Cell, depth: number }[]} */
    this.rows = [];
    this.box = byId("tree-rows");
    this.list = new List(this.box, 26, () => this.makeRow(), (row, i) => this.fillRow(row, i));
    this.icicle = new Icicle(this);
    this.box.addEventListener("keydown", (event) => this.key(event));
    for (const button of byId("directions").querySelectorAll("button")) {
      button.addEventListener("click", () => store.set({ direction: button.dataset.direction ?? "callees" }));
    }
    if (model.stacks?.guessed) byId("tree-note").textContent = "Read from the names in the .hp, which may be cut; the event log of the same run knows modules and places.";
    this.rebuild();
  }

  /** The instant that is shown: the pinned one, or the peak. */
  sample() {
    return this.store.view.at ?? this.chart.peakInSight();
  }

  rebuild() {
    const { model, store } = this;
    if (model.samples === 0 || byId("panel-tree").hidden) return;
    const { direction, units } = store.view;
    byId("panel-tree").classList.toggle("long-amounts", units === "bytes");
    this.root = stackTree(model, this.sample(), direction);
    // The way down to where it branches is open from the beginning.
    if (this.open.size === 1) {
      let step = this.root;
      for (let i = 0; i < 40 && step.below.size > 0; i++) {
        this.open.add(pathOf(step));
        step = biggestFirst(step)[0];
        if (step.bytes < this.root.bytes * 0.5) break;
      }
    }
    for (const button of byId("directions").querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.dataset.direction === direction));
    }
    const when = model.timed ? exactTime(model.times[this.sample()]) : model.when(this.sample());
    byId("tree-when").textContent = `${store.view.at !== null ? "At " : store.view.range ? "At the peak in sight, " : "At the peak, "}${when}: ${this.root.exact ? "" : "≈ "}${bytesText(this.root.bytes, units)}`;
    this.flatten();
    this.icicle.show(this.root);
  }

  flatten() {
    this.rows = [];
    const walk = (/** @type {Cell} */ at, /** @type {number} */ depth) => {
      for (const below of biggestFirst(at)) {
        this.rows.push({ cell: below, depth });
        if (this.open.has(pathOf(below))) walk(below, depth + 1);
      }
    };
    if (this.root) walk(this.root, 0);
    this.focused = Math.min(this.focused, Math.max(0, this.rows.length - 1));
    this.list.resize(this.rows.length);
  }

  /** @param {Cell} at */
  nameOf(at) {
    const centre = this.model.stacks?.centres[at.centre];
    if (!centre) return "all";
    return centre.label === "CAF" && centre.module !== "" ? `${centre.module}.CAF` : centre.label;
  }

  /** @param {Cell} at */
  titleOf(at) {
    const centre = this.model.stacks?.centres[at.centre];
    const { units } = this.store.view;
    const about = at.exact ? "" : "≈ ";
    const lines = [this.nameOf(at), [centre?.module, centre?.place].filter(Boolean).join(" · ")];
    lines.push(`${about}${bytesText(at.bytes, units)} (${percentText(at.bytes, this.root?.bytes ?? 0)}), own ${bytesText(at.own, units)}`);
    return lines.filter(Boolean).join("\n");
  }

  /** @param {Cell} at */
  colourOf(at) {
    if (at.centre < 0) return this.chart.theme.grid;
    const { by_hash: choice } = this.model.facts;
    return choice[Number(nameHash(this.nameOf(at)) % BigInt(choice.length))];
  }

  makeRow() {
    const row = element("div", "", "tree-row");
    row.setAttribute("role", "treeitem");
    for (const name of ["bytes", "share", "own", "twist", "name", "place"]) row.append(element("span", "", name));
    row.addEventListener("click", () => {
      this.focused = Number(row.dataset.index);
      this.toggle(this.rows[this.focused].cell);
    });
    return row;
  }

  /**
   * @param {HTMLElement} row
   * @param {number} index
   */
  fillRow(row, index) {
    const { cell: at, depth } = this.rows[index];
    const { units } = this.store.view;
    const [bytes, share, own, twist, name, place] = /** @type {any} */ (row.children);
    const isOpen = this.open.has(pathOf(at));
    bytes.textContent = `${at.exact ? "" : "≈ "}${bytesText(at.bytes, units)}`;
    share.textContent = percentText(at.bytes, this.root?.bytes ?? 0);
    own.textContent = at.own > 0 ? bytesText(at.own, units) : "";
    twist.textContent = at.below.size === 0 ? "" : isOpen ? "▾" : "▸";
    twist.style.marginLeft = `${Math.min(depth, 24) * 14}px`;
    name.textContent = this.nameOf(at);
    const centre = this.model.stacks?.centres[at.centre];
    place.textContent = [centre?.module, centre?.place].filter(Boolean).join(" · ");
    row.title = this.titleOf(at);
    row.setAttribute("aria-level", String(depth + 1));
    if (at.below.size > 0) row.setAttribute("aria-expanded", String(isOpen));
    else row.removeAttribute("aria-expanded");
    row.tabIndex = index === this.focused ? 0 : -1;
  }

  /** @param {Cell} at */
  toggle(at) {
    const path = pathOf(at);
    if (this.open.has(path)) this.open.delete(path);
    else if (at.below.size > 0) this.open.add(path);
    this.flatten();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const at = this.rows[this.focused]?.cell;
    if (!at) return;
    const isOpen = this.open.has(pathOf(at));
    if (event.key === "ArrowDown") this.focused++;
    else if (event.key === "ArrowUp") this.focused--;
    else if (event.key === "Home") this.focused = 0;
    else if (event.key === "End") this.focused = this.rows.length - 1;
    else if (event.key === "ArrowRight" && !isOpen) this.toggle(at);
    else if (event.key === "ArrowLeft" && isOpen) this.toggle(at);
    else if (event.key === "ArrowLeft") this.focused = Math.max(0, this.rows.findIndex((row) => row.cell === at.above));
    else if (event.key === "Enter" || event.key === " ") this.toggle(at);
    else return;
    event.preventDefault();
    this.focused = Math.min(this.rows.length - 1, Math.max(0, this.focused));
    this.list.reveal(this.focused);
    this.list.rowAt(this.focused)?.focus({ preventScroll: true });
  }
}
