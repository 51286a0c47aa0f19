// @ts-check
// What stands before everything else: the steps from what leaks to who makes and holds it, with their
// lines of source. The same lines are in every run of a page.

import { byId, element } from "./dom.js";
import { placeAlone } from "./verdict.js";
/** @import { Model } from "./model.js" */

/** @param {Model} model */
export function fillLead(model) {
  const lines = model.facts.lead ?? [];
  byId("lead").hidden = lines.length === 0;
  const rows = lines.map((line) => {
    const row = element("div");
    const head = element("p", "", "verdict-head");
    head.append(element("strong", line.words));
    if (line.place !== null) head.append(placeAlone(model, line.place));
    if (line.share_percent !== null) head.append(element("span", `${Math.round(line.share_percent)} % of the growth`, "faint"));
    row.append(head);
    if (line.source !== null) row.append(element("pre", line.source));
    return row;
  });
  byId("lead").replaceChildren(...rows);
}
