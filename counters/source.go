package counters

import (
	"maps"
	"slices"
	"strings"
)

// SourceLabels are the labels that a source of the configuration adds, in one
// comparable value. The zero value adds no labels.
type SourceLabels string

// NewSourceLabels returns the given labels as SourceLabels.
func NewSourceLabels(labels map[string]string) SourceLabels {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		b.WriteString(name + "\x01" + labels[name] + "\x02")
	}
	return SourceLabels(b.String())
}

// Labels returns the labels as a map.
func (s SourceLabels) Labels() map[string]string {
	labels := make(map[string]string)
	for pair := range strings.SplitSeq(string(s), "\x02") {
		if name, value, ok := strings.Cut(pair, "\x01"); ok {
			labels[name] = value
		}
	}
	return labels
}
