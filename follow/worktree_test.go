package follow

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/opendir"
	"github.com/ccwatchd/ccwatchd/test/filetest"
	"github.com/ccwatchd/ccwatchd/test/transcripttest"
	"github.com/ccwatchd/ccwatchd/watcher"
)

func TestCheckoutIn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths belong to other systems")
	}
	for _, tt := range []struct{ content, want string }{
		{"gitdir: /src/shop/.git/worktrees/oslo\n", "/src/shop"},
		{"gitdir: /src/shop/.git/worktrees/oslo\r\n", "/src/shop"},
		{"gitdir: /src/shop/.git/worktrees/oslo", "/src/shop"},
		{"gitdir: ../../src/shop/.git/worktrees/oslo\n", "/town/src/shop"},
		{"gitdir: /src/shop.git/worktrees/oslo\n", "/src/shop"},
		{"gitdir: /src/shop/.bare/worktrees/oslo\n", "/src/shop"},
		{"gitdir: /src/app/.git/modules/lib/worktrees/oslo\n", "/src/app/lib"},
		{"gitdir: ../.git/modules/lib\n", ""}, // a submodule
		{"gitdir: /src/shop/.git\n", ""},      // git init --separate-git-dir
		{"gitdir: \n", ""}, {"gitdir: /\n", ""}, {"", ""}, {"ref: /a/.git/worktrees/b\n", ""},
		{"gitdir: /src/sh\nop/.git/worktrees/oslo\n", ""},
		{"gitdir: /src/sh\x00op/.git/worktrees/oslo\n", ""},
	} {
		if got := checkoutIn("/town/city/oslo", tt.content); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.content, got, tt.want)
		}
	}
}

// newWorktree makes a checkout with a worktree that no path reveals, as claude-squad
// does, and returns the directory of both.
func newWorktree(t *testing.T) (top, worktree string) {
	t.Helper()
	top = t.TempDir()
	worktree = filepath.Join(top, "squad", "fix-login_18a3")
	filetest.Write(t, filepath.Join(worktree, ".git"), "gitdir: "+filepath.Join(top, "shop", ".git", "worktrees", "fix")+"\n")
	filetest.Write(t, filepath.Join(worktree, "web", "index.html"), "")
	filetest.Write(t, filepath.Join(top, "shop", ".git", "HEAD"), "ref: refs/heads/main\n")
	return top, worktree
}

// nameless gives no project a name.
type nameless struct{ transcripttest.Labeller }

func (nameless) Project(string) string { return "" }

