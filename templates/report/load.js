// @ts-check
// Starts the page. Its style, body and script are deflated like its data, which makes them three
// quarters smaller. Inflated, they are inserted into the page; the content policy allows their digests and no other.

/**
 * What was deflated into a text; the counterpart of src/report/island.rs.
 * @param {string} text in Base 64
 */
function inflated(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")));
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
    return inflated(packed?.textContent ?? "").text();
  });
  const [look, body, code] = await Promise.all(texts);
  const style = document.createElement("style");
  style.textContent = look;
  document.head.append(style);
  document.body.append(document.createRange().createContextualFragment(body));
  const script = document.createElement("script");
  script.textContent = code;
  document.body.append(script);
  script.remove();
})().catch(giveUp);
