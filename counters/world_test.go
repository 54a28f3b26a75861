package counters

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/table"
)

// birth is when the sets of tests begin: 1 January 2026 at noon.
const (
	birth = 1_767_268_800_000
	milli = 1000
)

// A world is a set with families of every type.
type world struct {
	set                                         *Set
	calls, runs, durations, last, cost, waiting ID
	tool, project                               Label
}

func newWorld() *world {
	s := New(birth)
	w := &world{set: s, tool: s.Limit("tool", 4), project: s.LimitExposed("project", 2, 3)}
	w.calls = s.Declare(Family{Name: "tool_calls_total", Labels: []string{"tool", "kind", "project"}, Sourced: true})
	w.runs = s.Declare(Family{Name: "runs_total"})
	w.durations = s.Declare(Family{
		Name: "tool_duration_seconds", Type: Histogram, Labels: []string{"tool"}, PerUnit: milli, Buckets: []float64{1, 10},
	})
	w.last = s.Declare(Family{Name: "last_seconds", Type: Gauge, Labels: []string{"project"}, PerUnit: milli, Sourced: true})
	s.RankBy(w.project, w.calls, w.last)
	w.cost = s.Declare(Family{Name: "cost_total", Labels: []string{"tool"}, Priced: true})
	w.waiting = s.Declare(Family{Name: "waiting", Type: Level, Labels: []string{"tool"}})
	s.Configure(options())
	return w
}

func options() Options { return Options{MaxSeries: 12, FineHistory: 3 * dayMillis, Priced: true} }

// act performs a random operation, mostly near the time now.
func (w *world) act(r *rand.Rand, now int64) {
	s, source := w.set, SourceLabels("ab"[:r.IntN(2)])
	s.now = now // set before each batch
	when := now - r.Int64N(3*Interval.Milliseconds())
	if r.IntN(5) == 0 {
		when = birth + r.Int64N(20*dayMillis) - 10*dayMillis
	}
	tool := s.Bounded(w.tool, source, "tuvwxyz"[r.IntN(7):][:1], when)
	project := s.Bounded(w.project, source, "pqrs"[r.IntN(4):][:1], when)
	n := r.Uint64N(5)
	if r.IntN(200) == 0 {
		n = math.MaxUint64 - 3
	}
	switch r.IntN(15) {
	case 0, 1, 2, 3:
		s.Add(w.calls, n, when, source, tool, "ab"[r.IntN(2):], project)
	case 4:
		s.Add(w.runs, n, when, source)
	case 5, 6:
		s.Add(w.durations, n*r.Uint64N(9000), when, "", tool)
	case 7:
		s.Add(w.last, uint64(when), when, source, project)
	case 8:
		s.Add(w.cost, n, when, "", tool)
	case 9:
		s.CountOverflow(when)
	case 10:
		s.Expose()
	case 11, 12:
		s.Add(w.waiting, n, when, "", tool)
	case 13:
		s.Subtract(w.waiting, []Reduction{{r.Uint64N(10), when}, {1, when - 1}, {n, when}}, "", tool)
	default:
		s.Advance(now + r.Int64N(dayMillis))
	}
}

func (w *world) configure(r *rand.Rand) {
	o := options()
	o.MaxSeries = 5 + r.IntN(10)
	o.Limits = map[string]int{"tool": 1 + r.IntN(7), "project": r.IntN(5)}
	o.Priced = r.IntN(2) == 0
	o.FineHistory *= r.Int64N(3)
	if r.IntN(2) == 0 {
		o.Buckets = map[string][]float64{"tool_duration_seconds": [][]float64{{1}, {0.5, 1, 20}, {}}[r.IntN(3)]}
	}
	w.set.Configure(o)
}

func encode(s *Set) []byte {
	c := table.NewWriter(nil)
	s.Code(c)
	return c.Bytes()
}

func decode(b []byte) (*world, error) {
	w, c := newWorld(), table.NewReader(b)
	w.set.Code(c)
	return w, c.Done()
}

func reopened(t *testing.T, w *world) *world {
	t.Helper()
	again, err := decode(encode(w.set))
	if err != nil {
		t.Fatal(err)
	}
	again.set.Configure(w.set.opts)
	return again
}

// dump describes the families as a scrape exposes them.
func dump(s *Set) string {
	var all []FamilySamples
	var b strings.Builder
	s.SnapshotInto(&all)
	for i := range all {
		fmt.Fprintln(&b, *all[i].Family, all[i].Hidden)
		for _, sample := range all[i].Samples {
			fmt.Fprintf(&b, "%+v\n", sample)
		}
	}
	return b.String()
}

func dumpHistory(h *History) string {
	var b strings.Builder
	fmt.Fprintln(&b, h.Birth, h.Off, h.FineFrom)
	for _, f := range h.Families {
		for i := range f.Series {
			s := &f.Series[i]
			fmt.Fprintln(&b, f.Family.Name, s.Labels, s.Source, s.Value, s.Sum, s.Created, s.Hidden, s.Increases(), s.Late())
		}
	}
	return b.String()
}

func historyText(s *Set) string {
	h := s.History()
	return dumpHistory(&h)
}

// sampleOf returns the sample of a family with some labels.
func sampleOf(t *testing.T, s *Set, family string, labels ...string) Sample {
	t.Helper()
	var all []FamilySamples
	s.SnapshotInto(&all)
	for _, f := range all {
		for _, sample := range f.Samples {
			if f.Family.Name == family && slices.Equal(sample.Labels, labels) {
				return sample
			}
		}
	}
	t.Fatalf("missing series %v of %s", labels, family)
	return Sample{}
}

// values returns the values of all series of a family by their labels.
func values(s *Set, id ID) map[string]uint64 {
	all := make(map[string]uint64)
	for _, ser := range s.families[id].inOrder {
		all[strings.Join(append(slices.Clone(ser.Labels), string(ser.Source)), " ")] = ser.Value
	}
	return all
}

// exposed returns the values of a family as a scrape exposes them.
func exposed(s *Set, id ID) map[string]uint64 {
	var families []FamilySamples
	s.SnapshotInto(&families)
	all := make(map[string]uint64)
	for _, sample := range families[id].Samples {
		all[strings.Join(append(slices.Clone(sample.Labels), string(sample.Source)), " ")] = sample.Value
	}
	return all
}
