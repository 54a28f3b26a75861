package watcher

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
)

// An event after a pause is passed on at once, and all events during a pause are passed
// on together at its end.
func TestEventPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pause = time.Second
		events := &fsnotify.Watcher{Events: make(chan fsnotify.Event, maxBatch+1), Errors: make(chan error)}
		var mu sync.Mutex // guards noted and batches
		var noted []string
		var batches [][]string
		locked := func(do func()) {
			mu.Lock()
			defer mu.Unlock()
			do()
		}
		n := newNotifier(events, 0, pause, receiver{
			note:  func(e fsnotify.Event) { locked(func() { noted = append(noted, e.Name) }) },
			noted: func() { locked(func() { batches, noted = append(batches, noted), nil }) },
		})
		send := func(names ...string) {
			for _, name := range names {
				events.Events <- fsnotify.Event{Name: name}
			}
		}
		check := func(want ...[]string) {
			t.Helper()
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if !slices.EqualFunc(batches, want, slices.Equal) || len(noted) > 0 {
				t.Errorf("got batches %q and %q, want %q", batches, noted, want)
			}
			batches = nil
		}
		pass := func(d time.Duration) { <-time.After(d) } // of the test's own clock
		send("a")
		check([]string{"a"})
		send("b", "c")
		check()
		pass(pause / 2)
		send("d")
		check()
		pass(pause/2 + silence)
		check([]string{"b", "c", "d"})
		pass(pause)
		many := slices.Repeat([]string{"e"}, maxBatch)
		send("e")
		check([]string{"e"})
		send(many...)
		send("f")
		pass(pause)
		check(many)
		pass(pause + silence)
		check([]string{"f"})
		pass(pause)
		send("g")
		check([]string{"g"})
		pass(pause)
		for range 4_000 { // for three pauses, an event always comes before the silence
			send("h")
			pass(silence * 3 / 4)
		}
		synctest.Wait()
		mu.Lock()
		if len(batches) < 2 {
			t.Errorf("a steady stream: got %d batches", len(batches))
		}
		mu.Unlock()
		close(events.Events)
		n.drain.Wait()
	})
}
