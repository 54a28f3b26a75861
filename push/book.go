package push

import (
	"cmp"
	"math"
	"slices"

	dto "github.com/prometheus/client_model/go"
)

// A series is one that was sent, or is to be. It is kept from one push to the
// next.
type series struct {
	labels  labels
	help    string
	kind    dto.MetricType
	value   float64 // to be sent
	created int64   // milliseconds since the epoch, 0 if that is not known

	turn    uint64 // in which it was there
	begun   bool   // the server has its zero, or does not need one
	arrived bool   // some sample has
}

// stale is the value that says that a series has ended: this one of all that are
// no number.
var stale = math.Float64frombits(0x7ff0000000000002)

// gone reports whether the series is to be ended.
func (s *series) gone() bool { return math.Float64bits(s.value) == math.Float64bits(stale) }

// A book holds what one server knows.
type book struct {
	walk   walk
	series map[string]*series // by their labels
	turns  uint64
	due    []*series // what is to be sent in this turn, as it was gathered
	begins int       // how many of these are zero because they begin
}

func newBook(external map[string]string) *book {
	b := &book{series: make(map[string]*series)}
	b.walk = walk{external: sortedLabels(external), take: b.take}
	return b
}

// turn makes due what was gathered, and ends what is not there any more; unless
// it is not known whether that was everything.
func (b *book) turn(families []*dto.MetricFamily, complete bool) {
	b.turns++
	b.due, b.begins = b.due[:0], 0
	for _, f := range families {
		b.walk.family(f)
	}
	if complete {
		b.end(func(s *series) bool { return s.turn != b.turns })
	}
}

// close makes due that everything ends.
func (b *book) close() {
	b.due, b.begins = b.due[:0], 0
	b.end(func(*series) bool { return true })
}

// end ends some series. One of which the server knows nothing is merely forgotten.
func (b *book) end(which func(*series) bool) {
	before := len(b.due)
	for key, s := range b.series {
		switch {
		case !which(s):
		case !s.arrived:
			delete(b.series, key)
		default:
			s.value = stale
			b.due = append(b.due, s)
		}
	}
	slices.SortFunc(b.due[before:], func(s, t *series) int { return cmp.Compare(s.labels, t.labels) })
}

// take takes one value of what was gathered.
func (b *book) take(l []byte, f *dto.MetricFamily, v reading) {
	s := b.series[string(l)]
	if s == nil {
		s = &series{labels: labels(l), help: f.GetHelp(), kind: f.GetType()}
		b.series[string(s.labels)] = s
	}
	if s.turn == b.turns {
		return // a server would refuse the second one, and all the rest with it
	}
	s.turn, s.value, s.created = b.turns, v.value, v.created
	// What is not zero in the first turn may have been sent before this process
	// began. To begin at zero then would look like a reset.
	s.begun = s.begun || !v.grows || b.turns == 1 && v.value != 0
	if !s.begun {
		s.value = 0
		b.begins++
	}
	b.due = append(b.due, s)
}

// arrived notes that the server has some of what was due.
func (b *book) arrived(some []*series) {
	for _, s := range some {
		s.begun, s.arrived = true, true
		if s.gone() {
			delete(b.series, string(s.labels))
		}
	}
}
