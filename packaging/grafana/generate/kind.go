package main

import (
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/bargauge"
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/heatmap"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/table"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

// A kind is a way to draw. There are no others, so that one learns to read them once.
type kind int

const (
	numbers kind = iota // large numbers side by side, over the whole range
	lines               // values over time
	stacked             // values over time that add up to something
	events              // the same, of what happens now and then
	heat                // the buckets of a histogram over time
	bars                // one bar for each value, over the whole range
	list                // a table, over the whole range
)

// points is how many an average over time is drawn with: few, each over a long
// time, or single sessions make a comb of it. The rest is drawn as finely as the
// screen allows, which is 0.
func (p panel) points() float64 {
	switch {
	case !strings.Contains(p.ask[0].expr, "$__rate_interval"):
		return 0
	case p.kind == stacked:
		return 120
	default:
		return 60
	}
}

// now says whether a kind shows one value for the whole range.
func (k kind) now() bool { return k == numbers || k == bars || k == list }

func (k kind) format() prometheus.PromQueryFormat {
	switch k {
	case heat:
		return prometheus.PromQueryFormatHeatmap
	case list:
		return prometheus.PromQueryFormatTable
	default:
		return prometheus.PromQueryFormatTimeSeries
	}
}

// shape returns what Grafana draws the panel with.
func (p panel) shape() cog.Builder[dashboard.Panel] {
	switch p.kind {
	case numbers:
		return p.numbers()
	case heat:
		return p.heat()
	case bars:
		return p.bars()
	case list:
		return p.list()
	default:
		return p.series()
	}
}

func (p panel) numbers() cog.Builder[dashboard.Panel] {
	return stat.NewPanelBuilder().
		GraphMode(common.BigValueGraphModeNone).
		ColorMode(common.BigValueColorModeValue).
		TextMode(common.BigValueTextModeValueAndName).
		Orientation(common.VizOrientationVertical).
		ReduceOptions(common.NewReduceDataOptionsBuilder().Calcs([]string{"lastNotNull"}))
}

func (p panel) series() cog.Builder[dashboard.Panel] {
	b := timeseries.NewPanelBuilder().
		LineWidth(1).
		FillOpacity(0).
		ShowPoints(common.VisibilityModeAuto).
		Legend(common.NewVizLegendOptionsBuilder().
			ShowLegend(true).
			DisplayMode(common.LegendDisplayModeList).
			Placement(common.LegendPlacementBottom)).
		Tooltip(common.NewVizTooltipOptionsBuilder().
			Mode(common.TooltipDisplayModeMulti).
			Sort(common.SortOrderDescending)).
		AxisSoftMin(0)
	switch p.kind {
	case stacked:
		b.FillOpacity(80).LineWidth(0) // or what is thin would be all line
	case events:
		b.FillOpacity(80).LineWidth(0).DrawStyle(common.GraphDrawStyleBars)
	}
	if p.kind == stacked || p.kind == events {
		b.Stacking(common.NewStackingConfigBuilder().Mode(common.StackingModeNormal))
	}
	if p.good.colors != nil {
		b.AxisSoftMin(p.good.at[0])
		b.ThresholdsStyle(common.NewGraphThresholdsStyleConfigBuilder().Mode(common.GraphThresholdsStyleModeDashed))
	}
	return b
}

func (p panel) heat() cog.Builder[dashboard.Panel] {
	return heatmap.NewPanelBuilder().
		Color(heatmap.NewHeatmapColorOptionsBuilder().
			Mode(heatmap.HeatmapColorModeScheme).
			Scheme("Blues").
			Scale(heatmap.HeatmapColorScaleExponential).
			Exponent(0.5).
			Steps(32)).
		YAxis(heatmap.NewYAxisConfigBuilder().Unit(p.unit)).
		CellValues(heatmap.NewCellValuesBuilder().Unit(count)).
		Tooltip(heatmap.NewHeatmapTooltipBuilder().Mode(common.TooltipDisplayModeSingle).YHistogram(true))
}

func (p panel) bars() cog.Builder[dashboard.Panel] {
	return bargauge.NewPanelBuilder().
		DisplayMode(common.BarGaugeDisplayModeBasic).
		Orientation(common.VizOrientationHorizontal).
		ReduceOptions(common.NewReduceDataOptionsBuilder().Calcs([]string{"lastNotNull"}))
}

func (p panel) list() cog.Builder[dashboard.Panel] {
	return table.NewPanelBuilder().
		MinWidth(50).
		Footer(common.NewTableFooterOptionsBuilder().Show(false).Reducer([]string{})).
		SortBy([]cog.Builder[common.TableSortByFieldState]{
			common.NewTableSortByFieldStateBuilder().DisplayName(p.ask[0].name).Desc(true),
		})
}

// table makes one row of what the queries say of the same labels, and gives
// the columns names that people know.
func (p panel) table() []dashboard.DataTransformerConfig {
	index, rename := map[string]int{}, map[string]string{}
	for i, label := range p.rows {
		index[label], rename[label] = i, column(label)
	}
	for i, q := range p.ask {
		value := "Value #" + refID(i)
		if len(p.ask) == 1 {
			value = "Value" // Grafana numbers them only where there are several.
		}
		index[value], rename[value] = len(p.rows)+i, q.name
	}
	return []dashboard.DataTransformerConfig{
		{Id: "merge", Options: map[string]any{}},
		{Id: "organize", Options: map[string]any{
			"excludeByName": map[string]bool{"Time": true},
			"indexByName":   index,
			"renameByName":  rename,
		}},
	}
}

// widths are those of the columns of labels with long values, in pixels. What is
// left is shared by the others.
var widths = map[string]int{"session": 305, "project": 170, "model": 200, "tool": 370, "mcp_server": 190}

// column returns the heading of the column of a label.
func column(label string) string {
	if label == "mcp_server" {
		return "MCP server"
	}
	words := strings.ReplaceAll(label, "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}
