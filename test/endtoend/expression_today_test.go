//go:build endtoend

package endtoend

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// The graph of the ten most expensive projects of thirty days includes a project whose
// first sample is of today, although the last step of the graph begins at midnight.
func TestExpressionOfNewProject(t *testing.T) {
	t.Parallel()
	const steps = 30
	midnight := time.Now().UTC().Truncate(day).Add(-day) // "today" is yesterday, and its noon is now
	noon := midnight.Add(12 * time.Hour)
	present := NewPrometheus(t, "Prometheus 3", Prometheus, "", "--storage.tsdb.retention.time=1y")
	old := NewPrometheus(t, "Prometheus 2", OldPrometheus, "", "--storage.tsdb.retention.time=1y")
	victoria := NewVictoriaMetrics(t, "", "-retentionPeriod=1y", "-search.disableCache")
	for _, s := range []*Server{present, old} {
		s.Write(t, "history.om", costs(midnight, noon, time.Second))
		createBlocks(t, s)
	}
	expr := costPerDayByProject(t)
	for _, s := range []*Server{present, old, victoria} {
		t.Run(s.Name, func(t *testing.T) {
			s.Start(t)
			if s == victoria {
				importText(t, s, costs(midnight, noon, time.Millisecond))
			}
			// Prometheus finds blocks that it has not written after a moment.
			Eventually(t, "the graph has the new project", func() error {
				series, err := s.QueryRange(t.Context(), expr, midnight.Add(-(steps-1)*day), midnight, day)
				if err != nil {
					t.Fatal(err)
				}
				at := slices.IndexFunc(series, func(ts Series) bool { return ts.Labels["project"] == "new" })
				if at < 0 || len(series) != 10 {
					return fmt.Errorf("%d projects, without the new one", len(series))
				}
				if last := series[at].Samples; len(last) != 1 || !last[0].At.Equal(midnight) || last[0].Value != 15 {
					return fmt.Errorf("the new project has %v, want 15 at %v", last, midnight)
				}
				return nil
			})
		})
	}
}

// costs returns samples of twelve projects that cost 0.05 an hour for twenty days, and
// of a new project that begins two hours before now and costs 15.
func costs(midnight, now time.Time, unit time.Duration) string {
	var text strings.Builder
	text.WriteString("# TYPE claude_cost_usd counter\n")
	series := func(project string, at time.Time, value float64) {
		fmt.Fprintf(&text, "claude_cost_usd_total{job=\"ccwatchd\",instance=\"a\",project=%q,model=\"m\"} %g %d\n", project, value, at.UnixNano()/int64(unit))
	}
	for project := range 12 {
		for hour := range 20*24 + 12 {
			series(fmt.Sprint("project", project), midnight.Add(-20*day+time.Duration(hour)*time.Hour), .02*float64(hour))
		}
	}
	for i, value := range []float64{0, 5, 15} {
		series("new", now.Add(time.Duration(i-2)*time.Hour), value)
	}
	text.WriteString("# EOF\n")
	return text.String()
}

// importText imports samples in the text format into VictoriaMetrics.
func importText(t *testing.T, s *Server, text string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+"/api/v1/import/prometheus", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close() //nolint:errcheck // already read
	if body, err := io.ReadAll(response.Body); err != nil || response.StatusCode/100 != 2 {
		t.Fatalf("import: got %s: %s (%v)", response.Status, body, err)
	}
}

// costPerDayByProject returns the expression of the panel with the values that Grafana
// inserts for thirty days.
func costPerDayByProject(t *testing.T) string {
	t.Helper()
	days := strings.NewReplacer("$__range", "2592000s", "$__interval", "86400s", "$job", ".+", "$instance", ".+", "$user", ".*", "$project", ".*", "$model", ".*")
	all := dashboardExpressions(t, days)
	const source = "overview: Cost per day by project A"
	at := slices.IndexFunc(all, func(e expression) bool { return e.source == source })
	if at < 0 {
		t.Fatalf("no panel %s", source)
	}
	return all[at].expr
}
