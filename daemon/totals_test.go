package daemon

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ccwatchd/ccwatchd/internal/exposition"
	"github.com/ccwatchd/ccwatchd/ledger"
)

// Totals are the counters and histograms of a snapshot by series, as
// family{label="value",...}; a histogram has one for its count, its sum, and
// every bucket. Those at zero are left out.
type totals map[string]uint64

// totalsOf adds up a snapshot over the labels, and without the families, that
// are named in drop.
func totalsOf(snap *ledger.Snapshot, drop ...string) totals {
	all := make(totals)
	for _, f := range snap.Families {
		if f.Family.Type == ledger.Gauge || slices.Contains(drop, f.Family.Name) {
			continue
		}
		for i := range f.Samples {
			for series, v := range valuesOf(f.Family, &f.Samples[i], drop) {
				if v != 0 {
					all[series] += v
				}
			}
		}
	}
	return all
}

// valuesOf are the numbers of one sample under the names of their series.
func valuesOf(f *ledger.Family, s *ledger.Sample, drop []string) map[string]uint64 {
	var labels []string
	for i, name := range f.Labels {
		if !slices.Contains(drop, name) {
			labels = append(labels, fmt.Sprintf("%s=%q", name, s.Labels[i]))
		}
	}
	for name, value := range s.Source.Labels() {
		labels = append(labels, fmt.Sprintf("%s=%q", name, value))
	}
	series := func(suffix string, more ...string) string {
		if all := slices.Concat(labels, more); len(all) > 0 {
			return f.Name + suffix + "{" + strings.Join(all, ",") + "}"
		}
		return f.Name + suffix
	}
	if f.Type != ledger.Histogram {
		return map[string]uint64{series(""): s.Value}
	}
	values := map[string]uint64{series("_count"): s.Value, series("_sum"): s.Sum}
	var below uint64
	for i, bound := range f.Buckets {
		below += s.Counts[i]
		values[series("_bucket", fmt.Sprintf(`le="%v"`, bound))] = below
	}
	return values
}

// diff lists the differences of two totals, one per line.
func (t totals) diff(want totals) string {
	var lines strings.Builder
	for _, d := range exposition.Diff(want, t, nil) {
		fmt.Fprintln(&lines, d)
	}
	return lines.String()
}
