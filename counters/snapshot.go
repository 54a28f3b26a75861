package counters

import "slices"

// FamilySamples are the series of a family at one moment, in the order of their
// creation.
type FamilySamples struct {
	Family  *Family
	Samples []Sample
	// Hidden families are not exposed at present. They keep their samples.
	Hidden bool
}

// A Sample is one series at one moment. Its labels must not be changed.
type Sample struct {
	Labels  []string // values for Family.Labels
	Source  SourceLabels
	Value   uint64          // of a counter or gauge, see Family.InUnit; the count of a histogram
	Sum     uint64          // of a histogram, see Family.InUnit
	Counts  []uint64        // of a histogram, by bucket; the last bucket has no bound
	Native  NativeHistogram // of a histogram
	Created int64           // time of the first event, in milliseconds since the epoch
}

// SnapshotInto sets all to the families as a scrape exposes them: a series is 0 until
// it is released. An earlier snapshot of the same set in all is overwritten in place:
// families and series keep their indexes, and only new series need memory. The set is
// not changed.
func (s *Set) SnapshotInto(all *[]FamilySamples) {
	for len(*all) < len(s.families) {
		*all = append(*all, FamilySamples{Family: new(Family)})
	}
	for i, t := range s.families {
		to := &(*all)[i]
		*to.Family, to.Hidden = t.Family, t.Priced && !s.opts.Priced
		for _, ser := range t.exposed[len(to.Samples):] {
			to.Samples = append(to.Samples, Sample{Labels: ser.Labels, Source: ser.Source})
		}
		for j, ser := range t.exposed {
			to.Samples[j].set(ser, s.hidden(ser))
		}
		for _, ser := range t.folded {
			if !s.hidden(ser) {
				to.Samples[s.exposing(ser).index].add(ser)
			}
		}
	}
}

// add adds a folded series to the sample of its exposing series.
func (to *Sample) add(from *series) {
	if from.family.Type == Gauge {
		to.Value = max(to.Value, from.Value)
		return
	}
	to.Value, to.Sum = SaturatingAdd(to.Value, from.Value), SaturatingAdd(to.Sum, from.Sum)
	to.addCounts(from)
	to.Native.addAll(&from.Native)
}

// addCounts adds the counts of a histogram to the exposed buckets.
func (to *Sample) addCounts(from *series) {
	for i, n := range from.Counts {
		at := from.family.buckets[i]
		to.Counts[at] = SaturatingAdd(to.Counts[at], n)
	}
}

// set copies the numbers of a series to a sample, or sets them to 0 if it is hidden.
func (to *Sample) set(from *series, hidden bool) {
	to.Value, to.Sum, to.Created = from.Value, from.Sum, from.Created
	if t := from.family; t.Type == Histogram {
		to.Counts = slices.Grow(to.Counts[:0], len(t.Buckets)+1)[:len(t.Buckets)+1]
		clear(to.Counts)
		to.addCounts(from)
	}
	from.Native.copyTo(&to.Native)
	if hidden {
		to.Value, to.Sum = 0, 0
		clear(to.Counts)
		to.Native.reset()
	}
}

// Clone returns a copy that SnapshotInto does not overwrite.
func Clone(all []FamilySamples) []FamilySamples {
	all = slices.Clone(all)
	for i := range all {
		f := &all[i]
		family := *f.Family
		f.Family, f.Samples = &family, slices.Clone(f.Samples)
		for j := range f.Samples {
			f.Samples[j].Counts = slices.Clone(f.Samples[j].Counts)
			f.Samples[j].Native = f.Samples[j].Native.clone()
		}
	}
	return all
}
