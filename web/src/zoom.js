import { element } from "./dom.js";

const smallest = 8;  // pixels: shorter drags are clicks

/**
 * Zoom and pan of one chart: drag a box, Ctrl + wheel, pinch, or the keys + − ← → 0; double click shows everything again.
 * `chart()` gives the present chart, `changed(range)` is called with {x: [low, high], y: [low, high]} or null.
 */
export class Zoom {
  constructor(box, canvas, chart, changed) {
    Object.assign(this, { box, canvas, chart, changed, range: null, pointers: new Map(), start: null, selection: null });
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", (event) => this.cancel(event));
    canvas.addEventListener("dblclick", () => this.reset());
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  /** Shows the pixels [left, right] × [top, bottom] of the present view; null leaves a direction alone. */
  show(horizontal, vertical) {
    const { x, y } = this.chart().scales;
    const range = { ...this.range };
    if (horizontal) range.x = horizontal.map((at) => x.getValueForPixel(at)).sort((a, b) => a - b);
    if (vertical) range.y = vertical.map((at) => y.getValueForPixel(at)).sort((a, b) => a - b);
    if ([...(range.x || []), ...(range.y || [])].every(Number.isFinite)) this.set(range);
  }

  set(range) {
    this.range = range;
    this.changed(range);
  }

  reset() {
    if (this.range) this.set(null);
  }

  /** Around a pixel: factor < 1 comes closer. */
  around(at, factor) {
    const { left, right } = this.chart().chartArea;
    this.show([at + (left - at) * factor, at + (right - at) * factor], null);
  }

  shift(pixels) {
    const { left, right } = this.chart().chartArea;
    this.show([left + pixels, right + pixels], null);
  }

  place(event) {
    const frame = this.canvas.getBoundingClientRect();
    const { left, right, top, bottom } = this.chart().chartArea;
    return {
      x: Math.min(right, Math.max(left, event.clientX - frame.left)),
      y: Math.min(bottom, Math.max(top, event.clientY - frame.top)),
    };
  }

  down(event) {
    if (!this.chart() || (event.pointerType === "mouse" && event.button !== 0)) return;
    this.pointers.set(event.pointerId, this.place(event));
    if (event.pointerType === "mouse") {
      this.canvas.setPointerCapture(event.pointerId);
      this.start = this.place(event);
    }
  }

  move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = this.place(event);
    if (event.pointerType === "mouse") {
      this.drawSelection(now);
      return;
    }
    const other = [...this.pointers].find(([id]) => id !== event.pointerId);
    if (other) {
      const from = Math.abs(before.x - other[1].x), to = Math.abs(now.x - other[1].x);
      if (from > smallest && to > smallest) this.around(other[1].x, from / to);
    } else if (this.range) {
      this.shift(before.x - now.x);
    }
    this.pointers.set(event.pointerId, now);
  }

  up(event) {
    const from = this.start;
    const to = this.pointers.has(event.pointerId) ? this.place(event) : null;
    this.cancel(event);
    if (!from || !to) return;
    const wide = Math.abs(to.x - from.x) > smallest, high = Math.abs(to.y - from.y) > 3 * smallest;
    if (wide || high) this.show(wide ? [from.x, to.x] : null, high ? [from.y, to.y] : null);
  }

  cancel(event) {
    this.pointers.delete(event.pointerId);
    this.start = null;
    this.selection?.remove();
    this.selection = null;
  }

  drawSelection(now) {
    if (!this.start) return;
    const area = this.chart().chartArea;
    const high = Math.abs(now.y - this.start.y) > 3 * smallest;
    this.selection ??= this.box.appendChild(element("div", { class: "selection" }));
    const top = high ? Math.min(now.y, this.start.y) : area.top, bottom = high ? Math.max(now.y, this.start.y) : area.bottom;
    Object.assign(this.selection.style, {
      left: `${Math.min(now.x, this.start.x)}px`, width: `${Math.abs(now.x - this.start.x)}px`, top: `${top}px`, height: `${bottom - top}px`,
    });
  }

  wheel(event) {
    if (!(event.ctrlKey || event.metaKey) || !this.chart()) return;
    event.preventDefault();
    this.around(this.place(event).x, Math.exp(Math.max(-1, Math.min(1, event.deltaY / 200))));
  }

  key(event) {
    const chart = this.chart();
    if (!chart) return;
    const { left, right, width } = chart.chartArea;
    const actions = {
      "+": () => this.around((left + right) / 2, 0.7),
      "=": () => this.around((left + right) / 2, 0.7),
      "-": () => this.around((left + right) / 2, 1 / 0.7),
      ArrowLeft: () => this.shift(-width / 8),
      ArrowRight: () => this.shift(width / 8),
      0: () => this.reset(),
      Escape: () => (this.start ? this.cancel(event) : this.reset()),
    };
    if (!actions[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    actions[event.key]();
  }
}
