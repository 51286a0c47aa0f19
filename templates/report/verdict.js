// @ts-check
// The diagnosis: the headline and the next command in the head of the page, and in the tab "Why" what it rests on and
// which other commands tell more. All of it comes from the library; the page only writes it in the reader's units.

import { Widget, byId, capital, copyText, element, fitting, keep, markElement, nameElement, part, setName, setText, wrap } from "./dom.js";
import { showAlone } from "./state.js";
import { bytesText, grouped, rateText, sentenceText } from "./words.js";
/** @import { Model } from "./model.js" */
/** @import { Store } from "./state.js" */
/** @import { Sentence, Units } from "./words.js" */

/** How many characters of a name a headline in a narrow window has. */
const SHORT = 18;

export class Verdict extends Widget {
  /** @param {Store} store */
  constructor(store) {
    super(store);
    this.head = byId("verdict");
    this.head.replaceChildren(element("strong", "", "badge"), element("span", "", "sentence"));
    this.show = fitting(part(this.head, "sentence"));
    const list = (/** @type {string} */ name) => element("ol", "", name);
    this.suspects = list("suspects");
    this.more = element("p");
    this.steps = list("steps");
    byId("panel-why").replaceChildren(this.suspects, this.more, this.steps);
    store.show(["data", "units"], () => this.fill());
  }

  fill() {
    const { model, head } = this;
    const { verdict, steps } = model.facts;
    const isShown = hasReasons(model);
    head.hidden = !isShown;
    const first = isShown && steps.first ? [steps.first] : [];
    keep(byId("next"), first, ({ command }) => command, ({ command }) => this.makeCommand(command), (line, { tells, costs }) => {
      line.title = `${capital(tells)} (${costs})`;
    });
    const { units } = this.store.view;
    // Of two runs it is asked what changed.
    if (!isShown || !verdict) return;
    const [badge, sentence] = [part(head, "badge"), part(head, "sentence")];
    badge.className = `badge ${verdict.leak}`;
    // In a comparison the headline is the verdict; this one is that of the shown run.
    setText(badge, model.facts.compared ? `${capital(model.facts.run.split(":")[0])}: ${verdict.words}` : capital(verdict.words));
    // A cut name is better than none.
    const cut = (/** @type {string} */ name) => (name.length <= SHORT ? name : model.keepsEnds ? `…${name.slice(1 - SHORT)}` : `${name.slice(0, SHORT - 1)}…`);
    const facts = [wholeSentence(verdict.facts, units), wholeSentence(verdict.facts, units, cut)];
    sentence.title = facts[0];
    this.show(facts);
    const { suspects } = verdict;
    keep(this.suspects, suspects, ({ band }) => model.names[band], () => this.makeEntry(), (item, what) => this.fillEntry(item, what));
    this.suspects.hidden = suspects.length === 0;
    // The library names the biggest of many.
    const unnamed = verdict.growing > suspects.length && suspects.length > 0 ? [`The ${grouped(suspects.length)} biggest of ${grouped(verdict.growing)} growing bands are listed.`] : [];
    const kept = verdict.kept ? [wholeSentence(verdict.kept, units)] : [];
    const remarks = verdict.remarks.map((remark) => sentenceText(remark, units));
    setText(this.more, [...(verdict.next ? [verdict.next] : []), ...unnamed, ...kept, ...remarks].join(" "));
    this.more.hidden = this.more.textContent === "";
    keep(this.steps, steps.others, ({ command }) => command, ({ command }) => wrap("li", "", element("span", "", "tells"), this.makeCommand(command)), (item, { tells, costs }) => {
      setText(part(item, "tells"), `${capital(tells)} (${costs})`);
    });
  }

  /** A command to copy. @param {string} command */
  makeCommand(command) {
    const onclick = () => copyText(command, "command copied");
    const copy = element("button", "Copy", "small", { ariaLabel: `copy ${command}`, onclick });
    return wrap("span", "step", element("code", command), copy);
  }

  /** The part of the run that an entry is about. @param {HTMLElement} item */
  partOf({ dataset: { from, to } }) {
    return partBetween(this.model, Number(from), Number(to));
  }

