package watcher

import "sync"

// pendingEvents passes the names of possibly changed directories from the goroutine
// that receives events to the goroutine that processes them.
type pendingEvents struct {
	ready chan struct{} // receives a value when events are pending

	mu    sync.Mutex
	paths map[string]bool // true if the directory was removed or renamed, false if it was created
	err   error           // the first error; events were lost
}

func newPendingEvents() *pendingEvents {
	return &pendingEvents{ready: make(chan struct{}, 1), paths: make(map[string]bool)}
}

func (p *pendingEvents) add(path string, gone bool) {
	p.mu.Lock()
	p.paths[path] = gone || p.paths[path]
	p.mu.Unlock()
	notify(p.ready)
}

func (p *pendingEvents) fail(err error) {
	p.mu.Lock()
	if p.err == nil {
		p.err = err
	}
	p.mu.Unlock()
	notify(p.ready)
}

// take returns and removes all pending events.
func (p *pendingEvents) take() (map[string]bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	paths, err := p.paths, p.err
	p.paths, p.err = make(map[string]bool), nil
	return paths, err
}

func (p *pendingEvents) clear() { _, _ = p.take() }
