import { save } from "./dom.js";
import { SvgContext } from "./svg_context.js";

const margin = 14;
const titleHeight = 30;
const rowHeight = 22;

/** Legend entries set into rows that fit the width. */
function legendRows(ctx, items, width) {
  const rows = [[]];
  let x = 0;
  for (const item of items) {
    const size = ctx.measureText(item.label).width + 40;
    if (x > 0 && x + size > width) {
      rows.push([]);
      x = 0;
    }
    rows[rows.length - 1].push({ item, x });
    x += size;
  }
  return items.length ? rows : [];
}

function drawKey(ctx, item, x, y) {
  ctx.fillStyle = ctx.strokeStyle = item.colour;
  ctx.beginPath();
  if (item.shape === "points") {
    ctx.arc(x + 8, y, 4, 0, 2 * Math.PI);
    ctx.fill();
  } else if (item.shape === "area") {
    ctx.fillRect(x, y - 6, 16, 12);
  } else {
    ctx.setLineDash(item.shape === "dashed" ? [4, 3] : []);
    ctx.lineWidth = 3;
    ctx.moveTo(x, y);
    ctx.lineTo(x + 16, y);
    ctx.stroke();
    ctx.setLineDash([]);
  }
}

/** Lets the chart draw into another context. Scales and controllers keep their own reference to it. */
function drawInto(chart, ctx) {
  const owners = [[chart, "ctx"], ...chart.boxes.map((box) => [box, "ctx"])];
  for (const meta of chart.getSortedVisibleDatasetMetas()) owners.push([meta.controller, "_ctx"]);
  const before = owners.map(([owner, name]) => owner[name]);
  chart.setActiveElements([]);
  chart.tooltip.setActiveElements([], { x: 0, y: 0 });
  try {
    for (const [owner, name] of owners) owner[name] = ctx;
    chart.draw();
  } finally {
    owners.forEach(([owner, name], i) => (owner[name] = before[i]));
  }
  chart.draw();
}

/** Title, legend and chart on the card's background. `makeContext(width, height)` gives what to draw into. */
function compose({ chart, title, legend, colours }, makeContext) {
  const width = chart.width + 2 * margin;
  const ruler = document.createElement("canvas").getContext("2d");
  ruler.font = `12px ${colours.font}`;
  const rows = legendRows(ruler, legend, chart.width);
  const top = margin + titleHeight;
  const height = top + chart.height + rows.length * rowHeight + margin;
  const ctx = makeContext(width, height);
  ctx.clearRect = () => {};
  ctx.fillStyle = colours.card;
  ctx.fillRect(0, 0, width, height);
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  ctx.fillStyle = colours.ink;
  ctx.font = `bold 15px ${colours.font}`;
  ctx.fillText(title, margin, margin + 8);
  ctx.font = `12px ${colours.font}`;
  rows.forEach((row, i) => {
    const y = top + chart.height + (i + 0.5) * rowHeight + 4;
    for (const { item, x } of row) {
      drawKey(ctx, item, margin + x, y);
      ctx.fillStyle = colours.ink;
      ctx.fillText(item.label, margin + x + 24, y);
    }
  });
  ctx.save();
  ctx.translate(margin, top);
  drawInto(chart, ctx);
  ctx.restore();
  return ctx;
}

export function saveSvg(figure, name) {
  const ctx = compose(figure, (width, height) => new SvgContext(width, height));
  save(`${name}.svg`, "image/svg+xml", ctx.text());
}

export function savePng(figure, name) {
  const canvas = document.createElement("canvas");
  compose(figure, (width, height) => {
    canvas.width = width * 2;
    canvas.height = height * 2;
    const ctx = canvas.getContext("2d");
    ctx.scale(2, 2);
    return ctx;
  });
  canvas.toBlob((blob) => save(`${name}.png`, "image/png", blob), "image/png");
}
