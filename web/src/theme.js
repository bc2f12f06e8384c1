/** Colours live in the style sheet; figures read them from there, so that both always agree. */
const names = ["card", "ink", "soft", "faint", "grid", "mean", "observed", "aleatoric", "epistemic", "total", "band", "warm", "cool"];

let cached = null;

/** The colours of the present theme. Reading them makes the browser lay out the page, so it happens once per theme. */
export function colours() {
  return (cached ??= read());
}

function read() {
  const style = getComputedStyle(document.documentElement);
  const value = (name) => style.getPropertyValue(`--${name}`).trim();
  const result = Object.fromEntries(names.map((name) => [name, value(name)]));
  result.series = Array.from({ length: 8 }, (_, i) => value(`series-${i + 1}`));
  result.font = getComputedStyle(document.body).fontFamily;
  return result;
}

/** "#rrggbb" with an opacity. */
export function fade(colour, opacity) {
  const part = (at) => parseInt(colour.slice(at, at + 2), 16);
  return `rgba(${part(1)}, ${part(3)}, ${part(5)}, ${opacity})`;
}

/** A colour between two, t from 0 to 1. */
export function mix(from, to, t) {
  const part = (at) => Math.round(parseInt(from.slice(at, at + 2), 16) * (1 - t) + parseInt(to.slice(at, at + 2), 16) * t);
  return `#${[1, 3, 5].map((at) => part(at).toString(16).padStart(2, "0")).join("")}`;
}

const system = matchMedia("(prefers-color-scheme: dark)");
let chosen = null;

export const isDark = () => document.documentElement.dataset.theme === "dark";

/** Keeps the page in the reader's theme; `redraw` is called after every change. */
export function followTheme(redraw) {
  const apply = (dark) => {
    if (isDark() === dark) return;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    cached = null;
    redraw();
  };
  const wanted = () => (chosen === null ? system.matches : chosen);
  document.documentElement.dataset.theme = wanted() ? "dark" : "light";
  system.addEventListener("change", () => apply(wanted()));
  addEventListener("beforeprint", () => apply(false));
  addEventListener("afterprint", () => apply(wanted()));
  return {
    toggle() {
      chosen = !isDark();
      apply(chosen);
    },
  };
}
