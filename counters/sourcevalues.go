package counters

import (
	"maps"
	"math"
	"slices"

	"github.com/ccwatchd/ccwatchd/table"
)

// sourceValues are the values of a label from one source.
type sourceValues map[string]named

// named is when a value got its name: 1 + the day since the epoch, or namedAtStart also
// where the day does not matter. A value stays folded or named: a counter that moved
// from Other to a name would fall.
type named uint32

const (
	folded       named = 0 // the value is exposed as Other
	namedAtStart named = 1
)

const (
	// nameAge is the number of days for which a name counts for the limit of names after
	// the source got it and after its last use.
	nameAge = 90
	// maxSources is the number of sources with limits of their own. Further sources share
	// the limits of furtherSources, which are the labels of no source.
	maxSources     = 1000
	furtherSources = SourceLabels("\x02")
)

// owner returns the source whose limits apply to a source.
func (l *labelValues) owner(source SourceLabels) SourceLabels {
	if _, known := l.bySource[source]; !known && len(l.bySource) >= maxSources {
		return furtherSources
	}
	return source
}

// set records a value of a source.
func (l *labelValues) set(source SourceLabels, value string, n named) {
	source = l.owner(source)
	if l.bySource[source] == nil {
		l.bySource[source] = make(sourceValues)
	}
	l.bySource[source][value] = n
}

// isFolded reports whether a value of a source is exposed as Other.
func (l *labelValues) isFolded(source SourceLabels, value string) bool {
	if n, known := l.bySource[l.owner(source)][value]; known {
		return n == folded
	}
	exposed, shared := l.shared[value]
	return shared && !exposed
}

// isNamedAgain reports whether a value that was folded for all sources has a name for a
// source.
func (l *labelValues) isNamedAgain(source SourceLabels, value string) bool {
	exposed, shared := l.shared[value]
	return shared && !exposed && !l.isFolded(source, value)
}

// foldedNames returns the number of values that are exposed as Other for some source.
func (l *labelValues) foldedNames() int {
	all := make(map[string]bool)
	for value, exposed := range l.shared {
		if !exposed {
			all[value] = true
		}
	}
	for _, values := range l.bySource {
		for value := range values {
			delete(all, value)
		}
	}
	for _, values := range l.bySource {
		for value, n := range values {
			if n == folded {
				all[value] = true
			}
		}
	}
	return len(all)
}

// today returns when a value that gets its name now got it.
func (s *Set) today() named { return namedAtStart + named(max(0, s.now)/dayMillis) }

const dayMillis = 24 * 60 * 60 * 1000

// namesInUse returns the number of names that count for the limit of a source.
func (s *Set) namesInUse(l *labelValues, source SourceLabels) (n int) {
	for value, since := range l.bySource[l.owner(source)] {
		if since != folded && (s.isRecent(since) || s.isRecent(s.lastUse(l, source, value))) {
			n++
		}
	}
	return n
}

func (s *Set) isRecent(day named) bool { return day+nameAge > s.today() }

// lastUse returns when a value was last used.
func (s *Set) lastUse(l *labelValues, source SourceLabels, value string) named {
	if ser := s.families[l.lastUses].lookUp(source, []string{value}); ser != nil {
		return namedAtStart + named(ser.Value/dayMillis)
	}
	return namedAtStart
}

// codeLabel visits a label and its values in order.
func (s *Set) codeLabel(c *table.Coder, name *string) {
	table.String(c, 1, name)
	i := s.labelIndex(*name)
	if i < 0 {
		c.Unsupported("label %s", *name)
		return
	}
	l := &s.labels[i]
	var byExposed [2][]string // values not exposed by name, and exposed values
	for _, v := range slices.Sorted(maps.Keys(l.shared)) {
		i := 0
		if l.shared[v] {
			i = 1
		}
		byExposed[i] = append(byExposed[i], v)
	}
	table.Strings(c, 2, &byExposed[1])
	table.Strings(c, 3, &byExposed[0])
	sources := slices.Sorted(maps.Keys(l.bySource))
	if c.Reading() {
		l.latest, l.shared, l.bySource = "", make(map[string]bool), make(map[SourceLabels]sourceValues)
		for i, values := range byExposed {
			for _, v := range values {
				l.shared[v] = i == 1
			}
		}
	}
	table.Slice(c, 4, &sources, l.codeSource)
}

// codeSource visits the values of a source in order.
func (l *labelValues) codeSource(c *table.Coder, source *SourceLabels) {
	all := slices.Sorted(maps.Keys(l.bySource[*source]))
	var since []uint64
	for _, v := range all {
		since = append(since, uint64(l.bySource[*source][v]))
	}
	table.String(c, 1, source)
	table.Strings(c, 2, &all)
	table.Uints(c, 3, &since)
	if !c.Reading() || c.Err() != nil {
		return
	}
	if len(all) != len(since) {
		c.Fail()
		return
	}
	values := make(sourceValues, len(all))
	for i, v := range all {
		values[v] = named(min(since[i], math.MaxUint32-nameAge))
	}
	l.bySource[*source] = values
}
