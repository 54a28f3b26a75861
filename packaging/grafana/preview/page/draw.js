// Panels with current values: numbers, bars and tables.

function element(parent, name, text, style = {}) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  Object.assign(made.style, style);
  parent.append(made);
  return made;
}

// values returns the last value of each series.
const values = answers => answers.flat().map(one => ({...one, value: one.points.at(-1)[1]}));

// numbers draws large numbers, sized to fit the longest.
export function numbers(view, answers) {
  const all = values(answers).map((one, index) => ({...one, text: view.format(one.value, view.unit(one.name)), color: view.color(one, index)}));
  const box = element(view.body, 'div');
  box.className = 'numbers';
  const width = box.clientWidth / all.length - 24, height = box.clientHeight;
  const large = Math.min(0.5 * height, fitting(all.map(one => one.text), width));
  const small = Math.min(0.24 * height, 16, fitting(all.map(one => one.name), width));
  for (const one of all) {
    const cell = element(box, 'div');
    element(cell, 'span', one.name, {fontSize: `${small}px`});
    element(cell, 'b', one.text, {fontSize: `${large}px`, color: one.color});
  }
}

// fitting returns the font size at which all texts fit a width.
function fitting(texts, width) {
  const context = document.createElement('canvas').getContext('2d');
  context.font = '500 100px Inter';
  return 100 * width / Math.max(...texts.map(text => context.measureText(text).width));
}

// bars draws a bar for each value.
export function bars(view, answers) {
  const all = values(answers);
  const most = Math.max(...all.map(one => one.value), Number.MIN_VALUE);
  const box = element(view.body, 'div');
  box.className = 'bars';
  all.forEach((one, index) => {
    const color = view.color(one, index);
    element(box, 'span', one.name);
    const track = element(box, 'div');
    track.className = 'track';
    element(track, 'div', undefined, {width: `${100 * one.value / most}%`, background: color}).className = 'bar';
    element(box, 'b', view.format(one.value, view.unit(one.name)), {color, fontWeight: 500});
  });
}

// columnWidths returns the configured widths, and equal shares of the rest.
function columnWidths(view, names, width) {
  const configured = names.map(name => view.property(name, 'custom.width'));
  const rest = width - configured.reduce((sum, one) => sum + (one ?? 0), 0);
  const share = rest / configured.filter(one => one === undefined).length;
  const least = view.defaults.custom.minWidth ?? 150;
  if (share < least) throw new Error(`the columns need more than ${width} pixels`);
  return configured.map(one => one ?? share);
}

// list draws a table with a row for each label set, and the columns of the panel.
export function list(view, answers) {
  const rows = new Map();
  answers.forEach((answer, i) => answer.forEach(({labels, points}) => {
    const key = JSON.stringify(labels);
    const column = answers.length > 1 ? `Value #${view.targets[i].refId}` : 'Value';
    rows.set(key, {...rows.get(key), ...labels, [column]: points.at(-1)[1]});
  }));
  const {indexByName, renameByName} = view.transformations.find(one => one.id === 'organize').options;
  const columns = Object.keys(indexByName).sort((a, b) => indexByName[a] - indexByName[b]);
  const {displayName, desc} = view.options.sortBy[0];
  const by = columns.find(column => renameByName[column] === displayName);
  const sorted = [...rows.values()].sort((a, b) => (desc ? -1 : 1) * ((a[by] ?? -Infinity) - (b[by] ?? -Infinity)));

  const box = element(view.body, 'div');
  box.className = 'list';
  const table = element(box, 'table');
  columnWidths(view, columns.map(column => renameByName[column]), box.clientWidth)
    .forEach(width => element(element(table, 'colgroup'), 'col', undefined, {width: `${width}px`}));
  const head = element(table, 'tr');
  for (const column of columns) element(head, 'th', renameByName[column]).className = column.startsWith('Value') ? 'value' : '';
  for (const row of sorted) {
    const line = element(table, 'tr');
    for (const column of columns) {
      const name = renameByName[column];
      if (column.startsWith('Value')) {
        element(line, 'td', view.format(row[column] ?? null, view.unit(name), name)).className = 'value';
      } else {
        element(line, 'td', row[column]).className = view.property(name, 'links') ? 'link' : '';
      }
    }
  }
}
