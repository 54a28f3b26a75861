package watcher

import (
	"maps"
	"slices"
	"time"
)

const (
	// hotTime is how long a file is hot after a change. Nearly all writes go to files
	// that were written shortly before.
	hotTime = 15 * time.Minute
	// maxHot limits the hot files to those that changed last.
	maxHot = 512
)

// A hotFile changed recently and is expected to change again.
type hotFile struct {
	since   time.Time // of the last change
	checked time.Time // or found
	watched bool      // by events, which are much faster than checks
	refused bool      // it could not be watched; tried again after the next walk
}

// heat makes a file hot that changed at some time.
func (p *poller) heat(k fileKey, since time.Time) {
	since = earlier(since, p.now())
	if h := p.hot[k]; h != nil {
		h.since = since
		return
	}
	p.hot[k] = &hotFile{since: since, checked: p.now()}
	if len(p.hot) >= 2*maxHot { // sorting them for each new one would be slow
		p.coolMost()
	}
}

// cool makes a file cold.
func (p *poller) cool(k fileKey) {
	p.unwatch(k)
	delete(p.hot, k)
}

// coolOld makes files cold that have not changed for long.
func (p *poller) coolOld() {
	now := p.now()
	for k, h := range p.hot {
		if now.Sub(h.since) >= hotTime {
			p.cool(k)
		}
	}
	if len(p.hot) > maxHot {
		p.coolMost()
	}
}

// coolMost makes all files cold except the maxHot ones that changed last.
func (p *poller) coolMost() {
	for _, k := range p.byChange()[maxHot:] {
		p.cool(k)
	}
}

// coolMissing makes files cold that the walk did not find.
func (p *poller) coolMissing() {
	for k := range p.hot {
		if _, found := k.dir.files[k.name]; !found || k.dir.gone {
			p.cool(k)
		}
	}
}

// byChange returns the hot files, those that changed last first.
func (p *poller) byChange() []fileKey {
	return slices.SortedFunc(maps.Keys(p.hot), func(a, b fileKey) int {
		return p.hot[b].since.Compare(p.hot[a].since)
	})
}

// watchHot watches as many hot files as possible, those that changed last. While all
// are watched, or refused, nothing is to be done.
func (p *poller) watchHot() {
	if p.events == nil {
		return
	}
	p.renewEnded()
	waiting := func(h *hotFile) bool { return !h.watched && !h.refused }
	if !slices.ContainsFunc(slices.Collect(maps.Values(p.hot)), waiting) {
		return
	}
	keys := p.byChange()
	within := min(len(keys), p.events.budget)
	for _, k := range keys[within:] {
		p.unwatch(k)
	}
	for _, k := range keys[:within] {
		if h := p.hot[k]; waiting(h) {
			h.watched = p.events.watch(k.path())
			h.refused = !h.watched
		}
	}
}

// retryWatches lets watchHot try refused files again.
func (p *poller) retryWatches() {
	for _, h := range p.hot {
		h.refused = false
	}
}

// unwatch stops the events of a file.
func (p *poller) unwatch(k fileKey) {
	if h := p.hot[k]; h != nil && h.watched {
		h.watched = false
		p.events.unwatch(k.path())
	}
}

// renewEnded finds files whose watch has ended, because they were removed or replaced.
func (p *poller) renewEnded() {
	ended := p.events.takeEnded()
	if len(ended) == 0 {
		return
	}
	for path := range ended {
		p.events.unwatch(path) // fsnotify may watch the file that replaced it by itself
	}
	for k, h := range p.hot {
		if _, end := ended[k.path()]; end {
			h.watched, h.refused = false, false
		}
	}
}

// setEvents replaces the events of single files.
func (p *poller) setEvents(events *fileEvents) {
	p.events.close()
	p.events = events
	for _, h := range p.hot {
		h.watched, h.refused = false, false
	}
}
