// @ts-check
// The page's help: how to read it, its keys, and the special names in this run.

import { byId, element, factList } from "./dom.js";
/** @import { Model } from "./model.js" */

const HOW_TO_READ = [
  "The height of a band is how much memory it held at that time. The key beside the chart lists the bands by their amounts, the largest first; these are those at the crosshair, or at the peak.",
  "A leak is a band that grows to the end. A band that rises and falls is work that was done; one that rises and stays level is often a cache.",
  "To find out what a part of the run left behind, drag over it in the chart, or drag the handles under it. Key, table, details and tree show what it gained, from its first sample to its last, while you drag; “Zoom to it” shows it alone.",
];

/** @type {[string, string][]} */
const KEYS = [
  ["drag, [ ]", "mark a part of the run, or its beginning or end at the crosshair; z zooms to it"],
  ["Ctrl+wheel, + −", "zoom; 0 or a double click shows all"],
  ["click, ← →", "pin or move the crosshair; Page ↑ ↓, Home, End: further"],
  ["drag between the handles", "move the marked part, or else the shown one"],
  ["↑ ↓, Enter", "choose a band; show it alone"],
  ["p, m, M", "go to the peak, the next or the previous marker"],
  ["/", "search"],
  ["s", "in the tree: put the cost centre in the middle"],
  ["Esc", "undo the last choice"],
];

/** Fills the help. @param {Model} model */
export function fillHelp({ glossary }) {
  byId("help-text").replaceChildren(
    ...HOW_TO_READ.map((text) => element("p", text)),
    element("h3", "Keys and gestures"),
    factList(KEYS),
    ...(glossary.length > 0 ? [element("h3", "Special names in this run"), factList(glossary.map(([name, meaning]) => [name, meaning]), "facts names")] : []),
  );
}
