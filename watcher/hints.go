package watcher

import (
	"sync"

	"github.com/fsnotify/fsnotify"
)

// hints are the events that may concern directories, on their way from the goroutine that drains them to the one that acts on them.
type hints struct {
	some chan struct{} // gets a value when there is something to take

	mu      sync.Mutex
	changed map[string]fsnotify.Op // by path, what has happened to that name
	err     error                  // the first one: events were lost
}

func newHints() *hints {
	return &hints{some: make(chan struct{}, 1), changed: make(map[string]fsnotify.Op)}
}

func (h *hints) add(path string, op fsnotify.Op) {
	h.mu.Lock()
	h.changed[path] |= op
	h.mu.Unlock()
	signal(h.some)
}

func (h *hints) fail(err error) {
	h.mu.Lock()
	if h.err == nil {
		h.err = err
	}
	h.mu.Unlock()
	signal(h.some)
}

// take empties the hints.
func (h *hints) take() (map[string]fsnotify.Op, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	changed, err := h.changed, h.err
	h.changed, h.err = make(map[string]fsnotify.Op), nil
	return changed, err
}

func (h *hints) clear() { _, _ = h.take() }
