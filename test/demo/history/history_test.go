package main

import (
	"bufio"
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/testsize"
)

var monday = time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)

// history returns the samples of a Monday by series, in order.
func history(t *testing.T, span time.Duration) map[string][]float64 {
	t.Helper()
	var page bytes.Buffer
	if err := write(t.Context(), bufio.NewWriter(&page), 1, 2, monday, monday.Add(span)); err != nil {
		t.Fatal(err)
	}
	text, ended := strings.CutSuffix(page.String(), "\n# EOF\n")
	if !ended {
		t.Error("the output has no end marker")
	}
	sample := regexp.MustCompile(`^(\w+\{instance="office:10229",job="ccwatchd"[,}].*) (\S+) \d{10}$`)
	all := map[string][]float64{}
	for line := range strings.Lines(text) {
		part := sample.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if part == nil {
			t.Fatalf("invalid sample %q", line)
		}
		value, err := strconv.ParseFloat(part[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		all[part[1]] = append(all[part[1]], value)
	}
	return all
}

// Every scrape is written, counters never fall, and new ones begin at zero.
func TestHistory(t *testing.T) {
	const span = 2 * time.Hour
	scrapes := int(span/short) + 1
	work := 0.0
	for series, values := range history(t, span) {
		if strings.HasPrefix(series, "up{") && len(values) != scrapes {
			t.Errorf("got %d scrapes, want %d", len(values), scrapes)
		}
		if !regexp.MustCompile(`^(?:claude|ccwatchd)_\w+_(total|count|bucket)\{`).MatchString(series) {
			continue
		}
		if len(values) < scrapes && values[0] != 0 {
			t.Errorf("%s begins with %v", series, values[0])
		}
		for i := 1; i < len(values); i++ {
			if values[i] < values[i-1] {
				t.Errorf("%s falls from %v to %v", series, values[i-1], values[i])
			}
		}
		if strings.HasPrefix(series, "claude_requests_total{") {
			work += values[len(values)-1]
		}
	}
	if work == 0 {
		t.Error("got no requests")
	}
}

// The gauges of running sessions and of usage limits have series for each
// person.
func TestGauges(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	most := map[string]float64{}
	for series, values := range history(t, 8*time.Hour) {
		name, labels, _ := strings.Cut(series, "{")
		for _, who := range []string{"alice", "bob"} {
			if strings.Contains(labels, `user="`+who+`"`) {
				most[name+" "+who] = max(most[name+" "+who], slices.Max(values))
			}
		}
	}
	for _, who := range []string{"alice", "bob"} {
		for _, name := range []string{"claude_sessions_running", "claude_limit_used_ratio", "claude_limit_reset_timestamp_seconds"} {
			if most[name+" "+who] == 0 {
				t.Errorf("%s of %s is 0 or missing", name, who)
			}
		}
		if n := most["claude_sessions_unwritten "+who]; n > 0 {
			t.Errorf("got %v sessions of %s without transcript", n, who)
		}
	}
}

func TestArguments(t *testing.T) {
	for _, test := range []struct {
		args []string
		want int
	}{
		{[]string{"--help"}, 0},
		{[]string{"--until=yesterday"}, 2},
		{[]string{"--nonsense"}, 2},
		{[]string{"--people=0"}, 2},
		{[]string{"--people=101"}, 2},
		{[]string{"--days=-1"}, 2},
	} {
		var stdout, stderr bytes.Buffer
		if got := run(test.args, &stdout, &stderr); got != test.want || (got != 0) != (stderr.Len() > 0) {
			t.Errorf("%q: got exit code %d, want %d; output %q", test.args, got, test.want, stderr.String())
		}
	}
}
