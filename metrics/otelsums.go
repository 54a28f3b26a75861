package metrics

import (
	"slices"
	"strings"

	"github.com/ccwatchd/ccwatchd/ledger"
)

// otelSums are the series of an otelFamily. They are kept between scrapes: the labels
// of a series of the ledger are translated once, when it first appears.
type otelSums struct {
	of      int         // index of the ledger's family in the snapshot
	columns []int       // of the labels, among those of the ledger's family
	labels  []otelLabel // likewise
	sums    ledger.FamilySamples
	known   map[string]int // index of each sum, by its labels
	indexes []int          // of the sum to which each series of the ledger belongs
}

// newOTelSums returns the otelFamilies that can be derived from a snapshot.
func newOTelSums(s *ledger.Snapshot) (all []*otelSums) {
	for _, f := range otelFamilies() {
		i := slices.IndexFunc(s.Families, func(of ledger.FamilySamples) bool { return of.Family.Name == f.Of })
		if i < 0 {
			continue
		}
		of := s.Families[i].Family
		family := &ledger.Family{Name: f.Name, Help: f.Help, PerUnit: of.PerUnit, Sourced: of.Sourced}
		created := &otelSums{of: i, labels: f.Labels, sums: ledger.FamilySamples{Family: family}, known: make(map[string]int)}
		for _, label := range f.Labels {
			family.Labels = append(family.Labels, label.Name)
			created.columns = append(created.columns, slices.Index(of.Labels, label.Of))
		}
		all = append(all, created)
	}
	return all
}

// update returns the sums of a snapshot. They are valid until the next call.
func (o *otelSums) update(s *ledger.Snapshot) ledger.FamilySamples {
	of := &s.Families[o.of]
	for i := len(o.indexes); i < len(of.Samples); i++ {
		o.indexes = append(o.indexes, o.index(&of.Samples[i]))
	}
	sums := o.sums.Samples
	for i := range sums {
		sums[i].Value = 0
	}
	for i, to := range o.indexes {
		sums[to].Value = ledger.SaturatingAdd(sums[to].Value, of.Samples[i].Value)
	}
	o.sums.Hidden = of.Hidden
	return o.sums
}

// index returns the index of the sum to which a new series belongs.
//
// The created timestamp of a sum is that of the series that was exposed first, which is
// the same after a restart and never changes. One that is exposed later may have an
// earlier timestamp: to a server, another timestamp would be a reset.
func (o *otelSums) index(s *ledger.Sample) int {
	labels := make([]string, len(o.labels))
	for i, label := range o.labels {
		labels[i] = label.value(s.Labels[o.columns[i]])
	}
	key := strings.Join(labels, "\x00") + "\x00" + string(s.Source)
	i, found := o.known[key]
	if !found {
		i = len(o.sums.Samples)
		o.known[key] = i
		o.sums.Samples = append(o.sums.Samples, ledger.Sample{Labels: labels, Source: s.Source, Created: s.Created, Order: s.Order})
	}
	sum := &o.sums.Samples[i]
	if s.Order < sum.Order || s.Order == sum.Order && s.Created < sum.Created {
		sum.Order, sum.Created = s.Order, s.Created
	}
	return i
}
