import { axisOptions, points } from "../axes.js";
import { number } from "../format.js";
import { fade } from "../theme.js";

const normal = (z) => Math.exp(-0.5 * z * z) / Math.sqrt(2 * Math.PI);

export function histogram(figure) {
  const panelOf = (state) => figure.panels[state.panel];
  return {
    state: { panel: 0 },
    controls: () => (figure.panels.length > 1 ? [{ key: "panel", label: "Output", options: figure.panels.map((panel, value) => ({ value, label: panel.name })) }] : []),
    chart(state, colours) {
      const { edges, density } = panelOf(state);
      const low = edges[0], high = edges.at(-1);
      const middle = density.map((_, i) => (edges[i] + edges[i + 1]) / 2);
      const grid = Array.from({ length: 161 }, (_, i) => low + ((high - low) * i) / 160);
      const curve = { type: "line", toggle: "normal", order: 1, data: points(grid, grid.map(normal)), borderColor: colours.warm, borderWidth: 2.25, pointRadius: 0, pointHitRadius: 0 };
      const bars = { type: "bar", toggle: "bars", order: 2, data: points(middle, density), backgroundColor: fade(colours.cool, 0.6), barPercentage: 0.94, categoryPercentage: 1, grouped: false };
      return {
        datasets: figure.normal_curve ? [bars, curve] : [bars],
        x: { ...axisOptions(figure.x, colours, { min: low, max: high }), offset: false },
        y: axisOptions({ label: "density" }, colours, { beginAtZero: true }),
        interaction: { axis: "x" },
        tooltip: {
          title: (items) => (items.length && items[0].dataset.toggle === "bars" ? `${number(edges[items[0].dataIndex])} to ${number(edges[items[0].dataIndex + 1])}` : ""),
          label: (item) => (item.dataset.toggle === "bars" ? [`density ${number(item.parsed.y, 3)}`, `expected ${number(normal(item.parsed.x), 3)}`] : `N(0, 1) at ${number(item.parsed.x, 3)}: ${number(item.parsed.y, 3)}`),
        },
      };
    },
    legend(state, colours) {
      const panel = panelOf(state);
      return [
        { label: `residuals: mean ${number(panel.mean, 2)}, sd ${number(panel.sd, 3)}`, colour: fade(colours.cool, 0.6), shape: "area", toggle: "bars" },
        ...(figure.normal_curve ? [{ label: "standard normal: mean 0, sd 1", colour: colours.warm, shape: "line", toggle: "normal" }] : []),
      ];
    },
    table(state) {
      const { edges, density } = panelOf(state);
      return { columns: ["from", "to", "density", "expected"], rows: density.map((value, i) => [edges[i], edges[i + 1], value, normal((edges[i] + edges[i + 1]) / 2)]) };
    },
  };
}
