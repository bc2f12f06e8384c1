import { axisOptions, points } from "../axes.js";
import { number } from "../format.js";
import { areas } from "../plugins.js";
import { fade } from "../theme.js";

const percent = (value) => `${number(value * 100, 3)}\u202f%`;

export function calibration(figure) {
  // Coverage of n independent observations at level a has standard deviation sqrt(a (1 - a) / n).
  const noise = figure.levels.map((level) => 1.96 * Math.sqrt((level * (1 - level)) / Math.max(1, figure.samples)));
  return {
    state: {},
    controls: () => [],
    chart(state, colours) {
      const chance = {
        x: figure.levels, fill: fade(colours.band, 0.22),
        low: figure.levels.map((level, i) => level - noise[i]), high: figure.levels.map((level, i) => level + noise[i]),
      };
      const axis = (label) => {
        const options = axisOptions({ label }, colours, { min: 0, max: 1 });
        options.ticks.callback = (value) => percent(value);
        return options;
      };
      return {
        datasets: [
          ...figure.curves.map((curve, i) => ({
            type: "line", toggle: `curve ${i}`, name: curve.name, data: points(figure.levels, curve.coverage), borderColor: colours.series[i % 8], borderWidth: 2, pointRadius: 0, pointHitRadius: 4,
          })),
          { type: "line", toggle: "identity", data: [{ x: 0, y: 0 }, { x: 1, y: 1 }], borderColor: colours.soft, borderDash: [6, 4], borderWidth: 1.5, pointRadius: 0, pointHitRadius: 0 },
        ],
        x: axis("level the interval claims"),
        y: axis("observations inside"),
        plugins: [areas([chance])],
        tooltip: {
          title: (items) => (items.length ? items[0].dataset.name || "perfect calibration" : ""),
          label: (item) => [`claimed ${percent(item.parsed.x)}`, `inside ${percent(item.parsed.y)}`],
        },
      };
    },
    legend: (state, colours) => [
      ...figure.curves.map((curve, i) => ({ label: `${curve.name}: ECE ${number(curve.ece, 3)}`, colour: colours.series[i % 8], shape: "line", toggle: `curve ${i}` })),
      { label: "perfect calibration", colour: colours.soft, shape: "dashed", toggle: "identity" },
      { label: `chance (${number(figure.samples)} samples)`, colour: fade(colours.band, 0.3), shape: "area" },
    ],
    table: () => ({
      columns: ["level", ...figure.curves.map((curve) => curve.name)],
      rows: figure.levels.map((level, i) => [level, ...figure.curves.map((curve) => curve.coverage[i])]),
    }),
  };
}
