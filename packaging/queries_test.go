package packaging

import (
	"regexp"
	"strings"
	"testing"
)

// The queries of the documentation ask for what there is, and work wherever they
// are pasted.
func TestQueriesAskForWhatThereIs(t *testing.T) {
	known := dashboardSeries(t)
	page := document(t, "queries.md")
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
