// The data of a panel: its queries, transformations and field properties applied.

import {applyFieldOverrides, cacheFieldDisplayNames, rangeUtil, transformDataFrame} from '@grafana/data';
import {firstValueFrom} from 'rxjs';
import {buckets, series, table} from './frames.js';
import {fieldRegistry} from './registry.js';

// rangeFrom returns the time range of "now-9h" or "now/w" to now.
export const rangeFrom = from => rangeUtil.convertRawToRange({from, to: 'now'});

// fieldConfig returns the field configuration as Grafana loads it: JSON has no
// infinity, which is the value of the first threshold.
function fieldConfig(panel) {
  const config = structuredClone(panel.fieldConfig);
  for (const step of config.defaults.thresholds?.steps ?? []) step.value ??= -Infinity;
  return config;
}

// replaceVariables fills in the name of a series, the only variable of our field
// properties.
export const replaceVariables = (text, scoped) => text.replace('${__series.name}', () => scoped.__dataContext.value.frame.name);

// load returns the data of a panel: frames, or buckets of a heatmap.
export async function load(panel, source, dashboardRange, width, theme) {
  const range = panel.timeFrom ? rangeFrom(rangeUtil.describeTextRange(panel.timeFrom).from) : dashboardRange;
  const answers = await Promise.all(panel.targets.map(target => source.ask(target, range, panel.maxDataPoints ?? width)));
  const config = fieldConfig(panel);
  if (answers.every(({result}) => result.length === 0)) return {range, frames: [], config};
  if (panel.type === 'heatmap') return {range, frames: [], step: answers[0].step, buckets: buckets(answers[0])};
  const made = panel.targets.flatMap((target, i) => target.format === 'table'
    ? table(target, answers[i], panel.targets.length > 1) : series(target, answers[i]));
  const transformed = await firstValueFrom(transformDataFrame(panel.transformations ?? [], made));
  const frames = applyFieldOverrides({
    data: transformed, fieldConfig: config, fieldConfigRegistry: fieldRegistry(config), replaceVariables, theme, timeZone: 'browser',
  });
  cacheFieldDisplayNames(frames);
  return {range, frames, config};
}
