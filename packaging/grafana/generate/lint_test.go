package main

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// The rules of Grafana's dashboard linter, and of this project: few panels, each with
// title, unit, description, legend and a text for missing data.
func TestPanels(t *testing.T) {
	ids := map[string]bool{}
	for name, d := range readAll(t) {
		if len(panelsOf(d)) > 28 {
			t.Errorf("%s has %d panels, want 28 at most", name, len(panelsOf(d)))
		}
		if *d.Editable || ids[*d.Uid] || len(*d.Uid) > 40 || !slices.Contains(d.Tags, tag) {
			t.Errorf("%s is editable, or has an invalid uid %s or tags %v", name, *d.Uid, d.Tags)
		}
		ids[*d.Uid] = true
		titles := map[string]bool{}
		for _, p := range panelsOf(d) {
			lintPanel(t, name, p)
			if titles[*p.Title] {
				t.Errorf("%s has two panels %q", name, *p.Title)
			}
			titles[*p.Title] = true
		}
	}
}

func lintPanel(t *testing.T, name string, p dashboard.Panel) {
	t.Helper()
	if p.Type == "gauge" || p.FieldConfig == nil || len(p.Targets) == 0 {
		t.Errorf("%s: %q is a %s with %d queries", name, *p.Title, p.Type, len(p.Targets))
	}
	texts := map[string]*string{"title": p.Title, "unit": p.FieldConfig.Defaults.Unit, "text for missing data": p.FieldConfig.Defaults.NoValue}
	for property, text := range texts {
		if text == nil || *text == "" {
			t.Errorf("%s: %q has no %s", name, *p.Title, property)
		}
	}
	if p.Description == nil || len(*p.Description) < 40 || !strings.HasSuffix(*p.Description, ".") {
		t.Errorf("%s: %q has no description", name, *p.Title)
	}
	if *p.Datasource.Uid != "${datasource}" {
		t.Errorf("%s: %q has data source %s", name, *p.Title, *p.Datasource.Uid)
	}
	for _, q := range queries(t, p) {
		if average := strings.Contains(q.Expr, "$__rate_interval"); average && (p.MaxDataPoints == nil || *p.MaxDataPoints > 120) {
			t.Errorf("%s: %q has too many points for rates", name, *p.Title)
		}
		if *q.Datasource.Uid != "${datasource}" || q.LegendFormat == nil || *q.LegendFormat == "" {
			t.Errorf("%s: a query of %q has another data source or no legend", name, *p.Title)
		}
	}
}

// Panels do not overlap, do not exceed the width, and leave no gaps.
func TestLayout(t *testing.T) {
	for name, d := range readAll(t) {
		taken := map[[2]uint32]string{}
		var bottom uint32
		for _, p := range d.Panels {
			title, at := place(p)
			for x := at.X; x < at.X+at.W; x++ {
				for y := at.Y; y < at.Y+at.H; y++ {
					if other := taken[[2]uint32{x, y}]; other != "" || x >= 24 {
						t.Fatalf("%s: %q overlaps %q or exceeds the width", name, title, other)
					}
					taken[[2]uint32{x, y}] = title
				}
			}
			bottom = max(bottom, at.Y+at.H)
		}
		if len(taken) != int(24*bottom) {
			t.Errorf("%s has gaps: %d of %d cells are used", name, len(taken), 24*bottom)
		}
	}
}

// All dashboards have the same variables, refreshed with the time range; the team and
// cost dashboards have one more.
func TestVariables(t *testing.T) {
	for name, d := range readAll(t) {
		var names []string
		for _, v := range d.Templating.List {
			names = append(names, v.Name)
			if v.Name == planPrice {
				continue
			}
			if v.Name == "datasource" {
				if v.Type != "datasource" || *v.Label != "Data source" || *v.Query.String != "prometheus" {
					t.Errorf("%s has data source %+v", name, v)
				}
				continue
			}
			all := map[string]string{"job": ".+", "instance": ".+"}[v.Name]
			if all == "" {
				all = ".*" // the label is optional
			}
			if !*v.Multi || !*v.IncludeAll || *v.AllValue != all || *v.Refresh != 2 || *v.Datasource.Uid != "${datasource}" {
				t.Errorf("%s has variable %+v", name, v)
			}
			if *v.Definition != v.Query.Map["query"] {
				t.Errorf("%s: %s has definition %s and query %s", name, v.Name, *v.Definition, v.Query.Map["query"])
			}
		}
		want := []string{"datasource", "job", "instance", "user", "project", "model"}
		switch name {
		case teamName + ".json":
			want = append(want, "host")
		case costName + ".json":
			want = append(want, planPrice)
		}
		if !slices.Equal(names, want) {
			t.Errorf("%s has variables %q, want %q", name, names, want)
		}
	}
}

// Dashboards link to each other and keep the selection, and all links have a target.
func TestLinks(t *testing.T) {
	ids := map[string]bool{}
	all := readAll(t)
	for _, d := range all {
		ids[*d.Uid] = true
	}
	found := 0
	for name, d := range all {
		if l := d.Links; len(l) != 1 || !l[0].AsDropdown || !l[0].IncludeVars || !l[0].KeepTime || !slices.Equal(l[0].Tags, []string{tag}) {
			t.Errorf("%s has links %+v", name, l)
		}
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range regexp.MustCompile(`/d/([\w-]+)`).FindAllStringSubmatch(string(text), -1) {
			found++
			if !ids[link[1]] {
				t.Errorf("%s links to %s, which does not exist", name, link[1])
			}
		}
	}
	if found == 0 {
		t.Error("no dashboard links to another")
	}
}

