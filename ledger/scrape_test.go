package ledger

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
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
		l := New(testOptions(), birth)
		last, released := make(scrape), make(scrape)
		var kept Snapshot
		for i, step := range r.randomSteps(60) {
			step(l)
			if i%7 == 6 {
				l, kept = reopened(t, l), Snapshot{}
			}
			if err := kept.refill(l, r.now); err != nil {
				t.Fatalf("step %d: %v", i, err)
			}
			now := newScrape(l.Snapshot(r.now))
			if err := errors.Join(now.neverFell(last), now.zeroFirst(released, l)); err != nil {
				t.Fatalf("step %d: %v", i, err)
			}
			last = now
			if r.chance(4) {
				releaseAll(l)
				released = now
				if err := newScrape(l.Snapshot(r.now)).zeroFirst(released, l); err != nil || l.Pending() != 0 {
					t.Fatalf("step %d, released: %v", i, err)
				}
			}
		}
	})
}

// releaseAll releases every series.
func releaseAll(l *Ledger) { l.Release(l.Pending()) }

// Snapshot returns a new snapshot.
func (l *Ledger) Snapshot(now int64) (s Snapshot) {
	l.SnapshotInto(&s, now)
	return s
}

// refill fills a snapshot again. It checks that it equals a new one, and that every
// series has kept its index.
func (s *Snapshot) refill(l *Ledger, now int64) error {
	before := make([][]counters.Sample, len(s.Families))
	for i, f := range s.Families {
		before[i] = slices.Clone(f.Samples)
	}
	l.SnapshotInto(s, now)
	if fresh := l.Snapshot(now); !reflect.DeepEqual(s.Families, fresh.Families) || !slices.Equal(s.Live, fresh.Live) ||
		s.Unsettled != fresh.Unsettled || !maps.Equal(s.DedupKeys, fresh.DedupKeys) {
		return fmt.Errorf("refilled: got %+v, want %+v", s, fresh)
	}
	for i := range l.tables {
		if shown, all := len(s.Families[i].Samples), len(l.tables[i].series); shown != all {
			return fmt.Errorf("got %d of %d series of %s", shown, all, l.tables[i].Name)
		}
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

// A series is 0 until it is released, over restarts too.
func TestRelease(t *testing.T) {
	l := New(testOptions(), birth)
	check := func(want ...uint64) {
		t.Helper()
		for range 2 {
			for i, project := range []string{"a", "b", "c"}[:len(want)] {
				if got := sampleOf(t, l, sessions, project).Value; got != want[i] {
					t.Errorf("%s: got %d, want %d", project, got, want[i])
				}
			}
			l = reopened(t, l)
		}
	}
	if l.Pending() == 0 {
		t.Error("the initial series are not pending")
	}
	l.Release(l.Pending())
	l.add(sessions, 3, birth, "", "a")
	first := l.Pending()
	l.zeroFirst.next() // as every call does
	l.add(sessions, 4, birth, "", "b")
	check(0, 0)
	l.Release(first)
	check(3, 0)
	l.Release(0) // changes nothing
	check(3, 0)
	l.add(sessions, 0, birth, "", "c")
	l.Release(first + 1)
	check(3, 4, 0)
	l.Release(l.Pending())
	l.add(sessions, 5, birth, "", "c")
	check(3, 4, 5)
	if got := l.Pending(); got != 0 {
		t.Errorf("got pending series up to %d, want none", got)
	}
	l.Release(math.MaxUint64) // does not release what comes later
	l.add(sessions, 1, birth, "", "d")
	if got := sampleOf(t, l, sessions, "d").Value; got != 0 {
		t.Errorf("new series: got %d, want 0", got)
	}
}

// The created timestamp is the time of the earliest event before the series may be
// exposed, and does not change from then on.
func TestCreatedStays(t *testing.T) {
	for name, settle := range map[string]func(*Ledger){
		"settled": (*Ledger).Settle,
		"quiet": func(l *Ledger) { // it counts orphans last
			f := testFile(1, "a.jsonl")
			l.Open(f)
			l.AddBatch(&Batch{File: 1, Now: birth, Entries: []transcript.Entry{{Type: "user", Results: []transcript.ToolResult{{Key: transcript.Key{1}}}}}})
			if l.FinalizeFile(1, birth); l.zeroFirst.exposed != l.zeroFirst.newest {
				t.Error("series that FinalizeFile counted are not marked as exposed")
			}
		},
		"released": releaseAll,
	} {
		t.Run(name, func(t *testing.T) {
			l := New(testOptions(), birth)
			l.add(sessions, 1, birth+5, "", "a")
			l.add(sessions, 1, birth+9, "", "a")
			l.add(sessions, 1, birth+3, "", "a")
			settle(l)
			l = reopened(t, l)
			l.add(sessions, 1, birth+1, "", "a")
			if got := sampleOf(t, l, sessions, "a").Created - birth; got != 3 {
				t.Errorf("got created after %d ms, want 3", got)
			}
		})
	}
}

// sampleOf returns a sample of a family by its only label.
func sampleOf(t *testing.T, l *Ledger, f familyID, label string) Sample {
	t.Helper()
	for _, s := range l.Snapshot(birth).Families[f].Samples {
		if s.Labels[0] == label {
			return s
		}
	}
	t.Fatalf("missing series of %s", label)
	return Sample{}
}

// Filling a snapshot again allocates nothing for known series.
func TestSnapshotIntoAgain(t *testing.T) {
	l := filledLedger(1000)
	var s Snapshot
	l.SnapshotInto(&s, birth)
	if n := testing.AllocsPerRun(10, func() { l.SnapshotInto(&s, birth) }); n > 10 {
		t.Errorf("got %v allocations, want only those of DedupKeys", n)
	}
}

// filledLedger has about n released series; one in fifty is a histogram.
func filledLedger(n int) *Ledger {
	o := testOptions()
	o.Buckets["claude_tool_duration_seconds"] = []float64{.1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600}
	l := New(o, birth)
	for i := range n {
		if i%50 == 0 {
			l.observe(toolDuration, uint64(i), birth, "", fmt.Sprint("tool", i), "")
		} else {
			l.add(toolCalls, 1, birth, "", fmt.Sprint("tool", i/10), "", fmt.Sprint("project", i%10), "main")
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
	Sample
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
		case old.family.Type == counters.Gauge:
			continue
		case now.Value < old.Value || now.Sum < old.Sum:
			return fmt.Errorf("%s fell from %d (%d) to %d (%d)", name, old.Value, old.Sum, now.Value, now.Sum)
		case old.family.Type == counters.Histogram && now.upTo(math.Inf(1)) != now.Value:
			return fmt.Errorf("%s: got %d in its buckets", name, now.upTo(math.Inf(1)))
		}
		if err := nativeNeverFell(now.Sample, old.Sample); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, bound := range now.family.Buckets {
			if slices.Contains(old.family.Buckets, bound) && now.upTo(bound) < old.upTo(bound) {
				return fmt.Errorf("%s fell from %d to %d under %g", name, old.upTo(bound), now.upTo(bound), bound)
			}
		}
	}
	return nil
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

// zeroFirst checks that each released series of l has its value, and the created
// timestamp of its release, and that all others are zero.
func (s scrape) zeroFirst(released scrape, l *Ledger) error {
	for i := range l.tables {
		for _, one := range l.tables[i].series {
			name := fmt.Sprintf("%s%q%q", l.tables[i].Name, one.Labels, one.Source)
			now := s[name]
			before, known := released[name]
			switch {
			case known && now.family.Type != counters.Gauge && now.Created != before.Created:
				return fmt.Errorf("%s: created timestamp changed from %d to %d", name, before.Created, now.Created)
			case known || now.family.Type == counters.Gauge:
				if now.Value != one.Value || now.Sum != one.Sum || !slices.Equal(now.Counts, one.Counts) || !now.Native.equal(one.Native) {
					return fmt.Errorf("%s: got %+v, want %+v", name, now.Sample, one)
				}
			case now.Value != 0 || now.Sum != 0 || slices.Max(append([]uint64{0}, now.Counts...)) != 0 || !now.Native.isZero():
				return fmt.Errorf("%s is new: got %+v, want 0", name, now.Sample)
			}
		}
	}
	return nil
}
