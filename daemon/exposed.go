package daemon

import (
	"cmp"
	"path/filepath"
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/follow"
	"github.com/ccwatchd/ccwatchd/internal/status"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// SnapshotInto sets s to the counters that a scrape exposes. Before the daemon has
// caught up it returns false and does not change s. While the state cannot be written,
// the counters are paused, so that a crash does not make them fall.
func (d *Daemon) SnapshotInto(s *ledger.Snapshot) bool {
	if !d.ready.Load() {
		return false
	}
	d.state.SnapshotInto(s)
	return true
}

// History returns the record of when the counters grew, and false while nothing may be
// exposed, see SnapshotInto.
func (d *Daemon) History() (counters.History, bool) {
	if !d.ready.Load() {
		return counters.History{}, false
	}
	return d.state.History(), true
}

// Sessions returns the most recently active sessions that a query selects, and false
// while nothing may be exposed, see SnapshotInto.
func (d *Daemon) Sessions(q ledger.SessionQuery) (ledger.SessionList, bool) {
	if !d.ready.Load() {
		return ledger.SessionList{}, false
	}
	return d.state.Sessions(q), true
}

// Ready reports whether the daemon has caught up.
func (d *Daemon) Ready() bool { return d.ready.Load() }

// Progress returns the progress of the catch-up.
func (d *Daemon) Progress() status.Progress { return *d.progress.Load() }

// Summary returns a short summary of the transcripts.
func (d *Daemon) Summary() status.Summary {
	sessions, last := d.state.Activity()
	return status.Summary{
		Files: int(d.files.Load()), Backlog: d.backlog.Load(), Sessions: sessions, LastActivity: last,
		Paused: d.state.PausedBy() != nil, FoldedLabels: d.state.Folded(), PricesUpdated: d.state.Prices().Updated,
	}
}

// Unknown lists the unknown names of the format that this process has found in
// transcripts: at most 100, each once.
func (d *Daemon) Unknown() []transcript.UnknownItem { return d.unknown.List() }

// MaxSessions returns the maximum number of live sessions with individual gauges.
func (d *Daemon) MaxSessions() int { return d.settings.Load().MaxSessions }

// AcceptsLimits returns whether reports of usage limits are accepted, or nil if the
// configuration does not state it.
func (d *Daemon) AcceptsLimits() *bool { return d.settings.Load().AcceptLimits }

// Zone returns the default time zone of days.
func (d *Daemon) Zone() *time.Location { return cmp.Or(d.settings.Load().Zone, time.Local) }

// SourceOf returns the labels of the source that contains a file, or no labels.
func (d *Daemon) SourceOf(path string) counters.SourceLabels {
	sources := d.sources.Load()
	if sources == nil {
		return ""
	}
	for _, s := range *sources {
		if rel, err := filepath.Rel(s.Path, path); err == nil && filepath.IsLocal(rel) {
			return counters.NewSourceLabels(s.Labels)
		}
	}
	return ""
}

// HasSource reports whether a source has these labels.
func (d *Daemon) HasSource(labels counters.SourceLabels) bool {
	sources := d.sources.Load()
	return sources != nil && slices.ContainsFunc(*sources, func(s follow.Source) bool {
		return counters.NewSourceLabels(s.Labels) == labels
	})
}

// WatchedDirs lists the directories that are read.
func (d *Daemon) WatchedDirs() []status.WatchedDir {
	if dirs := d.watchedDirs.Load(); dirs != nil {
		return *dirs
	}
	return nil
}
