package config

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/filetest"
)

// paths returns the paths of roots relative to dir, with slashes.
func paths(t *testing.T, dir string, roots []Root) []string {
	t.Helper()
	var names []string
	for _, r := range roots {
		rel, err := filepath.Rel(dir, r.Path)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, filepath.ToSlash(rel))
	}
	return names
}

func TestRoots(t *testing.T) {
	dir := realTempDir(t)
	mkdir(t, dir, "home/bob/.claude/projects", "home/alice/.claude/projects", "home/carol/.claude",
		"home/al-ice/.claude/projects", "odd/[x]/a1", "odd/[x]/a2")
	filetest.Write(t, filepath.Join(dir, "home", "file"), "")
	for _, test := range []struct {
		name  string
		paths []string
		want  []string
	}{
		{"as given", []string{"z", "a"}, []string{"z", "a"}},
		{"missing", []string{"nowhere/at/all"}, []string{"nowhere/at/all"}},
		{"pattern", []string{"home/*/.claude/projects"}, []string{"home/al-ice/.claude/projects", "home/alice/.claude/projects", "home/bob/.claude/projects"}},
		{"pattern matches only directories", []string{"home/*"}, []string{"home/al-ice", "home/alice", "home/bob", "home/carol"}},
		{"one character", []string{"home/?ob"}, []string{"home/bob"}},
		{"pattern without a match", []string{"home/*/none"}, nil},
		{"brackets are brackets", []string{"odd/[x]/a*"}, []string{"odd/[x]/a1", "odd/[x]/a2"}},
		{"duplicates", []string{"a", "b", "a/", "./a"}, []string{"a", "b"}},
		{"one before a pattern", []string{"home/bob/.claude/projects", "home/*/.claude/projects"}, []string{"home/bob/.claude/projects", "home/al-ice/.claude/projects", "home/alice/.claude/projects"}},
		{"common prefixes", []string{"a", "a-b", "ab", "a b"}, []string{"a", "a-b", "ab", "a b"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var c Config
			for _, p := range test.paths {
				c.Sources = append(c.Sources, Source{Path: dir + string(filepath.Separator) + filepath.FromSlash(p)})
			}
			roots, _, err := c.Roots()
			if err != nil {
				t.Fatal(err)
			}
			if got := paths(t, dir, roots); !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestRootsAreExpandedOnEveryCall(t *testing.T) {
	dir := realTempDir(t)
	c := &Config{Sources: []Source{{Path: filepath.Join(dir, "*")}}}
	for _, name := range []string{"a", "b"} {
		mkdir(t, dir, name)
		roots, _, err := c.Roots()
		if err != nil {
			t.Fatal(err)
		}
		if got := paths(t, dir, roots); got[len(got)-1] != name {
			t.Errorf("got %q, want %s included", got, name)
		}
	}
}

func TestRootLabels(t *testing.T) {
	dir := realTempDir(t)
	mkdir(t, dir, "x-one/logs-2", "x-one/logs-3", "y/logs-4")
	c := &Config{Sources: []Source{
		{Path: filepath.Join(dir, "x-one", "logs-3"), Labels: map[string]string{"who": "me"}},
		{
			Path:   filepath.Join(dir, "*-*", "logs-*"),
			Labels: map[string]string{"all": "{1}/{2}/{3}", "twice": "{3}{3}", "other": "{4}{}{x}", "long": strings.Repeat("ä", 100) + "\n"},
		},
	}}
	roots, _, err := c.Roots()
	if err != nil {
		t.Fatal(err)
	}
	want := []Root{
		{Path: filepath.Join(dir, "x-one", "logs-3"), Base: filepath.Join(dir, "x-one", "logs-3"), Labels: map[string]string{"who": "me"}},
		{Path: filepath.Join(dir, "x-one", "logs-2"), Base: dir, Labels: map[string]string{
			"all": "x/one/2", "twice": "22", "other": "{4}{}{x}", "long": strings.Repeat("ä", 64),
		}},
	}
	if !reflect.DeepEqual(roots, want) {
		t.Errorf("got  %v\nwant %v", roots, want)
	}
}

func TestNestedRoots(t *testing.T) {
	dir := realTempDir(t)
	at := func(name string) Source { return Source{Path: filepath.Join(dir, name)} }
	fsRoot := filepath.VolumeName(dir) + string(filepath.Separator)
	mkdir(t, dir, "a", "b", "other")
	if err := os.Symlink(filepath.Join(dir, "other"), filepath.Join(dir, "a", "link")); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	for _, test := range []struct {
		name    string
		sources []Source
		want    string
	}{
		{"below", []Source{at("a"), at("a/b/c")}, "sources[1].path: DIR/a/b/c is inside DIR/a of sources[0]: its files would be read twice"},
		{"above", []Source{at("a/b"), at("a")}, "sources[0].path: DIR/a/b is inside DIR/a of sources[1]: its files would be read twice"},
		{"two below", []Source{at("a"), at("a/b"), at("a-"), at("a/c")}, "sources[1].path: DIR/a/b is inside DIR/a of sources[0]: its files would be read twice\n" +
			"sources[3].path: DIR/a/c is inside DIR/a of sources[0]: its files would be read twice"},
		{"the root", []Source{{Path: fsRoot}, {Path: dir}}, "sources[1].path: DIR is inside " + fsRoot + " of sources[0]: its files would be read twice"},
		{"a link to the outside", []Source{at("a"), at("other")}, ""},
		{"duplicate through a link", []Source{at("other"), at("a/link")}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			roots, _, err := (&Config{Sources: test.sources}).Roots()
			got := message(err, dir)
			if filepath.Separator == '\\' {
				got = strings.ReplaceAll(got, `\`, "/")
			}
			if want := filepath.ToSlash(test.want); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if err != nil && roots != nil {
				t.Errorf("got roots in spite of the error: %v", roots)
			}
		})
	}
	roots, _, err := (&Config{Sources: []Source{at("a/link"), at("other")}}).Roots()
	if err != nil {
		t.Fatal(err)
	}
	if got := paths(t, dir, roots); !reflect.DeepEqual(got, []string{"a/link"}) {
		t.Errorf("two names of one directory: got %q, want only the first", got)
	}
}

func TestLiteralRoot(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("names cannot contain such characters")
	}
	dir := realTempDir(t)
	mkdir(t, dir, "odd?dir", "oddxdir")
	c := Config{Sources: []Source{{Path: filepath.Join(dir, "odd?dir"), Literal: true}}}
	roots, _, err := c.Roots()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := paths(t, dir, roots), []string{"odd?dir"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
