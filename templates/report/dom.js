// @ts-check
// Elements: finding and making them, and keeping them while their contents change.

import { patternOf } from "./parts.js";
/** @import { Store } from "./state.js" */

/** Until the last announcement is spoken, and the last message goes. */
const timers = { said: 0, shown: 0 };

/** A part of the page that shows the model and the choices of a store. */
export class Widget {
  /** @param {Store} store */
  constructor(store) {
    this.store = store;
  }

  get model() {
    return this.store.model;
  }
}

/**
 * Buttons of which one is pressed: each sets a choice to its own value.
 * @param {Store} store @param {string} id @param {"view" | "direction" | "over"} key
 */
export function makeSegments(store, id, key) {
  const buttons = byId(id).querySelectorAll("button");
  for (const button of buttons) button.onclick = () => store.set({ [key]: button.dataset[key] });
  store.show([key], () => buttons.forEach((button) => (button.ariaPressed = String(store.view[key] === button.dataset[key]))));
}

/**
 * Arrow keys move between the visible buttons in a box, all around.
 * @param {HTMLElement} box @param {string[]} keys back and forth
 * @param {(next: HTMLElement, last: HTMLElement) => void} act before the next one has the focus
 */
export function moveByArrows(box, keys, act) {
  box.addEventListener("keydown", (event) => {
    const by = [-1, 1][keys.indexOf(event.key)];
    const buttons = [...box.querySelectorAll("button")].filter((button) => button.offsetParent !== null);
    const at = buttons.findIndex((button) => button === document.activeElement);
    if (by === undefined || at < 0) return;
    const next = buttons[(at + by + buttons.length) % buttons.length];
    act(next, buttons[at]);
    next.focus();
    event.preventDefault();
  });
}

