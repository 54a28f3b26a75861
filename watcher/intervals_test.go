package watcher

import (
	"fmt"
	"testing"
	"time"
)

// The intervals are those between checks of each file, also of very many in a single
// directory.
func TestIntervals(t *testing.T) {
	const interval, files, rounds = 30 * time.Second, 1000, 4
	dir := t.TempDir()
	for i := range files {
		write(t, dir, fmt.Sprintf("%03d.log", i))
	}
	for name, tc := range map[string]struct {
		tier  Tier
		later time.Duration
		files int
	}{"hot files": {HotFiles, 0, maxHot}, "all files": {AllFiles, hotTime, files}} {
		t.Run(name, func(t *testing.T) {
			p := newPolled(t, dir, tc.later)
			p.after(dirCheck)
			pace := &p.p.paces[tc.tier]
			pace.least, pace.most, pace.items = interval, interval, 0
			for end := p.now.Add(rounds * interval); p.now.Before(end); {
				p.after(hotCheck)
			}
			if n := pace.items; n < (rounds-1)*tc.files || n > (rounds+1)*tc.files {
				t.Errorf("checked %d files in %d intervals, want each once per interval", n, rounds)
			}
		})
	}
}

// All files are checked at once when they are due, and not a few of them at each check
// of directories.
func TestFileBatch(t *testing.T) {
	dir := t.TempDir()
	for i := range 100 {
		write(t, dir, fmt.Sprintf("%02d.log", i))
	}
	p := newPolled(t, dir, hotTime)
	pace := &p.p.paces[AllFiles]
	for at := dirCheck; at < fileCheck; at += dirCheck {
		if p.finds(dirCheck); pace.items != 0 {
			t.Errorf("checked %d files after %v, want none before %v", pace.items, at, fileCheck)
		}
	}
	if p.finds(dirCheck); pace.items != 100 {
		t.Errorf("checked %d files after %v, want 100", pace.items, fileCheck+time.Second)
	}
}
