package ledger

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ccwatchd/ccwatchd/counters"
)

// exposition returns the sorted series of a snapshot as text, with or without zeros.
func exposition(snap Snapshot, shown func(*counters.Family) bool, zeros bool) string {
	var lines []string
	add := func(name string, labels []string, value uint64, scale float64) {
		if value == 0 && !zeros {
			return
		}
		all := ""
		if len(labels) > 0 {
			all = "{" + strings.Join(labels, ",") + "}"
		}
		lines = append(lines, fmt.Sprintf("%s%s %s\n", name, all, strconv.FormatFloat(float64(value)*scale, 'g', 15, 64)))
	}
	for _, f := range snap.Families {
		if f.Hidden || !shown(f.Family) {
			continue
		}
		scale := 1 / float64(f.Family.Divisor())
		for _, s := range f.Samples {
			labels := labelsOf(f.Family, &s)
			if f.Family.Type != counters.Histogram {
				add(f.Family.Name, labels, s.Value, scale)
				continue
			}
			add(f.Family.Name+"_count", labels, s.Value, 1)
			add(f.Family.Name+"_sum", labels, s.Sum, scale)
			var below uint64
			for i, bound := range f.Family.Buckets {
				below += s.Counts[i]
				add(f.Family.Name+"_bucket", append(slices.Clone(labels), fmt.Sprintf(`le="%g"`, bound)), below, 1)
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// labelsOf returns the labels of a sample that are not empty.
func labelsOf(f *counters.Family, s *counters.Sample) []string {
	var labels []string
	for i, value := range s.Labels {
		if value != "" {
			labels = append(labels, fmt.Sprintf("%s=%q", f.Labels[i], value))
		}
	}
	sourced := s.Source.Labels()
	for _, name := range slices.Sorted(maps.Keys(sourced)) {
		labels = append(labels, fmt.Sprintf("%s=%q", name, sourced[name]))
	}
	return labels
}
