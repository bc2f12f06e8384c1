import { moment, number, timeTicks } from "./format.js";

/** Options of a Chart.js axis for {label, scale: linear|log|time}. */
export function axisOptions(axis, colours, range = {}) {
  const options = {
    type: axis.scale === "log" ? "logarithmic" : "linear",
    title: { display: Boolean(axis.label), text: axis.label, color: colours.soft, font: { size: 12 } },
    grid: { color: colours.grid, borderColor: colours.faint, tickLength: 4 },
    ticks: { color: colours.soft, includeBounds: false, maxRotation: 0, autoSkipPadding: 14, font: { size: 11 }, callback: (value) => number(value) },
    ...range,
  };
  if (axis.scale === "time") {
    options.afterBuildTicks = (scale) => {
      scale.ticks = timeTicks(scale.min, scale.max, Math.max(2, Math.floor(scale.width / 80)));
    };
    options.ticks.callback = (value, index, ticks) => ticks[index].label;
  }
  if (axis.scale === "log") {
    // Only 1, 2 and 5 times a power of ten are worth a label, and only powers when there are many of them.
    options.ticks.callback = (value, index, ticks) => {
      const decades = Math.log10(ticks.at(-1).value / ticks[0].value);
      const lead = Math.round(value / 10 ** Math.floor(Math.log10(value) + 1e-9));
      return lead === 1 || (decades <= 2 && (lead === 2 || lead === 5)) ? number(value) : "";
    };
  }
  return options;
}

/** A value of that axis in words. */
export const axisText = (axis, value) => (axis.scale === "time" ? moment(value) : number(value, 5));

/** Smallest and largest finite value of some arrays; {} when there is none. */
export function extent(...arrays) {
  let low = Infinity, high = -Infinity;
  for (const array of arrays)
    for (const value of array)
      if (value !== null && Number.isFinite(value)) {
        if (value < low) low = value;
        if (value > high) high = value;
      }
  return low <= high ? { low, high } : {};
}

/** From this many points on they are drawn small and square, which is several times faster, and lighter. */
export const manyPoints = 1500;

/** An axis from low to high, made wider where both are the same. */
export function limits({ low, high }, scale = "linear", share = 0) {
  if (low === undefined) return {};
  if (scale === "log") return low < high ? { min: low, max: high } : { min: low / 2, max: high * 2 };
  const pad = high > low ? (high - low) * share : Math.abs(low) * 0.05 || 1;
  return { min: low - pad, max: high + pad };
}

export const points = (x, y) => x.map((value, i) => ({ x: value, y: y[i] === null ? NaN : y[i] }));
