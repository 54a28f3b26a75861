package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/cog/variants"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	tablepanel "github.com/grafana/grafana-foundation-sdk/go/table"
)

// A panel is one panel of a dashboard. Its fields have the names of Grafana.
type panel struct {
	kind        kind
	title       string
	description string // what the panel shows, and advice
	noValue     string // text without data
	unit        string
	width       uint32 // of 24 columns
	height      uint32 // in rows of 38 pixels

	timeFrom   string  // start of the time range if it is fixed, such as now/d
	max        float64 // of a ratio: the end of the axis; 0: by the values
	thresholds thresholds
	spanNulls  bool     // lines connect values up to an hour apart
	colors     colorMap // of series
	targets    []query

	requires  string   // label without which series are left out
	namesOnly bool     // of a stat: show names, not values
	labels    []string // of a table: labels of a row; a project is a link
	sortBy    string   // of a table: the column; "": the first query
}

// A query is an expression without the matchers of the variables.
type query struct {
	expr string
	name string // legend or column
	unit string // if different from the panel

	dashed   bool // lines are dashed
	isChange bool // a relative change; more than 1,000 % is "new"
	gauge    bool // cells of the column are bars
	width    int  // of the column in pixels; 0: an equal share
}

// thresholds are colors from the lowest value up, with a value between each two.
type thresholds struct {
	colors []string
	at     []float64
}

// Units in Grafana. Units with si: get SI prefixes. Units with prefix: or suffix: are
// never scaled: axes have round numbers, and $1180.23 is not $1.18K.
const (
	tokens    = "si:tok"
	tokensSec = "si:tok/s"
	usd       = "prefix:$"
	number    = "short"
	count     = "locale"
	ratio     = "percentunit"
	seconds   = "s"
	plainSecs = "suffix:s"
	minutes   = "suffix:min"
	hours     = "suffix:h"
	size      = "bytes"
	sizeSec   = "Bps"
	truth     = "bool_yes_no"
	ago       = "dateTimeFromNow"
)

// cents are the decimals of dollars.
const cents = 2.0

// build returns the panel in the model of Grafana.
func (p panel) build(s scope, id uint32) (dashboard.Panel, error) {
	made, err := p.builder().Build()
	if err != nil {
		return made, fmt.Errorf("build panel %q: %w", p.title, err)
	}
	made.Id = &id
	made.Title = &p.title
	made.Description = new(p.describe(s))
	made.Datasource = datasource()
	made.GridPos = &dashboard.GridPos{W: p.width, H: p.height}
	if p.timeFrom != "" {
		made.TimeFrom = &p.timeFrom
		made.HideTimeOverride = new(true) // the title contains it
	}
	if points := p.points(); points > 0 {
		made.MaxDataPoints = &points
	}
	if options, ok := made.Options.(*tablepanel.Options); ok {
		options.Footer = nil // which Grafana 13 no longer has
		made.Transformations = p.columns()
	}
	if made.FieldConfig == nil {
		made.FieldConfig = dashboard.NewFieldConfigSource()
	}
	p.configure(&made.FieldConfig.Defaults)
	made.FieldConfig.Overrides = p.overrides()
	made.Targets, err = p.queries(s)
	return made, err
}

func (p panel) describe(s scope) string {
	exprs := make([]string, 0, len(p.targets))
	for _, q := range p.targets {
		exprs = append(exprs, q.expr)
	}
	return strings.TrimSpace(p.description + " " + s.caveat(exprs))
}

// hasRates reports whether a panel shows rates or ratios of windows.
func (p panel) hasRates() bool { return strings.Contains(p.targets[0].expr, "$__rate_interval") }

// configure sets unit, thresholds and color mode.
func (p panel) configure(defaults *dashboard.FieldConfig) {
	defaults.Unit = &p.unit
	defaults.NoValue = &p.noValue
	switch {
	case p.unit == usd && p.kind != table: // columns have their own
		defaults.Decimals = new(cents)
	case p.unit == minutes || p.unit == hours:
		defaults.Decimals = new(1.0)
	case p.unit == count && !p.kind.instant():
		defaults.Decimals = new(0.0) // no half steps on the axis
	}
	if p.max > 0 {
		defaults.Max = &p.max
	}
	switch {
	case p.thresholds.colors == nil:
	case p.kind == stat:
		defaults.Thresholds = p.thresholds.fromZero().steps()
	default:
		defaults.Thresholds = p.thresholds.steps()
	}
	switch p.kind {
	case stat:
		defaults.Color = &dashboard.FieldColor{Mode: dashboard.FieldColorModeIdThresholds}
		if p.thresholds.colors == nil {
			defaults.Color = &dashboard.FieldColor{Mode: dashboard.FieldColorModeIdFixed, FixedColor: new("text")}
		}
	case barGauge:
		defaults.Color = &dashboard.FieldColor{Mode: dashboard.FieldColorModeIdFixed, FixedColor: new("blue")}
	case table:
		defaults.Color = &dashboard.FieldColor{Mode: dashboard.FieldColorModeIdThresholds}
	default:
		defaults.Color = &dashboard.FieldColor{Mode: dashboard.FieldColorModeIdPaletteClassic}
		if p.hasModels() {
			defaults.Color.Mode = dashboard.FieldColorModeIdPaletteClassicByName
		}
	}
}

// fromZero adds the color of text for missing data, which is below all values.
func (t thresholds) fromZero() thresholds {
	return thresholds{colors: slices.Insert(slices.Clone(t.colors), 0, "text"), at: slices.Insert(slices.Clone(t.at), 0, 0)}
}

func (t thresholds) steps() *dashboard.ThresholdsConfig {
	steps := []dashboard.Threshold{{Color: t.colors[0]}}
	for i, at := range t.at {
		steps = append(steps, dashboard.Threshold{Value: &at, Color: t.colors[i+1]})
	}
	return &dashboard.ThresholdsConfig{Mode: dashboard.ThresholdsModeAbsolute, Steps: steps}
}

// queries returns the queries in the model of Grafana.
func (p panel) queries(s scope) ([]variants.Dataquery, error) {
	var made []variants.Dataquery
	var errs []error
	for i, q := range p.targets {
		expr, err := s.filter(q.expr, p.requires)
		errs = append(errs, err)
		b := prometheus.NewDataqueryBuilder().
			RefId(refID(i)).
			Datasource(*datasource()).
			EditorMode(prometheus.QueryEditorModeCode).
			Format(p.kind.format()).
			Expr(expr).
			LegendFormat(q.name)
		if p.kind.instant() {
			b.Instant()
		} else {
			b.Range().Interval(p.kind.interval())
		}
		target, err := b.Build()
		errs = append(errs, err)
		made = append(made, target)
	}
	return made, errors.Join(errs...)
}

// refID is the letter of a query in transformations.
func refID(i int) string { return string(rune('A' + i)) }

func datasource() *common.DataSourceRef {
	return &common.DataSourceRef{Type: new("prometheus"), Uid: new("${datasource}")}
}
