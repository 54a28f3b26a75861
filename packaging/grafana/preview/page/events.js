// Events: what Prometheus answers to the queries of annotations.

import {legend} from './frames.js';

// loadEvents returns the events of the annotations of a dashboard. Points of a series
// above 0 are events; those that follow each other within a step are one.
export async function loadEvents(annotations, source, range) {
  const events = await Promise.all(annotations.filter(one => one.enable).map(async one => {
    const {expr, interval} = one.target ?? {expr: one.expr, interval: one.step};
    const {step, result} = await source.ask({expr, interval: interval || '60s'}, range, 11_000);
    return result.flatMap(({metric, values}) => regions(values, step, one.useValueForTime)
      .map(([from, to]) => ({from, to, color: one.iconColor, name: one.name, title: legend(one.titleFormat ?? '', metric)})));
  }));
  return events.flat();
}

// regions returns the first and last time of successive points, in milliseconds.
export function regions(values, step, valueIsTime) {
  const found = [];
  for (const [time, text] of values) {
    if (!(Number(text) > 0)) continue;
    const at = valueIsTime ? Number(text) : time * 1000;
    const last = found.at(-1);
    if (last && at - last[1] <= step) last[1] = at;
    else found.push([at, at]);
  }
  return found;
}
