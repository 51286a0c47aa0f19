// @ts-check
// Puts the page together.

// Modules are joined in the order of their imports. In this one, deflating makes them 2 % smaller than in that
// of the alphabet, because it finds what is repeated within 32 KiB.
import { bytesText } from "./words.js";
import { Store, TABS, same } from "./state.js";
import { Chart } from "./chart.js";
import { Runs } from "./runs.js";
import { Panels } from "./panels.js";
import { Pointer } from "./pointer.js";
import { makeTwin } from "./twin.js";
import { canvasOf } from "./canvas.js";
import { byId, copyText, element, fileName, keep, makeSegments, moveByArrows } from "./dom.js";
import { dashed } from "./layers.js";
import { Messages } from "./messages.js";
import { Tree } from "./tree.js";
import { Compared } from "./compared.js";
import { hasTree, onlyCalls } from "./stacks.js";
import { Readout } from "./readout.js";
import { fillCommand, markdownOf } from "./command.js";
import { Table } from "./table.js";
import { Each } from "./each.js";
import { Verdict, fillLead, hasReasons } from "./verdict.js";
import { fillRun } from "./run.js";
import { Follower, modelOf } from "./live.js";
import { Details } from "./details.js";
import { fillHelp } from "./help.js";
/** @import { Model } from "./model.js" */
/** @import { Units } from "./words.js" */

start().catch((error) => {
  giveUp(error);
  throw error;
});

async function start() {
  const islands = Array.from(document.querySelectorAll("script.island"), (element) => {
    element.remove();
    return element.textContent ?? "";
  });
  const models = await Promise.all(islands.map(modelOf));
  if (models.length === 2 && models[0].facts.compared) {
    const ends = models.map(({ times, censuses }) => times[censuses[1]]);
    const haveOneAxis = models.every(({ samples, timed }) => samples > 0 && timed === models[0].timed);
    if (haveOneAxis) models.forEach((model, i) => (model.reach = ends[1 - i]));
    models[1].colourAs(models[0]);
  }
  const store = new Store(models);
  store.read(location.hash.slice(1));
  store.show(["theme"], () => applyTheme(store.view.theme));
  store.show(["data"], () => heading(store.model));
  const runs = new Runs(store);

  const chart = new Chart(store, { plot: byId("plot"), base: canvasOf("base"), over: canvasOf("over"), bubble: byId("bubble"), strip: canvasOf("overview") });
  store.afterwards = () => chart.drawNow();
  new Readout(store, chart);
  const pointer = new Pointer(store, chart);
  const twin = makeTwin(store, chart, runs);
  chart.resize();
  // Until now, the page has its picture.
  const picture = /** @type {HTMLImageElement | null} */ (document.getElementById("picture"));
  picture?.remove();
  document.documentElement.dataset.drawn = performance.now().toFixed(0);

  new Verdict(store);
  new Compared(store, runs);
  store.show(["units"], () => fillLead(store));
  store.model.show(store.part);
  // The table fits its columns beside the details.
  new Details(store);
  const table = new Table(store, chart);
  new Each(store, chart, table);
  new Messages(store, pointer);
  store.show(["data", "units"], () => fillRun(store));
  makeTabs(store);
  const tree = new Tree(store, chart);
  makeTools(store, chart, pointer, table, new Panels(store, chart), picture);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    chart.draw();
    tree.rebuild();
  });
  // Take the address from the event: the page may already have replaced it with the previous view.
  addEventListener("hashchange", (event) => store.read(new URL(event.newURL).hash.slice(1)));
  const print = makePrint(store, twin ? [chart, twin] : [chart], table);
  addEventListener("beforeprint", print.begin);
  addEventListener("afterprint", print.end);
  document.documentElement.dataset.ready = performance.now().toFixed(0);
  if (document.documentElement.dataset.live !== undefined) new Follower(store, chart, islands[0]);
}

