package metrics

import (
	"cmp"
	"errors"
	"slices"

	dto "github.com/prometheus/client_model/go"

	"github.com/ccwatchd/ccwatchd/ledger"
)

// A cache has what a source has counted as the families that the client library
// encodes. It is kept from one scrape to the next: names and labels are built once,
// when a series is seen first, and only numbers are written after that.
type cache struct {
	snapshot ledger.Snapshot
	sources  sourceLabels
	families []*family // those of the snapshot, and then the live gauges
}

// update brings the cache up to date. It returns false while the source exposes
// nothing.
func (c *cache) update(source Provider, maxSessions int) bool {
	if !source.SnapshotInto(&c.snapshot) {
		return false
	}
	all := slices.Concat(c.snapshot.Families, liveGauges(&c.snapshot, maxSessions))
	for _, f := range c.families[min(len(c.snapshot.Families), len(c.families)):] {
		f.reset() // the series of live gauges come and go
	}
	if c.families == nil || c.newNames(all) {
		c.begin(all)
	}
	for i, f := range c.families {
		f.update(&all[i])
	}
	return true
}

// newNames reports whether series that are new come from sources that add labels.
func (c *cache) newNames(all []ledger.FamilySamples) (added bool) {
	for i, f := range c.families {
		known := min(len(f.metrics), len(all[i].Samples))
		added = c.sources.see(all[i].Samples[known:]) || added
	}
	return added
}

// begin makes the families, with the labels that all sources add.
func (c *cache) begin(all []ledger.FamilySamples) {
	c.families = nil
	for i := range all {
		c.sources.see(all[i].Samples)
	}
	for i := range all {
		c.families = append(c.families, newFamily(all[i].Family, &c.sources))
	}
}

// appendTo adds the families with a series to others, and sorts all by name. The
// error says what cannot be exposed.
func (c *cache) appendTo(all []*dto.MetricFamily) ([]*dto.MetricFamily, error) {
	var errs []error
	for _, f := range c.families {
		if f.err != nil {
			errs = append(errs, f.err)
		}
		if len(f.exposed.GetMetric()) > 0 {
			all = append(all, &f.exposed)
		}
	}
	slices.SortFunc(all, func(a, b *dto.MetricFamily) int { return cmp.Compare(a.GetName(), b.GetName()) })
	return all, errors.Join(errs...)
}
