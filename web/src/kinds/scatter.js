import { axisOptions, extent, limits, manyPoints, points } from "../axes.js";
import { number } from "../format.js";
import { errorBars } from "../plugins.js";
import { fade } from "../theme.js";

const labels = { total: "Total", epistemic: "Model", none: "None" };

export function scatter(figure) {
  const panelOf = (state) => figure.panels[state.panel];
  const total = (panel, i) => Math.hypot(panel.aleatoric[i], panel.epistemic[i]);
  const spread = (panel, part, i) => (part === "total" ? total(panel, i) : panel.epistemic[i]);
  return {
    state: { panel: 0, part: "total" },
    controls: () => [
      ...(figure.panels.length > 1 ? [{ key: "panel", label: "Output", options: figure.panels.map((panel, value) => ({ value, label: panel.name })) }] : []),
      { key: "part", label: "Error bars (2\u03c3)", options: Object.entries(labels).map(([value, label]) => ({ value, label })) },
    ],
    chart(state, colours) {
      const panel = panelOf(state);
      const ends = limits(extent(panel.observed, panel.mean), "linear", 0.03);
      const many = panel.mean.length > manyPoints;
      const colour = state.part === "none" ? colours.cool : colours[state.part];
      const bars = {
        x: panel.observed, colour: fade(colour, many ? 0.14 : 0.4),
        low: panel.mean.map((value, i) => value - 2 * spread(panel, state.part, i)),
        high: panel.mean.map((value, i) => value + 2 * spread(panel, state.part, i)),
      };
      return {
        datasets: [
          { type: "line", toggle: "identity", data: [{ x: ends.min, y: ends.min }, { x: ends.max, y: ends.max }], borderColor: colours.soft, borderDash: [6, 4], borderWidth: 1.5, pointRadius: 0, pointHitRadius: 0 },
          { type: "scatter", toggle: "points", data: points(panel.observed, panel.mean), pointStyle: many ? "rect" : "circle", pointRadius: many ? 1.7 : 2.6, pointBorderWidth: 0, backgroundColor: fade(colours.mean, many ? 0.5 : 0.75) },
        ],
        x: axisOptions({ label: `observed ${panel.name}` }, colours, ends),
        y: axisOptions({ label: `predicted ${panel.name}` }, colours, ends),
        plugins: state.part === "none" ? [] : [errorBars(bars)],
        interaction: { filter: (item) => item.datasetIndex === 1 },
        tooltip: {
          title: () => "",
          label(item) {
            if (item.dataset.toggle !== "points") return "observed = predicted";
            const i = item.dataIndex;
            const distance = (panel.observed[i] - panel.mean[i]) / total(panel, i);
            return [`observed ${number(panel.observed[i])}`, `mean ${number(panel.mean[i])}`, `noise \u00b1${number(panel.aleatoric[i])}`, `model \u00b1${number(panel.epistemic[i])}`, `off by ${number(distance, 3)} sd`];
          },
        },
      };
    },
    legend: (state, colours) => [
      { label: "prediction", colour: colours.mean, shape: "points", toggle: "points" },
      ...(state.part === "none" ? [] : [{ label: `\u00b12\u03c3 ${state.part === "total" ? "total" : "model uncertainty only"}`, colour: fade(colours[state.part], 0.5), shape: "line" }]),
      { label: "observed = predicted", colour: colours.soft, shape: "dashed", toggle: "identity" },
    ],
    table(state) {
      const panel = panelOf(state);
      return {
        columns: [`${panel.name}: observed`, "mean", "aleatoric sd", "epistemic sd", "total sd"],
        rows: panel.observed.map((value, i) => [value, panel.mean[i], panel.aleatoric[i], panel.epistemic[i], total(panel, i)]),
      };
    },
  };
}
