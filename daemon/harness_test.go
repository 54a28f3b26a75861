package daemon

import (
	"context"
	"errors"
	"flag"
	"io"
	"log/slog"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ccwatchd/ccwatchd/follow"
	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/state"
	"github.com/ccwatchd/ccwatchd/test/leaktest"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/test/polltest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

func TestMain(m *testing.M) {
	// The parallel tests mostly wait.
	if err := flag.Set("test.parallel", strconv.Itoa(max(8, runtime.GOMAXPROCS(0)))); err != nil {
		panic(err)
	}
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" {
		debug.SetGCPercent(400) // the tests allocate much and keep little
	}
	leaktest.Main(m)
}

const day = 24 * time.Hour

// A clock is the time of day, which a test can change.
type clock struct {
	ahead   atomic.Int64
	stopped atomic.Pointer[time.Time]
}

func (c *clock) now() time.Time {
	now := time.Now()
	if at := c.stopped.Load(); at != nil {
		now = *at
	}
	return now.Add(time.Duration(c.ahead.Load()))
}

func (c *clock) advance(d time.Duration) { c.ahead.Add(int64(d)) }

// stopClock stops the clock, except for advance, so that nothing is due because the
// machine is busy.
func (c *clock) stopClock() {
	now := time.Now()
	c.stopped.Store(&now)
}

// sources returns directories without labels.
func sources(dirs ...string) func() []follow.Source {
	return func() []follow.Source {
		all := make([]follow.Source, len(dirs))
		for i, dir := range dirs {
			all[i] = follow.Source{Path: dir}
		}
		return all
	}
}

// settingsFor returns settings without effective limits and with timeouts so long that
// the daemon only reads, unless a test advances the clock.
func settingsFor(dirs ...string) Settings {
	return Settings{
		Sources:        sources(dirs...),
		Labeller:       transcripttest.Labeller{},
		Ledger:         ledgertest.Options(),
		MaxSessions:    200,
		MaxLine:        1 << 20,
		MaxWatches:     maxWatches,
		Scan:           100 * time.Millisecond,
		Poll:           20 * time.Millisecond,
		MessageTimeout: 10 * time.Minute,
		Checkpoint:     10 * time.Minute,
		Sync:           50 * time.Millisecond,
		Retention:      60 * day,
		ZeroWindow:     1000 * day, // harness.totals releases series
	}
}

// A harness is a directory of transcripts and the daemon that reads it.
type harness struct {
	transcripttest.Dir
	clock

	stateDir  string
	settings  Settings
	readAgain bool
	expires   bool          // see expireMessageTimeout
	loadErr   error         // of reading the settings
	beforeRun func(*Daemon) // called after a daemon has restored its state; optional
	onAlive   func()        // called when a daemon makes progress; optional
	log       io.Writer
	metrics   *metrics.Daemon
	registry  *prometheus.Registry
	scraper   *scraper // takes every scrape

	d       *Daemon
	stopRun func() error           // ends Run and returns its error
	current atomic.Pointer[Daemon] // d, for other goroutines
}

// newHarness returns an empty directory without a daemon.
func newHarness(t testing.TB) *harness {
	t.Helper()
	h := &harness{Dir: transcripttest.NewDir(t), stateDir: t.TempDir(), log: io.Discard, scraper: newScraper(t)}
	h.settings = settingsFor(h.Root)
	t.Cleanup(func() { h.stop() })
	return h
}

// startWithReplies starts a daemon and waits until it has counted session a in
// p/a.jsonl, with n replies.
func startWithReplies(t testing.TB, n int) *harness {
	t.Helper()
	h := newHarness(t)
	h.startWithReplies(n)
	return h
}

func (h *harness) startWithReplies(n int) {
	h.Helper()
	h.Write("p/a.jsonl", replies("a", n))
	h.start()
	h.waitFor(counts(uint64(n), 1))
}

