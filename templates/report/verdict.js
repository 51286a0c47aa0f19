// @ts-check
// The diagnosis: the headline in the head line, and under "What to do" what it rests on and which commands tell
// more. All of it comes from the library; the page only writes it in the reader's units.

import { Widget, byId, capital, copyText, element, fitting, keep, nameElement, part, setName, setText } from "./dom.js";
import { showAlone } from "./state.js";
import { bytesText, grouped, rateText, sentenceText } from "./words.js";
/** @import { Model } from "./model.js" */
/** @import { Store } from "./state.js" */

export class Verdict extends Widget {
  /** @param {Store} store @param {(text: string) => void} say */
  constructor(store, say) {
    super(store);
    this.say = say;
    this.head = byId("verdict");
    this.head.replaceChildren(element("strong", "", "badge"), element("span", "", "sentence"));
    this.show = fitting(part(this.head, "sentence"));
    this.box = byId("todo");
    const list = (/** @type {string} */ name) => element("ol", "", name);
    this.suspects = list("suspects");
    this.movements = list("suspects movements");
    this.more = element("p");
    this.steps = list("steps");
    this.box.replaceChildren(this.suspects, this.movements, this.more, this.steps);
    const button = byId("todo-button");
    button.addEventListener("click", () => {
      this.box.hidden = !this.box.hidden;
      button.setAttribute("aria-expanded", String(!this.box.hidden));
    });
    store.on(["data", "units"], () => this.fill());
    this.fill();
  }

  fill() {
    const { model, head } = this;
    const { verdict, steps } = model.facts;
    const isShown = verdict !== null && model.samples > 0;
    head.hidden = byId("todo-button").hidden = !isShown;
    if (!isShown) return;
    const [badge, sentence] = [part(head, "badge"), part(head, "sentence")];
    badge.className = `badge ${verdict.leak}`;
    // In a comparison the headline is the verdict; this one is that of the shown run.
    setText(badge, model.facts.compared ? `${capital(model.facts.run.split(":")[0])}: ${verdict.words}` : capital(verdict.words));
    const { units } = this.store.view;
    const facts = verdict.facts.map((fact) => `${sentenceText(fact, units)}.`);
    sentence.title = facts[0];
    this.show(facts);
    const suspects = verdict.suspects.filter((suspect) => suspect.band !== null);
    keep(this.suspects, suspects, ({ band }) => model.names[band], () => this.makeEntry(), (item, what) => this.fillEntry(item, what));
    this.suspects.hidden = suspects.length === 0;
    const movements = verdict.movements.length > 1 ? verdict.movements : [];
    keep(this.movements, movements, ({ from }) => String(from), () => this.makeMovement(), (item, what) => {
      Object.assign(item.dataset, { from: what.from, to: what.to });
      setText(part(item, "pick"), sentenceText(what.words, units));
    });
    this.movements.hidden = movements.length === 0;
    // The library names the biggest of many.
    const unnamed = verdict.growing > suspects.length && suspects.length > 0 ? [`The ${grouped(suspects.length)} biggest of ${grouped(verdict.growing)} growing bands are listed.`] : [];
    const details = verdict.details.map((detail) => `${sentenceText(detail, units)}.`);
    const remarks = verdict.remarks.map((remark) => sentenceText(remark, units));
    setText(this.more, [...(verdict.next ? [verdict.next] : []), ...unnamed, ...details, ...remarks].join(" "));
    this.more.hidden = this.more.textContent === "";
    keep(this.steps, steps, ({ command }) => command, ({ command }) => this.makeStep(command), (item, { tells, costs }) => {
      setText(part(item, "tells"), `${capital(tells)} (${costs})`);
    });
  }

  /** A command to copy, after what it tells. @param {string} command */
  makeStep(command) {
    const item = element("li");
    const copy = element("button", "Copy", "small");
    copy.setAttribute("aria-label", `copy ${command}`);
    copy.addEventListener("click", () => copyText(command, "command copied", this.say));
    const line = element("span", "", "step");
    line.append(element("code", command), copy);
    item.append(element("span", "", "tells"), line);
    return item;
  }

  /** A movement of the heap; a click shows that part of the run. */
  makeMovement() {
    const item = element("li");
    const button = element("button", "", "pick");
    button.title = "show this part of the run";
    button.addEventListener("click", () => {
      const [from, to] = [item.dataset.from, item.dataset.to].map(Number);
      this.store.set({ range: partBetween(this.model, from, to) });
    });
    item.append(button);
    return item;
  }

