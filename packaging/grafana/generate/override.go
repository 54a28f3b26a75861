package main

import (
	"cmp"
	"maps"
	"slices"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// overrides collects the overrides of the fields of a panel.
type overrides []dashboard.DashboardFieldConfigSourceOverrides

// add sets properties of the fields that a matcher matches.
func (o *overrides) add(matcher, options string, properties ...dashboard.DynamicConfigValue) {
	*o = append(*o, dashboard.DashboardFieldConfigSourceOverrides{
		Matcher: dashboard.MatcherConfig{Id: matcher, Options: options}, Properties: properties,
	})
}

// byName sets a property of a query or series.
func (o *overrides) byName(name, property string, value any) {
	o.add("byName", name, dashboard.DynamicConfigValue{Id: property, Value: value})
}

// overrides sets properties of queries, colors of series and, in a table, properties of
// the label columns.
func (p panel) overrides() []dashboard.DashboardFieldConfigSourceOverrides {
	made := overrides{}
	if p.kind == table {
		// Otherwise "2.0" is shown as 2, and a project "2024" as 2,024.
		made.add("byType", "string", dashboard.DynamicConfigValue{Id: "unit", Value: "string"})
		made.add("byType", "number", dashboard.DynamicConfigValue{Id: "noValue", Value: "–"})
	}
	for i, q := range p.targets {
		if p.kind == table && p.unit == usd {
			q.unit = cmp.Or(q.unit, usd)
		}
		q.override(&made, refID(i))
	}
	of := p.seriesColors()
	for _, name := range slices.Sorted(maps.Keys(of)) {
		made.byName(name, "color", dashboard.FieldColor{Mode: dashboard.FieldColorModeIdFixed, FixedColor: new(of[name])})
	}
	for _, label := range p.labels {
		if width := widths[label]; width > 0 {
			made.byName(column(label), "custom.width", width)
		}
	}
	if slices.Contains(p.labels, "project") {
		made.byName(column("project"), "links", []dashboard.DashboardLink{toProject()})
	}
	if slices.Contains(p.labels, "window") {
		made.byName(column("window"), "mappings", windowNames())
	}
	if p.kind == barGauge {
		// Otherwise a single bar has no name. It comes last, since it hides the name from
		// matchers.
		made.add("byType", "number", dashboard.DynamicConfigValue{Id: "displayName", Value: "${__series.name}"})
	}
	return made
}

// override sets the properties of a query.
func (q query) override(made *overrides, id string) {
	if q.unit != "" {
		made.byName(q.name, "unit", q.unit)
	}
	if q.unit == usd {
		made.byName(q.name, "decimals", cents)
	}
	if q.isChange {
		made.byName(q.name, "decimals", 0)
		made.byName(q.name, "color", dashboard.FieldColor{Mode: dashboard.FieldColorModeIdFixed, FixedColor: new("text")})
		made.byName(q.name, "mappings", []any{map[string]any{
			"type": "range", "options": map[string]any{"from": muchMore, "to": nil, "result": map[string]any{"text": "new", "index": 0}},
		}})
	}
	if q.dashed {
		made.add("byFrameRefID", id, dashboard.DynamicConfigValue{Id: "custom.lineStyle", Value: map[string]any{"fill": "dash", "dash": []int{6, 6}}})
	}
	if q.gauge {
		made.byName(q.name, "custom.cellOptions", map[string]any{"type": "gauge", "mode": "basic", "valueDisplayMode": "text"})
		made.byName(q.name, "min", 0)
	}
	if q.width > 0 {
		made.byName(q.name, "custom.width", q.width)
	}
}
