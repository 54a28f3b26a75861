//go:build endtoend

package endtoend

import (
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A question is what somebody asks a server, as it is sent.
type question struct {
	from string // where it stands
	expr string
	// label: what are the values of it, among the series that expr selects?
	label string
	// instant: it is asked for one moment, and else for each minute of a time.
	instant bool
	// silent: that there is no answer is a good sign.
	silent bool
}

// What Grafana makes of its own variables when somebody looks at the last five
// minutes, with a point each minute and all values of each variable.
const (
	lookBack = 5 * time.Minute
	step     = time.Minute
)

var substitute = strings.NewReplacer(
	"$__range", "300s", "$__rate_interval", "75s", "$__interval", "60s",
	"$job", ".+", "$instance", ".+", "$user", ".*", "$project", ".*", "$model", ".*",
)

// ask returns how many series answer a question with a number.
func (q *question) ask(t *testing.T, s *Server) (answers int, err error) {
	t.Helper()
	now := time.Now()
	if q.label != "" {
		var values []string
		err := s.API(t.Context(), "/label/"+q.label+"/values", url.Values{
			"match[]": {q.expr}, "start": {stamp(now.Add(-lookBack))}, "end": {stamp(now)},
		}, &values)
		return len(values), err
	}
	var series []Series
	if q.instant {
		series, err = s.Query(t.Context(), q.expr, now)
	} else {
		series, err = s.QueryRange(t.Context(), q.expr, now.Add(-lookBack), now, step)
	}
	for _, one := range series {
		if slices.ContainsFunc(one.Samples, func(v Sample) bool { return !math.IsNaN(v.Value) }) {
			answers++
		}
	}
	return answers, err
}

// dashboardQuestions are those of all panels and variables.
func dashboardQuestions(t *testing.T) (all []question) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(Repository(t), "packaging", "grafana", "dashboards", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		var board struct {
			Panels []struct {
				Title   string
				Targets []struct {
					Expr, RefID string
					Instant     bool
				}
			}
			Templating struct {
				List []struct{ Name, Type, Definition string }
			}
		}
		if err := json.Unmarshal(read(t, name), &board); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		from := strings.TrimSuffix(filepath.Base(name), ".json") + ": "
		for _, v := range board.Templating.List {
			if v.Type == "query" {
				selector, label := labelValues(t, v.Definition)
				all = append(all, question{from: from + "$" + v.Name, expr: selector, label: label})
			}
		}
		for _, p := range board.Panels {
			for _, target := range p.Targets {
				all = append(all, question{from: from + p.Title + " " + target.RefID, expr: substitute.Replace(target.Expr), instant: target.Instant})
			}
		}
	}
	return all
}

// labelValues takes apart the query of a variable.
func labelValues(t *testing.T, definition string) (selector, label string) {
	t.Helper()
	inner, ok := strings.CutPrefix(definition, "label_values(")
	inner, closed := strings.CutSuffix(inner, ")")
	at := strings.LastIndex(inner, ",")
	if !ok || !closed || at < 0 {
		t.Fatalf("what is %s?", definition)
	}
	return substitute.Replace(inner[:at]), strings.TrimSpace(inner[at+1:])
}

// documentQuestions are the queries in the documentation.
func documentQuestions(t *testing.T) (all []question) {
	t.Helper()
	for _, page := range []string{"queries.md", "queries-tools.md"} {
		section := ""
		for rest := string(read(t, filepath.Join(Repository(t), "docs", page))); ; {
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
				t.Fatalf("%s: unterminated code block: %s", page, block)
			}
			all, rest = append(all, question{from: page + ": " + section, expr: expr, instant: true}), after
		}
	}
	if len(all) == 0 {
		t.Error("the documentation has no queries")
	}
	return all
}

// A rule is one as a server has loaded it.
type rule struct{ Type, Name, Query, Health, LastError, State string }

// rulesOf returns all rules of a server.
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

// ruleQuestions are the expressions of rules, and of alerts, which are mostly
// silent, what they look at.
func ruleQuestions(t *testing.T, s *Server) (all []question) {
	t.Helper()
	for _, r := range rulesOf(t, s) {
		all = append(all, question{from: "rule " + r.Name, expr: r.Query, instant: true, silent: r.Type == "alerting"})
		if r.Type != "alerting" {
			continue
		}
		var tree any
		if err := s.API(t.Context(), "/parse_query", url.Values{"query": {r.Query}}, &tree); err != nil {
			t.Fatal(err)
		}
		for _, selector := range selectors(nil, tree) {
			all = append(all, question{from: "rule " + r.Name + " " + selector, expr: selector, instant: true})
		}
	}
	return all
}

// selectors adds what a parsed expression selects.
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

func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
