// @ts-check
// Everything known about the selected band.

import { aroundCentre } from "./centres.js";
import { amountText, endWords, grewText, shapeText } from "./columns.js";
import { Widget, byId, copyText, element, factList, listOf, part, setText, wrap } from "./dom.js";
import { bandsWith, centreName } from "./parts.js";
import { pick, same } from "./state.js";
import { drawSpark } from "./table.js";
import { partBetween, placeElement } from "./verdict.js";
import { countText, grouped, percentText } from "./words.js";
/** @import { Model } from "./model.js" */
/** @import { Store } from "./state.js" */

export class Details extends Widget {
  /** @param {Store} store */
  constructor(store) {
    super(store);
    this.box = byId("details");
    const band = () => store.view.selected ?? 0;
    const button = (/** @type {string} */ text, /** @type {() => void} */ onclick) => element("button", text, "small", { onclick });
    const shut = { onclick: () => store.set({ selected: null }), ariaLabel: "close the details" };
    this.curve = element("canvas", "", "big-spark", { ariaHidden: "true" });
    this.facts = element("div");
    this.alone = button("", () => pick(store, band(), false));
    const copy = button("Copy name", () => copyText(this.model.name(band()), "name copied"));
    this.rose = button("Mark where it rose", () => {
      const climb = this.model.climbs.get(band());
      if (climb) store.set({ part: partBetween(this.model, climb[0], climb[1]), at: null });
    });
    this.more = element("div");
    this.box.replaceChildren(
      wrap("h2", "band-name", element("span", "", "swatch"), element("span", "", "title"), element("button", "×", "close", shut)),
      this.curve,
      this.facts,
      wrap("p", "buttons", this.alone, copy, this.rose),
      this.more,
    );
    this.phone = matchMedia("(max-width: 560px)");
    store.show(["data", "figures", "only", "selected", "units", "by"], () => this.fill());
    store.on(["selected"], () => this.makeRoom());
  }

  /** On a phone the details cover the end of the page: moves the chosen row out from under them. */
  makeRoom() {
    if (this.phone.matches) document.querySelector("#rows .row.selected")?.scrollIntoView({ block: "nearest" });
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
    setText(part(box, "title"), model.called(band));
    const { figures } = model;
    const isPart = figures !== model.wholeFigures;
    const amount = (/** @type {number} */ bytes, more = "") => {
      const title = model.atLeast(band) || Number.isNaN(bytes) ? "" : `${grouped(bytes)} bytes`;
      return element("span", `${amountText(model, band, bytes, units)}${more}`, "", { title });
    };
    this.facts.replaceChildren(factList([
      ["part", isPart ? `${model.when(figures.first)} to ${model.when(figures.last)}` : null],
      [isPart ? "gained" : "grew", grewText(model, band, units) || null],
      [endWords(model).toLowerCase(), amount(figures.lasts[band])],
      ["peak", amount(figures.peaks[band], ` at ${model.when(figures.peakAt[band])}`)],
      ["mean", amountText(model, band, figures.means[band], units)],
      ["share", `${percentText(figures.means[band], figures.grandMean)} of the mean heap`],
      ["did", shapeText(model, band)],
      ["drawn", ["no, it is a trace element", "as part of OTHER", "as a layer of its own"][model.choice.role[band]]],
    ]));
    this.alone.hidden = !model.canDraw(band);
    setText(this.alone, same(only, [band]) ? "Show all bands" : "Show alone");
    const climbed = model.climbs.get(band);
    this.rose.hidden = !climbed || partBetween(model, climbed[0], climbed[1]) === null;
    const meaning = model.glossary[(model.meanings[band] ?? 0) - 1];
    const parts = [...(meaning ? [element("p", `${meaning[0]}: ${meaning[1]}`, "meaning")] : []), ...this.provenance(band)];
    if (!model.isExact(band)) {
      const lacking = model.membersOf(band).filter((member) => !model.curves.has(member)).length;
      const what = band < model.bands ? "This page has no curve of it, to stay small; its figures of the whole run are exact." : `This page has no curve of ${grouped(lacking)} of its ${countText(model.membersOf(band).length, "band")}, to stay small: ≥ marks what is only known of the others.`;
      parts.push(element("p", what, "faint"));
    }
    this.more.replaceChildren(...parts);
    drawSpark(this.curve, model, band, Math.max(120, box.clientWidth - 32), 56);
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
    const list = listOf(members.slice(0, 12).map((member) => `${model.called(member)} (${percentText(totals[member], totals[group])})`), "stack");
    const onclick = () => {
      const within = `${model.choice.by}:${model.name(group)}`;
      store.set({ by: "", within });
      store.set({ only: members.slice(0, 24), query: "" });
    };
    const count = countText(members.length, "band");
    const buttons = wrap("p", "buttons", element("button", `Show its ${count}`, "small", { id: "open-group", onclick }));
    if (model.choice.by === "centre" && bandsWith(model.parts, model.name(group)).length > 0) {
      buttons.append(this.around(model.name(group), "small", "Callers and callees", { id: "open-around" }));
    }
    return [element("h3", `${count}, the biggest first`), list, buttons];
  }

  /**
   * A button that puts a cost centre in the middle of the tree.
   * @param {string} centre @param {string} className @param {string} text @param {object} more
   */
  around(centre, className, text, more) {
    const title = `${centre}: its callers, its callees, and the curve of all stacks that contain it`;
    const onclick = () => this.store.set(aroundCentre(this.model, centre));
    return element("button", text, className, { ...more, title, onclick });
  }

  /** The stack of a band, innermost first. @param {number} band */
  stack(band) {
    const { model } = this;
    const items = model.parts.framesOf(band).map((frame) => {
      const around = this.around(centreName(frame), "link", "", {});
      around.append(element("code", frame.name));
      const place = frame.place === "" ? [] : [placeElement(model, frame.place)];
      return wrap("li", "", around, element("span", frame.module, "faint place"), ...place);
    });
    const list = wrap("ol", "stack", ...(items.length > 0 ? items : [element("li", "MAIN")]));
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
      ["closure", table?.kind],
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
