// @ts-check
// A page that `heapviz watch --web` serves: its data is replaced while the program runs. The
// reader's choices stay, bands are found again by name, and when no more data arrives the page is the
// report of what it has received.

import { byId, element, fileName } from "./dom.js";
import { Model } from "./model.js";
import { countText } from "./words.js";
/** @import { Chart } from "./chart.js" */
/** @import { Store } from "./state.js" */

/** @param {string} island */
export async function modelOf(island) {
  return new Model(await inflated(island).json());
}

/** Whether the program of this page still runs. */
export function isLive() {
  return document.documentElement.dataset.live === "live";
}

export class Follower {
  /** @param {Store} store @param {Chart} chart @param {string} island */
  constructor(store, chart, island) {
    this.store = store;
    this.chart = chart;
    this.island = island;
    /** The newest one received since, and how many there were. */
    this.next = /** @type {string | null} */ (null);
    this.behind = 0;
    this.busy = false;
    this.paused = false;
    this.state = { text: "connecting", over: false };
    this.lost = false;
    /** Whether a mouse button or finger is down: an element must not be replaced while it is pressed. */
    this.pressed = false;
    /** The page around the island, for saving it as a file. @type {Promise<string[]>} */
    this.shell = fetch("shell.json").then((answer) => answer.json());
    this.shell.catch(() => {});

    this.words = element("span", "", "", { id: "follow-state", role: "status" });
    const onclick = () => {
      this.paused = !this.paused;
      this.apply();
      this.show();
    };
    const pause = { id: "follow-pause", title: "pause the picture; new data is kept", onclick };
    this.pause = element("button", "Pause", "small", pause);
    const title = "save this page as a file that needs no server";
    const save = element("button", "Save report", "small", { id: "follow-save", title, onclick: () => this.save() });
    byId("subtitle").after(element("p", "", "buttons", { id: "follow" }, this.pause, save, this.words));
    /** In sight wherever the page is scrolled to. */
    this.gone = element("strong", "No longer live: heapviz does not answer", "badge gone", { role: "status" });
    document.body.append(this.gone);

    const events = new EventSource("events");
    const lose = (/** @type {boolean} */ lost) => {
      this.lost = lost;
      this.show();
    };
    events.addEventListener("open", () => lose(false));
    events.addEventListener("error", () => lose(true));
    events.addEventListener("data", (event) => {
      this.next = event.data;
      this.behind += 1;
      this.apply();
    });
    events.addEventListener("state", (event) => {
      this.state = JSON.parse(event.data);
      this.show();
    });
    events.addEventListener("end", () => {
      events.close();
      lose(true);
    });
    document.addEventListener("visibilitychange", () => this.apply());
    addEventListener("pointerdown", () => (this.pressed = true), true);
    const release = () => {
      this.pressed = false;
      this.apply();
    };
    // Let the click event be handled first.
    for (const kind of ["pointerup", "pointercancel"]) addEventListener(kind, () => setTimeout(release), true);
    this.show();
  }

  async apply() {
    if (this.busy || this.paused || this.pressed || document.hidden || !this.next) return this.show();
    this.busy = true;
    const island = this.next;
    this.next = null;
    this.behind = 0;
    try {
      this.replace(await modelOf(island), island);
    } finally {
      this.busy = false;
    }
    this.show();
    if (this.next) requestAnimationFrame(() => this.apply());
  }

  /** @param {Model} next @param {string} island */
  replace(next, island) {
    const { store, chart } = this;
    const emphasis = chart.emphasis === null ? null : next.linked(store.model.link(chart.emphasis));
    const { model } = store;
    const { range } = store.view;
    store.models = [next];
    // A part that ended with the newest sample goes on with it.
    const end = (/** @type {Model} */ { times, censuses }) => times[censuses[1]];
    const follows = range !== null && model.samples > 0 && next.samples > 0 && range[1] >= end(model);
    store.take(next, follows ? { range: [range[0] + end(next) - end(model), range[1] + end(next) - end(model)] } : {});
    chart.emphasis = emphasis;
    if (chart.hovered !== null && chart.hovered >= next.samples) chart.hovered = null;
    this.island = island;
  }

  show() {
    const held = this.paused ? `paused${this.behind > 0 ? `, ${countText(this.behind, "update")} waiting` : ""}; ` : "";
    const gone = "heapviz no longer answers; this page goes on with the data received";
    // What was said of a program that still ran is old by now.
    const said = [...(this.lost && !this.state.over ? [] : [this.state.text]), ...(this.lost ? [gone] : [])];
    this.words.textContent = held + said.join(" – ");
    this.pause.textContent = this.paused ? "Continue" : "Pause";
    const { dataset } = document.documentElement;
    const live = this.lost ? "lost" : this.state.over ? "over" : "live";
    // The key of a program that has ended stands at its peak.
    if (dataset.live !== live) this.chart.soon(false);
    dataset.live = live;
    this.gone.hidden = !this.lost;
  }

  async save() {
    let parts;
    try {
      parts = await this.shell;
    } catch {
      this.words.textContent = "this page cannot be saved: heapviz ended before it was complete";
      return;
    }
    const [before, after] = parts;
    const href = URL.createObjectURL(new Blob([before, this.island, after], { type: "text/html" }));
    element("a", "", "", { href, download: `${fileName(this.store.model.facts.title) || "heap"}.html` }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
  }
}
