package demo

import (
	"context"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

var start = time.Date(2026, 11, 5, 9, 0, 0, 0, time.UTC)

// assemble makes a team in a directory of the test, which is returned.
func assemble(t *testing.T, o Options, now time.Time) (*Team, string) {
	t.Helper()
	temporary := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, temporary)
	}
	team, err := Assemble(o, now)
	if err != nil {
		t.Fatal(err)
	}
	return team, temporary
}

// advance lets time go by in steps, and returns what it is then.
func advance(t *testing.T, team *Team, now time.Time, step time.Duration, steps int) time.Time {
	t.Helper()
	for range steps {
		now = now.Add(step)
		next, err := team.write(t.Context(), now)
		if err != nil {
			t.Fatal(err)
		}
		if !next.After(now) {
			t.Fatalf("at %v it stops, and would go on at %v", now, next)
		}
	}
	return now
}

// tree returns what is below a directory: contents by path, with a slash behind
// those of directories that are empty.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if e.IsDir() {
			if inside, err := os.ReadDir(path); err != nil || len(inside) > 0 {
				return err
			}
			files[filepath.ToSlash(name)+"/"] = ""
			return nil
		}
		b, err := os.ReadFile(path)
		files[filepath.ToSlash(name)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// entries are the names in a directory.
func entries(t *testing.T, dir string) []os.DirEntry {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func bytesOf(files map[string]string) (n int) {
	for _, content := range files {
		n += len(content)
	}
	return n
}

// Everybody writes, more and more, and the same as every other time.
func TestTeamAtWork(t *testing.T) {
	o := Options{Seed: 1, People: 3, Speed: 20}
	team, _ := assemble(t, o, start)
	twin, _ := assemble(t, o, start)
	now, before := start, 0
	for range 5 {
		advance(t, twin, now, 10*time.Second, 1)
		now = advance(t, team, now, time.Second, 10)
		is := bytesOf(tree(t, team.Dir()))
		if is <= before {
			t.Errorf("after %v there are %d bytes, and %d before", now.Sub(start), is, before)
		}
		before = is
	}
	for _, p := range team.People() {
		if len(tree(t, p.Projects())) == 0 {
			t.Errorf("%s has done nothing", p.Name)
		}
	}
	files, others := tree(t, team.Dir()), tree(t, twin.Dir())
	for name, content := range files {
		if others[name] != content {
			t.Errorf("%s is another one the second time", name)
		}
	}
}

// However long they work, there are only so many files, and no empty directory.
func TestTeamTidiesUp(t *testing.T) {
	team, _ := assemble(t, Options{Seed: 1, People: 2, Speed: 1000}, start)
	now := start
	for range 10 {
		now = advance(t, team, now, time.Second, 3)
		sessions := 0
		for name := range tree(t, team.Dir()) {
			if strings.HasSuffix(name, "/") {
				t.Errorf("%s is empty", name)
			}
			if strings.Count(name, "/") == 4 && !strings.Contains(name, "/agent-") {
				sessions++
			}
		}
		// A session may have a few forks.
		if most := 2 * keptSessions * len(team.desks); sessions > most {
			t.Fatalf("there are %d sessions, want %d at most", sessions, most)
		}
	}
	for _, d := range team.desks {
		if len(d.kept) != keptSessions {
			t.Errorf("%d sessions are kept", len(d.kept))
		}
	}
}

// A visitor may remove what a team has written.
func TestTeamIsRobbed(t *testing.T) {
	team, _ := assemble(t, Options{Seed: 1, People: 1, Speed: 1000}, start)
	now := start
	for range 10 {
		now = advance(t, team, now, time.Second, 3)
		if err := os.RemoveAll(team.People()[0].Home); err != nil {
			t.Fatal(err)
		}
	}
}

// A machine that was asleep for a while goes on with what comes next.
func TestTeamComesLate(t *testing.T) {
	team, _ := assemble(t, Options{Seed: 1, People: 2, Speed: 100}, start)
	now := advance(t, team, start, 10*time.Minute, 1)
	for _, d := range team.desks {
		if len(d.kept) != 2 || !d.due().After(now) {
			t.Errorf("at %v somebody is at session %d, with a line of %v", now, len(d.kept), d.due())
		}
	}
}

func TestWork(t *testing.T) {
	team, temporary := assemble(t, Options{Seed: 1, People: 1, Speed: MaxSpeed}, time.Now())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- team.Work(ctx) }()
	for deadline := time.Now().Add(2 * time.Minute); len(entries(t, team.People()[0].Projects())) == 0; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatal("nothing is written")
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := team.Disband(); err != nil {
		t.Error(err)
	}
	if left := tree(t, temporary); len(left) > 0 {
		t.Errorf("there is left %v", left)
	}
}

func TestNoSuchTeam(t *testing.T) {
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
		if team, err := Assemble(o, start); err == nil {
			t.Errorf("%+v: there is one, %v", o, team.Disband())
		}
	}
}

// No two people have the same name, or there would be one less.
func TestNames(t *testing.T) {
	seen := make(map[string]bool)
	for i := range MaxPeople {
		seen[nameOf(i)] = true
	}
	if len(seen) != MaxPeople {
		t.Errorf("there are %d names", len(seen))
	}
}
