package main

import (
	"cmp"
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

// A kind is a type of panel.
type kind int

const (
	numbers kind = iota // large numbers, for the whole time range
	lines               // values over time
	stacked             // values over time that add up
	events              // the same for rare events, as bars
	daily               // a bar for each of the last thirty days, of values that add up
	heat                // buckets of a histogram over time
	bars                // one bar per value, for the whole time range
	list                // a table, for the whole time range
)

// points is the number of points of a graph of rates. Few points average over long
// windows, so that single sessions do not appear as spikes. 0 is Grafana's default, by
// the width of the panel.
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

// instant reports whether a kind shows one value for the whole time range.
func (k kind) instant() bool { return k == numbers || k == bars || k == list }

// interval is the minimum of the steps of a graph. A minute makes $__rate_interval four
// minutes or more, enough for scrape intervals of up to a minute that are not
// configured in Grafana.
func (k kind) interval() string {
	if k == daily {
		return "1d"
	}
	return "1m"
}

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

// shape returns the builder of the panel type in Grafana.
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
		WideLayout(false). // would shrink the text of several values on wide screens
		JustifyMode(common.BigValueJustifyModeCenter).
		ReduceOptions(common.NewReduceDataOptionsBuilder().Calcs([]string{"lastNotNull"}))
}

func (p panel) series() cog.Builder[dashboard.Panel] {
	b := timeseries.NewPanelBuilder().
		LineWidth(1).
		FillOpacity(0).
		ShowPoints(common.VisibilityModeNever).
		Legend(p.legend()).
		Tooltip(common.NewVizTooltipOptionsBuilder().
			Mode(common.TooltipDisplayModeMulti).
			Sort(common.SortOrderDescending)).
		AxisSoftMin(0)
	switch p.kind {
	case stacked:
		b.FillOpacity(80).LineWidth(0) // thin areas would be all line
	case events:
		b.FillOpacity(80).LineWidth(0).DrawStyle(common.GraphDrawStyleBars)
	case daily:
		b.FillOpacity(80).LineWidth(0).DrawStyle(common.GraphDrawStyleBars).
			BarAlignment(common.BarAlignmentAfter). // from the beginning of the day
			BarWidthFactor(0.8)
	case lines:
		if p.whole || p.sparse {
			b.SpanNulls(common.BoolOrFloat64{Bool: new(true)}) // without enough events there is no ratio
		}
	}
	if p.kind == stacked || p.kind == events || p.kind == daily {
		b.Stacking(common.NewStackingConfigBuilder().Mode(common.StackingModeNormal))
	}
	if p.good.colors != nil {
		if p.whole {
			b.AxisSoftMin(p.good.at[0])
		}
		b.ThresholdsStyle(common.NewGraphThresholdsStyleConfigBuilder().Mode(common.GraphThresholdsStyleModeDashed))
	}
	return b
}

// legend is a table with values of each series, beside a graph of the full width.
func (p panel) legend() cog.Builder[common.VizLegendOptions] {
	values := map[kind][]string{lines: {"lastNotNull", "max"}, stacked: {"mean", "max"}, events: {"mean", "max"}, daily: {"sum", "max"}}[p.kind]
	placement := common.LegendPlacementBottom
	if p.width == 24 {
		placement = common.LegendPlacementRight
	}
	return common.NewVizLegendOptionsBuilder().
		ShowLegend(true).
		DisplayMode(common.LegendDisplayModeTable).
		Placement(placement).
		Calcs(values).
		SortBy(map[string]string{"lastNotNull": "Last *", "mean": "Mean", "sum": "Total"}[values[0]]).
		SortDesc(true)
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
	// By default, text is as large as the bars, and names are cut off.
	text := common.NewVizTextDisplayOptionsBuilder().TitleSize(12).ValueSize(16)
	return bargauge.NewPanelBuilder().
		Min(0). // otherwise the bar of the smallest value is empty
		DisplayMode(common.BarGaugeDisplayModeBasic).
		Orientation(common.VizOrientationHorizontal).
		Sizing(common.BarGaugeSizingManual).
		MinVizHeight(14). // pixels, so that ten bars fit into eight rows
		Text(text).
		ReduceOptions(common.NewReduceDataOptionsBuilder().Calcs([]string{"lastNotNull"}))
}

func (p panel) list() cog.Builder[dashboard.Panel] {
	return table.NewPanelBuilder().
		MinWidth(50).
		CellOptions(common.TableCellOptions{TableAutoCellOptions: common.NewTableAutoCellOptions()}).
		SortBy([]cog.Builder[common.TableSortByFieldState]{
			common.NewTableSortByFieldStateBuilder().DisplayName(cmp.Or(p.sort, p.ask[0].name)).Desc(true),
		})
}

// table merges the results with the same labels into one row, and orders and names the
// columns.
func (p panel) table() []dashboard.DataTransformerConfig {
	index, rename := map[string]int{}, map[string]string{}
	for i, label := range p.rows {
		index[label], rename[label] = i, column(label)
	}
	for i, q := range p.ask {
		value := "Value #" + refID(i)
		if len(p.ask) == 1 {
			value = "Value" // Grafana numbers the values of several queries only.
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

// widths are the widths of columns with long values, in pixels; others share the rest.
var widths = map[string]int{
	"session": 325, "project": 170, modelName: 150, "tool": 370, "mcp_server": 190, "type": 160, "event": 160, "skill": 170,
}

// column returns the column heading of a label.
func column(label string) string {
	switch label {
	case "mcp_server":
		return "MCP server"
	case modelName:
		return "Model"
	case tokenKind:
		return "Tokens"
	}
	words := strings.ReplaceAll(label, "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}
