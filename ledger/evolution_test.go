package ledger

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/state/codec"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// The families of a newer version: five more, and others that have changed.
const (
	futureCounter = familyCount + iota
	futureGauge
	futureHistogram
	futureSourced
	futureEmpty
	futureCount
)

// futureFamilies returns the families of a newer version.
func futureFamilies() []Family {
	all := make([]Family, futureCount)
	now := families()
	copy(all, now[:])
	all[futureCounter] = Family{Name: "claude_future_total", Labels: []string{"model"}}
	all[futureGauge] = Family{Name: "claude_future_timestamp_seconds", Type: Gauge}
	all[futureHistogram] = Family{Name: "claude_future_seconds", Type: Histogram, Labels: []string{"tool"}}
	all[futureSourced] = Family{Name: "claude_future_sourced_total", Sourced: true, Labels: []string{"a", "b"}}
	all[futureEmpty] = Family{Name: "claude_future_empty_total"}
	all[thinkingTokens].Labels = []string{"speed", "model", "project", "agent"} // one more
	all[requests].Labels = []string{"model", "project", "agent"}                // one less
	all[toolDuration].Labels = []string{"tool"}                                 // one less, of a histogram
	all[lastActivity].Labels = nil                                              // one less, of a gauge
	all[sessions].Name, all[sessions].Formerly = "claude_conversations_total", []string{"claude_sessions_total"}
	all[turnDuration].Name, all[turnDuration].Formerly = "claude_turn_length_seconds", []string{"claude_turns", "claude_turn_duration_seconds"}
	return all
}

func futureOptions() Options {
	o := testOptions()
	o.Buckets["claude_future_seconds"] = []float64{5, 50}
	o.Buckets["claude_turn_length_seconds"] = o.Buckets["claude_turn_duration_seconds"]
	return o
}

// upgraded returns the ledger as a newer version reads it, and downgraded as this one
// does.
func upgraded(t *testing.T, l *Ledger) *Ledger {
	t.Helper()
	return readInto(t, newLedger(futureFamilies(), futureOptions(), 0), l)
}

func downgraded(t *testing.T, l *Ledger) *Ledger {
	t.Helper()
	return readInto(t, New(testOptions(), 0), l)
}

// values returns the numbers of the exposed series by family and labels: value, sum and
// counts. It omits empty labels and those in drop ("label" or "family label"), over
// which it sums.
func values(l *Ledger, drop ...string) map[string][]uint64 {
	all := make(map[string][]uint64)
	snapshot := l.Snapshot(birth)
	for _, f := range snapshot.Families {
		for i := range f.Samples {
			s := &f.Samples[i]
			labels := s.Source.Labels()
			for j, name := range f.Family.Labels {
				if s.Labels[j] != "" && !slices.Contains(drop, name) && !slices.Contains(drop, f.Family.Name+" "+name) {
					labels[name] = s.Labels[j]
				}
			}
			key := f.Family.Name
			for _, name := range slices.Sorted(maps.Keys(labels)) {
				key += fmt.Sprintf(" %s=%s", name, labels[name])
			}
			if before := all[key]; before != nil && f.Family.Type == Gauge {
				before[0] = max(before[0], s.Value)
			} else {
				add(all, key, append([]uint64{s.Value, s.Sum}, s.Counts...)...)
			}
			for bucket, n := range s.Native.byBound() {
				add(all, fmt.Sprint(key, " native ", bucket), n)
			}
		}
	}
	return all
}

// renamed renames series to the family names of a newer version.
func renamed(values map[string][]uint64) map[string][]uint64 {
	all := make(map[string][]uint64)
	for key, v := range values {
		for before, after := range map[string]string{"claude_sessions_total": "claude_conversations_total", "claude_turn_duration_seconds": "claude_turn_length_seconds"} {
			if rest, ok := strings.CutPrefix(key, before); ok {
				key = after + rest
			}
		}
		all[key] = v
	}
	return all
}

// lost are the labels that the newer version does not have.
var lost = []string{"claude_requests_total stop_reason", "claude_tool_duration_seconds mcp_server", "claude_last_activity_timestamp_seconds project"}

// checkValues compares what ledgers expose. Series that are only in got must be zero.
func checkValues(t *testing.T, when string, got, want map[string][]uint64) {
	t.Helper()
	if len(want) < 20 {
		t.Fatalf("%s: got only %d series", when, len(want))
	}
	if d := difference(got, want); d != "" {
		t.Errorf("%s:\n%s", when, d)
	}
}

