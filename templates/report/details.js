// @ts-check
// Everything known about the selected band.

import { aroundCentre } from "./centres.js";
import { amountText, changeText, csvOf, intervalText, shapeText, slopeText } from "./columns.js";
import { Widget, byId, copyText, element, factList, listOf, part, setText } from "./dom.js";
import { CLOSURE_KINDS, meaningOf } from "./glossary.js";
import { bandsWith, centreName } from "./parts.js";
import { pick, same } from "./state.js";
import { drawSpark } from "./table.js";
import { partBetween, placeElement } from "./verdict.js";
import { countText, grouped, percentText } from "./words.js";
/** @import { Model } from "./model.js" */
/** @import { Store } from "./state.js" */

export class Details extends Widget {
  /** @param {Store} store @param {(text: string) => void} say */
  constructor(store, say) {
    super(store);
    this.box = byId("details");
    const title = element("h2", "", "band-name");
    const button = (/** @type {string} */ text, /** @type {() => void} */ act, className = "small") => {
      const made = element("button", text, className);
      made.addEventListener("click", act);
      return made;
    };
    const band = () => store.view.selected ?? 0;
    const close = button("×", () => store.set({ selected: null }), "close");
    close.setAttribute("aria-label", "close the details");
    title.append(element("span", "", "swatch"), element("span", "", "title"), close);
    this.curve = document.createElement("canvas");
    this.curve.className = "big-spark";
    this.curve.setAttribute("aria-hidden", "true");
    this.facts = element("dl", "", "facts");
    this.alone = button("", () => pick(store, band(), false));
    const copy = button("Copy name", () => copyText(this.model.name(band()), "name copied", say));
    const row = button("Copy row", () => copyText(csvOf(this.model, store.view, [band()]), "row copied", say));
    row.title = "all its figures, as CSV (c)";
    this.zoom = button("Zoom to where it rose", () => {
      const climb = this.model.climbs.get(band());
      if (climb) store.set({ range: partBetween(this.model, climb[0], climb[1]) });
    });
    const buttons = element("p", "", "buttons");
    buttons.append(this.alone, copy, row, this.zoom);
    this.more = element("div");
    this.box.replaceChildren(title, this.curve, this.facts, buttons, this.more);
    this.phone = matchMedia("(max-width: 560px)");
    store.on(["data", "figures", "only", "selected", "units", "at", "a", "b", "by"], () => this.fill());
    store.on(["selected"], () => this.makeRoom());
    this.fill();
  }

  /** On a phone the details cover the end of the page: moves the chosen row out from under them. */
  makeRoom() {
    if (!this.phone.matches || this.box.hidden) return;
    const row = document.querySelector("#rows .row.selected");
    const hidden = row ? row.getBoundingClientRect().bottom - this.box.getBoundingClientRect().top : 0;
    if (hidden > 0) scrollBy(0, hidden + 8);
  }

  fill() {
    const { model, store, box } = this;
    const { selected, units, only } = store.view;
    // Without a selected band the table takes the full width.
    byId("panel-bands").classList.toggle("has-details", selected !== null);
    box.hidden = selected === null;
    if (selected === null) return;
    const band = selected;
    part(box, "swatch").style.background = model.colour(band);
    setText(part(box, "title"), model.name(band));
    const { curve, facts } = this;
    facts.replaceChildren();
    const fact = (/** @type {string} */ name, /** @type {string} */ text, /** @type {string} */ title = "") => {
      const value = element("dd", text);
      if (title) value.title = title;
      facts.append(element("dt", name), value);
    };
    const exact = (/** @type {number} */ bytes) => (model.atLeast(band) || Number.isNaN(bytes) ? "" : `${grouped(bytes)} bytes`);
    const { figures } = model;
    const isPart = figures !== model.wholeFigures;
    if (isPart) fact("part", `${model.when(figures.first)} to ${model.when(figures.last)}`);
    fact("peak", `${amountText(model, band, figures.peaks[band], units)} at ${model.when(figures.peakAt[band])}`, exact(figures.peaks[band]));
    fact("mean", amountText(model, band, figures.means[band], units));
    fact("last", amountText(model, band, figures.lasts[band], units), exact(figures.lasts[band]));
    fact("share", `${percentText(figures.means[band], figures.grandMean)} of the mean heap`);
    const sure = intervalText(model, band, units);
    fact(isPart ? "gained" : "growth", `${slopeText(model, band, units)}${sure === "–" ? "" : `, 95 %: ${sure}`}`);
    const shape = shapeText(model, band);
    if (shape) fact("did", shape);
    if (model.compared) fact("B − A", changeText(model, band, units));
    fact("drawn", ["no, it is a trace element", "as part of OTHER", "as a layer of its own"][model.choice.role[band]]);
    this.alone.hidden = !model.canDraw(band);
    setText(this.alone, same(only, [band]) ? "Show all bands" : "Show alone");
    const climbed = model.climbs.get(band);
    this.zoom.hidden = !climbed || partBetween(model, climbed[0], climbed[1]) === null;
    const meaning = meaningOf(model, band);
    const parts = [...(meaning ? [element("p", `${meaning[0]}: ${meaning[1]}`, "meaning")] : []), ...this.provenance(band)];
    if (!model.isExact(band)) {
      const lacking = model.membersOf(band).filter((member) => !model.curves.has(member)).length;
      const what = band < model.bands ? "This page has no curve of it, to stay small; its figures of the whole run are exact." : `This page has no curve of ${grouped(lacking)} of its ${countText(model.membersOf(band).length, "band")}, to stay small: ≥ marks what is only known of the others.`;
      parts.push(element("p", what, "faint"));
    }
    this.more.replaceChildren(...parts);
    const width = Math.max(120, box.clientWidth - 32);
    drawSpark(curve, model, band, width, 56);
  }