  /** What is known about a suspect. @param {NonNullable<Facts["verdict"]>["suspects"][0]} what */
  words(what) {
    const { model, store } = this;
    const { units } = store.view;
    const words = [`+${bytesText(what.grew, units)} since ${what.since_words}`, rateText(what.rate, model, units), `${Math.round(what.share)} % of the growth`];
    return [...words, ...(what.kind ? [what.kind] : [])].join(", ");
  }

  /** A band with a description; a click shows it alone in that part of the run. */
  makeEntry() {
    const item = element("li");
    const button = element("button", "", "pick");
    button.append(element("span", "", "swatch"), nameElement(""));
    button.addEventListener("click", () => {
      const [band, from, to] = [item.dataset.band, item.dataset.from, item.dataset.to].map(Number);
      showAlone(this.store, band, partBetween(this.model, from, to));
    });
    item.append(button, element("span", "", "words faint"), element("span", "", "where"));
    return item;
  }

  /** @param {HTMLElement} item @param {any} what */
  fillEntry(item, what) {
    const { model } = this;
    const { band } = what;
    const [button, place] = [part(item, "pick"), part(item, "where")];
    Object.assign(item.dataset, { band, from: what.since, to: model.samples - 1 });
    part(button, "swatch").style.background = model.colour(band);
    setName(part(button, "name"), model.names[band] || "(no name)");
    button.title = `${model.names[band]}\nshow it alone in this part of the run`;
    setText(part(item, "words"), this.words(what));
    if (place.textContent !== (what.place ?? "")) place.replaceChildren(...(what.place ? [placeElement(model, what.place)] : []));
  }
}

/**
 * The part of the axis between two samples; `null` if that is all of it.
 * @param {Model} model @param {number} from @param {number} to @returns {[number, number] | null}
 */
export function partBetween(model, from, to) {
  const [low, high] = [model.times[from], model.times[to]];
  return (from === 0 && to === model.samples - 1) || !(high > low) ? null : [low, high];
}

/** The mark of a band that grows to the end; `null` for the others. @param {Model} model @param {number} band */
export function suspectMark(model, band) {
  if (!model.membersOf(band).some((member) => model.suspects.has(member))) return null;
  const mark = element("span", "", "mark");
  mark.title = "grows to the end of the run";
  mark.setAttribute("role", "img");
  mark.setAttribute("aria-label", "suspect");
  return mark;
}

/**
 * A place in the source, as a link if the page has an address pattern for sources, with its line if the page has it.
 * @param {Model} model @param {string} place `file:line:column`, or with `(line,column)-(line,column)`
 */
export function placeElement(model, place) {
  const shown = placeAlone(model, place), line = model.facts.source_lines?.[place];
  if (line === undefined) return shown;
  const both = element("span", "");
  both.append(shown, element("code", line, "source"));
  return both;
}

/** @param {Model} model @param {string} place */
export function placeAlone(model, place) {
  const address = sourceAddress(model.facts.source_url, place);
  if (!address) return element("span", place, "faint place");
  const link = /** @type {HTMLAnchorElement} */ (element("a", place, "place"));
  link.href = address;
  link.rel = "noreferrer";
  link.target = "_blank";
  return link;
}

/** @param {string | null} pattern @param {string} place */
function sourceAddress(pattern, place) {
  const found = /^(.+?):\(?(\d+)/.exec(place);
  if (!pattern || !found) return null;
  const file = found[1].split("/").map(encodeURIComponent).join("/");
  return pattern.replaceAll("{file}", file).replaceAll("{line}", found[2]);
}

/**
 * What stands before everything else: the steps from what leaks to who makes and holds it, with their lines of
 * source. The same lines are in every run of a page.
 * @param {Store} store
 */
export function fillLead({ model, view }) {
  const lines = model.facts.lead ?? [];
  byId("lead").hidden = lines.length === 0;
  const rows = lines.map((line) => {
    const row = element("div");
    const head = element("p", "", "verdict-head");
    head.append(element("strong", sentenceText(line.words, view.units)));
    if (line.place !== null) head.append(placeAlone(model, line.place));
    if (line.share_percent !== null) head.append(element("span", `${Math.round(line.share_percent)} % of the growth`, "faint"));
    row.append(head);
    if (line.source !== null) row.append(element("pre", line.source));
    return row;
  });
  byId("lead").replaceChildren(...rows);
}
