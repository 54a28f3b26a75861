package cut_test

import (
	"fmt"
	"log/slog"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/daemon"
	"github.com/ccwatchd/ccwatchd/follow"
	"github.com/ccwatchd/ccwatchd/pricing"
	"github.com/ccwatchd/ccwatchd/test/difftest"
	"github.com/ccwatchd/ccwatchd/test/exposition"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/test/reference"
	"github.com/ccwatchd/ccwatchd/test/reference/cut"
	"github.com/ccwatchd/ccwatchd/test/reference/naive"
	"github.com/ccwatchd/ccwatchd/test/testsize"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// The growth of ccwatchd's counters until a quiet time equals the totals of the second
// implementation, and of ccwatchd, for the transcripts of that time.
func TestHistory(t *testing.T) {
	now := time.Now()
	for seed := range uint64(testsize.Of(6, 2)) {
		dir := t.TempDir()
		days(t, seed).Write(t, dir)
		detailed, cuts := read(t, dir, now, math.MaxInt64)
		coarse, _ := read(t, dir, now, 1)
		if len(cuts) < 3 {
			t.Fatalf("seed %d: got only %d cuts", seed, len(cuts))
		}
		for _, at := range cuts {
			past := t.TempDir()
			if err := cut.Copy(dir, past, at); err != nil {
				t.Fatal(err)
			}
			before, err := naive.Read(past, now)
			if err != nil {
				t.Fatal(err)
			}
			counted, _ := read(t, past, now, 1)
			h := &detailed
			if cut.IsCoarse(at) {
				h = &coarse
			}
			samples := reference.HistorySamples(h, at)
			want, got := totals(t, reference.HistorySamples(&counted, now)), totals(t, samples)
			series := naive.Expected(before)
			if costs := series.NonZero(naive.CostFamilies()); costs < 10 || want.NonZero() < 30 {
				t.Errorf("seed %d: got only %d costs and %d totals", seed, costs, want.NonZero())
			}
			if d := reference.Diff(want, got, reference.Options{History: true}).Text(); d != "" {
				t.Errorf("seed %d: before %s:\n%s", seed, at.Format(time.RFC3339), difftest.Head(d))
			}
			if d := reference.DiffSeries(series, samples, append(dated, naive.CostFamilies()...), byOrder...).Text(); d != "" {
				t.Errorf("seed %d: before %s:\n%s", seed, at.Format(time.RFC3339), difftest.Head(d))
			}
			for _, d := range reference.DiffSeries(series, samples, firstRead, byOrder...) {
				if d.Got > d.Want {
					t.Errorf("seed %d: before %s: %s", seed, at.Format(time.RFC3339), d)
				}
			}
		}
	}
}

var (
	// dated are families besides costs whose events have times of their own.
	dated = []string{
		"claude_tokens_total", "claude_thinking_tokens_total", "claude_compaction_duration_seconds", "claude_compaction_saved_tokens_total",
		"claude_requests_by_mode_total", "claude_requests_by_entrypoint_total", "claude_requests_by_version_range_total", "claude_hook_runs_total",
		"claude_background_tasks_total", "claude_skill_calls_total",
		"claude_attributed_requests_total", "claude_attributed_tokens_total", "claude_subagent_requests_total", "claude_subagent_tokens_total",
	}
	// firstRead are the families of events that lines of several days may state. An event
	// counts at the time of the line that is read first.
	firstRead = []string{"claude_commits_total", "claude_pull_requests_total", "claude_files_touched_total"}
	// byOrder are the labels that depend on the copy of a line that was read first, or on
	// the allowed names.
	byOrder = []model.LabelName{"project", "agent", "permission_mode", "mcp_server", "type", "skill", "plugin"}
)

func totals(t *testing.T, samples exposition.Samples) reference.Totals {
	t.Helper()
	all, err := reference.TotalsOf(samples)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var timestamp = regexp.MustCompile(`"timestamp":"(2026-03-01T[^"]*)"`)

// days returns generated trees of several days.
func days(t *testing.T, seed uint64) transcripttest.Tree {
	t.Helper()
	all := make(transcripttest.Tree)
	models := strings.NewReplacer(`"model":"opus"`, `"model":"claude-opus-4-6"`, `"model":"sonnet"`, `"model":"claude-sonnet-4-6"`)
	for day := range 4 {
		for name, content := range transcripttest.Generate(10*seed+uint64(day), transcripttest.Options{Copies: true, Size: 3}) {
			all[fmt.Sprint("day", day, "/", name)] = models.Replace(timestamp.ReplaceAllStringFunc(content, func(text string) string {
				at, err := time.Parse(time.RFC3339Nano, timestamp.FindStringSubmatch(text)[1])
				if err != nil {
					t.Fatal(err)
				}
				return `"timestamp":"` + at.Add(time.Duration(day)*20*time.Hour).Format("2006-01-02T15:04:05.000Z") + `"`
			}))
		}
	}
	return all
}

// read returns the history of the transcripts below a directory, with short intervals
// up to an age in milliseconds, and when they can be cut.
func read(t *testing.T, dir string, now time.Time, detailedFor int64) (counters.History, []time.Time) {
	t.Helper()
	tree, err := cut.Read(dir, now)
	if err != nil {
		t.Fatal(err)
	}
	o := ledgertest.Options()
	o.Prices, o.FineHistory = pricing.Default(), detailedFor
	reading, err := daemon.Once(t.Context(), daemon.Settings{
		Sources: func() []follow.Source { return nil }, Labeller: transcripttest.Labeller{}, Ledger: o, MaxLine: 1 << 20,
	}, slog.New(slog.DiscardHandler), tree.Files...)
	if err != nil || reading.Failed > 0 {
		t.Fatalf("got %+v, error %v", reading, err)
	}
	return reading.History(), tree.Cuts
}
