// @ts-check
// Several runs in one page, with a tab for each. Switching keeps the current view as far as the other run allows.

import { byId, element, moveByArrows } from "./dom.js";
/** @import { Store } from "./state.js" */

export class Runs {
  /** @param {Store} store */
  constructor(store) {
    this.store = store;
    const { models } = store;
    const box = byId("runs");
    box.hidden = models.length < 2;
    const buttons = models.map(({ facts: { run, title } }, i) =>
      element("button", run || title, "", { title, onclick: () => this.show(i) }));
    box.replaceChildren(...buttons);
    moveByArrows(box, ["ArrowLeft", "ArrowRight"], (next) => next.click());
    // The run also changes by the address: Back, or a link.
    store.show(["data"], () => buttons.forEach((button, i) => (button.ariaPressed = String(store.models[i] === store.model))));
  }

  /** @param {number} run */
  show(run) {
    const { store } = this;
    const next = store.models[run];
    if (store.model !== next) store.take(next, { run });
  }
}
