package watcher

import (
	"context"
	"slices"
	"time"
)

// due returns when the next check is due.
func (p *poller) due() time.Time { return earlier(p.hotAt, p.dirsAt) }

// checkDue checks the tiers that are due. Checks that are nearly due are not left for a
// wake-up of their own, which costs as much as dozens of checks.
func (p *poller) checkDue(ctx context.Context) {
	now := p.now()
	nearly := p.o.PollInterval / 2
	if !now.Add(nearly).Before(p.dirsAt) {
		p.heatExpected()
		p.checkAll(ctx, now.Sub(p.checkedAt))
		p.coolOld()
		p.watchHot()
		p.checkedAt, p.dirsAt = now, p.now().Add(p.paces[Directories].least)
	} else {
		p.checkHot(nearly, false)
	}
	p.scheduleHot()
}

// checkAll checks what is due of all tiers after some time, and measures the cost. The
// checks of hot files alone in between are too short for that.
func (p *poller) checkAll(ctx context.Context, elapsed time.Duration) {
	var ofDirs, ofFiles []*polledDir
	nearly := min(p.hotEvery, p.paces[Directories].least) / 2
	p.paces[Directories].meter.measure(func() (n int) {
		hot := p.checkHot(nearly, true)
		n, ofDirs = p.checkDirs(elapsed)
		return hot + n
	})
	if due := p.dueBatch(RecentFiles, len(p.recent), elapsed); due > 0 {
		p.paces[RecentFiles].meter.measure(p.checkRecent)
	}
	if due := p.dueBatch(AllFiles, p.items(), elapsed); due > 0 {
		p.paces[AllFiles].meter.measure(func() (n int) {
			n, ofFiles = p.checkFiles(due)
			return n
		})
	}
	p.readAll(ctx, slices.Concat(ofDirs, ofFiles))
}

// checkFile compares a file with what was known of it.
func (p *poller) checkFile(k fileKey, before Info) {
	info, mode, err := lstatPath(k.path())
	switch {
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

// fileBatch is the number of files and directories of a tier that are checked at once,
// or all if there are fewer. A check costs half as much in a batch of thousands as in
// one of two hundred, which begins with cold caches as well.
const fileBatch = 4096

// dueBatch returns how many of the items of a tier to check after some time, 0 if they
// are too few for a batch.
func (p *poller) dueBatch(t Tier, items int, elapsed time.Duration) int {
	due := p.paces[t].due(items, elapsed)
	if due < min(items-1, fileBatch) { // sums of fractions may be just below
		return 0
	}
	return due
}

// checkFiles checks a number of files and directories, whole directories at a time, and
// returns the changed directories, whose files it leaves to reading them. It also
// leaves out inner ones, unless they are near hot files.
func (p *poller) checkFiles(due int) (n int, changed []*polledDir) {
	for range p.order {
		if n >= due {
			break
		}
		d := next(p.order, &p.nextFile)
		if d.gone || d.inner && d.near != p.check {
			continue
		}
		n += d.items()
		if !d.top && p.hasChanged(d) {
			changed = append(changed, d)
			continue
		}
		for name, info := range d.files {
			p.checkFile(fileKey{d, name}, info)
		}
	}
	p.paces[AllFiles].checked(n)
	return n, changed
}

// items returns the number of items that checkFiles checks in a directory. The
// directory itself is one of them unless it is checked by checkDirs at least as often.
func (d *polledDir) items() int {
	if d.top {
		return len(d.files)
	}
	return 1 + len(d.files)
}

// items returns the number of files and directories that checkFiles checks. Those near
// hot files are so few that they do not matter.
func (p *poller) items() int { return max(1, p.outer) }

// next returns the element at a position, and advances the position.
func next[T any](all []T, position *int) T {
	v := all[*position%len(all)]
	*position = (*position + 1) % len(all)
	return v
}

// intervals returns the present times between two checks of the same item, by tier.
func (p *poller) intervals() (by [TierCount]time.Duration) {
	by[HotFiles] = p.hotEvery
	by[Directories] = p.paces[Directories].interval(p.likelyCount)
	by[RecentFiles] = p.paces[RecentFiles].interval(len(p.recent))
	by[AllFiles] = p.paces[AllFiles].interval(p.items())
	return by
}

// watched returns the number of files with events.
func (p *poller) watched() int {
	if p.events == nil {
		return 0
	}
	return len(p.events.watched)
}
