package packaging

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// The queries of the documentation ask for what there is, and work wherever they
// are pasted.
func TestQueriesAskForWhatThereIs(t *testing.T) {
	known := dashboardSeries(t)
	page := document(t, "queries.md") + document(t, "queries-tools.md")
	found := regexp.MustCompile("(?s)\n```promql\n(.*?)\n```\n").FindAllStringSubmatch(page, -1)
	if questions := strings.Count(page, "\n### "); questions < 20 || len(found) < questions {
		t.Errorf("there are %d questions and %d queries", questions, len(found))
	}
	for _, m := range found {
		expr := strings.TrimSpace(m[1])
		if dashboardSelector.FindString(expr) == "" {
			t.Errorf("nothing is asked by %s", expr)
		}
		if strings.ContainsAny(expr, "$#") || strings.Contains(expr, "\n\n") {
			t.Errorf("more than one expression, or not one for every server: %s", expr)
		}
		for _, fault := range dashboardFaults(expr, known) {
			t.Errorf("%s in %s", fault, expr)
		}
	}
}

// Rules, dashboards and documents ask only for the kinds of unknown things that may be
// missing in the counters: the others come with most releases of Claude Code.
func TestOnlyAlarmingKindsAreAskedFor(t *testing.T) {
	rules, err := filepath.Glob("prometheus/rules/*.yml")
	if err != nil {
		t.Fatal(err)
	}
	dashboards, err := filepath.Glob("grafana/dashboards/*.json")
	if err != nil {
		t.Fatal(err)
	}
	want := `kind=~"` + strings.Join(transcript.AlarmingKinds, "|") + `"`
	for name, files := range map[string][]string{"rules": rules, "dashboards": dashboards, "queries": {"../docs/queries.md", "../docs/queries-tools.md"}} {
		asked := 0
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text := strings.ReplaceAll(string(b), `\"`, `"`)
			for _, m := range regexp.MustCompile(`ccwatchd_unknown_format_total(?:\{([^}]*)\})?[[{]`).FindAllStringSubmatch(text, -1) {
				if asked++; !strings.Contains(m[1], want) {
					t.Errorf("%s asks for %s, want %s", file, m[0], want)
				}
			}
		}
		if asked == 0 {
			t.Errorf("the %s do not ask for what is unknown", name)
		}
	}
}
