// @ts-check
// Runs in a worker, after the loader that wasm-bindgen wrote: reads one file and answers with its
// report. Each file has a worker of its own, so that its memory is given back when it is done.

/** How much is asked of the browser at once: every request costs about as much as reading 1 MB. */
const CHUNK = 4 << 20;
/** Between two reports of progress, in milliseconds. */
const PAUSE = 50;

/** What the Rust side reads from. */
class ChosenFile {
  /** @param {File} file */
  constructor(file) {
    this.file = file;
    this.reader = new FileReaderSync();
    /** Bytes that were read and not asked for yet. */
    this.chunk = new Uint8Array(0);
    this.at = 0;
  }

  /**
   * Fills a buffer as far as it goes; returns how many bytes were copied, 0 at the end.
   * @param {Uint8Array} buffer
   */
  read(buffer) {
    if (this.chunk.length === 0 && this.at < this.file.size) {
      try {
        const part = this.file.slice(this.at, this.at + CHUNK);
        this.chunk = new Uint8Array(this.reader.readAsArrayBuffer(part));
      } catch (error) {
        throw String(error instanceof Error ? error.message : error);
      }
      this.at += this.chunk.length;
    }
    const taken = this.chunk.subarray(0, buffer.length);
    buffer.set(taken);
    this.chunk = this.chunk.subarray(taken.length);
    return taken.length;
  }
}

let shownAt = 0;

/**
 * Called from Rust after each piece.
 * @param {number} bytes
 * @param {number} samples
 */
function showProgress(bytes, samples) {
  if (performance.now() - shownAt < PAUSE) return;
  shownAt = performance.now();
  postMessage({ bytes, samples });
}

onmessage = ({ data: { module, file } }) => {
  // @ts-ignore: the loader defines it.
  wasm_bindgen.initSync({ module });
  // @ts-ignore
  const answer = wasm_bindgen.draw(new ChosenFile(file), file.name);
  postMessage({ page: answer.page, messages: answer.messages });
};