// difference lists the series of want that are not in got, and others that are not
// zero.
func difference(got, want map[string][]uint64) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if !slices.Equal(got[key], want[key]) {
			fmt.Fprintf(&b, "%s: got %d, want %d\n", key, got[key], want[key])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[key]; !ok && slices.Max(got[key]) > 0 {
			fmt.Fprintf(&b, "%s: got %d, want none\n", key, got[key])
		}
	}
	return b.String()
}

// A newer version has other families and labels. Every series keeps its value over an
// upgrade, a downgrade and another upgrade.
func TestEvolution(t *testing.T) {
	for seed := range uint64(4) {
		r := newReplayer(seed, seed)
		old := apply(New(testOptions(), birth), r.randomSteps(120))
		old.Configure(testOptions()) // the steps change them
		old.observe(turnDuration, 70_000, birth, "")
		old.add(thinkingTokens, 3, birth, "", "m", "web", "main")
		for _, server := range []string{"", "a", "b"} {
			old.observe(toolDuration, uint64(500+len(server)), birth, "", "Bash", server)
		}
		releaseAll(old)
		want := renamed(values(old, lost...))

		newer := upgraded(t, old)
		releaseAll(newer)
		checkValues(t, "upgraded", values(newer), want)
		newer.add(futureCounter, 5, birth, "", "opus")
		newer.raise(futureGauge, 1234, birth, "")
		newer.observe(futureHistogram, 6, birth, "", "Bash")
		newer.add(futureSourced, 7, birth, NewSourceLabels(map[string]string{"machine": "m"}), "x", "")
		newer.add(thinkingTokens, 11, birth, "", "fast", "m", "web", "main")
		newer.add(requests, 13, birth, "", "m", "web", "main")
		newer.observe(toolDuration, 2000, birth, "", "Bash")
		newer.raise(lastActivity, 1<<50, birth, "")
		newer.add(sessions, 17, birth, "", "web")
		newer.observe(turnDuration, 30_000, birth, "")
		releaseAll(newer)
		future := values(newer)

		before, again := values(old), downgraded(t, newer)
		releaseAll(again)
		before["claude_thinking_tokens_total agent=main model=m project=web"][0] += 11
		before["claude_requests_total agent=main model=m project=web"] = []uint64{13, 0}
		add(before, "claude_tool_duration_seconds tool=Bash", 1, 2000, 0, 1, 0)
		add(before, "claude_tool_duration_seconds tool=Bash native 2", 1)
		before["claude_last_activity_timestamp_seconds"] = []uint64{1 << 50, 0}
		add(before, "claude_sessions_total project=web", 17, 0)
		add(before, "claude_turn_duration_seconds", 1, 30_000, 1, 0)
		add(before, "claude_turn_duration_seconds native 32", 1)
		checkValues(t, "downgraded", values(again), before)
		again = reopened(t, again)
		again.add(thinkingTokens, 19, birth, "", "m", "web", "main")
		again.add(requests, 23, birth, "", "m", "web", "main", "end_turn")
		again.add(sessions, 29, birth, "", "web")
		releaseAll(again)
		checkValues(t, "downgraded and reopened", values(reopened(t, again)), values(again))

		newer = upgraded(t, again)
		releaseAll(newer)
		add(future, "claude_thinking_tokens_total agent=main model=m project=web", 19, 0)
		add(future, "claude_requests_total agent=main model=m project=web", 23, 0)
		add(future, "claude_conversations_total project=web", 29, 0)
		checkValues(t, "upgraded again", values(newer), future)
	}
}

func add(to map[string][]uint64, key string, numbers ...uint64) {
	if to[key] == nil {
		to[key] = make([]uint64, len(numbers))
	}
	for i, n := range numbers {
		to[key][i] += n
	}
}

// A ledger that was read by a version with other families processes the same steps.
func TestEvolvedGoesOn(t *testing.T) {
	for seed := range uint64(4) {
		r := newReplayer(seed, seed)
		steps := r.randomSteps(100)
		half := len(steps) / 2
		want := apply(New(testOptions(), birth), steps)
		again := downgraded(t, upgraded(t, apply(New(testOptions(), birth), steps[:half])))
		apply(again, steps[half:])
		releaseAll(want)
		releaseAll(again)
		checkValues(t, fmt.Sprint("seed ", seed), values(again), values(want))
	}
}