  /** What is known about a suspect. @param {NonNullable<Facts["verdict"]>["suspects"][0]} what */
  words(what) {
    const { model, store } = this;
    const { units } = store.view;
    const words = [`+${bytesText(what.grew, units)} since ${what.since_words}`, rateText(what.rate, model, units), `${Math.round(what.share)} % of the growth`];
    return [...words, ...(what.kind ? [what.kind] : [])].join(", ");
  }

  /** A band with a description; a click shows it alone, with that part of the run marked. */
  makeEntry() {
    const onclick = () => showAlone(this.store, Number(item.dataset.band), this.partOf(item));
    const button = element("button", "", "pick", { onclick }, element("span", "", "swatch"), nameElement(""));
    const item = wrap("li", "", button, element("span", "", "words faint"), element("span", "", "where"));
    return item;
  }

  /** @param {HTMLElement} item @param {any} what */
  fillEntry(item, what) {
    const { model } = this;
    const { band } = what;
    const [button, place] = [part(item, "pick"), part(item, "where")];
    Object.assign(item.dataset, { band, from: what.since, to: model.samples - 1 });
    part(button, "swatch").style.background = model.colour(band);
    setName(part(button, "name"), model.called(band));
    button.title = `${model.names[band]}\nshow it alone, with this part of the run marked`;
    setText(part(item, "words"), this.words(what));
    if (place.textContent !== (what.place ?? "")) place.replaceChildren(...(what.place ? [placeElement(model, what.place)] : []));
  }
}

/** Whether there is anything to give reasons for. @param {Model} model */
export function hasReasons({ facts, samples }) {
  return facts.verdict !== null && samples > 0;
}

/**
 * A clause as a sentence. What begins with a name stays as it is.
 * @param {Sentence} clause @param {Units} units @param {(name: string) => string} [named] how names are written
 */
function wholeSentence(clause, units, named) {
  const text = sentenceText(clause, units, String, named);
  return `${typeof clause.say[0] === "string" ? capital(text) : text}.`;
}

/**
 * The part of the axis between two samples; `null` if that is all of it.
 * @param {Model} model @param {number} from @param {number} to @returns {[number, number] | null}
 */
export function partBetween(model, from, to) {
  const [low, high] = [model.times[from], model.times[to]];
  return (from === 0 && to === model.samples - 1) || !(high > low) ? null : [low, high];
}

/** The mark of what grows to the end, climbs there, or grew until the program ended. @param {Model} model */
export function markOf({ facts, beforeExit }) {
  if (beforeExit !== null) return markElement("", "mark ended", "grew until the program ended", "grew until the program ended");
  if (facts.verdict?.leak === "unknown") return markElement("", "mark climbs", "climbs at the end", "climbs at the end");
  return markElement("", "mark", "suspect", "grows to the end of the run");
}

/** The mark of a band that grows to the end; `null` for the others. @param {Model} model @param {number} band */
export function suspectMark(model, band) {
  const isSuspect = model.membersOf(band).some((member) => model.suspects.has(member));
  return isSuspect ? markOf(model) : null;
}

/**
 * A place in the source, as a link if the page has an address pattern for sources, with its line if the page has it.
 * @param {Model} model @param {string} place `file:line:column`, or with `(line,column)-(line,column)`
 */
export function placeElement(model, place) {
  const shown = placeAlone(model, place), line = model.facts.source_lines?.[place];
  return line === undefined ? shown : wrap("span", "", shown, element("code", line, "source"));
}

/** @param {Model} model @param {string} place */
export function placeAlone(model, place) {
  const href = sourceAddress(model.facts.source_url, place);
  if (!href) return element("span", place, "faint place");
  return element("a", place, "place", { href, rel: "noreferrer", target: "_blank" });
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
  const rows = lines.map(({ words, place, share_percent: share, source }) => {
    const head = wrap("p", "verdict-head", element("strong", sentenceText(words, view.units)));
    if (place !== null) head.append(placeAlone(model, place));
    if (share !== null) head.append(element("span", `${Math.round(share)} % of the growth`, "faint"));
    return wrap("div", "", head, ...(source === null ? [] : [element("pre", source)]));
  });
  byId("lead").replaceChildren(...rows);
}
