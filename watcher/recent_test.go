package watcher

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// old is the number of files of polledByAge that are not recent.
const old = 50

// polledByAge makes the first walk of directories with a file each, written long ago:
// the first ones a minute before the others, which are as many as can be recent.
func polledByAge(t *testing.T) *polled {
	t.Helper()
	dir := t.TempDir()
	newest := time.Now().Add(-2 * hotTime)
	for i := range old + maxRecent {
		name := fmt.Sprintf("%03d/a.log", i)
		write(t, dir, name)
		at := newest
		if i < old {
			at = newest.Add(-time.Minute)
		}
		setTimes(t, at, filepath.Join(dir, name), filepath.Join(dir, filepath.Dir(name)))
	}
	return newPolled(t, dir, 0)
}

// The files that were written last are checked more often than the others.
func TestRecentFiles(t *testing.T) {
	p := polledByAge(t)
	write(t, p.dir, "000/a.log")
	write(t, p.dir, "100/a.log")
	p.finds(recentCheck, "0:100/a.log")
	p.finds(fileCheck, "0:000/a.log")
}

// What was written last is relative to other files, whatever the clock says.
func TestRecentFilesOfOtherClock(t *testing.T) {
	p := polledByAge(t)
	start := p.now
	for _, offset := range []time.Duration{-1000 * time.Hour, 1000 * time.Hour} {
		p.now = start.Add(offset)
		p.w.scan(t.Context())
		p.after(0)
		for _, k := range p.p.recent {
			if filepath.Base(k.dir.path) < "050" {
				t.Errorf("clock off by %v: %s is recent", offset, k.path())
			}
		}
		if len(p.p.recent) != maxRecent {
			t.Errorf("clock off by %v: got %d recent files, want %d", offset, len(p.p.recent), maxRecent)
		}
	}
}

// A file that is recent may disappear, with its directory or alone.
func TestRecentFilesDisappear(t *testing.T) {
	p := polledFiles(t, 2*hotTime, "p/a.log", "p/b.log", "q/a.log")
	remove(t, p.dir, "p/a.log")
	remove(t, p.dir, "q")
	p.finds(recentCheck, "0:p/a.log", "0:q/a.log")
	for range 4 {
		p.finds(recentCheck)
	}
	if p.files() != 1 {
		t.Errorf("got %d files, want 1", p.files())
	}
}

// If not all directories can be checked, those of the most recent files are among them,
// and the others have their turn.
func TestDirectoriesOfRecentFilesFirst(t *testing.T) {
	p := polledByAge(t)
	p.finds(granularity + dirCheck)
	pace := &p.p.paces[Directories]
	pace.meter.seconds, pace.meter.items, pace.owed = pace.share/maxRecentDirs, 1, 0 // 64 every two seconds
	if len(p.p.recentDirs) != maxRecentDirs {
		t.Errorf("got %d recent directories, want %d", len(p.p.recentDirs), maxRecentDirs)
	}
	others := make(map[string]bool)
	for range 4 {
		p.finds(dirCheck)
		for _, d := range p.p.order {
			_, recent := p.p.recentDirs[d]
			switch checked := d.check == p.p.check; {
			case recent && !checked:
				t.Errorf("%s was not checked", d.path)
			case !recent && checked:
				others[d.path] = true
			}
		}
		pace.meter.seconds, pace.meter.items = pace.share/maxRecentDirs, 1
	}
	if len(others) < 100 {
		t.Errorf("checked %d other directories, want at least 100", len(others))
	}
}

// The roots are part of every check of directories, however many there are.
func TestRootsAlways(t *testing.T) {
	p := polledByAge(t)
	pace := &p.p.paces[Directories]
	pace.meter.seconds, pace.meter.items = 1e3, 1
	for i := range 3 {
		name := fmt.Sprintf("new%d/a.log", i)
		write(t, p.dir, name)
		if got := p.after(dirCheck); !slices.Equal(got, []string{"0:" + name}) {
			t.Errorf("got %v, want %s", got, name)
		}
	}
}

// However rarely directories can be checked, the roots leave time for the others.
func TestRootsDelayNoOthers(t *testing.T) {
	const dirs, rounds = 9, 30 * time.Second / dirCheck
	var names []string
	for i := range dirs {
		names = append(names, fmt.Sprintf("%d/a.log", i))
	}
	p := polledFiles(t, 2*hotTime, names...)
	pace := &p.p.paces[Directories]
	pass := func() []string {
		pace.meter.seconds, pace.meter.items = 1e3, 1 // every 30 seconds
		return p.after(dirCheck)
	}
	for range 20 * rounds {
		pass()
	}
	var want, got []string
	for i := range dirs {
		name := fmt.Sprintf("%d/b.log", i)
		write(t, p.dir, name)
		want = append(want, "0:"+name)
	}
	for range 4 * rounds { // a quarter of the checks are in turn
		got = append(got, pass()...)
	}
	slices.Sort(got)
	if got = slices.Compact(got); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
