package metrics

import (
	"cmp"
	"errors"
	"slices"

	dto "github.com/prometheus/client_model/go"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/internal/limits"
	"github.com/ccwatchd/ccwatchd/ledger"
)

// A cache holds the counts of a provider as the families that the client library
// encodes. It is kept between scrapes: the names and labels of a series are built once,
// when it first appears; later scrapes write only numbers.
type cache struct {
	snapshot ledger.Snapshot
	sources  sourceLabels
	families []*family // the snapshot's, then the live gauges
}

// update brings the cache up to date. It returns false while the provider exposes
// nothing.
func (c *cache) update(from Provider, maxSessions int, windows []limits.Window, running []RunningSessions) bool {
	if !from.SnapshotInto(&c.snapshot) {
		return false
	}
	all := slices.Concat(c.snapshot.Families, liveGauges(&c.snapshot, maxSessions, windows, running))
	for _, f := range c.families[min(len(c.snapshot.Families), len(c.families)):] {
		f.reset() // the series of live gauges come and go
	}
	if c.addSources(all) || c.families == nil {
		c.families = make([]*family, len(all))
		for i := range all {
			c.families[i] = newFamily(all[i].Family, &c.sources)
		}
	}
	for i, f := range c.families {
		f.update(&all[i])
		f.hidden = all[i].Hidden
	}
	return true
}

// addSources adds the sources of new series. It reports whether they add a label name.
func (c *cache) addSources(all []counters.FamilySamples) (added bool) {
	for i := range all {
		samples := all[i].Samples
		if c.families != nil {
			samples = samples[len(c.families[i].metrics):]
		}
		added = c.sources.add(samples) || added
	}
	return added
}

// appendTo appends the families that have series and are not hidden, and sorts all
// families by name. The error contains the series that cannot be exposed.
func (c *cache) appendTo(all []*dto.MetricFamily) ([]*dto.MetricFamily, error) {
	var errs []error
	for _, f := range c.families {
		errs = append(errs, f.err)
		if len(f.exposed.GetMetric()) > 0 && !f.hidden {
			all = append(all, &f.exposed)
		}
	}
	slices.SortFunc(all, func(a, b *dto.MetricFamily) int { return cmp.Compare(a.GetName(), b.GetName()) })
	return all, errors.Join(errs...)
}
