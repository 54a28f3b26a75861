package watcher

import (
	"fmt"
	"testing"
	"time"
)

// The longer a hot file was quiet, the rarer are its checks, down to those of
// directories.
func TestQuietHotFile(t *testing.T) {
	p := polledFiles(t, 0, "a.log", "b.log")
	for quiet, want := range map[time.Duration]time.Duration{
		0: hotCheck, 10 * time.Second: hotCheck, time.Minute: 1200 * time.Millisecond,
		2 * time.Minute: dirCheck, hotTime: dirCheck,
	} {
		if got := p.p.hotInterval(&hotFile{since: p.now.Add(-quiet), checked: p.now}); got != want {
			t.Errorf("quiet for %v: got an interval of %v, want %v", quiet, got, want)
		}
	}
	p.finds(time.Minute)
	write(t, p.dir, "a.log")
	p.finds(time.Second)
	p.finds(hotCheck, "0:a.log")
	write(t, p.dir, "a.log")
	write(t, p.dir, "b.log")
	p.finds(hotCheck, "0:a.log")
	p.finds(time.Second, "0:b.log")
}

// A hot file that is nearly due is checked together with directories, so that it needs
// no wake-up of its own.
func TestHotFileWithDirectories(t *testing.T) {
	p := polledFiles(t, time.Minute, "a.log")
	p.finds(1200 * time.Millisecond)
	write(t, p.dir, "a.log")
	p.finds(800*time.Millisecond, "0:a.log")
}

// Without hot files, nothing wakes up between the checks of directories, and with them
// only if it must.
func TestDue(t *testing.T) {
	for name, tc := range map[string]struct{ quiet, want time.Duration }{
		"written now": {0, hotCheck}, "quiet for a minute": {time.Minute, 1200 * time.Millisecond},
		"quiet for long": {hotTime / 2, dirCheck}, "cold": {hotTime, dirCheck},
	} {
		t.Run(name, func(t *testing.T) {
			p := polledFiles(t, tc.quiet, "a.log")
			if got := p.p.due().Sub(p.now).Round(100 * time.Millisecond); got != tc.want {
				t.Errorf("the first check is due after %v, want %v", got, tc.want)
			}
		})
	}
}

// The intervals of hot files are extended, each in proportion, so that their checks
// stay within the budget.
func TestHotBudget(t *testing.T) {
	dir := t.TempDir()
	for i := range 100 {
		write(t, dir, fmt.Sprintf("%02d.log", i))
	}
	p := newPolled(t, dir, 0)
	quiet := 0
	for _, h := range p.p.hot {
		if quiet++; quiet <= 50 {
			h.since = p.now.Add(-time.Minute)
		}
	}
	pace := &p.p.paces[HotFiles]
	for cost, want := range map[float64]time.Duration{0: hotCheck, 1e-3: 292 * time.Millisecond, 4e-3: 1167 * time.Millisecond, 1e3: pace.most} {
		pace.meter.seconds, pace.meter.items = cost, 1
		p.p.scheduleHot()
		if got := p.p.hotEvery.Round(time.Millisecond); got != want {
			t.Errorf("%v s a check: got an interval of %v, want %v", cost, got, want)
		}
		used := 0.0
		for _, h := range p.p.hot {
			used += cost / p.p.hotInterval(h).Seconds()
		}
		if used > 1.001*pace.share && want < pace.most {
			t.Errorf("%v s a check: uses %v of a core, want at most %v", cost, used, pace.share)
		}
	}
}

// Watched files do not extend the intervals of others.
func TestWatchedFilesAreNoLoad(t *testing.T) {
	dir := t.TempDir()
	for i := range 100 {
		write(t, dir, fmt.Sprintf("%02d.log", i))
	}
	p := newPolled(t, dir, 0)
	pace := &p.p.paces[HotFiles]
	pace.meter.seconds, pace.meter.items = 1e-3, 1
	p.p.scheduleHot()
	all := p.p.hotEvery
	others := 0
	for _, h := range p.p.hot {
		others++
		h.watched = others > 1
	}
	if p.p.scheduleHot(); p.p.hotEvery >= all || p.p.hotEvery != hotCheck {
		t.Errorf("got an interval of %v for one file that is not watched, and %v for 100, want %v and more", p.p.hotEvery, all, hotCheck)
	}
}
