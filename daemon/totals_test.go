package daemon

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/state"
	"github.com/ccwatchd/ccwatchd/test/difftest"
	"github.com/ccwatchd/ccwatchd/test/exposition"
	"github.com/ccwatchd/ccwatchd/test/polltest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

type (
	session = transcripttest.Session
	reply   = transcripttest.Reply
	call    = transcripttest.Call
	tree    = transcripttest.Tree
)

// replies returns a session with n prompts and replies.
func replies(session string, n int) string { return transcripttest.Replies(session, n) }

// endedReplies is replies plus a line that ends the last turn, so that nothing is
// pending.
func endedReplies(id string, n int) string {
	s := &session{Name: id + "-end", ID: id, CWD: "/p"}
	return replies(id, n) + s.Line("system", `,"subtype":"turn_duration","durationMs":1`).String()
}

// openReply returns a message without a final record.
func openReply(id string) string {
	s := &session{Name: id + "-open", ID: id, CWD: "/p"}
	return s.Reply(reply{ID: "msg-open-" + id, In: 1, Out: 5}).String()
}

const (
	requests  = `claude_requests_total`
	sessions  = `claude_sessions_total`
	turns     = `claude_turns_total`
	output    = `claude_tokens_total{type="output"}`
	input     = `claude_tokens_total{type="input"}`
	subagents = `claude_subagents_total{kind="task"}`
	garbage   = `ccwatchd_line_errors_total{reason="garbage"}`
	readBytes = `ccwatchd_read_bytes_total`
	truncated = `ccwatchd_file_resets_total{reason="truncated"}`
	replaced  = `ccwatchd_file_resets_total{reason="replaced"}`
)

// prompts is the series of the prompts of a project.
func prompts(project string) string {
	return fmt.Sprintf("claude_prompts_total{kind=\"text\",project=%q}", project)
}

// summedLabels are the labels that most tests sum over.
var summedLabels = []string{"model", "project", "agent", "stop_reason"}

// timingDependent are the families that depend on when a file is read.
var timingDependent = []string{"ccwatchd_duplicates_total", "ccwatchd_file_resets_total"}

// orderDependent are the families and labels that depend on which copy of a line is
// read first, or which copy of a turn or request ends first. Generated copies of a
// request differ in a single attribute, the speed.
var orderDependent = append([]string{
	"project", "agent", "stop_reason", "speed", "claude_turn_seconds", "claude_turn_requests", "claude_turn_tool_calls",
	"claude_request_duration_seconds", "claude_request_first_block_seconds",
	"claude_request_timed_output_tokens_total", "claude_request_timed_seconds_total",
	"claude_cache_misses_total", "claude_cache_rewritten_tokens_total", "claude_cache_rewritten_cost_usd_total",
	"claude_fast_mode_premium_usd_total", "claude_request_context_tokens",
}, timingDependent...)

// Totals are the values of counters and histograms by series. A histogram has series
// for its count, its sum and each bucket. Series at zero are omitted.
type totals map[string]uint64

// counts returns the totals of n replies in a number of sessions.
func counts(n, inSessions uint64) totals {
	return totals{input: n, output: 10 * n, requests: n, `claude_prompts_total{kind="text"}`: n, sessions: inSessions}
}

// with returns the totals with another series.
func (t totals) with(series string, v uint64) totals {
	t = maps.Clone(t)
	t[series] = v
	return t
}

// diff describes the first differences of two totals, one line for each series.
func (t totals) diff(want totals) string {
	return difftest.Head(exposition.Diff(want, t, nil).Text())
}

// endedFamilies are the families of ended sessions. They depend on when the daemon
// looks for sessions without a line for a day, which includes the old sessions of most
// tests. TestEndSessions covers them.
var endedFamilies = []string{"claude_session_duration_seconds", "claude_session_prompts", "claude_session_requests"}

// totalsOf returns the totals of a snapshot, without endedFamilies and the families in
// drop, and summed over the labels in drop.
func totalsOf(snap *ledger.Snapshot, drop ...string) totals {
	all := make(totals)
	for _, f := range snap.Families {
		if f.Family.Type == counters.Gauge || slices.Contains(slices.Concat(drop, endedFamilies), f.Family.Name) {
			continue
		}
		for i := range f.Samples {
			if s := &f.Samples[i]; s.Value == 0 && s.Sum == 0 {
				continue
			}
			for series, v := range valuesOf(f.Family, &f.Samples[i], drop) {
				if v != 0 {
					all[series] += v
				}
			}
		}
	}
	return all
}

