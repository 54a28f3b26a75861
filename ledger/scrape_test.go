package ledger

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// FuzzSteps checks consecutive scrapes between random steps.
func FuzzSteps(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, lines, order uint64) {
		r := newReplayer(lines, order)
		l, whole := New(testOptions(), birth), New(testOptions(), birth) // whole releases all at once
		l.set.Start()
		whole.set.Start()
		last, released := make(scrape), newScrape(whole.Snapshot(r.now))
		var kept Snapshot
		for i, step := range r.randomSteps(60) {
			step(l)
			step(whole)
			release := i%7 == 6 || r.chance(4)
			if i%7 == 6 { // which releases all
				l, kept = reopened(t, l), Snapshot{}
			}
			if release {
				l.set.Expose()
				whole.set.Expose()
				releaseAll(l)
			}
			releaseAll(whole)
			want := newScrape(whole.Snapshot(r.now))
			if release {
				released = want
			}
			if err := kept.refill(l, r.now); err != nil {
				t.Fatalf("step %d: %v", i, err)
			}
			now := newScrape(kept.Clone())
			if err := now.neverFell(last); err != nil {
				t.Fatalf("step %d: %v", i, err)
			}
			if err := now.zeroFirst(released, want); err != nil {
				t.Fatalf("step %d: %v", i, err)
			}
			if pending := l.set.Pending() > 0; pending && release {
				t.Fatalf("step %d: something is pending after everything was released", i)
			}
			last = now
		}
	})
}

// refill fills a snapshot again. It checks that it equals a new one, and that every
// series has kept its index.
func (s *Snapshot) refill(l *Ledger, now int64) error {
	before := make([][]counters.Sample, len(s.Families))
	for i, f := range s.Families {
		before[i] = slices.Clone(f.Samples)
	}
	l.SnapshotInto(s, now)
	if fresh := l.Snapshot(now); !sameFamilies(s.Families, fresh.Families) || !slices.Equal(s.Live, fresh.Live) || !slices.Equal(s.Active, fresh.Active) ||
		s.Unsettled != fresh.Unsettled || !maps.Equal(s.DedupKeys, fresh.DedupKeys) || !slices.Equal(s.Versions, fresh.Versions) {
		return fmt.Errorf("refilled: got %+v, want %+v", s, fresh)
	}
	for i, samples := range before {
		for j, old := range samples {
			if now := s.Families[i].Samples[j]; !slices.Equal(now.Labels, old.Labels) || now.Source != old.Source {
				return fmt.Errorf("at the index of %q of %q: got %q of %q", old.Labels, old.Source, now.Labels, now.Source)
			}
		}
	}
	return nil
}

// The created timestamp is the time of the earliest event before the series may be
// exposed, and does not change from then on.
func TestCreatedStays(t *testing.T) {
	for name, expose := range map[string]func(*Ledger){
		"settled": (*Ledger).Settle,
		"quiet":   func(l *Ledger) { l.FinalizeFile(1, birth) }, // it counts orphans last
		"ended":   func(l *Ledger) { l.EndSessions(birth) },
	} {
		t.Run(name, func(t *testing.T) {
			l := New(testOptions(), birth)
			l.Open(testFile(1, "a.jsonl"))
			orphan := transcript.Entry{Type: "user", Time: birth - 1, Results: []transcript.ToolResult{{Key: transcript.Key{1}}}}
			l.AddBatch(&Batch{File: 1, Now: birth, Entries: []transcript.Entry{orphan}})
			add := func(after int64) { l.add(l.sessions.families.sessions, 1, birth+after, "", "a") }
			add(5)
			add(9)
			add(3)
			expose(l)
			l = reopened(t, l)
			add(1)
			if got := samplesOf(l, "claude_sessions_total")[0].Created - birth; got != 3 {
				t.Errorf("got created after %d ms, want 3", got)
			}
			if name != "quiet" {
				return
			}
			f := &partOf[*tools](l).families
			l.add(f.withoutCall, 1, birth-2, "")
			if got := samplesOf(l, "claude_tool_results_without_call_total")[0].Created; got != birth-1 {
				t.Errorf("got a series of FinalizeFile created at %d, want %d", got, birth-1)
			}
		})
	}
}

// Filling a snapshot again allocates nothing for known series.
func TestSnapshotIntoAgain(t *testing.T) {
	for _, n := range []int{1, 1000} {
		l := filledLedger(n)
		var s Snapshot
		l.SnapshotInto(&s, birth)
		if got := testing.AllocsPerRun(10, func() { l.SnapshotInto(&s, birth) }); got > 25 {
			t.Errorf("%d series: got %v allocations, want only those of DedupKeys and of the lists of sessions and versions", n, got)
		}
	}
}

