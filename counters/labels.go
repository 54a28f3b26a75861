package counters

import "slices"

// A Label identifies a label whose values come from outside, and may be any text. Its
// limits apply to each source: the values of a source change nothing for other sources.
// Families with a label that folds, see LimitExposed, must be sourced.
type Label int

// labelValues are the known values of a label.
type labelValues struct {
	name     string
	bySource map[SourceLabels]sourceValues
	// shared are the values in a state whose sources shared one limit, before format 3:
	// true if they are exposed by name. These take no room, the other values are new to
	// each source.
	shared   map[string]bool
	limit    int                                          // the number of values of a source that may be exposed by name
	kept     int                                          // the number of values of a source that may be kept, if more than limit
	nameOf   func(value string) (name string, known bool) // see Known
	usage    ID                                           // see RankBy
	lastUses ID                                           // see RankBy

	latest       string // a value exposed by name, of latestSource
	latestSource SourceLabels

	defaultLimit int
}

const (
	// Other replaces further values of a label that already has the maximum number of
	// values.
	Other = "other"
	// combined is the label of overflows of Options.MaxSeries, whatever the family's
	// labels.
	combined = "combined"
)

// Limit declares that a label has at most n values from each source, unless
// Options.Limits states another number.
func (s *Set) Limit(name string, n int) Label { return s.LimitExposed(name, n, 0) }

// LimitExposed declares that a label keeps up to kept values from each source and
// exposes at most n of them by name, unless Options.Limits states another number. All
// other values of a source are exposed as Other together. A value counts for n while it
// is in use, see RankBy.
func (s *Set) LimitExposed(name string, n, kept int) Label {
	s.labels = append(s.labels, labelValues{
		name: name, bySource: make(map[SourceLabels]sourceValues), shared: make(map[string]bool), limit: n, kept: kept, defaultLimit: n,
		nameOf: func(string) (string, bool) { return "", false },
	})
	return Label(len(s.labels) - 1)
}

// Known declares that a label always has room for a few names. nameOf returns the name
// that replaces a value without room, and known is false if Other does. It must return
// a name for the name itself.
func (s *Set) Known(id Label, nameOf func(value string) (name string, known bool)) {
	s.labels[id].nameOf = nameOf
}

// replacement returns the value that replaces a value without room.
func (l *labelValues) replacement(value string) string {
	if name, known := l.nameOf(value); known {
		return name
	}
	return Other
}

// keeps returns the number of values that the label may have from each source.
func (l *labelValues) keeps() int { return max(l.kept, l.limit) }

// labelIndex returns the index of a declared label, or -1.
func (s *Set) labelIndex(name string) int {
	return slices.IndexFunc(s.labels, func(l labelValues) bool { return l.name == name })
}

// Bounded returns value if the label has it already from the source or has room for it,
// and otherwise its replacement: Other or a name, see Known. The values of a full label
// depend on their order of arrival, and are part of the state. Values that are exposed
// as Other count as overflows.
func (s *Set) Bounded(id Label, source SourceLabels, value string, when int64) string {
	label := &s.labels[id]
	if value == label.latest && source == label.latestSource {
		return value
	}
	fits, known := label.fits(source, value)
	switch {
	case !fits:
		value = label.replacement(value)
	case !known:
		s.admit(label, source, value)
	}
	if fits && s.Exposed(id, source, value) == value {
		label.latest, label.latestSource = value, source
	} else if fits || value == Other {
		s.Add(s.overflow, 1, when, "", label.name)
	}
	return value
}

// Has reports whether Bounded needs no room for a value.
func (s *Set) Has(id Label, source SourceLabels, value string) bool {
	label := &s.labels[id]
	if value == label.latest && source == label.latestSource {
		return true
	}
	_, known := label.fits(source, value)
	return known
}

// admit adds a value to a label that has room for it. Before the start, a label that
// folds exposes no values.
func (s *Set) admit(l *labelValues, source SourceLabels, value string) {
	since := folded
	switch {
	case l.keeps() == l.limit:
		since = namedAtStart
	case s.window.started && s.namesInUse(l, source) < l.limit:
		since = s.today()
	}
	l.set(source, value, since)
	if s.ops.recording {
		s.ops.value(l.name, value, source, since)
	}
	if _, again := l.shared[value]; again {
		for _, t := range s.families {
			clear(t.recent[:]) // find returns other series now
		}
	}
}

// Exposed returns the exposed form of a value: Other if the label keeps the value
// without exposing it by name.
func (s *Set) Exposed(id Label, source SourceLabels, value string) string {
	if s.window.started && s.labels[id].isFolded(source, value) {
		return Other
	}
	return value
}

// Peek returns the result of Bounded without changing the set. It serves values that
// only a snapshot shows.
func (s *Set) Peek(id Label, source SourceLabels, value string) string {
	if fits, _ := s.labels[id].fits(source, value); !fits {
		return s.labels[id].replacement(value)
	}
	return value
}

// fits reports whether the label may have a value from a source. known reports that the
// value takes no room.
func (l *labelValues) fits(source SourceLabels, value string) (fits, known bool) {
	values := l.bySource[l.owner(source)]
	if _, ok := values[value]; ok || value == "" || value == Other || l.shared[value] {
		return true, true
	}
	if name, ok := l.nameOf(value); ok && name == value {
		return true, true
	}
	return len(values) < l.keeps(), false
}
