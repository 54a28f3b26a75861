package packaging

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/pricing"
	"github.com/ccwatchd/ccwatchd/test/filetest"
)

// runbook is the URL of the runbook of an alert, without the alert.
const runbook = "https://github.com/ccwatchd/ccwatchd/blob/main/docs/alerts.md#"

// A rule is an alerting or a recording rule.
type rule struct {
	Record, Alert, Expr, For string
	Labels, Annotations      map[string]string
}

// rules returns all rules, in the order of the files.
func rules(t *testing.T) []rule {
	t.Helper()
	var all []rule
	for _, name := range append(glob(t, "prometheus/rules/*.yml"), "prometheus/otel-rules.yml") {
		var file struct{ Groups []struct{ Rules []rule } }
		unmarshal(t, name, &file)
		for _, group := range file.Groups {
			all = append(all, group.Rules...)
		}
	}
	if len(all) < 20 {
		t.Fatalf("got %d rules", len(all))
	}
	return all
}

// alerts returns the alerting rules by name.
func alerts(t *testing.T) map[string]rule {
	t.Helper()
	byName := make(map[string]rule)
	for _, r := range rules(t) {
		if _, duplicate := byName[r.Alert]; duplicate {
			t.Errorf("duplicate alert %s", r.Alert)
		}
		if r.Alert != "" {
			byName[r.Alert] = r
		}
	}
	return byName
}

// The alert of full contexts knows which models have large windows.
func TestContextWindowsOfModels(t *testing.T) {
	expr := alerts(t)["ClaudeContextNearlyFull"].Expr
	quoted := regexp.MustCompile(`model!~("[^"]*")`).FindStringSubmatch(expr)
	if quoted == nil {
		t.Fatalf("no models in %s", expr)
	}
	pattern, err := strconv.Unquote(quoted[1])
	if err != nil {
		t.Fatal(err)
	}
	large := regexp.MustCompile("^(?s:" + pattern + ")$") // as Prometheus anchors it
	models := []string{
		"glm-5", "opus", "claude-opus", "claude-opus-4-10", "claude-opus-10", "claude-opus-4-20250514", "claude-opus-4-8-20260401", "claude-sonnet-4-5[1m]", "gemini-claude-opus-4-8",
		"anthropic/claude-opus-4.8", "anthropic/claude-opus-4.6", "claude-4.8-opus", "claude-4.6-opus", "Claude Haiku 5.5", "Claude Haiku 4.5", "claude-haiku-4-5@20251001",
	}
	for _, row := range pricing.Default().Rows {
		models = append(models, row.Model, "us.anthropic."+row.Model+"-v1:0")
	}
	for _, model := range models {
		if got, want := large.MatchString(model), ledger.ContextWindow(0, 1, model) == 1_000_000; got != want {
			t.Errorf("%s: large in the rule: %v, in the program: %v", model, got, want)
		}
	}
}

// A rule with an unknown series or label never fires, and promtool accepts it.
func TestRuleExpressions(t *testing.T) {
	known, all := documentedSeries(t), rules(t)
	for _, r := range all {
		if level, _, recorded := strings.Cut(r.Record, ":"); recorded {
			known[r.Record] = append(strings.Split(level, "_"), "user")
		} else if r.Record != "" {
			known[r.Record] = nil
		}
	}
	for _, r := range all {
		if !selector.MatchString(r.Expr) && !strings.Contains(r.Expr, "up{") {
			t.Errorf("%s%s selects no series: %s", r.Record, r.Alert, r.Expr)
		}
		for _, fault := range exprFaults(r.Expr, known) {
			t.Errorf("%s%s: %s in %s", r.Record, r.Alert, fault, r.Expr)
		}
	}
}

// summed matches a sum of one metric or of its rate.
var summed = regexp.MustCompile(`sum without \(([^)]*)\) \((?:(?:rate|increase)\()?([a-z_]+)`)

