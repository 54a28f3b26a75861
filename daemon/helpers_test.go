package daemon

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"path"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ccwatchd/ccwatchd/follow"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/state"
)

// patience is how long a test waits for what must happen.
const patience = 20 * time.Second

// A clock is the time of day, which a test can move on.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time          { return time.Now().Add(time.Duration(c.ahead.Load())) }
func (c *clock) advance(d time.Duration) { c.ahead.Add(int64(d)) }

// A labeller names projects by the last element of their directory, and no
// command but /clear.
type labeller struct{}

func (labeller) Project(cwd string) string {
	if cwd == "" {
		return ""
	}
	return path.Base(cwd)
}

func (labeller) Command(name string) string {
	if name == "clear" {
		return name
	}
	return "custom"
}

// sources are plain directories.
func sources(dirs ...string) func() []follow.Source {
	return func() []follow.Source {
		all := make([]follow.Source, len(dirs))
		for i, dir := range dirs {
			all[i] = follow.Source{Path: dir}
		}
		return all
	}
}

// settingsFor are settings under which everything is exact, and nothing
// happens by itself but reading.
func settingsFor(dirs ...string) Settings {
	return Settings{
		Sources:  sources(dirs...),
		Labeller: labeller{},
		Ledger: ledger.Options{
			Limits: map[string]int{"project": 1000, "tool": 1000, "model": 1000, "command": 1000},
			Buckets: map[string][]float64{
				"claude_tool_duration_seconds": {.1, 1, 10},
				"claude_turn_duration_seconds": {1, 60},
				"claude_compaction_pre_tokens": {1000, 100000},
			},
			UnknownProject: "unknown",
			ActiveFor:      (5 * time.Minute).Milliseconds(),
		},
		MaxSessions:    200,
		MaxLine:        1 << 20,
		MaxWatches:     1000,
		Scan:           100 * time.Millisecond,
		Poll:           20 * time.Millisecond,
		MessageTimeout: 10 * time.Minute,
		Checkpoint:     10 * time.Minute,
		Sync:           50 * time.Millisecond,
		Retention:      60 * 24 * time.Hour,
		ZeroWindow:     1000 * 24 * time.Hour, // tests release what has been seen at 0, see world.totals
	}
}

// A world is a tree of transcripts and the daemon that follows it.
type world struct {
	testing.TB
	clock

	dir, state string // of the tree, and of what the daemon keeps
	settings   Settings
	bad        error         // of reading the settings
	meddle     func(*Daemon) // with what a daemon restores, unless nil
	alive      func()        // called when a daemon makes progress, unless nil
	log        io.Writer
	health     *metrics.Daemon
	registry   *prometheus.Registry
	scrapes    *scraper // every look at the counters is one of its

	d     *Daemon
	stop  func() error           // ends Run and returns its error
	shown atomic.Pointer[Daemon] // d, for other goroutines
}

// newWorld makes an empty tree and starts no daemon yet.
func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{TB: t, dir: t.TempDir(), state: t.TempDir(), log: io.Discard, scrapes: newScraper(t)}
	w.settings = settingsFor(w.dir)
	t.Cleanup(func() { w.halt() })
	return w
}

// options are those of a daemon of this world.
func (w *world) options() Options {
	w.registry = prometheus.NewRegistry()
	w.health = metrics.NewDaemon(w.registry)
	return Options{
		StateDir: w.state,
		Load:     func() (Settings, error) { return w.settings, w.bad },
		Logger:   slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Metrics:  w.health,
		Now:      w.now,
		Alive:    w.alive,
	}
}

// opened returns a daemon that does not run.
func (w *world) opened() *Daemon {
	w.Helper()
	d, err := New(w.options())
	if err != nil {
		w.Fatal(err)
	}
	d.tick = 10 * time.Millisecond
	return d
}

