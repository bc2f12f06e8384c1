import { Chart } from "./chart.js";
import { element, slug } from "./dom.js";
import { savePng, saveSvg } from "./export.js";
import { number } from "./format.js";
import { saveCsv, tableElement } from "./table.js";
import { colours } from "./theme.js";
import { Zoom } from "./zoom.js";

const tableRows = 12;
const longestSegments = 30;  // characters: longer rows of buttons become a drop-down list

/**
 * The card of one figure: controls, chart, legend, caption, numbers and files. A kind (kinds/*.js) says what they are:
 *   state                    what the reader can choose, by key
 *   controls(state)          [{key, label, options: [{value, label}], many}]
 *   chart(state, colours)    {datasets, x, y: axis options, plugins, tooltip: {title, label}, interaction}
 *   legend(state, colours)   [{label, colour, shape: line|dashed|points|area, toggle: key}]
 *   table(state)             {columns, rows}
 */
export class FigureView {
  constructor(figure, kind, { size, heading }) {
    Object.assign(this, { figure, kind, state: { hidden: new Set(), ...kind.state }, chart: null });
    this.name = slug(figure.title);
    this.controls = element("div", { class: "controls" });
    this.legend = element("ul", { class: "legend" });
    this.canvas = element("canvas", { tabindex: 0, role: "img", "aria-label": `${figure.title}. ${figure.caption} Zoom with plus and minus, move with the arrow keys, 0 shows everything.` });
    this.plot = element("div", { class: "plot" }, this.canvas);
    this.resetButton = element("button", { class: "tool", type: "button", hidden: true, onclick: () => this.zoom.reset() }, "Reset zoom");
    this.numbers = element("details", { ontoggle: () => this.fillNumbers() }, element("summary", {}, "Numbers"));
    const tool = (label, action) => element("button", { class: "tool", type: "button", onclick: action }, label);
    this.root = element("figure", { class: `card ${size}`, "data-kind": figure.kind },
      figure.title === heading ? null : element("h3", {}, figure.title),
      this.controls, this.plot, this.legend,
      figure.caption ? element("figcaption", {}, figure.caption) : null,
      element("div", { class: "foot" }, this.numbers, this.resetButton,
        tool("PNG", () => savePng(this.drawing(), this.name)),
        tool("SVG", () => saveSvg(this.drawing(), this.name)),
        tool("CSV", () => saveCsv(kind.table(this.state), this.name))));
    this.zoom = new Zoom(this.plot, this.canvas, () => this.chart, (range) => this.applyZoom(range));
    this.fillControls();
  }

  drawing() {
    const present = colours();
    return { chart: this.chart, title: this.figure.title, legend: this.visibleLegend(present), colours: present };
  }

  visibleLegend(present) {
    return this.kind.legend(this.state, present).filter((item) => !this.state.hidden.has(item.toggle));
  }

  set(key, value) {
    this.state[key] = value;
    if (key === "panel") this.zoom.range = null;
    this.fillControls();
    this.draw();
    this.fillNumbers();
  }

  fillControls() {
    // Rebuilding must not take the keyboard's focus away from the button that was pressed.
    const focused = document.activeElement?.dataset?.choice;
    this.controls.replaceChildren(...this.kind.controls(this.state).map((control) => this.control(control)));
    if (focused) [...this.controls.querySelectorAll("[data-choice]")].find((node) => node.dataset.choice === focused)?.focus();
    this.controls.hidden = !this.controls.childElementCount;
  }

  control({ key, label, options, many }) {
    const value = this.state[key];
    if (!many && options.reduce((sum, option) => sum + option.label.length, 0) > longestSegments) {
      const choices = options.map((option) => element("option", { value: String(option.value), selected: option.value === value }, option.label));
      const list = element("select", { "aria-label": label, "data-choice": key, onchange: () => this.set(key, options[list.selectedIndex].value) }, ...choices);
      return element("label", { class: "control" }, label, list);
    }
    const press = (option) => {
      if (!many) return this.set(key, option.value);
      const next = new Set(value);
      if (!next.delete(option.value)) next.add(option.value);
      return this.set(key, next);
    };
    const buttons = options.map((option) =>
      element("button", {
        type: "button", "data-choice": `${key}:${option.value}`, onclick: () => press(option),
        "aria-pressed": String(many ? value.has(option.value) : value === option.value),
      }, option.label));
    return element("div", { class: "control", role: "group", "aria-label": label }, label, element("div", { class: "segments" }, ...buttons));
  }

  fillLegend(present) {
    const items = this.kind.legend(this.state, present);
    this.legend.hidden = items.length === 0;
    this.legend.replaceChildren(...items.map((item) => {
      const style = item.shape === "dashed" ? `border-color: ${item.colour}` : `background: ${item.colour}`;
      const swatch = element("span", { class: `swatch ${item.shape}` });
      swatch.style.cssText = style;
      if (item.toggle === undefined) return element("li", {}, element("span", { class: "item" }, swatch, item.label));
      const shown = !this.state.hidden.has(item.toggle);
      const press = () => {
        if (shown) this.state.hidden.add(item.toggle);
        else this.state.hidden.delete(item.toggle);
        this.draw();
      };
      return element("li", {}, element("button", { type: "button", "aria-pressed": String(shown), onclick: press }, swatch, item.label));
    }));
  }

  fillNumbers() {
    if (!this.numbers.open) return;
    const table = this.kind.table(this.state);
    const more = table.rows.length > tableRows ? element("p", { class: "more" }, `The first ${tableRows} of ${number(table.rows.length)} rows; CSV saves all of them.`) : null;
    const content = [tableElement(table, tableRows), more].filter(Boolean);
    this.numbers.replaceChildren(this.numbers.firstElementChild, ...content);
  }

  applyZoom(range) {
    this.resetButton.hidden = !range;
    for (const direction of ["x", "y"]) {
      const options = this.chart.options.scales[direction];
      const limits = range?.[direction] ?? [this.limits[direction].min, this.limits[direction].max];
      options.min = limits[0];
      options.max = limits[1];
    }
    this.chart.update("none");
  }

  /** Draws everything anew: after a choice or a change of colours. */
  draw() {
    const present = colours();
    this.chart?.destroy();
    Chart.defaults.font.family = present.font;
    const { datasets, x, y, plugins = [], tooltip, interaction } = this.kind.chart(this.state, present);
    this.limits = { x: { min: x.min, max: x.max }, y: { min: y.min, max: y.max } };
    const hidden = this.state.hidden;
    this.chart = new Chart(this.canvas, {
      data: { datasets: datasets.map((dataset) => ({ ...dataset, hidden: hidden.has(dataset.toggle) })) },
      plugins,
      options: {
        animation: false,
        responsive: true,
        maintainAspectRatio: false,
        parsing: false,
        normalized: true,
        layout: { padding: { top: 6, right: 10 } },
        interaction: { mode: "nearest", intersect: false, axis: "xy", ...interaction },
        scales: { x, y },
        plugins: {
          tooltip: {
            backgroundColor: present.ink, titleColor: present.card, bodyColor: present.card, footerColor: present.card,
            padding: 10, displayColors: false, titleFont: { weight: "600" }, filter: (item, index) => index === 0, callbacks: tooltip,
          },
        },
      },
    });
    this.fillLegend(present);
    if (this.zoom.range) this.applyZoom(this.zoom.range);
    else this.resetButton.hidden = true;
  }
}
