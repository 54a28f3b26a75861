package daemon

import (
	"testing"
	"time"
)

const day = 24 * time.Hour

// remembered is how many messages are.
func (w *world) remembered() int {
	w.Helper()
	snap, ok := w.scrapes.look(w.d)
	if !ok {
		w.Fatal("the daemon shows nothing")
	}
	return snap.DedupKeys["message"]
}

// What only files that are long gone could repeat is forgotten, and nothing
// else; what was counted stays.
func TestForget(t *testing.T) {
	t.Parallel()
	for name, pass := range map[string]func(w *world, d time.Duration){
		"while it runs":    func(w *world, d time.Duration) { w.advance(d) },
		"while it is down": func(w *world, d time.Duration) { w.halt(); w.advance(d); w.start() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write("p/a.jsonl", said("a", 3))
			w.write("p/parent.jsonl", said("both", 2)+said("b", 1))
			w.write("p/fork.jsonl", said("both", 2)+said("c", 1))
			w.start()
			w.shows(counted(7, 4))
			w.remove("p/a.jsonl")
			w.remove("p/parent.jsonl")
			w.eventually("the files being missed", func() bool { return w.files() == 1 })

			pass(w, w.settings.Retention-day)
			if got := w.remembered(); got != 7 {
				t.Errorf("a day before the end of the retention %d messages are remembered, want 7", got)
			}
			// It comes back in time; at once and as a whole, since an empty file with
			// the name and the inode of the old one is that one cut short.
			w.write("p/a.tmp", said("a", 3))
			w.rename("p/a.tmp", "p/a.jsonl")
			w.eventually("the file being found", func() bool { return w.files() == 2 })
			w.shows(counted(7, 4))
			w.remove("p/a.jsonl")
			w.eventually("the file being missed", func() bool { return w.files() == 1 })

			pass(w, w.settings.Retention+day)
			w.eventually("forgetting", func() bool { return w.remembered() == 4 })
			w.shows(counted(7, 4))
			// The fork still stands for what both held.
			w.write("q/again.jsonl", said("both", 2))
			w.write("p/fork.jsonl", said("both", 1))
			w.shows(counted(7, 4).with(truncated, 1))
			w.restart()
			w.shows(counted(7, 4))
		})
	}
}

// Files that are there are remembered however old they are, and so are those of
// a root that is away for less than the retention.
func TestForgetsNothingThatIsThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("p/a.jsonl", said("a", 3))
	w.start()
	w.shows(counted(3, 1))
	for range 3 {
		w.halt()
		w.advance(w.settings.Retention)
		w.start()
	}
	if got := w.remembered(); got != 3 {
		t.Errorf("%d messages are remembered, want 3", got)
	}
	w.write("p/a.jsonl", said("a", 2))
	w.shows(counted(3, 1).with(truncated, 1))
}
