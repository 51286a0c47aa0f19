// @ts-check
// Puts the page together.

start().catch((error) => {
  const box = byId("problem");
  box.hidden = false;
  box.textContent = `This page could not be shown: ${error}`;
  throw error;
});

async function start() {
  const islands = takeIslands();
  const model = await modelOf(islands);
  const { facts } = model;
  fillHeading(model);

  /** @type {View} */
  const defaults = {
    view: facts.view,
    range: null,
    at: null,
    only: [],
    selected: null,
    open: 0,
    undrawn: false,
    lines: facts.lines ?? usualLines(model),
    messages: facts.messages,
    sort: "total",
    down: true,
    query: "",
    group: "all",
    tab: "bands",
    direction: "callees",
    units: facts.units,
    theme: facts.theme ?? "auto",
  };
  const store = new Store(defaults, model);
  store.read(location.hash.slice(1));
  applyTheme(store.view.theme);
  const say = speaker();

  const chart = new Chart(model, store);
  store.afterwards = () => chart.drawNow();
  const readout = new Readout(model, store, chart);
  const pointer = new Pointer(model, store, chart, say);
  chart.resize();
  document.documentElement.dataset.drawn = performance.now().toFixed(0);

  model.show(store.view.range);
  const table = new Table(model, store, chart, say);
  const details = new Details(model, store, say);
  fillRun(model);
  const tabs = makeTabs(model, store);
  const tree = model.stacks ? new Tree(model, store, chart) : null;

  store.on(["only", "open", "undrawn", "view"], () => {
    chart.rebuild();
    readout.rebuild();
    chart.soon(true);
  });
  store.on(["range", "at", "lines", "messages", "units"], () => chart.soon(true));
  store.on(["units"], () => readout.fill());
  let waiting = 0;
  store.on(["range"], () => {
    // While the range is dragged only the chart follows.
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      model.show(store.view.range);
      table.rebuild();
      details.fill();
      tree?.rebuild();
    }, 120);
  });
  store.on(["sort", "down", "query", "group"], () => table.rebuild());
  store.on(["units"], () => table.widen());
  store.on(["only", "selected", "units"], () => {
    table.list.fill();
    details.fill();
  });
  store.on(["tab"], tabs);
  store.on(["at", "direction", "tab", "units", "theme"], () => tree?.rebuild());
  store.on(["theme"], () => {
    applyTheme(store.view.theme);
    chart.soon(true);
  });
  makeTools(model, store, chart, pointer, say);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    chart.draw();
    tree?.rebuild();
  });
  addEventListener("hashchange", () => store.read(location.hash.slice(1)));
  const print = makePrint(store, chart, table);
  addEventListener("beforeprint", print.begin);
  addEventListener("afterprint", print.end);
  document.documentElement.dataset.ready = performance.now().toFixed(0);
  if (document.documentElement.dataset.live === undefined) return;
  new Follower(model, store, chart, islands, () => {
    fillHeading(model);
    model.show(store.view.range);
    chart.renew();
    readout.rebuild();
    table.renew();
    details.fill();
    tree?.rebuild();
    fillRun(model);
  });
}

/** @param {Model} model */
function fillHeading(model) {
  const { facts } = model;
  document.title = `${facts.title} – heap profile`;
  byId("title").textContent = facts.title;
  const peak = model.samples > 0 ? [`peak ${bytesText(model.total[model.peakSample], facts.units)} at ${model.when(model.peakSample)}`] : [];
  byId("subtitle").replaceChildren(...[...facts.facts, ...peak].map((/** @type {string} */ text) => element("span", text)));
  byId("notes").replaceChildren(...facts.notes.map((/** @type {string} */ text) => element("p", text)));
}

/**
 * As in the pictures: heap size and live bytes, if they leave the bands a third of the plot.
 * @param {Model} model
 */
function usualLines(model) {
  const layers = layersOf(model, /** @type {any} */ ({ view: "stacked", only: [], open: 0, undrawn: false }));
  const edge = layers.at(-1);
  const highestBand = edge && model.samples > 0 ? highestBetween(edge.top, 0, model.samples - 1) : 0;
  const most = 3 * Math.max(highestBand, model.samples > 0 ? model.total[model.peakSample] : 0);
  return ["size", "live"].filter((kind) => {
    const { values } = model.heap[kind];
    return values.length > 0 && highestBetween(values, 0, values.length - 1) <= most;
  });
}

/**
 * Paper is light, has a plot of one width, and the first rows of the table.
 * @param {Store} store
 * @param {Chart} chart
 * @param {Table} table
 */
