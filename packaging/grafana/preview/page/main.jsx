// The page that draws a dashboard: window.show(...) returns a list of its panels, with
// the title, what is shown ("data", "no data" or an error), and the faults.

import {ThemeContext, createTheme, locationUtil} from '@grafana/data';
import {GlobalStyles, PanelChrome} from '@grafana/ui';
import {createRoot} from 'react-dom/client';
import {flushSync} from 'react-dom';
import {load, rangeFrom} from './data.js';
import {loadEvents} from './events.js';
import {faultsOf} from './faults.js';
import {Content} from './panels.jsx';
import {Source} from './query.js';

locationUtil.initialize({config: {appSubUrl: ''}, getVariablesUrlParams: () => ({}), getTimeRangeForUrl: () => ({})});
const root = createRoot(document.getElementById('page'));
const padding = 16, gap = 8, row = 30;

// size returns the width and height of a panel in pixels.
function size({w, h}) {
  const column = (document.documentElement.clientWidth - 2 * padding - 23 * gap) / 24;
  return {width: w * (column + gap) - gap, height: h * (row + gap) - gap};
}

function Header({dashboard, choices, from, theme}) {
  const box = {border: `1px solid ${theme.colors.border.weak}`, background: theme.colors.background.primary, padding: '4px 8px'};
  return (
    <header>
      <h1>{dashboard.title}</h1>
      {choices.map(([label, value]) => <span key={label} style={box}><b>{label}</b> {value}</span>)}
      {(dashboard.annotations.list ?? []).filter(one => !one.hide).map(({name, iconColor}) => (
        <span key={name} style={{...box, borderBottomColor: theme.visualization.getColorByName(iconColor)}}>{name}</span>
      ))}
      <span className="range">{from} to now</span>
    </header>
  );
}

// area is the place of a panel in the grid.
const area = ({x, y, w, h}) => ({gridArea: `${y + 1} / ${x + 1} / span ${h} / span ${w}`});

const Row = ({title, gridPos}) => <div className="row" style={area(gridPos)}>{title}</div>;

function Panel({panel, data, theme}) {
  return (
    <div className="panel" style={area(panel.gridPos)}>
      <PanelChrome title={panel.title} description={panel.description} {...size(panel.gridPos)}>
        {(width, height) => data.error ? <div className="none">{data.error}</div>
          : <Content panel={panel} data={data} theme={theme} width={width} height={height} />}
      </PanelChrome>
    </div>
  );
}

// opened returns the panels and rows of a dashboard with all rows opened.
function opened({panels}) {
  let below = 0; // rows that are opened above
  return panels.flatMap(panel => {
    const moved = one => ({...one, gridPos: {...one.gridPos, y: one.gridPos.y + below}});
    const all = [panel, ...panel.panels ?? []].map(moved);
    below += Math.max(0, ...(panel.panels ?? []).map(({gridPos}) => gridPos.y + gridPos.h)) - (panel.panels?.length ? panel.gridPos.y + panel.gridPos.h : 0);
    return all;
  });
}

// isMarked reports whether an annotation marks a panel.
const isMarked = ({filter}, panel) => !filter || filter.exclude !== filter.ids.includes(panel.id);

// choices returns the visible variables and their values.
const choices = (dashboard, source, range) => Promise.all(dashboard.templating.list.filter(one => one.hide !== 2).map(async one =>
  [one.label, one.type === 'query' ? `All (${(await source.values(one, range)).length})` : 'Prometheus']));

// render draws the content of a page after its fonts are loaded: the styles of a theme
// contain them, and charts have to measure text.
async function render(theme, key, content) {
  const page = shown => <ThemeContext.Provider value={theme}><GlobalStyles /><div key={key}>{shown}</div></ThemeContext.Provider>;
  flushSync(() => root.render(page(null)));
  await Promise.all([400, 500].map(weight => document.fonts.load(`${weight} 12px Inter`)));
  flushSync(() => root.render(page(content)));
}

// drawn waits until icons are loaded, and the page has not changed for some frames:
// components measure their content before they draw the rest.
async function drawn() {
  let quiet = 0;
  const observer = new MutationObserver(() => quiet = 0);
  observer.observe(document.body, {childList: true, subtree: true, attributes: true});
  for (; quiet < 6; quiet++) await new Promise(requestAnimationFrame);
  observer.disconnect();
}

const result = data => data.error ? `an error: ${data.error}` : data.frames.length > 0 || data.buckets ? 'data' : 'no data';

window.show = async ({name, prometheus, theme: mode}) => {
  const theme = createTheme({colors: {mode}});
  const dashboard = await (await fetch(`/dashboards/${name}.json`)).json();
  const {from} = dashboard.time;
  const range = rangeFrom(from);
  const source = new Source(prometheus, dashboard.templating.list);
  const all = opened(dashboard), rows = all.filter(({type}) => type === 'row');
  const panels = all.filter(({type}) => type !== 'row').map((panel, i) => ({...panel, key: `${name}-${mode}-${i}`}));
  const events = await Promise.all((dashboard.annotations.list ?? []).map(async one => ({one, events: await loadEvents([one], source, range)})));
  const [chosen, ...data] = await Promise.all([choices(dashboard, source, range), ...panels.map(async panel => {
    const {width} = size(panel.gridPos);
    const data = await load(panel, source, range, Math.round(width - 2 * padding), theme).catch(error => ({error: error.message, frames: []}));
    return {...data, annotations: events.filter(({one}) => isMarked(one, panel)).flatMap(({events}) => events)};
  })]);
  await render(theme, name, <>
    <Header dashboard={dashboard} choices={chosen} from={from} theme={theme} />
    <main>{rows.map(row => <Row key={row.id} {...row} />)}{panels.map(({key, ...panel}, i) => <Panel key={key} panel={panel} data={data[i]} theme={theme} />)}</main>
  </>);
  await drawn();
  const places = document.querySelectorAll('main > .panel');
  return panels.map((panel, i) => ({title: panel.title, result: result(data[i]), faults: faultsOf(places[i], panel, data[i])}));
};