// launch starts a daemon without waiting for it.
func (w *world) launch() {
	w.Helper()
	d := w.opened()
	if w.meddle != nil {
		w.meddle(d)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	w.d, w.stop = d, func() error {
		cancel()
		return <-done
	}
	w.shown.Store(d)
}

// start starts a daemon and waits until it has caught up.
func (w *world) start() {
	w.Helper()
	w.launch()
	w.eventually("catching up", w.d.Ready)
}

// halt ends the daemon, if there is one, as a signal would.
func (w *world) halt() {
	w.Helper()
	if w.d == nil {
		return
	}
	w.shown.Store(nil)
	if err := errors.Join(w.stop(), w.d.Close()); err != nil {
		w.Error(err)
	}
	w.d = nil
}

// restart ends the daemon and starts another in its place.
func (w *world) restart() {
	w.Helper()
	w.halt()
	w.start()
}

// eventually waits until ok says yes.
func (w *world) eventually(what string, ok func() bool) {
	w.Helper()
	if !until(ok) {
		w.Fatalf("no sign of %s", what)
	}
}

// until polls ok and reports whether it said yes in time.
func until(ok func() bool) bool {
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	again := time.NewTicker(time.Millisecond)
	defer again.Stop()
	for !ok() {
		select {
		case <-deadline.C:
			return false
		case <-again.C:
		}
	}
	return true
}

// quiet lets so much time pass that whatever waits for quiet is counted.
func (w *world) quiet() { w.advance(2 * w.settings.MessageTimeout) }

// totals are what a scrape exposes. It is the second of two: what is new has been
// 0 in the first one, and is released after it.
func (w *world) totals(drop ...string) totals {
	w.Helper()
	seen := w.d.state.NewestPending()
	w.scrapes.look(w.d)
	if seen != 0 {
		w.d.state.Release(seen)
	}
	snap, ok := w.scrapes.look(w.d)
	if !ok {
		w.Fatal("the daemon shows nothing")
	}
	return totalsOf(&snap, drop...)
}

// settlesTo waits until the counters are exactly what is wanted, and sees that
// another daemon goes on from there.
func (w *world) settlesTo(want totals, drop ...string) {
	w.Helper()
	if len(want) < 5 {
		w.Fatalf("there is little to compare: %v", want)
	}
	w.comesTo(want, drop...)
	w.restart()
	if d := w.totals(drop...).diff(want); d != "" {
		w.Errorf("another daemon does not go on from there:\n%s", d)
	}
}

// comesTo waits until the counters are exactly what is wanted.
func (w *world) comesTo(want totals, drop ...string) {
	w.Helper()
	var d string
	if !until(func() bool {
		d = w.totals(drop...).diff(want)
		return d == ""
	}) {
		w.Fatalf("the totals do not come to what they should be:\n%s", d)
	}
}

// once reads the tree as it is.
func (w *world) once(drop ...string) totals {
	w.Helper()
	r, err := Once(w.Context(), w.settings, slog.New(slog.DiscardHandler))
	if err != nil {
		w.Fatal(err)
	}
	snap, _ := snapshot(r)
	return totalsOf(&snap, drop...)
}

// whileLocked calls do while nothing can be counted or exposed.
func whileLocked(s *state.State, do func()) {
	done := errors.New("nothing to encode")
	_, _, _ = s.Encode(func() (uint64, error) { do(); return 0, done })
}

// encoded returns an encoding of a state.
func encoded(s *state.State) []byte {
	_, b, _ := s.Encode(func() (uint64, error) { return 0, nil })
	return b
}

// sortedBytes returns the bytes of an encoding in order, which does not depend on the order
// of maps: two are equal if the states are, and hardly otherwise.
func sortedBytes(s *state.State) []byte {
	b := encoded(s)
	slices.Sort(b)
	return b
}

// countedBy are the totals of a state.
func countedBy(s *state.State, drop ...string) totals {
	var snap ledger.Snapshot
	s.SnapshotInto(&snap)
	return totalsOf(&snap, drop...)
}
