// Heatmaps. Their cells are our own: Grafana publishes only the axes around them.

import {formattedValueToString, getValueFormat} from '@grafana/data';
import {AxisPlacement, ScaleDirection, ScaleOrientation} from '@grafana/schema';
import {UPlotChart, UPlotConfigBuilder} from '@grafana/ui';
import {useMemo} from 'react';

// shade returns the color of a fraction of the maximum in the scheme Blues.
function shade(fraction, theme) {
  const [least, most] = theme.isDark ? [[8, 48, 107], [247, 251, 255]] : [[222, 235, 247], [8, 48, 107]];
  return `rgb(${least.map((from, i) => Math.round(from + (most[i] - from) * fraction))})`;
}

// cells returns a hook that draws the counts of buckets.
const cells = ({buckets: {times, counts}, step}, options, theme) => u => {
  const most = Math.max(...counts.flat());
  const gap = options.cellGap * devicePixelRatio;
  counts.forEach((row, y) => row.forEach((count, x) => {
    if (!(count > options.filterValues.le)) return;
    const left = Math.max(u.bbox.left, u.valToPos(times[x] - step, 'x', true)), right = u.valToPos(times[x], 'x', true);
    const top = u.valToPos(y + 1, 'y', true), bottom = u.valToPos(y, 'y', true);
    u.ctx.fillStyle = shade((count / most) ** options.color.exponent, theme);
    u.ctx.fillRect(left, top, Math.max(0, right - left - gap), bottom - top - gap);
  }));
};

// plot returns the configuration of axes and cells. Rows have equal heights, and their
// upper bounds as labels, as far as there is room.
function plot(data, options, theme, height) {
  const {bounds} = data.buckets;
  const format = getValueFormat(options.yAxis.unit);
  const label = bound => bound === Infinity ? '+Inf' : formattedValueToString(format(bound));
  const every = Math.ceil(20 * bounds.length / height);
  const config = new UPlotConfigBuilder('browser');
  config.addScale({
    scaleKey: 'x', isTime: true, orientation: ScaleOrientation.Horizontal, direction: ScaleDirection.Right,
    range: () => [data.range.from.valueOf(), data.range.to.valueOf()],
  });
  config.addScale({scaleKey: 'y', orientation: ScaleOrientation.Vertical, direction: ScaleDirection.Up, range: () => [0, bounds.length]});
  config.addAxis({scaleKey: 'x', isTime: true, placement: AxisPlacement.Bottom, timeZone: 'browser', theme});
  config.addAxis({
    scaleKey: 'y', placement: AxisPlacement.Left, theme, splits: () => bounds.map((_, i) => i + 1),
    values: (_, splits) => splits.map(split => split % every === 0 ? label(bounds[split - 1]) : ''),
  });
  config.addSeries({scaleKey: 'y', pathBuilder: () => null, pointsBuilder: () => null, theme});
  config.addHook('draw', cells(data, options, theme));
  return config;
}

export function Heatmap({data, options, theme, width, height}) {
  const config = useMemo(() => plot(data, options, theme, height), [data, options, theme, height]);
  const {times} = data.buckets;
  return <UPlotChart config={config} data={[times, times.map(() => 0)]} width={width} height={height} />;
}
