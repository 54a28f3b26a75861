// The types reject what Grafana would silently ignore.

import type {Board} from './board';

type Graph = Extract<Board['panels'][number], {type: 'timeseries'}>;
type Style = Graph['fieldConfig']['defaults']['custom'];

export const valid: Style = {drawStyle: 'bars', showPoints: 'never'};

// @ts-expect-error a value that does not exist
export const value: Style = {drawStyle: 'candles'};

// @ts-expect-error an option that does not exist
export const option: Style = {showPoint: 'never'};

// @ts-expect-error a missing panel type
export const panel: Board['panels'][number] = {fieldConfig: {defaults: {}, overrides: []}, targets: []};
