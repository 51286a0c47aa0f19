// @ts-check
// The view as a command line of heapviz, which makes a picture of it: for papers, scripts and CI.

import { COLUMNS } from "./columns.js";
import { byId, capital } from "./dom.js";
import { CENTRE, OTHER, UNDRAWN } from "./model.js";
import { hasTree, onlyCalls, treeWeight } from "./stacks.js";
import { same } from "./state.js";
import { countText, sentenceText } from "./words.js";
/** @import { Chart } from "./chart.js" */
/** @import { Store } from "./state.js" */
/** @import { Sentence } from "./words.js" */

/** The flags that say what the reader can choose here; all others are taken over as they were given. */
const CHOSEN = ["from", "to", "view", "heap-lines", "messages", "group", "units", "theme", "x", "weight", "at", "callers", "focus"];
/** A longer command does not fit into all shells. */
const LONGEST_CHOICE = 8000;

/**
 * The command for a view, and what it cannot say.
 * @param {Store} store @param {Chart} chart @returns {{ command: string, without: string[] }}
 */
function commandOf({ model, models, view, defaults }, chart) {
  const { facts } = model;
  /** @type {string[]} */
  const without = [];
  // A name that begins with a dash is no flag.
  const file = (/** @type {Facts} */ { file }) => quotedWord((file ?? "PROFILE").replace(/^-/, "./-"));
  if (facts.compared) return ofComparison();
  const words = ["heapviz"];
  const flag = (/** @type {string} */ name, /** @type {string} */ text) => words.push(`--${name}`, quotedWord(text));
  const when = (/** @type {number} */ sample) => (model.clock ? exactTime(model.clock[sample]) : String(model.times[sample]));
  const inTree = (onlyCalls(model) || view.tab === "tree") && hasTree(model);
  if (model.samples > 0 && (view.range !== null || facts.part)) {
    const [first, last] = model.samplesIn(view.range);
    flag("from", when(first));
    flag("to", when(last));
  }
  if (inTree) treeFlags();
  else {
    chartFlags();
    const given = facts.flags.filter(([name]) => !CHOSEN.includes(name) && !words.includes(`--${name}`));
    for (const [name, ...values] of given) words.push(...(values.length > 0 ? values.flatMap((value) => [`--${name}`, quotedWord(value)]) : [`--${name}`]));
  }
  if (view.units !== "binary") flag("units", view.units);
  if (view.theme !== "auto") flag("theme", view.theme);
  if (view.part && !inTree) without.push("the part that is marked, and what it gained");
  return { command: [...words, file(facts), "-o", "view.svg"].join(" "), without };

  /** Both runs, one above the other. */
  function ofComparison() {
    const isPlain = view.range === null && view.only.length === 0 && view.by === "" && view.view === "stacked" && view.at === null;
    if (!isPlain) without.push("the part, the bands, the view and the instants that are chosen here");
    return { command: ["heapviz diff", ...models.map((model) => file(model.facts)), "-o", "view.svg"].join(" "), without };
  }

  function chartFlags() {
    if (view.view === "each") without.push("each band in a chart of its own");
    else if (view.view !== "stacked") flag("view", view.view);
    if (facts.x !== "time") flag("x", facts.x);
    if (!same(view.lines, defaults.lines)) flag("heap-lines", view.lines.length > 0 ? view.lines.join(",") : "none");
    if (view.messages) words.push("--messages");
    else if (view.by !== "") flag("group", view.by === "centre" ? "cost-centre" : view.by);
    const layers = model.choice.kept.length + Number(model.choice.other !== null);
    if (view.only.length > 0) only();
    else {
      if (facts.excluded > 0 && !facts.flags.some(([name]) => name === "include" || name === "exclude")) without.push("the choice of bands that the page was made with");
      // The command draws 20 layers by itself.
      if (view.open > 0 || (model.choice.others.length > 0 && layers !== 20)) flag("bands", String(Math.min(view.open, model.choice.others.length) + layers));
      if (view.undrawn) flag("trace", "0");
    }
  }

  /** The chosen bands: all of them are drawn, however small. */
  function only() {
    const chosen = view.only.filter((band) => band >= 0 || band === CENTRE).flatMap((band) => model.membersOf(band));
    const one = [...new Set(chosen)].map((band) => model.names[band]);
    // Sets of retainers are numbered, and their numbers are not part of the name.
    const number = facts.breakdown.is_renumbered ? "(\\(\\d+\\))?" : "";
    const pattern = `^${number}${one.length === 1 ? patternFor(one[0]) : `(${one.map(patternFor).join("|")})`}$`;
    if (facts.renamed) return without.push("the choice of bands, which have other names in the file");
    if (one.length === 0 || view.only.some((band) => band === OTHER || band === UNDRAWN)) return without.push("OTHER and the trace elements alone");
    if (pattern.length > LONGEST_CHOICE) return without.push(`the choice of ${countText(one.length, "band")}, which are too many for a command`);
    flag("include", pattern);
    flag("trace", "0");
    flag("bands", "0");
  }

  function treeFlags() {
    const weight = treeWeight(model, view.over);
    flag("view", "flame");
    const { at } = view;
    if (weight !== "live") flag("weight", weight);
    else if (view.over === "shown") flag("at", "mean");
    else if (view.part && at === null) {
      flag("at", when(model.samplesIn(view.part)[1]));
      without.push("what was gained: the flame graph is of the end of the part");
    } else if (at !== null || chart.rest() !== model.peakSample) flag("at", when(at ?? chart.rest()));
    if (view.direction !== "callees") without.push("the callers: the flame graph has the same stacks from their root");
  }
}

