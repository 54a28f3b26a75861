package daemon

import (
	"log/slog"
	"slices"
	"sync"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// maxUnknownNames is how many names of unknown things are logged and listed.
const maxUnknownNames = 100

// unknownNames are the names of what the transcripts hold that this version does not
// know, each once, in the order in which this process met them. The state has no names:
// after a restart the list holds what is read from then on.
type unknownNames struct {
	log *slog.Logger

	mu   sync.Mutex
	all  []transcript.UnknownItem
	full bool // there are more, which is logged once
}

// note logs and lists the names that are new.
func (u *unknownNames) note(items []transcript.UnknownItem) {
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
			u.tell(item)
		case !u.full:
			u.full = true
			u.log.Warn("Found too many names of unknown formats, logging no more of them", "names", maxUnknownNames)
		}
	}
}

// tell logs one name: as a warning if what it stands for may be missing in the counters.
func (u *unknownNames) tell(item transcript.UnknownItem) {
	if slices.Contains(transcript.AlarmingKinds, item.Kind) {
		u.log.Warn("Found an unknown format that may have to be counted, please report its name", "kind", item.Kind, "name", item.Name)
		return
	}
	u.log.Info("Found an unknown format that holds nothing to count", "kind", item.Kind, "name", item.Name)
}

// list returns the names noted so far.
func (u *unknownNames) list() []transcript.UnknownItem {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.all)
}
