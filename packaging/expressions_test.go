package packaging

import (
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/filetest"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// Expressions of dashboards, documents and rules must refer to series and labels in
// docs/metrics.md. Their syntax is checked elsewhere: dashboards by the generator, a
// separate module with Prometheus's parser, and rules by promtool.
func TestDashboardExpressions(t *testing.T) {
	known := queriedSeries(t)
	prefixes := map[string]bool{}
	for name, exprs := range dashboardExpressions(t) {
		external := []string{"job", "instance"}
		if path.Base(name) == "team.json" {
			external = append(external, "user", "host") // the labels of a fleet
		}
		for _, expr := range exprs {
			for _, fault := range exprFaults(expr, known, external...) {
				t.Errorf("%s: %s in %s", name, fault, expr)
			}
			for _, m := range selector.FindAllStringSubmatch(expr, -1) {
				prefixes[strings.SplitN(m[1], "_", 2)[0]] = true
			}
		}
	}
	if !prefixes["claude"] || !prefixes["ccwatchd"] {
		t.Errorf("the dashboards query only %v", prefixes)
	}
}

// The documented queries work on every server without changes.
func TestDocumentedQueries(t *testing.T) {
	known := queriedSeries(t)
	page := filetest.Read(t, "../docs/queries.md")
	queries := regexp.MustCompile("(?s)\n```promql\n(.*?)\n```\n").FindAllStringSubmatch(page, -1)
	if questions := strings.Count(page, "\n### "); questions < 43 || len(queries) < questions {
		t.Errorf("got %d questions and %d queries", questions, len(queries))
	}
	for _, m := range queries {
		expr := strings.TrimSpace(m[1])
		if selector.FindString(expr) == "" {
			t.Errorf("%s selects no series", expr)
		}
		if strings.ContainsAny(strings.NewReplacer("${1}", "", "${2}", "").Replace(expr), "$#") || strings.Contains(expr, "\n\n") {
			t.Errorf("%s has a variable, a comment or several expressions", expr)
		}
		for _, fault := range exprFaults(expr, known, "job", "instance") {
			t.Errorf("%s in %s", fault, expr)
		}
	}
}

func TestExprFaults(t *testing.T) {
	known := map[string][]string{"claude_tokens_total": {"type", "model", "user"}, "ccwatchd_ready": {}}
	for expr, want := range map[string]string{
		`sum by (type) (rate(claude_tokens_total{job="a",model!="("}[1h]))`: "",
		`ccwatchd_ready{instance="a"} == 1`:                                 "",
		`claude_token_total`:                                                "unknown series claude_token_total",
		`ccwatchd_ready{type="a"}`:                                          "ccwatchd_ready has no label type",
		`ccwatchd_ready{user="a"}`:                                          "ccwatchd_ready has no label user",
		`sum by (user) (claude_tokens_total{user="a"})`:                     "",
		`sum by (tool) (claude_tokens_total)`:                               "no series has the label tool",
		`sum by (a) (label_replace(ccwatchd_ready, "a", "b", "c", "("))`:    "",
		`sum by (c) (label_replace(ccwatchd_ready, "a", "b", "c", "("))`:    "no series has the label c",
		`sum by (user) (ccwatchd_ready)`:                                    "no series has the label user",
		`sum(rate(claude_tokens_total[1h])`:                                 "unbalanced brackets",
		`sum(claude_tokens_total))(`:                                        "unbalanced brackets",
	} {
		if got := strings.Join(exprFaults(expr, known, "job", "instance"), ", "); got != want {
			t.Errorf("%s: got faults %q, want %q", expr, got, want)
		}
	}
}

var (
	selector = regexp.MustCompile(`\b([a-z_0-9]*:?(?:claude|ccwatchd)_\w+(?::[a-z_0-9]+)?)(?:\{([^}]*)\})?`)
	matcher  = regexp.MustCompile(`(\w+)\s*(?:=~|!~|!=|=)`)
	grouping = regexp.MustCompile(`\b(?:by|on|group_left) \(([^)]*)\)`)
	quoted   = regexp.MustCompile(`"[^"]*"`)
	derived  = regexp.MustCompile(`"(\w+)",\s*"[^"]*",\s*"\w+",\s*"[^"]*"\s*\)`) // set by label_replace
)

// exprFaults returns the faults of an expression that can be found without parsing it.
// Every series has the external labels in addition to its known labels.
func exprFaults(expr string, known map[string][]string, external ...string) []string {
	plain := quoted.ReplaceAllString(expr, `""`)
	var faults []string
	if !bracketsMatch(plain) {
		faults = append(faults, "unbalanced brackets")
	}
	all := append([]string{"le"}, external...)
	for _, m := range derived.FindAllStringSubmatch(expr, -1) {
		all = append(all, m[1])
	}
	for _, m := range selector.FindAllStringSubmatch(plain, -1) {
		labels, ok := known[m[1]]
		if !ok {
			faults = append(faults, "unknown series "+m[1])
			continue
		}
		all = append(all, labels...)
		recorded := strings.Contains(m[1], ":")
		for _, label := range matcher.FindAllStringSubmatch(m[2], -1) {
			if !recorded && !slices.Contains(external, label[1]) && !slices.Contains(labels, label[1]) {
				faults = append(faults, m[1]+" has no label "+label[1])
			}
		}
	}
	for _, group := range grouping.FindAllStringSubmatch(plain, -1) {
		for label := range strings.SplitSeq(group[1], ", ") {
			if !slices.Contains(all, label) {
				faults = append(faults, "no series has the label "+label)
			}
		}
	}
	return faults
}

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

func dashboardExpressions(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, name := range glob(t, "grafana/dashboards/*.json") {
		var d struct {
			Panels []struct {
				Targets []struct{ Expr string }
				Panels  []struct { // of a collapsed row
					Targets []struct{ Expr string }
				}
			}
			Templating  struct{ List []struct{ Definition string } }
			Annotations struct{ List []struct{ Expr string } }
		}
		if err := json.Unmarshal([]byte(filetest.Read(t, name)), &d); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, p := range d.Panels {
			targets := p.Targets
			for _, inner := range p.Panels {
				targets = append(targets, inner.Targets...)
			}
			for _, target := range targets {
				all[name] = append(all[name], target.Expr)
			}
		}
		for _, a := range d.Annotations.List {
			all[name] = append(all[name], a.Expr)
		}
		for _, v := range d.Templating.List {
			if v.Definition != "" {
				all[name] = append(all[name], v.Definition)
			}
		}
	}
	return all
}

// documentedSeries returns the labels of every series in docs/metrics.md.
func documentedSeries(t *testing.T) map[string][]string {
	t.Helper()
	known := make(map[string][]string)
	rows := regexp.MustCompile("(?m)^\\| `((?:claude|ccwatchd)_[a-z_]+)(?:{([a-z_,]+)})?` \\| .*?( Buckets: .*)?\\|$").FindAllStringSubmatch(filetest.Read(t, "../docs/metrics.md"), -1)
	for _, m := range rows {
		labels := strings.FieldsFunc(m[2], func(r rune) bool { return r == ',' })
		if m[3] == "" {
			known[m[1]] = labels
			continue
		}
		known[m[1]+"_bucket"] = append(labels, "le")
		known[m[1]+"_sum"], known[m[1]+"_count"] = labels, labels
	}
	if len(known) < 50 {
		t.Fatalf("docs/metrics.md has %d families", len(known))
	}
	return known
}

// queriedSeries returns the labels of every series as dashboards query it: sources may
// add the label user to Claude Code's series.
func queriedSeries(t *testing.T) map[string][]string {
	t.Helper()
	known := documentedSeries(t)
	for series, labels := range known {
		if strings.HasPrefix(series, "claude_") {
			known[series] = append(slices.Clone(labels), "user")
		}
	}
	return known
}

// Rules, dashboards and documents query only the unknown kinds that may make counters
// incomplete: most releases of Claude Code add harmless kinds.
func TestOnlyAlarmingKindsAreQueried(t *testing.T) {
	want := fmt.Sprintf(`kind=~"%s"`, strings.Join(transcript.AlarmingKinds, "|"))
	query := regexp.MustCompile(`ccwatchd_unknown_format_total(?:\{([^}]*)\})?(?:\[|\{[^}]*=)`)
	for pattern, querying := range map[string]string{ // and the files that must have a query
		"prometheus/rules/*.yml": "*", "grafana/dashboards/*.json": "*", "../docs/*.md": "queries.md",
	} {
		queries := 0
		for _, file := range glob(t, pattern) {
			text := strings.ReplaceAll(filetest.Read(t, file), `\"`, `"`)
			found := query.FindAllStringSubmatch(text, -1)
			for _, m := range found {
				if !strings.Contains(m[1], want) {
					t.Errorf("%s queries %s, want %s", file, m[0], want)
				}
			}
			if expected, _ := path.Match(querying, path.Base(file)); expected {
				queries += len(found)
			}
		}
		if queries == 0 {
			t.Errorf("no %s in %s queries unknown kinds", querying, pattern)
		}
	}
}

// glob returns the files that match a pattern, at least one.
func glob(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("no file matches %s: %v", pattern, err)
	}
	for i, name := range names {
		names[i] = filepath.ToSlash(name)
	}
	return names
}
