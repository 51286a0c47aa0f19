// @ts-check
// The diagnosis at the top: whether something grows, what, and since when. All of it comes from the
// library; the page only writes it in the reader's units.

class Verdict {
  /** @param {Store} store */
  constructor(store) {
    this.store = store;
    this.box = byId("verdict");
    /** Whether all suspects and climbs are listed. */
    this.open = false;
    this.fill();
  }

  get model() {
    return this.store.model;
  }

  fill() {
    const { model, box } = this;
    const { verdict } = model.facts;
    box.hidden = !verdict || model.samples === 0;
    if (box.hidden) return;
    const head = element("p", "", "verdict-head");
    head.append(element("strong", capital(verdict.words), `badge ${verdict.leak}`), element("span", this.sentence(verdict)));
    const parts = [head];
    const suspects = verdict.suspects.filter((/** @type {any} */ suspect) => suspect.band !== null);
    const shown = this.open ? suspects : suspects.slice(0, 3);
    const list = element("ol", "", "suspects");
    for (const suspect of shown) list.append(this.suspect(suspect));
    if (this.open) for (const climb of verdict.climbs) if (climb.band !== null) list.append(this.climb(climb));
    if (list.childElementCount > 0) parts.push(list);
    const more = suspects.length - shown.length + (this.open ? 0 : verdict.climbs.length);
    const last = element("p", "", "verdict-more faint");
    if (more > 0 || this.open) {
      const words = [
        ...(suspects.length > 3 ? [countText(suspects.length - 3, "more suspect")] : []),
        ...(verdict.climbs.length > 0 ? [`${countText(verdict.climbs.length, "band")} that rose and stopped`] : []),
      ];
      if (words.length > 0) {
        const button = element("button", this.open ? "Show less" : `Show ${words.join(", ")}`, "small");
        button.id = "verdict-more";
        button.setAttribute("aria-expanded", String(this.open));
        button.addEventListener("click", () => {
          this.open = !this.open;
          this.fill();
          byId("verdict-more").focus();
        });
        last.append(button);
      }
    }
    const details = verdict.details[this.store.view.units].map((/** @type {string} */ detail) => `${capital(detail)}.`);
    const remarks = [...details, ...verdict.remarks, ...(verdict.next ? [verdict.next] : [])];
    if (remarks.length > 0) last.append(element("span", remarks.join(" ")));
    // A short diagnosis takes one line.
    if (list.childElementCount === 0) head.append(...last.childNodes);
    else if (last.childElementCount > 0) parts.push(last);
    box.replaceChildren(...parts);
  }

  /** @param {any} verdict */
  sentence(verdict) {
    if (verdict.fact !== null) return `${capital(verdict.fact)}.`;
    const { units } = this.store.view;
    const whole = verdict.suspects.find((/** @type {any} */ suspect) => suspect.band === null);
    const what = whole ? capital(whole.label) : verdict.growing === 1 ? "One band" : countText(verdict.growing, "band");
    const amount = bytesText(verdict.grew, units);
    const rate = rateText(verdict.rate, this.model, units);
    const many = whole || verdict.growing > 1;
    if (verdict.so_far) return `${what} ${many ? "have" : "has"} grown by ${amount} so far, ${rate}.`;
    return `${what} grew by ${amount} and ${many ? "were" : "was"} still growing at the end, ${rate}.`;
  }

  /** @param {any} suspect */
  suspect(suspect) {
    const { model, store } = this;
    const { units } = store.view;
    const words = [`+${bytesText(suspect.grew, units)} since ${suspect.since_words}`, rateText(suspect.rate, model, units), `${Math.round(suspect.share)} % of the growth`];
    if (suspect.kind) words.push(suspect.kind);
    const item = this.entry(suspect, words.join(", "), suspect.since, model.samples - 1);
    if (suspect.place) item.append(placeElement(model, suspect.place));
    return item;
  }

  /** @param {any} climb */
  climb(climb) {
    const { model, store } = this;
    const after = climb.after === "level" ? "then level" : "then given back";
    const words = `rose by ${bytesText(climb.rose, store.view.units)} from ${model.when(climb.from)} to ${model.when(climb.to)}, ${after}`;
    return this.entry(climb, words, climb.from, climb.to);
  }

  /**
   * A band with a description; a click shows it alone in that part of the run.
   * @param {{ band: number, label: string }} what
   * @param {string} words
   * @param {number} from
   * @param {number} to
   */
  entry({ band }, words, from, to) {
    const { model } = this;
    const item = element("li");
    const button = element("button", "", "pick");
    const swatch = element("span", "", "swatch");
    swatch.style.background = model.colour(band);
    button.append(swatch, nameElement(model.names[band] || "(no name)"));
    button.title = `${model.names[band]}\nshow it alone in this part of the run`;
    button.addEventListener("click", () => {
      this.store.set({ by: "", within: "" });
      this.store.set({ only: [band], selected: band, range: partBetween(model, from, to) });
    });
    item.append(button, element("span", words, "faint"));
    return item;
  }
}

/**
 * The part of the axis between two samples; `null` if that is all of it.
 * @param {Model} model
 * @param {number} from
 * @param {number} to
 * @returns {[number, number] | null}
 */
function partBetween(model, from, to) {
  const [low, high] = [model.times[from], model.times[to]];
  return (from === 0 && to === model.samples - 1) || !(high > low) ? null : [low, high];
}

/** @param {string} text */
function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * The mark of a band that grows to the end; `null` for the others.
 * @param {Model} model
 * @param {number} band
 */
function suspectMark(model, band) {
  if (!model.membersOf(band).some((member) => model.suspects.has(member))) return null;
  const mark = element("span", "", "mark");
  mark.title = "grows to the end of the run";
  mark.setAttribute("role", "img");
  mark.setAttribute("aria-label", "suspect");
  return mark;
}

/**
 * A place in the source, as a link if the page has an address pattern for sources.
 * @param {Model} model
 * @param {string} place `file:line:column`, or with `(line,column)-(line,column)`
 */
function placeElement(model, place) {
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
