/**
 * The part of CanvasRenderingContext2D that the figures use, written as SVG instead of pixels: the chart is drawn a
 * second time, into this. Text is measured by a real canvas.
 */
export class SvgContext {
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.parts = [];
    this.definitions = [];
    this.path = [];
    this.stack = [];
    this.matrix = [1, 0, 0, 1, 0, 0];
    this.groups = 0;
    this.dash = [];
    this.measure = document.createElement("canvas").getContext("2d");
    Object.assign(this, {
      fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, font: "12px sans-serif", textAlign: "start",
      textBaseline: "alphabetic", lineCap: "butt", lineJoin: "miter", globalAlpha: 1, lineDashOffset: 0,
    });
  }

  static saved = ["fillStyle", "strokeStyle", "lineWidth", "font", "textAlign", "textBaseline", "lineCap", "lineJoin", "globalAlpha", "dash", "matrix"];

  save() {
    const state = Object.fromEntries(SvgContext.saved.map((name) => [name, this[name]]));
    this.stack.push({ state, groups: this.groups });
    this.groups = 0;
  }

  restore() {
    const last = this.stack.pop();
    if (!last) return;
    this.parts.push("</g>".repeat(this.groups));
    this.groups = last.groups;
    Object.assign(this, last.state);
  }

  transform(a, b, c, d, e, f) {
    const [A, B, C, D, E, F] = this.matrix;
    this.matrix = [A * a + C * b, B * a + D * b, A * c + C * d, B * c + D * d, A * e + C * f + E, B * e + D * f + F];
  }
  translate(x, y) { this.transform(1, 0, 0, 1, x, y); }
  scale(x, y) { this.transform(x, 0, 0, y, 0, 0); }
  rotate(angle) { this.transform(Math.cos(angle), Math.sin(angle), -Math.sin(angle), Math.cos(angle), 0, 0); }
  setTransform(...matrix) { this.matrix = matrix.length === 6 ? matrix : [1, 0, 0, 1, 0, 0]; }
  resetTransform() { this.matrix = [1, 0, 0, 1, 0, 0]; }

  at(x, y) {
    const [a, b, c, d, e, f] = this.matrix;
    return `${round(a * x + c * y + e)} ${round(b * x + d * y + f)}`;
  }

  beginPath() { this.path = []; }
  closePath() { this.path.push("Z"); }
  moveTo(x, y) { if (finite(x, y)) this.path.push(`M${this.at(x, y)}`); }
  lineTo(x, y) { if (finite(x, y)) this.path.push(`${this.path.length ? "L" : "M"}${this.at(x, y)}`); }
  bezierCurveTo(a, b, c, d, x, y) { this.path.push(`C${this.at(a, b)} ${this.at(c, d)} ${this.at(x, y)}`); }
  quadraticCurveTo(a, b, x, y) { this.path.push(`Q${this.at(a, b)} ${this.at(x, y)}`); }
  rect(x, y, width, height) {
    this.path.push(`M${this.at(x, y)}L${this.at(x + width, y)}L${this.at(x + width, y + height)}L${this.at(x, y + height)}Z`);
  }
  arc(x, y, radius, from, to) {
    const size = round(radius * Math.sqrt(Math.abs(this.matrix[0] * this.matrix[3] - this.matrix[1] * this.matrix[2])));
    const on = (angle) => this.at(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
    this.path.push(`${this.path.length ? "L" : "M"}${on(from)}`);
    const half = (from + to) / 2;
    this.path.push(`A${size} ${size} 0 ${to - from > 2 * Math.PI ? 1 : 0} 1 ${on(half)}A${size} ${size} 0 0 1 ${on(to)}`);
  }

  fill() {
    if (this.path.length) this.parts.push(`<path d="${this.path.join("")}" ${paint("fill", this.fillStyle, this.globalAlpha)}/>`);
  }
  stroke() {
    if (!this.path.length || !(this.lineWidth > 0)) return;
    const dash = this.dash.length ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    this.parts.push(
      `<path d="${this.path.join("")}" fill="none" ${paint("stroke", this.strokeStyle, this.globalAlpha)} stroke-width="${round(this.lineWidth)}" stroke-linejoin="${this.lineJoin}" stroke-linecap="${this.lineCap}"${dash}/>`,
    );
  }
  clip() {
    const id = `clip${this.definitions.length}`;
    this.definitions.push(`<clipPath id="${id}"><path d="${this.path.join("")}"/></clipPath>`);
    this.parts.push(`<g clip-path="url(#${id})">`);
    ++this.groups;
  }
  fillRect(x, y, width, height) {
    const before = this.path;
    this.path = [];
    this.rect(x, y, width, height);
    this.fill();
    this.path = before;
  }
  strokeRect(x, y, width, height) {
    const before = this.path;
    this.path = [];
    this.rect(x, y, width, height);
    this.stroke();
    this.path = before;
  }
  clearRect() {}
  setLineDash(dash) { this.dash = dash || []; }
  getLineDash() { return this.dash; }
  measureText(text) {
    this.measure.font = this.font;
    return this.measure.measureText(text);
  }
  fillText(text, x, y) {
    const [size, family] = fontOf(this.font);
    const anchor = { center: "middle", right: "end", end: "end" }[this.textAlign] || "start";
    const drop = { middle: 0.35, top: 0.8, hanging: 0.8, bottom: -0.2 }[this.textBaseline] || 0;
    const [a, b, c, d] = this.matrix.map(round);
    const place = a === 1 && b === 0 && c === 0 && d === 1;
    const origin = this.at(x, y).split(" ");
    const position = place ? `x="${origin[0]}" y="${origin[1]}"` : `transform="matrix(${a} ${b} ${c} ${d} ${origin[0]} ${origin[1]})"`;
    const weight = /bold|[6-9]00/.test(this.font) ? ' font-weight="600"' : "";
    this.parts.push(
      `<text ${position} dy="${round(drop * size)}" font-size="${size}" font-family="${escape(family)}"${weight} text-anchor="${anchor}" ${paint("fill", this.fillStyle, this.globalAlpha)}>${escape(String(text))}</text>`,
    );
  }
  strokeText() {}

  /** The whole drawing as a file. */
  text() {
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${this.height}">` +
      `<defs>${this.definitions.join("")}</defs>${this.parts.join("")}${"</g>".repeat(this.groups)}</svg>`
    );
  }
}

const round = (value) => Math.round(value * 100) / 100;
const finite = (x, y) => Number.isFinite(x) && Number.isFinite(y);
const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

function fontOf(font) {
  const found = /(\d+(?:\.\d+)?)px(?:\/\S+)?\s+(.*)$/.exec(font);
  return found ? [Number(found[1]), found[2]] : [12, "sans-serif"];
}

/** Colours with an opacity in two attributes: drawing programs do not read rgba(). */
function paint(kind, colour, alpha) {
  const found = /^rgba\(([^,]+),([^,]+),([^,]+),([^)]+)\)$/.exec(colour);
  const opacity = (found ? Number(found[4]) : 1) * alpha;
  const solid = found ? `rgb(${found[1].trim()},${found[2].trim()},${found[3].trim()})` : colour;
  return `${kind}="${escape(String(solid))}"${opacity < 1 ? ` ${kind}-opacity="${round(opacity)}"` : ""}`;
}
