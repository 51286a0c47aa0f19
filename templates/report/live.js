// @ts-check
// A page that `heapviz watch --web` serves: its data are replaced while the program runs. What the
// reader has chosen stays, bands are found again by name, and when nothing comes any more the page
// is the report of what came so far.

/** The two islands of a page, as text. @typedef {[string, string]} Islands */

/** @returns {Islands} */
function takeIslands() {
  const take = (/** @type {string} */ id) => {
    const place = document.getElementById(id);
    const text = (place?.textContent ?? "").trim();
    place?.remove();
    return text;
  };
  return [take("exact"), take("thinned")];
}

/** @param {Islands} islands */
async function modelOf(islands) {
  const [exact, thinned] = await Promise.all(islands.map(sectionsOfText));
  return new Model(new Columns(exact), new Columns(thinned));
}

/** What the page is built for once: when it changes, the page is loaded anew. @param {Model} model */
function shapeOf(model) {
  const lines = HEAP_LINES.map(({ kind }) => model.heap[kind].values.length > 0);
  const messages = model.timed && model.markers.some((marker) => marker.message);
  return JSON.stringify([model.samples > 0, model.timed, lines, messages, model.stacks !== null]);
}

/**
 * Which band of `next` is which of `model`: the one with its name; of several with one name the
 * first is the first.
 * @param {Model} model
 * @param {Model} next
 */
function sameBands(model, next) {
  /** @type {Map<string, number[]>} */
  const places = new Map();
  for (let band = next.bands - 1; band >= 0; band--) {
    const named = places.get(next.names[band]);
    if (named) named.push(band);
    else places.set(next.names[band], [band]);
  }
  const found = model.names.map((name) => places.get(name)?.pop() ?? null);
  return (/** @type {number | null} */ band) => (band === null || band < 0 ? band : found[band]);
}

class Follower {
  /**
   * @param {Model} model
   * @param {Store} store
   * @param {Chart} chart
   * @param {Islands} islands
   * @param {() => void} refresh shows the model anew
   */
  constructor(model, store, chart, islands, refresh) {
    this.model = model;
    this.store = store;
    this.chart = chart;
    this.refresh = refresh;
    /** What was shown last. */
    this.islands = islands;
    /** What came since, and how often. */
    this.next = /** @type {Islands | null} */ (null);
    this.behind = 0;
    this.busy = false;
    this.paused = false;
    this.state = { text: "connecting", over: false };
    this.lost = false;
    this.reloaded = false;
    /** Whether a button of the mouse, or a finger, is down: what is pressed must not be replaced. */
    this.pressed = false;
    /** The page around the islands, as a file of its own. @type {Promise<string[]>} */
    this.shell = fetch("shell.json").then((answer) => answer.json());
    this.shell.catch(() => {});

    this.words = element("span", "");
    this.words.id = "follow-state";
    this.words.setAttribute("role", "status");
    this.pause = element("button", "Pause", "small");
    this.pause.id = "follow-pause";
    this.pause.title = "stop the picture; new data is kept meanwhile";
    this.pause.addEventListener("click", () => {
      this.paused = !this.paused;
      this.apply();
      this.show();
    });
    const save = element("button", "Save report", "small");
    save.id = "follow-save";
    save.title = "save this page as a file that needs no server";
    save.addEventListener("click", () => this.save());
    const box = element("p", "", "buttons");
    box.id = "follow";
    box.append(this.pause, save, this.words);
    byId("notes").after(box);

    const events = new EventSource("events");
    events.addEventListener("open", () => {
      this.lost = false;
      this.show();
    });
    events.addEventListener("error", () => {
      this.lost = true;
      this.show();
    });
    events.addEventListener("data", (event) => {
      const [exact = "", thinned = ""] = /** @type {string} */ (event.data).split("\n");
      this.next = /** @type {Islands} */ ([exact, thinned]);
      this.behind += 1;
      this.apply();
    });
    events.addEventListener("state", (event) => {
      this.state = JSON.parse(event.data);
      this.show();
    });
    events.addEventListener("end", () => {
      events.close();
      this.lost = true;
      this.show();
    });
    document.addEventListener("visibilitychange", () => this.apply());
    addEventListener("pointerdown", () => (this.pressed = true), true);
    for (const kind of ["pointerup", "pointercancel"]) {
      // The click comes first.
      addEventListener(kind, () => setTimeout(() => this.release()), true);
    }
    this.show();
  }

  release() {
    this.pressed = false;
    this.apply();
  }

  /** Shows the newest data, unless the picture is to stand still. */
  async apply() {
    if (this.busy || this.paused || this.pressed || document.hidden || !this.next) return this.show();
    this.busy = true;
    const islands = this.next;
    this.next = null;
    this.behind = 0;
    try {
      this.replace(await modelOf(islands), islands);
    } finally {
      this.busy = false;
    }
    this.show();
    if (this.next) requestAnimationFrame(() => this.apply());
  }

  /**
   * @param {Model} next
   * @param {Islands} islands
   */
  replace(next, islands) {
    const { model, store, chart } = this;
    if (shapeOf(next) !== shapeOf(model) && !this.reloaded) {
      this.reloaded = true;
      store.write();
      location.reload();
      return;
    }
    /** @type {View} */
    const { at, only, selected } = store.view;
    const time = at === null ? null : model.times[at];
    const band = sameBands(model, next);
    const emphasis = band(chart.emphasis);
    /** @type {Partial<View>} */
    const patch = {
      only: /** @type {number[]} */ (only.map(band).filter((band) => band !== null)),
      selected: band(selected),
      at: time === null || next.samples === 0 ? null : at,
    };
    Object.assign(model, next);
    // Of samples that were thinned the nearest is left.
    if (time !== null && at !== null && patch.at !== null && model.times[at] !== time) patch.at = model.nearest(time);
    chart.emphasis = emphasis;
    if (chart.hovered !== null && chart.hovered >= model.samples) chart.hovered = null;
    store.set(patch);
    this.islands = islands;
    this.refresh();
  }

  show() {
    const held = this.paused ? `paused${this.behind > 0 ? `, ${countText(this.behind, "update")} waiting` : ""}; ` : "";
    const gone = this.lost ? " – heapviz does not answer any more; this page goes on with what came" : "";
    this.words.textContent = held + this.state.text + gone;
    this.pause.textContent = this.paused ? "Go on" : "Pause";
    document.documentElement.dataset.live = this.lost ? "lost" : this.state.over ? "over" : "live";
  }

  /** The report of what is shown, as a file. */
  async save() {
    let parts;
    try {
      parts = await this.shell;
    } catch {
      this.words.textContent = "this page cannot be saved: heapviz ended before it was complete";
      return;
    }
    const [exact, thinned] = this.islands;
    const [before, between, after] = parts;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([before, exact, between, thinned, after], { type: "text/html" }));
    link.download = `${this.model.facts.title.replace(/[^\p{L}\p{N}.-]+/gu, "-").slice(0, 80) || "heap"}.html`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }
}
