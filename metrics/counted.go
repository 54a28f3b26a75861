package metrics

import (
	"cmp"
	"slices"

	"github.com/ccwatchd/ccwatchd/ledger"
)

// counted is what a source has counted, as it was when somebody looked last.
// It is kept from one scrape to the next, so that all that a scrape has to do
// for a series that was there before is to write its numbers.
type counted struct {
	snapshot  ledger.Snapshot
	momentary momentary
	sources   sourceLabels
	families  []*family // those of the snapshot, and then the momentary ones
	byName    []*family
}

// update brings it up to date and returns the families by name; none while the
// source shows nothing.
func (c *counted) update(source Source, maxSessions int) []*family {
	if !source.Fill(&c.snapshot) {
		return nil
	}
	also := c.momentary.update(&c.snapshot, maxSessions)
	if c.families == nil {
		c.begin(also)
	}
	n := len(c.snapshot.Families)
	for i, f := range c.families[:n] {
		f.FamilySamples = c.snapshot.Families[i]
	}
	for i, f := range c.families[n:] {
		f.FamilySamples = also[i]
	}
	c.families[n+sessionContext].reset() // its series come and go
	if c.sources.see(c.families) {
		for _, f := range c.families {
			f.relabel()
		}
	}
	for _, f := range c.families {
		f.update()
	}
	return c.byName
}

// begin makes the families.
func (c *counted) begin(also []ledger.FamilySamples) {
	for _, samples := range slices.Concat(c.snapshot.Families, also) {
		c.families = append(c.families, newFamily(samples.Family, &c.sources))
	}
	c.byName = slices.Clone(c.families)
	slices.SortFunc(c.byName, func(a, b *family) int { return cmp.Compare(a.Family.Name, b.Family.Name) })
}
