package packaging

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// runbook is the URL of the documents with the runbooks of alerts.
const runbook = "https://github.com/ccwatchd/ccwatchd/blob/main/docs/"

// A rule is one of a file of rules: an alert, or something that is recorded.
type rule struct {
	Record, Alert, Expr, For string
	Labels, Annotations      map[string]string
}

// A ruleTest is as much of a file of tests as tells which alerts it is about.
type ruleTest struct {
	Tests []struct {
		Alerts []struct {
			Name   string `yaml:"alertname"`
			Expect []any  `yaml:"exp_alerts"`
		} `yaml:"alert_rule_test"`
	}
}

// rules returns all of them, in the order of the files.
func rules(t *testing.T) []rule {
	t.Helper()
	names, err := fs.Glob(files, "prometheus/rules/*.yml")
	if err != nil {
		t.Fatal(err)
	}
	var all []rule
	for _, name := range names {
		var file struct{ Groups []struct{ Rules []rule } }
		if err := yaml.Unmarshal([]byte(Read(name)), &file); err != nil {
			t.Fatal(err)
		}
		for _, group := range file.Groups {
			all = append(all, group.Rules...)
		}
	}
	if len(all) < 20 {
		t.Fatalf("found %d rules in %q", len(all), names)
	}
	return all
}

// alerts returns the rules that are alerts, by name.
func alerts(t *testing.T) map[string]rule {
	t.Helper()
	found := make(map[string]rule)
	for _, r := range rules(t) {
		if _, twice := found[r.Alert]; twice {
			t.Errorf("%s is there twice", r.Alert)
		}
		if r.Alert != "" {
			found[r.Alert] = r
		}
	}
	return found
}

