package watcher

import (
	"context"
	"time"
)

// due returns when the next check is due.
func (p *poller) due() time.Time {
	if p.unwatched() == 0 {
		return p.dirsAt
	}
	return earlier(p.hotAt, p.dirsAt)
}

// checkDue checks the tiers that are due. Checks that are nearly due are not left for a
// wake-up of their own.
func (p *poller) checkDue(ctx context.Context) {
	now := p.now()
	nearly := now.Add(p.o.PollInterval / 2)
	all := !nearly.Before(p.dirsAt)
	if !nearly.Before(p.hotAt) {
		p.checkHot(all)
		p.hotAt = p.now().Add(p.hotInterval())
	}
	if !all {
		return
	}
	elapsed := now.Sub(p.checkedAt)
	p.checkDirs(ctx, elapsed)
	p.checkFiles(ctx, elapsed)
	p.coolOld()
	p.watchHot()
	p.checkedAt, p.dirsAt = now, p.now().Add(p.paces[Directories].least)
}

// hotInterval returns the present time between two checks of hot files. Watched ones
// count only if there are no others.
func (p *poller) hotInterval() time.Duration {
	n := p.unwatched()
	if n == 0 {
		n = len(p.hot)
	}
	return p.paces[HotFiles].interval(n)
}

// checkHot checks hot files, also the watched ones if all is true: a watch may be lost.
func (p *poller) checkHot(all bool) {
	p.paces[HotFiles].measure(func() (n int) {
		for k, h := range p.hot {
			if all || !h.watched {
				p.checkFile(k)
				n++
			}
		}
		return n
	})
}

// checkFile compares one file with what is known of it.
func (p *poller) checkFile(k fileKey) {
	info, mode, err := lstatPath(k.path())
	switch before := k.dir.files[k.name]; {
	case isNotExist(err) || err == nil && !mode.IsRegular():
		p.lose(k)
	case err != nil || info == before:
	default:
		if other := p.replaced(k.dir); other != nil {
			p.loseAll(other)
			return
		}
		p.change(k, info)
	}
}

// change records and reports a new or changed file.
func (p *poller) change(k fileKey, info Info) {
	_, known := k.dir.files[k.name]
	k.dir.files[k.name] = info
	if known || p.isRecent(info) || k.dir.info.ModTime().Sub(info.ModTime()) < hotTime {
		p.heat(k, p.now())
	}
	p.updates.markDirty(k.path())
}

// lose records and reports that a file no longer exists at its name.
func (p *poller) lose(k fileKey) {
	p.cool(k)
	delete(k.dir.files, k.name)
	p.updates.markDirty(k.path())
}

// checkFiles checks the part of all files and directories that is due, whole
// directories at a time. It leaves out inner ones, unless they are near hot files.
func (p *poller) checkFiles(ctx context.Context, elapsed time.Duration) {
	var changed []*polledDir
	pace := &p.paces[AllFiles]
	due := pace.due(p.items(), elapsed)
	pace.measure(func() (n int) {
		for range p.order {
			if n >= due {
				break
			}
			d := next(p.order, &p.nextFile)
			if d.inner && d.near != p.check {
				continue
			}
			n += 1 + len(d.files)
			if p.hasChanged(d) {
				changed = append(changed, d)
				continue
			}
			for name := range d.files {
				p.checkFile(fileKey{d, name})
			}
		}
		pace.checked(n)
		return n
	})
	p.readAll(ctx, changed)
}

// items returns the number of files and directories that checkFiles checks. Those near
// hot files are so few that they do not matter.
func (p *poller) items() int { return max(1, p.outer) }

// next returns the directory at a position, and advances the position.
func next(dirs []*polledDir, position *int) *polledDir {
	d := dirs[*position%len(dirs)]
	*position = (*position + 1) % len(dirs)
	return d
}

// intervals returns the present times between two checks of the same item, by tier.
func (p *poller) intervals() (by [TierCount]time.Duration) {
	by[HotFiles] = p.hotInterval()
	by[Directories] = p.paces[Directories].interval(p.likely)
	by[AllFiles] = p.paces[AllFiles].interval(p.items())
	return by
}

// watched returns the number of files with events.
func (p *poller) watched() int { return len(p.hot) - p.unwatched() }
