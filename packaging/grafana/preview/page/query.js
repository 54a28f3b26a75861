// Queries of panels, sent like Grafana sends them.

import {duration, macros, stepOf} from './time.js';

// A Source queries Prometheus.
export class Source {
  constructor(url, variables) {
    this.url = url;
    this.variables = variables;
  }

  async get(path, parameters) {
    const response = await fetch(`${this.url}/api/v1/${path}?${new URLSearchParams(parameters)}`);
    const answer = await response.json();
    if (answer.status !== 'success') throw new Error(answer.error);
    return answer.data;
  }

  // values returns the values of a variable with the definition label_values(selector, label).
  async values(variable, range) {
    const [, selection, label] = /^label_values\((.*), (\w+)\)$/.exec(variable.definition);
    return this.get(`label/${label}/values`, {'match[]': this.fill(selection, {}), start: range.from / 1000, end: range.to / 1000});
  }

  // fill replaces variables and macros.
  fill(expr, macros) {
    const values = {...macros, ...Object.fromEntries(this.variables.map(v => [`$${v.name}`, v.allValue]))};
    return expr.replace(/\$\w+/g, name => {
      if (values[name] === undefined) throw new Error(`unknown variable ${name}`);
      return values[name];
    });
  }

  // ask sends a query and returns the series with labels, name and points, which are
  // pairs of a time in seconds and a value.
  async ask(target, range, points) {
    const span = range.to - range.from;
    const step = stepOf(span, points, target.interval ? duration(target.interval) : 0);
    const expr = this.fill(target.expr, macros(span, step, target.interval));
    const data = target.instant
      ? await this.get('query', {query: expr, time: range.to / 1000})
      : await this.get('query_range', {
        query: expr, step: step / 1000,
        start: Math.floor(range.from / step) * step / 1000, end: Math.floor(range.to / step) * step / 1000,
      });
    return data.result.map(({metric, value, values}) => ({
      labels: metric,
      name: target.legendFormat.replace(/{{\s*(\w+)\s*}}/g, (_, label) => metric[label] ?? ''),
      points: (values ?? [value]).map(([time, text]) => [time, Number(text.replace('Inf', 'Infinity'))]),
      step: step / 1000,
    }));
  }
}
