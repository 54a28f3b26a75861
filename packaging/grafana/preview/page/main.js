// Renders a Grafana dashboard from its JSON with the data of Prometheus. It supports
// only the features that these dashboards use; others are errors. URL parameters:
// dashboard, source (the URL of Prometheus), theme (dark or light), from, and now in
// milliseconds.
//
// When everything is drawn, window.panels has the result of each panel ("data", "no
// data" or an error) and its truncated texts.

import {series, heatmap} from './chart.js';
import {colorOf} from './color.js';
import {numbers, bars, list} from './draw.js';
import {format} from './format.js';
import {Source} from './query.js';
import {moment} from './time.js';

const kinds = {timeseries: series, heatmap, stat: numbers, bargauge: bars, table: list};

const parameters = Object.fromEntries(new URLSearchParams(location.search));
const theme = parameters.theme;
const now = Number(parameters.now);
const timeRange = {from: moment(parameters.from, now), to: now};

// A View draws a panel.
class View {
  constructor(panel, body) {
    Object.assign(this, panel, {defaults: panel.fieldConfig.defaults, body, theme});
    this.range = panel.timeFrom ? {from: moment(panel.timeFrom, now), to: now} : timeRange;
    this.format = this.format.bind(this);
  }

  // property returns the override of a property for a field name.
  property(name, id) {
    const fits = ({matcher}) => matcher.id === 'byType' || matcher.options === name;
    return this.fieldConfig.overrides.filter(fits).flatMap(one => one.properties).findLast(one => one.id === id)?.value;
  }

  unit(name) { return this.property(name, 'unit') ?? this.defaults.unit; }

  format(value, unit, name) {
    return format(value, typeof unit === 'string' ? unit : this.defaults.unit, this.property(name, 'noValue') ?? this.defaults.noValue, now);
  }

  color({name, value}, index) {
    return colorOf(this.property(name, 'color') ?? this.defaults.color, this.defaults.thresholds, theme, {index, value});
  }

  async draw(source) {
    const points = this.maxDataPoints ?? this.body.clientWidth;
    const answers = await Promise.all(this.targets.map(target => source.ask(target, this.range, points)));
    if (answers.every(answer => answer.length === 0)) {
      const none = document.createElement('div');
      none.className = 'none';
      none.textContent = this.defaults.noValue;
      this.body.append(none);
      return 'no data';
    }
    kinds[this.type](this, answers);
    return 'data';
  }
}

function text(parent, name, content) {
  const made = document.createElement(name);
  made.textContent = content;
  parent.append(made);
  return made;
}

async function head(dashboard, source) {
  const header = document.querySelector('header');
  text(header, 'h1', dashboard.title);
  for (const variable of dashboard.templating.list) {
    if (variable.hide === 2) continue;
    const choice = text(header, 'div', '');
    choice.className = 'choice';
    text(choice, 'b', variable.label);
    const values = variable.type === 'query' ? await source.values(variable, timeRange) : ['Prometheus'];
    text(choice, 'span', variable.includeAll ? `All (${values.length})` : values[0]);
  }
  text(header, 'span', `${parameters.from} to now`).className = 'range';
}

function frame(panel) {
  const {x, y, w, h} = panel.gridPos;
  const section = text(document.querySelector('main'), 'section', '');
  section.style.gridArea = `${y + 1} / ${x + 1} / span ${h} / span ${w}`;
  const title = text(section, 'h2', '');
  text(title, 'span', panel.title);
  if (panel.description) text(title, 'i', 'i').title = panel.description;
  const body = text(section, 'div', '');
  body.className = 'body';
  return new View(panel, body);
}

// truncated returns the texts of a panel that do not fit.
function truncated(body) {
  const texts = [...body.parentElement.querySelectorAll('h2 span, .numbers span, .numbers b, th, td')];
  const legend = body.querySelector('.legend');
  return texts.filter(one => one.scrollWidth > one.clientWidth && one.clientWidth > 0).map(one => one.textContent)
    .concat(legend && legend.scrollHeight > legend.clientHeight + 1 ? ['the legend'] : []);
}

async function main() {
  document.documentElement.className = theme;
  await Promise.all(['400 14px Inter', '500 14px Inter'].map(font => document.fonts.load(font)));
  const dashboard = await (await fetch(`/dashboards/${parameters.dashboard}.json`)).json();
  const source = new Source(parameters.source, dashboard.templating.list);
  await head(dashboard, source);
  const views = dashboard.panels.map(frame);
  return Promise.all(views.map(async view => {
    let result;
    try {
      result = await view.draw(source);
    } catch (error) {
      text(view.body, 'div', result = `an error: ${error.message}`).className = 'error';
    }
    return {title: view.title, result, truncated: truncated(view.body)};
  }));
}

window.panels = await main();