// runCases runs a test in parallel for each case, each with a new harness.
func runCases[C any](t *testing.T, cases map[string]C, test func(h *harness, c C)) {
	t.Helper()
	t.Parallel()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(newHarness(t), c)
		})
	}
}

// options returns the options of a new daemon, with new metrics.
func (h *harness) options() Options {
	h.registry = prometheus.NewRegistry()
	h.metrics = metrics.NewDaemon(h.registry)
	return Options{
		StateDir: h.stateDir,
		Load:     func() (Settings, error) { return h.settings, h.loadErr },
		Logger:   slog.New(slog.NewTextHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Metrics:  h.metrics,
		Now:      h.now,
		Alive:    h.onAlive,

		ReadAgain: h.readAgain,
	}
}

// newDaemon returns a daemon that does not run.
func (h *harness) newDaemon() *Daemon {
	h.Helper()
	d, err := New(h.options())
	h.Must(err)
	d.tick = 10 * time.Millisecond
	h.scraper.restored(d)
	return d
}

// newEngine returns the engine of a new daemon, for a test that steps it.
func (h *harness) newEngine() *engine {
	h.Helper()
	e := newEngine(h.newDaemon())
	h.Cleanup(func() {
		e.stop()
		h.Must(e.daemon.Close())
	})
	return e
}

// startAsync starts a daemon without waiting for it.
func (h *harness) startAsync() {
	h.Helper()
	d := h.newDaemon()
	if h.beforeRun != nil {
		h.beforeRun(d)
	}
	h.run(d)
}

func (h *harness) run(d *Daemon) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	h.d, h.stopRun = d, func() error {
		cancel()
		return <-done
	}
	h.current.Store(d)
}

// start starts a daemon and waits until it has caught up.
func (h *harness) start() {
	h.Helper()
	h.startAsync()
	h.waitUntil("the daemon has caught up", h.d.Ready)
}

// stop ends the daemon, if there is one, as a signal would.
func (h *harness) stop() {
	h.Helper()
	if h.d == nil {
		return
	}
	h.current.Store(nil)
	if err := errors.Join(h.stopRun(), h.d.Close()); err != nil {
		h.Error(err)
	}
	h.d = nil
}

func (h *harness) restart() {
	h.Helper()
	h.stop()
	h.start()
}

// withState returns a harness for the same transcripts, with another state directory
// and a new scraper.
func (h *harness) withState(dir string) *harness {
	other := &harness{Dir: h.Dir, stateDir: dir, settings: h.settings, log: h.log, scraper: newScraper(h)}
	other.ahead.Store(h.ahead.Load())
	other.stopped.Store(h.stopped.Load())
	h.Cleanup(func() { other.stop() })
	return other
}

// waitUntil polls a condition, and fails the test if it stays false.
func (h *harness) waitUntil(what string, ok func() bool) {
	h.Helper()
	polltest.Eventually(h, what, h.expiring(ok))
}

func checkEqual[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// expireMessageTimeout advances the clock so that open messages are counted. The next
// wait of the test advances it further, since the timeout of a message that is still
// unread begins when it is read.
func (h *harness) expireMessageTimeout() {
	h.advance(2 * h.settings.MessageTimeout)
	h.expires = true
}

// expiring returns a condition that advances the clock after expireMessageTimeout.
func (h *harness) expiring(ok func() bool) func() bool {
	expires := h.expires
	h.expires = false
	return func() bool {
		if expires {
			h.advance(time.Minute)
		}
		return ok()
	}
}

func (h *harness) reload() {
	h.Helper()
	h.Must(h.d.Reload(h.Context()))
}

// whileLocked calls do while nothing can be counted or scraped.
func whileLocked(s *state.State, do func()) {
	done := errors.New("nothing to encode")
	_, _, _ = s.Encode(func() (uint64, error) { do(); return 0, done })
}

// encoded returns an encoding of a state.
func encoded(s *state.State) []byte {
	_, b, _ := s.Encode(func() (uint64, error) { return 0, nil })
	return b
}
