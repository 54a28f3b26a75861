package follow

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// keeping returns a follower that has read p/s/a.jsonl in an update and keeps its
// directory open.
func keeping(t *testing.T) (*Follower, dir, *os.Root) {
	t.Helper()
	if !keepsDirs {
		t.Skip("directories do not stay open on this system")
	}
	d := transcripttest.NewDir(t)
	d.Write("p/s/a.jsonl", said("a", 1))
	f := New(optionsOf(time.Now), configOf(d.Root, 0))
	t.Cleanup(f.Close)
	update(t, f, "p/s/a.jsonl")
	if f.kept == nil || f.kept[0].opened == nil || f.kept[0].Root != nil {
		t.Fatalf("got %+v, want only the directory open", f.kept)
	}
	return f, d, f.kept[0].opened
}

func update(t *testing.T, f *Follower, rel string) {
	t.Helper()
	f.Update(t.Context(), watcher.Update{Dirty: []watcher.File{{Rel: filepath.FromSlash(rel)}}})
}

// wantRequests checks how many requests were counted.
func wantRequests(t *testing.T, f *Follower, want uint64) {
	t.Helper()
	f.state.FinalizeAll()
	if got := sums(f.state)["claude_requests_total"]; got != want {
		t.Errorf("got %d requests, want %d: %v", got, want, sums(f.state))
	}
}

// The directory of the latest file is opened once for many updates.
func TestDirectoryStaysOpen(t *testing.T) {
	t.Parallel()
	f, d, opened := keeping(t)
	for _, name := range []string{"p/s/a.jsonl", "p/s/b.jsonl", "p/s/a.jsonl", "p/s/missing.jsonl"} {
		if name != "p/s/missing.jsonl" {
			d.Append(name, said(name+d.Path("x"), 1))
		}
		f.CloseIdle()
		update(t, f, name)
		if stays := f.kept[0].opened == opened; stays != (name != "p/s/missing.jsonl") {
			t.Errorf("%s: the directory stays open: %t", name, stays)
		}
	}
}

// A directory is closed when another one is at its path, when it is not used any more,
// by a walk, and with the follower.
func TestDirectoryIsClosed(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(d dir, f *Follower){
		"replaced": func(d dir, f *Follower) {
			d.Rename("p/s", "old")
			d.Write("p/s/a.jsonl", said("b", 2))
			f.Update(d.Context(), watcher.Update{})
		},
		"removed": func(d dir, f *Follower) {
			d.Rename("p", "old")
			f.Update(d.Context(), watcher.Update{})
		},
		"root replaced": func(d dir, f *Follower) {
			d.Rename("p", "../old/p")
			d.Must(os.Remove(d.Root))
			d.Write("p/s/a.jsonl", said("b", 2))
			f.Update(d.Context(), watcher.Update{})
		},
		"linked to": func(d dir, f *Follower) {
			d.Rename("p/s", "../outside")
			d.Must(os.Symlink(d.Path("../outside"), d.Path("p/s")))
			f.Update(d.Context(), watcher.Update{})
		},
		"parent linked to": func(d dir, f *Follower) {
			d.Rename("p", "../outside")
			d.Must(os.Symlink(d.Path("../outside"), d.Path("p")))
			f.Update(d.Context(), watcher.Update{})
		},
		"idle":       func(_ dir, f *Follower) { f.CloseIdle(); f.CloseIdle() },
		"walk":       func(d dir, f *Follower) { f.Update(d.Context(), watcher.Update{Tree: walk(d, f)}) },
		"configured": func(d dir, f *Follower) { f.Configure(configOf(d.Root, 0)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, d, opened := keeping(t)
			do(d, f)
			if _, err := opened.Stat("."); err == nil {
				t.Error("the directory is still open")
			}
		})
	}
}

// The file at the path is read, not one in a directory that was there before.
func TestFileInReplacedDirectory(t *testing.T) {
	t.Parallel()
	f, d, _ := keeping(t)
	d.Rename("p", "old")
	d.Write("p/s/a.jsonl", said("b", 2))
	d.Append("old/s/a.jsonl", said("c", 4))
	update(t, f, "p/s/a.jsonl")
	wantRequests(t, f, 3)
}
