package main

import (
	"cmp"

	"github.com/grafana/grafana-foundation-sdk/go/bargauge"
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/heatmap"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	statpanel "github.com/grafana/grafana-foundation-sdk/go/stat"
	tablepanel "github.com/grafana/grafana-foundation-sdk/go/table"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

// A kind is a type of panel, with its options.
type kind int

const (
	stat       kind = iota // numbers, for the whole time range
	timeSeries             // values over time
	increases              // a time series with a bar for each step, of increases that add up
	days                   // a time series with a bar for each of the last thirty days
	heatMap                // buckets of a histogram over time
	barGauge               // one bar per value, for the whole time range
	table                  // for the whole time range
)

// points is the number of points of a graph. Few points average over long windows, so
// that single sessions do not appear as spikes. 0 is Grafana's default, by the width of
// the panel.
func (p panel) points() float64 {
	switch {
	case p.kind == increases || p.kind == heatMap:
		return 60
	case p.kind == timeSeries && p.hasRates():
		return 60
	default:
		return 0
	}
}

// instant reports whether a kind shows one value for the whole time range.
func (k kind) instant() bool { return k == stat || k == barGauge || k == table }

// hasBars reports whether a kind is a time series of bars.
func (k kind) hasBars() bool { return k == increases || k == days }

// interval is the minimum of the steps of a graph. A minute makes $__rate_interval four
// minutes or more, enough for scrape intervals of up to a minute that are not
// configured in Grafana.
func (k kind) interval() string {
	if k == days {
		return "1d"
	}
	return "1m"
}

func (k kind) format() prometheus.PromQueryFormat {
	switch k {
	case heatMap:
		return prometheus.PromQueryFormatHeatmap
	case table:
		return prometheus.PromQueryFormatTable
	default:
		return prometheus.PromQueryFormatTimeSeries
	}
}

// builder returns the builder of the panel type in Grafana.
func (p panel) builder() cog.Builder[dashboard.Panel] {
	switch p.kind {
	case stat:
		return p.stat()
	case heatMap:
		return p.heatMap()
	case barGauge:
		return p.barGauge()
	case table:
		return p.table()
	default:
		return p.timeSeries()
	}
}

// Without sizes, short values such as the text for missing data fill the panel.
func (p panel) stat() cog.Builder[dashboard.Panel] {
	mode := common.BigValueTextModeValueAndName
	if p.namesOnly {
		mode = common.BigValueTextModeName
	}
	return statpanel.NewPanelBuilder().
		GraphMode(common.BigValueGraphModeNone).
		ColorMode(common.BigValueColorModeValue).
		TextMode(mode).
		Text(common.NewVizTextDisplayOptionsBuilder().TitleSize(13).ValueSize(24)).
		Orientation(common.VizOrientationVertical).
		WideLayout(false). // would place name and value far apart on wide screens
		JustifyMode(common.BigValueJustifyModeCenter).
		ReduceOptions(common.NewReduceDataOptionsBuilder().Calcs([]string{"lastNotNull"}))
}

// maxGap is the longest gap in milliseconds that lines connect: there is no ratio
// without enough events, but a night without any is a gap.
const maxGap = 3_600_000

func (p panel) timeSeries() cog.Builder[dashboard.Panel] {
	b := timeseries.NewPanelBuilder().
		LineWidth(1).
		FillOpacity(0).
		ShowPoints(common.VisibilityModeNever).
		Legend(p.legend()).
		Tooltip(common.NewVizTooltipOptionsBuilder().
			Mode(common.TooltipDisplayModeMulti).
			Sort(common.SortOrderDescending)).
		AxisSoftMin(0)
	if p.kind.hasBars() {
		b.FillOpacity(80).LineWidth(0).DrawStyle(common.GraphDrawStyleBars).
			BarAlignment(common.BarAlignmentAfter). // from the beginning of the step
			BarWidthFactor(0.8).
			Stacking(common.NewStackingConfigBuilder().Mode(common.StackingModeNormal))
	} else if p.max > 0 || p.spanNulls {
		b.SpanNulls(common.BoolOrFloat64{Float64: new(float64(maxGap))})
	}
	if p.thresholds.colors != nil {
		if p.max > 0 {
			b.AxisSoftMin(p.thresholds.at[0])
		}
		b.ThresholdsStyle(common.NewGraphThresholdsStyleConfigBuilder().Mode(common.GraphThresholdsStyleModeDashed))
	}
	return b
}

// legend is a table with values of each series, beside a graph of the full width. Bars
// have totals: a mean would ignore the time before a series exists.
func (p panel) legend() cog.Builder[common.VizLegendOptions] {
	calcs, sortBy := []string{"lastNotNull", "max"}, "Last *"
	if p.kind.hasBars() {
		calcs, sortBy = []string{"sum", "max"}, "Total"
	}
	placement := common.LegendPlacementBottom
	if p.width == 24 {
		placement = common.LegendPlacementRight
	}
	return common.NewVizLegendOptionsBuilder().
		ShowLegend(true).
		DisplayMode(common.LegendDisplayModeTable).
		Placement(placement).
		Calcs(calcs).
		SortBy(sortBy).
		SortDesc(true)
}

func (p panel) heatMap() cog.Builder[dashboard.Panel] {
	return heatmap.NewPanelBuilder().
		Color(heatmap.NewHeatmapColorOptionsBuilder().
			Mode(heatmap.HeatmapColorModeScheme).
			Scheme("Blues").
			Scale(heatmap.HeatmapColorScaleExponential).
			Exponent(0.5).
			Steps(32)).
		YAxis(heatmap.NewYAxisConfigBuilder().Unit(p.unit)).
		CellValues(heatmap.NewCellValuesBuilder().Unit(count).Decimals(0)). // also in the color scale
		Tooltip(heatmap.NewHeatmapTooltipBuilder().Mode(common.TooltipDisplayModeSingle).YHistogram(true))
}

func (p panel) barGauge() cog.Builder[dashboard.Panel] {
	// By default, text is as large as the bars, and names are cut off.
	text := common.NewVizTextDisplayOptionsBuilder().TitleSize(12).ValueSize(16)
	return bargauge.NewPanelBuilder().
		Min(0). // otherwise the bar of the smallest value is empty
		DisplayMode(common.BarGaugeDisplayModeBasic).
		ShowUnfilled(false). // otherwise missing data is a gray bar
		Orientation(common.VizOrientationHorizontal).
		Sizing(common.BarGaugeSizingManual).
		MinVizHeight(14).                        // pixels, so that ten bars fit into eight rows
		MaxVizHeight(48).                        // otherwise a single bar fills the panel
		ValueMode(common.BarGaugeValueModeText). // the colors of some bars are hard to read as text
		Text(text).
		ReduceOptions(common.NewReduceDataOptionsBuilder().Calcs([]string{"lastNotNull"}))
}

func (p panel) table() cog.Builder[dashboard.Panel] {
	return tablepanel.NewPanelBuilder().
		MinWidth(50).
		CellOptions(common.TableCellOptions{TableAutoCellOptions: common.NewTableAutoCellOptions()}).
		SortBy([]cog.Builder[common.TableSortByFieldState]{
			common.NewTableSortByFieldStateBuilder().DisplayName(cmp.Or(p.sortBy, p.targets[0].name)).Desc(true),
		})
}
