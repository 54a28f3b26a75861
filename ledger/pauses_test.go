package ledger

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// pauses are times between lines. A file is quiet after more than ten minutes.
var pauses = []time.Duration{
	time.Second, time.Minute, 9 * time.Minute, 11 * time.Minute, 3 * time.Hour, 23 * time.Hour, 26 * time.Hour,
}

// pause puts a pause before every third line or so, and a second before all other
// lines. It returns the times of the lines of each file.
func (r *replayer) pause() (times [][]int64) {
	for _, f := range r.files {
		at := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
		var all []int64
		for i, line := range f.lines {
			pause := time.Second
			if r.IntN(3) == 0 {
				pause = pauses[r.IntN(len(pauses))]
			}
			if stampOfLine.Match(line) {
				at = at.Add(pause)
				line = stampOfLine.ReplaceAll(line, fmt.Appendf(nil, `"timestamp":%q`, at.Format(time.RFC3339)))
			}
			f.lines[i], all = line, append(all, at.UnixMilli())
		}
		times = append(times, all)
	}
	return times
}

// follow reads a file as a daemon does that runs when each line is written.
func (r *replayer) follow(l *Ledger, f *transcriptFile, times []int64) {
	r.open(f)(l)
	for i, now := range times {
		if i > 0 && now-times[i-1] > pauseAfter*1000 {
			l.FinalizeFile(f.file.ID, times[i-1]+pauseAfter*1000)
			l.EndSessions(now)
		}
		l.AddBatch(f.batch(1, now))
		l.Settle()
	}
}

// Reading a file at rest counts the same turns, requests and runs, and the same request
// attributes, as following it through its pauses. What its messages state may differ if
// they go on after a pause, and so may sessions that were resumed after a day. Copies
// of a session have its pauses, but are written at once.
func TestPauses(t *testing.T) {
	unfinished := false
	for seed := range seeds() {
		live, rest := newReplayer(seed, seed), newReplayer(seed, seed)
		times := live.pause()
		rest.pause()
		for i, f := range live.files {
			if f.file.Kind.Replays() {
				continue
			}
			following, reading := New(testOptions(), birth), New(testOptions(), birth)
			live.follow(following, f, times[i])
			rest.open(rest.files[i])(reading)
			rest.read(rest.files[i], math.MaxInt32)(reading)
			reading.Settle()
			for _, l := range []*Ledger{following, reading} {
				l.FinalizeFile(f.file.ID, birth)
				l.EndSessions(birth)
				releaseAll(l)
			}
			if d := difference(ofPauses(reading), ofPauses(following)); d != "" {
				t.Errorf("seed %d, file %d:\n%s", seed, i, d)
			}
			unfinished = unfinished || value(reading, "claude_subagent_runs_total", "unfinished") > 0
		}
	}
	if !unfinished {
		t.Error("no seed has an unfinished run")
	}
}

// ofPauses returns the series of the families that depend on where a file pauses.
func ofPauses(l *Ledger) map[string][]uint64 {
	all := values(l)
	maps.DeleteFunc(all, func(series string, _ []uint64) bool {
		return !slices.ContainsFunc([]string{
			"claude_turn_", "claude_turns_", "claude_request_duration", "claude_request_first", "claude_subagent_runs",
			"claude_subagent_duration", "claude_requests_by_",
		}, func(prefix string) bool { return strings.HasPrefix(series, prefix) })
	})
	return all
}
