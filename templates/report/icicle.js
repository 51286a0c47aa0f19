// @ts-check
// The tree as an icicle: widths are bytes, callers are above callees.

import { canvasOf, contextOf, fill, fit, fitted, inkOn, mixed, pen, stroke } from "./canvas.js";
import { CALLERS, isAround } from "./centres.js";
import { byId } from "./dom.js";
import { biggestFirst, pathOf } from "./stacks.js";
/** @import { Cell } from "./stacks.js" */
/** @import { Tree } from "./tree.js" */

const ICICLE_ROW = 22;

export class Icicle {
  /** @param {Tree} tree */
  constructor(tree) {
    this.tree = tree;
    this.canvas = canvasOf("icicle");
    this.root = /** @type {Cell | null} */ (null);
    /** The frame that fills the width. */
    this.top = /** @type {Cell | null} */ (null);
    /** @type {{ cell: Cell, x: number, y: number, width: number }[]} */
    this.bars = [];
    this.lit = /** @type {Cell | null} */ (null);
    /** The frame of the first of two clicks, which move the bars. */
    this.clicked = /** @type {Cell | null} */ (null);
    /** The callers of the frame that fills the width. */
    this.above = /** @type {Set<Cell>} */ (new Set());
    this.canvas.addEventListener("pointermove", (event) => this.hover(this.barAt(event)));
    this.canvas.addEventListener("pointerleave", () => this.hover(null));
    this.canvas.addEventListener("click", (event) => {
      const at = this.barAt(event);
      if (event.detail < 2) this.clicked = at;
      // A click on the frame that already fills the width goes back to its caller.
      this.fillWith(at && at !== this.top ? at : (at?.above ?? this.root));
    });
    this.canvas.addEventListener("dblclick", () => {
      if (this.clicked) tree.choose(this.clicked);
    });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    byId("icicle-reset").addEventListener("click", () => {
      this.top = this.root;
      this.draw();
    });
    new ResizeObserver(() => this.draw()).observe(byId("icicle-box"));
  }

  /** @param {Cell} root */
  show(root) {
    // The same place in the tree of another instant, as far down as that tree contains it.
    let top = root;
    const path = this.top && !isAround(root) ? pathOf(this.top).split(" ").reverse() : [];
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
    let highest = 0;
    const place = (/** @type {Cell} */ at, /** @type {number} */ x, /** @type {number} */ span, /** @type {number} */ y, down = 1) => {
      if (span < 0.7 || Math.abs(y) > 200) return;
      this.bars.push({ cell: at, x, y, width: span });
      deepest = Math.max(deepest, y);
      highest = Math.min(highest, y);
      let left = x;
      const children = biggestFirst(at);
      for (const below of children) {
        const share = (span * below.bytes) / at.bytes;
        place(below, left, share, y + down, down);
        left += share;
      }
    };
    if (isAround(this.top) && this.top.bytes > 0) {
      for (const side of this.top.below.values()) place(side, 0, width, 0, side.frame === CALLERS ? -1 : 1);
      // The cost centre itself is one bar.
      this.bars = this.bars.filter(({ cell }) => cell.frame !== CALLERS);
      for (const bar of this.bars) bar.y -= highest;
      deepest -= highest;
    } else if (this.top.bytes > 0) place(this.top, 0, width, above.length);
    const height = (deepest + 1) * ICICLE_ROW;
    this.canvas.style.height = `${height}px`;
    fit(this.canvas, width, height);
    this.above = new Set(above);
    this.paint();
    byId("icicle-reset").hidden = this.top === this.root;
  }

  paint() {
    const context = contextOf(this.canvas);
    const { tree } = this;
    const theme = tree.chart.theme;
    pen(context, theme.text, "12px", "left", "middle");
    for (const { cell: at, x, y, width } of this.bars) {
      const plain = tree.colourOf(at);
      const pale = this.above.has(at) || (tree.pattern !== null && !tree.isMatch(at));
      const colour = at === this.lit ? mixed(plain, theme.text, 0.25) : pale ? mixed(plain, theme.background, 0.6) : plain;
      fill(context, colour, 1, [x, y * ICICLE_ROW, Math.max(0.5, width - 1), ICICLE_ROW - 1]);
      if (at.above === this.root && this.root !== null && isAround(this.root)) {
        // The cost centre in the middle.
        context.beginPath();
        context.rect(x + 1, y * ICICLE_ROW + 1, Math.max(0, width - 3), ICICLE_ROW - 3);
        stroke(context, theme.text, 2);
      }
      if (width < 28) continue;
      context.fillStyle = at.frame < 0 ? theme.text : inkOn(colour);
      const text = `${at.suspect ? "↗ " : ""}${tree.nameOf(at)}  ${tree.amount(at)}`;
      context.fillText(fitted(context, text, width - 12), x + 6, y * ICICLE_ROW + ICICLE_ROW / 2);
    }
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
    this.canvas.setAttribute("aria-label", at ? this.tree.titleOf(at).replaceAll("\n", ", ") : "Stacks as bars");
    this.paint();
  }

  /** Highlights a frame, wherever it is. @param {Cell} at */
  light(at) {
    if (this.root && !isAround(this.root) && !this.bars.some((bar) => bar.cell === at)) {
      this.top = at.above ?? at;
      this.draw();
    }
    this.hover(at);
  }

  /** Arrows move from frame to frame, Enter lets one fill the width, Esc shows all. @param {KeyboardEvent} event */
  key(event) {
    const at = this.lit ?? this.top;
    if (!at) return;
    const isMiddle = this.root !== null && isAround(this.root) && (at === this.root || at.above === this.root);
    const upwards = this.root !== null && isAround(this.root) && isCaller(at);
    const inwards = upwards ? "ArrowUp" : "ArrowDown";
    const outwards = upwards ? "ArrowDown" : "ArrowUp";
    const beside = at.above ? biggestFirst(at.above) : [at];
    const place = beside.indexOf(at);
    const shown = (/** @type {Cell | undefined} */ cell) => cell && this.bars.some((bar) => bar.cell === cell);
    const [callers, middle] = isMiddle || upwards ? [...(this.root?.below.values() ?? [])] : [];
    const back = isMiddle ? biggestFirst(callers)[0] : at.above && at.above === callers ? middle : at.above;
    const next = { [inwards]: biggestFirst(at === this.root && isMiddle ? middle : at)[0], [outwards]: back ?? undefined, ArrowRight: beside[place + 1], ArrowLeft: beside[place - 1] }[event.key];
    if (next && shown(next)) this.hover(next);
    else if (event.key === "Enter") this.fillWith(at);
    else if (event.key === "Escape" && this.top !== this.root) this.fillWith(this.root);
    else if (!(event.key in { [inwards]: 0, [outwards]: 0, ArrowRight: 0, ArrowLeft: 0 })) return;
    event.preventDefault();
  }

  /** @param {Cell | null} at */
  fillWith(at) {
    if (this.root && isAround(this.root)) {
      if (at && at.above !== this.root) this.tree.choose(at);
      return;
    }
    this.top = at;
    this.draw();
  }
}

/** Whether a frame is among the callers above the middle. @param {Cell} at */
function isCaller(at) {
  let step = at;
  while (step.above?.above) step = step.above;
  return step.frame === CALLERS;
}
