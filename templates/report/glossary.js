// @ts-check
// What the special names of GHC's profiles mean, one sentence each, and the page's help, which lists them.

import { byId, element, factList, wrap } from "./dom.js";
/** @import { Model } from "./model.js" */

/** In numerical order, as in GHC 9.0 to 9.10. */
export const CLOSURE_KINDS =
  "INVALID_OBJECT CONSTR CONSTR_1_0 CONSTR_0_1 CONSTR_2_0 CONSTR_1_1 CONSTR_0_2 CONSTR_NOCAF FUN FUN_1_0 FUN_0_1 FUN_2_0 FUN_1_1 FUN_0_2 FUN_STATIC THUNK THUNK_1_0 THUNK_0_1 THUNK_2_0 THUNK_1_1 THUNK_0_2 THUNK_STATIC THUNK_SELECTOR BCO AP PAP AP_STACK IND IND_STATIC".split(" ");

/** Kinds of closures, by -hT and by the names of info tables. Names that end in numbers or in CLEAN or
 * DIRTY are found without these. */
const CLOSURES = {
  THUNK: "An expression that was postponed: it is not evaluated yet, and keeps alive all that it refers to.",
  THUNK_SELECTOR: "A postponed choice of one field, such as fst x; a collection removes it once x is evaluated.",
  BLACKHOLE: "A thunk that is being evaluated, or one that was and still points to its value.",
  AP: "A postponed call of a function whose code the interpreter or an unknown call left for later.",
  AP_STACK: "A computation that an exception interrupted, kept so that it can go on later.",
  PAP: "A function that has some of its arguments and waits for the others.",
  FUN: "A function as a value, with the variables that it captured.",
  CONSTR: "Data: a constructor with its fields.",
  BCO: "Code of the interpreter (GHCi).",
  IND: "A pointer to the value of an expression that was evaluated; a collection removes it.",
  IND_STATIC: "A top-level constant (CAF) that was evaluated, and points to its value.",
  ARR_WORDS: "Bytes without pointers: the contents of ByteString, Text, unboxed arrays and big Integers.",
  MUT_ARR_PTRS: "An array of pointers, boxed: Array, IOArray, Vector.",
  MUT_ARR_PTRS_FROZEN: "An array of pointers that is no longer written: Array, Vector.",
  SMALL_MUT_ARR_PTRS: "A small array of pointers, such as the nodes of HashMap.",
  SMALL_MUT_ARR_PTRS_FROZEN: "A small array of pointers that is no longer written, such as the nodes of HashMap.",
  MUT_VAR: "A mutable variable: IORef or STRef. Modifying it lazily builds up thunks.",
  MVAR: "An MVar, with its contents and the threads that wait for it.",
  TVAR: "A transactional variable of STM.",
  TREC_CHUNK: "The log of an STM transaction that is running.",
  TSO: "A thread of the program, without its stack.",
  STACK: "The stack of a thread; deep recursion makes it grow.",
  WEAK: "A weak pointer, perhaps with a finalizer.",
  PRIM: "An object of the run-time system, such as the queue of threads that wait for an MVar.",
  MUT_PRIM: "An object of the run-time system that changes.",
  BLOCKING_QUEUE: "Threads that wait for another thread to evaluate something.",
  COMPACT_NFDATA: "A compact region: data that is collected as a whole.",
  CONTINUATION: "A captured part of a stack.",
};

/** Names of types (-hy) and constructors (-hd, -hT). */
const TYPES = {
  "*": "Types that are not known at run time: most thunks, and data of polymorphic code.",
  "->": "Functions.",
  ":": "A cell of a list: one element, and the rest of the list.",
  "[]": "Lists; as a constructor, the empty list.",
  "I#": "A boxed Int. Strict fields with -funbox-strict-fields do not need it.",
  "W#": "A boxed Word.",
  "C#": "A boxed Char.",
  "D#": "A boxed Double.",
  "(,)": "A pair.",
  "(,,)": "A tuple of three.",
};

/** Cost centres that are not in the source. */
const CENTRES = {
  MAIN: "The root of all cost centres: what is counted for no other one.",
  CAF: "Top-level constants of a module (constant applicative forms): evaluated once, and kept while code refers to them.",
  SYSTEM: "The run-time system itself.",
  GC: "The garbage collector.",
  OVERHEAD_of: "The cost of profiling itself.",
  DONT_CARE: "Code without a cost of its own.",
  PINNED: "Memory that may not move, mostly the contents of ByteStrings; whose it is, is not known.",
  IDLE: "Time in which nothing ran.",
  MANY: "Closures with more retainers than the limit (+RTS -R).",
};

