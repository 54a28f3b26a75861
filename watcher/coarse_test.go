package watcher

import (
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// A second change within a step of the time of a new directory is found, even if the
// clock of the file system is hours behind: by the first walk and by later ones.
func TestCoarseTimesOfNewDirectory(t *testing.T) {
	at := time.Now().Add(-3 * time.Hour)
	for _, walk := range []string{"first", "later"} {
		t.Run(walk, func(t *testing.T) {
			dir := t.TempDir()
			create := func(name string) {
				write(t, dir, "p", name)
				setTimes(t, at, filepath.Join(dir, "p", name), filepath.Join(dir, "p"), dir)
			}
			var p *polled
			if walk == "first" {
				create("a.log")
				p = newPolled(t, dir, 0)
			} else {
				p = newPolled(t, dir, 0)
				create("a.log")
				p.w.scan(t.Context())
				p.take()
			}
			create("b.log")
			got := append(p.after(dirCheck), p.after(granularity)...)
			if want := []string{"0:p/b.log"}; !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

// Directories that the first walk has read are read again only if another change may
// follow within a step of their time.
func TestSettledDirectories(t *testing.T) {
	dir := t.TempDir()
	at := time.Now().Add(-time.Hour)
	for name, age := range map[string]time.Duration{"old": time.Minute, "new": time.Second, "newest": 0} {
		write(t, dir, name, "a.log")
		setTimes(t, at.Add(-age), filepath.Join(dir, name, "a.log"), filepath.Join(dir, name))
	}
	setTimes(t, at.Add(-time.Minute), dir)
	for now, want := range map[time.Time][]string{
		at.Add(time.Hour): {"new", "newest"}, at: {filepath.Base(dir), "new", "newest", "old"},
	} {
		p := newPolled(t, dir, time.Until(now))
		var again []string
		for _, d := range p.p.order {
			if !d.readAt.IsZero() {
				again = append(again, filepath.Base(d.path))
			}
		}
		slices.Sort(again)
		if !slices.Equal(again, want) {
			t.Errorf("at %v: reads %v again, want %v", now, again, want)
		}
	}
}
