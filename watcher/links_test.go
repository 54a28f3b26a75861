package watcher

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// linkTo creates a link with exactly this target.
func linkTo(t testing.TB, target string, elem ...string) {
	t.Helper()
	path := filepath.Join(elem...)
	mkdir(t, filepath.Dir(path))
	if err := os.Symlink(filepath.FromSlash(target), path); err != nil {
		t.Skip("no symbolic links on this system:", err)
	}
}

// Links to directories directly below a root are followed, each directory once. Other
// links are reported.
func TestWalkLinks(t *testing.T) {
	for _, tc := range []struct {
		name    string
		links   map[string]string // below the roots a and b; c is beside them
		want    string
		skipped string
	}{
		{"outside", map[string]string{"a/l": "../c/d"}, "0:l/4.log 0:l/e/5.log 0:p/1.log 1:q/2.log", ""},
		{"absolute, and through a link", map[string]string{"a/l": "/a/k", "a/k": "/m", "m": "c/d"}, "0:k/4.log 0:k/e/5.log 0:p/1.log 1:q/2.log", ""},
		{"twice, in two roots too", map[string]string{"a/l": "../c/d", "a/m": "../c/./d", "b/l": "/c/d"}, "0:l/4.log 0:l/e/5.log 0:p/1.log 1:q/2.log", ""},
		{"one inside another", map[string]string{"a/l": "../c", "a/m": "../c/d/e", "b/l": "../c/d"}, "0:l/3.log 0:m/5.log 0:p/1.log 1:l/4.log 1:q/2.log", ""},
		{"into its root", map[string]string{"a/l": "p"}, "0:p/1.log 1:q/2.log", ""},
		{"to and into another root", map[string]string{"a/l": "../b/q", "a/m": "../b"}, "0:p/1.log 1:q/2.log", ""},
		{"to another link", map[string]string{"a/k": "../c/d", "a/l": "k"}, "0:k/4.log 0:k/e/5.log 0:p/1.log 1:q/2.log", ""},
		{"to its root", map[string]string{"a/l": ".", "a/m": "../a"}, "0:p/1.log 1:q/2.log", "0:l loop, 0:m loop"},
		{"above its root", map[string]string{"a/l": "..", "b/l": "/"}, "0:p/1.log 1:q/2.log", "0:l loop, 1:l loop"},
		{"to itself", map[string]string{"a/l": "l", "a/m": "n", "a/n": "m"}, "0:p/1.log 1:q/2.log", "0:l loop, 0:m loop, 0:n loop"},
		{"to nothing", map[string]string{"a/l": "none", "a/m": "l"}, "0:p/1.log 1:q/2.log", "0:l dangling, 0:m dangling"},
		{"to a file", map[string]string{"a/l.log": "../c/3.log", "a/p/m.log": "1.log", "a/skip.log": "../c/3.log", "a/txt": "../c/3.log"}, "0:p/1.log 1:q/2.log", "0:l.log file, 0:p/m.log file"},
		{"deeper", map[string]string{"a/p/l": "../../c", "a/p/m": "none", "a/p/n": "n", "a/p/txt": "1.log"}, "0:p/1.log 1:q/2.log", "0:p/l nested, 0:p/m dangling, 0:p/n loop"},
		{"below a link", map[string]string{"a/l": "../c/d", "c/d/m": "../../b"}, "0:l/4.log 0:l/e/5.log 0:p/1.log 1:q/2.log", "0:l/m nested"},
		{"with the name of a directory to skip", map[string]string{"a/cache": "../c", "a/p/cache": "../c"}, "0:p/1.log 1:q/2.log", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, f := range []string{"a/p/1.log", "b/q/2.log", "c/3.log", "c/d/4.log", "c/d/e/5.log"} {
				write(t, dir, f)
			}
			for at, target := range tc.links {
				if strings.HasPrefix(target, "/") {
					target = filepath.ToSlash(dir) + target
				}
				linkTo(t, target, dir, at)
			}
			o := eventOptions(filepath.Join(dir, "a"), filepath.Join(dir, "b"))
			log := captureLog(&o)
			found := checkWalk(t, o, strings.Fields(tc.want)...)
			rs := findRoots(o.withDefaults())
			for _, f := range found {
				if info, _, err := lstatPath(rs.path(f.File)); err != nil || info != f.Info {
					t.Errorf("%v: got path %s", f.File, rs.path(f.File))
				}
			}
			var skipped []string
			for f, reason := range walkRoots(t.Context(), o.withDefaults(), rs, func(string) {}).skipped {
				skipped = append(skipped, format(f)+" "+string(reason))
			}
			slices.Sort(skipped)
			if got := strings.Join(skipped, ", "); got != tc.skipped {
				t.Errorf("got skipped links %q, want %q", got, tc.skipped)
			}
			log.checkCount(t, "level=DEBUG msg=\"Link is not followed\" path=", len(skipped))
			if got, want := log.count("level=INFO") > 0, len(skipped) > 0; got != want {
				t.Errorf("got a message: %v, want %v", got, want)
			}
		})
	}
}

