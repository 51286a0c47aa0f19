// @ts-check
// The page around the reports: takes files, has each read by a worker, and shows the report of one
// in a frame.
(() => {
"use strict";

/**
 * @typedef {{
 *   file: File,
 *   state: "waiting" | "reading" | "drawn" | "failed",
 *   messages: string[],
 *   report: Blob | null,
 *   address: string,
 *   item: HTMLLIElement,
 *   button: HTMLButtonElement,
 * }} Entry
 */

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} type
 */
function element(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`no ${id}`);
  return found;
}

const list = element("files", HTMLUListElement);
const choose = element("choose", HTMLInputElement);
const save = element("save", HTMLButtonElement);
const start = element("start", HTMLElement);
const work = element("work", HTMLElement);
const state = element("state", HTMLElement);
const bar = element("progress", HTMLProgressElement);
const frame = element("report", HTMLIFrameElement);
const messages = element("messages", HTMLElement);
const problem = element("problem", HTMLElement);
const more = element("more", HTMLElement);

/** @type {Entry[]} */
const entries = [];
/** @type {Entry | null} */
let shown = null;
let isReading = false;

/** The text of a data element, which is then removed. @param {string} id */
function take(id) {
  const holder = document.getElementById(id);
  const text = holder?.textContent ?? "";
  holder?.remove();
  return text;
}

const script = URL.createObjectURL(new Blob([take("worker")], { type: "text/javascript" }));

/** Compiled once; every worker uses it. */
const compiled = (async () => {
  const letters = atob(take("wasm").trim());
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
})();
compiled.catch((error) => {
  problem.textContent = `This browser cannot run heapviz: ${error}. Use a newer one, or the heapviz command.`;
  problem.hidden = false;
});

/** @param {number} bytes */
function size(bytes) {
  return bytes < 1 << 20 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / (1 << 20)).toFixed(1)} MiB`;
}

/** @param {Iterable<File>} files */
function add(files) {
  let first = null;
  for (const file of files) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.textContent = file.name;
    button.title = `${file.name}, ${size(file.size)}`;
    const close = document.createElement("button");
    close.className = "close";
    close.textContent = "×";
    close.setAttribute("aria-label", `close ${file.name}`);
    item.append(button, close);
    list.append(item);
    /** @type {Entry} */
    const entry = { file, state: "waiting", messages: [], report: null, address: "", item, button };
    button.addEventListener("click", () => show(entry));
    close.addEventListener("click", () => remove(entry));
    entries.push(entry);
    first ??= entry;
  }
  if (first) show(first);
  readNext();
}

/** One file after another: two at once would only compete for memory. */
function readNext() {
  const entry = entries.find((entry) => entry.state === "waiting");
  if (isReading || !entry) return;
  isReading = true;
  entry.state = "reading";
  read(entry)
    .catch((error) => {
      entry.state = "failed";
      entry.messages = [
        "error",
        `${entry.file.name}: the page failed: ${error instanceof Error ? error.message : error}`,
        "it may need more memory than a page may have; the heapviz command can draw it",
      ];
    })
    .finally(() => {
      isReading = false;
      update(entry);
      readNext();
    });
  update(entry);
}

/** @param {Entry} entry */
async function read(entry) {
  const module = await compiled;
  const worker = new Worker(script);
  try {
    const answer = await new Promise((resolve, reject) => {
      worker.onerror = (event) => reject(new Error(event.message));
      worker.onmessage = ({ data }) => {
        if ("messages" in data) resolve(data);
        else if (shown === entry) showProgress(entry, data.bytes, data.samples);
      };
      worker.postMessage({ module, file: entry.file });
    });
    entry.messages = answer.messages;
    entry.state = answer.page === undefined ? "failed" : "drawn";
    if (answer.page !== undefined) {
      entry.report = new Blob([answer.page], { type: "text/html" });
      entry.address = URL.createObjectURL(entry.report);
    }
  } finally {
    worker.terminate();
  }
}

/**
 * @param {Entry} entry
 * @param {number} bytes
 * @param {number} samples
 */
function showProgress(entry, bytes, samples) {
  bar.value = entry.file.size === 0 ? 1 : bytes / entry.file.size;
  state.textContent = `Reading ${entry.file.name}: ${size(bytes)} of ${size(entry.file.size)}, ${samples} samples`;
}

/** @param {Entry} entry */
function show(entry) {
  shown = entry;
  for (const other of entries) other.button.setAttribute("aria-pressed", String(other === entry));
  update(entry);
}

/** Closes a file. The one beside it is shown, or the start. @param {Entry} entry */
function remove(entry) {
  const place = entries.indexOf(entry);
  entries.splice(place, 1);
  entry.item.remove();
  if (shown !== entry) return update(entry);
  const next = entries[place] ?? entries[place - 1];
  if (next) show(next);
  else {
    shown = null;
    start.hidden = false;
    more.hidden = work.hidden = save.hidden = frame.hidden = true;
    messages.replaceChildren();
    frame.src = frame.dataset.address = "about:blank";
  }
  update(entry);
  (next?.button ?? choose).focus();
}

/** @param {Entry} entry */
function update(entry) {
  entry.item.dataset.state = entry.state;
  // A closed file may still have been read.
  if (!entries.includes(entry) && entry.address !== "") URL.revokeObjectURL(entry.address);
  if (shown !== entry) return;
  const isBusy = entry.state === "waiting" || entry.state === "reading";
  start.hidden = true;
  more.hidden = false;
  work.hidden = !isBusy;
  if (isBusy) showProgress(entry, 0, 0);
  messages.replaceChildren(...paragraphs(entry.messages));
  save.hidden = frame.hidden = entry.report === null;
  // Setting the address again would reload the report and lose its view.
  if (frame.dataset.address === entry.address) return;
  frame.dataset.address = entry.address;
  frame.src = entry.address === "" ? "about:blank" : entry.address;
}

/** Each message has three texts: severity, message, hint. @param {string[]} texts */
function paragraphs(texts) {
  const made = [];
  for (let i = 0; i + 2 < texts.length; i += 3) {
    const paragraph = document.createElement("p");
    const word = document.createElement("b");
    word.textContent = `${texts[i]}: `;
    paragraph.className = texts[i];
    paragraph.append(word, texts[i + 1]);
    if (texts[i + 2] !== "") {
      const hint = document.createElement("span");
      hint.className = "hint";
      hint.textContent = `hint: ${texts[i + 2]}`;
      paragraph.append(hint);
    }
    made.push(paragraph);
  }
  return made;
}

/** The name that the command would use: prog.eventlog.gz is saved as prog.html. @param {string} name */
function reportName(name) {
  const inner = name.replace(/\.(gz|zst)$/, "");
  return `${inner.replace(/(?!^)\.[^.]*$/, "")}.html`;
}

save.addEventListener("click", () => {
  if (!shown?.report) return;
  const link = document.createElement("a");
  link.href = shown.address;
  link.download = reportName(shown.file.name);
  link.click();
});

choose.addEventListener("change", () => {
  add(choose.files ?? []);
  // Allow the same file to be chosen again.
  choose.value = "";
});

// A report in its frame receives everything that is dropped on it. So the bar above it accepts files too, and
// while a file is dragged over the page, the frame lets it through (page.css).
addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("over");
});
addEventListener("dragleave", (event) => {
  if (event.relatedTarget === null) document.body.classList.remove("over");
});
addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("over");
  add(event.dataTransfer?.files ?? []);
});

document.documentElement.dataset.ready = "";
})();
