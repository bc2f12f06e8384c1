/** A number as people read it: a few digits, a real minus sign, powers of ten only where they help. */
export function number(value, digits = 4) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "\u2013";
  const size = Math.abs(value);
  let text;
  if (Number.isInteger(value) && size < 1e15) text = grouped(value);
  else if (size !== 0 && (size < 1e-4 || size >= 1e9)) text = value.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e");
  else if (size >= 10 ** digits) text = grouped(Math.round(value));
  else text = String(Number(value.toPrecision(digits)));
  return text.replace("e-", "e\u2212").replace(/^-/, "\u2212");
}

function grouped(value) {
  const text = String(value);
  return Math.abs(value) < 10000 ? text : text.replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

const two = (value) => String(value).padStart(2, "0");
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Seconds since 1970 as "2017-01-01 03:00" (UTC). */
export function moment(seconds) {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return number(seconds);
  const clock = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`;
  const rest = date.getUTCSeconds() ? `:${two(date.getUTCSeconds())}` : "";
  return `${date.getUTCFullYear()}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())} ${clock}${rest}`;
}

const minute = 60, hour = 3600, day = 86400;
const steps = [1, 5, 15, 30, minute, 5 * minute, 15 * minute, 30 * minute, hour, 3 * hour, 6 * hour, 12 * hour, day, 2 * day, 4 * day, 7 * day, 14 * day];
const monthSteps = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200];

/** Ticks of a time axis at round moments (UTC): about `count` of them, each with its label. */
export function timeTicks(low, high, count) {
  const span = high - low;
  const step = steps.find((seconds) => span / seconds <= count);
  const ticks = [];
  let year = null;
  if (step) {
    for (let at = Math.ceil(low / step) * step; at <= high; at += step) {
      const date = new Date(at * 1000);
      const midnight = at % day === 0;
      const dayText = `${date.getUTCDate()} ${months[date.getUTCMonth()]}`;
      const time = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}` + (step < minute ? `:${two(date.getUTCSeconds())}` : "");
      // The first tick of each year says which year, the first of all which day.
      const first = year !== date.getUTCFullYear();
      year = date.getUTCFullYear();
      const short = midnight || step >= day ? dayText : time;
      ticks.push({ value: at, label: first ? [short, short === time ? `${dayText} ${year}` : String(year)] : short });
    }
    return ticks;
  }
  const stride = monthSteps.find((length) => span / (length * 30.4 * day) <= count) || 6000;
  const first = new Date(low * 1000);
  for (let index = Math.floor((first.getUTCFullYear() * 12 + first.getUTCMonth()) / stride) * stride; ; index += stride) {
    const date = new Date(0);
    date.setUTCFullYear(Math.floor(index / 12), index % 12, 1);
    const at = date.getTime() / 1000;
    if (at > high || ticks.length > 50) return ticks;
    if (at >= low) ticks.push({ value: at, label: date.getUTCMonth() === 0 ? String(date.getUTCFullYear()) : `${months[date.getUTCMonth()]} ${date.getUTCFullYear()}` });
  }
}
