package main

import (
	"os"
	"strings"
	"testing"
)

func TestNarrow(t *testing.T) {
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
			`claude_turn_duration_seconds_bucket{` + daemon + `,user=~"$user",project=~"$project"}`,
			"The chosen model does not narrow this.",
		},
		{
			`claude_api_errors_total / claude_tokens_total`,
			`claude_api_errors_total{` + daemon + `,user=~"$user"} / claude_tokens_total{` + daemon + `,user=~"$user",project=~"$project",model=~"$model"}`,
			"The chosen project narrows only a part of this. The chosen model narrows only a part of this.",
		},
	}
	for _, test := range tests {
		got, err := s.narrow(test.expr)
		if err != nil || got != test.want {
			t.Errorf("%s became\n%s, want\n%s (%v)", test.expr, got, test.want, err)
		}
		if caveat := s.caveat([]string{test.expr}); caveat != test.caveat {
			t.Errorf("%s is said to be %q, want %q", test.expr, caveat, test.caveat)
		}
	}
}

func TestNarrowUnknown(t *testing.T) {
	s, err := readScope(metrics)
	if err != nil {
		t.Fatal(err)
	}
	for _, expr := range []string{`claude_token_total`, `claude_tokens_total_bucket`, `claude_tool_duration_seconds`} {
		if _, err := s.narrow(expr); err == nil || !strings.Contains(err.Error(), expr) {
			t.Errorf("%s is no series, and the error is %v", expr, err)
		}
	}
}

// A colour that is fixed is that of something which the panel can show: where it
// is written otherwise nobody would miss it.
func TestColours(t *testing.T) {
	page, err := os.ReadFile(labelPage)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range boards() {
		for _, p := range b.panels {
			for name := range p.paint {
				if !strings.Contains(string(page), "`"+name+"`") {
					t.Errorf("%s: %q paints %s, which is no value of a label", b.name, p.title, name)
				}
			}
		}
	}
}
