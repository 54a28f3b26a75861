package main

import (
	"os"
	"strings"
	"testing"
)

func TestFilter(t *testing.T) {
	s, err := readScope(metrics)
	if err != nil {
		t.Fatal(err)
	}
	const daemon = `job=~"$job",instance=~"$instance"`
	tests := []struct{ expr, want, caveat string }{
		{`up`, `up{` + daemon + `}`, ""},
		{`time() - process_start_time_seconds`, `time() - process_start_time_seconds{` + daemon + `}`, ""},
		{`sum by (reason) (rate(ccwatchd_line_errors_total[1h]))`, `sum by (reason) (rate(ccwatchd_line_errors_total{` + daemon + `}[1h]))`, ""},
		{
			`claude_tokens_total{type="output"}`,
			`claude_tokens_total{` + daemon + `,user=~"$user",project=~"$project",model=~"$model",type="output"}`, "",
		},
		{
			`claude_turn_duration_seconds_bucket`,
			`claude_turn_duration_seconds_bucket{` + daemon + `,user=~"$user"}`,
			"The variable project does not apply. The variable model does not apply.",
		},
		{
			`claude_api_errors_total / claude_tokens_total`,
			`claude_api_errors_total{` + daemon + `,user=~"$user"} / claude_tokens_total{` + daemon + `,user=~"$user",project=~"$project",model=~"$model"}`,
			"The variable project applies only in part. The variable model applies only in part.",
		},
	}
	fleet := scope{labels: s.labels, fleet: true}
	for expr, want := range map[string]string{
		`ccwatchd_ready`:          `ccwatchd_ready{` + daemon + `,user=~"$user",host=~"$host"}`,
		`claude_api_errors_total`: `claude_api_errors_total{` + daemon + `,user=~"$user",host=~"$host"}`,
	} {
		if got, err := fleet.filter(expr, ""); err != nil || got != want {
			t.Errorf("%s in a fleet: got\n%s, want\n%s (%v)", expr, got, want, err)
		}
	}
	const needed = `up{` + daemon + `,user!=""}`
	if got, err := s.filter(`up`, "user"); err != nil || got != needed {
		t.Errorf("with a required label: got %s, want %s (%v)", got, needed, err)
	}
	for _, test := range tests {
		got, err := s.filter(test.expr, "")
		if err != nil || got != test.want {
			t.Errorf("%s: got\n%s, want\n%s (%v)", test.expr, got, test.want, err)
		}
		if caveat := s.caveat([]string{test.expr}); caveat != test.caveat {
			t.Errorf("%s: got caveat %q, want %q", test.expr, caveat, test.caveat)
		}
	}
}

func TestFilterUnknownSeries(t *testing.T) {
	s, err := readScope(metrics)
	if err != nil {
		t.Fatal(err)
	}
	for _, expr := range []string{`claude_token_total`, `claude_tokens_total_bucket`, `claude_tool_duration_seconds`} {
		if _, err := s.filter(expr, ""); err == nil || !strings.Contains(err.Error(), expr) {
			t.Errorf("%s: got error %v, want one about an unknown series", expr, err)
		}
	}
}

// Fixed colors are for existing label values; a misspelled one would have no effect.
func TestColors(t *testing.T) {
	page, err := os.ReadFile(metrics)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range boards() {
		for _, p := range b.all() {
			for name := range p.colors {
				if !strings.Contains(string(page), "`"+name+"`") {
					t.Errorf("%s: %q has a color for %s, which is not a documented label value", b.name, p.title, name)
				}
			}
		}
	}
}
