// @ts-check
// The diagnosis at the top: whether something grows, what, and since when. All of it comes from the
// library; the page only writes it in the reader's units.

import { byId, capital, element, keep, nameElement, setName, setText } from "./dom.js";
import { bytesText, countText, grouped, rateText } from "./words.js";
/** @import { Model } from "./model.js" */
/** @import { Store } from "./state.js" */

/** How many bands are listed at first. */
const MOST_LISTED = 3;

export class Verdict {
  /** @param {Store} store */
  constructor(store) {
    this.store = store;
    this.box = byId("verdict");
    /** Whether all suspects and movements are listed. */
    this.open = false;
    const head = element("p", "", "verdict-head");
    const last = element("p", "", "verdict-more faint");
    const button = element("button", "", "small");
    button.id = "verdict-more";
    head.append(element("strong", "", "badge"), element("span"), button);
    button.addEventListener("click", () => {
      this.open = !this.open;
      this.fill();
    });
    this.box.replaceChildren(head, element("ol", "", "suspects"), element("ol", "", "suspects movements"), last);
    store.on(["data", "units"], () => this.fill());
    this.fill();
  }

  get model() {
    return this.store.model;
  }

  fill() {
    const { model, box } = this;
    const { verdict } = model.facts;
    box.hidden = !verdict || model.samples === 0;
    if (!verdict || box.hidden) return;
    const [head, list, movements, last] = /** @type {HTMLElement[]} */ ([...box.children]);
    const [badge, sentence, button] = /** @type {HTMLElement[]} */ ([...head.children]);
    badge.className = `badge ${verdict.leak}`;
    // In a comparison the headline is the verdict; this one is that of the shown run.
    setText(badge, model.facts.compared ? `${capital(model.facts.run.split(":")[0])}: ${verdict.words}` : capital(verdict.words));
    const suspects = verdict.suspects.filter((suspect) => suspect.band !== null);
    const entries = this.open ? suspects : suspects.slice(0, MOST_LISTED);
    keep(list, entries, ({ band }) => model.names[band], () => this.makeEntry(), (item, what) => this.fillEntry(item, what));
    list.hidden = entries.length === 0;
    // The sentences know two systems of units; numbers of bytes are in the table.
    const { units } = this.store.view;
    const system = units === "bytes" ? "binary" : units;
    setText(sentence, `${capital(verdict.fact[system])}.`);
    const all = verdict.movements.length > 1 ? verdict.movements : [];
    const told = this.open ? all : [];
    keep(movements, told, ({ from }) => String(from), () => this.makeMovement(), (item, what) => {
      Object.assign(item.dataset, { from: what.from, to: what.to });
      setText(/** @type {HTMLElement} */ (item.firstElementChild), capital(what.words[system]));
    });
    movements.hidden = told.length === 0;
    // The library names the biggest of many.
    const unnamed = verdict.growing > suspects.length ? `the ${grouped(suspects.length)} biggest of ${grouped(verdict.growing)}` : "";
    const words = [
      ...(suspects.length > MOST_LISTED ? [unnamed || countText(suspects.length - MOST_LISTED, "more suspect")] : []),
      ...(all.length > told.length ? [countText(all.length, "movement")] : []),
    ];
    button.hidden = words.length === 0 && !this.open;
    button.setAttribute("aria-expanded", String(this.open));
    setText(button, this.open ? "Show less" : `Show ${words.join(", ")}`);
    const alone = unnamed !== "" && suspects.length <= MOST_LISTED && suspects.length > 0 ? [`${capital(unnamed)} are listed.`] : [];
    const details = verdict.details[system].map((detail) => `${capital(detail)}.`);
    setText(last, [...alone, ...details, ...verdict.remarks, ...(verdict.next ? [verdict.next] : [])].join(" "));
    last.hidden = last.textContent === "";
    // A short diagnosis takes one line.
    box.classList.toggle("short", entries.length === 0 && told.length === 0);
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

  /**
   * What is known about a suspect.
   * @param {NonNullable<Facts["verdict"]>["suspects"][0]} what
   */
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
      this.store.set({ by: "", within: "" });
      this.store.set({ only: [band], selected: band, range: partBetween(this.model, from, to) });
    });
    item.append(button, element("span", "", "faint"), element("span"));
    return item;
  }

  /**
   * @param {HTMLElement} item
   * @param {any} what
   */
  fillEntry(item, what) {
    const { model } = this;
    const { band } = what;
    const [button, words, place] = /** @type {HTMLElement[]} */ ([...item.children]);
    Object.assign(item.dataset, { band, from: what.since, to: model.samples - 1 });
    /** @type {HTMLElement} */ (button.firstElementChild).style.background = model.colour(band);
    setName(/** @type {Element} */ (button.lastElementChild), model.names[band] || "(no name)");
    button.title = `${model.names[band]}\nshow it alone in this part of the run`;
    setText(words, this.words(what));
    if (place.textContent !== (what.place ?? "")) place.replaceChildren(...(what.place ? [placeElement(model, what.place)] : []));
  }
}

/**
 * The part of the axis between two samples; `null` if that is all of it.
 * @param {Model} model
 * @param {number} from
 * @param {number} to
 * @returns {[number, number] | null}
 */
export function partBetween(model, from, to) {
  const [low, high] = [model.times[from], model.times[to]];
  return (from === 0 && to === model.samples - 1) || !(high > low) ? null : [low, high];
}

/**
 * The mark of a band that grows to the end; `null` for the others.
 * @param {Model} model
 * @param {number} band
 */
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
 * @param {Model} model
 * @param {string} place `file:line:column`, or with `(line,column)-(line,column)`
 */
export function placeElement(model, place) {
  const shown = placeAlone(model, place), line = model.facts.source_lines?.[place];
  if (line === undefined) return shown;
  const both = element("span", "");
  both.append(shown, element("code", line, "source"));
  return both;
}

/**
 * @param {Model} model
 * @param {string} place
 */
export function placeAlone(model, place) {
  const address = sourceAddress(model.facts.source_url, place);
  if (!address) return element("span", place, "faint place");
  const link = /** @type {HTMLAnchorElement} */ (element("a", place, "place"));
  link.href = address;
  link.rel = "noreferrer";
  link.target = "_blank";
  return link;
}

/**
 * @param {string | null} pattern
 * @param {string} place
 */
function sourceAddress(pattern, place) {
  const found = /^(.+?):\(?(\d+)/.exec(place);
  if (!pattern || !found) return null;
  const file = found[1].split("/").map(encodeURIComponent).join("/");
  return pattern.replaceAll("{file}", file).replaceAll("{line}", found[2]);
}
