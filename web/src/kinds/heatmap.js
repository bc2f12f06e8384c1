import { axisOptions } from "../axes.js";
import { number } from "../format.js";
import { cells } from "../plugins.js";
import { mix } from "../theme.js";

const short = (name) => (name.length > 18 ? `${name.slice(0, 17)}\u2026` : name);

export function heatmap(figure) {
  const { rows, columns, values, low, high } = figure;
  const middle = (low + high) / 2;
  return {
    state: {},
    controls: () => [],
    chart(state, colours) {
      const strength = (value) => Math.min(1, Math.abs(value - middle) / (high - middle));
      const colourOf = (value) => mix(colours.grid, value < middle ? colours.warm : colours.cool, strength(value));
      const textOf = (value) => value.toFixed(2).replace("-", "\u2212");
      const inkOf = (value) => (strength(value) > 0.55 ? "#ffffff" : colours.ink);
      const axis = (names, reverse) => {
        const options = axisOptions({ label: "" }, colours, { min: -0.5, max: names.length - 0.5, reverse });
        options.grid.display = false;
        options.afterBuildTicks = (scale) => (scale.ticks = names.map((_, value) => ({ value })));
        options.ticks = { ...options.ticks, autoSkip: names.length > 30, maxRotation: reverse ? 0 : 60, callback: (value) => short(names[value]) };
        return options;
      };
      const data = values.flatMap((row, i) => row.map((_, j) => ({ x: j, y: i })));
      return {
        datasets: [{ type: "scatter", data, pointRadius: 0, pointHitRadius: 30 }],
        x: axis(columns, false),
        y: axis(rows, true),
        plugins: [cells(values, colourOf, textOf, inkOf, colours.font)],
        tooltip: { title: () => "", label: (item) => [`${rows[item.parsed.y]} \u00d7 ${columns[item.parsed.x]}`, number(values[item.parsed.y][item.parsed.x])] },
      };
    },
    legend: () => [],
    table: () => ({ columns: ["", ...columns], rows: values.map((row, i) => [rows[i], ...row]) }),
  };
}
