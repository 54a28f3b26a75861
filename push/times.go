package push

import (
	"encoding/json"
	"log/slog"
	"maps"
	"sync"
)

// times lists the endpoints that are behind, with the times when they last accepted
// samples, across restarts. It is written only when an endpoint falls behind or catches
// up: at an interruption with growth of counters, at the end of a process, and at the
// next success.
//
// A crash may leave an endpoint with no time or an old time. Without a time, its
// interruption begins with the process. With an old time, the endpoint gets some
// samples again. Some servers refuse them. Other servers store them, possibly with
// higher values, since more increases at that time have been counted. So progress is
// recorded while history is sent.
type times struct {
	storage Storage // nil for none
	log     *slog.Logger

	mu   sync.Mutex
	last map[string]int64 // by endpoint, in milliseconds since the epoch
	// unsaved reports that the last attempt to save has failed.
	unsaved bool
}

// A Storage keeps some bytes across restarts, initially none.
type Storage interface {
	LoadEndpoints() ([]byte, error)
	SaveEndpoints(b []byte) error
}

// loadTimes restores the times. Without a valid record the list is empty.
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

// lastAccepted returns the time of an endpoint, or now if it is unknown or in the
// future because of a wrong clock.
func (t *times) lastAccepted(name string, now int64) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if last, ok := t.last[name]; ok && last > 0 && last < now {
		return last
	}
	return now
}

// interrupted records an interruption, unless the endpoint already has a record.
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

// change saves the times if do changes them, or if the last attempt to save failed. It
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
