// @ts-check
// The other run of a comparison in a chart of its own, above or below that of the shown run, over the same time.
// Before is always above after. Whatever is done in the other chart is done to that run, which is then the shown one.

import { canvasOf } from "./canvas.js";
import { Chart } from "./chart.js";
import { byId, setText } from "./dom.js";
import { Pointer } from "./pointer.js";
import { bytesText } from "./words.js";
/** @import { Runs } from "./runs.js" */
/** @import { Key, Store, View } from "./state.js" */

/**
 * The choices of the reader as they are in the other run: a store on top of the store.
 * @param {Store} store @param {Chart} chart @param {Runs} runs @returns {Store}
 */
function twinOf(store, chart, runs) {
  const other = () => 1 - store.models.indexOf(store.model);
  const refresh = () => {
    const { model } = own;
    const { view } = store;
    model.group(view.by);
    model.choose(view.centre);
    const bands = view.only.map((band) => model.linked(store.model.link(band))).filter((band) => band !== null);
    const at = view.at === null ? null : model.nearest(store.model.times[view.at]);
    own.view = { ...view, only: bands, selected: null, open: Math.min(view.open, model.openable), range: chart.range(), at };
  };
  const own = Object.create(store, {
    model: { get: () => store.models[other()] },
    view: { value: store.view, writable: true },
    on: {
      value: (/** @type {Key[]} */ keys, /** @type {() => void} */ act) =>
        store.on(keys, () => {
          refresh();
          act();
        }),
    },
    set: {
      value: (/** @type {Partial<View>} */ patch) => {
        // The axis is that of both.
        if (Object.keys(patch).some((key) => key !== "range" && key !== "part")) {
          runs.show(other());
          // Both charts may be about to be drawn.
          store.notify();
        }
        store.set(patch);
      },
    },
  });
  refresh();
  return own;
}

/**
 * Makes the other chart, if the page compares two runs that have samples.
 * @param {Store} store @param {Chart} chart @param {Runs} runs
 */
export function makeTwin(store, chart, runs) {
  if (store.models.length !== 2 || store.models.some((model) => model.reach === null)) return null;
  const own = twinOf(store, chart, runs);
  byId("twin").hidden = false;
  const twin = new Chart(own, { plot: byId("twin"), base: canvasOf("twin-base"), over: canvasOf("twin-over"), bubble: byId("twin-bubble"), strip: null });
  [chart.twin, twin.twin] = [twin, chart];
  new Pointer(own, twin);
  // The crosshair goes through both; it comes from the chart that had the pointer last.
  let leader = chart;
  for (const one of [chart, twin]) {
    one.plot.addEventListener("pointerenter", () => (leader = one));
    one.watch(() => {
      const other = one.twin;
      if (one !== leader || !other) return;
      other.hover(one.hovered === null ? null : other.model.nearest(one.model.times[one.hovered]));
      other.emphasise(one.emphasis === null ? null : other.model.linked(one.model.link(one.emphasis)));
    });
  }
  const left = /** @type {HTMLElement} */ (chart.plot.parentElement);
  left.classList.add("pair");
  const name = () => {
    left.dataset.run = String(store.models.indexOf(store.model));
    for (const [id, model] of /** @type {const} */ ([["plot-name", store.model], ["twin-name", own.model]])) {
      byId(id).hidden = store.view.view === "each";
      setText(byId(id), `${model.facts.run}, peak ${bytesText(model.total[model.peakSample], store.view.units)}${store.isShared ? "" : ", on its own scale"}`);
    }
    twin.plot.hidden = store.view.view === "each";
    twin.plot.setAttribute("aria-label", `The chart of the other run, ${own.model.facts.run}`);
  };
  store.show(["data", "view", "units", "shared"], name);
  twin.resize();
  chart.resize();
  return twin;
}
