package main

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/packaging"
)

// below returns the contents of all files below a directory, by name.
func below(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
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

// Whoever says nothing else gets everything into a directory of its own, readable
// for the servers, and is told of it; and a second time nothing is done.
func TestDashboards(t *testing.T) {
	p := newPlace(t)
	dir := filepath.Join(p.home, "ccwatchd-dashboards")
	names := packaging.Monitoring()
	for _, said := range []string{
		"Wrote 11 files to ccwatchd-dashboards; 0 were there already.\n",
		"Wrote 0 files to ccwatchd-dashboards; 11 were there already.\n",
	} {
		stdout, stderr, code := p.run(t, "dashboards")
		if code != 0 || stderr != "" || !strings.HasPrefix(stdout, said) {
			t.Fatalf("code %d, it says\n%s%swant\n%s", code, stderr, stdout, said)
		}
		written := below(t, dir)
		for _, name := range names {
			if written[name] != packaging.Read(name) {
				t.Errorf("%s has %d bytes, want %d others", name, len(written[name]), len(packaging.Read(name)))
			}
			if !strings.Contains(stdout, "\n  "+name+"\n") {
				t.Errorf("nothing is said of %s:\n%s", name, stdout)
			}
			info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
			if err != nil {
				t.Fatal(err)
			}
			if mode := info.Mode().Perm(); mode != 0o644 && runtime.GOOS != "windows" {
				t.Errorf("%s has the mode %o", name, mode)
			}
		}
		if len(written) != len(names) {
			t.Errorf("there are %d files, want %d", len(written), len(names))
		}
	}
}

// What somebody has changed is not lost, and what is written with it neither half.
func TestDashboardsKeepWhatWasChanged(t *testing.T) {
	p := newPlace(t)
	dir := filepath.Join(p.home, "out", "here")
	if stdout, stderr, code := p.run(t, "dashboards", "--out=out/here"); code != 0 {
		t.Fatalf("code %d:\n%s%s", code, stdout, stderr)
	}
	changed := []string{filepath.Join(dir, "grafana", "dashboards", "tools.json"), filepath.Join(dir, "prometheus", "rules", "usage.yml")}
	for _, path := range changed {
		writeFile(t, path, "mine\n")
	}
	if err := os.Remove(filepath.Join(dir, "grafana", "dashboards", "cache.json")); err != nil {
		t.Fatal(err)
	}
	before := below(t, dir)

	stdout, stderr, code := p.run(t, "dashboards", "--out="+dir)
	want := "ccwatchd: " + changed[0] + " is not as this version has it\nccwatchd: " + changed[1] + " is not as this version has it\n" +
		"ccwatchd: nothing was written; --force replaces what differs\n"
	if code != 1 || stderr != want || stdout != "" {
		t.Errorf("code %d, it says\n%s%swant\n%s", code, stderr, stdout, want)
	}
	after := below(t, dir)
	for name, content := range before {
		if after[name] != content {
			t.Errorf("%s has changed", name)
		}
	}
	if len(after) != len(before) {
		t.Errorf("there are %d files, and %d before", len(after), len(before))
	}

	stdout, stderr, code = p.run(t, "dashboards", "--out="+dir, "--force")
	if code != 0 || !strings.HasPrefix(stdout, "Wrote 3 files to "+dir+"; 8 were there already.\n") {
		t.Errorf("code %d, it says\n%s%s", code, stderr, stdout)
	}
	after = below(t, dir)
	for _, name := range packaging.Monitoring() {
		if after[name] != packaging.Read(name) {
			t.Errorf("%s is still another", name)
		}
	}
}

// What cannot take its place leaves nothing behind.
func TestWriteWhole(t *testing.T) {
	dir := t.TempDir()
	taken := filepath.Join(dir, "taken")
	makeDir(t, filepath.Join(taken, "by a directory"))
	if err := writeWhole(taken, "text"); err == nil {
		t.Error("a directory was replaced")
	}
	if err := writeWhole(filepath.Join(dir, "new", "file"), "text"); err != nil {
		t.Error(err)
	}
	if got := entries(t, dir); !slices.Equal(got, []string{"new", "taken"}) {
		t.Errorf("there is %q", got)
	}
	if got := below(t, filepath.Join(dir, "new")); len(got) != 1 || got["file"] != "text" {
		t.Errorf("there is %q", got)
	}
}