// filledLedger has about n released series; one in fifty is a histogram.
func filledLedger(n int) *Ledger {
	o := testOptions()
	o.Buckets["claude_tool_duration_seconds"] = []float64{.1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600}
	l := New(o, birth)
	f := &partOf[*tools](l).families
	for i := range n {
		if i%50 == 0 {
			l.add(f.duration, uint64(i), birth, "", fmt.Sprint("tool", i), "")
		} else {
			l.add(f.calls, 1, birth, "", fmt.Sprint("tool", i/10), "", fmt.Sprint("project", i%10), "main")
		}
	}
	releaseAll(l)
	return l
}

// BenchmarkSnapshot measures for how long a scrape locks the ledger.
func BenchmarkSnapshot(b *testing.B) {
	l := filledLedger(10_000)
	var s Snapshot
	l.SnapshotInto(&s, birth)
	b.ReportAllocs()
	for b.Loop() {
		l.SnapshotInto(&s, birth)
	}
}

func (r *replayer) chance(n int) bool { return r.IntN(n) == 0 }

// A scrape is the exposed samples by series.
type scrape map[string]exposedSample

type exposedSample struct {
	counters.Sample
	family *counters.Family
}

func newScrape(s Snapshot) scrape {
	all := make(scrape)
	for _, f := range s.Families {
		for _, one := range f.Samples {
			all[fmt.Sprintf("%s%q%q", f.Family.Name, one.Labels, one.Source)] = exposedSample{one, f.Family}
		}
	}
	return all
}

// neverFell checks that no counter is missing or lower than in the scrape before, and
// no bucket of a histogram whose bound still exists.
func (s scrape) neverFell(before scrape) error {
	for name, old := range before {
		now, ok := s[name]
		switch {
		case !ok:
			return fmt.Errorf("%s is missing", name)
		case len(now.Labels) != len(now.family.Labels):
			return fmt.Errorf("%s has %d labels, want %d", name, len(now.Labels), len(now.family.Labels))
		case old.family.Type.IsGauge():
			continue
		case now.Value < old.Value || now.Sum < old.Sum:
			return fmt.Errorf("%s fell from %d (%d) to %d (%d)", name, old.Value, old.Sum, now.Value, now.Sum)
		case old.family.Type == counters.Histogram && now.upTo(math.Inf(1)) != now.Value:
			return fmt.Errorf("%s: got %d in its buckets", name, now.upTo(math.Inf(1)))
		}
		for _, index := range old.Native.Indexes {
			if nativeCount(&now.Native, index) < nativeCount(&old.Native, index) {
				return fmt.Errorf("%s fell in the native bucket %d", name, index)
			}
		}
		for _, bound := range now.family.Buckets {
			if slices.Contains(old.family.Buckets, bound) && now.upTo(bound) < old.upTo(bound) {
				return fmt.Errorf("%s fell from %d to %d under %g", name, old.upTo(bound), now.upTo(bound), bound)
			}
		}
	}
	return nil
}

// nativeCount returns the count of a native bucket.
func nativeCount(h *counters.NativeHistogram, index int32) uint64 {
	i, found := slices.BinarySearch(h.Indexes, index)
	if !found {
		return 0
	}
	return h.Counts[i]
}

// upTo returns the number of observations of at most bound.
func (s exposedSample) upTo(bound float64) (n uint64) {
	for i, c := range s.Counts {
		if i < len(s.family.Buckets) && s.family.Buckets[i] <= bound || i == len(s.family.Buckets) && math.IsInf(bound, 1) {
			n += c
		}
	}
	return n
}

// zeroFirst checks that each released series has its value, and the created timestamp
// of its release, and that all other series are zero. want has all values.
func (s scrape) zeroFirst(released, want scrape) error {
	if len(s) != len(want) {
		return fmt.Errorf("got %d series, want %d", len(s), len(want))
	}
	for name, now := range s {
		wanted, ok := want[name]
		before, known := released[name]
		if !known && !now.family.Type.IsGauge() {
			wanted = exposedSample{counters.Sample{
				Labels: now.Labels, Source: now.Source, Created: wanted.Created, Counts: make([]uint64, len(now.Counts)),
			}, now.family}
		}
		switch {
		case !ok:
			return fmt.Errorf("%s should not exist", name)
		case known && now.Created != before.Created:
			return fmt.Errorf("%s: created timestamp changed from %d to %d", name, before.Created, now.Created)
		case fmt.Sprint(now.Sample) != fmt.Sprint(wanted.Sample):
			return fmt.Errorf("%s (released: %t): got %+v, want %+v", name, known, now.Sample, wanted.Sample)
		}
	}
	return nil
}

// sameFamilies reports whether two snapshots expose the same. Empty slices equal nil.
func sameFamilies(a, b []counters.FamilySamples) bool {
	return slices.EqualFunc(a, b, func(a, b counters.FamilySamples) bool {
		return a.Family.Name == b.Family.Name && a.Hidden == b.Hidden && fmt.Sprint(a.Samples) == fmt.Sprint(b.Samples)
	})
}
