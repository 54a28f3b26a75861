package watcher

import "time"

// quietFactor is the time since the last change of a hot file as a multiple of the
// interval of its checks. The longer a file was quiet, the longer it probably remains
// so, and the less a delay matters.
const quietFactor = 50

// checkHot checks the hot files that are due within some time. Watched ones are checked
// only if all is true: a watch may be lost. It returns the number of checked files.
func (p *poller) checkHot(nearly time.Duration, all bool) (n int) {
	now := p.now()
	for k, h := range p.hot {
		if h.watched && !all || now.Add(nearly).Before(h.checked.Add(p.hotInterval(h))) {
			continue
		}
		h.checked = now
		p.checkFile(k, k.dir.files[k.name])
		n++
	}
	p.paces[HotFiles].items += n // each has its own interval, so none is owed
	return n
}

// scheduleHot sets when the next hot file is due, and by how much their intervals are
// extended to stay within the budget. Watched files are checked with directories only.
func (p *poller) scheduleHot() {
	pace := &p.paces[HotFiles]
	cost, load := pace.affordable(1, pace.share), 0.0
	p.hotAt, p.hotEvery = p.dirsAt, pace.least // without hot files, the one of the next
	for _, h := range p.hot {
		if !h.watched {
			load += float64(cost) / float64(p.usualInterval(h))
			p.hotEvery = pace.most
		}
	}
	p.hotStretch = max(1, load)
	for _, h := range p.hot {
		if !h.watched {
			every := p.hotInterval(h)
			p.hotEvery = min(p.hotEvery, every)
			p.hotAt = earlier(p.hotAt, h.checked.Add(every))
		}
	}
}

// hotInterval returns the time between two checks of a hot file.
func (p *poller) hotInterval(h *hotFile) time.Duration {
	return min(time.Duration(p.hotStretch*float64(p.usualInterval(h))), p.paces[HotFiles].most)
}

// usualInterval returns the time between two checks of a hot file that is not extended.
func (p *poller) usualInterval(h *hotFile) time.Duration {
	quiet := h.checked.Sub(h.since)
	return max(p.paces[HotFiles].least, min(quiet/quietFactor, p.paces[Directories].least))
}
