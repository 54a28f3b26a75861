package ledger

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/test/testsize"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// Values within the limits of their labels can be combined into millions of series.
// Each source has a limit of exposed series; the sum stays correct, overflows are
// counted, and other sources keep their labels.
func TestTooManyCombinations(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	const tools, projects, rounds = 100, 100, 2 // the limits of the labels; the second round by a sub-agent
	const limit = 10_000                        // the default of Options.MaxSeries
	const combinations = tools * projects * rounds
	o := testOptions()
	l := New(o, birth)
	l.set.Start()
	hostile, harmless := testFile(1, "a.jsonl"), testFile(2, "b.jsonl")
	hostile.Source, harmless.Source = counters.NewSourceLabels(map[string]string{"user": "mallory"}), counters.NewSourceLabels(map[string]string{"user": "alice"})
	l.Open(hostile)
	l.Open(harmless)
	call := func(f File, i int) {
		e := transcript.Entry{
			Type: "assistant", Time: birth, HasProject: true, Project: fmt.Sprint("p", i%projects), Sidechain: i >= tools*projects,
			Uses: []transcript.ToolUse{{Key: transcript.KeyOf("tool", string(f.Source), fmt.Sprint(i)), Name: fmt.Sprint("t", i/projects%tools)}},
		}
		l.AddBatch(&Batch{File: f.ID, Now: birth, Entries: []transcript.Entry{e}})
	}
	count := func(source SourceLabels, labels ...string) uint64 {
		var n uint64
		for _, s := range samplesOf(l, "claude_tool_calls_total") {
			if s.Source == source && (labels == nil || reflect.DeepEqual(s.Labels, labels)) {
				n += s.Value
			}
		}
		return n
	}
	for i := range combinations {
		if i == combinations/2 {
			l = reopened(t, l) // overflows are counted in the same way
		}
		call(hostile, i)
	}
	call(hostile, 0) // a copy
	for i := range 200 {
		call(harmless, i)
	}
	releaseAll(l)
	if n := len(samplesOf(l, "claude_tool_calls_total")); n > limit+200+2 {
		t.Errorf("got %d series", n)
	}
	for _, tt := range []struct {
		source SourceLabels
		labels []string
		want   uint64
	}{
		{hostile.Source, nil, combinations},
		{hostile.Source, []string{"t0", "", "p0", "main"}, 1},
		{hostile.Source, []string{counters.Other, "", counters.Other, "subagent"}, combinations - limit},
		{harmless.Source, nil, 200},
		{harmless.Source, []string{"t1", "", "p99", "main"}, 1},
	} {
		if got := count(tt.source, tt.labels...); got != tt.want {
			t.Errorf("%q: got %d calls of %q, want %d", tt.source, got, tt.labels, tt.want)
		}
	}
	if got := value(l, "ccwatchd_label_overflow_total", "combined"); got != combinations-limit {
		t.Errorf("got %d combined overflows, want %d", got, combinations-limit)
	}
	again := reopened(t, l)
	if !bytes.Equal(encode(again), encode(l)) {
		t.Error("the reopened ledger differs")
	}
	l = again
	call(hostile, combinations+1) // its labels have an overflow series
	if got := value(l, "ccwatchd_label_overflow_total", "combined"); got != combinations-limit+1 {
		t.Errorf("got %d combined overflows after it was reopened, want %d", got, combinations-limit+1)
	}
}
