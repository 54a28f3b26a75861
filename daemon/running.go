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
	// unwrittenAfter is the least age of a session without a transcript that is counted.
	unwrittenAfter = 10 * time.Minute
	// workingFor is the time since which such a session must have been seen at work. Its
	// transcript begins with its first prompt, perhaps hours after its start.
	workingFor = 2 * time.Minute
)

// runningSessions follows which sessions run.
type runningSessions struct {
	last    time.Time                 // of the latest read
	found   map[string]runningSession // those that ran at that time, by id
	started map[string]time.Time      // when they were first seen
	working map[string]time.Time      // when they were first seen at work
	// unreadable are the directories whose registry could not be read the last time.
	unreadable map[string]bool
}

// Running returns the numbers of running sessions by source, nil if no source has a
// registry of them.
func (d *Daemon) Running() []metrics.RunningSessions {
	if all := d.running.Load(); all != nil {
		return *all
	}
	return nil
}

// update reads the registries if that is due.
func (r *runningSessions) update(d *Daemon, now time.Time) {
	if now.Sub(r.last) < runningInterval && !now.Before(r.last) {
		return
	}
	r.last = now
	sources := d.sources.Load()
	found, registries := r.readRegistries(d.log, *sources)
	r.mark(d, found, registries)
	r.see(found, now)
	var candidates []string
	for id := range found {
		if now.Sub(r.started[id]) > unwrittenAfter && !r.working[id].IsZero() && now.Sub(r.working[id]) >= workingFor {
			candidates = append(candidates, id)
		}
	}
	unwritten := make(map[string]bool)
	for _, id := range d.state.Ledger().WithoutTranscript(candidates) {
		unwritten[id] = true
	}
	counts := make(map[counters.SourceLabels]*metrics.RunningSessions)
	for labels := range registries {
		counts[labels] = &metrics.RunningSessions{Source: labels}
	}
	for id, s := range found {
		counts[s.source].Running++
		if unwritten[id] {
			counts[s.source].Unwritten++
		}
	}
	var all []metrics.RunningSessions
	for _, labels := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, *counts[labels])
	}
	d.running.Store(&all)
}

// A runningSession is a session with the source that it belongs to.
type runningSession struct {
	registry.Session
	source counters.SourceLabels
}

// readRegistries returns the running sessions by id, and the sources that have a
// registry that can be read. Of the processes of a session, the one that started first
// counts, and it is at work if any of them is.
func (r *runningSessions) readRegistries(log *slog.Logger, sources []follow.Source) (map[string]runningSession, map[counters.SourceLabels]bool) {
	found, registries := make(map[string]runningSession), make(map[counters.SourceLabels]bool)
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
			one := runningSession{s, labels}
			if known, again := found[s.ID]; again {
				one.source, one.Working = known.source, known.Working || s.Working
				if known.Started.Before(s.Started) {
					one.Started = known.Started
				}
			}
			found[s.ID] = one
		}
	}
	r.unreadable = unreadable
	return found, registries
}

// fail logs once that a registry cannot be read. Only the debug log has its path.
func (r *runningSessions) fail(log *slog.Logger, config string, err error) {
	if !r.unreadable[config] {
		log.Warn("Failed to read the registry of running sessions, retrying every minute",
			"err", watcher.WithoutPath(err), "hint", "paths are logged at debug level")
		log.Debug("Unreadable registry", "path", config)
	}
}

// mark records in the ledger which sessions have ended or run again since the latest
// read. A session whose registry cannot be read now may still run.
func (r *runningSessions) mark(d *Daemon, found map[string]runningSession, registries map[counters.SourceLabels]bool) {
	var ended, began []string
	for id, s := range r.found {
		if _, runs := found[id]; !runs && registries[s.source] && len(r.unreadable) == 0 {
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

// see remembers the sessions that run, and forgets those that have ended.
func (r *runningSessions) see(found map[string]runningSession, now time.Time) {
	started, working := make(map[string]time.Time, len(found)), make(map[string]time.Time)
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