// Prometheus can parse every expression; all selectors have job and instance, and
// counters are used only with rate or increase.
func TestExpressions(t *testing.T) {
	for name, d := range readAll(t) {
		for _, p := range panelsOf(d) {
			for _, q := range queries(t, p) {
				for _, fault := range lintExpr(q.Expr) {
					t.Errorf("%s: %q: %s in %s", name, *p.Title, fault, q.Expr)
				}
			}
		}
		for _, a := range d.Annotations.List {
			for _, fault := range lintExpr(*a.Expr) {
				t.Errorf("%s: %s: %s in %s", name, a.Name, fault, *a.Expr)
			}
		}
		for _, v := range d.Templating.List {
			if v.Name == "datasource" || v.Name == planPrice {
				continue
			}
			family, values := strings.CutPrefix(*v.Definition, "label_values(")
			family, own := strings.CutSuffix(family, ", "+v.Name+")")
			if _, err := parse(family); err != nil || !values || !own {
				t.Errorf("%s: %s has definition %s (%v)", name, v.Name, *v.Definition, err)
			}
		}
	}
}

func queries(t *testing.T, p dashboard.Panel) []*prometheus.Dataquery {
	t.Helper()
	all := make([]*prometheus.Dataquery, 0, len(p.Targets))
	for _, target := range p.Targets {
		q, ok := target.(*prometheus.Dataquery)
		if !ok {
			t.Fatalf("%q has a query of type %T", *p.Title, target)
		}
		all = append(all, q)
	}
	return all
}

func TestLintExpr(t *testing.T) {
	const ours = `{job=~"$job",instance=~"$instance"}`
	for expr, want := range map[string]string{
		`sum(`:                                     "parse error",
		`up{job=~"$job"}`:                          "instance",
		`sum(a_total` + ours + `)`:                 "counter",
		`sum(rate(a_total` + ours + `[5m]))`:       "5m",
		`rate(sum(a_total` + ours + `)[$__range])`: "parse error",
		`rate(a_active` + ours + `[$__range])`:     "gauge",
		`sum by (type) (claude_tokens_total)`:      "counter",
		`sum(rate(claude_tokens_total[$__range]))`: "kinds of tokens",
	} {
		if faults := strings.Join(lintExpr(expr), ", "); !strings.Contains(faults, want) {
			t.Errorf("%s: got faults %q, want %q", expr, faults, want)
		}
	}
}

// lintExpr returns the faults of an expression.
func lintExpr(expr string) []string {
	var faults []string
	unquoted := regexp.MustCompile(`"[^"]*"`).ReplaceAllString(expr, "")
	for _, window := range regexp.MustCompile(`\[([^\]]*)\]`).FindAllStringSubmatch(unquoted, -1) {
		if !slices.Contains([]string{"$__rate_interval", "$__range", "$__interval", "1h", "7d"}, window[1]) {
			faults = append(faults, "fixed window "+window[1])
		}
	}
	root, err := parse(expr)
	if err != nil {
		return append(faults, err.Error())
	}
	if ratio := strings.Contains(expr, " / "); !ratio && addsUpTokens(root) {
		faults = append(faults, "a sum of all kinds of tokens")
	}
	parser.Inspect(root, func(node parser.Node, path []parser.Node) error {
		if selected, ok := node.(*parser.VectorSelector); ok {
			faults = append(faults, lintSelector(selected, path)...)
		}
		return nil
	})
	return faults
}

// addsUpTokens reports whether an expression is a sum of kinds of tokens with very
// different prices.
func addsUpTokens(root parser.Expr) bool {
	found := false
	parser.Inspect(root, func(node parser.Node, path []parser.Node) error {
		selected, ok := node.(*parser.VectorSelector)
		if !ok || selected.Name != "claude_tokens_total" || slices.ContainsFunc(selected.LabelMatchers, func(m *labels.Matcher) bool { return m.Name == "type" }) {
			return nil
		}
		found = found || !slices.ContainsFunc(path, func(node parser.Node) bool {
			sum, ok := node.(*parser.AggregateExpr)
			return ok && (slices.Contains(sum.Grouping, "type") || slices.Contains(sum.Grouping, tokenKind))
		})
		return nil
	})
	return found
}

func lintSelector(selected *parser.VectorSelector, path []parser.Node) []string {
	var faults []string
	for _, label := range []string{"job", "instance"} {
		if !slices.ContainsFunc(selected.LabelMatchers, func(m *labels.Matcher) bool { return m.Name == label }) {
			faults = append(faults, "no matcher for "+label)
		}
	}
	isCounter := regexp.MustCompile(`_(total|bucket|sum|count)$`).MatchString(selected.Name)
	calls := func(names ...string) bool {
		return slices.ContainsFunc(path, func(node parser.Node) bool {
			call, ok := node.(*parser.Call)
			return ok && slices.Contains(names, call.Func.Name)
		})
	}
	switch {
	case isCounter && !calls("rate", "increase", "last_over_time", "min_over_time"):
		faults = append(faults, "counter without rate or increase")
	case !isCounter && calls("rate", "increase"):
		faults = append(faults, "rate of a gauge")
	}
	return faults
}

// parse parses an expression after replacing Grafana's variables.
func parse(expr string) (parser.Expr, error) {
	plain := strings.NewReplacer("$__rate_interval", "4m", "$__range", "24h", "$__interval", "1d", "$"+planPrice, "100").Replace(expr)
	return parser.NewParser(parser.Options{}).ParseExpr(plain)
}
