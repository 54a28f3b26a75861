// Faults of a drawn panel that are visible without looking at the picture.

import {selectors} from '@grafana/e2e-selectors';

const valueOfBar = selectors.components.Panels.Visualization.BarGauge.valueV2;

// The least sizes of text and of numbers in pixels, and the largest of a text for missing
// data.
const least = {text: 11, number: 20}, largestEmpty = 32;

// empty finds texts for missing data that shout, and bars for no value.
function empty(place, {type, options}) {
  const shouting = texts(place).map(({element}) => parseFloat(getComputedStyle(element).fontSize)).filter(size => size > largestEmpty);
  return [...shouting.map(size => `shows missing data in ${size.toFixed(1)} pixels`), ...type === 'bargauge' && options.showUnfilled ? ['draws a bar for no value'] : []];
}

// faultsOf returns the faults of a panel that was drawn in a place.
export function faultsOf(place, panel, data) {
  if (data.error || data.frames.length === 0 && !data.buckets) return [...cut(place), ...empty(place, panel)];
  return [...cut(place), ...overflowing(place), ...(kinds[panel.type] ?? graph)(place, data)];
}

// texts returns the visible texts with the element and the rectangle of each.
function texts(place) {
  const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(node);
    const element = node.parentElement, box = range.getBoundingClientRect();
    if (node.data.trim() && box.width > 0 && element.checkVisibility({visibilityProperty: true})) found.push({text: node.data, element, box});
  }
  return found;
}

// cut returns the texts that an element around them cuts off. Boxes of text are higher
// than its letters. Where people can scroll, as in tables, only the width counts.
function cut(place) {
  const isCut = ({element, box}) => {
    if (element.offsetWidth <= 1) return false; // only for screen readers
    if (getComputedStyle(element).overflowX !== 'visible' && element.scrollWidth > element.clientWidth) return true;
    const edges = 0.2 * parseFloat(getComputedStyle(element).fontSize);
    for (let around = element; around !== place.parentElement; around = around.parentElement) {
      const {overflowX, overflowY} = getComputedStyle(around), edge = around.getBoundingClientRect();
      if (overflowX !== 'visible' && (box.left < edge.left - 1 || box.right > edge.right + 1)) return true;
      if (['auto', 'scroll'].includes(overflowY)) return false;
      if (overflowY === 'hidden' && (box.top < edge.top - edges || box.bottom > edge.bottom + edges)) return true;
    }
    return false;
  };
  return texts(place).filter(isCut).map(({text}) => `truncates "${text}"`);
}

// overflowing returns what needs a scroll bar. Only tables, and legends that are
// tables, may have a vertical one.
function overflowing(place) {
  return [...place.querySelectorAll('*')].flatMap(element => {
    const {overflowX, overflowY} = getComputedStyle(element);
    const wide = ['auto', 'scroll'].includes(overflowX) && element.scrollWidth > element.clientWidth + 1;
    const tall = ['auto', 'scroll'].includes(overflowY) && element.scrollHeight > element.clientHeight + 1;
    const isTable = element.matches('[role=grid]') || element.querySelector('table');
    return [...wide ? ['scrolls horizontally'] : [], ...tall && !isTable ? ['scrolls vertically'] : []];
  });
}

const graph = place => place.querySelector('canvas') ? [] : ['has no graph'];

// numbers finds text that is too small to read, as in the wide layout.
function numbers(place) {
  const sizes = texts(place).map(({text, element}) => ({text, size: parseFloat(getComputedStyle(element).fontSize)}));
  const largest = Math.max(...sizes.map(({size}) => size));
  const small = sizes.filter(({size}) => size < least.text).map(({text, size}) => `shows "${text}" in ${size.toFixed(1)} pixels`);
  return [...small, ...largest < least.number ? [`shows numbers in ${largest.toFixed(1)} pixels`] : []];
}

// bars finds bars that are shorter than their share of the largest value, as without a
// minimum of 0.
function bars(place, {frames}) {
  const values = frames.flatMap(frame => frame.fields).filter(field => field.type === 'number').map(field => field.values.at(-1));
  const widths = [...place.querySelectorAll(`[data-testid="${valueOfBar}"]`)].map(value => value.parentElement.lastElementChild.offsetWidth);
  if (widths.length !== values.length) return [`has ${widths.length} bars for ${values.length} values`];
  if (!frames.every(({name}) => texts(place).some(({text}) => text === name))) return ['has bars without a name'];
  const most = values.indexOf(Math.max(...values));
  const share = i => Math.round(widths[most] * values[i] / values[most]);
  return values.flatMap((value, i) => widths[i] < share(i) - 5 ? [`draws ${value} ${widths[i]} pixels long, not ${share(i)}`] : []);
}

const table = place => place.querySelectorAll('[role=row]').length > 1 ? [] : ['has no rows'];

const kinds = {stat: numbers, bargauge: bars, table};