// Links and their targets come, go and change while files are watched.
func TestWatchLinks(t *testing.T) {
	withEventsAndPolling(t, func(t *testing.T, dir string, o Options) {
		root := mkdir(t, dir, "root")
		o.Roots = []string{root}
		write(t, dir, "one/a.log")
		write(t, dir, "two/p/b.log")
		write(t, root, "p/c.log")
		c := start(t, New(o))
		c.waitForTree("0:p/c.log")
		symlink(t, dir, "one", "root/l")
		c.waitForTree("0:l/a.log", "0:p/c.log")
		write(t, dir, "one/a.log")
		// A walk may find the change before a check does.
		c.waitFor("a larger file", func() bool { return c.dirty["0:l/a.log"] || c.last.Tree[0].Info.Size() == 10 })
		write(t, dir, "one/q/d.log")
		c.waitForFile("0:l/q/d.log")

		remove(t, root, "l") // changes
		symlink(t, dir, "two", "root/l")
		c.waitForTree("0:l/p/b.log", "0:p/c.log")
		write(t, dir, "one/e.log")
		write(t, dir, "two/p/f.log")
		c.waitForFile("0:l/p/f.log")

		rename(t, dir, "two", "three") // its target disappears
		c.waitForTree("0:p/c.log")
		c.waitFor("the reason", func() bool { return c.last.Skipped[File{0, "l"}] == LinkDangling })
		rename(t, dir, "three", "two") // and returns
		c.waitForTree("0:l/p/b.log", "0:l/p/f.log", "0:p/c.log")
		remove(t, root, "l")
		c.waitForTree("0:p/c.log")

		write(t, root, "l/g.log") // a directory takes its place
		c.waitForFile("0:l/g.log")
		remove(t, root, "l")
		symlink(t, dir, "one", "root/l")
		c.waitForTree("0:l/a.log", "0:l/e.log", "0:l/q/d.log", "0:p/c.log")
		for f := range c.dirty {
			if strings.Contains(f, "one") || strings.Contains(f, "two") {
				t.Errorf("got dirty file %s outside the root", f)
			}
		}
	})
}

// The second of two links takes over when the first is removed.
func TestSecondLink(t *testing.T) {
	withEventsAndPolling(t, func(t *testing.T, dir string, o Options) {
		o.Roots = []string{mkdir(t, dir, "root")}
		write(t, dir, "one/a.log")
		symlink(t, dir, "one", "root/l")
		symlink(t, dir, "one", "root/m")
		c := start(t, New(o))
		c.waitForTree("0:l/a.log")
		remove(t, dir, "root/l")
		c.waitForTree("0:m/a.log")
		write(t, dir, "one/b.log")
		c.waitForFile("0:m/b.log")
	})
}

// A check between walks detects a new link.
func TestPolledLink(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	write(t, dir, "p/a.log")
	p := newPolled(t, dir, 0)
	symlink(t, "", elsewhere, filepath.Join(dir, "p", "l"))
	p.finds()
	if p.p.newLink {
		t.Error("got a new link for one in a directory")
	}
	symlink(t, "", elsewhere, filepath.Join(dir, "l"))
	p.finds()
	if !p.p.newLink {
		t.Error("got no new link")
	}
	p.w.scan(t.Context())
	p.finds()
	if p.p.newLink {
		t.Error("got a new link after a walk that has found it")
	}
}

