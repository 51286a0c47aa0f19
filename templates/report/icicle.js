// @ts-check
// The tree as an icicle: as wide as the bytes, callers above callees (or the reverse).

const ICICLE_ROW = 22;

class Icicle {
  /** @param {Tree} tree */
  constructor(tree) {
    this.tree = tree;
    this.canvas = canvasOf("icicle");
    this.root = /** @type {Cell | null} */ (null);
    /** What fills the width. */
    this.top = /** @type {Cell | null} */ (null);
    /** @type {{ cell: Cell, x: number, y: number, width: number }[]} */
    this.bars = [];
    this.lit = /** @type {Cell | null} */ (null);
    this.canvas.addEventListener("pointermove", (event) => this.hover(this.barAt(event)));
    this.canvas.addEventListener("pointerleave", () => this.hover(null));
    this.canvas.addEventListener("click", (event) => {
      const at = this.barAt(event);
      // What fills the width already is left by a click.
      this.top = at && at !== this.top ? at : (at?.above ?? this.root);
      this.draw();
    });
    byId("icicle-reset").addEventListener("click", () => {
      this.top = this.root;
      this.draw();
    });
    new ResizeObserver(() => this.draw()).observe(byId("icicle-box"));
  }

  /** @param {Cell} root */
  show(root) {
    // The same place in the tree of another instant, as far down as it has it.
    let top = root;
    const path = this.top ? pathOf(this.top).split(" ").reverse() : [];
    for (const centre of path) {
      const next = top.below.get(centre === "" ? NaN : Number(centre));
      if (!next) break;
      top = next;
    }
    this.root = root;
    this.top = top;
    this.draw();
  }

  draw() {
    if (!this.top || byId("panel-tree").hidden) return;
    const width = Math.max(50, byId("icicle-box").clientWidth);
    this.bars = [];
    const above = [];
    for (let step = this.top.above; step; step = step.above) above.unshift(step);
    above.forEach((cell, i) => this.bars.push({ cell, x: 0, y: i, width }));
    let deepest = above.length;
    const place = (/** @type {Cell} */ at, /** @type {number} */ x, /** @type {number} */ span, /** @type {number} */ y) => {
      if (span < 0.7 || y > 200) return;
      this.bars.push({ cell: at, x, y, width: span });
      deepest = Math.max(deepest, y);
      let left = x;
      for (const below of biggestFirst(at)) {
        const share = (span * below.bytes) / at.bytes;
        place(below, left, share, y + 1);
        left += share;
      }
    };
    if (this.top.bytes > 0) place(this.top, 0, width, above.length);
    const height = (deepest + 1) * ICICLE_ROW;
    this.canvas.style.height = `${height}px`;
    fit(this.canvas, width, height);
    this.paint(above.length);
    byId("icicle-reset").hidden = this.top === this.root;
  }

  /** @param {number} above how many rows show where the whole is a part of */
  paint(above) {
    const context = contextOf(this.canvas);
    const { tree } = this;
    const theme = tree.chart.theme;
    context.font = `12px ${FONT}`;
    context.textBaseline = "middle";
    for (const { cell: at, x, y, width } of this.bars) {
      const plain = tree.colourOf(at);
      const colour = y < above ? mixed(plain, theme.background, 0.55) : at === this.lit ? mixed(plain, theme.text, 0.25) : plain;
      context.fillStyle = colour;
      context.fillRect(x, y * ICICLE_ROW, Math.max(0.5, width - 1), ICICLE_ROW - 1);
      if (width < 28) continue;
      context.fillStyle = at.centre < 0 ? theme.text : inkOn(colour);
      const text = `${tree.nameOf(at)}  ${at.exact ? "" : "≈ "}${bytesText(at.bytes, tree.store.view.units)}`;
      context.fillText(fitted(context, text, width - 12), x + 6, y * ICICLE_ROW + ICICLE_ROW / 2);
    }
    this.above = above;
  }

  /** @param {MouseEvent} event */
  barAt(event) {
    const y = Math.floor(event.offsetY / ICICLE_ROW);
    const found = this.bars.find((bar) => bar.y === y && event.offsetX >= bar.x && event.offsetX < bar.x + bar.width);
    return found?.cell ?? null;
  }

  /** @param {Cell | null} at */
  hover(at) {
    if (at === this.lit) return;
    this.lit = at;
    this.canvas.title = at ? this.tree.titleOf(at) : "";
    this.paint(this.above ?? 0);
  }
}
