// @ts-check
// Starts the page. Its style, body and script are deflated like its data, which makes them three
// quarters smaller. Inflated, they are inserted into the page; the content policy allows their digests and no other.

const LETTERS =
  "#$%()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{}~";

/** Base 85: five characters for four bytes; a shorter last group is rounded up. @param {string} text */
function bytesOfText(text) {
  const digits = new Uint8Array(128);
  for (let i = 0; i < 85; i++) digits[LETTERS.charCodeAt(i)] = i;
  const groups = Math.ceil(text.length / 5);
  const bytes = new Uint8Array(groups * 4);
  for (let group = 0, at = 0; group < groups; group++, at += 5) {
    let value = 0;
    for (let i = at; i < at + 5; i++) {
      value = value * 85 + (i < text.length ? digits[text.charCodeAt(i)] : 84);
    }
    const to = group * 4;
    bytes[to] = value / 0x1000000;
    bytes[to + 1] = value >>> 16;
    bytes[to + 2] = value >>> 8;
    bytes[to + 3] = value;
  }
  const missing = groups * 5 - text.length;
  return bytes.subarray(0, bytes.length - missing);
}

/** Decodes the text of an island, or of the script; the counterpart of src/report/island.rs. @param {string} text */
async function inflated(text) {
  const stream = new Blob([bytesOfText(text)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Shows that the page cannot be displayed, and why. @param {unknown} error */
function giveUp(error) {
  const box = document.getElementById("problem");
  if (!box) return;
  box.hidden = false;
  box.textContent = `This page could not be shown: ${error}`;
}

(async () => {
  const texts = ["style", "body", "code"].map((id) => {
    const packed = document.getElementById(id);
    packed?.remove();
    return inflated((packed?.textContent ?? "").trim());
  });
  const [look, body, code] = (await Promise.all(texts)).map((bytes) => new TextDecoder().decode(bytes));
  const style = document.createElement("style");
  style.textContent = look;
  document.head.append(style);
  document.body.append(document.createRange().createContextualFragment(body));
  const script = document.createElement("script");
  script.textContent = code;
  document.body.append(script);
  script.remove();
})().catch(giveUp);
