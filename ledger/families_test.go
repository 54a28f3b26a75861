package ledger

import (
	"fmt"
	"slices"

	"github.com/ccwatchd/ccwatchd/counters"
)

// releaseAll releases every series.
func releaseAll(l *Ledger) { l.set.Release(l.set.Pending()) }

// partOf returns the part or preparer of a ledger that has a type.
func partOf[P keeper](l *Ledger) P {
	i := slices.IndexFunc(l.keepers, func(k keeper) bool {
		_, ok := k.(P)
		return ok
	})
	return l.keepers[i].(P) //nolint:errcheck // it has
}

// Snapshot returns a new snapshot.
func (l *Ledger) Snapshot(now int64) (s Snapshot) {
	l.SnapshotInto(&s, now)
	return s
}

// samplesOf returns the series of a family with their values.
func samplesOf(l *Ledger, family string) []counters.Sample {
	releaseAll(l)
	for _, f := range l.Snapshot(birth).Families {
		if f.Family.Name == family {
			return f.Samples
		}
	}
	panic("no family is named " + family)
}

// value returns the sum of the series of a family that have the given values among
// their labels.
func value(l *Ledger, family string, labels ...string) (sum uint64) {
	for _, s := range samplesOf(l, family) {
		if !slices.ContainsFunc(labels, func(v string) bool { return !slices.Contains(s.Labels, v) }) {
			sum += s.Value
		}
	}
	return sum
}

// intervals returns the increases of all series by family, labels and time: value and
// sum. It sums over the labels in drop.
func intervals(l *Ledger, drop ...string) map[string][]uint64 {
	all := make(map[string][]uint64)
	for _, f := range l.History().Families {
		for i := range f.Series {
			s := &f.Series[i]
			key := f.Family.Name
			for j, name := range f.Family.Labels {
				if !slices.Contains(drop, name) {
					key += " " + name + "=" + s.Labels[j]
				}
			}
			for _, in := range s.Increases() {
				add(all, fmt.Sprint(key, " from ", in.Start), in.Value, in.Sum)
			}
		}
	}
	return all
}
