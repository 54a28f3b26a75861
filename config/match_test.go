package config

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

const homes = "home/*/.claude/projects"

// newHomes makes the homes of bob and carol.
func newHomes(t *testing.T) (dir string) {
	t.Helper()
	dir = realTempDir(t)
	mkdir(t, dir, "home/bob/.claude/projects/p", "home/carol/.claude/projects", "home/alice/.claude", "home/alice/own/projects")
	return dir
}

// link makes a link to a target below dir.
func link(t *testing.T, dir, target, path string) string {
	t.Helper()
	path = filepath.Join(dir, path)
	if filepath.IsAbs(target) {
		dir = ""
	}
	if err := os.Symlink(filepath.Join(dir, target), path); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	return path
}

// checkMatches checks the roots and the errors of dropped matches, with DIR for dir.
func checkMatches(t *testing.T, dir string, c *Config, want, wantDropped []string) {
	t.Helper()
	roots, dropped, err := c.Roots()
	if err != nil {
		t.Fatal(err)
	}
	if got := paths(t, dir, roots); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	var texts []string
	for _, err := range dropped {
		texts = append(texts, filepath.ToSlash(message(err, dir)))
	}
	if !reflect.DeepEqual(texts, wantDropped) {
		t.Errorf("got dropped %q\nwant %q", texts, wantDropped)
	}
	if c.sourceProblems() != nil {
		t.Errorf("got %v, want a valid configuration", c.sourceProblems())
	}
}

// A user links a directory that a pattern matches to another user's directory. That
// directory is still read, and its usage goes to its owner.
func TestMatchesThatOverlap(t *testing.T) {
	fsRoot := filepath.VolumeName(os.TempDir()) + string(filepath.Separator)
	const bob, carol = "home/bob/.claude/projects", "home/carol/.claude/projects"
	for _, test := range []struct {
		name         string
		target, link string
		dropped      string
	}{
		{"to the root of the file system", fsRoot, "home/alice/.claude/projects", "DIR/home/alice/.claude/projects contains DIR/home/bob/.claude/projects of sources[0]"},
		{"to the directory of another", bob, "home/alice/.claude/projects", "DIR/home/alice/.claude/projects leads to DIR/home/bob/.claude/projects of sources[0]"},
		{"inside that of another", bob + "/p", "home/alice/.claude/projects", "DIR/home/alice/.claude/projects is inside DIR/home/bob/.claude/projects of sources[0]"},
		{"above that of another", "home/bob", "home/alice/.claude/projects", "DIR/home/alice/.claude/projects contains DIR/home/bob/.claude/projects of sources[0]"},
		{"in the middle", "home/bob/.claude", "home/a/.claude", "DIR/home/a/.claude/projects leads to DIR/home/bob/.claude/projects of sources[0]"},
		{"of the name that * matches", "home/bob", "home/a-link", "DIR/home/a-link/.claude/projects leads to DIR/home/bob/.claude/projects of sources[0]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := newHomes(t)
			mkdir(t, dir, "home/a")
			link(t, dir, test.target, test.link)
			c := &Config{Sources: []Source{{Path: filepath.Join(dir, homes), Labels: map[string]string{"user": "{1}"}}}}
			checkMatches(t, dir, c, []string{bob, carol}, []string{test.dropped + ": its files would be read twice"})
			roots, _, err := c.Roots()
			if err != nil || roots[0].Labels["user"] != "bob" {
				t.Errorf("got %v, %v, want the label of bob", roots, err)
			}
		})
	}
}

// Of overlapping directories that are reached without a link, the directory configured
// by name is read, or else the first.
func TestPatternsThatOverlap(t *testing.T) {
	dir := newHomes(t)
	at := func(name string) Source { return Source{Path: filepath.Join(dir, name)} }
	checkMatches(t, dir, &Config{Sources: []Source{at("home/b*"), at("home/bob/.claude")}}, []string{"home/bob/.claude"},
		[]string{"DIR/home/bob contains DIR/home/bob/.claude of sources[1]: its files would be read twice"})
	checkMatches(t, dir, &Config{Sources: []Source{at("home/b*"), at("home/bob/.c*")}}, []string{"home/bob"},
		[]string{"DIR/home/bob/.claude is inside DIR/home/bob of sources[0]: its files would be read twice"})
}

// A link to a directory of no other source is followed, unless the process can read
// other users' files and neither root nor the owner of the directory owns the link.
func TestMatchesByOwner(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() != 0 {
		t.Skip("only root can change owners; package opendir tests the rule")
	}
	const alice, bob = 10_001, 10_002
	for _, test := range []struct {
		name                 string
		target, link         string
		targetOwner, ownedBy int
		read                 bool
	}{
		{"her own", "home/alice/own/projects", "home/alice/.claude/projects", alice, alice, true},
		{"of root", "home/alice/own/projects", "home/alice/.claude/projects", bob, 0, true},
		{"of another", "home/alice/own/projects", "home/alice/.claude/projects", bob, alice, false},
		{"to root", "home/alice/own/projects", "home/alice/.claude/projects", 0, alice, false},
		{"above the last name", "home/alice/own", "home/a/.claude", bob, alice, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := newHomes(t)
			mkdir(t, dir, "home/a")
			path := link(t, dir, test.target, test.link)
			if err := os.Lchown(path, test.ownedBy, 0); err != nil {
				t.Fatal(err)
			}
			if err := os.Chown(filepath.Join(dir, test.target), test.targetOwner, 0); err != nil {
				t.Fatal(err)
			}
			c := &Config{Sources: []Source{{Path: filepath.Join(dir, homes)}}}
			match := strings.TrimSuffix(test.link, "/projects") + "/projects"
			want, dropped := []string{match, "home/bob/.claude/projects", "home/carol/.claude/projects"}, []string(nil)
			if !test.read {
				want, dropped = want[1:], []string{"open DIR/" + match + ": a link in its path belongs neither to root nor to the owner of its target"}
			}
			checkMatches(t, dir, c, want, dropped)
		})
	}
}
