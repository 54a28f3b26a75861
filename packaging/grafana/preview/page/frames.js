// Answers of Prometheus as data frames.

const number = text => Number(text.replace('Inf', 'Infinity'));

// legend fills in the name of a series, such as "{{model}}".
export const legend = (format, labels) => format.replace(/{{\s*(\w+)\s*}}/g, (_, label) => labels[label] ?? '');

const frame = (refId, fields, name) => ({refId, name, fields: fields.map(field => ({config: {}, ...field})), length: fields[0].values.length});

// series returns a frame for each series of an answer.
export function series(target, {step, result}) {
  return result.map(({metric, value, values}) => {
    const points = values ?? [value];
    return frame(target.refId, [
      {name: 'Time', type: 'time', values: points.map(([time]) => time * 1000), config: {interval: step}},
      {
        name: 'Value', type: 'number', labels: metric, values: points.map(([, text]) => number(text)),
        config: {displayNameFromDS: legend(target.legendFormat, metric)},
      },
    ], legend(target.legendFormat, metric));
  });
}

// table returns a frame with a row for each series of an answer, and a column for each
// label. The value is numbered if the panel has several queries.
export function table(target, {result}, several) {
  if (result.length === 0) return [];
  const labels = [...new Set(result.flatMap(({metric}) => Object.keys(metric)))].sort();
  return [frame(target.refId, [
    {name: 'Time', type: 'time', values: result.map(({value}) => value[0] * 1000)},
    ...labels.map(label => ({name: label, type: 'string', values: result.map(({metric}) => metric[label] ?? '')})),
    {name: several ? `Value #${target.refId}` : 'Value', type: 'number', values: result.map(({value}) => number(value[1]))},
  ])];
}

// buckets returns the upper bounds of a histogram, its times in milliseconds, and the
// count of each bucket, by bound and time.
export function buckets({result}) {
  const rows = result.map(({metric, values}) => ({bound: number(metric.le), at: new Map(values.map(([time, text]) => [time, number(text)]))}));
  rows.sort((a, b) => a.bound - b.bound);
  const times = [...rows.at(-1).at.keys()];
  const counts = rows.map(({at}, i) => times.map(time => at.get(time) - (i > 0 ? rows[i - 1].at.get(time) : 0)));
  return {bounds: rows.map(row => row.bound), times: times.map(time => time * 1000), counts};
}
