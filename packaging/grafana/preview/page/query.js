// Queries of panels, sent as Grafana sends them.

import {rangeUtil} from '@grafana/data';
import {fill, macros} from './macros.js';

// Answers by URL: the time is fixed, and each dashboard is drawn several times.
const answers = new Map();

async function request(url) {
  const response = await fetch(url);
  const answer = await response.json();
  if (answer.status !== 'success') throw new Error(answer.error);
  return answer.data;
}

// The value of constant variables, which are 0 until people set them.
const constant = '100';

// A Source queries Prometheus. The variables have the value All.
export class Source {
  constructor(url, variables) {
    this.url = url;
    this.variables = Object.fromEntries(variables.map(v => [`$${v.name}`, v.type === 'constant' ? constant : v.allValue]));
  }

  get(path, parameters) {
    const url = `${this.url}/api/v1/${path}?${new URLSearchParams(parameters)}`;
    if (!answers.has(url)) answers.set(url, request(url));
    return answers.get(url);
  }

  // values returns the values of a variable defined as label_values(selector, label).
  async values(variable, range) {
    const [, selector, label] = /^label_values\((.*), (\w+)\)$/.exec(variable.definition);
    return this.get(`label/${label}/values`, {'match[]': fill(selector, this.variables), start: range.from.unix(), end: range.to.unix()});
  }

  // ask sends a query, and returns a step and the series that Prometheus answers.
  async ask(target, range, points) {
    const scrape = target.interval ?? '15s'; // the default of the data source
    const step = rangeUtil.calculateInterval(range, points, scrape).intervalMs;
    const query = fill(target.expr, {...this.variables, ...macros(range.to.diff(range.from), step, rangeUtil.intervalToMs(scrape))});
    const aligned = time => Math.floor(time.valueOf() / step) * step / 1000;
    const {result} = target.instant
      ? await this.get('query', {query, time: range.to.valueOf() / 1000})
      : await this.get('query_range', {query, step: step / 1000, start: aligned(range.from), end: aligned(range.to)});
    return {step, result};
  }
}
