package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/version"

	"github.com/ccwatchd/ccwatchd/config"
	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/daemon"
	"github.com/ccwatchd/ccwatchd/follow"
	"github.com/ccwatchd/ccwatchd/internal/limits"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/pricing"
	"github.com/ccwatchd/ccwatchd/test/demo"
)

// The labels of the target.
const (
	job      = "ccwatchd"
	instance = "office:10229"
)

// release is the version of the daemon; a build of the repository has none.
const release = "1.0.0"

// started is replaced, because it is from the clock of the machine.
const started = "process_start_time_seconds "

// A scraper runs a daemon with a simulated clock, and scrapes it.
type scraper struct {
	*daemon.Daemon
	clock  atomic.Int64 // nanoseconds since the epoch
	began  int64        // seconds since the epoch
	health *metrics.Daemon
	read   uint64 // number of reads of new lines
	shown  metrics.Exposition
	page   bytes.Buffer
	seen   map[string]bool // scraped series
	limits limits.Store
	stop   context.CancelFunc
	ended  chan error
}

// newScraper starts a daemon that reads the sessions of a simulation, with its state
// below dir. It must be closed.
func newScraper(ctx context.Context, dir string, team *demo.Team, now time.Time) (*scraper, error) {
	version.Version = release
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	w := &scraper{began: now.Unix(), health: metrics.NewDaemon(registry), ended: make(chan error, 1)}
	w.set(now)
	d, err := daemon.New(daemon.Options{
		StateDir: filepath.Join(dir, "state"), Logger: slog.New(slog.DiscardHandler), Metrics: w.health,
		Load: func() (daemon.Settings, error) { return settings(team), nil },
		Now:  func() time.Time { return time.Unix(0, w.clock.Load()) },
	})
	if err != nil {
		return nil, err
	}
	w.Daemon = d
	w.shown = metrics.Exposition{
		Provider: d, Registry: registry, Running: d.Running,
		Limits: func() []limits.Window { return w.reported(team.People) },
	}
	ctx, w.stop = context.WithCancel(ctx)
	go func() { w.ended <- d.Run(ctx) }()
	err = w.until(ctx, d.Ready)
	return w, err
}

// settings returns the defaults, with a source for every person. The message timeout is
// short because the daemon checks it in real time. A zero window would be real time,
// too, so there is none: see scrape.
func settings(team *demo.Team) daemon.Settings {
	cfg := config.Settings()
	s := daemon.Settings{
		Labeller:       &cfg.Labels,
		MaxLine:        int(cfg.Limits.LineSize),
		MaxWatches:     cfg.Limits.Watches,
		Journal:        1 << 20,
		Scan:           time.Duration(cfg.Intervals.Scan),
		Poll:           time.Duration(cfg.Intervals.Poll),
		MessageTimeout: time.Second,
		Checkpoint:     time.Duration(cfg.Intervals.Checkpoint),
		Sync:           time.Duration(cfg.Intervals.Sync),
		Retention:      time.Duration(cfg.Retention.DedupKeys),
		Ledger: ledger.Options{
			Limits:         cfg.Labels.MaxValues,
			MaxSeries:      cfg.Labels.MaxSeries,
			Buckets:        cfg.Buckets.ByFamily(),
			UnknownProject: "unknown",
			ActiveFor:      time.Duration(cfg.Intervals.SessionActive).Milliseconds(),
			MaxSessions:    cfg.Labels.MaxValues["session"],
			Prices:         pricing.Default(),
		},
	}
	var sources []follow.Source
	for _, p := range team.People {
		sources = append(sources, follow.Source{Path: p.Projects(), Labels: p.Labels()})
	}
	s.Sources = func() []follow.Source { return sources }
	return s
}

// reported returns the usage limits of people, as their status lines report them.
func (w *scraper) reported(people []demo.Person) []limits.Window {
	now := time.Unix(0, w.clock.Load())
	for _, p := range people {
		w.limits.Apply(string(counters.NewSourceLabels(p.Labels())), p.Limits(now), now)
	}
	return w.limits.Windows(now)
}

func (w *scraper) close() error {
	w.stop()
	return errors.Join(<-w.ended, w.Close())
}

func (w *scraper) set(now time.Time) { w.clock.Store(now.UnixNano()) }

// await waits until more files were read.
func (w *scraper) await(ctx context.Context, files int) error {
	want := w.read + uint64(files)
	return w.until(ctx, func() bool {
		var m dto.Metric
		if w.health.IngestLag.Write(&m) == nil {
			w.read = m.GetHistogram().GetSampleCount()
		}
		return w.read >= want
	})
}

var errLate = errors.New("timeout while waiting for the daemon")

func (w *scraper) until(ctx context.Context, is func() bool) error {
	again := time.NewTicker(time.Millisecond)
	defer again.Stop()
	late := time.After(time.Minute)
	for !is() {
		select {
		case <-again.C:
		case <-ctx.Done():
			return ctx.Err()
		case <-late:
			return errLate
		}
	}
	return nil
}

// scrape writes the samples of a scrape as a server stores them: with the labels of the
// target, and with up. A new series of a counter or histogram is 0 at first, as in the
// zero window of a daemon whose time passes.
func (w *scraper) scrape(to *bufio.Writer, now time.Time) error {
	w.page.Reset()
	if err := w.shown.WriteText(&w.page); err != nil {
		return err
	}
	w.page.WriteString("up 1\n")
	first, grows := w.seen == nil, false
	if first {
		w.seen = make(map[string]bool)
	}
	for line := range bytes.Lines(w.page.Bytes()) {
		switch {
		case line[0] == '#':
			grows = !bytes.HasSuffix(line, []byte(" gauge\n"))
			continue
		case bytes.HasPrefix(line, []byte(started)):
			line = strconv.AppendInt([]byte(started), w.began, 10)
		}
		end := bytes.LastIndexByte(line, ' ')
		if series := string(line[:end]); !w.seen[series] {
			w.seen[series] = true
			if grows && !first {
				line = append(line[:end:end], " 0\n"...)
			}
		}
		at := bytes.IndexAny(line, "{ ")
		name, labels, value := line[:at], []byte("} "), line[at+1:]
		if line[at] == '{' {
			labels, value = []byte(","), line[at+1:]
		}
		// An error is returned again by the flush at the end.
		_, _ = fmt.Fprintf(to, "%s{instance=%q,job=%q%s%s %d\n", name, instance, job, labels, bytes.TrimSpace(value), now.Unix())
	}
	return nil
}
