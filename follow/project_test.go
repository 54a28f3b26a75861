package follow

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/state"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// sessionIn returns lines of a session in some directories: a prompt and a message in
// each.
func sessionIn(session string, cwds ...string) string {
	var b strings.Builder
	for i, cwd := range cwds {
		s := &transcripttest.Session{ID: session, CWD: cwd, Name: fmt.Sprint(session, i, cwd)}
		s.Prompt(cwd).Reply(transcripttest.Reply{ID: fmt.Sprint(session, i, cwd), In: 1, Out: 1, Stop: "end_turn"})
		b.WriteString(s.String())
	}
	return b.String()
}

// requestsByProject returns the number of requests of each project.
func requestsByProject(s *state.State) map[string]uint64 {
	s.Change(func(l *ledger.Ledger, _ int64) { l.Settle() })
	s.Release(s.Pending())
	var snap ledger.Snapshot
	s.SnapshotInto(&snap)
	byProject := make(map[string]uint64)
	for _, f := range snap.Families {
		if f.Family.Name != "claude_requests_total" {
			continue
		}
		for _, sample := range f.Samples {
			byProject[sample.Labels[1]] += sample.Value
		}
	}
	return byProject
}

const (
	shop       = "/home/dev/shop"
	api        = "/home/dev/shop/packages/api"
	inShop     = "-home-dev-shop/s1.jsonl"
	agentShop  = "-home-dev-shop/s1/subagents/agent-1.jsonl"
	flatAgent  = "-home-dev-shop/agent-1.jsonl"
	customName = "team/s1.jsonl"
)

// A session and its sub-agents belong to the project of the start directory, in
// whatever order the files are read and whether or not they are read while they grow.
func TestProject(t *testing.T) {
	for name, tt := range map[string]struct {
		files map[string]string
		want  string
	}{
		"one directory":                   {map[string]string{inShop: sessionIn("s1", shop, shop)}, "shop"},
		"changed":                         {map[string]string{inShop: sessionIn("s1", shop, api, "/tmp", shop)}, "shop"},
		"started below":                   {map[string]string{inShop: sessionIn("s1", api, "/tmp")}, "shop"},
		"another name":                    {map[string]string{customName: sessionIn("s1", shop, api, "/tmp")}, "shop"},
		"the name of another directory":   {map[string]string{"-home-dev-blog/s1.jsonl": sessionIn("s1", shop, api, "/tmp")}, "shop"},
		"a sub-agent":                     {map[string]string{inShop: sessionIn("s1", shop), agentShop: sessionIn("s1", "/tmp", "/var")}, "shop"},
		"a flat sub-agent":                {map[string]string{inShop: sessionIn("s1", shop), flatAgent: sessionIn("s1", "/tmp")}, "shop"},
		"a sub-agent of a custom name":    {map[string]string{customName: sessionIn("s1", shop), "team/s1/subagents/agent-1.jsonl": sessionIn("s1", "/tmp")}, "shop"},
		"a sub-agent without its session": {map[string]string{agentShop: sessionIn("s1", api, "/tmp")}, "shop"},
		"a lone sub-agent elsewhere":      {map[string]string{agentShop: sessionIn("s1", "/var/lib/work", "/tmp")}, "work"},
		"a session that is not one":       {map[string]string{flatAgent: sessionIn("../s1", "/tmp/work")}, "work"},
	} {
		t.Run(name, func(t *testing.T) {
			d := transcripttest.NewDir(t)
			lines := 0
			for file, content := range tt.files {
				d.Write(file, content)
				lines += strings.Count(content, "\n") / 2
			}
			want := map[string]uint64{tt.want: uint64(lines)}
			h := newRecorder(t, d.Root, 0)
			files := h.files()
			h.read(files)
			if got := requestsByProject(h.state); !maps.Equal(got, want) {
				t.Errorf("at rest: got %v, want %v", got, want)
			}
			backwards := newRecorder(t, d.Root, 0)
			for i := range files {
				backwards.read([]watcher.FoundFile{files[len(files)-1-i]})
			}
			if got := requestsByProject(backwards.state); !maps.Equal(got, want) {
				t.Errorf("backwards: got %v, want %v", got, want)
			}
			if got := growing(t, tt.files); !maps.Equal(got, want) {
				t.Errorf("while they grow: got %v, want %v", got, want)
			}
		})
	}
}

