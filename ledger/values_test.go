package ledger

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/test/difftest"
)

// values returns the numbers of the exposed series by family and labels: value, sum and
// counts. It omits empty labels and those in drop ("label" or "family label"), over
// which it sums.
func values(l *Ledger, drop ...string) map[string][]uint64 {
	all := make(map[string][]uint64)
	snapshot := l.Snapshot(birth)
	for _, f := range snapshot.Families {
		for i := range f.Samples {
			s := &f.Samples[i]
			labels := s.Source.Labels()
			for j, name := range f.Family.Labels {
				if s.Labels[j] != "" && !slices.Contains(drop, name) && !slices.Contains(drop, f.Family.Name+" "+name) {
					labels[name] = s.Labels[j]
				}
			}
			key := f.Family.Name
			for _, name := range slices.Sorted(maps.Keys(labels)) {
				key += fmt.Sprintf(" %s=%s", name, labels[name])
			}
			if before := all[key]; before != nil && f.Family.Type == counters.Gauge {
				before[0] = max(before[0], s.Value)
			} else {
				add(all, key, append([]uint64{s.Value, s.Sum}, s.Counts...)...)
			}
			if s.Native.Zeros > 0 {
				add(all, key+" native zero", s.Native.Zeros)
			}
			for i, index := range s.Native.Indexes {
				add(all, fmt.Sprint(key, " native ", index), s.Native.Counts[i])
			}
		}
	}
	return all
}

// difference describes the series that differ. Series at zero need not be in want.
func difference(got, want map[string][]uint64) string {
	got = maps.Clone(got)
	maps.DeleteFunc(got, func(key string, numbers []uint64) bool { return want[key] == nil && slices.Max(numbers) == 0 })
	return difftest.Diff(want, got)
}

func add(to map[string][]uint64, key string, numbers ...uint64) {
	if to[key] == nil {
		to[key] = make([]uint64, len(numbers))
	}
	for i, n := range numbers {
		to[key][i] += n
	}
}
