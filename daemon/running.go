package daemon

import (
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/follow"
	"github.com/ccwatchd/ccwatchd/internal/registry"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/watcher"
)

const (
	// runningInterval is the time between reads of the registries of running sessions.
	runningInterval = time.Minute
	// unwrittenAfter is the age above which a session without a transcript is counted.
	unwrittenAfter = 10 * time.Minute
	// workingFor is the time that must have passed since such a session was first seen at
	// work: a transcript begins with the first prompt, perhaps hours after the start.
	workingFor = 2 * time.Minute
)

// runningSessions remembers the running sessions of the last read.
type runningSessions struct {
	lastRead   time.Time
	found      map[ledger.SessionID]registry.Session
	started    map[ledger.SessionID]time.Time // start of the session, at the latest when first seen
	working    map[ledger.SessionID]time.Time // when the session was first seen at work
	unreadable map[string]bool                // directories whose registry could not be read
}

// Running returns the numbers of running sessions by source, or nil if no source has a
// readable registry.
func (d *Daemon) Running() []metrics.RunningSessions {
	if all := d.running.Load(); all != nil {
		return *all
	}
	return nil
}

// update reads the registries if a read is due.
func (r *runningSessions) update(d *Daemon, now time.Time) {
	if now.Sub(r.lastRead) < runningInterval && !now.Before(r.lastRead) {
		return
	}
	r.lastRead = now
	sources := d.sources.Load()
	found, registries := r.readRegistries(d.log, *sources)
	r.mark(d, found, registries)
	r.remember(found, now)
	var candidates []ledger.SessionID
	for id := range found {
		if now.Sub(r.started[id]) > unwrittenAfter && !r.working[id].IsZero() && now.Sub(r.working[id]) >= workingFor {
			candidates = append(candidates, id)
		}
	}
	unwritten := make(map[ledger.SessionID]bool)
	for _, id := range d.state.Ledger().WithoutTranscript(candidates) {
		unwritten[id] = true
	}
	counts := make(map[counters.SourceLabels]*metrics.RunningSessions)
	for labels := range registries {
		counts[labels] = &metrics.RunningSessions{Source: labels}
	}
	for id := range found {
		counts[id.Source].Running++
		if unwritten[id] {
			counts[id.Source].Unwritten++
		}
	}
	var all []metrics.RunningSessions
	for _, labels := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, *counts[labels])
	}
	d.running.Store(&all)
}

// readRegistries returns the running sessions, and the sources with a readable
// registry. A session with several processes has the earliest start, and is at work if
// any process is.
func (r *runningSessions) readRegistries(log *slog.Logger, sources []follow.Source) (map[ledger.SessionID]registry.Session, map[counters.SourceLabels]bool) {
	found, registries := make(map[ledger.SessionID]registry.Session), make(map[counters.SourceLabels]bool)
	read, unreadable := make(map[string]bool), make(map[string]bool)
	for _, source := range sources {
		config, ok := registry.Dir(source.Path)
		if !ok || read[config] {
			continue
		}
		read[config] = true
		sessions, err := registry.Read(source.Base, config)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				r.fail(log, config, err)
				unreadable[config] = true
			}
			continue
		}
		labels := counters.NewSourceLabels(source.Labels)
		registries[labels] = true
		for _, s := range sessions {
			id := ledger.SessionID{Source: labels, ID: s.ID}
			if known, again := found[id]; again {
				s.Working = known.Working || s.Working
				if known.Started.Before(s.Started) {
					s.Started = known.Started
				}
			}
			found[id] = s
		}
	}
	r.unreadable = unreadable
	return found, registries
}

// fail logs once that a registry cannot be read, and its path at debug level.
func (r *runningSessions) fail(log *slog.Logger, config string, err error) {
	if !r.unreadable[config] {
		log.Warn("Failed to read the registry of running sessions, retrying every minute",
			"err", watcher.WithoutPath(err), "hint", "paths are logged at debug level")
		log.Debug("Unreadable registry", "path", config)
	}
}

// mark records in the ledger which sessions have ended or run again since the last
// read. While a registry is unreadable, no session is marked as ended.
func (r *runningSessions) mark(d *Daemon, found map[ledger.SessionID]registry.Session, registries map[counters.SourceLabels]bool) {
	var ended, began []ledger.SessionID
	for id := range r.found {
		if _, runs := found[id]; !runs && registries[id.Source] && len(r.unreadable) == 0 {
			ended = append(ended, id)
		}
	}
	for id := range found {
		if _, ran := r.found[id]; !ran {
			began = append(began, id)
		}
	}
	r.found = found
	if len(ended)+len(began) == 0 {
		return
	}
	d.state.Change(func(l *ledger.Ledger, now int64) {
		for _, id := range ended {
			l.MarkEnded(id, now)
		}
		for _, id := range began {
			l.MarkEnded(id, 0)
		}
	})
}

// remember remembers when running sessions started and were first at work, and forgets
// ended sessions.
func (r *runningSessions) remember(found map[ledger.SessionID]registry.Session, now time.Time) {
	started, working := make(map[ledger.SessionID]time.Time, len(found)), make(map[ledger.SessionID]time.Time)
	for id, s := range found {
		first, known := r.started[id]
		if !known {
			first = now
		}
		if !s.Started.IsZero() && s.Started.Before(first) {
			first = s.Started
		}
		started[id] = first
		if since, ok := r.working[id]; ok {
			working[id] = since
		} else if s.Working {
			working[id] = now
		}
	}
	r.started, r.working = started, working
}
