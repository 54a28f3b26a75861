package counters

import "slices"

// A Label identifies a label whose values come from outside, and may be any text.
type Label int

// labelValues are the known values of a label.
type labelValues struct {
	name    string
	values  map[string]bool // true if exposed by name; known once the set was started
	latest  string          // a value exposed by name
	limit   int             // the number of values that may be exposed by name
	kept    int             // the number of values that may be kept, if more than limit
	ranking ID              // see RankBy

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

// Limit declares that a label has at most n values, unless Options.Limits states
// another number.
func (s *Set) Limit(name string, n int) Label { return s.LimitExposed(name, n, 0) }

// LimitExposed declares that a label keeps up to kept values and exposes at most n of
// them by name, unless Options.Limits states another number. All other values are
// exposed as Other together.
func (s *Set) LimitExposed(name string, n, kept int) Label {
	s.labels = append(s.labels, labelValues{name: name, values: make(map[string]bool), limit: n, kept: kept, defaultLimit: n})
	return Label(len(s.labels) - 1)
}

// keeps returns the number of values that the label may have.
func (l *labelValues) keeps() int { return max(l.kept, l.limit) }

// folded returns the number of values that are not exposed by name.
func (l *labelValues) folded() (n int) {
	for _, exposed := range l.values {
		if !exposed {
			n++
		}
	}
	return n
}

// labelIndex returns the index of a declared label, or -1.
func (s *Set) labelIndex(name string) int {
	return slices.IndexFunc(s.labels, func(l labelValues) bool { return l.name == name })
}

// Bounded returns value if the label has it already or has room for it, and otherwise
// Other. The values of a full label depend on their order of arrival, and are part of
// the state. Values that are not exposed by name count as overflows too.
func (s *Set) Bounded(id Label, value string, when int64) string {
	label := &s.labels[id]
	if value == label.latest {
		return value
	}
	fits, known := label.fits(value)
	if fits && !known {
		s.admit(label, value)
	}
	if !fits || s.Exposed(id, value) != value {
		s.Add(s.overflow, 1, when, "", label.name)
	} else {
		label.latest = value
	}
	if !fits {
		return Other
	}
	return value
}

// admit adds a value to a label that has room for it. Before the start, a label that
// folds exposes no values.
func (s *Set) admit(label *labelValues, value string) {
	exposed := label.keeps() == label.limit
	if s.window.started {
		exposed = len(label.values)-label.folded() < label.limit
	}
	label.values[value] = exposed
	if s.ops.recording {
		s.ops.value(label.name, value, exposed)
	}
}

// Exposed returns the exposed form of a value: Other if the label keeps the value
// without exposing it by name.
func (s *Set) Exposed(id Label, value string) string {
	if exposed, known := s.labels[id].values[value]; s.window.started && known && !exposed {
		return Other
	}
	return value
}

// Peek returns the result of Bounded without changing the set. It serves values that
// only a snapshot shows.
func (s *Set) Peek(id Label, value string) string {
	if fits, _ := s.labels[id].fits(value); !fits {
		return Other
	}
	return value
}

// fits reports whether the label may have a value. known reports that the value
// takes no room.
func (l *labelValues) fits(value string) (fits, known bool) {
	if _, ok := l.values[value]; ok || value == "" || value == Other {
		return true, true
	}
	return len(l.values) < l.keeps(), false
}
