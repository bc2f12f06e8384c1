import { element, save } from "./dom.js";
import { number } from "./format.js";

/** One number of decimals for a whole column, so that its numbers can be compared by eye. */
function columnText(values) {
  const numbers = values.filter((value) => typeof value === "number" && value !== 0).map(Math.abs);
  const largest = Math.max(...numbers), smallest = Math.min(...numbers);
  const plain = (value) => (typeof value === "string" ? value : number(value, 5));
  if (numbers.every(Number.isInteger) || largest >= 1e6 || smallest < 1e-4) return plain;
  const decimals = Math.max(0, 3 - Math.floor(Math.log10(largest)));
  return (value) => (typeof value === "number" ? value.toFixed(decimals).replace("-", "\u2212") : plain(value));
}

/** An HTML table of the first rows. */
export function tableElement({ columns, rows }, limit = Infinity) {
  const words = columns.map((_, j) => rows.length > 0 && rows.every((row) => typeof row[j] === "string"));
  const cell = (tag, value, j) => element(tag, { class: words[j] ? "words" : undefined }, value);
  const head = element("tr", {}, ...columns.map((name, j) => cell("th", name, j)));
  const shown = rows.slice(0, limit);
  const texts = columns.map((_, j) => columnText(shown.map((row) => row[j])));
  const body = shown.map((row) => element("tr", {}, ...row.map((value, j) => cell("td", texts[j](value), j))));
  return element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "table" },
    element("table", {}, element("thead", {}, head), element("tbody", {}, ...body)));
}

const csvCell = (value) => {
  if (value === null || value === undefined) return "";
  const text = String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const csvText = ({ columns, rows }) => [columns, ...rows].map((row) => row.map(csvCell).join(",") + "\n").join("");

export const saveCsv = (table, name) => save(`${name}.csv`, "text/csv", csvText(table));