/** @param {Model} model */
function heading(model) {
  const { facts } = model;
  byId("chart").hidden = onlyCalls(model);
  const [title, name] = [byId("title"), facts.compared ? facts.compared.names.join(" → ") : facts.title];
  document.documentElement.classList.toggle("ends", model.keepsEnds);
  document.title = `${name} – heap profile`;
  title.textContent = title.title = name;
  title.hidden = !facts.heading;
  const peak = facts.heading && model.samples > 0 ? [`peak ${bytesText(model.total[model.peakSample], /** @type {Units} */ (facts.units))} at ${model.when(model.peakSample)}`] : [];
  // In a narrow window the last of them have no room.
  const [first = [], ...others] = facts.facts;
  const words = [first, peak, others].flat();
  byId("subtitle").replaceChildren(...words.map((text) => element("span", text)));
  byId("subtitle").title = [...words, ...facts.notes].join("\n");
}

/**
 * For paper: the light theme, a plot of fixed width, and the first rows of the table.
 * @param {Store} store @param {Chart[]} charts @param {Table} table
 */
function makePrint(store, charts, table) {
  return {
    begin: () => {
      applyTheme("light");
      for (const chart of charts) {
        chart.frozen = true;
        chart.resizeTo(760, 400 / charts.length);
      }
      table.printed = true;
      table.rebuild();
      table.list.showWhole(60);
    },
    end: () => {
      applyTheme(store.view.theme);
      table.printed = false;
      table.rebuild();
      table.list.showWhole(0);
      for (const chart of charts) {
        chart.frozen = false;
        chart.resize();
      }
    },
  };
}

/** @param {string} theme */
function applyTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** @param {Store} store */
function makeTabs(store) {
  const has = () => onlyCalls(store.model) ? ["tree", "run"] : [...(store.model.facts.compared ? ["compared"] : []), "bands", ...(hasReasons(store.model) ? ["why"] : []), ...(store.model.markers.length > 0 ? ["messages"] : []), ...(hasTree(store.model) ? ["tree"] : []), "run"];
  const tabs = TABS.map((name) => byId(`tab-${name}`));
  const update = () => {
    const names = has();
    const chosen = names.includes(store.view.tab) ? store.view.tab : names[0];
    for (const tab of tabs) {
      const name = tab.id.slice(4);
      tab.hidden = !names.includes(name);
      tab.setAttribute("aria-selected", String(name === chosen));
      tab.tabIndex = name === chosen ? 0 : -1;
      byId(`panel-${name}`).hidden = name !== chosen;
    }
  };
  for (const tab of tabs) tab.addEventListener("click", () => store.set({ tab: tab.id.slice(4) }));
  moveByArrows(/** @type {HTMLElement} */ (tabs[0].parentElement), ["ArrowLeft", "ArrowRight"], (next) => next.click());
  store.show(["data", "tab"], update);
}

/**
 * @param {Store} store
 * @param {Chart} chart
 * @param {Pointer} pointer
 * @param {Table} table
 * @param {Panels} panels
 * @param {HTMLImageElement | null} picture
 */
