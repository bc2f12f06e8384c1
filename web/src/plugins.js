/** Small Chart.js plugins for what the library does not draw itself. Each gets its data when it is made. */

function clipped(chart, draw) {
  const { ctx, chartArea } = chart;
  ctx.save();
  ctx.beginPath();
  ctx.rect(chartArea.left, chartArea.top, chartArea.width, chartArea.height);
  ctx.clip();
  draw(ctx, chart.scales.x, chart.scales.y, chartArea);
  ctx.restore();
}

/** Filled areas between two curves: [{x, low, high, fill}]. What is not finite leaves a gap. */
export const areas = (list) => ({
  id: "areas",
  beforeDatasetsDraw(chart) {
    clipped(chart, (ctx, x, y) => {
      for (const area of list) {
        const at = area.x.map((value) => x.getPixelForValue(value));
        const high = area.high.map((value) => y.getPixelForValue(value));
        const low = area.low.map((value) => y.getPixelForValue(value));
        ctx.fillStyle = area.fill;
        const known = (i) => Number.isFinite(at[i]) && Number.isFinite(low[i]) && Number.isFinite(high[i]);
        for (let start = 0, end; start < at.length; start = end + 1) {
          for (end = start; end < at.length && known(end); ) ++end;
          if (end === start) continue;
          ctx.beginPath();
          for (let i = start; i < end; ++i) ctx[i > start ? "lineTo" : "moveTo"](at[i], high[i]);
          for (let i = end - 1; i >= start; --i) ctx.lineTo(at[i], low[i]);
          ctx.closePath();
          ctx.fill();
        }
      }
    });
  },
});

/** Vertical error bars: {x, low, high, colour}. */
export const errorBars = (bars) => ({
  id: "errorBars",
  beforeDatasetsDraw(chart) {
    clipped(chart, (ctx, x, y) => {
      ctx.beginPath();
      for (let i = 0; i < bars.x.length; ++i) {
        const at = x.getPixelForValue(bars.x[i]);
        ctx.moveTo(at, y.getPixelForValue(bars.low[i]));
        ctx.lineTo(at, y.getPixelForValue(bars.high[i]));
      }
      ctx.lineWidth = 1;
      ctx.strokeStyle = bars.colour;
      ctx.stroke();
    });
  },
});

/** Labelled vertical lines: [{x, label}]. */
export const marks = (list, colours) => ({
  id: "marks",
  afterDatasetsDraw(chart) {
    clipped(chart, (ctx, x, y, area) => {
      ctx.font = `12px ${colours.font}`;
      for (const mark of list) {
        const at = x.getPixelForValue(mark.x);
        ctx.beginPath();
        ctx.setLineDash([5, 4]);
        ctx.moveTo(at, area.top);
        ctx.lineTo(at, area.bottom);
        ctx.lineWidth = 1.5;
        ctx.strokeStyle = colours.soft;
        ctx.stroke();
        ctx.setLineDash([]);
        const right = at > (area.left + area.right) / 2;
        ctx.textAlign = right ? "right" : "left";
        ctx.textBaseline = "top";
        ctx.fillStyle = colours.ink;
        ctx.fillText(mark.label, at + (right ? -6 : 6), area.top + 4);
      }
    });
  },
});

/** Coloured cells with their numbers: cell (i, j) is the unit square around x = j, y = i. */
export const cells = (values, colourOf, textOf, inkOf, font) => ({
  id: "cells",
  beforeDatasetsDraw(chart) {
    clipped(chart, (ctx, x, y) => {
      const width = x.getPixelForValue(1) - x.getPixelForValue(0);
      const height = y.getPixelForValue(1) - y.getPixelForValue(0);
      const size = Math.min(14, width / 3.4, height / 2);
      ctx.textAlign = "center";
      ctx.textBaseline = "middle";
      ctx.font = `${size}px ${font}`;
      values.forEach((row, i) =>
        row.forEach((value, j) => {
          if (value === null) return;
          ctx.fillStyle = colourOf(value);
          ctx.fillRect(x.getPixelForValue(j - 0.5) + 1, y.getPixelForValue(i - 0.5) + 1, width - 2, height - 2);
          ctx.fillStyle = inkOf(value);
          if (size >= 6) ctx.fillText(textOf(value), x.getPixelForValue(j), y.getPixelForValue(i));
        }),
      );
    });
  },
});