/** @param {string} id */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no ${id}`);
  return found;
}

/**
 * An element with a text, which is never parsed as HTML.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag @param {string} [text] @param {string} [className] @param {Record<string, any>} [more] properties
 * @param {(Node | string)[]} inside what follows the text
 */
export function element(tag, text = "", className = "", more = {}, ...inside) {
  const made = Object.assign(document.createElement(tag), more);
  if (className !== "") made.className = className;
  made.append(...(text === "" ? [] : [text]), ...inside);
  return made;
}

/** An element around others. @param {keyof HTMLElementTagNameMap} tag @param {string} className @param {(Node | string)[]} inside */
export function wrap(tag, className, ...inside) {
  return element(tag, "", className, {}, ...inside);
}

/** The element inside another that has a class. @param {Element} box @param {string} name @returns {HTMLElement} */
export function part(box, name) {
  return /** @type {HTMLElement} */ (box.getElementsByClassName(name)[0]);
}

/**
 * A field for a regular expression that is one of the choices.
 * @param {Store} store @param {string} id @param {"query" | "find"} key @param {Record<string, () => void>} keys what other keys do
 */
export function makeSearch(store, id, key, keys) {
  const field = /** @type {HTMLInputElement} */ (byId(id));
  field.oninput = () => store.set({ [key]: field.value });
  field.onkeydown = (event) => keys[event.key]?.();
  return field;
}

/**
 * Shows in its field what is searched for, and whether it is no regular expression.
 * @param {HTMLInputElement} field @param {string} text
 */
export function patternIn(field, text) {
  if (field.value !== text) field.value = text;
  const found = patternOf(text);
  field.ariaInvalid = String(found.wrong !== "");
  return found;
}

/**
 * A list of facts, without those that are not known.
 * @param {[string, string | HTMLElement | null | undefined][]} facts each with its name @param {string} [className]
 */
export function factList(facts, className = "facts") {
  const rows = facts.map(([name, value]) => (value ? [element("dt", name), wrap("dd", "", value)] : []));
  return element("dl", "", className, {}, ...rows.flat());
}

/** @param {string[]} texts @param {string} [className] */
export function listOf(texts, className) {
  return element("ul", "", className, {}, ...texts.map((text) => element("li", text)));
}

/**
 * Changes the text of an element. Setting the same text again would cost a layout, and a new text
 * node would cost a restyle.
 * @param {Element} box @param {string} text
 */
export function setText(box, text) {
  const node = box.firstChild;
  if (!(node instanceof Text) || node.nextSibling) box.textContent = text;
  else if (node.data !== text) node.data = text;
}

/**
 * Shows the first of some texts that has room in a box, also when the room changes: what is cut between words can be
 * half an amount. A screen reader reads the first.
 * @param {HTMLElement} box @returns {(texts: string[]) => void}
 */
export function fitting(box) {
  /** @type {string[]} */
  let texts = [];
  const full = element("span", "", "sr");
  box.after(full);
  const fit = () => {
    const shown = texts.find((text) => {
      setText(box, text);
      return box.scrollHeight <= box.clientHeight + 1;
    });
    box.ariaHidden = shown === texts[0] ? null : "true";
    setText(full, shown === texts[0] ? "" : texts[0]);
  };
  new ResizeObserver(fit).observe(/** @type {HTMLElement} */ (box.parentElement));
  return (given) => {
    texts = given;
    fit();
  };
}

/**
 * Makes the children of a box those of some rows. An element stays as long as its key does, so that
 * focus, selection and an open menu survive new data; a focused one that goes hands the focus to
 * the one in its place.
 * @template T
 * @param {HTMLElement} box
 * @param {T[]} rows
 * @param {(row: T) => string | number} key
 * @param {(row: T) => HTMLElement} make an element for a new key
 * @param {(made: any, row: T) => void} fill writes what may differ from before
 */
export function keep(box, rows, key, make, fill) {
  const active = /** @type {HTMLElement | null} */ (document.activeElement);
  const before = /** @type {HTMLElement[]} */ ([...box.children]);
  const focused = before.findIndex((child) => child.contains(active));
  const known = new Map(before.map((child) => [child.dataset.row, child]));
  const wanted = rows.map((row) => {
    const name = String(key(row));
    const made = known.get(name) ?? make(row);
    // Of rows with equal keys, only one is kept.
    known.delete(name);
    made.dataset.row = name;
    fill(made, row);
    return made;
  });
  const stays = new Set(wanted);
  for (const child of before) if (!stays.has(child)) child.remove();
  wanted.forEach((made, i) => {
    if (box.children[i] !== made) box.insertBefore(made, box.children[i] ?? null);
  });
  if (focused < 0 || document.activeElement === active) return;
  const near = active && box.contains(active) ? active : wanted[Math.min(focused, wanted.length - 1)];
  const target = near?.matches("button, input, a, [tabindex]") ? near : near?.querySelector("button, input, a, [tabindex]");
  /** @type {HTMLElement} */ (target ?? byId("plot")).focus({ preventScroll: true });
}

/**
 * A name in one text, so that it is found, copied and read as a whole, in its own direction; the style cuts it.
 * @param {string} name
 */
export function nameElement(name) {
  return wrap("span", "name", wrap("span", "cut", element("bdi", name)));
}

/**
 * A mark beside a name, with its meaning.
 * @param {string} text @param {string} className @param {string} ariaLabel @param {string} title
 */
export function markElement(text, className, ariaLabel, title) {
  return element("span", text, className, { role: "img", ariaLabel, title });
}

/** @param {Element} box made by {@link nameElement} @param {string} name */
export function setName(box, name) {
  setText(/** @type {Element} */ (box.querySelector("bdi")), name);
}

/** Announces a text to a screen reader, no faster than it can speak. @param {string} text */
export function say(text) {
  clearTimeout(timers.said);
  timers.said = setTimeout(() => (byId("live").textContent = text), 150);
}

/**
 * Copies a text, and says so on the screen and to a screen reader.
 * @param {string} text @param {string} done the message on success
 */
export async function copyText(text, done) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // A page opened from a disk may have no access to the clipboard.
    const area = element("textarea", text, "sr");
    const active = document.activeElement;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    if (active instanceof HTMLElement) active.focus({ preventScroll: true });
  }
  say(done);
  // At the bottom of the window for two seconds.
  const box = byId("toast");
  Object.assign(box, { textContent: capital(done), hidden: false });
  clearTimeout(timers.shown);
  timers.shown = setTimeout(() => (box.hidden = true), 2000);
}

/** A name without what a file system may refuse. @param {string} name */
export function fileName(name) {
  return name.replace(/[^\p{L}\p{N}_.-]+/gu, "-").slice(0, 80);
}

/** Begins a sentence of our own words: what begins with a name stays as it is. @param {string} text */
export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