// Rules must keep job, instance and the labels of sources, which they cannot know; so
// they aggregate only with "without", except for sums over a fleet. The level in the
// name of a recording rule lists the labels that remain.
func TestRulesKeepTheLabelsOfSources(t *testing.T) {
	known := documentedSeries(t)
	for _, r := range rules(t) {
		if isOfFleet(r) {
			continue
		}
		if regexp.MustCompile(`\b(by|on|ignoring|group_left|group_right)\b`).MatchString(r.Expr) {
			t.Errorf("%s%s drops labels: %s", r.Record, r.Alert, r.Expr)
		}
		level, _, recorded := strings.Cut(r.Record, ":")
		for _, m := range summed.FindAllStringSubmatch(r.Expr, -1) {
			labels, ok := known[m[2]]
			if !ok {
				continue
			}
			// The label mcp_server depends on tool.
			dropped := append(strings.Split(m[1], ", "), "mcp_server")
			for _, label := range dropped[:len(dropped)-1] {
				if !slices.Contains(labels, label) {
					t.Errorf("%s%s sums %s without %s, a label that it does not have", r.Record, r.Alert, m[2], label)
				}
			}
			kept := slices.DeleteFunc(slices.Sorted(slices.Values(labels)), func(l string) bool { return slices.Contains(dropped, l) })
			if want := strings.Join(append([]string{"instance"}, kept...), "_"); recorded && level != want {
				t.Errorf("%s has level %s, want %s", r.Record, level, want)
			}
		}
	}
}

// isOfFleet reports whether a rule sums over the machines of each user.
func isOfFleet(r rule) bool { return strings.HasPrefix(r.Record, "user") }

// Rules of a fleet sum what other rules record for each machine, by exactly the labels
// of their level.
func TestFleetRules(t *testing.T) {
	found := 0
	for _, r := range rules(t) {
		if !isOfFleet(r) {
			continue
		}
		found++
		level, _, _ := strings.Cut(r.Record, ":")
		want := "sum by (" + strings.ReplaceAll(level, "_", ", ") + ") (instance_"
		if sums := strings.Count(r.Expr, "sum "); sums == 0 || sums != strings.Count(r.Expr, want) {
			t.Errorf("%s has a sum without %s: %s", r.Record, want, r.Expr)
		}
	}
	if found == 0 {
		t.Error("no rule sums over the machines of a user")
	}
}

// Every alert has a severity, a constant summary, a description with the instance and
// a remedy, and a runbook.
func TestAlertsAreDocumented(t *testing.T) {
	var headings []string
	for _, m := range regexp.MustCompile(`(?m)^### (\w+)$`).FindAllStringSubmatch(filetest.Read(t, "../docs/alerts.md"), -1) {
		headings = append(headings, m[1])
	}
	slices.Sort(headings)
	all := alerts(t)
	if names := slices.Sorted(maps.Keys(all)); !slices.Equal(names, headings) {
		t.Errorf("got alerts\n%q, runbooks for\n%q", names, headings)
	}
	for name, r := range all {
		if s := r.Labels["severity"]; s != "warning" && s != "info" || len(r.Labels) != 1 {
			t.Errorf("%s has labels %v", name, r.Labels)
		}
		if s := r.Annotations["summary"]; !strings.HasSuffix(s, ".") || strings.Contains(s, "{{") {
			t.Errorf("%s: summary %q is not a constant sentence", name, s)
		}
		if s := r.Annotations["description"]; !strings.HasSuffix(s, ".") || !strings.Contains(s, "$labels.instance") {
			t.Errorf("%s: description %q has no instance or is not a sentence", name, s)
		}
		if got, want := r.Annotations["runbook_url"], runbook+strings.ToLower(name); got != want {
			t.Errorf("%s has runbook %q, want %q", name, got, want)
		}
	}
}

// promtool accepts rules without tests.
func TestAlertsAreTested(t *testing.T) {
	fires, silent := make(map[string]bool), make(map[string]bool)
	for _, name := range glob(t, "testdata/rules/*.yml") {
		var file struct {
			Tests []struct {
				Alerts []struct {
					Name   string `yaml:"alertname"`
					Expect []any  `yaml:"exp_alerts"`
				} `yaml:"alert_rule_test"`
			}
		}
		unmarshal(t, name, &file)
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

func unmarshal(t *testing.T, name string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(filetest.Read(t, name)), into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}
