// Graphs over time, drawn with uPlot like those of Grafana.

import uPlot from '/uplot/uPlot.esm.js';
import {colorOf, heat, level} from './color.js';

const font = '12px Inter';

// series draws lines, stacked areas or bars.
export function series(view, answers) {
  const custom = view.defaults.custom;
  const all = answers.flat();
  const times = [...new Set(all.flatMap(one => one.points.map(([time]) => time)))].sort((a, b) => a - b);
  const grid = withGaps(times, all[0].step);
  const values = all.map(one => {
    const at = new Map(one.points);
    return grid.map(time => at.get(time) ?? null);
  });
  const stacked = custom.stacking?.mode === 'normal', bars = custom.drawStyle === 'bars';
  const colors = all.map((one, index) => view.color(one, index));
  const style = colors.map((color, i) => ({
    stroke: color, width: custom.lineWidth, points: {show: bars ? false : undefined, size: 4, fill: color},
    fill: stacked && !bars && i > 0 ? undefined : filled(color, custom.fillOpacity),
    paths: bars ? uPlot.paths.bars({size: [0.8], align: -1}) : undefined,
  }));
  let drawn = stacked ? stack(values) : values;
  if (bars) {
    // Stacked bars start at zero, so the highest ones are drawn first.
    style.reverse();
    drawn = drawn.reverse();
  }
  plot(view, legend(all, colors), {
    series: [{}, ...style],
    bands: stacked && !bars ? all.slice(1).map((_, i) => ({series: [i + 2, i + 1], fill: filled(colors[i + 1], custom.fillOpacity)})) : [],
    scales: {x: {range: [view.range.from / 1000, view.range.to / 1000]}, y: {range: (_, least, most) => extent(view.defaults, least, most)}},
    hooks: {draw: [u => custom.thresholdsStyle && thresholds(u, view)]},
  }, [grid, ...drawn], {values: (_, ticks) => ticks.map(tick => view.format(tick).replace(/(\.\d*?)0+(?!\d)/, '$1').replace(/\.(?!\d)/, ''))});
}

const filled = (color, percent) => color + Math.round(percent * 2.55).toString(16).padStart(2, '0');

// withGaps adds a time without a value to every gap.
function withGaps(times, step) {
  return times.flatMap((time, i) => i > 0 && time - times[i - 1] > 1.5 * step ? [times[i - 1] + step, time] : [time]);
}

// stack adds the previous series to each series.
function stack(values) {
  const sum = values[0].map(() => 0);
  const nothing = sum.map((_, i) => values.every(one => one[i] === null));
  return values.map(one => one.map((value, i) => nothing[i] ? null : (sum[i] += value ?? 0)));
}

// extent returns the range of the value axis.
function extent({custom, max}, least, most) {
  return uPlot.rangeNum(least ?? 0, most ?? 1, {min: {pad: 0.1, soft: custom.axisSoftMin, mode: 1}, max: {pad: 0.1, soft: 0, mode: 3, hard: max}});
}

// thresholds draws dashed lines at the thresholds.
function thresholds(u, view) {
  const {ctx, bbox} = u;
  ctx.save();
  ctx.setLineDash([10, 10]);
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  for (const step of view.defaults.thresholds.steps) {
    const y = u.valToPos(step.value ?? NaN, 'y', true);
    ctx.beginPath();
    ctx.strokeStyle = level(step, view.theme);
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
  }
  ctx.restore();
}

// heatmap draws the counts of histogram buckets.
export function heatmap(view, [answer]) {
  const rows = answer.map(one => ({le: Number(one.labels.le.replace('Inf', 'Infinity')), at: new Map(one.points)})).sort((a, b) => a.le - b.le);
  const times = [...rows.at(-1).at.keys()];
  const cells = rows.map((row, i) => times.map(time => row.at.get(time) - (i > 0 ? rows[i - 1].at.get(time) : 0)));
  const most = Math.max(...cells.flat());
  const draw = u => cells.forEach((row, y) => row.forEach((count, x) => {
    if (!(count > view.options.filterValues.le)) return;
    const left = u.valToPos(times[x] - answer[0].step, 'x', true), right = u.valToPos(times[x], 'x', true);
    const top = u.valToPos(y + 1, 'y', true), bottom = u.valToPos(y, 'y', true);
    u.ctx.fillStyle = heat((count / most) ** view.options.color.exponent, view.theme);
    u.ctx.fillRect(left, top, right - left - 1, bottom - top - 1);
  }));
  const unit = view.options.yAxis.unit;
  plot(view, null, {
    series: [{}, {stroke: 'transparent', points: {show: false}}],
    scales: {x: {range: [view.range.from / 1000, view.range.to / 1000]}, y: {range: [0, rows.length]}},
    hooks: {draw: [draw]},
  }, [times, times.map(() => 0)], {
    splits: () => rows.map((_, i) => i + 1),
    filter: (u, ticks) => ticks.map((tick, i) => i % Math.ceil(16 * rows.length / (u.bbox.height / devicePixelRatio)) === 0 ? tick : null),
    values: (_, ticks) => ticks.map(tick => tick === null ? '' : label(rows[tick - 1].le, unit, view)),
  });
}

const label = (le, unit, view) => le === Infinity ? '+Inf' : view.format(le, unit);

function legend(all, colors) {
  const list = document.createElement('div');
  list.className = 'legend';
  all.forEach((one, i) => {
    const entry = document.createElement('span');
    entry.textContent = one.name;
    entry.style.setProperty('--color', colors[i]);
    list.append(entry);
  });
  return list;
}

// plot creates a chart with the common options.
function plot(view, legend, options, data, y) {
  const chart = document.createElement('div'), place = document.createElement('div');
  chart.className = 'chart';
  place.className = 'plot';
  chart.append(place);
  if (legend) chart.append(legend);
  view.body.append(chart);
  const axis = {stroke: getComputedStyle(view.body).color, font, ticks: {show: false}, grid: {stroke: view.theme === 'dark' ? '#ccccdc14' : '#24292e14', width: 1}};
  new uPlot({
    ...options, width: place.clientWidth, height: place.clientHeight, legend: {show: false}, cursor: {show: false}, padding: [8, 20, 0, 0],
    axes: [{...axis, space: 70, values: [[86400, '{MM}/{DD}'], [60, '{HH}:{mm}']].map(([step, text]) => [step, text, null, null, null, null, null, null, 1])},
      {...axis, space: 30, size: (_, values) => Math.max(...(values ?? ['']).map(text => (text ?? '').length)) * 7 + 12, ...y}],
  }, data, place);
}
