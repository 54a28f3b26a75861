// Panels by type: the components of Grafana, used as its panel plugins use them.

import {EventBusSrv, applyNullInsertThreshold, getDisplayValueAlignmentFactors, getFieldDisplayValues} from '@grafana/data';
import {BarGauge, BigValue, PanelContextProvider, TimeSeries, VizRepeater} from '@grafana/ui';
import {TableNG} from '@grafana/ui/unstable';
import {useMemo} from 'react';
import {Annotations} from './annotations.jsx';
import {replaceVariables} from './data.js';
import {Heatmap} from './heatmap.jsx';

const kinds = {timeseries: Graph, heatmap: Heatmap, stat: Numbers, bargauge: Bars, table: Table};

// Panels that draw their text for missing data themselves.
const drawsNothing = ['stat', 'bargauge'];

// Content draws a panel, or its text for missing data.
export function Content({panel, data, ...props}) {
  const Kind = kinds[panel.type];
  if (!Kind) throw new Error(`unsupported panel type ${panel.type}`);
  if (data.frames.length === 0 && !data.buckets && !drawsNothing.includes(panel.type)) return <div className="none">{panel.fieldConfig.defaults.noValue}</div>;
  return <Kind panel={panel} data={data} options={panel.options} {...props} />;
}

// The values of the custom properties that Grafana sets in a new panel.
const custom = {drawStyle: 'line', lineInterpolation: 'linear', barAlignment: 0, barWidthFactor: 0.6, pointSize: 5, spanNulls: false, axisPlacement: 'auto'};

// graphable returns a frame with default properties, and with nulls in its gaps.
const graphable = range => frame => applyNullInsertThreshold({
  frame: {...frame, fields: frame.fields.map(field => ({...field, config: {...field.config, custom: {...custom, ...field.config.custom}}}))},
  refFieldPseudoMin: range.from.valueOf(), refFieldPseudoMax: range.to.valueOf(),
});

function Graph({data, options, theme, width, height}) {
  const frames = useMemo(() => data.frames.map(graphable(data.range)), [data]);
  const context = {eventsScope: 'preview', eventBus: new EventBusSrv(), sync: () => 0};
  return (
    <PanelContextProvider value={context}>
      <TimeSeries frames={frames} timeRange={data.range} timeZone="browser" width={width} height={height} legend={options.legend} structureRev={1}>
        {config => <Annotations config={config} events={data.annotations} theme={theme} />}
      </TimeSeries>
    </PanelContextProvider>
  );
}

// repeat draws a component for each value.
function repeat({panel, data, options, theme, width, height}, layout, draw) {
  const values = () => getFieldDisplayValues({
    data: data.frames, fieldConfig: data.config, reduceOptions: options.reduceOptions, replaceVariables, theme, timeZone: 'browser',
  });
  return (
    <VizRepeater
      getValues={values} getAlignmentFactors={getDisplayValueAlignmentFactors} renderValue={draw} source={panel}
      renderCounter={0} width={width} height={height} orientation={options.orientation} {...layout} />
  );
}

function Numbers(props) {
  const {options, theme} = props;
  return repeat(props, {itemSpacing: 3, autoGrid: true}, ({value, ...place}) => (
    <BigValue
      {...place} value={value.display} theme={theme} colorMode={options.colorMode} graphMode={options.graphMode} justifyMode={options.justifyMode}
      textMode={options.textMode} text={options.text} disableWideLayout={!options.wideLayout} />
  ));
}

// named returns a value as the panel draws it: a single bar without a display name of
// its own has no name.
const named = (count, field, display) => count > 1 || field.displayName ? display : {...display, title: undefined};

function Bars(props) {
  const {options, theme, height} = props;
  const manual = options.sizing === 'manual';
  const layout = {itemSpacing: 10, minVizWidth: 8, minVizHeight: manual ? options.minVizHeight : 16, maxVizHeight: manual ? options.maxVizHeight : 300};
  return repeat(props, layout, ({value, count, ...place}) => (
    <BarGauge
      {...place} value={named(count, value.field, value.display)} field={value.field} theme={theme} itemSpacing={10}
      display={value.view?.getFieldDisplayProcessor(value.colIndex)} displayMode={options.displayMode} showUnfilled={options.showUnfilled}
      valueDisplayMode={options.valueMode} namePlacement={options.namePlacement} text={options.text}
      isOverflow={(place.height + 10) * count - 10 > height} />
  ));
}

function Table({data, options, width, height}) {
  return (
    <TableNG
      data={data.frames[0]} width={width} height={height} noHeader={!options.showHeader} showTypeIcons={options.showTypeIcons} sortBy={options.sortBy}
      cellHeight={options.cellHeight} fieldConfig={data.config} timeRange={data.range} structureRev={1} getActions={() => []} />
  );
}
