// Marks of events in graphs.

import {useLayoutEffect} from 'react';

// draw returns a hook that draws a dashed line with a small triangle for each event.
const draw = (events, theme) => u => {
  const {ctx, bbox} = u, size = 5 * devicePixelRatio, bottom = bbox.top + bbox.height;
  ctx.save();
  for (const {from, to, color} of events) {
    const x = u.valToPos(from, 'x', true), end = u.valToPos(to, 'x', true);
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.strokeStyle = ctx.fillStyle = theme.visualization.getColorByName(color);
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([5, 5]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bottom);
    ctx.stroke();
    ctx.beginPath();
    ctx.moveTo(x - size, bottom + size);
    ctx.lineTo(x, bottom);
    ctx.lineTo(x + size, bottom + size);
    ctx.fill();
    ctx.fillRect(x, bottom, Math.min(end, bbox.left + bbox.width) - x, size);
  }
  ctx.restore();
};

// Annotations adds the events to a graph before it is drawn for the first time.
export function Annotations({config, events, theme}) {
  useLayoutEffect(() => config.addHook('draw', draw(events, theme)), [config]);
  return null;
}
