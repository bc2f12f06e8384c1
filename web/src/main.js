import { element, slug } from "./dom.js";
import { number } from "./format.js";
import { bands } from "./kinds/bands.js";
import { calibration } from "./kinds/calibration.js";
import { heatmap } from "./kinds/heatmap.js";
import { histogram } from "./kinds/histogram.js";
import { lines } from "./kinds/lines.js";
import { scatter } from "./kinds/scatter.js";
import { saveCsv, tableElement } from "./table.js";
import { followTheme, isDark } from "./theme.js";
import { FigureView } from "./view.js";

const kinds = { bands, calibration, heatmap, histogram, lines, scatter };

/** How much of its section's width a figure or table takes. */
function sizeOf({ figures, tables }) {
  if (figures.length === 1 && figures[0].kind === "heatmap" && tables.length === 1) return "half";
  return ["", "", "half"][figures.length] ?? "third";
}

/** Sections with one figure that reads well when it is narrow stand side by side with a neighbour of their kind. */
function narrowSections(sections) {
  const able = sections.map(({ figures, tables }) => figures.length === 1 && !tables.length && figures[0].kind !== "bands" && !(figures[0].kind === "lines" && figures[0].x.scale === "time"));
  const narrow = sections.map(() => false);
  for (let i = 0; i + 1 < sections.length; ++i) if (able[i] && able[i + 1] && !narrow[i]) narrow[i] = narrow[i + 1] = true;
  return narrow;
}

function tableCard(table, size) {
  return element("div", { class: `card ${size}` },
    table.title ? element("h3", {}, table.title) : null,
    tableElement(table),
    table.caption ? element("p", { class: "caption" }, table.caption) : null,
    element("div", { class: "foot" }, element("button", { class: "tool", type: "button", onclick: () => saveCsv(table, slug(table.title || "table")) }, "CSV")));
}

function sectionElement(section, id, narrow, views) {
  const size = sizeOf(section);
  const cards = section.figures.map((figure) => {
    const view = new FigureView(figure, kinds[figure.kind](figure), { size, heading: section.heading });
    views.push(view);
    return view.root;
  });
  return element("section", { id, class: narrow ? "narrow" : undefined },
    element("h2", {}, section.heading),
    section.text ? element("p", { class: "text" }, section.text) : null,
    section.note ? element("p", { class: "note" }, section.note) : null,
    element("div", { class: "figures" }, ...cards, ...section.tables.map((table) => tableCard(table, size === "half" && section.figures.length === 1 ? size : ""))));
}

function tile({ key, value }) {
  const words = typeof value === "string" && value.length > 14;
  return element("div", { class: "tile" }, element("dt", {}, key), element("dd", { class: words ? "words" : undefined }, typeof value === "string" ? value : number(value)));
}

function build(report) {
  const views = [];
  const redraw = () => {
    views.forEach((view) => view.draw());
    toggle.textContent = isDark() ? "Light" : "Dark";
  };
  const theme = followTheme(redraw);
  const toggle = element("button", { class: "theme", type: "button", "aria-label": "switch between light and dark", onclick: () => theme.toggle() });
  const narrow = narrowSections(report.sections);
  const ids = report.sections.map((section, i) => `${i + 1}-${slug(section.heading)}`);
  document.getElementById("page").append(
    element("header", { class: "top" }, element("div", {}, element("h1", {}, report.title), report.subtitle ? element("p", { class: "subtitle" }, report.subtitle) : null), toggle),
    report.sections.length > 1 ? element("nav", { "aria-label": "sections" }, ...report.sections.map((section, i) => element("a", { href: `#${ids[i]}` }, section.heading))) : "",
    element("dl", { class: "tiles" }, ...report.summary.map(tile)),
    element("main", {}, ...report.sections.map((section, i) => sectionElement(section, ids[i], narrow[i], views))),
    element("footer", {}, `Written by mbll ${report.version}. Zoom: drag in a figure, or Ctrl + wheel; double click shows everything again.`));
  redraw();
}

build(JSON.parse(document.getElementById("data").textContent));
document.documentElement.dataset.drawn = String(Math.round(performance.now()));
