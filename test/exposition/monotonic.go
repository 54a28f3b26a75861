package exposition

import (
	"fmt"
	"maps"
	"slices"
)

// A Monotonic checks over successive scrapes that counters behave as counters. The
// zero value is ready to use.
type Monotonic struct {
	last map[string]Sample
}

// Last returns the counters of the previous scrape, nil before the first.
func (m *Monotonic) Last() map[string]Sample { return m.last }

// Update takes the counters of a scrape by series, and returns an error for each
// that vanished, fell, or has another created timestamp than before. It keeps the map,
// and adds missing created timestamps from the previous scrape to it.
func (m *Monotonic) Update(now map[string]Sample) (errs []error) {
	for _, series := range slices.Sorted(maps.Keys(m.last)) {
		before := m.last[series]
		s, found := now[series]
		switch {
		case !found:
			errs = append(errs, fmt.Errorf("%s vanished: want at least %v", series, before.Value))
		case s.Value < before.Value:
			errs = append(errs, fmt.Errorf("%s fell: want at least %v, got %v", series, before.Value, s.Value))
		case !s.Created.IsZero() && !before.Created.IsZero() && !s.Created.Equal(before.Created):
			errs = append(errs, fmt.Errorf("%s was created again: want %v, got %v", series, before.Created, s.Created))
		}
	}
	for series, s := range now {
		if before := m.last[series]; s.Created.IsZero() && !before.Created.IsZero() {
			s.Created = before.Created
			now[series] = s
		}
	}
	m.last = now
	return errs
}