// A session in a worktree belongs to the project of the checkout, also in a directory
// below, and after a restart without the worktree.
func TestProjectOfWorktree(t *testing.T) {
	top, worktree := newWorktree(t)
	d := transcripttest.NewDir(t)
	o := optionsOf(time.Now)
	c := configOf(d.Root, 0)
	read := func(file string, dirs ...string) {
		t.Helper()
		d.Append(file, sessionIn(file+fmt.Sprint(len(dirs)), dirs...))
		f := New(o, c) // a restart
		f.GoLive()
		roots := f.openRoots()
		defer roots.close()
		f.readOne(t.Context(), roots, watcher.File{Rel: file})
	}
	check := func(when string, want map[string]uint64) {
		t.Helper()
		if got := requestsByProject(o.State); !maps.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", when, got, want)
		}
	}
	read("p/s1.jsonl", worktree)
	read("p/s2.jsonl", filepath.Join(worktree, "web"))
	read("p/s3.jsonl", filepath.Join(top, "shop"))
	read("p/s4.jsonl", top)
	read("p/s5.jsonl", "squad/fix-login_18a3")
	check("with the worktree", map[string]uint64{"shop": 3, filepath.Base(top): 1, "fix-login_18a3": 1})
	if err := os.RemoveAll(worktree); err != nil {
		t.Fatal(err)
	}
	read("p/s6.jsonl", worktree)
	read("p/s1.jsonl", worktree, worktree)
	check("without it", map[string]uint64{"shop": 6, filepath.Base(top): 1, "fix-login_18a3": 1})
	if err := os.MkdirAll(filepath.Join(worktree, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	read("p/s8.jsonl", worktree)
	check("with another repository in its place", map[string]uint64{"shop": 6, filepath.Base(top): 1, "fix-login_18a3": 2})
	if err := os.RemoveAll(worktree); err != nil {
		t.Fatal(err)
	}
	c.Labeller = nameless{}
	read("p/s7.jsonl", worktree)
	check("without names", map[string]uint64{"shop": 6, filepath.Base(top): 1, "fix-login_18a3": 2, "": 1})
}

// Of other owners' files, nothing is read.
func TestGitFileOfAnother(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can change owners")
	}
	top, worktree := newWorktree(t)
	git := filepath.Join(worktree, ".git")
	info, err := os.Stat(git)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := checkoutOf(worktree, opendir.OwnerOf(info)).checkout, filepath.Join(top, "shop"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := checkoutOf(worktree, 10_001).checkout; got != "" {
		t.Errorf("a file of another: got %q", got)
	}
	// A link of one user to the directory of another.
	link := filepath.Join(top, "link")
	for _, err := range []error{os.Symlink(worktree, link), os.Lchown(link, 10_001, 0), os.Chown(worktree, 10_002, 0), os.Chown(git, 10_001, 0)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := checkoutOf(link, 10_001).checkout; got != "" {
		t.Errorf("through a link: got %q", got)
	}
}

// Neither a link nor a directory in the place of the file is read, and a directory that
// does not answer blocks nothing.
func TestGitFileOfAnotherKind(t *testing.T) {
	for name, replace := range map[string]func(git string) error{
		"a link":      func(git string) error { return os.Symlink(filepath.Join(filepath.Dir(git), "file"), git) },
		"a directory": func(git string) error { return os.Mkdir(git, 0o700) },
	} {
		top, worktree := newWorktree(t)
		git := filepath.Join(worktree, ".git")
		if err := os.Rename(git, filepath.Join(worktree, "file")); err != nil {
			t.Fatal(err)
		}
		filetest.Write(t, filepath.Join(top, ".git"), "gitdir: /src/outer/.git/worktrees/x\n")
		if err := replace(git); err != nil {
			t.Log(name, err)
			continue
		}
		if got := new(checkouts).of(worktree, 0).checkout; got != "" {
			t.Errorf("%s: got %q", name, got)
		}
	}
	_, worktree := newWorktree(t)
	c := new(checkouts)
	c.asked.Store(opendir.Owner(7), true) // as while an answer is missing
	if got := c.of(worktree, 7); got != (answer{}) || len(c.answers) != 0 {
		t.Errorf("got %v, %v", got, c.answers)
	}
}

func TestMayOpen(t *testing.T) {
	for dir, want := range map[string]bool{
		filepath.VolumeName(os.TempDir()) + "/src/shop": true, "shop": false, "": false, "../shop": false,
		"/" + strings.Repeat("x", maxGitFile): false, `\\server\share\shop`: false, `\\?\C:\shop`: false,
	} {
		if got := mayOpen(dir); got != want {
			t.Errorf("%.40s: got %v", dir, got)
		}
	}
}

// The number of worktrees of an owner in the state is bounded: the oldest makes room,
// and the worktrees of other owners stay.
func TestManyWorktrees(t *testing.T) {
	now := time.Now()
	o := optionsOf(func() time.Time { return now })
	learn := func(name string, owner opendir.Owner) {
		now = now.Add(time.Second)
		o.Files.learnWorktree(o.State.Change, worktreeKey(name, owner), worktreeRow{project: "p", owner: uint64(owner)})
	}
	known := func(name string, owner opendir.Owner) bool {
		_, ok := o.Files.worktrees.Get(worktreeKey(name, owner))
		return ok
	}
	learn("other", 7)
	for i := range maxWorktrees + 2 {
		learn(fmt.Sprint(i), 0)
	}
	if n := o.Files.worktrees.Len(); n != maxWorktrees+1 || known("1", 0) || !known("2", 0) || !known("other", 7) {
		t.Errorf("got %d worktrees, %v, %v, %v", n, known("1", 0), known("2", 0), known("other", 7))
	}
}
