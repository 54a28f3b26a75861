package metrics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/proto"

	"github.com/ccwatchd/ccwatchd/ledger"
)

// FuzzExposition compares what one exposition gathers, scrape after scrape, with what
// the client library makes of the same.
func FuzzExposition(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		w := newWorld(seed)
		others := prometheus.NewRegistry()
		NewDaemon(others)
		library := prometheus.NewRegistry()
		library.MustRegister(others, &constCollector{w, 3})
		e := gatherer(&Exposition{Provider: w, Registry: others, MaxSessions: func() int { return 3 }})
		for range 8 {
			w.live()
			want, err := library.Gather()
			if err != nil {
				t.Fatal(err)
			}
			got, err := e.Gather()
			if err != nil {
				t.Fatal(err)
			}
			if !slices.EqualFunc(got, want, func(a, b *dto.MetricFamily) bool { return proto.Equal(a, b) }) {
				t.Fatalf("got\n%v\nand the client library has\n%v", got, want)
			}
		}
	})
}

// A world is a source in which everything changes that may change.
type world struct {
	*rand.Rand
	snapshot ledger.Snapshot
	sources  []ledger.SourceLabels // that there are by now
	seen     map[string]bool       // series, by their labels
}

func newWorld(seed uint64) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 1)), sources: []ledger.SourceLabels{""}, seen: make(map[string]bool)}
	family := func(f ledger.Family) {
		f.Help = w.word() + "." // never empty
		w.snapshot.Families = append(w.snapshot.Families, ledger.FamilySamples{Family: &f})
	}
	family(ledger.Family{Name: lastActivity, Type: ledger.Gauge, Scale: 0.001, Labels: []string{"project"}, Sourced: true})
	family(ledger.Family{Name: "claude_z_total", Labels: []string{"z", "a", "m"}, Sourced: true})
	family(ledger.Family{Name: "claude_b_total"})
	family(ledger.Family{Name: "claude_h_seconds", Type: ledger.Histogram, Scale: 0.001, Labels: []string{"tool"}, Sourced: true})
	family(ledger.Family{Name: "zz_h", Type: ledger.Histogram})
	family(ledger.Family{Name: "aa_total", Scale: 60, Labels: []string{"b", "a"}})
	w.snapshot.DedupKeys = map[string]int{"message": 0, "prompt": 0}
	return w
}

func (w *world) SnapshotInto(s *ledger.Snapshot) bool {
	*s = w.snapshot
	return true
}

// live lets something happen.
func (w *world) live() {
	if w.IntN(3) == 0 {
		w.sources = append(w.sources, ledger.NewSourceLabels(map[string]string{[]string{"user", "host", "b2", "zone"}[w.IntN(4)]: w.word() + "."}))
	}
	for i := range w.snapshot.Families {
		f := &w.snapshot.Families[i]
		for range w.IntN(5) {
			w.grow(f)
		}
		w.change(f)
	}
	w.snapshot.Live, w.snapshot.Active = nil, nil
	for i := range w.IntN(6) {
		activity := w.snapshot.Families[0].Samples
		if len(activity) == 0 {
			break
		}
		at := activity[w.IntN(len(activity))]
		w.snapshot.Live = append(w.snapshot.Live, ledger.Session{
			ID: fmt.Sprint(w.word(), i), Project: at.Labels[0], Source: at.Source, Model: w.word(), Context: w.Uint64N(3) * 1000,
		})
		w.snapshot.Active = append(w.snapshot.Active, ledger.Active{Project: at.Labels[0], Source: at.Source, Sessions: w.IntN(3)})
	}
	w.snapshot.Unsettled = w.IntN(3)
	w.snapshot.DedupKeys["prompt"] += w.IntN(3)
}

// grow adds a series to a family, unless it is there already.
func (w *world) grow(f *ledger.FamilySamples) {
	s := ledger.Sample{Created: w.Int64N(4e12) - 2e12}
	if w.IntN(4) == 0 {
		s.Created = s.Created / 1000 * 1000
	}
	for range f.Family.Labels {
		s.Labels = append(s.Labels, w.word())
	}
	if f.Family.Sourced {
		s.Source = w.sources[w.IntN(len(w.sources))]
	}
	id := fmt.Sprintf("%s%q%q", f.Family.Name, s.Labels, s.Source)
	if !w.seen[id] {
		w.seen[id] = true
		f.Samples = append(f.Samples, s)
	}
}

// change changes the numbers of a family, and now and then its buckets.
func (w *world) change(f *ledger.FamilySamples) {
	histogram := f.Family.Type == ledger.Histogram
	if histogram && w.IntN(3) == 0 {
		f.Family.Buckets = nil
		for range w.IntN(5) {
			f.Family.Buckets = append(f.Family.Buckets, []float64{-1, .1, 1, 2.5, 1e6, 1e21}[w.IntN(6)])
		}
		slices.Sort(f.Family.Buckets)
		f.Family.Buckets = slices.Compact(f.Family.Buckets)
	}
	numbers := []uint64{0, 1, 7, 31869, 999_999, 1_000_000, 123_456_789, 1 << 53, math.MaxUint64, w.Uint64()}
	for i := range f.Samples {
		s := &f.Samples[i]
		s.Value, s.Sum, s.Counts = numbers[w.IntN(len(numbers))], numbers[w.IntN(len(numbers))], nil
		for range f.Family.Buckets {
			s.Counts = append(s.Counts, w.Uint64N(10_000_000))
		}
		if histogram {
			s.Counts = append(s.Counts, w.Uint64N(10_000_000))
		}
	}
}

// word is the value of a label: mostly one that is hard to write or to sort.
func (w *world) word() string {
	letters := []string{"", "a", "b", "A", "!", " ", `"`, `\`, "\n", "n", ",", "=", "{", "}", "ä", "世", "\ufffd", "0"}
	var word string
	for range w.IntN(4) {
		word += letters[w.IntN(len(letters))]
	}
	return word
}
