// Time ranges and steps, computed like in Grafana.

const second = 1000, minute = 60 * second, hour = 60 * minute, day = 24 * hour;
const units = {s: second, m: minute, h: hour, d: day, w: 7 * day};

// moment returns the time of "now", "now-6h" or "now/w", in milliseconds.
export function moment(text, now) {
  const [, sign, count, unit, start] = /^now(?:([-+])(\d+)([smhdw]))?(?:\/([dwM]))?$/.exec(text);
  const at = now + (sign ? Number(sign + count) * units[unit] : 0);
  return start ? startOf(start, new Date(at)) : at;
}

function startOf(unit, date) {
  const monday = date.getUTCDate() - (date.getUTCDay() + 6) % 7;
  const first = {d: date.getUTCDate(), w: monday, M: 1}[unit];
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), first);
}

const steps = [1, 2, 5, 10, 15, 20, 30].map(n => n * second)
  .concat([1, 2, 5, 10, 15, 20, 30].map(n => n * minute), [1, 2, 3, 6, 12].map(n => n * hour), day);

// stepOf returns the rounded step for a number of points in a range, with a minimum.
export function stepOf(range, points, least) {
  const exact = range / points;
  const round = steps.find((step, i) => exact < (step + (steps[i + 1] ?? Infinity)) / 2);
  return Math.max(round, least);
}

// duration parses the interval of a query.
export function duration(text) {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(text);
  return count * units[unit];
}

// macros returns the values of Grafana's macros for a data source with the default
// scrape interval of 15 s.
export function macros(range, step, interval) {
  const scrape = interval ? duration(interval) : 15 * second;
  return {
    $__rate_interval: `${Math.max(step + scrape, 4 * scrape) / second}s`,
    $__range: `${Math.round(range / second)}s`,
  };
}
