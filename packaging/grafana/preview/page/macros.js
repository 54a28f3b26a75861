// Macros of the data source, which is not part of Grafana's packages.

const second = 1000;

// macros returns the values of Grafana's macros for a range, a step and the scrape
// interval, all in milliseconds.
export function macros(range, step, scrape) {
  return {
    $__rate_interval: `${Math.max(step + scrape, 4 * scrape) / second}s`,
    $__interval: `${step / second}s`,
    $__range: `${Math.round(range / second)}s`,
  };
}

// fill replaces macros and variables in an expression.
export function fill(expr, values) {
  return expr.replace(/\$\w+/g, name => {
    if (values[name] === undefined) throw new Error(`unknown variable ${name}`);
    return values[name];
  });
}