// valuesOf returns the values of a sample by series.
func valuesOf(f *counters.Family, s *counters.Sample, drop []string) map[string]uint64 {
	var labels []string
	for i, name := range f.Labels {
		if !slices.Contains(drop, name) {
			labels = append(labels, fmt.Sprintf("%s=%q", name, s.Labels[i]))
		}
	}
	for name, value := range s.Source.Labels() {
		labels = append(labels, fmt.Sprintf("%s=%q", name, value))
	}
	series := func(suffix string, more ...string) string {
		if all := slices.Concat(labels, more); len(all) > 0 {
			return f.Name + suffix + "{" + strings.Join(all, ",") + "}"
		}
		return f.Name + suffix
	}
	if f.Type != counters.Histogram {
		return map[string]uint64{series(""): s.Value}
	}
	values := map[string]uint64{series("_count"): s.Value, series("_sum"): s.Sum}
	var below uint64
	for i, bound := range f.Buckets {
		below += s.Counts[i]
		values[series("_bucket", fmt.Sprintf(`le="%v"`, bound))] = below
	}
	return values
}

// snapshot returns a snapshot of a provider, in new memory.
func snapshot(from metrics.Provider) (s ledger.Snapshot, ok bool) {
	ok = from.SnapshotInto(&s)
	return s, ok
}

func stateTotals(s *state.State, drop ...string) totals {
	var snap ledger.Snapshot
	s.SnapshotInto(&snap)
	return totalsOf(&snap, drop...)
}

// scrape takes one scrape. New series are 0 in it.
func (h *harness) scrape() ledger.Snapshot {
	h.Helper()
	snap, ok := h.scraper.scrape(h.d)
	if !ok {
		h.Fatal("the daemon exposes nothing")
	}
	return snap
}

// totals scrapes twice: new series are 0 in the first scrape and released after it.
func (h *harness) totals(drop ...string) totals {
	h.Helper()
	pending := h.d.state.Pending()
	h.scrape()
	if pending != 0 {
		h.d.state.Release(pending)
	}
	snap := h.scrape()
	return totalsOf(&snap, drop...)
}

func (h *harness) totalsOnce(drop ...string) totals {
	h.Helper()
	r, err := Once(h.Context(), h.settings, slog.New(slog.DiscardHandler))
	h.Must(err)
	snap, _ := snapshot(r)
	return totalsOf(&snap, drop...)
}

// waitFor waits until the series in want, summed over summedLabels, have their values.
func (h *harness) waitFor(want totals) {
	h.Helper()
	h.waitForSeries(want, summedLabels...)
}

// waitForSeries waits until the series in want have their values, and returns the
// totals.
func (h *harness) waitForSeries(want totals, drop ...string) (got totals) {
	h.Helper()
	h.waitForTotals(want, func() totals {
		got = h.totals(drop...)
		wanted := make(totals, len(want))
		for series := range want {
			wanted[series] = got[series]
		}
		return wanted
	})
	return got
}

// waitForAll waits until the totals are exactly want.
func (h *harness) waitForAll(want totals, drop ...string) {
	h.Helper()
	h.waitForTotals(want, func() totals { return h.totals(drop...) })
}

func (h *harness) waitForTotals(want totals, get func() totals) {
	h.Helper()
	polltest.Eventually(h, "the daemon has caught up", h.d.Ready)
	var diff string
	if !polltest.Poll(time.Millisecond, h.expiring(func() bool {
		diff = get().diff(want)
		return diff == ""
	})) {
		h.Fatalf("the totals are wrong:\n%s", diff)
	}
}

// waitForAllAndRestart waits until the totals are exactly want, and checks that they
// are the same after a restart.
func (h *harness) waitForAllAndRestart(want totals, drop ...string) {
	h.Helper()
	if len(want) < 5 {
		h.Fatalf("too few totals to compare: %v", want)
	}
	h.waitForAll(want, drop...)
	h.restart()
	if d := h.totals(drop...).diff(want); d != "" {
		h.Errorf("the totals are wrong after a restart:\n%s", d)
	}
}