// A newer version that creates more series when it replays the steps of an older one
// exposes the same series with their values.
func TestReplayReleasesTheSame(t *testing.T) {
	now := families()
	for seed := range uint64(4) {
		r := newReplayer(seed, seed)
		old := New(testOptions(), birth)
		newer := newLedger(append(now[:], Family{Name: "claude_future_total", Labels: []string{"n"}}), testOptions(), birth)
		for i, s := range r.randomSteps(100) {
			upTo := old.Pending()
			for _, l := range []*Ledger{old, newer} {
				s(l)
				if i%3 == 0 {
					l.Release(upTo)
				}
			}
			newer.add(familyCount, 1, birth, "", fmt.Sprint(i))
		}
		got := values(newer)
		maps.DeleteFunc(got, func(key string, _ []uint64) bool { return strings.HasPrefix(key, "claude_future_total") })
		checkValues(t, fmt.Sprint("seed ", seed), got, values(old))
	}
}

// Series that differ only in a removed label are exposed as one, with the oldest
// created timestamp, and keep their index when others are added.
func TestForeignLabels(t *testing.T) {
	newer := newLedger(futureFamilies(), futureOptions(), birth)
	newer.add(thinkingTokens, 1, birth-10, "", "slow", "m", "web", "main")
	newer.add(thinkingTokens, 2, birth-20, "", "fast", "m", "web", "main")
	releaseAll(newer)
	l := downgraded(t, newer)
	var s Snapshot
	check := func(want uint64, created int64) {
		t.Helper()
		l.SnapshotInto(&s, birth)
		samples := s.Families[thinkingTokens].Samples
		if len(samples) == 0 || samples[0].Value != want || samples[0].Created != created {
			t.Errorf("got %+v, want %d created at %d", samples, want, created)
		}
	}
	check(3, birth-20)
	l.add(thinkingTokens, 4, birth-30, "", "m", "web", "main")
	check(3, birth-20) // the new series is 0 until it is released
	releaseAll(l)
	l.SnapshotInto(&s, birth)
	if got := s.Families[thinkingTokens].Samples[0].Value; got != 7 {
		t.Errorf("got %d, want 7", got)
	}
	l, s = downgraded(t, l), Snapshot{}
	l.add(thinkingTokens, 1, birth, "", "m", "app", "main")
	releaseAll(l)
	if l.SnapshotInto(&s, birth); len(s.Families[thinkingTokens].Samples) != 2 {
		t.Errorf("got %+v, want 2 samples", s.Families[thinkingTokens].Samples)
	}
}

// An id of labels with fields that this version does not know is kept, and not used for
// other labels.
func TestInternerKeepsUnknownFields(t *testing.T) {
	message := func(id string) string {
		return `{"type":"assistant","message":{"id":"` + id + `","model":"m","stop_reason":"end_turn","usage":{"output_tokens":1}}}`
	}
	f := testFile(1, "a.jsonl")
	old := New(testOptions(), birth)
	old.Open(f)
	old.AddBatch(batchOf(f, birth, message("m1")))
	old.Settle()
	for i := range old.messageLabels.values { // a newer version has more fields
		if old.messageLabels.unknown == nil {
			old.messageLabels.unknown = make(codec.Unknowns[uint32])
		}
		old.messageLabels.unknown[uint32(i)] = []byte{0x7a, 1, 'x'}
	}
	n := len(old.messageLabels.values)
	l := downgraded(t, old)
	l.AddBatch(batchOf(f, birth, message("m2")))
	l.Settle()
	m, _ := l.counted.Get(hashOf(transcript.KeyOf("message", "m2")))
	if got := len(l.messageLabels.values); got != 2*n || int(m.labels) < n {
		t.Errorf("got %d labels with id %d for the new message, want twice as many as %d and a new id", got, m.labels, n)
	}
	if again := downgraded(t, l); len(again.messageLabels.unknown) != n || len(again.messageLabels.values) != 2*n {
		t.Errorf("got %d labels, %d with unknown fields, want %[4]d and %[3]d", len(again.messageLabels.values), len(again.messageLabels.unknown), n, 2*n)
	}
}

// State with a repeated name is refused.
func TestNamesAreUnique(t *testing.T) {
	for _, n := range []codec.Number{3, 17, 26} {
		for _, names := range [][]string{{"model"}, {"model", "model"}, {"new"}, {"new", "new"}, {"prompt", "prompt"}, {"claude_tokens_total", "claude_tokens_total"}} {
			w := codec.NewWriter(nil)
			codec.Slice(w, n, &names, func(c *codec.Coder, name *string) { codec.String(c, 1, name) })
			c := codec.NewReader(w.Bytes())
			if New(testOptions(), birth).Code(c); (c.Done() == nil) != (len(names) == 1) {
				t.Errorf("%v as field %d: got %v", names, n, c.Err())
			}
		}
	}
}
