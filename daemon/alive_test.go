package daemon

import (
	"sync/atomic"
	"testing"
	"time"
)

// calm polls a count until it has stayed the same for so long that a daemon
// with the tick of these tests would have changed it many times.
func (w *world) calm(count *atomic.Int64) (still bool) {
	w.Helper()
	last, since := count.Load(), time.Now()
	return until(func() bool {
		if now := count.Load(); now != last {
			last, since = now, time.Now()
		}
		return time.Since(since) > 20*w.d.tick
	})
}

// The daemon tells that it is alive when nothing happens, and not any more
// when what reads and counts hangs; everything else goes on then.
func TestAliveIsToldByWhatReadsAndCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var told, toldReady atomic.Int64
	w.alive = func() {
		told.Add(1)
		if d := w.shown.Load(); d != nil && d.Ready() {
			toldReady.Add(1)
		}
	}
	w.write("p/a.jsonl", said("a", 1))
	w.start()
	w.eventually("life without work", func() bool { return toldReady.Load() > 5 })

	stuck := false
	whileLocked(w.d.state, func() {
		w.add("p/a.jsonl", said("b", 1))
		stuck = w.calm(&told)
	})
	if !stuck {
		t.Error("it says that it is alive while it hangs")
	}
	before := told.Load()
	w.eventually("life afterwards", func() bool { return told.Load() > before })
	w.shows(counted(2, 2))
}

// A long file is many signs of life.
func TestAliveWithinAFile(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		lines int
		want  int64 // how often at least
	}{
		{"short", 1, 1},
		{"long", 20_000, 20},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write("p/a.jsonl", said("a", test.lines))
			var told atomic.Int64
			w.alive = func() {
				if d := w.shown.Load(); d == nil || !d.Ready() {
					told.Add(1)
				}
			}
			w.start()
			if got := told.Load(); got < test.want {
				t.Errorf("it told of being alive %d times, want at least %d", got, test.want)
			}
		})
	}
}
