// Tests of the modules that need no browser.

import assert from 'node:assert/strict';
import {test} from 'node:test';
import {colorOf} from './color.js';
import {format} from './format.js';
import {macros, moment, stepOf} from './time.js';

const at = text => Date.parse(text);

test('moment', () => {
  const now = at('2026-11-12T16:00:30Z'); // a Thursday
  for (const [text, want] of [
    ['now', '2026-11-12T16:00:30Z'],
    ['now-9h', '2026-11-12T07:00:30Z'],
    ['now/d', '2026-11-12T00:00:00Z'],
    ['now/w', '2026-11-09T00:00:00Z'],
    ['now/M', '2026-11-01T00:00:00Z'],
    ['now-11d/w', '2026-10-26T00:00:00Z'],
  ]) assert.equal(moment(text, now), at(want), text);
});

test('stepOf', () => {
  const hour = 3_600_000;
  for (const [range, points, least, want] of [
    [hour, 600, 0, 5_000],
    [hour, 600, 60_000, 60_000],
    [9 * hour, 60, 60_000, 600_000],
    [24 * hour, 120, 60_000, 600_000],
    [24 * hour, 60, 60_000, 1_200_000],
    [168 * hour, 120, 60_000, 3_600_000],
  ]) assert.equal(stepOf(range, points, least), want);
});

test('macros', () => {
  assert.deepEqual(macros(3_600_000, 60_000, '1m'), {$__rate_interval: '240s', $__range: '3600s'});
  assert.deepEqual(macros(3_600_000, 600_000, '1m'), {$__rate_interval: '660s', $__range: '3600s'});
  assert.deepEqual(macros(3_600_000, 5_000, undefined), {$__rate_interval: '60s', $__range: '3600s'});
});

test('format', () => {
  for (const [value, unit, want] of [
    [0, 'si:tok', '0 tok'], [999, 'si:tok', '999 tok'], [74_852_340, 'si:tok', '74.9 Mtok'], [1880, 'locale', '1,880'], [29.84, 'short', '29.8'],
    [0.9674, 'percentunit', '96.7%'], [1, 'percentunit', '100%'], [2048, 'bytes', '2 KiB'], [1500, 'Bps', '1.50 kB/s'], [12.5, 'suffix:/h', '12.5 /h'],
    [0.00049, 's', '490 µs'], [0.25, 's', '250 ms'], [60, 's', '1 min'], [90, 's', '1.50 mins'], [7200, 's', '2 hours'], [0, 'bool_yes_no', 'No'],
    [1_000_000 - 3_600_000, 'dateTimeFromNow', 'an hour ago'], [999_000, 'dateTimeFromNow', 'a few seconds ago'], [null, 'locale', 'nothing'],
  ]) assert.equal(format(value, unit, 'nothing', 1_000_000), want, `${value} ${unit}`);
  assert.throws(() => format(1, 'furlongs'), /furlongs/);
});

test('colorOf', () => {
  const steps = {steps: [{value: null, color: 'red'}, {value: 0.7, color: 'yellow'}, {value: 0.85, color: 'green'}]};
  for (const [value, want] of [[0.1, '#f2495c'], [0.7, '#fade2a'], [0.9, '#73bf69']]) {
    assert.equal(colorOf({mode: 'thresholds'}, steps, 'dark', {value}), want);
  }
  assert.equal(colorOf({mode: 'palette-classic'}, null, 'dark', {index: 57}), '#F2CC0C');
  assert.throws(() => colorOf({mode: 'rainbow'}, null, 'dark', {}), /rainbow/);
});
