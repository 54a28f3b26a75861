package ledger

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/common/model"

	"github.com/ccwatchd/ccwatchd/test/reference/naive"
	"github.com/ccwatchd/ccwatchd/test/testsize"
)

// tree returns the files at rest, as the second implementation reads them.
func (r *replayer) tree() *naive.Tree {
	var sources []naive.Source
	for _, f := range r.files {
		sources = append(sources, naive.Source{Path: f.name, Content: append(bytes.Join(f.lines, []byte("\n")), '\n')})
	}
	return naive.NewTree(time.UnixMilli(r.now), sources...)
}

// naiveFamilies are families that the second implementation counts, without the labels
// in byOrder, as a ledger does that reads the files in any order.
var naiveFamilies = []string{
	"claude_tokens_total", "claude_thinking_tokens_total", "claude_limit_hits_total", "claude_commits_total", "claude_pull_requests_total",
	"claude_files_touched_total", "claude_background_tasks_total", "claude_hook_runs_total", "claude_hook_duration_seconds",
	"claude_requests_by_mode_total", "claude_requests_by_service_total", "claude_requests_by_entrypoint_total", "claude_requests_by_version_range_total",
}

// addNaive adds what the second implementation finds. Of histograms, which are in
// seconds, it counts up to a second and above.
func addNaive(to map[string][]uint64, tree *naive.Tree) {
	for _, s := range naive.Expected(tree) {
		name := string(s.Labels[model.MetricNameLabel])
		if !slices.Contains(naiveFamilies, name) {
			continue
		}
		for _, label := range slices.Sorted(maps.Keys(s.Labels)) {
			if label != model.MetricNameLabel && !slices.Contains(byOrder, string(label)) {
				name += fmt.Sprintf(" %s=%s", label, s.Labels[label])
			}
		}
		if s.Observed == nil {
			add(to, name, uint64(s.Value), 0)
		}
		for _, v := range s.Observed {
			short := uint64(0)
			if v <= 1 {
				short = 1
			}
			add(to, name, 1, uint64(math.Round(v*1000)), short, 1-short)
		}
	}
}

// expectedTurns returns the sums over the turns of files, each once: of the copies that
// end first if files are quiet at their ends, or when all have been read, and of the
// smallest and the largest.
func expectedTurns(r *replayer) (count uint64, first, atRest, least, most [3]uint64) {
	turns := r.tree().Turns()
	for _, copies := range turns {
		for i, number := range []func(naive.Turn) int64{
			func(t naive.Turn) int64 { return t.Milliseconds },
			func(t naive.Turn) int64 { return t.Requests },
			func(t naive.Turn) int64 { return t.Calls },
		} {
			low, high := int64(math.MaxInt64), int64(0)
			for _, t := range copies {
				low, high = min(low, number(t)), max(high, number(t))
			}
			first[i] += uint64(number(copies[0]))
			atRest[i] += uint64(number(naive.FirstAtRest(copies)))
			least[i] += uint64(low)
			most[i] += uint64(high)
		}
	}
	return uint64(len(turns)), first, atRest, least, most
}

// countedTurns returns the number of turns, and the sums of the histograms.
func countedTurns(t *testing.T, l *Ledger) (count uint64, sums [3]uint64) {
	t.Helper()
	releaseAll(l)
	all := values(l, "project")
	if n := all["claude_turns_total"]; n != nil {
		count = n[0]
	}
	for i, name := range turnHistograms {
		n := all[name]
		if n == nil {
			continue
		}
		if sums[i] = n[1]; n[0] != count {
			t.Errorf("%s has %d observations, want %d", name, n[0], count)
		}
	}
	return count, sums
}

// The turns of generated files read one after another, at rest or as they grow, equal
// the turns of the second implementation.
func TestTurnReference(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	some := [4]uint64{}
	for seed := range uint64(testsize.Of(60, 20)) {
		for _, settle := range []int{afterFiles, atTheEnd, afterBatches} {
			r := newReplayer(seed, 0)
			want, first, atRest, _, _ := expectedTurns(r)
			if settle == atTheEnd {
				first = atRest
			}
			got, sums := countedTurns(t, r.readInOrder([]int{math.MaxInt32, 1, 3}[settle], settle))
			if got != want || sums != first {
				t.Fatalf("seed %d, settle %d: got %d turns with %d, want %d with %d", seed, settle, got, sums, want, first)
			}
			some = [4]uint64{some[0] + got, some[1] + sums[0], some[2] + sums[1], some[3] + sums[2]}
		}
	}
	if slices.Min(some[:]) == 0 {
		t.Errorf("got %d in all: the generator writes no turns", some)
	}
}

func within(sums, least, most [3]uint64) bool {
	for i, n := range sums {
		if n < least[i] || n > most[i] {
			return false
		}
	}
	return true
}

// In any order, with files that are read again and ledgers that are saved and reopened
// between any two steps, each turn is counted once. Which copy counts depends on the
// order where a fork was taken in the middle of a turn, and nowhere else.
func TestTurnsInAnyOrder(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	exact := 0
	for seed := range seeds() {
		want, _, _, least, most := expectedTurns(newReplayer(seed, 0))
		for order := range uint64(4) {
			l := New(testOptions(), birth)
			for i, s := range newReplayer(seed, order).readAll(1+int(order)*3, order%2 == 0, true) {
				if s(l); i%23 == 0 {
					l = reopened(t, l)
				}
			}
			if got, sums := countedTurns(t, l); got != want || !within(sums, least, most) {
				t.Fatalf("seed %d, order %d: got %d turns with %d, want %d with %d to %d", seed, order, got, sums, want, least, most)
			}
			if least == most {
				exact++
			}
		}
	}
	if exact < testsize.Of(10, 4) {
		t.Errorf("got %d trees without a fork in the middle of a turn, want some", exact)
	}
}
