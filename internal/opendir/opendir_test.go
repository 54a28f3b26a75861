package opendir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
)

const (
	root  = 0
	alice = 1001
	bob   = 1002
)

// byName is a check that derives owners from file names: bob owns the files named after
// him, root the shared directory and links with "root" in their names, and alice all
// other files.
var byName = check{func(info fs.FileInfo) uint32 {
	switch {
	case strings.Contains(info.Name(), "bob"):
		return bob
	case strings.Contains(info.Name(), "root"):
		return root
	}
	return alice
}}

// newHomes makes the directories of alice and of bob, whose directory is readable only
// in part.
func newHomes(t *testing.T) string {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	noError(t, err)
	for _, dir := range []string{"alice/projects/p", "bob/projects/bobs", "bob/bob-private/x/bobs"} {
		noError(t, os.MkdirAll(filepath.Join(top, filepath.FromSlash(dir)), 0o755))
	}
	noError(t, os.Chmod(filepath.Join(top, "bob", "bob-private"), 0o700))
	noError(t, os.WriteFile(filepath.Join(top, "bob", "bob-private", "file"), nil, 0o600))
	noError(t, os.WriteFile(filepath.Join(top, "alice", "file"), nil, 0o600))
	return top
}

func noError(t *testing.T, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}

func symlink(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Skip("no symbolic links on this system:", err)
	}
}

// Attacks of a user on another user, with the owners of links and targets.
func TestCheckedLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links have no owners")
	}
	for _, test := range []struct {
		name  string
		links map[string]string // below the top directory; targets begin with / or are relative
		path  string
		want  string // the real path below the top directory
		err   error
	}{
		{"no link", nil, "alice/projects", "alice/projects", nil},
		{"to a directory of her own", map[string]string{"alice/l": "projects/p"}, "alice/l", "alice/projects/p", nil},
		{"absolute", map[string]string{"alice/l": "/alice/projects"}, "alice/l/p", "alice/projects/p", nil},
		{"above the base and back", map[string]string{"alice/l": "../alice/./projects//p/.."}, "alice/l", "alice/projects", nil},
		{"to a directory of another", map[string]string{"alice/l": "../bob"}, "alice/l", "", ErrOwner},
		{"of root to a directory of another", map[string]string{"alice/root-l": "../bob/projects/bobs"}, "alice/root-l", "bob/projects/bobs", nil},
		{"to a directory of root", map[string]string{"alice/l": "/root", "root": "bob"}, "alice/l", "", ErrOwner},
		{"above the last element", map[string]string{"alice/l": "../bob"}, "alice/l/projects", "", ErrOwner},
		{"to a link of another", map[string]string{"alice/l": "/bob/bob-l", "bob/bob-l": "/bob/projects/bobs"}, "alice/l", "", ErrOwner},
		{"to a link of another to her own", map[string]string{"alice/l": "/bob/bob-l", "bob/bob-l": "bobs-end", "bob/bobs-end": "/alice/projects"}, "alice/l", "", ErrOwner},
		{"of root to a link of hers", map[string]string{"alice/root-l": "l", "alice/l": "../bob"}, "alice/root-l", "", ErrOwner},
		{"through her own directory", map[string]string{"alice/l": "projects/m/bobs", "alice/projects/m": "/bob/projects"}, "alice/l", "", ErrOwner},
		{"dangling", map[string]string{"alice/l": "missing"}, "alice/l", "", fs.ErrNotExist},
		{"to a file", map[string]string{"alice/l": "file"}, "alice/l", "", syscall.ENOTDIR},
		{"to itself", map[string]string{"alice/l": "l"}, "alice/l", "", syscall.ELOOP},
		{"probe what another hides: nothing", map[string]string{"alice/l": "/bob/bob-private/none"}, "alice/l", "", ErrOwner},
		{"probe what another hides: a file", map[string]string{"alice/l": "/bob/bob-private/file"}, "alice/l", "", ErrOwner},
		{"probe what another hides: a directory", map[string]string{"alice/l": "/bob/bob-private/x/bobs/../bobs"}, "alice/l", "", ErrOwner},
		{"probe what another shows", map[string]string{"alice/l": "/bob/none"}, "alice/l", "", fs.ErrNotExist},
	} {
		t.Run(test.name, func(t *testing.T) {
			top := newHomes(t)
			for at, target := range test.links {
				if strings.HasPrefix(target, "/") {
					target = top + target
				}
				symlink(t, target, filepath.Join(top, at))
			}
			dir, err := byName.open(top, filepath.Join(top, test.path))
			if !errors.Is(err, test.err) {
				t.Fatalf("got error %v, want %v", err, test.err)
			}
			if err == nil {
				checkDir(t, dir, filepath.Join(top, test.want))
			}
			if dir, err := (check{}).open(top, filepath.Join(top, test.path)); errors.Is(test.err, ErrOwner) && err == nil {
				noError(t, dir.Close()) // the attack works without the check
			}
		})
	}
}

