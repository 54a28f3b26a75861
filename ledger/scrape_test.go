package ledger

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"testing"
)

// FuzzSteps checks over any steps what a scrape may show after any other.
func FuzzSteps(f *testing.F) {
	for seed := range uint64(worlds) {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, lines, order uint64) {
		p := newPlayer(newWorld(lines), lines, order)
		l := New(testOptions(), birth)
		last, shown := make(scrape), make(scrape)
		var kept Snapshot
		for i, step := range p.anything(60) {
			step(l)
			if i%7 == 6 {
				l, kept = reopened(t, l), Snapshot{}
			}
			if err := kept.refill(l, p.now); err != nil {
				t.Fatalf("step %d: %v", i, err)
			}
			now := newScrape(l.Snapshot(p.now))
			if err := errors.Join(now.neverFell(last), now.zeroFirst(shown, l)); err != nil {
				t.Fatalf("step %d: %v", i, err)
			}
			last = now
			if p.chance(4) {
				showAll(l)
				shown = now
				if err := newScrape(l.Snapshot(p.now)).zeroFirst(shown, l); err != nil || l.Unshown() {
					t.Fatalf("step %d, shown: %v", i, err)
				}
			}
		}
	})
}

// showAll has everybody see every series that there is.
func showAll(l *Ledger) {
	l.Show()
	l.Reveal(AllShowings)
}

// Snapshot returns a snapshot that nobody else has.
func (l *Ledger) Snapshot(now int64) (s Snapshot) {
	l.Fill(&s, now)
	return s
}

// refill fills a snapshot again and checks that it is what a new one would be,
// and that every series is where it was.
func (s *Snapshot) refill(l *Ledger, now int64) error {
	before := make([][]Sample, len(s.Families))
	for i, f := range s.Families {
		before[i] = slices.Clone(f.Samples)
	}
	l.Fill(s, now)
	if fresh := l.Snapshot(now); !reflect.DeepEqual(s.Families, fresh.Families) || !slices.Equal(s.Live, fresh.Live) ||
		s.Unsettled != fresh.Unsettled || !maps.Equal(s.DedupKeys, fresh.DedupKeys) {
		return fmt.Errorf("filled again it is %+v, and a new one is %+v", s, fresh)
	}
	for i := range l.tables {
		if shown, all := len(s.Families[i].Samples), len(l.tables[i].series); shown != all {
			return fmt.Errorf("%d of %d series of %s are shown", shown, all, l.tables[i].Name)
		}
	}
	for i, samples := range before {
		for j, old := range samples {
			if now := s.Families[i].Samples[j]; !slices.Equal(now.Labels, old.Labels) || now.Source != old.Source {
				return fmt.Errorf("where %q of %q was there is %q of %q", old.Labels, old.Source, now.Labels, now.Source)
			}
		}
	}
	return nil
}

// A series has its value once the showing is revealed that was its first, also
// after a restart, and keeps when it was created from that showing on.
func TestReveal(t *testing.T) {
	l := New(testOptions(), birth)
	value := func(project string) (value, created int64) {
		t.Helper()
		l = reopened(t, l)
		for _, s := range l.Snapshot(birth).Families[sessions].Samples {
			if s.Labels[0] == project {
				return int64(s.Value), s.Created - birth
			}
		}
		t.Fatalf("there is no series of %s", project)
		return
	}
	see := func(wantA, wantB int64) {
		t.Helper()
		for project, want := range map[string]int64{"a": wantA, "b": wantB} {
			if got, created := value(project); got != want || created != 5 {
				t.Errorf("that of %s is %d, and %d old, want %d, and 5", project, got, created, want)
			}
		}
	}
	for range 3 {
		l.add(sessions, 1, birth+5, "", "a")
	}
	if first := l.Snapshot(birth).Showing; first != 1 {
		t.Errorf("the first showing is %d", first)
	}
	l.Show()
	l.add(sessions, 0, birth, "", "a")
	l.Show() // nothing is new
	l.add(sessions, 4, birth+5, "", "b")
	l.Show()
	see(0, 0)
	if last := l.Snapshot(birth).Showing; last != 2 || l.Hides(0) || !l.Hides(1) {
		t.Errorf("the last showing is %d; hides 0: %v, 1: %v", last, l.Hides(0), l.Hides(1))
	}
	l.Reveal(1)
	see(3, 0)
	l.Reveal(0)
	see(3, 0)
	l.Reveal(AllShowings)
	see(3, 4)
	l.add(sessions, 1, birth+5, "", "c")
	l.Show()
	if c, _ := value("c"); c != 0 || !l.Hides(AllShowings) {
		t.Errorf("what is new is %d; hidden: %v", c, l.Hides(AllShowings))
	}
}

