//go:build endtoend

package endtoend

import (
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/filetest"
)

// An expression is a query as a user or a rule sends it.
type expression struct {
	source string // its place in dashboards, rules or documentation
	expr   string
	// label requests its values among the series that expr selects.
	label string
	// instant evaluates expr now, instead of at each minute of a range.
	instant bool
	// mayBeEmpty is set for alerts, which should not fire.
	mayBeEmpty bool
}

// Grafana's range and variables for the last five minutes, with a point per minute and
// all values of each variable. The period before is half a minute ago.
const (
	queryRange = 5 * time.Minute
	step       = time.Minute
)

var substitute = strings.NewReplacer(
	"$__range", "300s", "$__rate_interval", "75s", "$__interval", "60s",
	" offset $__range", " offset 30s", " offset 1d", " offset 30s", " offset 7d", " offset 30s", " offset 30d", " offset 30s",
	"$job", ".+", "$instance", ".+", "$user", ".*", "$project", ".*", "$model", ".*", "$host", ".*",
	"$plan_price", "100",
)

// evaluate returns the number of series in the present result that have a number.
func (e *expression) evaluate(t *testing.T, s *Server) (results int, err error) {
	t.Helper()
	return e.evaluateAt(t, s, time.Now(), queryRange, step)
}

// evaluateAt is evaluate for a range that ends at a time.
func (e *expression) evaluateAt(t *testing.T, s *Server, now time.Time, queryRange, step time.Duration) (results int, err error) {
	t.Helper()
	if e.label != "" {
		var values []string
		err := s.API(t.Context(), "/label/"+e.label+"/values", url.Values{
			"match[]": {e.expr}, "start": {timestamp(now.Add(-queryRange))}, "end": {timestamp(now)},
		}, &values)
		return len(values), err
	}
	var series []Series
	if e.instant {
		series, err = s.Query(t.Context(), e.expr, now)
	} else {
		series, err = s.QueryRange(t.Context(), e.expr, now.Add(-queryRange), now, step)
	}
	for _, ts := range series {
		if slices.ContainsFunc(ts.Samples, func(v Sample) bool { return !math.IsNaN(v.Value) }) {
			results++
		}
	}
	return results, err
}

// A panel is a panel of a dashboard, or a collapsed row of panels.
type panel struct {
	Title   string
	Targets []struct {
		Expr, RefID string
		Instant     bool
	}
	Panels []panel
}

// dashboardExpressions returns the expressions of all panels and variables, with values
// for the variables.
func dashboardExpressions(t *testing.T, substitute *strings.Replacer) (all []expression) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(Repository(t), "packaging", "grafana", "dashboards", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		var board struct {
			Panels      []panel
			Annotations struct {
				List []struct{ Name, Expr string }
			}
			Templating struct {
				List []struct{ Name, Type, Definition string }
			}
		}
		if err := json.Unmarshal([]byte(filetest.Read(t, name)), &board); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		from := strings.TrimSuffix(filepath.Base(name), ".json") + ": "
		for _, v := range board.Templating.List {
			if v.Type == "query" {
				selector, label := labelValues(t, v.Definition, substitute)
				all = append(all, expression{source: from + "$" + v.Name, expr: selector, label: label})
			}
		}
		for _, a := range board.Annotations.List {
			all = append(all, expression{source: from + a.Name, expr: substitute.Replace(a.Expr), mayBeEmpty: true})
		}
		for _, p := range board.Panels {
			for _, p := range append(p.Panels, p) {
				for _, target := range p.Targets {
					all = append(all, expression{source: from + p.Title + " " + target.RefID, expr: substitute.Replace(target.Expr), instant: target.Instant})
				}
			}
		}
	}
	return all
}

// labelValues parses the query of a variable.
func labelValues(t *testing.T, definition string, substitute *strings.Replacer) (selector, label string) {
	t.Helper()
	inner, ok := strings.CutPrefix(definition, "label_values(")
	inner, closed := strings.CutSuffix(inner, ")")
	at := strings.LastIndex(inner, ",")
	if !ok || !closed || at < 0 {
		t.Fatalf("parse the variable %s: want label_values(SELECTOR, LABEL)", definition)
	}
	return substitute.Replace(inner[:at]), strings.TrimSpace(inner[at+1:])
}

// documentedExpressions returns the queries in the documentation.
func documentedExpressions(t *testing.T) (all []expression) {
	t.Helper()
	section := ""
	for rest := filetest.Read(t, filepath.Join(Repository(t), "docs", "queries.md")); ; {
		before, block, found := strings.Cut(rest, "\n```promql\n")
		for line := range strings.Lines(before) {
			if title, ok := strings.CutPrefix(line, "### "); ok {
				section = strings.TrimSpace(title)
			}
		}
		if !found {
			break
		}
		expr, after, closed := strings.Cut(block, "\n```")
		if !closed {
			t.Fatalf("queries.md: unterminated code block: %s", block)
		}
		all, rest = append(all, expression{source: "queries.md: " + section, expr: expr, instant: true}), after
	}
	if len(all) == 0 {
		t.Error("the documentation has no queries")
	}
	return all
}

// A rule is a rule loaded by a server.
type rule struct{ Type, Name, Query, Health, LastError, State string }

func rulesOf(t *testing.T, s *Server) (all []rule) {
	t.Helper()
	var loaded struct{ Groups []struct{ Rules []rule } }
	if err := s.API(t.Context(), "/rules", nil, &loaded); err != nil {
		t.Fatal(err)
	}
	for _, g := range loaded.Groups {
		all = append(all, g.Rules...)
	}
	return all
}

// ruleExpressions returns the expressions of rules, and the selectors of alerts, whose
// expressions are mostly empty.
func ruleExpressions(t *testing.T, s *Server) (all []expression) {
	t.Helper()
	for _, r := range rulesOf(t, s) {
		all = append(all, expression{source: "rule " + r.Name, expr: r.Query, instant: true, mayBeEmpty: r.Type == "alerting"})
		if r.Type != "alerting" {
			continue
		}
		var tree any
		if err := s.API(t.Context(), "/parse_query", url.Values{"query": {r.Query}}, &tree); err != nil {
			t.Fatal(err)
		}
		for _, selector := range selectors(nil, tree) {
			all = append(all, expression{source: "rule " + r.Name + " " + selector, expr: selector, instant: true})
		}
	}
	return all
}

// selectors appends the selectors in a parsed expression.
func selectors(all []string, node any) []string {
	switch node := node.(type) {
	case []any:
		for _, n := range node {
			all = selectors(all, n)
		}
	case map[string]any:
		if kind := node["type"]; kind == "vectorSelector" || kind == "matrixSelector" {
			if selector := selectorOf(node); !slices.Contains(all, selector) {
				all = append(all, selector)
			}
			return all
		}
		for _, n := range node {
			all = selectors(all, n)
		}
	}
	return all
}

func selectorOf(node map[string]any) string {
	matchers, _ := node["matchers"].([]any)
	var terms []string
	for _, m := range matchers {
		if m, ok := m.(map[string]any); ok {
			terms = append(terms, fmt.Sprintf("%v%v%q", m["name"], m["type"], m["value"]))
		}
	}
	slices.Sort(terms)
	return "{" + strings.Join(terms, ",") + "}"
}
