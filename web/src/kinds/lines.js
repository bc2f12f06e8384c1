import { axisOptions, axisText, extent, limits, manyPoints, points } from "../axes.js";
import { number } from "../format.js";
import { marks } from "../plugins.js";
import { fade } from "../theme.js";

const legendLimit = 16;  // more curves than this are a family, not a list

export function lines(figure) {
  const drawable = (value, axis) => (axis.scale === "log" && !(value > 0) ? null : value);
  const curves = figure.curves.map((curve) => ({
    ...curve, x: curve.x.map((value) => drawable(value, figure.x)), y: curve.y.map((value) => drawable(value, figure.y)),
  }));
  const family = curves.length > legendLimit;
  const sharedX = curves.every((curve) => curve.x.length === curves[0].x.length && curve.x.every((value, i) => value === curves[0].x[i]));
  return {
    state: {},
    controls: () => [],
    chart(state, colours) {
      const xs = extent(...curves.map((curve) => curve.x), figure.marks.map((mark) => mark.x));
      return {
        datasets: curves.map((curve, i) => {
          const colour = colours.series[i % 8];
          const common = { toggle: `curve ${i}`, name: curve.name, clip: 4, data: points(curve.x, curve.y), borderColor: family ? fade(colour, 0.6) : colour };
          const many = curve.x.length > manyPoints;
          if (curve.style === "points") return { ...common, type: "scatter", pointStyle: many ? "rect" : "circle", pointRadius: many ? 1.7 : 2.6, pointBorderWidth: 0, backgroundColor: fade(colour, many ? 0.45 : 0.8) };
          return { ...common, type: "line", borderWidth: family ? 1 : 2, borderDash: curve.style === "dashed" ? [6, 4] : [], pointRadius: curve.x.length <= 40 ? 2.5 : 0, pointBackgroundColor: colour, pointBorderWidth: 0, pointHitRadius: 6 };
        }),
        x: axisOptions(figure.x, colours, limits(xs, figure.x.scale)),
        y: axisOptions(figure.y, colours, { grace: figure.y.scale === "log" ? 0 : "4%" }),
        plugins: figure.marks.length ? [marks(figure.marks, colours)] : [],
        tooltip: {
          title: (items) => (items.length ? items[0].dataset.name : ""),
          label: (item) => [`${figure.x.label} ${axisText(figure.x, item.parsed.x)}`, `${figure.y.label} ${number(item.parsed.y, 6)}`],
        },
      };
    },
    legend: (state, colours) =>
      family || curves.length < 2 ? [] : curves.map((curve, i) => ({ label: curve.name, colour: colours.series[i % 8], shape: curve.style, toggle: `curve ${i}` })),
    table() {
      const at = (value) => (figure.x.scale === "time" && value !== null ? axisText(figure.x, value) : value);
      if (sharedX && curves.length) return { columns: [figure.x.label, ...curves.map((curve) => curve.name)], rows: curves[0].x.map((value, i) => [at(value), ...curves.map((curve) => curve.y[i])]) };
      return { columns: ["curve", figure.x.label, figure.y.label], rows: curves.flatMap((curve) => curve.x.map((value, i) => [curve.name, at(value), curve.y[i]])) };
    },
  };
}
