// What the panels of a dashboard ask, sent as Grafana sends it.

import {duration, macros, stepOf} from './time.js';

// A source answers queries of Prometheus.
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

  // values returns those of a variable: label_values(selection, label).
  async values(variable, range) {
    const [, selection, label] = /^label_values\((.*), (\w+)\)$/.exec(variable.definition);
    return this.get(`label/${label}/values`, {'match[]': this.fill(selection, {}), start: range.from / 1000, end: range.to / 1000});
  }

  // fill puts in what stands for variables and macros.
  fill(expr, macros) {
    const values = {...macros, ...Object.fromEntries(this.variables.map(v => [`$${v.name}`, v.allValue]))};
    return expr.replace(/\$\w+/g, name => {
      if (values[name] === undefined) throw new Error(`nothing is known of ${name}`);
      return values[name];
    });
  }

  // ask sends a query, and returns the series of its answer: their labels, name
  // and points, of times in seconds and numbers.
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