function makeTools(store, chart, pointer, table, panels, picture) {
  /** @type {(() => void)[]} */
  const updates = [];
  makeSegments(store, "views", "view");
  // What can be drawn of this run beside its bands.
  updates.push(() => {
    const { model, view } = store;
    /** @typedef {{ id: string, text: string, dash: string, isOn: boolean, set: (isOn: boolean) => void }} Toggle */
    /** @type {Toggle[]} */
    const toggles = model.heap.filter(({ values }) => values.length > 0).map(({ kind, name }) => {
      const others = () => store.view.lines.filter((line) => line !== kind);
      const set = (/** @type {boolean} */ isOn) => store.set({ lines: [...others(), ...(isOn ? [kind] : [])] });
      return { id: `line-${kind}`, text: name, dash: kind, isOn: view.lines.includes(kind), set };
    });
    if (model.markers.some(({ message }) => message)) {
      toggles.push({ id: "messages", text: "messages", dash: "", isOn: view.messages, set: (messages) => store.set({ messages }) });
    }
    if (model.undrawn.some((bytes) => bytes > 0)) {
      toggles.push({ id: "draw-trace", text: model.undrawnName(), dash: "", isOn: view.undrawn, set: (undrawn) => store.set({ undrawn }) });
    }
    if (panels.panels.length > 0) {
      toggles.push({ id: "draw-panels", text: "run-time system", dash: "", isOn: view.panels, set: (panels) => store.set({ panels }) });
    }
    keep(byId("toggles"), toggles, ({ id, text }) => `${id} ${text}`, ({ id, text, dash, set }) => {
      const onclick = () => set(button.ariaPressed !== "true");
      const button = element("button", "", "toggle", { id, onclick }, ...(dash ? [dashed(element("span", "", `dash ${dash}`), store.model, dash)] : []), text);
      return button;
    }, (button, { isOn }) => (button.ariaPressed = String(isOn)));
  });
  updates.push(() => {
    const isEach = store.view.view === "each";
    shared.hidden = !isEach && (store.model.reach === null || store.view.view === "percent");
    shared.setAttribute("aria-pressed", String(store.isShared));
    byId("to-peak").hidden = isEach;
  });
  const shared = byId("shared");
  shared.addEventListener("click", () => store.set({ shared: !store.isShared }));
  chart.watch(updates[updates.length - 1]);
  const reset = byId("reset");
  reset.addEventListener("click", () => store.set({ range: null }));
  const zoomTo = byId("zoom-to");
  zoomTo.addEventListener("click", () => store.set({ range: store.view.part }));
  updates.push(() => {
    const { range, part } = store.view;
    zoomTo.hidden = part === null || same(part, range);
    reset.hidden = range === null;
  });
  byId("to-peak").addEventListener("click", () => {
    if (store.model.samples > 0) pointer.moveTo(chart.peakInSight());
  });
  byId("copy-report").addEventListener("click", () => copyText(markdownOf(store, chart, table.order), "report copied"));
  byId("copy-link").addEventListener("click", () => {
    store.write();
    copyText(location.href, "link copied");
  });
  byId("menu").addEventListener("click", ({ target }) => {
    if (target instanceof HTMLButtonElement && target.id !== "command") byId("menu").hidePopover();
  });
  // The address of a page inside another one cannot be opened by anybody.
  byId("copy-link").hidden = ["blob:", "about:"].includes(location.protocol);
  byId("help-box").addEventListener("beforetoggle", () => fillHelp(store.model));
  const command = byId("command-box");
  command.addEventListener("beforetoggle", () => fillCommand(store, chart));
  byId("copy-command").addEventListener("click", () => {
    copyText(byId("command-text").textContent ?? "", "command copied");
    command.hidePopover();
  });
  byId("save-picture").hidden = picture === null || document.documentElement.dataset.live !== undefined;
  // What the page began with: what `-o prog.svg` draws.
  byId("save-picture").addEventListener("click", () => {
    const { run, file, job } = store.models[store.models.length - 1].facts;
    const name = (run || file || (job ?? "heap").split(" ")[0]).replace(/\.(gz|zst)$/, "").replace(/\.(hp|eventlog)$/, "");
    element("a", "", "", { href: picture?.src ?? "", download: `${fileName(name)}.svg` }).click();
  });
  for (const [id, key] of [["units", "units"], ["theme", "theme"]]) {
    const select = /** @type {HTMLSelectElement} */ (byId(id));
    select.addEventListener("change", () => store.set({ [key]: /** @type {any} */ (select.value) }));
    updates.push(() => (select.value = store.view[/** @type {"units"} */ (key)]));
  }
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    // The browser closes an open box.
    if (event.key === "Escape" && !typing && !event.defaultPrevented && !document.querySelector(":popover-open")) store.undo();
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
      const inTree = onlyCalls(store.model) || (store.view.tab === "tree" && hasTree(store.model));
      if (!inTree) store.set({ tab: "bands" });
      event.preventDefault();
      requestAnimationFrame(() => byId(inTree ? "tree-search" : "search").focus());
    }
  });
  store.show(
    ["data", "view", "lines", "shared", "messages", "undrawn", "panels", "by", "range", "part", "units", "theme"],
    () => updates.forEach((act) => act()),
  );
}