/** A time of the clock as bounds are written. @param {number} nanos */
function exactTime(nanos) {
  const digits = String(Math.abs(nanos)).padStart(10, "0");
  const text = `${digits.slice(0, -9)}.${digits.slice(-9)}`.replace(/\.?0+$/, "");
  return `${nanos < 0 ? "-" : ""}${text}s`;
}

/** A regular expression for just this text. @param {string} name */
function patternFor(name) {
  return name.replace(/[\\.+*?()|[\]{}^$]/g, "\\$&");
}

/** A word as shells read it. @param {string} word */
function quotedWord(word) {
  return /^[\w.,:=@%+/-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** How many bands a copied report lists. */
const MOST_COPIED = 10;

/**
 * A report to pass on, as Markdown: headline, the first of the listed bands, and the command.
 * @param {Store} store @param {Chart} chart @param {number[]} rows
 */
export function markdownOf(store, chart, rows) {
  const { model, view } = store;
  const { facts } = model;
  const plain = (/** @type {string} */ text) => text.replace(/[\\\x60*_<>|[\]~]/g, "\\$&");
  const tick = "\x60";
  const code = (/** @type {string} */ text) => tick + text.replaceAll(tick, "'").replaceAll("|", "\\|") + tick;
  const head = document.title.replace(/ – heap profile$/, "");
  const lines = [`**${plain(head)}**: ${plain(facts.facts.join(" · "))}`, ""];
  const written = (/** @type {Sentence} */ sentence) => sentenceText(sentence, view.units, plain, code);
  const figures = byId("compared").querySelector("span")?.textContent ?? "";
  if (facts.compared) lines.push(`**${written(facts.compared.headline)}.** ${plain(figures)}`, "");
  if (facts.verdict) lines.push(`**${capital(facts.verdict.words)}**: ${written(facts.verdict.facts)}`, "");
  const columns = COLUMNS.filter(({ key }) => ["name", "growth", "last", "peak", "mean", "shape"].includes(key));
  const line = (/** @type {string[]} */ cells) => `| ${cells.join(" | ")} |`;
  lines.push(line(columns.map(({ title }) => title(model))), line(columns.map(({ width }) => (typeof width === "number" ? "---" : "---:"))));
  for (const band of rows.slice(0, MOST_COPIED)) lines.push(line(columns.map(({ key, text }) => (key === "name" ? code : plain)(text(model, band, view)))));
  if (rows.length > MOST_COPIED) lines.push("", `${countText(rows.length - MOST_COPIED, "more band")}.`);
  return [...lines, "", "```sh", commandOf(store, chart).command, "```", ""].join("\n");
}

/** Fills the window with the command. @param {Store} store @param {Chart} chart */
export function fillCommand(store, chart) {
  const { command, without } = commandOf(store, chart);
  byId("command-text").textContent = command;
  byId("command-without").textContent = without.length > 0 ? `The picture lacks ${without.join("; ")}.` : "";
}