function makePrint(store, chart, table) {
  return {
    begin: () => {
      applyTheme("light");
      chart.frozen = true;
      chart.resizeTo(760, 400);
      table.list.showWhole(60);
    },
    end: () => {
      applyTheme(store.view.theme);
      chart.frozen = false;
      table.list.showWhole(0);
      chart.resize();
    },
  };
}

/** Tells a screen reader something, not faster than it can speak. */
function speaker() {
  let timer = 0;
  return (/** @type {string} */ text) => {
    clearTimeout(timer);
    timer = setTimeout(() => (byId("live").textContent = text), 150);
  };
}

/** @param {string} theme */
function applyTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/**
 * @param {Model} model
 * @param {Store} store
 */
function makeTabs(model, store) {
  const names = ["bands", ...(model.stacks ? ["tree"] : []), "run"];
  const tabs = ["bands", "tree", "run"].map((name) => byId(`tab-${name}`));
  const update = () => {
    const chosen = names.includes(store.view.tab) ? store.view.tab : "bands";
    for (const tab of tabs) {
      const name = tab.id.slice(4);
      tab.hidden = !names.includes(name);
      tab.setAttribute("aria-selected", String(name === chosen));
      tab.tabIndex = name === chosen ? 0 : -1;
      byId(`panel-${name}`).hidden = name !== chosen;
    }
  };
  tabs.forEach((tab) => {
    tab.addEventListener("click", () => store.set({ tab: tab.id.slice(4) }));
    tab.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (by === undefined) return;
      const next = names[(names.indexOf(tab.id.slice(4)) + by + names.length) % names.length];
      store.set({ tab: next });
      byId(`tab-${next}`).focus();
    });
  });
  update();
  return update;
}

/**
 * @param {Model} model
 * @param {Store} store
 * @param {Chart} chart
 * @param {Pointer} pointer
 * @param {(text: string) => void} say
 */
function makeTools(model, store, chart, pointer, say) {
  /** @type {(() => void)[]} */
  const updates = [];
  for (const button of byId("views").querySelectorAll("button")) {
    button.addEventListener("click", () => store.set({ view: /** @type {any} */ (button.dataset.view) }));
    updates.push(() => button.setAttribute("aria-pressed", String(store.view.view === button.dataset.view)));
  }
  const toggle = (/** @type {string} */ id, /** @type {string} */ text, /** @type {() => boolean} */ isOn, /** @type {() => void} */ act, dash = "") => {
    const button = element("button", "", "toggle");
    button.id = id;
    if (dash) button.append(element("span", "", `dash ${dash}`));
    button.append(text);
    button.addEventListener("click", act);
    byId("toggles").append(button);
    updates.push(() => button.setAttribute("aria-pressed", String(isOn())));
  };
  for (const { kind, name } of HEAP_LINES) {
    if (model.heap[kind].values.length === 0) continue;
    const isOn = () => store.view.lines.includes(kind);
    const others = () => store.view.lines.filter((line) => line !== kind);
    toggle(`line-${kind}`, name, isOn, () => store.set({ lines: isOn() ? others() : [...others(), kind] }), kind);
  }
  if (model.timed && model.markers.some((marker) => marker.message)) {
    toggle("messages", "messages", () => store.view.messages, () => store.set({ messages: !store.view.messages }));
  }
  const middle = () => {
    const at = store.view.at;
    const [from, to] = chart.range();
    const x = at === null ? NaN : model.times[at];
    return x >= from && x <= to ? x : (from + to) / 2;
  };
  byId("zoom-in").addEventListener("click", () => pointer.zoom(0.5, middle()));
  byId("zoom-out").addEventListener("click", () => pointer.zoom(2, middle()));
  const reset = /** @type {HTMLButtonElement} */ (byId("reset"));
  reset.addEventListener("click", () => store.set({ range: null }));
  updates.push(() => (reset.disabled = store.view.range === null));
  byId("to-peak").addEventListener("click", () => pointer.moveTo(model.peakSample));
  byId("copy-link").addEventListener("click", () => {
    store.write();
    copyText(location.href, "link copied", say);
  });
  for (const [id, key] of [["units", "units"], ["theme", "theme"]]) {
    const select = /** @type {HTMLSelectElement} */ (byId(id));
    select.addEventListener("change", () => store.set({ [key]: /** @type {any} */ (select.value) }));
    updates.push(() => (select.value = store.view[/** @type {"units"} */ (key)]));
  }
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (event.key === "/" && !typing) {
      store.set({ tab: "bands" });
      event.preventDefault();
      requestAnimationFrame(() => byId("search").focus());
    }
  });
  const update = () => updates.forEach((act) => act());
  store.on(["view", "lines", "messages", "range", "units", "theme"], update);
  update();
}
