package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/registry"
	"github.com/ccwatchd/ccwatchd/transcript"
)

func TestLayout(t *testing.T) {
	for _, test := range []struct{ files, directories, projects, agents int }{
		{1, 1, 1, 0},
		{9, 2, 2, 0},
		{3, 3, 1, 1},
		{5, 5, 3, 2},
		{8, 8, 2, 4},
		{5000, 800, 200, 2500},
	} {
		names, directories, projects, agents := make(map[string]bool), make(map[string]bool), make(map[string]bool), 0
		for _, f := range layout(test.files, test.directories) {
			names[f.name] = true
			for dir := path.Dir(f.name); dir != "."; dir = path.Dir(dir) {
				directories[dir] = true
			}
			project, _, _ := strings.Cut(f.name, "/")
			projects[project] = true
			if !transcript.IsTranscript(path.Base(f.name)) || transcript.KindOf(f.name).IsAgent() != f.agent {
				t.Errorf("%s is not the transcript that it should be", f.name)
			}
			if f.agent {
				agents++
			}
		}
		if len(names) != test.files || len(directories) != test.directories || len(projects) != test.projects || agents != test.agents {
			t.Errorf("%+v: got %d files, %d directories, %d projects and %d files of sub-agents",
				test, len(names), len(directories), len(projects), agents)
		}
	}
}

// A few projects have most of the sessions, and every project has one.
func TestDistribute(t *testing.T) {
	for _, test := range []struct{ sessions, projects, first, last int }{
		{1, 1, 1, 1}, {3, 3, 1, 1}, {14, 3, 7, 3}, {2500, 200, 392, 3},
	} {
		count := make([]int, test.projects)
		for _, project := range distribute(test.sessions, test.projects) {
			count[project]++
		}
		total := 0
		for i, n := range count {
			total += n
			if n < 1 || i > 0 && n > count[i-1]+1 {
				t.Errorf("%+v: project %d has %d sessions", test, i, n)
			}
		}
		if total != test.sessions || count[0] != test.first || count[len(count)-1] != test.last {
			t.Errorf("%+v: got %d, %d in the first project, %d in the last", test, total, count[0], count[len(count)-1])
		}
	}
}

func TestAges(t *testing.T) {
	now := time.Now()
	o := options{files: 1000, directories: 80, hot: 7, seed: 3}
	tr := newTree("", o, now)
	var hot, cold int
	oldest := now
	sessions := make(map[string]time.Time)
	for _, f := range tr.files {
		age := now.Sub(f.modified)
		if age < hotAge {
			hot++
			continue
		}
		if age < coldAge {
			t.Errorf("%s is %v old", f.name, age)
		}
		if !f.agent {
			cold++
			sessions[f.session] = f.modified
		}
		if f.modified.Before(oldest) {
			oldest = f.modified
		}
	}
	for _, f := range tr.files {
		if at, known := sessions[f.session]; known && f.agent && now.Sub(f.modified) >= hotAge && !f.modified.Equal(at) {
			t.Errorf("%s was modified at %v, its session at %v", f.name, f.modified, at)
		}
	}
	if hot != 7 || len(tr.hot) != 7 || cold != len(tr.cold) || cold < 490 || now.Sub(oldest) < 44*day || now.Sub(oldest) > kept {
		t.Errorf("got %d hot files, %d cold ones, and the oldest at %v", hot, cold, oldest)
	}
	if same := newTree("", o, now); !reflect.DeepEqual(same, tr) {
		t.Error("the same seed gives another tree")
	}
	o.seed++
	if other := newTree("", o, now); reflect.DeepEqual(other.files, tr.files) {
		t.Error("another seed gives the same tree")
	}
}

