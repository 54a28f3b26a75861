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

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/difftest"
)

// Scrape after scrape, an exposition gathers the same families as the client library.
func FuzzExposition(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		p := newRandomProvider(seed)
		others := prometheus.NewRegistry()
		NewDaemon(others)
		library := prometheus.NewRegistry()
		library.MustRegister(others, &constCollector{p, 3})
		e := gatherer(&Exposition{Provider: p, Registry: others, MaxSessions: func() int { return 3 }})
		for range 8 {
			p.step()
			want, err := library.Gather()
			if err != nil {
				t.Fatal(err)
			}
			got, err := e.Gather()
			if err != nil {
				t.Fatal(err)
			}
			if !slices.EqualFunc(got, want, func(a, b *dto.MetricFamily) bool { return proto.Equal(a, b) }) {
				t.Fatalf("compared with the client library:\n%s", difftest.Diff(texts(want), texts(got)))
			}
		}
	})
}

// texts describes families, to print their differences.
func texts(families []*dto.MetricFamily) (all []string) {
	for _, f := range families {
		for _, m := range f.GetMetric() {
			all = append(all, fmt.Sprint(f.GetName(), " ", f.GetType(), " ", f.GetHelp(), " ", m))
		}
	}
	return all
}

// A randomProvider provides snapshots, and changes everything that may change.
type randomProvider struct {
	*rand.Rand
	snapshot ledger.Snapshot
	sources  []counters.SourceLabels // seen so far
	seen     map[string]bool         // series, by their labels
}

func newRandomProvider(seed uint64) *randomProvider {
	p := &randomProvider{Rand: rand.New(rand.NewPCG(seed, 1)), sources: []counters.SourceLabels{""}, seen: make(map[string]bool)}
	addFamily := func(f counters.Family) {
		f.Help = p.word() + "." // never empty
		p.snapshot.Families = append(p.snapshot.Families, counters.FamilySamples{Family: &f})
	}
	addFamily(counters.Family{Name: lastActivity, Type: counters.Gauge, PerUnit: 1000, Labels: []string{"project"}, Sourced: true})
	addFamily(counters.Family{Name: "claude_z_total", Labels: []string{"z", "a", "m"}, Sourced: true})
	addFamily(counters.Family{Name: "claude_b_total"})
	addFamily(counters.Family{Name: "claude_h_seconds", Type: counters.Histogram, PerUnit: 1000, Labels: []string{"tool"}, Sourced: true})
	addFamily(counters.Family{Name: "zz_h", Type: counters.Histogram})
	addFamily(counters.Family{Name: "aa_total", PerUnit: 60, Labels: []string{"b", "a"}})
	p.snapshot.DedupKeys = map[string]int{"message": 0, "prompt": 0}
	return p
}

func (p *randomProvider) SnapshotInto(s *ledger.Snapshot) bool {
	*s = p.snapshot
	return true
}

// step adds series and changes values.
func (p *randomProvider) step() {
	if p.IntN(3) == 0 {
		p.sources = append(p.sources, counters.NewSourceLabels(map[string]string{[]string{"user", "host", "b2", "zone"}[p.IntN(4)]: p.word() + "."}))
	}
	for i := range p.snapshot.Families {
		f := &p.snapshot.Families[i]
		for range p.IntN(5) {
			p.addSeries(f)
		}
		p.change(f)
	}
	p.snapshot.Live, p.snapshot.Active = nil, nil
	for i := range p.IntN(6) {
		activity := p.snapshot.Families[0].Samples
		if len(activity) == 0 {
			break
		}
		active := activity[p.IntN(len(activity))]
		p.snapshot.Live = append(p.snapshot.Live, ledger.Session{
			ID: fmt.Sprint(p.word(), i), Project: active.Labels[0], Source: active.Source, Model: p.word(), Context: p.Uint64N(3) * 1000,
		})
		p.snapshot.Active = append(p.snapshot.Active, ledger.Active{Project: active.Labels[0], Source: active.Source, Sessions: p.IntN(3)})
	}
	p.snapshot.Unsettled = p.IntN(3)
	p.snapshot.DedupKeys["prompt"] += p.IntN(3)
}

// addSeries adds a series to a family, unless it exists.
func (p *randomProvider) addSeries(f *counters.FamilySamples) {
	s := counters.Sample{Created: p.Int64N(4e12) - 2e12}
	if p.IntN(4) == 0 {
		s.Created = s.Created / 1000 * 1000
	}
	for range f.Family.Labels {
		s.Labels = append(s.Labels, p.word())
	}
	if f.Family.Sourced {
		s.Source = p.sources[p.IntN(len(p.sources))]
	}
	id := fmt.Sprintf("%s%q%q", f.Family.Name, s.Labels, s.Source)
	if !p.seen[id] {
		p.seen[id] = true
		f.Samples = append(f.Samples, s)
	}
}

// change changes the numbers of a family, and sometimes its buckets.
func (p *randomProvider) change(f *counters.FamilySamples) {
	histogram := f.Family.Type == counters.Histogram
	if histogram && p.IntN(3) == 0 {
		f.Family.Buckets = nil
		for range p.IntN(5) {
			f.Family.Buckets = append(f.Family.Buckets, []float64{-1, .1, 1, 2.5, 1e6, 1e21}[p.IntN(6)])
		}
		slices.Sort(f.Family.Buckets)
		f.Family.Buckets = slices.Compact(f.Family.Buckets)
	}
	numbers := []uint64{0, 1, 7, 31869, 999_999, 1_000_000, 123_456_789, 1 << 53, math.MaxUint64, p.Uint64()}
	for i := range f.Samples {
		s := &f.Samples[i]
		s.Value, s.Sum, s.Counts = numbers[p.IntN(len(numbers))], numbers[p.IntN(len(numbers))], nil
		for range f.Family.Buckets {
			s.Counts = append(s.Counts, p.Uint64N(10_000_000))
		}
		if histogram {
			s.Counts = append(s.Counts, p.Uint64N(10_000_000))
			p.changeNative(s)
		}
	}
}

// word returns a label value, mostly hard to encode or to sort.
func (p *randomProvider) word() string {
	letters := []string{"", "a", "b", "A", "!", " ", `"`, `\`, "\n", "n", ",", "=", "{", "}", "ä", "世", "\ufffd", "0"}
	var word string
	for range p.IntN(4) {
		word += letters[p.IntN(len(letters))]
	}
	return word
}
