package watcher

import "sync"

// hints are the events that may concern directories, on their way from the goroutine that drains them to the one that acts on them.
type hints struct {
	some chan struct{} // gets a value when there is something to take

	mu    sync.Mutex
	names map[string]struct{} // that may stand for something else now
	err   error               // the first one: events were lost
}

func newHints() *hints {
	return &hints{some: make(chan struct{}, 1), names: make(map[string]struct{})}
}

func (h *hints) add(path string) {
	h.mu.Lock()
	h.names[path] = struct{}{}
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
func (h *hints) take() (map[string]struct{}, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	names, err := h.names, h.err
	h.names, h.err = make(map[string]struct{}), nil
	return names, err
}

func (h *hints) clear() { _, _ = h.take() }
