package demo

import (
	"context"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/filetest"
	"github.com/ccwatchd/ccwatchd/test/polltest"
	"github.com/ccwatchd/ccwatchd/test/testsize"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

var start = time.Date(2026, 11, 5, 9, 0, 0, 0, time.UTC)

// newSimulation creates a simulation in a directory of the test.
func newSimulation(t *testing.T, o Options, now time.Time) *Simulation {
	t.Helper()
	useTempDir(t)
	s, err := New(o, now)
	if err == nil {
		err = s.begin(now)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// useTempDir makes a directory of the test that for temporary files, and returns it.
func useTempDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, dir)
	}
	return dir
}

// advance lets time pass in steps, and returns the time after them.
func advance(t *testing.T, s *Simulation, now time.Time, step time.Duration, steps int) time.Time {
	t.Helper()
	for range steps {
		now = now.Add(step)
		next, err := s.write(now)
		if err != nil {
			t.Fatal(err)
		}
		if !next.After(now) {
			t.Fatalf("at %v the next line is due at %v", now, next)
		}
	}
	return now
}

func bytesOf(files transcripttest.Tree) (n int) {
	for _, content := range files {
		n += len(content)
	}
	return n
}

// All people write, more and more, and the same every time.
func TestWrite(t *testing.T) {
	o := Options{Seed: 1, People: 3, Speed: 20}
	s := newSimulation(t, o, start)
	twin := newSimulation(t, o, start)
	now, before := start, 0
	for range 5 {
		advance(t, twin, now, time.Second, 10)
		now = advance(t, s, now, time.Second, 10)
		is := bytesOf(transcripttest.ReadTree(t, s.Dir()))
		if is <= before {
			t.Errorf("after %v there are %d bytes, %d before", now.Sub(start), is, before)
		}
		before = is
	}
	for _, p := range s.People {
		if len(transcripttest.ReadTree(t, p.Projects())) == 0 {
			t.Errorf("%s has written nothing", p.Name)
		}
	}
	files, others := transcripttest.ReadTree(t, s.Dir()), transcripttest.ReadTree(t, twin.Dir())
	for name, content := range files {
		if others[name] != content {
			t.Errorf("%s differs in the second simulation", name)
		}
	}
}

// The number of files is limited, and no directory is empty, except that of running
// sessions.
func TestCleanUp(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	s := newSimulation(t, Options{Seed: 1, People: 2, Speed: 1000}, start)
	now := start
	for range 20 { // until each writer has had enough sessions
		now = advance(t, s, now, time.Second, 3)
		sessions := 0
		err := filepath.WalkDir(s.Dir(), func(path string, e fs.DirEntry, err error) error {
			name := filepath.ToSlash(strings.TrimPrefix(path, s.Dir()))
			switch {
			case err == nil && e.IsDir() && path != s.Dir() && e.Name() != "sessions" && len(filetest.Names(t, path)) == 0:
				t.Errorf("%s is empty", name)
			case err == nil && !e.IsDir() && strings.Count(name, "/") == 5 && !strings.Contains(name, "/agent-"):
				sessions++
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		// A session may have a few forks. Those of the day before stay.
		if most := 2 * (endedSessions + keptSessions*len(s.writers)); sessions > most {
			t.Fatalf("got %d sessions, want at most %d", sessions, most)
		}
	}
	for _, w := range s.writers {
		if len(w.kept) != keptSessions {
			t.Errorf("%d sessions are kept, want 8", len(w.kept))
		}
	}
}

// Users may remove the files of a simulation.
func TestFilesAreRemoved(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	s := newSimulation(t, Options{Seed: 1, People: 1, Speed: 1000}, start)
	now := start
	for range 10 {
		now = advance(t, s, now, time.Second, 3)
		if err := os.RemoveAll(s.People[0].Home); err != nil {
			t.Fatal(err)
		}
	}
}

// After a suspend, every writer continues with its next session, and leaves out those
// that it missed.
func TestSuspend(t *testing.T) {
	s := newSimulation(t, Options{Seed: 1, People: 2, Speed: 100}, start)
	now := advance(t, s, start, 10*time.Minute, 1)
	for _, w := range s.writers {
		if len(w.kept) != 1 || !w.due().After(now) {
			t.Errorf("at %v a writer is at session %d, with a line due at %v", now, len(w.kept), w.due())
		}
	}
}

func TestRun(t *testing.T) {
	temporary := useTempDir(t)
	s, err := New(Options{Seed: 1, People: 1, Speed: MaxSpeed}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	polltest.Eventually(t, "a session is written", func() bool { return len(filetest.Names(t, s.People[0].Projects())) > 0 })
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if left := filetest.Names(t, temporary); len(left) > 0 {
		t.Errorf("files left: %v", left)
	}
}

func TestInvalidOptions(t *testing.T) {
	for _, o := range []Options{
		{People: 0, Speed: 1},
		{People: -1, Speed: 1},
		{People: MaxPeople + 1, Speed: 1},
		{People: 1},
		{People: 1, Speed: -1},
		{People: 1, Speed: MaxSpeed + 1},
		{People: 1, Speed: math.NaN()},
		{People: 1, Speed: math.Inf(1)},
	} {
		if s, err := New(o, start); err == nil {
			t.Errorf("%+v are accepted, %v", o, s.Close())
		}
	}
}

// No two people have the same name.
func TestNames(t *testing.T) {
	seen := make(map[string]bool)
	for i := range MaxPeople {
		seen[nameOf(i)] = true
	}
	if len(seen) != MaxPeople {
		t.Errorf("got %d names", len(seen))
	}
}