// A link that appears during a walk is followed by another walk, which comes soon: the
// link's event may have come before the root was watched.
func TestLinkDuringWalk(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	write(t, elsewhere, "a.log")
	o := eventOptions(dir).withDefaults()
	tree := walkRoots(t.Context(), o, findRoots(o), func(string) {
		symlink(t, "", elsewhere, filepath.Join(dir, "l"))
	})
	if !tree.newLinks || len(tree.skipped) > 0 {
		t.Errorf("got new links: %v, skipped links %v", tree.newLinks, tree.skipped)
	}
	checkWalk(t, o, "0:l/a.log")
}

// A directory that becomes a link to the outside after it was listed is not read, nor
// is a directory above it. A user could attack this way to have another user's files
// read as his own.
func TestDirectoryReplacedDuringWalk(t *testing.T) {
	for _, replaced := range []string{"p", "p/q", "p/q/r"} {
		t.Run(strings.ReplaceAll(replaced, "/", "_"), func(t *testing.T) {
			dir, elsewhere := t.TempDir(), t.TempDir()
			write(t, dir, "p/q/r/a.log")
			for _, below := range []string{"", "q", "q/r", "r"} {
				write(t, elsewhere, below, "secret.log")
			}
			o := eventOptions(dir).withDefaults()
			tree := walkRoots(t.Context(), o, findRoots(o), func(path string) {
				if filepath.Base(path) == "r" {
					rename(t, dir, replaced, "old")
					symlink(t, "", elsewhere, filepath.Join(dir, replaced))
				}
			})
			checkFound(t, tree.files)
		})
	}
}

// Roots and links that lead elsewhere after they were found are only read by the next
// walk.
func TestRootReplacedDuringWalk(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a/p/1.log")
	write(t, dir, "b/2.log")
	write(t, dir, "other/3.log")
	symlink(t, dir, "a", "root")
	symlink(t, dir, "b", "a/l")
	o := eventOptions(filepath.Join(dir, "root")).withDefaults()
	rs := findRoots(o)
	remove(t, dir, "a/l")
	symlink(t, dir, "other", "a/l")
	tree := walkRoots(t.Context(), o, rs, func(string) {})
	checkFound(t, tree.files, "0:p/1.log")
	if want := []File{{0, "l"}}; !slices.Equal(tree.unreadable, want) {
		t.Errorf("got unreadable %v, want %v", tree.unreadable, want)
	}
	if rs.same(rs.again(o)) {
		t.Error("the change is not detected")
	}
	checkFound(t, walkRoots(t.Context(), o, rs.again(o), func(string) {}).files, "0:l/3.log", "0:p/1.log")
	remove(t, dir, "root")
	symlink(t, dir, "other", "root")
	checkFound(t, walkRoots(t.Context(), o, rs, func(string) {}).files)
}

// A link that is not followed because of its owner is a warning, once, and has no path
// above debug level.
func TestSkippedLinksLog(t *testing.T) {
	dir := t.TempDir()
	o := eventOptions(dir, t.TempDir()).withDefaults()
	log := captureLog(&o)
	links := skippedLinks{{0, "-private"}: LinkOwner, {0, "x.log"}: LinkToFile, {0, "y.log"}: LinkToFile}
	links.log(o, nil)
	log.checkCount(t, fmt.Sprintf("level=WARN msg=\"Links below a source are not followed\" root=%s file=2 owner=1 hint=", dir), 1)
	log.checkCount(t, "private", log.count("level=DEBUG msg=\"Link is not followed\" path="+filepath.Join(dir, "-private")+" reason=owner"))
	links.log(o, maps.Clone(links))
	log.checkCount(t, "not followed", 4)
	before := maps.Clone(links)
	links[File{1, "z"}] = LinkDangling
	links.log(o, before)
	log.checkCount(t, "level=INFO", 1)
	log.checkCount(t, "level=WARN", 1)
}
