// Lays out a dashboard of Grafana from its JSON, and draws what a Prometheus
// answers. It is no Grafana: it knows what these dashboards use, and what it does
// not know is an error. The parameters of its address are dashboard, source (the
// URL of the server), theme (dark or light), from, and now in milliseconds.
//
// When everything is drawn, window.panels says of each panel whether it shows
// something, "nothing" or an error, and which of its texts have no room.

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
const chosen = {from: moment(parameters.from, now), to: now};

// A View is a panel, and what drawing it needs.
class View {
  constructor(panel, body) {
    Object.assign(this, panel, {defaults: panel.fieldConfig.defaults, body, theme});
    this.range = panel.timeFrom ? {from: moment(panel.timeFrom, now), to: now} : chosen;
    this.format = this.format.bind(this);
  }

  // property is what the fields of a name have another one of.
  property(name, id) {
    const fits = ({matcher}) => matcher.id === 'byType' || matcher.options === name;
    return this.fieldConfig.overrides.filter(fits).flatMap(one => one.properties).findLast(one => one.id === id)?.value;
  }

  unit(name) { return this.property(name, 'unit') ?? this.defaults.unit; }

  format(value, unit, name) {
    return format(value, typeof unit === 'string' ? unit : this.defaults.unit, this.property(name, 'noValue') ?? this.defaults.noValue, now);
  }

  color({name, value}, place) {
    return colorOf(this.property(name, 'color') ?? this.defaults.color, this.defaults.thresholds, theme, {place, value});
  }

  async draw(source) {
    const points = this.maxDataPoints ?? this.body.clientWidth;
    const answers = await Promise.all(this.targets.map(target => source.ask(target, this.range, points)));
    if (answers.every(answer => answer.length === 0)) {
      const none = document.createElement('div');
      none.className = 'none';
      none.textContent = this.defaults.noValue;
      this.body.append(none);
      return 'nothing';
    }
    kinds[this.type](this, answers);
    return 'something';
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
    const values = variable.type === 'query' ? await source.values(variable, chosen) : ['Prometheus'];
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

// cramped returns the texts of a panel that have no room.
function cramped(body) {
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
    let shows;
    try {
      shows = await view.draw(source);
    } catch (error) {
      text(view.body, 'div', shows = `an error: ${error.message}`).className = 'error';
    }
    return {title: view.title, shows, cramped: cramped(view.body)};
  }));
}

window.panels = await main();