  /** Facts beyond the name. @param {number} band */
  provenance(band) {
    const { model } = this;
    if (band >= model.bands) return this.members(band);
    const { sentence } = model.facts.breakdown;
    if (model.parts.kind === "stack") return this.stack(band);
    if (model.parts.kind === "set") return this.retainers(band);
    if (sentence) return [element("p", sentence.replace("{}", () => model.names[band]))];
    return this.origin(band);
  }

  /** The bands in a group. @param {number} group */
  members(group) {
    const { model, store } = this;
    const { totals } = model.wholeFigures;
    const members = [...model.membersOf(group)].sort((a, b) => totals[b] - totals[a]);
    const list = listOf(members.slice(0, 12).map((member) => `${model.name(member)} (${percentText(totals[member], totals[group])})`), "stack");
    const open = element("button", `Show its ${countText(members.length, "band")}`, "small");
    open.id = "open-group";
    open.addEventListener("click", () => {
      const within = `${model.choice.by}:${model.name(group)}`;
      store.set({ by: "", within });
      store.set({ only: members.slice(0, 24), group: "all", query: "" });
    });
    const buttons = element("p", "", "buttons");
    buttons.append(open);
    const isKnown = bandsWith(model.parts, model.name(group)).length > 0;
    if (model.choice.by === "centre" && isKnown) buttons.append(this.around(model.name(group), "Callers and callees"));
    return [element("h3", `${countText(members.length, "band")}, the biggest first`), list, buttons];
  }

  /** A button that puts a cost centre in the middle of the tree. @param {string} centre @param {string} text */
  around(centre, text) {
    const { store } = this;
    const button = element("button", text, text === "" ? "link" : "small");
    if (text !== "") button.id = "open-around";
    button.title = `${centre}: its callers, its callees, and the curve of all stacks that contain it`;
    button.addEventListener("click", () => store.set(aroundCentre(store.model, centre)));
    return button;
  }

  /** The stack of a band, innermost first. @param {number} band */
  stack(band) {
    const { model } = this;
    const list = element("ol", "", "stack");
    for (const { name, module, place } of model.parts.framesOf(band)) {
      const item = element("li");
      const around = this.around(centreName({ name, module, package: "", place: "" }), "");
      around.append(element("code", name));
      item.append(around, element("span", module, "faint place"));
      if (place !== "") item.append(placeElement(model, place));
      list.append(item);
    }
    if (list.childElementCount === 0) list.append(element("li", "MAIN"));
    return [element("h3", "Cost-centre stack, innermost first"), list];
  }

  /** Module, place and type: the facts about a band's only frame and its info table. @param {number} band */
  origin(band) {
    const { model } = this;
    const frame = model.parts.first(band);
    const table = model.infoTables.get(band);
    const hint = frame?.place ? null : placeHint(model);
    const facts = factList([
      ["type", table?.type],
      ["closure", table?.kind ? `${CLOSURE_KINDS[Number(table.kind)] ?? "kind"} (${table.kind})` : null],
      ["label", frame?.name],
      ["module", frame?.module],
      ["package", frame?.package],
      ["place", frame?.place ? placeElement(model, frame.place) : null],
      ["table", table?.name],
      ["place", hint ? element("span", hint, "faint") : null],
    ]);
    if (facts.childElementCount === 0) return [];
    return [element("h3", table ? "Info table" : "Where it is defined"), facts];
  }

  /** @param {number} band */
  retainers(band) {
    const { model } = this;
    const name = model.names[band];
    if (name === "MANY") return [];
    const frames = model.parts.framesOf(band);
    if (frames.length === 0) return [];
    const list = listOf(frames.map((frame) => frame.name), "stack");
    const cut = /(\.\.\.|…)$/.test(name) ? [element("p", "The name is cut; the .prof file has the whole set, and +RTS -L200 writes longer names.", "faint")] : [];
    return [element("h3", frames.length > 1 ? "Retained by each of" : "Retained by"), list, ...cut];
  }
}

/** How to get the place of a band in the source, which this run lacks; `null` if others have one. @param {Model} model */
function placeHint({ facts, parts }) {
  if (facts.breakdown.names === "addresses") return "not known: its code was compiled without -finfo-table-map, or the compiler made it up";
  if (parts.frames.some(({ place }) => place !== "")) return null;
  const log = facts.source === "hp" ? "in the event log (+RTS -l) of a profiled program, or " : "";
  return `not known: ${log}with +RTS -hi -l, for a program built with -finfo-table-map`;
}