// document returns a page of the documentation.
func document(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// documented returns the labels of each family of docs/metrics.md; a histogram
// is there by the names of its series.
func documented(t *testing.T) map[string][]string {
	t.Helper()
	families := make(map[string][]string)
	for _, m := range regexp.MustCompile("(?m)^\\| `((?:claude|ccwatchd)_[a-z_]+)` \\| ([a-z]+) \\| ([^|]*)\\|").FindAllStringSubmatch(document(t, "metrics.md"), -1) {
		labels := regexp.MustCompile(`[a-z_]+`).FindAllString(m[3], -1)
		if m[2] != "histogram" {
			families[m[1]] = labels
			continue
		}
		families[m[1]+"_bucket"] = append(labels, "le")
		families[m[1]+"_sum"], families[m[1]+"_count"] = labels, labels
	}
	if len(families) < 50 {
		t.Fatalf("docs/metrics.md has %d families", len(families))
	}
	return families
}

// selector is a metric in an expression, with what is selected of it.
var selector = regexp.MustCompile(`\b([a-z_0-9]*:?(?:claude|ccwatchd)_[a-z_]+(?::[a-z_0-9]+)?)(?:\{([^}]*)\})?`)

// matched are the names of labels in what is selected.
var matched = regexp.MustCompile(`([a-z_]+)\s*(?:=~|!~|!=|=)`)

// summed is a sum over labels of one metric or its rate.
var summed = regexp.MustCompile(`sum without \(([^)]*)\) \((?:(?:rate|increase)\()?([a-z_]+)`)

// A name that is not there, or has no such label, makes a rule that is silent for
// ever, and promtool has nothing to say on it.
func TestRulesNameWhatIsThere(t *testing.T) {
	families, all := documented(t), rules(t)
	for _, r := range all {
		if r.Record != "" {
			families[r.Record] = nil
		}
	}
	for _, r := range all {
		name := r.Record + r.Alert
		found := selector.FindAllStringSubmatch(r.Expr, -1)
		if len(found) == 0 && !strings.Contains(r.Expr, "up{") {
			t.Errorf("%s is about nothing: %s", name, r.Expr)
		}
		for _, m := range found {
			labels, ok := families[m[1]]
			if !ok {
				t.Errorf("%s asks for %s, which is not in docs/metrics.md", name, m[1])
			}
			for _, label := range matched.FindAllStringSubmatch(m[2], -1) {
				if !strings.Contains(m[1], ":") && !slices.Contains(labels, label[1]) {
					t.Errorf("%s asks for the label %s of %s", name, label[1], m[1])
				}
			}
		}
	}
}

// What a sum leaves is what the level of a recorded name says, and job, instance
// and the labels of sources, which no rule can know: so nothing is summed "by".
func TestRulesKeepTheLabelsOfSources(t *testing.T) {
	families := documented(t)
	for _, r := range rules(t) {
		if regexp.MustCompile(`\b(by|on|ignoring|group_left|group_right)\b`).MatchString(r.Expr) {
			t.Errorf("%s%s loses labels: %s", r.Record, r.Alert, r.Expr)
		}
		level, _, recorded := strings.Cut(r.Record, ":")
		for _, m := range summed.FindAllStringSubmatch(r.Expr, -1) {
			labels, ok := families[m[2]]
			if !ok {
				continue
			}
			kept := slices.Clone(labels)
			for label := range strings.SplitSeq(m[1], ", ") {
				if !slices.Contains(labels, label) {
					t.Errorf("%s%s sums %s over %s, which it has not", r.Record, r.Alert, m[2], label)
				}
				kept = slices.DeleteFunc(kept, func(l string) bool { return l == label })
			}
			// A server of MCP goes with its tool.
			kept = slices.DeleteFunc(kept, func(l string) bool { return l == "mcp_server" })
			slices.Sort(kept)
			if want := strings.Join(append([]string{"instance"}, kept...), "_"); recorded && level != want {
				t.Errorf("%s has the level %s", r.Record, want)
			}
		}
	}
}

// Each alert says how grave it is, what it is, what to do, and where there is
// more of that; and what there is more of is about alerts that are there.
func TestAlertsAreExplained(t *testing.T) {
	pages := make(map[string]string) // by alert
	for _, page := range []string{"alerts.md", "alerts-usage.md"} {
		for _, m := range regexp.MustCompile(`(?m)^### (\w+)$`).FindAllStringSubmatch(document(t, page), -1) {
			pages[m[1]] = page
		}
	}
	all := alerts(t)
	if names, headings := slices.Sorted(maps.Keys(all)), slices.Sorted(maps.Keys(pages)); !slices.Equal(names, headings) {
		t.Errorf("there are the alerts\n%q, and runbooks for\n%q", names, headings)
	}
	for name, r := range all {
		if s := r.Labels["severity"]; s != "warning" && s != "info" || len(r.Labels) != 1 {
			t.Errorf("%s has the labels %v", name, r.Labels)
		}
		if s := r.Annotations["summary"]; !strings.HasSuffix(s, ".") || strings.Contains(s, "{{") {
			t.Errorf("%s: %q is no sentence that is always the same", name, s)
		}
		if s := r.Annotations["description"]; !strings.HasSuffix(s, ".") || !strings.Contains(s, "$labels.instance") {
			t.Errorf("%s: %q does not say what to do, and where", name, s)
		}
		if got, want := r.Annotations["runbook_url"], runbook+pages[name]+"#"+strings.ToLower(name); got != want {
			t.Errorf("%s refers to %q, want %q", name, got, want)
		}
	}
}

// promtool is content with a test that is not there.
func TestAlertsAreTested(t *testing.T) {
	names, err := filepath.Glob("testdata/rules/*.yml")
	if err != nil {
		t.Fatal(err)
	}
	fires, silent := make(map[string]bool), make(map[string]bool)
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var file ruleTest
		if err := yaml.Unmarshal(b, &file); err != nil {
			t.Fatal(err)
		}
		for _, test := range file.Tests {
			for _, alert := range test.Alerts {
				if len(alert.Expect) > 0 {
					fires[alert.Name] = true
				} else {
					silent[alert.Name] = true
				}
			}
		}
	}
	for name := range alerts(t) {
		if !fires[name] || !silent[name] {
			t.Errorf("%s is tested to fire: %v, to be silent: %v", name, fires[name], silent[name])
		}
	}
}