// Likely sessions are recent ones, those of any kind are not.
func TestLikely(t *testing.T) {
	tr := newTree("", options{files: 4000, directories: 80, hot: 1, seed: 1}, time.Now())
	count := func(next func() file) (n int) {
		for range 200 {
			if f := next(); tr.now.Sub(f.modified) < 36*time.Hour {
				n++
			}
		}
		return n
	}
	if n := count(func() file { return tr.cold[tr.likely()] }); n < 85 || n > 125 {
		t.Errorf("%d of 200 likely sessions are of the last 36 hours, want about 103", n)
	}
	if n := count(func() file { return tr.cold[tr.rng.IntN(len(tr.cold))] }); n > 20 {
		t.Errorf("%d of 200 random sessions are of the last 36 hours, want about 7", n)
	}
}

func TestWrite(t *testing.T) {
	tr := writtenTree(t)
	for _, f := range tr.files {
		info := stat(t, tr, f.name)
		if !info.ModTime().Equal(f.modified) || info.Size() == 0 {
			t.Errorf("%s was modified at %v, want %v", f.name, info.ModTime(), f.modified)
		}
		for dir := path.Dir(f.name); dir != "."; dir = path.Dir(dir) {
			if at := stat(t, tr, dir).ModTime(); at.Before(f.modified) || at.After(time.Now()) {
				t.Errorf("%s was modified at %v, before %s at %v", dir, at, f.name, f.modified)
			}
		}
	}
	if tr.requests != len(tr.files) {
		t.Errorf("got %d requests in %d files", tr.requests, len(tr.files))
	}
}

// Lines are written to files of the right kind.
func TestKinds(t *testing.T) {
	tr := writtenTree(t)
	hot, cold := make(map[string]bool), make(map[string]bool)
	for _, f := range tr.hot {
		hot[f.name] = true
	}
	for _, f := range tr.cold {
		cold[f.name] = true
	}
	exists := func(name string) bool {
		_, err := os.Stat(tr.abs(name))
		return err == nil
	}
	isCold := func(name string) bool {
		defer delete(cold, name)
		return cold[name]
	}
	right := map[string]func(name string) bool{
		"hot file": func(name string) bool { return hot[name] },
		"new file": func(name string) bool {
			session, isAgent := strings.CutSuffix(path.Dir(name), "/subagents")
			return !exists(name) && (isAgent && hot[session+".jsonl"] || !isAgent && exists(path.Dir(name)))
		},
		"new file in any project":   func(name string) bool { return !exists(name) && exists(path.Dir(name)) },
		"new file in a new project": func(name string) bool { return !exists(path.Dir(name)) && path.Dir(path.Dir(name)) == "." },
		"resumed cold file":         isCold, "cold file": isCold, "any cold file": isCold,
	}
	for _, k := range kinds() {
		for range 5 {
			f := k.next(tr)
			if !right[k.name](f.name) || transcript.KindOf(f.name).IsAgent() != f.agent {
				t.Errorf("%s: got %s", k.name, f.name)
			}
			if err := tr.append(f); err != nil {
				t.Fatal(err)
			}
		}
	}
	if tr.requests != len(tr.files)+5*len(kinds()) {
		t.Errorf("got %d requests", tr.requests)
	}
}

// A resumed session is registered before its line is appended, and no other is.
func TestResumed(t *testing.T) {
	tr := writtenTree(t)
	tr.root = filepath.Join(tr.root, "projects")
	if err := tr.append(newSession("p", 1)); err != nil {
		t.Fatal(err)
	}
	f := newSession("p", 2)
	f.resumed = true
	if err := tr.append(f); err != nil {
		t.Fatal(err)
	}
	running, err := registry.Read(filepath.Dir(tr.root))
	if err != nil || len(running) != 1 || running[0].ID != f.session {
		t.Errorf("got running sessions %v, %v, want %s", running, err, f.session)
	}
}

func writtenTree(t *testing.T) *tree {
	t.Helper()
	tr := newTree(t.TempDir(), options{files: 40, directories: 16, hot: 3, seed: 1}, time.Now().Truncate(time.Second))
	if err := tr.write(); err != nil {
		t.Fatal(err)
	}
	return tr
}

func stat(t *testing.T, tr *tree, name string) fs.FileInfo {
	t.Helper()
	info, err := os.Stat(filepath.Join(tr.root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return info
}
