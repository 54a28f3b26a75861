package daemon

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
)

// A remote is a viewer of whom it is not known at once whether what it was shown
// has arrived.
type remote struct {
	*Daemon
	snapshot ledger.Snapshot
}

// lines returns what it is shown of a counter of lines, and false if that is nothing.
func (r *remote) lines(kind string) (uint64, bool) {
	if !r.Fill(&r.snapshot, "remote") {
		return 0, false
	}
	n, _ := linesOf(&r.snapshot, kind)
	return n, true
}

func (r *remote) arrived() { r.Saw("remote", r.snapshot.Showing) }

func linesOf(s *ledger.Snapshot, kind string) (n uint64, ok bool) {
	for _, f := range s.Families {
		for i := range f.Samples {
			if f.Family.Name == "ccwatchd_lines_total" && f.Samples[i].Labels[0] == kind {
				return f.Samples[i].Value, true
			}
		}
	}
	return 0, false
}

// What somebody is shown counts as seen once it has arrived, and not before; also if
// the daemon ends meanwhile, and however often it was shown.
func TestSeenOnceItArrives(t *testing.T) {
	w := newWorld(t)
	w.start()
	r := &remote{Daemon: w.d}
	shown := func(kind string, want uint64) {
		t.Helper()
		if got, ok := r.lines(kind); !ok || got != want {
			t.Errorf("%s: it is shown %d, %v; want %d", kind, got, ok, want)
		}
	}
	file := filepath.Join(w.dir, "p", "a.jsonl")
	counted := func(kind string) {
		t.Helper()
		if err := appendTo(file, `{"type":"`+kind+`"}`+"\n"); err != nil {
			t.Fatal(err)
		}
		w.eventually(kind, func() bool {
			w.d.counted.mu.Lock()
			defer w.d.counted.mu.Unlock()
			var now ledger.Snapshot
			w.d.counted.state.ledger.Fill(&now, 0)
			_, ok := linesOf(&now, kind)
			return ok
		})
	}
	counted("summary")
	shown("summary", 0)
	shown("summary", 0)

	w.restart()
	r = &remote{Daemon: w.d}
	shown("summary", 0)
	counted("system") // while it is under way
	r.arrived()
	shown("summary", 1)
	shown("system", 0)
	r.arrived()
	shown("system", 1)
	counted("progress")
	shown("progress", 0)
	shown("progress", 0)

	w.restart()
	r = &remote{Daemon: w.d}
	shown("summary", 1)
	shown("system", 1)
	shown("progress", 0)
}

func TestNothingIsShown(t *testing.T) {
	w := newWorld(t)
	d := w.opened()
	defer d.Close() //nolint:errcheck // it never ran
	if _, ok := (&remote{Daemon: d}).lines("summary"); ok {
		t.Error("there is something before everything was read")
	}
}

// One whom nothing reaches is waited for by others, but not for ever. It does not
// matter which of them comes when it has taken too long.
func TestNothingArrivesAtOne(t *testing.T) {
	var all audience
	now := time.Unix(1_000_000, 0)
	look := func(name string) uint64 {
		now = now.Add(20 * time.Second)
		return max(all.come(nameOf(name), now), all.overdue(now))
	}
	for range 3 * int(longestZero/(20*time.Second)) {
		if seen := look("lost"); seen != 0 {
			t.Fatalf("nobody else comes, and everybody has seen %d", seen)
		}
	}
	begun, most := now, uint64(0)
	for now.Sub(begun) < 3*longestZero {
		seen := max(look("other"), look("lost"))
		if seen > 0 && now.Sub(begun) < longestZero {
			t.Fatalf("after %v everybody has seen %d", now.Sub(begun), seen)
		}
		all.saw(nameOf("other"), 1)
		most = max(most, seen)
	}
	if most != 1 {
		t.Errorf("after a while everybody has seen %d, want 1", most)
	}
}