/** Phases of life (-hb). */
const PHASES = {
  VOID: "Created and never used.",
  LAG: "Created, and not used yet.",
  USE: "Between its first and last use.",
  INHERENT_USE: "Always counted as in use, such as big arrays.",
  DRAG: "Used for the last time, and still alive.",
};

/** The names of this page. */
const OURS = {
  OTHER: "The bands over the limit, added up. Split OTHER draws some of them.",
  "trace elements": "The smallest bands, which together hold less than 1 % and are not drawn.",
};

/**
 * The tables in which the names of a break-down are looked up.
 * @param {Model} model @returns {Record<string, string>[]}
 */
function glossaries({ facts }) {
  const tables = { closures: CLOSURES, types: TYPES, centres: CENTRES, phases: PHASES };
  return facts.breakdown.glossary.map((name) => tables[/** @type {"types"} */ (name)]);
}

/**
 * What a band is, if its name is one of GHC's own; `null` for the program's.
 * @param {Model} model @param {number} band @returns {[string, string] | null} the name, and its meaning
 */
export function meaningOf(model, band) {
  if (band < 0 || band >= model.bands) return null;
  const number = model.infoTables.get(band)?.kind;
  const kind = number ? CLOSURE_KINDS[Number(number)] : undefined;
  const tables = glossaries(model);
  for (const name of [model.names[band], model.parts.first(band)?.name ?? "", kind ?? ""]) {
    // Constructors of a program may be called like closures; GHC's names have no package.
    const plain = name.replace(/_(CLEAN|DIRTY)$/, "").replace(/(_\d)+$/, "").replace(/_FROZEN_(CLEAN|DIRTY)$/, "_FROZEN");
    for (const key of [name, plain]) {
      const found = tables.find((table) => Object.hasOwn(table, key));
      if (found) return [key, found[key]];
    }
  }
  return null;
}

const HOW_TO_READ = [
  "The height of a band is how much memory it held at that time. The key beside the chart lists the bands by their amounts, the largest first; these are those at the crosshair, or at the peak.",
  "A leak is a band that grows to the end. A band that rises and falls is work that was done; one that rises and stays level is often a cache.",
  "To find out what a part of the run left behind, drag over it in the chart, or drag the handles under it. Key, table, details and tree show what it gained, from its first sample to its last, while you drag; “Zoom to it” shows it alone.",
];

/** @type {[string, string][]} */
const KEYS = [
  ["drag, [ ]", "mark a part of the run, or its beginning or end at the crosshair; z zooms to it"],
  ["Ctrl+wheel, + −", "zoom; 0 or a double click shows all"],
  ["Ctrl+drag", "move along the axis"],
  ["click, ← →", "pin or move the crosshair; Page ↑ ↓, Home, End: further"],
  ["Shift+click", "mark the part from the pinned instant to another one"],
  ["↑ ↓, Enter", "choose a band; show it alone"],
  ["p, m, M", "go to the peak, the next or the previous marker"],
  ["/", "search"],
  ["s", "in the tree: put the cost centre in the middle"],
  ["c", "in the table: copy the row"],
  ["Esc", "undo the last choice"],
];

/**
 * Fills the help: how to read the page, its keys, and the special names, those of this run first.
 * @param {Model} model
 */
export function fillHelp(model) {
  /** @type {Map<string, string>} */
  const here = new Map();
  for (let band = 0; band < model.bands; band++) {
    const found = meaningOf(model, band);
    if (found) here.set(...found);
  }
  if (model.choice.other) here.set("OTHER", OURS.OTHER);
  if (model.choice.traces.length > 0) here.set("trace elements", OURS["trace elements"]);
  const all = [...glossaries(model), OURS].flatMap((table) => Object.entries(table));
  const rest = all.filter(([name]) => !here.has(name));
  const more = wrap("details", "", element("summary", "Other special names"), factList(rest, "facts names"));
  byId("help-text").replaceChildren(
    ...HOW_TO_READ.map((text) => element("p", text)),
    element("h3", "Keys and gestures"),
    factList(KEYS),
    ...(here.size > 0 ? [element("h3", "Special names in this run"), factList([...here], "facts names")] : []),
    ...(rest.length > 0 ? [more] : []),
  );
}
