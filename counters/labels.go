package counters

import "slices"

// A Label identifies a label whose values come from outside, and so may be anything.
type Label int

// labelValues are the values that a label has had.
type labelValues struct {
	name   string
	values map[string]struct{}
	latest string // one of them
	limit  int    // the number of values it may have

	defaultLimit int
}

const (
	// Other is the value of a label that already has as many values as it may.
	Other = "other"
	// combined is the label of overflows of Options.MaxSeries, whatever labels the family
	// has.
	combined = "combined"
)

// Limit declares that a label has at most n values, unless Options.Limits states
// another number.
func (s *Set) Limit(name string, n int) Label {
	s.labels = append(s.labels, labelValues{name: name, values: make(map[string]struct{}), limit: n, defaultLimit: n})
	return Label(len(s.labels) - 1)
}

// labelIndex returns the index of a declared label, or -1.
func (s *Set) labelIndex(name string) int {
	return slices.IndexFunc(s.labels, func(l labelValues) bool { return l.name == name })
}

// Bounded returns value if the label has it already or has room for it, and otherwise
// Other. Which values a full label has depends on the order in which they came, and is
// part of the state.
func (s *Set) Bounded(id Label, value string, when int64) string {
	label := &s.labels[id]
	if value == label.latest {
		return value
	}
	fits, known := label.fits(value)
	if !fits {
		s.Add(s.overflow, 1, when, "", label.name)
		return Other
	}
	if !known {
		label.values[value] = struct{}{}
		if s.ops.recording {
			s.ops.value(label.name, value)
		}
	}
	label.latest = value
	return value
}

// Peek returns what Bounded would, and changes nothing. It is for values that a
// snapshot shows.
func (s *Set) Peek(id Label, value string) string {
	if fits, _ := s.labels[id].fits(value); !fits {
		return Other
	}
	return value
}

// fits reports whether the label may have a value, and whether it does not count
// towards the limit again.
func (l *labelValues) fits(value string) (fits, known bool) {
	if _, ok := l.values[value]; ok || value == "" || value == Other {
		return true, true
	}
	return len(l.values) < l.limit, false
}
