package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A jsonPanel has the properties of a panel that were wrong before.
type jsonPanel struct {
	ID          int
	Type, Title string
	FieldConfig struct {
		Defaults struct {
			Unit          string
			Decimals, Min *float64
			Custom        struct{ SpanNulls any }
			Thresholds    struct{ Steps []struct{ Color string } }
		}
		Overrides []struct {
			Matcher    struct{ ID, Options string }
			Properties []struct {
				ID    string
				Value any
			}
		}
	}
	Options struct {
		ShowUnfilled, WideLayout bool
		TextMode, ValueMode      string
		MaxVizHeight             float64
		Text                     struct{ ValueSize float64 }
		Legend                   struct {
			Calcs  []string
			SortBy string
		}
		CellValues struct{ Decimals *float64 }
	}
	Interval string
	Targets  []struct{ Expr, Interval string }
	Panels   []jsonPanel
}

type jsonBoard struct {
	Title, Refresh string
	Panels         []jsonPanel
	Annotations    struct {
		List []struct {
			Filter *struct {
				Exclude bool
				IDs     []int
			}
		}
	}
}

// readPlain returns the dashboards as Grafana reads them.
func readPlain(t *testing.T) map[string]jsonBoard {
	t.Helper()
	names, err := filepath.Glob(dashboards + "/*.json")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]jsonBoard{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var d jsonBoard
		if err := json.Unmarshal(text, &d); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var open []jsonPanel
		for _, p := range d.Panels {
			open = append(open, append(p.Panels, p)...)
		}
		d.Panels = slices.DeleteFunc(open, func(p jsonPanel) bool { return p.Type == "row" })
		all[filepath.Base(name)] = d
	}
	return all
}

// Faults that a running Grafana showed. Each check fails for the dashboards of before.
func TestFaultsOfGrafana(t *testing.T) {
	kinds := map[string]func(p jsonPanel) (faults []string){
		"table": faultsOfTable, "bargauge": faultsOfBarGauge, "timeseries": faultsOfTimeSeries, "stat": faultsOfStat, "heatmap": faultsOfHeatMap,
	}
	found := map[string]int{}
	for name, d := range readPlain(t) {
		for _, p := range d.Panels {
			found[p.Type]++
			faults := kinds[p.Type](p)
			if strings.Contains(p.Title, "list price") && p.Title != "Cost at list prices" {
				faults = append(faults, "says list price again")
			}
			if regexp.MustCompile(`(?i)currency`).MatchString(p.FieldConfig.Defaults.Unit) {
				faults = append(faults, "abbreviates thousands of dollars")
			}
			for _, fault := range faults {
				t.Errorf("%s: %q %s", name, p.Title, fault)
			}
		}
		if strings.Contains(d.Title, "/") {
			t.Errorf("%s repeats a prefix in the menu of dashboards", name)
		}
	}
	for kind := range kinds {
		if found[kind] == 0 {
			t.Errorf("no panel is a %s", kind)
		}
	}
}

func faultsOfTable(p jsonPanel) (faults []string) {
	first := p.FieldConfig.Overrides[0]
	if first.Matcher.ID != "byType" || first.Matcher.Options != "string" || first.Properties[0].ID != "unit" || first.Properties[0].Value != "string" {
		faults = append(faults, `shows the text "2.0" as the number 2`)
	}
	if p.FieldConfig.Defaults.Decimals != nil {
		faults = append(faults, "shows tokens with the decimals of dollars")
	}
	for _, target := range p.Targets {
		if strings.HasPrefix(target.Expr, "round(") && !strings.HasSuffix(target.Expr, " > 0") {
			faults = append(faults, "has rows without usage")
		}
	}
	return faults
}

func faultsOfBarGauge(p jsonPanel) (faults []string) {
	o := p.FieldConfig.Overrides
	if len(o) == 0 || o[len(o)-1].Matcher.Options != "number" || o[len(o)-1].Properties[0].Value != "${__series.name}" {
		faults = append(faults, "has no name if there is one bar")
	}
	if p.Options.ShowUnfilled {
		faults = append(faults, "is gray without data")
	}
	if p.FieldConfig.Defaults.Min == nil {
		faults = append(faults, "has an empty smallest bar")
	}
	if p.Options.ValueMode != "text" {
		faults = append(faults, "has values in the colors of bars, such as yellow on white")
	}
	if height := p.Options.MaxVizHeight; height == 0 || height > 50 {
		faults = append(faults, "fills the panel with a single bar")
	}
	return faults
}

