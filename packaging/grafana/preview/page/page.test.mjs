// Tests of the modules that need no browser and no package.

import assert from 'node:assert/strict';
import {test} from 'node:test';
import {regions} from './events.js';
import {buckets, legend, series, table} from './frames.js';
import {fill, macros} from './macros.js';

test('macros', () => {
  const hour = 3_600_000, minute = 60_000;
  for (const [step, scrape, want] of [
    [minute, minute, '240s'], // four scrapes
    [10 * minute, minute, '660s'], // a step and a scrape
    [5_000, 15_000, '60s'],
  ]) assert.deepEqual(macros(hour, step, scrape), {$__rate_interval: want, $__interval: `${step / 1000}s`, $__range: '3600s'});
});

test('fill', () => {
  assert.equal(fill('rate(a{job=~"$job"}[$__rate_interval])', {$job: '.+', $__rate_interval: '4m'}), 'rate(a{job=~".+"}[4m])');
  assert.throws(() => fill('a{b="$c"}', {}), /unknown variable \$c/);
});

const metric = (labels, ...points) => ({metric: labels, values: points});

test('legend', () => assert.equal(legend('{{ model }} of {{user}}', {model: 'opus'}), 'opus of '));

test('series', () => {
  const answer = {step: 60_000, result: [metric({model: 'opus'}, [60, '1.5'], [120, '+Inf'], [180, 'NaN'])]};
  const [{refId, length, fields: [time, value]}] = series({refId: 'A', legendFormat: '{{model}}'}, answer);
  assert.deepEqual([refId, length, time.config.interval, value.config.displayNameFromDS], ['A', 3, 60_000, 'opus']);
  assert.deepEqual(time.values, [60_000, 120_000, 180_000]);
  assert.deepEqual(value.values, [1.5, Infinity, NaN]);
});

test('table', () => {
  const result = [{metric: {tool: 'Bash'}, value: [60, '2']}, {metric: {tool: 'Edit', user: 'bob'}, value: [60, '3']}];
  const columns = several => Object.fromEntries(table({refId: 'B'}, {result}, several)[0].fields.map(({name, values}) => [name, values]));
  assert.deepEqual(columns(true), {Time: [60_000, 60_000], tool: ['Bash', 'Edit'], user: ['', 'bob'], 'Value #B': [2, 3]});
  assert.deepEqual(columns(false).Value, [2, 3]);
  assert.deepEqual(table({refId: 'A'}, {result: []}, false), []);
});

test('buckets', () => {
  const result = [metric({le: '+Inf'}, [60, '5'], [120, '9']), metric({le: '10'}, [60, '4'], [120, '4']), metric({le: '2.5'}, [60, '1'], [120, '0'])];
  assert.deepEqual(buckets({result}), {bounds: [2.5, 10, Infinity], times: [60_000, 120_000], counts: [[1, 0], [3, 4], [1, 5]]});
});

test('regions', () => {
  const values = [[60, '1'], [120, '2'], [180, '0'], [300, '1'], [360, 'NaN']];
  assert.deepEqual(regions(values, 60_000), [[60_000, 120_000], [300_000, 300_000]]);
  assert.deepEqual(regions([[60, '5000'], [120, '5000']], 60_000, true), [[5000, 5000]]);
});
