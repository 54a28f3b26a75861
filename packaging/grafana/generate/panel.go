package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/cog/variants"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/table"
)

// A panel is one panel of a dashboard.
type panel struct {
	kind  kind
	title string
	about string // description: what it shows, and what to do about it
	none  string // text without data
	unit  string
	width uint32 // of 24 columns
	tall  uint32 // in rows of 38 pixels

	decimals float64 // 0: by the value

	since string // start of the time range if it is fixed, such as now/d
	whole bool   // the values are fractions, and the axis ends at 1
	good  levels

	sparse bool // the lines connect values with gaps between them

	paint colors // of series with a fixed color
	ask   []query

	rows []string // of a list: the labels of a row; a project is a link
	sort string   // of a list: the column to sort by, if not that of the first query
}

// A query is an expression without the matchers of the variables.
type query struct {
	expr string
	name string // legend or column
	unit string // if different from the panel

	dashed   bool    // lines are dashed
	width    int     // of the column in pixels; 0: an equal share
	decimals float64 // 0: by the value
}

// levels are thresholds: colors from the lowest value up, with a value between each
// two.
type levels struct {
	colors []string
	at     []float64
}

// Units in Grafana. Those with si: get SI prefixes.
const (
	tokens    = "si:tok"
	tokensMin = "si:tok/min"
	tokensSec = "si:tok/s"
	perMin    = "suffix:/min"
	perHour   = "suffix:/h"
	usd       = "currencyUSD"
	number    = "short"
	count     = "locale"
	ratio     = "percentunit"
	seconds   = "s"
	size      = "bytes"
	sizeSec   = "Bps"
	truth     = "bool_yes_no"
	ago       = "dateTimeFromNow"
)

// build returns the panel in the model of Grafana.
func (p panel) build(s scope, id uint32) (dashboard.Panel, error) {
	made, err := p.shape().Build()
	if err != nil {
		return made, fmt.Errorf("build panel %q: %w", p.title, err)
	}
	made.Id = &id
	made.Title = &p.title
	made.Description = new(p.describe(s))
	made.Datasource = datasource()
	made.GridPos = &dashboard.GridPos{W: p.width, H: p.tall}
	if p.since != "" {
		made.TimeFrom = &p.since
		made.HideTimeOverride = new(true) // the title contains it
	}
	if points := p.points(); points > 0 {
		made.MaxDataPoints = &points
	}
	if options, ok := made.Options.(*table.Options); ok {
		options.Footer = nil // which Grafana 13 no longer has
		made.Transformations = p.table()
	}
	if made.FieldConfig == nil {
		made.FieldConfig = dashboard.NewFieldConfigSource()
	}
	p.configure(&made.FieldConfig.Defaults)
	made.FieldConfig.Overrides = p.overrides()
	made.Targets, err = p.targets(s)
	return made, err
}

// describe returns the description of a panel.
func (p panel) describe(s scope) string {
	exprs := make([]string, 0, len(p.ask))
	for _, q := range p.ask {
		exprs = append(exprs, q.expr)
	}
	return strings.TrimSpace(p.about + " " + s.caveat(exprs))
}

// configure sets unit, thresholds and color mode.
func (p panel) configure(defaults *dashboard.FieldConfig) {
	defaults.Unit = &p.unit
	defaults.NoValue = &p.none
	if p.decimals > 0 {
		defaults.Decimals = &p.decimals
	}
	if p.whole {
		defaults.Max = new(1.0)
	}
	if p.good.colors != nil {
		defaults.Thresholds = p.good.steps()
	}
	switch p.kind {
	case numbers:
		defaults.Color = &dashboard.FieldColor{Mode: dashboard.FieldColorModeIdThresholds}
		if p.good.colors == nil {
			defaults.Color = &dashboard.FieldColor{Mode: dashboard.FieldColorModeIdFixed, FixedColor: new("text")}
		}
	case bars:
		defaults.Color = &dashboard.FieldColor{Mode: dashboard.FieldColorModeIdFixed, FixedColor: new("blue")}
	default:
		defaults.Color = &dashboard.FieldColor{Mode: dashboard.FieldColorModeIdPaletteClassic}
		if p.hasModels() {
			defaults.Color.Mode = dashboard.FieldColorModeIdPaletteClassicByName
		}
	}
}

func (l levels) steps() *dashboard.ThresholdsConfig {
	steps := []dashboard.Threshold{{Color: l.colors[0]}}
	for i, at := range l.at {
		steps = append(steps, dashboard.Threshold{Value: &at, Color: l.colors[i+1]})
	}
	return &dashboard.ThresholdsConfig{Mode: dashboard.ThresholdsModeAbsolute, Steps: steps}
}

// overrides sets units, decimals, widths and line styles of queries, colors of series
// and, in a list, dashes for missing values, and widths and links of label columns.
func (p panel) overrides() []dashboard.DashboardFieldConfigSourceOverrides {
	made := []dashboard.DashboardFieldConfigSourceOverrides{}
	byName := func(name, property string, value any) {
		made = append(made, dashboard.DashboardFieldConfigSourceOverrides{
			Matcher:    dashboard.MatcherConfig{Id: "byName", Options: name},
			Properties: []dashboard.DynamicConfigValue{{Id: property, Value: value}},
		})
	}
	for i, q := range p.ask {
		if q.unit != "" {
			byName(q.name, "unit", q.unit)
		}
		if q.decimals > 0 {
			byName(q.name, "decimals", q.decimals)
		}
		if q.dashed {
			made = append(made, dashboard.DashboardFieldConfigSourceOverrides{
				Matcher:    dashboard.MatcherConfig{Id: "byFrameRefID", Options: refID(i)},
				Properties: []dashboard.DynamicConfigValue{{Id: "custom.lineStyle", Value: map[string]any{"fill": "dash", "dash": []int{6, 6}}}},
			})
		}
		if q.width > 0 {
			byName(q.name, "custom.width", q.width)
		}
	}
	painted := p.painted()
	for _, name := range slices.Sorted(maps.Keys(painted)) {
		byName(name, "color", dashboard.FieldColor{Mode: dashboard.FieldColorModeIdFixed, FixedColor: new(painted[name])})
	}
	if p.kind == list {
		made = append(made, dashboard.DashboardFieldConfigSourceOverrides{
			Matcher:    dashboard.MatcherConfig{Id: "byType", Options: "number"},
			Properties: []dashboard.DynamicConfigValue{{Id: "noValue", Value: "–"}},
		})
	}
	for _, label := range p.rows {
		if width := widths[label]; width > 0 {
			byName(column(label), "custom.width", width)
		}
	}
	if slices.Contains(p.rows, "project") {
		byName(column("project"), "links", []dashboard.DashboardLink{toProject()})
	}
	return made
}

// targets returns the queries in the model of Grafana.
func (p panel) targets(s scope) ([]variants.Dataquery, error) {
	var made []variants.Dataquery
	var errs []error
	for i, q := range p.ask {
		expr, err := s.filter(q.expr)
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

// refID is the letter by which transformations refer to a query.
func refID(i int) string { return "ABCDEFGHIJK"[i : i+1] }

func datasource() *common.DataSourceRef {
	return &common.DataSourceRef{Type: new("prometheus"), Uid: new("${datasource}")}
}