func faultsOfTimeSeries(p jsonPanel) (faults []string) {
	if slices.Contains(p.Options.Legend.Calcs, "mean") || p.Options.Legend.SortBy == "Mean" {
		faults = append(faults, "has means, which ignore the time before a series exists")
	}
	if p.FieldConfig.Defaults.Unit == number {
		faults = append(faults, "has 1.87e-15 for 0")
	}
	if gap := p.FieldConfig.Defaults.Custom.SpanNulls; gap == true {
		faults = append(faults, "connects values across a night")
	}
	if d := p.FieldConfig.Defaults; d.Unit == count && (d.Decimals == nil || *d.Decimals != 0) {
		faults = append(faults, "has half steps on the axis")
	}
	if slices.Contains([]string{"s", "m", "h"}, p.FieldConfig.Defaults.Unit) {
		faults = append(faults, "has 16.7 min on the axis")
	}
	for _, target := range p.Targets {
		if strings.Contains(target.Expr, "@ end()") && !strings.Contains(target.Expr, "@ end() offset -$__interval") {
			faults = append(faults, "selects the ten highest before the last step")
		}
	}
	return faults
}

func faultsOfStat(p jsonPanel) (faults []string) {
	if p.Options.Text.ValueSize == 0 || p.Options.WideLayout {
		faults = append(faults, "has texts for missing data of any size, or a wide layout")
	}
	if steps := p.FieldConfig.Defaults.Thresholds.Steps; len(steps) > 1 && steps[0].Color != "text" {
		faults = append(faults, "colors missing data as if it were a value")
	}
	for _, step := range p.FieldConfig.Defaults.Thresholds.Steps {
		if step.Color == "yellow" {
			faults = append(faults, "has yellow numbers, on white in the light theme")
		}
	}
	if p.Title == "Price tables" && p.Options.TextMode != "name" {
		faults = append(faults, "shows a huge 1")
	}
	return faults
}

func faultsOfHeatMap(p jsonPanel) (faults []string) {
	if d := p.Options.CellValues.Decimals; d == nil || *d != 0 {
		faults = append(faults, "has a scale with decimals")
	}
	return faults
}

// Events mark no bar that is a day, and dashboards with days are refreshed rarely.
func TestDays(t *testing.T) {
	found := 0
	for name, d := range readPlain(t) {
		var days []int
		for _, p := range d.Panels {
			if len(p.Targets) > 0 && p.Targets[0].Interval == "1d" {
				days = append(days, p.ID)
			}
		}
		found += len(days)
		if len(days) > 0 && d.Refresh != "5m" {
			t.Errorf("%s has days and is refreshed every %s", name, d.Refresh)
		}
		for _, a := range d.Annotations.List {
			if len(days) > 0 && (a.Filter == nil || !a.Filter.Exclude || !slices.Equal(a.Filter.IDs, days)) {
				t.Errorf("%s marks days: got filter %+v, want all panels but %v", name, a.Filter, days)
			}
		}
	}
	if found == 0 {
		t.Error("no panel has days")
	}
}

// A change from next to nothing is "new".
func TestChangesAreNew(t *testing.T) {
	found := 0
	for name, d := range readPlain(t) {
		for _, p := range d.Panels {
			isChange := slices.ContainsFunc(p.Targets, func(target struct{ Expr, Interval string }) bool { return strings.HasSuffix(target.Expr, " - 1, 99)") })
			if !isChange {
				continue
			}
			found++
			text, err := json.Marshal(p.FieldConfig.Overrides)
			if err != nil || !strings.Contains(string(text), `"from":10,"result":{"index":0,"text":"new"}`) {
				t.Errorf("%s: %q shows changes above 1,000 %% (%v)", name, p.Title, err)
			}
		}
	}
	if found < 12 {
		t.Errorf("got %d panels with a change", found)
	}
}
