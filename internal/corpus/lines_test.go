package corpus

import (
	"bytes"
	"testing"
	"time"
)

// The lines of an author's session, in their order, are all of its files, also
// where an entry is older than the one before it.
func TestLinesAreTheFiles(t *testing.T) {
	start := time.Date(2026, 11, 5, 9, 0, 0, 0, time.UTC)
	older := 0
	for seed := range uint64(3) {
		a := NewAuthor(seed, 3, start, 20)
		a.world.outset = start.UnixMilli()
		for _, s := range a.world.showcase(a.projects, 4) {
			written := make(map[string][]byte)
			for _, line := range s.lines() {
				if len(line.Text) == 0 {
					t.Errorf("there is an empty piece of %s", line.Path)
				}
				written[line.Path] = append(written[line.Path], line.Text...)
			}
			for _, f := range s.files {
				if !bytes.Equal(written[f.path], f.b) {
					t.Errorf("%s is other than it should be", f.path)
				}
				for i := range f.marks[1:] {
					if f.marks[i+1].at < f.marks[i].at {
						older++
					}
				}
			}
		}
	}
	if older == 0 {
		t.Error("no entry is older than the one before it")
	}
}
