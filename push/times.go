package push

import (
	"encoding/json"
	"log/slog"
	"maps"
	"sync"
)

// times remembers, across restarts, when endpoints last accepted samples. It has an
// endpoint only while that is behind: from an interruption in which counters grew to
// the next success, and from the end of one process to the first success of the next.
// So it is not written as long as all is well, nor while nothing happens.
//
// A crash may leave an endpoint without a time, or with one that is too old. Without
// one, an interruption begins with the process. With an old one, the endpoint gets some
// samples again. Some servers refuse these. Others store them, and they may be higher
// than before, since increases of that time were counted later. So progress is recorded
// while history is sent.
type times struct {
	storage Storage // nil for none
	log     *slog.Logger

	mu   sync.Mutex
	last map[string]int64 // by endpoint, in milliseconds since the epoch
	// unsaved reports that the last attempt to save has failed.
	unsaved bool
}

// A Storage keeps some bytes across restarts. There are none at first.
type Storage interface {
	LoadEndpoints() ([]byte, error)
	SaveEndpoints(b []byte) error
}

// loadTimes restores the times. Without a valid record it has none.
func loadTimes(s Storage, log *slog.Logger) *times {
	t := &times{storage: s, log: log}
	if s != nil {
		b, err := s.LoadEndpoints()
		if err == nil && len(b) > 0 {
			err = json.Unmarshal(b, &t.last)
		}
		if err != nil {
			log.Warn("Failed to read when remote-write endpoints last accepted samples", "err", err)
		}
	}
	if t.last == nil {
		t.last = make(map[string]int64)
	}
	return t
}

// of returns the time of an endpoint. It is now if it is not known, or in the future:
// the clock was wrong.
func (t *times) of(name string, now int64) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if last, ok := t.last[name]; ok && last > 0 && last < now {
		return last
	}
	return now
}

// interrupted records an interruption, unless one is recorded.
func (t *times) interrupted(name string, last int64) {
	t.change(func() {
		if _, before := t.last[name]; !before {
			t.last[name] = last
		}
	})
}

// accepted records the progress of an endpoint that catches up.
func (t *times) accepted(name string, last int64) { t.change(func() { t.last[name] = last }) }

// ended records the end of an interruption.
func (t *times) ended(name string) { t.change(func() { delete(t.last, name) }) }

// stopped records the times of all endpoints at the end of the process.
func (t *times) stopped(last map[string]int64) { t.change(func() { t.last = last }) }

// change saves the times if do changes them, or if they could not be saved before. It
// logs only the first of several failures.
func (t *times) change(do func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := maps.Clone(t.last)
	do()
	if t.storage == nil || !t.unsaved && maps.Equal(before, t.last) {
		return
	}
	b, err := json.Marshal(t.last)
	if err == nil {
		err = t.storage.SaveEndpoints(b)
	}
	if err != nil && !t.unsaved {
		t.log.Warn("Failed to save when remote-write endpoints last accepted samples, will retry", "err", err)
	}
	t.unsaved = err != nil
}