// checkDir checks and closes an open directory.
func checkDir(t *testing.T, dir *Dir, path string) {
	t.Helper()
	defer func() { _ = dir.Close() }()
	want, err := os.Stat(path)
	noError(t, err)
	now, err := dir.Stat(".")
	noError(t, err)
	if dir.Real != path || !os.SameFile(dir.Info, want) || !os.SameFile(now, want) {
		t.Errorf("got %s, want %s", dir.Real, path)
	}
}

// Links in the base are followed regardless of their owners, and so are all of a path
// without a base.
func TestTrustedLinks(t *testing.T) {
	top := newHomes(t)
	symlink(t, filepath.Join(top, "bob"), filepath.Join(top, "alice", "l"))
	for _, base := range []string{"alice/l", "alice/l/projects", "elsewhere", "alice/l/pro"} {
		dir, err := byName.open(filepath.Join(top, base), filepath.Join(top, "alice/l/projects"))
		noError(t, err)
		checkDir(t, dir, filepath.Join(top, "bob", "projects"))
	}
	dir, err := byName.open("", top)
	noError(t, err)
	checkDir(t, dir, top)
	if runtime.GOOS != "windows" {
		dir, err = byName.open("/", top)
		noError(t, err)
		checkDir(t, dir, top)
	}
}

// An element that was replaced after it was seen is not entered, directly or through a
// link.
func TestReplacedElement(t *testing.T) {
	top := newHomes(t)
	projects := filepath.Join(top, "alice", "projects")
	seen, err := os.Lstat(projects)
	noError(t, err)
	noError(t, os.Rename(projects, projects+"-old"))
	for _, target := range []string{"", filepath.Join(top, "bob", "projects"), "../alice/file", "file", "bob"} {
		if target == "" {
			noError(t, os.Mkdir(projects, 0o700))
		} else {
			symlink(t, target, projects)
		}
		base, err := openTrusted(filepath.Join(top, "alice"))
		noError(t, err)
		r := resolver{check: byName, dirs: []*Dir{base}}
		if err := r.enter("projects", seen); err == nil {
			t.Errorf("entered a link to %q that replaced a directory", target)
		}
		r.close()
		noError(t, os.Remove(projects))
	}
}

// The target and the owner belong to the same link.
func TestReadLink(t *testing.T) {
	dir, err := os.OpenRoot(t.TempDir())
	noError(t, err)
	defer func() { _ = dir.Close() }()
	long := strings.Repeat("x/", 500)
	symlink(t, long, filepath.Join(dir.Name(), "l"))
	want, err := dir.Lstat("l")
	noError(t, err)
	target, info, err := readLink(dir, "l")
	if err != nil || filepath.ToSlash(target) != long || !os.SameFile(info, want) || info.Mode().Type() != fs.ModeSymlink {
		t.Errorf("got %q, %v, %v", target, info, err)
	}
	noError(t, os.WriteFile(filepath.Join(dir.Name(), "file"), nil, 0o600))
	if target, _, err := readLink(dir, "file"); err == nil {
		t.Errorf("got %q for a file, want an error", target)
	}
}

func TestPlaces(t *testing.T) {
	top := newHomes(t)
	symlink(t, "alice", filepath.Join(top, "l"))
	direct, err := Open("", filepath.Join(top, "alice", "projects"))
	noError(t, err)
	linked, err := Open("", filepath.Join(top, "l", "projects"))
	noError(t, err)
	defer func() { _, _ = direct.Close(), linked.Close() }()
	places := make(Places)
	keys, same := places.Above(direct.Real, direct.Info), places.Above(linked.Real, linked.Info)
	if strings.Join(keys, " ") != strings.Join(same, " ") || len(keys) < 4 {
		t.Errorf("got %q and %q, want the same keys", keys, same)
	}
	missing := places.Above(filepath.Join(top, "alice", "missing"), nil)
	if missing[0] != filepath.Join(top, "alice", "missing") || missing[1] != keys[1] {
		t.Errorf("got %q for a missing directory beside %q", missing, keys)
	}
}

// A directory that is repeatedly replaced by a link to another user's directory is
// opened itself, or not at all.
func TestExchangedDirectory(t *testing.T) {
	top := newHomes(t)
	at := func(name string) string { return filepath.Join(top, "alice", name) }
	noError(t, os.Mkdir(filepath.Join(top, "bob", "projects", "bobs", "p"), 0o755))
	symlink(t, "../bob/projects/bobs", at("l"))
	done := make(chan struct{})
	var exchanging sync.WaitGroup
	exchanging.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				_, _ = os.Rename(at("projects"), at("old")), os.Rename(at("l"), at("projects"))
				_, _ = os.Rename(at("projects"), at("l")), os.Rename(at("old"), at("projects"))
			}
		}
	})
	defer exchanging.Wait()
	defer close(done)
	his, err := os.Stat(filepath.Join(top, "bob", "projects", "bobs", "p"))
	noError(t, err)
	for range 3000 {
		dir, err := byName.open(top, filepath.Join(at("projects"), "p"))
		if err != nil {
			continue
		}
		if os.SameFile(dir.Info, his) {
			t.Fatal("opened the directory of another")
		}
		noError(t, dir.Close())
	}
}
