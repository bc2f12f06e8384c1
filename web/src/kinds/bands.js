import { axisOptions, axisText, extent, limits, manyPoints, points } from "../axes.js";
import { number } from "../format.js";
import { areas } from "../plugins.js";
import { fade } from "../theme.js";

const partLabels = { split: "Split", total: "Total", aleatoric: "Noise", epistemic: "Model" };

/** Position in the increasing array `x` that is nearest to `value`. */
function nearest(x, value) {
  let low = 0, high = x.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (x[middle] <= value) low = middle;
    else high = middle;
  }
  return value - x[low] <= x[high] - value ? low : high;
}

/** Observations at the predicted points, by position; empty where there is none. */
function observedAt(panel) {
  const values = new Map(panel.observed_x.map((x, i) => [x, panel.observed[i]]));
  return panel.x.map((x) => (values.has(x) ? values.get(x) : null));
}

function spreads(panel) {
  const total = panel.aleatoric.map((value, i) => Math.hypot(value, panel.epistemic[i]));
  return { aleatoric: panel.aleatoric, epistemic: panel.epistemic, total };
}

const band = (panel, spread, level, fill) => ({
  x: panel.x, fill,
  low: panel.mean.map((value, i) => (value === null ? NaN : value - level * spread[i])),
  high: panel.mean.map((value, i) => (value === null ? NaN : value + level * spread[i])),
});

/** What to fill, from back to front. The split view shows the widest chosen level: noise inside, model uncertainty around it. */
function bandsOf(panel, state, colours) {
  const spread = spreads(panel);
  const levels = [...state.sigma].sort((a, b) => b - a);
  if (state.part === "split") {
    const level = levels[0];
    if (!level) return [];
    const inner = band(panel, spread.aleatoric, level, fade(colours.aleatoric, 0.5));
    const outer = band(panel, spread.total, level);
    const fill = fade(colours.epistemic, 0.55);
    return [inner, { x: panel.x, low: inner.high, high: outer.high, fill }, { x: panel.x, low: outer.low, high: inner.low, fill }];
  }
  return levels.map((level) => band(panel, spread[state.part], level, fade(colours[state.part], 0.26)));
}

export function bands(figure) {
  const panelOf = (state) => figure.panels[state.panel];
  return {
    state: { panel: 0, part: "split", sigma: new Set([2]) },
    controls: () => [
      ...(figure.panels.length > 1 ? [{ key: "panel", label: "Output", options: figure.panels.map((panel, value) => ({ value, label: panel.name })) }] : []),
      { key: "part", label: "Uncertainty", options: Object.entries(partLabels).map(([value, label]) => ({ value, label })) },
      { key: "sigma", label: "Width", many: true, options: [1, 2, 3].map((value) => ({ value, label: `${value}\u03c3` })) },
    ],
    chart(state, colours) {
      const panel = panelOf(state);
      const filled = bandsOf(panel, state, colours);
      const { low, high } = extent(panel.mean, panel.observed, ...filled.flatMap((area) => [area.low, area.high]));
      const xs = extent(panel.x, panel.observed_x);
      const many = panel.observed.length > manyPoints;
      // Where many samples share a pixel everything gets thinner and lighter, until the reader zooms in.
      const dense = (chart) => {
        const { min, max } = chart.options.scales.x;
        return (panel.x.length * (max - min)) / (xs.high - xs.low) > manyPoints;
      };
      const line = (data, colour, extra) => ({
        type: "line", data, borderColor: ({ chart }) => (dense(chart) ? fade(colour, 0.45) : colour), borderWidth: ({ chart }) => (dense(chart) ? 0.8 : 1.75),
        // Points inherit the options of their line; left as functions these would be called for every point.
        pointRadius: 0, pointHitRadius: 0, pointBorderColor: colour, pointBorderWidth: 1, pointBackgroundColor: colour, ...extra,
      });
      return {
        datasets: [
          line(points(panel.x, panel.mean), colours.mean, { toggle: "mean", order: 1 }),
          ...panel.curves.map((curve, i) => line(points(curve.x, curve.y), colours.series[(i + 2) % 8], { toggle: `curve ${i}`, borderDash: curve.style === "dashed" ? [6, 4] : [], order: 1 })),
          {
            type: "scatter", toggle: "observed", order: 2, data: points(panel.observed_x, panel.observed),
            pointStyle: many ? "rect" : "circle", pointRadius: many ? 1.4 : 2.2, pointBorderWidth: 0, backgroundColor: fade(colours.observed, many ? 0.35 : 0.55),
          },
        ],
        x: axisOptions(figure.x, colours, limits(xs)),
        y: axisOptions({ label: panel.name }, colours, { suggestedMin: low, suggestedMax: high }),
        plugins: [areas(filled)],
        interaction: { axis: "x" },
        tooltip: {
          title: (items) => (items.length ? axisText(figure.x, items[0].parsed.x) : ""),
          label(item) {
            const i = nearest(panel.x, item.parsed.x);
            const spread = spreads({ aleatoric: [panel.aleatoric[i]], epistemic: [panel.epistemic[i]] });
            const seen = item.dataset.toggle === "observed" ? item.parsed.y : panel.observed[panel.observed_x.indexOf(panel.x[i])];
            return [
              `mean ${number(panel.mean[i])}`,
              `noise \u00b1${number(panel.aleatoric[i])}`,
              `model \u00b1${number(panel.epistemic[i])}`,
              `total \u00b1${number(spread.total[0])}`,
              ...(seen === undefined ? [] : [`observed ${number(seen)}`]),
            ];
          },
        },
      };
    },
    legend(state, colours) {
      const panel = panelOf(state);
      const levels = [...state.sigma].sort();
      const width = levels.map((level) => `${level}\u03c3`).join(", ");
      const words = { total: "total uncertainty", aleatoric: "noise (aleatoric)", epistemic: "model uncertainty (epistemic)" };
      const filled = state.part === "split"
        ? [
            { label: `\u00b1${levels.at(-1)}\u03c3 noise (aleatoric)`, colour: fade(colours.aleatoric, 0.5), shape: "area" },
            { label: "added by model uncertainty (epistemic)", colour: fade(colours.epistemic, 0.55), shape: "area" },
          ]
        : [{ label: `\u00b1${width} ${words[state.part]}`, colour: fade(colours[state.part], 0.4), shape: "area" }];
      return [
        { label: "mean", colour: colours.mean, shape: "line", toggle: "mean" },
        ...panel.curves.map((curve, i) => ({ label: curve.name, colour: colours.series[(i + 2) % 8], shape: curve.style, toggle: `curve ${i}` })),
        ...(panel.observed.length ? [{ label: "observed", colour: colours.observed, shape: "points", toggle: "observed" }] : []),
        ...(levels.length ? filled : []),
      ];
    },
    table(state) {
      const panel = panelOf(state);
      const spread = spreads(panel);
      const seen = observedAt(panel);
      const shared = seen.some((value) => value !== null);
      const columns = [figure.x.label, `${panel.name}: mean`, "aleatoric sd", "epistemic sd", "total sd", ...(shared ? ["observed"] : []), ...panel.curves.map((curve) => curve.name)];
      const rows = panel.x.map((x, i) => [
        figure.x.scale === "time" ? axisText(figure.x, x) : x, panel.mean[i], panel.aleatoric[i], panel.epistemic[i], spread.total[i],
        ...(shared ? [seen[i]] : []), ...panel.curves.map((curve) => curve.y[i]),
      ]);
      return { columns, rows };
    },
  };
}
