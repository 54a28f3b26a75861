package follow

import (
	"log/slog"
	"slices"
	"sync"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// maxUnknownNames limits the logged and listed names of unknown formats.
const maxUnknownNames = 100

// UnknownNames collects the names of unknown formats in transcripts, each once, in the
// order of their first appearance. The state does not contain them, so the list is
// empty after a restart. It may be used concurrently.
type UnknownNames struct {
	log *slog.Logger

	mu   sync.Mutex
	all  []transcript.UnknownItem
	full bool // a further name was dropped and logged
}

// NewUnknownNames returns an empty collection that logs each new name.
func NewUnknownNames(log *slog.Logger) *UnknownNames { return &UnknownNames{log: log} }

// add logs and lists new names.
func (u *UnknownNames) add(items []transcript.UnknownItem) {
	if len(items) == 0 {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, item := range items {
		switch {
		case slices.Contains(u.all, item):
		case len(u.all) < maxUnknownNames:
			u.all = append(u.all, item)
			u.report(item)
		case !u.full:
			u.full = true
			u.log.Warn("Found too many names of unknown formats, ignoring further names", "names", maxUnknownNames)
		}
	}
}

// report logs one name, as a warning if the counters may be incomplete without it.
func (u *UnknownNames) report(item transcript.UnknownItem) {
	if slices.Contains(transcript.AlarmingKinds, item.Kind) {
		u.log.Warn("Found an unknown format that may affect the counters, please report its name", "kind", item.Kind, "name", item.Name)
		return
	}
	u.log.Info("Found an unknown format that does not affect the counters", "kind", item.Kind, "name", item.Name)
}

// List returns the names so far, at most 100.
func (u *UnknownNames) List() []transcript.UnknownItem {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.all)
}
