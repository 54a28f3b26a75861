// The type of our dashboards: Grafana's own, with the options of each panel type, and
// with plain strings for the values of enumerations, as in JSON.

import type {AnnotationQuery, Dashboard, FieldConfig, MatcherConfig, Panel, RowPanel, VariableModel} from '@grafana/schema';
import type * as barGauge from '@grafana/schema/dist/esm/raw/composable/bargauge/panelcfg/x/BarGaugePanelCfg_types.gen';
import type * as heatmap from '@grafana/schema/dist/esm/raw/composable/heatmap/panelcfg/x/HeatmapPanelCfg_types.gen';
import type * as stat from '@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen';
import type * as table from '@grafana/schema/dist/esm/raw/composable/table/panelcfg/x/TablePanelCfg_types.gen';
import type * as timeSeries from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen';

type Plain<T> = 0 extends 1 & T ? T // any
  : T extends string ? `${T}`
  : T extends object ? {[K in keyof T]: Plain<T[K]>} : T;

// The options of the data source, which Grafana does not publish under a free license.
interface Query {
  datasource: {type: 'prometheus'; uid: string};
  editorMode: 'code' | 'builder';
  expr: string;
  format: 'time_series' | 'table' | 'heatmap';
  instant: boolean;
  interval?: string;
  legendFormat: string;
  range: boolean;
  refId: string;
}

interface PanelOf<Type extends string, Options, Custom> extends Omit<Panel, 'fieldConfig' | 'options' | 'targets' | 'type'> {
  type: Type;
  fieldConfig: {
    defaults: Omit<FieldConfig, 'custom'> & {custom?: Custom};
    overrides: Array<{matcher: MatcherConfig; properties: Array<{id: string; value?: unknown}>}>;
  };
  options: Options;
  targets: Query[];
}

type AnyPanel = PanelOf<'stat', stat.Options, {}>
  | PanelOf<'bargauge', barGauge.Options, {}>
  | PanelOf<'timeseries', timeSeries.Options, timeSeries.FieldConfig>
  | PanelOf<'heatmap', heatmap.Options, heatmap.FieldConfig>
  | PanelOf<'table', table.Options, table.FieldConfig>;

interface Row extends Omit<RowPanel, 'panels'> {
  panels: AnyPanel[];
}

// The definition of a variable is what its settings show; the published types lack it.
interface Variable extends VariableModel {
  definition?: string;
}

// The query of an annotation, or its older form.
interface Annotation extends Omit<AnnotationQuery, 'target'> {
  target?: Pick<Query, 'expr' | 'refId'> & Partial<Query>;
  expr?: string;
  step?: string;
  titleFormat?: string;
  textFormat?: string;
  tagKeys?: string;
  useValueForTime?: boolean;
}

interface OurDashboard extends Omit<Dashboard, 'annotations' | 'panels' | 'templating'> {
  annotations: {list?: Annotation[]};
  panels: Array<AnyPanel | Row>;
  templating: {list: Variable[]};
}

export type Board = Plain<OurDashboard>;
