// @ts-check
// Facts about the run, and the meaning of the numbers.

import { byId, element, factList, listOf } from "./dom.js";
import { countText, grouped, percentText, sentenceText } from "./words.js";
/** @import { Model } from "./model.js" */
/** @import { Store } from "./state.js" */

const CLOCKS = {
  elapsed: "Times are elapsed times since the program's run-time system started, including everything.",
  mutator: "Times are CPU seconds of the program without garbage collection; they are shorter than elapsed times, and cannot be compared with those of an event log.",
  sample: "The file has no usable times: samples are numbered.",
};

/** Fills in the facts about the run. @param {Store} store */
export function fillRun({ model, view: { units } }) {
  const { facts } = model;
  const first = model.samples > 0 ? `, from ${model.when(0)} to ${model.when(model.samples - 1)}` : "";
  const [bands, inOther, traces] = facts.counts;
  const list = factList([
    ...facts.about.map(([name, text]) => /** @type {[string, string]} */ ([name, text])),
    ["samples", `${grouped(model.facts.with_data)}${model.timed ? first : ""}`],
    ["bands", `${grouped(bands)}: ${grouped(model.plain.kept.length)} drawn, ${grouped(inOther)} in OTHER, ${countText(traces, "trace element")}`],
  ]);
  const parts = [element("h2", "The run"), list];
  const notes = [...facts.notes, ...(facts.losses ? [facts.losses] : []), ...facts.warnings];
  parts.push(...listed("Run-time system", facts.runtime.map((line) => sentenceText(line, units))), ...listed("Notes", notes), ...listed("Advice", facts.advice), ...listed("What the numbers mean", meanings(model)));
  byId("run-facts").replaceChildren(...parts);
}

/** @param {Model} model */
function meanings(model) {
  const { facts } = model;
  const texts = [
    facts.breakdown.meaning,
    "Bytes are live data as the heap census counts them: words times word size, without the extra words that profiling adds to each object. Heap size and live bytes are the run-time system's own figures, which include those words.",
    CLOCKS[/** @type {"sample"} */ (facts.clock)],
    "OTHER is the sum of the bands over the limit; trace elements are the smallest bands, which are not drawn. The line above the stack is the total of all bands.",
    "When a part of the run is marked or shown, the table and the details have the figures of that part, and what it grew by is what it gained from its first sample to its last. Over the complete run it is what a band gained when it rose; memory that was freed at the very end does not count.",
  ];
  const lacking = model.bands - model.curves.size;
  if (lacking > 0) texts.push(`To keep the page small, ${countText(lacking, "band")} of the smallest ${lacking === 1 ? "has" : "have"} figures of the whole run, but no curve: they cannot be drawn alone, and have no figures of a part of the run. heapviz --include draws them.`);
  const [length, cut] = model.cut;
  if (cut > 0) texts.push(`${countText(cut, "name")} longer than ${length} characters are cut in the middle.`);
  const { left_out } = facts;
  const [missing, missingTotal] = left_out.bands;
  if (missing > 0) texts.push(`The ${countText(missing, "smallest band")} ${missing === 1 ? "is" : "are"} left out of this page to keep it small: ${percentText(missingTotal, model.plain.figures.grand)} of all bytes. They are included in the totals and in OTHER.`);
  if (left_out.depth !== null) texts.push(`Stacks deeper than ${left_out.depth} frames are shown without their middle.`);
  if (left_out.held > 0) texts.push(`The samples of ${countText(left_out.held, "band")} add up to more than 16 EiB, the most that a page can count: they may be in a wrong order.`);
  if (left_out.markers > 0) texts.push(`${countText(left_out.markers, "marker")} and messages are left out: there are more than a page can show.`);
  if (left_out.heap_points > 0) texts.push("Long heap series contain only the lowest and the highest points of each stretch.");
  return texts;
}

/** @param {string} title @param {string[]} texts */
function listed(title, texts) {
  return texts.length === 0 ? [] : [element("h2", title), listOf(texts)];
}