// Taking the numbers of series that are known takes no memory for any of them.
func TestFillAgain(t *testing.T) {
	l := filledLedger(1000)
	var s Snapshot
	l.Fill(&s, birth)
	if n := testing.AllocsPerRun(10, func() { l.Fill(&s, birth) }); n > 10 {
		t.Errorf("got %v allocations, want no more than the keys take that are remembered", n)
	}
}

// filledLedger has about n series that were shown; one in fifty is a histogram.
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
	showAll(l)
	return l
}

// BenchmarkSnapshot measures for how long a scrape keeps everybody else from
// the ledger.
func BenchmarkSnapshot(b *testing.B) {
	l := filledLedger(10_000)
	var s Snapshot
	l.Fill(&s, birth)
	b.ReportAllocs()
	for b.Loop() {
		l.Fill(&s, birth)
	}
}

func (p *player) chance(n int) bool { return p.IntN(n) == 0 }

// A scrape is what somebody saw, by the names of the series.
type scrape map[string]seenSample

type seenSample struct {
	Sample
	family *Family
}

func newScrape(s Snapshot) scrape {
	all := make(scrape)
	for _, f := range s.Families {
		for _, one := range f.Samples {
			all[fmt.Sprintf("%s%q%q", f.Family.Name, one.Labels, one.Source)] = seenSample{one, f.Family}
		}
	}
	return all
}

// neverFell checks that no series of a counter is gone or lower than it was one
// step before, and no bucket of a histogram whose bound is still there.
func (s scrape) neverFell(before scrape) error {
	for name, old := range before {
		now, ok := s[name]
		switch {
		case !ok:
			return fmt.Errorf("%s is gone", name)
		case old.family.Type == Gauge:
			continue
		case now.Value < old.Value || now.Sum < old.Sum:
			return fmt.Errorf("%s fell from %d (%d) to %d (%d)", name, old.Value, old.Sum, now.Value, now.Sum)
		case old.family.Type == Histogram && now.upTo(math.Inf(1)) != now.Value:
			return fmt.Errorf("%s has %d in its buckets", name, now.upTo(math.Inf(1)))
		}
		for _, bound := range now.family.Buckets {
			if slices.Contains(old.family.Buckets, bound) && now.upTo(bound) < old.upTo(bound) {
				return fmt.Errorf("%s fell from %d to %d under %g", name, old.upTo(bound), now.upTo(bound), bound)
			}
		}
	}
	return nil
}

// upTo is how many observations were at most bound.
func (s seenSample) upTo(bound float64) (n uint64) {
	for i, c := range s.Counts {
		if i < len(s.family.Buckets) && s.family.Buckets[i] <= bound || i == len(s.family.Buckets) && math.IsInf(bound, 1) {
			n += c
		}
	}
	return n
}

// zeroFirst checks that each series of l that was shown has its value and the
// created timestamp with which it was shown, and that all others are zero.
func (s scrape) zeroFirst(shown scrape, l *Ledger) error {
	for i := range l.tables {
		for _, one := range l.tables[i].series {
			name := fmt.Sprintf("%s%q%q", l.tables[i].Name, one.labels, one.source)
			now := s[name]
			before, known := shown[name]
			switch {
			case known && now.family.Type != Gauge && now.Created != before.Created:
				return fmt.Errorf("%s was created at %d and then at %d", name, before.Created, now.Created)
			case known || now.family.Type == Gauge:
				if now.Value != one.value || now.Sum != one.sum || !slices.Equal(now.Counts, one.counts) {
					return fmt.Errorf("%s is shown as %+v, and is %+v", name, now.Sample, one)
				}
			case now.Value != 0 || now.Sum != 0 || slices.Max(append([]uint64{0}, now.Counts...)) != 0:
				return fmt.Errorf("%s is new and not zero: %+v", name, now.Sample)
			}
		}
	}
	return nil
}