// The start directory is found wherever the transcript states it, or not at all: in the
// first batch, in a prefetched batch, and after more batches than are prefetched.
func TestProjectStatedLate(t *testing.T) {
	for _, lines := range []int{10, 2*batchLines + 10, (prefetchBatches + 2) * batchLines} {
		elsewhere := sessionIn("s1", slices.Repeat([]string{"/tmp/work"}, lines/2)...)
		for want, end := range map[string]string{"shop": sessionIn("s1", shop), "work": ""} {
			d := transcripttest.NewDir(t)
			d.Write(inShop, elsewhere+end)
			for _, goroutines := range []int{0, 1, 2} {
				h := newRecorder(t, d.Root, 1<<20)
				if goroutines > 0 {
					h.prefetch(h.files(), 1<<20, goroutines)
				}
				h.read(h.files())
				if got := requestsByProject(h.state); len(got) != 1 || got[want] == 0 {
					t.Errorf("%d lines, %d goroutines: got %v, want all in %s", lines, goroutines, got, want)
				}
			}
		}
	}
}

// growing returns the requests by project after files were read after each line. As
// Claude Code writes them, sessions come before their sub-agents.
func growing(t *testing.T, files map[string]string) map[string]uint64 {
	t.Helper()
	d := transcripttest.NewDir(t)
	f, roots := openedFollower(t, d.Root)
	f.GoLive()
	for _, agents := range []bool{false, true} {
		for file, content := range files {
			if strings.Contains(file, "agent-") != agents {
				continue
			}
			for line := range strings.Lines(content) {
				d.Append(file, line)
				f.readOne(t.Context(), roots, watcher.File{Rel: file})
			}
		}
	}
	return requestsByProject(f.state)
}

// A directory that a line states below its top level decides nothing, and does not hide
// the line that states the start directory.
func TestProjectNamedDeeper(t *testing.T) {
	d := transcripttest.NewDir(t)
	deeper := strings.ReplaceAll(sessionIn("s1", "/tmp"), `"cwd":`, `"extra":{"cwd":"`+shop+`"},"cwd":`)
	d.Write(inShop, deeper+sessionIn("s1", shop))
	h := newRecorder(t, d.Root, 0)
	h.read(h.files())
	if got, want := requestsByProject(h.state), map[string]uint64{"shop": 2}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// If the first directory of a transcript does not decide the project, the following
// lines decide, as far as they exist.
func TestProjectOfLaterLines(t *testing.T) {
	d := transcripttest.NewDir(t)
	d.Write(inShop, sessionIn("s1", "/tmp", shop))
	d.Write("-home-dev-shop/s2.jsonl", sessionIn("s2", "/tmp"))
	f, roots := openedFollower(t, d.Root)
	f.GoLive()
	read := func(file string) { f.readOne(t.Context(), roots, watcher.File{Rel: file}) }
	read(inShop)
	read("-home-dev-shop/s2.jsonl")
	d.Append("-home-dev-shop/s2.jsonl", sessionIn("s2", shop, shop))
	read("-home-dev-shop/s2.jsonl")
	if got, want := requestsByProject(f.state), map[string]uint64{"shop": 2, "tmp": 3}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// After a restart, or a change of the configuration, the following lines belong to the
// project of the first lines.
func TestProjectAfterRestart(t *testing.T) {
	d := transcripttest.NewDir(t)
	d.Write(customName, sessionIn("s1", shop))
	o := optionsOf(time.Now)
	read := func(file, content string) map[string]uint64 {
		d.Append(file, content)
		o.Files.clearSightings()
		f := New(o, configOf(d.Root, 1<<20))
		f.GoLive()
		roots := f.openRoots()
		defer roots.close()
		f.readOne(t.Context(), roots, watcher.File{Rel: file})
		return requestsByProject(o.State)
	}
	read(customName, "")
	if got, want := read(customName, sessionIn("s1", "/tmp")), map[string]uint64{"shop": 2}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// The lines after a session was moved belong to its new directory, as do the lines of a
// file that replaces another file.
func TestProjectOfMovedFile(t *testing.T) {
	const moved = "-home-dev-blog/s1.jsonl"
	d := transcripttest.NewDir(t)
	f, roots := openedFollower(t, d.Root)
	f.GoLive()
	check := func(file string, want map[string]uint64) {
		t.Helper()
		f.readOne(t.Context(), roots, watcher.File{Rel: file})
		if got := requestsByProject(f.state); !maps.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", file, got, want)
		}
	}
	d.Write(inShop, sessionIn("s1", shop))
	check(inShop, map[string]uint64{"shop": 1})
	d.Must(os.MkdirAll(filepath.Dir(d.Path(moved)), 0o700))
	d.Rename(inShop, moved)
	d.Append(moved, sessionIn("s1", "/home/dev/blog/posts", "/tmp"))
	check(moved, map[string]uint64{"shop": 1, "blog": 2})
	d.Write(customName, sessionIn("s2", "/home/dev/one"))
	check(customName, map[string]uint64{"shop": 1, "blog": 2, "one": 1})
	d.Write(customName, sessionIn("s3", "/home/dev/two"))
	check(customName, map[string]uint64{"shop": 1, "blog": 2, "one": 1, "two": 1})
}
