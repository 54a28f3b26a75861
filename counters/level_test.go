package counters

import (
	"fmt"
	"testing"
)

const minute = 60 * 1000

// levels returns a set after a test's additions and subtractions, and the history of
// the only series.
func levels(t *testing.T, change func(add, subtract func(n uint64, when int64), w *world)) (value uint64, history string) {
	t.Helper()
	w := newWorld()
	w.set.Start()
	change(func(n uint64, when int64) { w.set.Add(w.waiting, n, when, "", "t") },
		func(n uint64, when int64) { w.set.Subtract(w.waiting, []Reduction{{n, when}}, "", "t") }, w)
	w = reopened(t, w)
	h := w.set.History()
	for _, f := range h.Families {
		if f.Family.Name == "waiting" {
			for _, i := range f.Series[0].Increases() {
				history += fmt.Sprint((i.Start-birth)/minute, ":", i.Value, " ")
			}
			if late := f.Series[0].Late(); len(late) > 0 {
				t.Errorf("got late increases %v", late)
			}
		}
	}
	return sampleOf(t, w.set, "waiting", "t").Value, history
}

// A level falls by the subtracted numbers, and its history falls in the interval of
// their times.
func TestLevel(t *testing.T) {
	type change = func(n uint64, when int64)
	for name, test := range map[string]struct {
		change  func(add, subtract change, w *world)
		value   uint64
		history string
	}{
		"the current interval": {func(add, subtract change, _ *world) {
			add(5, birth)
			add(7, birth+10*minute)
			subtract(3, birth+11*minute)
		}, 9, "0:5 10:4 "},
		"an earlier one": {func(add, subtract change, _ *world) {
			add(5, birth)
			add(7, birth+10*minute)
			add(1, birth-5*minute)
			subtract(5, birth+1)
			add(2, birth+10*minute)
		}, 10, "-5:1 10:9 "},
		"all": {func(add, subtract change, _ *world) {
			add(5, birth)
			add(7, birth+10*minute)
			subtract(7, birth+10*minute)
			subtract(5, birth)
		}, 0, ""},
		"more than there is": {func(add, subtract change, _ *world) {
			add(5, birth)
			subtract(6, birth)
			add(1, birth)
		}, 1, "0:1 "},
		"an interval that became a part of half an hour": {func(add, subtract change, w *world) {
			add(5, birth+10*minute)
			add(7, birth+20*minute)
			w.set.Advance(birth + 5*dayMillis)
			subtract(5, birth+10*minute)
		}, 7, "0:7 "},
		"another interval": {func(add, subtract change, _ *world) {
			add(5, birth)
			add(7, birth+10*minute)
			add(1, birth+20*minute)
			subtract(3, birth+15*minute)
		}, 10, "0:5 10:5 "},
		"what was not recorded": {func(add, subtract change, w *world) {
			w.set.Configure(Options{})
			add(5, birth)
			w.set.Configure(options())
			add(7, birth+10*minute)
			subtract(5, birth)
		}, 7, "10:7 "},
	} {
		t.Run(name, func(t *testing.T) {
			if value, history := levels(t, test.change); value != test.value || history != test.history {
				t.Errorf("got %d and %q, want %d and %q", value, history, test.value, test.history)
			}
		})
	}
}

// Levels have their values at once, like other gauges.
func TestLevelIsNotHidden(t *testing.T) {
	w := newWorld()
	w.set.Start()
	w.set.Add(w.waiting, 5, birth, "", "t")
	if got := sampleOf(t, w.set, "waiting", "t").Value; got != 5 || w.set.Pending() != 0 {
		t.Errorf("got %d, pending %d", got, w.set.Pending())
	}
}
