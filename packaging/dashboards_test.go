package packaging

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What of a dashboard holds expressions.
type dashboardFile struct {
	Panels     []struct{ Targets []struct{ Expr string } }
	Templating struct{ List []struct{ Definition string } }
}

// The dashboards ask for what there is: series and labels as the page on metrics
// has them. That Prometheus understands the expressions is tested by the program
// that writes them, which is a module of its own.
func TestDashboardsAskForWhatThereIs(t *testing.T) {
	known := dashboardSeries(t)
	asked := map[string]bool{}
	for name, exprs := range dashboardExpressions(t) {
		for _, expr := range exprs {
			for _, fault := range dashboardFaults(expr, known) {
				t.Errorf("%s: %s in %s", name, fault, expr)
			}
			for _, part := range dashboardSelector.FindAllStringSubmatch(expr, -1) {
				asked[strings.SplitN(part[1], "_", 2)[0]] = true
			}
		}
	}
	if !asked["claude"] || !asked["ccwatchd"] {
		t.Errorf("the dashboards only ask for %v", asked)
	}
}

// What there is not is found.
func TestDashboardFaults(t *testing.T) {
	known := map[string][]string{"claude_tokens_total": {"type", "model"}, "ccwatchd_ready": {}}
	for expr, want := range map[string]string{
		`sum by (type) (rate(claude_tokens_total{job="a",model!="("}[1h]))`: "",
		`ccwatchd_ready{instance="a"} == 1`:                                 "",
		`claude_token_total`:                                                "there is no claude_token_total",
		`ccwatchd_ready{type="a"}`:                                          "ccwatchd_ready has no type",
		`ccwatchd_ready{user="a"}`:                                          "ccwatchd_ready has no user",
		`sum by (tool) (claude_tokens_total)`:                               "nothing in it has a tool",
		`sum(rate(claude_tokens_total[1h])`:                                 "its brackets do not match",
		`sum(claude_tokens_total))(`:                                        "its brackets do not match",
	} {
		if got := strings.Join(dashboardFaults(expr, known), ", "); got != want {
			t.Errorf("in %s was found %q, want %q", expr, got, want)
		}
	}
}

var (
	dashboardSelector = regexp.MustCompile(`\b((?:claude|ccwatchd)_\w+)(?:\{([^}]*)\})?`)
	dashboardMatcher  = regexp.MustCompile(`(\w+)\s*(?:=~|!~|!=|=)`)
	dashboardGrouping = regexp.MustCompile(`\b(?:by|on|group_left) \(([^)]*)\)`)
	dashboardQuoted   = regexp.MustCompile(`"[^"]*"`)
)

// dashboardFaults returns what is wrong with an expression, as far as that can
// be told without reading it as a server does.
func dashboardFaults(expr string, known map[string][]string) []string {
	plain := dashboardQuoted.ReplaceAllString(expr, `""`)
	var faults []string
	if !bracketsMatch(plain) {
		faults = append(faults, "its brackets do not match")
	}
	of := []string{"job", "instance", "le"}
	for _, part := range dashboardSelector.FindAllStringSubmatch(plain, -1) {
		labels, found := known[part[1]]
		if !found {
			faults = append(faults, "there is no "+part[1])
			continue
		}
		if strings.HasPrefix(part[1], "claude_") {
			labels = append([]string{"user"}, labels...)
		}
		of = append(of, labels...)
		for _, matcher := range dashboardMatcher.FindAllStringSubmatch(part[2], -1) {
			if !slices.Contains(labels, matcher[1]) && !slices.Contains([]string{"job", "instance"}, matcher[1]) {
				faults = append(faults, part[1]+" has no "+matcher[1])
			}
		}
	}
	for _, group := range dashboardGrouping.FindAllStringSubmatch(plain, -1) {
		for label := range strings.SplitSeq(group[1], ", ") {
			if !slices.Contains(of, label) {
				faults = append(faults, "nothing in it has a "+label)
			}
		}
	}
	return faults
}

// bracketsMatch says whether every bracket has its other half.
func bracketsMatch(expr string) bool {
	closing := map[rune]rune{'(': ')', '[': ']', '{': '}'}
	var open []rune
	for _, r := range expr {
		switch {
		case closing[r] != 0:
			open = append(open, closing[r])
		case !strings.ContainsRune(")]}", r):
		case len(open) == 0 || open[len(open)-1] != r:
			return false
		default:
			open = open[:len(open)-1]
		}
	}
	return len(open) == 0
}

// dashboardExpressions returns what each dashboard asks, and fails the test
// where there are none.
func dashboardExpressions(t *testing.T) map[string][]string {
	t.Helper()
	names, err := filepath.Glob("grafana/dashboards/*.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("there are no dashboards (%v)", err)
	}
	all := map[string][]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var d dashboardFile
		if err := json.Unmarshal(text, &d); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, p := range d.Panels {
			for _, target := range p.Targets {
				all[name] = append(all[name], target.Expr)
			}
		}
		for _, v := range d.Templating.List {
			if v.Definition != "" {
				all[name] = append(all[name], v.Definition)
			}
		}
	}
	return all
}

// dashboardSeries returns the labels of every series that docs/metrics.md has.
func dashboardSeries(t *testing.T) map[string][]string {
	t.Helper()
	page, err := os.ReadFile("../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string][]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `((?:claude|ccwatchd)_\\w+)` \\| (\\w+) \\| ([^|]*) \\|").FindAllStringSubmatch(string(page), -1) {
		labels := strings.Split(strings.ReplaceAll(row[3], "`", ""), ", ")
		if row[2] == "histogram" {
			for _, suffix := range []string{"_bucket", "_sum", "_count"} {
				known[row[1]+suffix] = append([]string{"le"}, labels...)
			}
			continue
		}
		known[row[1]] = labels
	}
	return known
}
