package table

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 6)) }

// Ids are in the order of first use.
func TestInterner(t *testing.T) {
	s := NewInterner[label](nil, 0, nil)
	a, b := label{name: "a"}, label{name: "b", value: "x"}
	for i, tt := range []struct {
		value label
		id    uint32
	}{{a, 0}, {a, 0}, {b, 1}, {a, 0}, {label{}, 2}, {b, 1}} {
		known := i > 0 && int(tt.id) < s.Len()
		if s.Has(tt.value) != known {
			t.Errorf("%d: got that %v is known: %v, want %v", i, tt.value, !known, known)
		}
		if got := s.ID(tt.value); got != tt.id || s.Value(got) != tt.value {
			t.Errorf("%d: got id %d of %v, want %d", i, got, tt.value, tt.id)
		}
	}
	if got := s.Values(); !slices.Equal(got, []label{a, b, {}}) || s.Len() != 3 {
		t.Errorf("got %v", got)
	}
	s.Clear()
	if s.Len() != 0 || s.Has(a) || s.ID(b) != 0 {
		t.Errorf("after clearing, got %v", s.Values())
	}
}

// Values are written once.
func TestInternerChanges(t *testing.T) {
	w, other := small(), small()
	for i, name := range []string{"old", "a", "b", "a", "c"} {
		w.labels.ID(label{name: name})
		if err := other.apply(w.changes()); err != nil {
			t.Fatal(err)
		}
		w.set.Commit()
		if !slices.Equal(w.labels.Values(), other.labels.Values()) {
			t.Fatalf("%d: got %v, want %v", i, other.labels.Values(), w.labels.Values())
		}
	}
	again := newWorld()
	if err := again.load(w.snapshot()); err != nil || !slices.Equal(again.labels.Values(), w.labels.Values()) {
		t.Errorf("loaded %v, %v, want %v", again.labels.Values(), err, w.labels.Values())
	}
	if got := again.changes(); len(got) > 0 {
		t.Errorf("after loading, got the changes %x", got)
	}
}
